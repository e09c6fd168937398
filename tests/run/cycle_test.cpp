// Cycles of kernels: closed-form distributions, draws that depend on seed, chain and iteration only, and error
// messages. Each statistical test must reject a cycle with an error.
#include "statistics/significance.hpp"

#include <sgmcmc/cycle.hpp>
#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace sgmcmc {
namespace {

CycleOptions options_of(std::uint64_t iterations, std::uint32_t chains) {
  CycleOptions options;
  options.iterations = iterations;
  options.warmup = 50;
  options.chains = chains;
  options.threads = 1;
  return options;
}

/// z-score of a mean, from the means of independent chains.
template <class Function>
double score(const CycleResult& result, Function&& value_of_draw, double expected) {
  std::vector<double> means;
  for (std::size_t c = 0; c < result.draws.chains(); ++c) {
    double sum = 0;
    for (std::size_t d = 0; d < result.draws.draws(c); ++d) sum += value_of_draw(result.draws.draw(c, d));
    means.push_back(sum / static_cast<double>(result.draws.draws(c)));
  }
  return std::abs(testing::mean_of_replicates(means).z_score(expected));
}

const double limit = testing::z_threshold(1e-4, 12);  // false-alarm rate: 1e-4 for this whole file

/// x and y are standard normal with correlation r, each drawn given the other; variance_of_y is the conditional
/// variance of y, to plant an error.
double normal_pair_score(double variance_of_y) {
  const double r = 0.6;
  Cycle cycle;
  cycle.block("x", 0.0).block("y", 0.0);
  cycle.gibbs({"x"}, [=](Blocks& state, KernelRandom& random) {
    state.set("x", r * state.number("y") + std::sqrt(1 - r * r) * random.normal());
  });
  cycle.gibbs({"y"}, [=](Blocks& state, KernelRandom& random) {
    state.set("y", r * state.number("x") + std::sqrt(variance_of_y) * random.normal());
  });
  const auto result = cycle.run(options_of(100, 300));
  return std::max({score(
                       result, [](auto draw) { return draw[0]; }, 0.0),
                   score(
                       result, [](auto draw) { return draw[0] * draw[0]; }, 1.0),
                   score(
                       result, [](auto draw) { return draw[0] * draw[1]; }, r)});
}

TEST(Cycle, TwoGibbsKernels_HaveTheJointLaw) {
  EXPECT_LT(normal_pair_score(1 - 0.6 * 0.6), limit);
  EXPECT_GT(normal_pair_score(0.5), limit) << "a conditional of the wrong variance is rejected";
}

/// Weights 1, 2, 3, 4 on 0..3; proposals up with probability 0.7 and down with 0.3, around a circle.
double circle_score(bool corrected) {
  Cycle cycle;
  cycle.block("place", 0.0);
  cycle.metropolis(
      {"place"}, [](const Blocks& state) { return std::log(1.0 + state.number("place")); },
      [corrected](Blocks& state, KernelRandom& random) {
        const bool up = random.uniform() < 0.7;
        state.set("place", std::fmod(state.number("place") + (up ? 1 : 3), 4.0));
        return corrected ? std::log(up ? 0.3 / 0.7 : 0.7 / 0.3) : 0.0;
      });
  const auto result = cycle.run(options_of(100, 300));
  double worst = 0;
  for (int place = 0; place < 4; ++place)
    worst =
        std::max(worst, score(
                            result, [place](auto draw) { return draw[0] == place ? 1.0 : 0.0; }, (1.0 + place) / 10.0));
  EXPECT_GT(result.kernels[0].acceptance(), 0.3);
  EXPECT_LT(result.kernels[0].acceptance(), 1.0);
  EXPECT_EQ(result.kernels[0].steps, 300U * 150U);
  return worst;
}

TEST(Cycle, MetropolisWithUnequalProposals_HasItsLaw) {
  EXPECT_LT(circle_score(true), limit);
  EXPECT_GT(circle_score(false), limit) << "without the ratio of proposals";
}

/// Mean and precision of 20 normal numbers: a gradient kernel draws the mean given the precision, and Gibbs the
/// precision. Prior: mean ~ N(0, 1), precision ~ Gamma(3, 2).
struct MeanAndPrecision {
  std::vector<double> y;
  double sum = 0, squares = 0;
  MeanAndPrecision() : y(20) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = 0.7 + std::sin(1.0 + 2.0 * static_cast<double>(i));
    for (const double x : y) {
      sum += x;
      squares += x * x;
    }
  }
  /// Draws the precision given the mean.
  void add_gibbs(Cycle& cycle) const {
    cycle.gibbs({"precision"}, [s = sum, q = squares](Blocks& state, KernelRandom& random) {
      const double mean = state.number("mean");
      state.set("precision", random.gamma(3 + 10.0) / (2 + 0.5 * (q - 2 * mean * s + 20 * mean * mean)));
    });
  }
  /// Posterior mean of the mean, by integration over a grid with the precision integrated out.
  double exact_mean() const {
    double total = 0, weighted = 0;
    for (double m = -3; m <= 4; m += 1e-3) {
      const double density = std::exp(-0.5 * m * m - 13 * std::log(2 + 0.5 * (squares - 2 * m * sum + 20 * m * m)));
      total += density;
      weighted += m * density;
    }
    return weighted / total;
  }
};

Model model_of_mean(double slope) {
  Model model(Dataset::Builder().real("y", MeanAndPrecision().y).build());
  const Expression mean = model.parameter("mean");
  const Expression precision = model.parameter("precision", {}, Constraint::lower(0.0));
  model.prior(-0.5 * square(mean));
  model.likelihood(-0.5 * slope * precision * square(model.row("y") - mean));
  return model;
}

double mean_score(double slope) {
  const MeanAndPrecision truth;
  Cycle cycle;
  cycle.block("mean", 0.5).block("precision", 1.0);
  cycle.gradient({"mean"}, MalaOptions{}, model_of_mean(slope));
  truth.add_gibbs(cycle);
  const auto result = cycle.run(options_of(60, 250));
  return score(
      result, [](auto draw) { return draw[0]; }, truth.exact_mean());
}

TEST(Cycle, ExactGradientKernelOfAModel_HasTheJointLawWithGibbs) {
  EXPECT_LT(mean_score(1.0), limit);
  EXPECT_GT(mean_score(0.3), limit) << "another likelihood in the gradient kernel than in the Gibbs kernel";
}

TEST(Cycle, ConditionalGradientOfAModel_IsThatOfTheFunction) {
  const MeanAndPrecision truth;
  const auto run = [&](bool by_model) {
    SgldOptions sgld;
    sgld.step_size = 0.01;
    GradientOptions full;
    full.estimator = Estimator::full;
    Cycle cycle;
    cycle.block("mean", 0.5).block("precision", 1.0);
    if (by_model) {
      cycle.gradient({"mean"}, sgld, model_of_mean(1.0), full);
    } else {
      cycle.gradient({"mean"}, sgld, [&truth](const Blocks& state, std::span<double> gradient) {
        const double mean = state.number("mean"), precision = state.number("precision");
        gradient[0] = -mean + precision * (truth.sum - 20 * mean);
        return -0.5 * mean * mean + precision * (truth.sum * mean - 10 * mean * mean);
      });
    }
    truth.add_gibbs(cycle);
    return cycle.run(options_of(40, 2));
  };
  const auto by_model = run(true), by_function = run(false);
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t d = 0; d < 40; ++d)
      for (std::size_t p = 0; p < 2; ++p)
        EXPECT_NEAR(by_model.draws(c, d, p), by_function.draws(c, d, p), 1e-9) << c << " " << d << " " << p;
}

TEST(Cycle, OneGradientKernelOfAModel_IsTheChainOfSample) {
  const MeanAndPrecision truth;
  Model model(Dataset::Builder().real("y", truth.y).build());
  const Expression mean = model.parameter("mean");
  const Expression scale = model.parameter("scale", {}, Constraint::lower(0.0));
  model.prior(-0.5 * square(mean) - scale);
  model.likelihood(-0.5 * square((model.row("y") - mean) / scale) - log(scale));
  for (const std::string method : {"sgld", "sgld-saga", "sghmc-svrg", "sgnht", "nuts"}) {
    SampleOptions options;
    options.method(method);
    if (method != "nuts") options.step_size(1e-3);
    options.gradient.minibatch.batch_size = 5;
    options.iterations = options.warmup = 20;
    options.initial = {{"mean", {0.5}}, {"scale", {1.5}}};
    const auto whole = sample(model, options);
    Cycle cycle;
    cycle.block("mean", 0.5).block("scale", 1.5);
    cycle.gradient({"mean", "scale"}, options.sampler, model, options.gradient);
    CycleOptions same;
    same.iterations = same.warmup = 20;
    const auto composed = cycle.run(same);
    for (std::size_t d = 0; d < 20; ++d)
      for (std::size_t p = 0; p < 2; ++p)
        EXPECT_NEAR(composed.draws(0, d, p), whole.draws(0, d, p), 1e-12) << method << " " << d;
  }
}

TEST(Cycle, AConstrainedBlock_StaysInItsSupportOnTheScaleOfTheModel) {
  Model model;
  const Expression share = model.parameter("share", {}, Constraint::interval(0.0, 1.0));
  const Expression power = model.parameter("power", {}, Constraint::lower(0.0));
  model.prior(power * log(share));  // share ~ Beta(power + 1, 1)
  Cycle cycle;
  cycle.block("share", 0.5).block("power", 3.0);
  cycle.gradient({"share"}, NutsOptions{}, model);
  auto options = options_of(200, 60);
  const auto result = cycle.run(options);
  EXPECT_LT(score(
                result, [](auto draw) { return draw[0]; }, 4.0 / 5.0),
            limit);
  EXPECT_EQ(result.mean("power"), 3.0) << "fixed: no kernel moves it";
}

Cycle walk() {
  Cycle cycle;
  cycle.block("a", std::vector<double>{0, 0}).block("b", 1.0);
  cycle.start([](Blocks& state, KernelRandom& random) { state.set("b", 1 + random.uniform()); });
  cycle.random_walk("a", 0.8, [](const Blocks& state) {
    return -0.5 * (state["a"][0] * state["a"][0] + state["a"][1] * state["a"][1]) * state.number("b");
  });
  cycle.gibbs({"b"}, [](Blocks& state, KernelRandom& random) {
    state.set("b", random.gamma(2) + 0.1 * random.poisson(3) + random.exponential() + random.below(2) +
                       static_cast<double>(random.choose(std::vector<double>{1, 0, 2})));
  });
  cycle.record("ratio", [](const Blocks& state) { return state["a"][0] / state.number("b"); });
  return cycle;
}

TEST(Cycle, Threads_ChangeNothingAndSeedsAndChainsDo) {
  auto options = options_of(30, 4);
  const auto one = walk().run(options);
  options.threads = 3;
  const auto three = walk().run(options);
  EXPECT_EQ(one.names, (std::vector<std::string>{"a[1]", "a[2]", "b", "ratio"}));
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t d = 0; d < 30; ++d)
      for (std::size_t p = 0; p < 4; ++p) EXPECT_EQ(one.draws(c, d, p), three.draws(c, d, p));
  EXPECT_NE(one.draws(0, 0, 0), one.draws(1, 0, 0));
  EXPECT_NE(one.draws(0, 0, 2), one.draws(1, 0, 2));
  options.seed = 2;
  EXPECT_NE(walk().run(options).draws(0, 0, 2), one.draws(0, 0, 2));
  options.seed = 1;
  options.chains = 1;
  options.thin = 3;
  const auto thinned = walk().run(options);
  EXPECT_EQ(thinned.draws.draws(0), 10U);
  EXPECT_EQ(thinned.draws(0, 1, 2), one.draws(0, 5, 2)) << "the same chain, every third draw";
  EXPECT_GT(rhat(QuantityDraws(one.draws, 2)), 0.5) << "diagnostics take the draws";
  EXPECT_NE(one.table().find("ratio"), std::string::npos);
}

TEST(Cycle, TwoGradientKernels_HaveNoiseOfTheirOwn) {
  SgldOptions sgld;
  sgld.step_size = 0.1;
  const auto force = [](const char* name) {
    return [name](const Blocks& state, std::span<double> gradient) {
      gradient[0] = -state.number(name);
      return 0.0;
    };
  };
  Cycle cycle;
  cycle.block("x", 0.0).block("y", 0.0);
  cycle.gradient({"x"}, sgld, force("x")).gradient({"y"}, sgld, force("y"));
  const auto result = cycle.run(options_of(5, 1));
  for (std::size_t d = 0; d < 5; ++d) EXPECT_NE(result.draws(0, d, 0), result.draws(0, d, 1));
}

template <class Act>
std::string refusal(Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Cycle, Mistakes_AreTold) {
  const auto nothing = [](Blocks&, KernelRandom&) {};
  Cycle cycle;
  cycle.block("alpha", 1.0).block("beta", std::vector<double>{1, 2});
  EXPECT_EQ(refusal([&] { cycle.block("alpha", 2.0); }), "there are two blocks 'alpha'");
  EXPECT_EQ(refusal([&] { cycle.block("none", std::vector<double>{}); }),
            "block 'none' has no numbers; give the values it starts from");
  EXPECT_EQ(refusal([&] { cycle.gibbs({"alhpa"}, nothing); }),
            "kernel 'gibbs alhpa': there is no block 'alhpa'. Did you mean 'alpha'?");
  EXPECT_EQ(refusal([&] { cycle.gibbs({}, nothing); }), "kernel 'gibbs ' moves no block; name those it moves");
  EXPECT_EQ(refusal([&] { cycle.run(); }), "a cycle needs at least one block and one kernel");
  EXPECT_EQ(refusal([&] { cycle.random_walk("alpha", 0, [](const Blocks&) { return 0.0; }); }),
            "random_walk of 'alpha': scale is 0; it must be positive and finite");
  const auto with = [](const std::function<void(Blocks&, KernelRandom&)>& draw) {
    Cycle other;
    other.block("alpha", 1.0).block("beta", std::vector<double>{1, 2});
    other.gibbs({"alpha"}, draw);
    return refusal([&] { other.run(options_of(3, 1)); });
  };
  EXPECT_EQ(with([](Blocks& state, KernelRandom&) { state.write("beta")[0] = 1; }),
            "kernel 'gibbs alpha' writes block 'beta', which is not among those it moves. Add it to them");
  EXPECT_EQ(with([](Blocks& state, KernelRandom&) { state.set("alpha", state.number("beta")); }),
            "block 'beta' has 2 numbers; read them with state[\"beta\"]");
  EXPECT_EQ(with([](Blocks& state, KernelRandom&) { state.set("alpha", state["gamma"][0]); }),
            "kernel 'gibbs alpha': there is no block 'gamma'. There are: 'alpha', 'beta'.");
  EXPECT_EQ(with([](Blocks& state, KernelRandom&) { state.set("alpha", std::numeric_limits<double>::infinity()); }),
            "chain 1, iteration 1: kernel 'gibbs alpha' left alpha at a non-finite value. If it comes from a gradient, "
            "try a smaller step size");
  cycle.gibbs({"alpha"}, nothing).record("beta[2]", [](const Blocks&) { return 0.0; });
  EXPECT_EQ(refusal([&] { cycle.run(); }), "'beta[2]' is recorded twice; give it another name");
}

TEST(Cycle, MistakesOfGradientKernels_AreTold) {
  Cycle cycle;
  cycle.block("mean", 0.0).block("other", 0.0);
  const ConditionalGradient flat = [](const Blocks&, std::span<double> gradient) { return gradient[0] = 0.0; };
  EXPECT_EQ(
      refusal([&] { cycle.gradient({"mean"}, LaplaceOptions{}, flat); }),
      "kernel 'laplace mean': laplace cannot be part of a cycle; use sgld, sghmc, sgnht, psgld, nuts, hmc or mala");
  EXPECT_EQ(refusal([&] { cycle.gradient({"mean"}, NutsOptions{}, model_of_mean(1)); }),
            "kernel 'nuts mean': the model has a parameter 'precision', but there is no block of that name. Declare it "
            "before the kernel");
  cycle.block("precision", std::vector<double>{1, 1});
  EXPECT_EQ(refusal([&] { cycle.gradient({"mean"}, NutsOptions{}, model_of_mean(1)); }),
            "kernel 'nuts mean': block 'precision' has 2 numbers; the parameter of the model has 1");
  Cycle right;
  right.block("mean", 0.0).block("precision", 1.0).block("other", 0.0);
  EXPECT_EQ(refusal([&] { right.gradient({"other"}, NutsOptions{}, model_of_mean(1)); }),
            "kernel 'nuts other': block 'other' is not a parameter of the model");
  GradientOptions centred;
  centred.estimator = Estimator::control_variate;
  SgldOptions sgld;
  sgld.step_size = 0.1;
  EXPECT_EQ(refusal([&] { right.gradient({"mean"}, sgld, model_of_mean(1), centred); }),
            "kernel 'sgld mean': control variates have a centre for one conditional distribution; use full, minibatch, "
            "saga or "
            "svrg");
  Model below;  // y in (0, x)
  const Expression x = below.parameter("x", {}, Constraint::lower(0.0));
  const Expression y = below.parameter("y", {}, Constraint::interval(0.0, 2.0 * x));
  below.prior(-x - y);
  Cycle bounded;
  bounded.block("x", 1.0).block("y", 0.5);
  EXPECT_EQ(
      refusal([&] { bounded.gradient({"x"}, NutsOptions{}, below); }),
      "kernel 'nuts x': the bounds of 'y' depend on 'x', so that one cannot stay while the other moves. Move both "
      "in one kernel");
  bounded.gradient({"y"}, NutsOptions{}, below).gradient({"x", "y"}, NutsOptions{}, below);
  right.gibbs({"precision"}, [](Blocks& state, KernelRandom&) { state.set("precision", -1.0); });
  right.gradient({"mean"}, NutsOptions{}, model_of_mean(1));
  EXPECT_EQ(refusal([&] { right.run(options_of(2, 1)); }).substr(0, 96),
            "chain 1, iteration 1: kernel 'nuts mean': the blocks are outside the support of the model: initi");
}

}  // namespace
}  // namespace sgmcmc
