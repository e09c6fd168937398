// A diverging chain is detected early and reported; a chain that starts far away is not mistaken for one.
#include "chains/divergence.hpp"

#include "run/models.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <regex>

namespace sgmcmc::testing {
namespace {

/// Keeps the draws of one chain.
class KeepingSink final : public DrawsSink {
 public:
  void begin(std::span<const std::string>, std::size_t, std::size_t) override {}
  void write(std::size_t, std::span<const double> draw, double) override {
    draws.emplace_back(draw.begin(), draw.end());
  }
  std::vector<Vector> draws;
};

enum class Target { gaussian, logistic, weak_prior, laplace_prior };

Model model_of(Target target) {
  static const LogisticData data(300, 5);
  if (target == Target::gaussian) return standard_normal(5);
  if (target != Target::laplace_prior) return logistic_regression(data, target == Target::logistic ? 1.0 : 10.0);
  Model model(data.dataset());
  const auto beta = model.parameter("beta", {5});
  model.prior(laplace_lpdf(beta, 0, 1));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  return model;
}

/// A step size that suits the sampler: posterior precisions are 1, or about 50.
double sane_step(Target target, const std::string& method) {
  if (method == "sgrld" || method == "hamcmc-cv" || method == "sglm-cv") return 0.3;  // in units of the posterior
  if (method == "psgld") return target == Target::gaussian ? 0.01 : 3e-4;
  return (target == Target::gaussian ? 1.0 : 0.02) * (method.rfind("sgld", 0) == 0 ? 0.3 : 0.05);
}

struct Case {
  Target target;
  std::string method;
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.method << " on target " << int(c.target); }
};

SampleOptions options_for(const Case& c, double step_factor) {
  SampleOptions options;
  options.method(c.method).step_size(step_factor * sane_step(c.target, c.method));
  if (c.target != Target::gaussian) options.gradient.minibatch.batch_size = 50;
  options.iterations = 500;
  options.threads = 1;
  options.recoveries = 0;
  return options;
}

class Runaway : public ::testing::TestWithParam<Case> {};

TEST_P(Runaway, StepTenThousandTimesTooLarge_IsCaughtWithinThirtyIterations) {
  auto options = options_for(GetParam(), 1e4);
  KeepingSink sink;
  options.sink = &sink;
  std::string text = "no complaint";
  try {
    sample(model_of(GetParam().target), options);
  } catch (const DivergenceError& error) {
    text = error.what();
  }
  std::smatch found;
  ASSERT_TRUE(std::regex_search(text, found, std::regex("diverged at iteration (\\d+):"))) << text;
  const auto iteration = std::stoul(found[1]);
  EXPECT_LE(iteration, GetParam().method == "hamcmc-cv" ? 90u
                       : GetParam().method == "psgld"   ? 200u
                                                        : 30u)
      << text;  // hamcmc runs three chains in turn; psgld shrinks its steps as gradients grow
  EXPECT_EQ(sink.draws.size(), iteration - 1) << "what came before is kept";
  for (const auto& draw : sink.draws)
    for (const double x : draw) EXPECT_TRUE(std::isfinite(x));
  const char* parameter = GetParam().target == Target::gaussian ? " x\\[\\d\\] " : " beta\\[\\d\\] ";
  EXPECT_TRUE(std::regex_search(text, std::regex(parameter))) << text;
  EXPECT_NE(text.find("Try a smaller step size"), std::string::npos) << text;
}

TEST_P(Runaway, StepTenThousandTimesTooLarge_RecoversOrStopsWithAdvice) {
  auto options = options_for(GetParam(), 1e4);
  options.recoveries = SampleOptions{}.recoveries;
  KeepingSink sink;
  options.sink = &sink;
  try {
    const auto result = sample(model_of(GetParam().target), options);
    EXPECT_FALSE(result.reductions.empty());
    EXPECT_EQ(sink.draws.size(), options.iterations);
    // The chain is back in the posterior: draws made while it diverged were dropped.
    for (std::size_t d = 0; d < 5; ++d) EXPECT_LT(result.draws.quantile(d, 0.95), 100.0);
  } catch (const DivergenceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("Try a smaller step size"), std::string::npos) << text;
    EXPECT_NE(text.find("taken back"), std::string::npos) << text;
  }
  for (const auto& draw : sink.draws)
    for (const double x : draw) ASSERT_TRUE(std::isfinite(x));
}

TEST_P(Runaway, SaneStep_IsLeftAlone) {
  EXPECT_NO_THROW(sample(model_of(GetParam().target), options_for(GetParam(), 1.0)));
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto target : {Target::gaussian, Target::logistic, Target::weak_prior, Target::laplace_prior})
    for (const char* method :
         {"sgld", "sghmc", "sgnht", "sgld-cv", "sghmc-saga", "psgld", "sgrld", "hamcmc-cv", "sglm-cv"})
      all.push_back({target, method});
  // With bounded gradients, persistent momentum overshoots far before it turns: the verdict detects that, not the
  // watch.
  all.push_back({Target::gaussian, "baoab"});
  return all;
}

std::string name_of(const Case& c) {
  const char* names[] = {"gaussian", "logistic", "weak_prior", "laplace_prior"};
  std::string method = c.method;
  std::replace(method.begin(), method.end(), '-', '_');
  return method + "_" + names[static_cast<int>(c.target)];
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, Runaway, ::testing::ValuesIn(cases()),
                         [](const auto& which) { return name_of(which.param); });

TEST(Divergence, StartAThousandStandardDeviationsAway_IsLeftAlone) {
  for (const char* method : {"sgld", "sghmc", "sgnht"}) {
    for (const double factor : {1.0, 0.1, 0.01}) {
      auto options = options_for({Target::gaussian, method}, factor);
      options.initial = {{"x", Vector(5, 1e3)}};
      // After such a start, the thermostat of sgnht raises the friction beyond the stability limit of its scheme,
      // unless steps are small.
      if (std::string(method) == "sgnht") options.step_size(1e-8 * factor);
      EXPECT_NO_THROW(sample(model_of(Target::gaussian), options)) << method << " with " << factor << " of the step";
    }
    auto options = options_for({Target::weak_prior, method}, 1.0);
    options.initial = {{"beta", Vector(5, 1e3 / std::sqrt(50.0))}};
    EXPECT_NO_THROW(sample(model_of(Target::weak_prior), options)) << method;
  }
}

TEST(Recovery, StepTooLarge_IsHalvedUntilItServesAndSaid) {
  auto options = options_for({Target::gaussian, "sgld"}, 1.0);
  options.recoveries = 20;
  options.step_size(10.0);  // unstable above 4
  options.iterations = 4000;
  options.chains = 2;
  const auto result = sample(standard_normal(5), options);
  ASSERT_EQ(result.reductions.size(), 4u) << "1/2 is not enough, 1/8 is, for both chains";
  for (const std::uint32_t chain : {0u, 1u}) {
    EXPECT_EQ(result.reductions[2 * chain].chain, chain);
    EXPECT_EQ(result.reductions[2 * chain].factor, 0.5);
    EXPECT_EQ(result.reductions[2 * chain + 1].factor, 0.125);
    EXPECT_EQ(result.reductions[2 * chain + 1].back_to, 0u);
    EXPECT_EQ(result.draws.draws(chain), 4000u);
  }
  EXPECT_TRUE(result.draws.equal_weights()) << "the draws of a chain are as good as those of another";
  // sgld with step 1.25 on a standard normal has variance 1 / (1 - 1.25 / 4). 8000 draws have an effective sample size
  // of about 1600: the standard error of an sd is 0.018, and the probability that any of five is off by more than 5
  // standard errors is below 1e-5.
  for (std::size_t d = 0; d < 5; ++d)
    EXPECT_NEAR(result.draws.standard_deviation(d), 1 / std::sqrt(1 - 1.25 / 4), 0.11);
}

TEST(Recovery, SameSeed_RepeatsExactlyWhateverTheThreads) {
  auto options = options_for({Target::weak_prior, "sghmc-saga"}, 1e3);
  options.recoveries = 20;
  options.chains = 2;
  const auto once = sample(model_of(Target::weak_prior), options);
  options.threads = 2;
  const auto again = sample(model_of(Target::weak_prior), options);
  ASSERT_FALSE(once.reductions.empty());
  for (std::size_t chain = 0; chain < 2; ++chain)
    for (std::size_t k = 0; k < options.iterations; ++k)
      for (std::size_t d = 0; d < 5; ++d) ASSERT_EQ(once.draws(chain, k, d), again.draws(chain, k, d));
}

TEST(Recovery, DivergenceInTheMiddle_DropsWhatWasMadeOnTheWayOut) {
  // Steps suit the region near 0 but are too large for the wall beyond 3: sooner or later the wall throws the chain
  // back.
  Model model;
  const auto x = model.parameter("x");
  model.prior(normal_lpdf(x, 0, 2) - exp(300 * (x - 3)));
  SampleOptions options;
  options.method("sgld").step_size(0.5);
  options.iterations = 3000;
  options.initial = {{"x", {0.0}}};
  KeepingSink sink;
  options.sink = &sink;
  const auto result = sample(model, options);
  ASSERT_FALSE(result.reductions.empty());
  EXPECT_GT(result.reductions.front().diverged_at, result.reductions.front().back_to);
  ASSERT_EQ(sink.draws.size(), 3000u);
  for (const auto& draw : sink.draws) EXPECT_LT(std::abs(draw[0]), 1e6);
}

/// A model, and a starting point where its gradient is non-finite.
Model model_without_gradient(SampleOptions& options) {
  Model model;
  const auto a = model.parameter("a"), b = model.parameter("b");
  model.prior(std_normal_lpdf(a) + log(b));
  options.method("sgld").step_size(1e-3);
  options.initial = {{"b", {0.0}}};
  return model;
}

TEST(Recovery, NothingHelps_EndsWithWhatWasTried) {
  SampleOptions options;
  const Model model = model_without_gradient(options);
  try {
    sample(model, options);
    FAIL() << "no complaint";
  } catch (const DivergenceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("iteration 1: the gradient for b is not finite"), std::string::npos) << text;
    EXPECT_NE(text.find("taken back 5 times, the last time with 3.05e-05 of the step size"), std::string::npos) << text;
  }
}

TEST(Divergence, WatchToldToWarnOnly_ChainGoesOnAndSaysSo) {
  auto options = options_for({Target::logistic, "sgld"}, 1e4);
  EXPECT_THROW(
      {
        Chain strict(model_of(Target::logistic), options);
        for (int t = 0; t < 100; ++t) strict.step();
      },
      DivergenceError);
  options.watch_divergence = false;
  Chain chain(model_of(Target::logistic), options);
  for (int t = 0; t < 100; ++t) ASSERT_TRUE(chain.step());
  EXPECT_EQ(chain.iteration(), 100u);
  EXPECT_NE(chain.warning().find("diverged at iteration"), std::string::npos) << chain.warning();
  auto sane = options_for({Target::logistic, "sgld"}, 1.0);
  sane.watch_divergence = false;
  Chain other(model_of(Target::logistic), sane);
  for (int t = 0; t < 100; ++t) other.step();
  EXPECT_TRUE(other.warning().empty()) << other.warning();
}

TEST(Divergence, StepSizesPerParameter_TheSmallOneGoneWrongIsNamed) {
  // Precisions 1 and 1e8: the second step size is ten thousand times too large, yet far smaller than the first.
  Model model;
  const auto a = model.parameter("a"), b = model.parameter("b");
  model.prior(normal_lpdf(a, 0, 1) + normal_lpdf(b, 0, 1e-4));
  SampleOptions options;
  options.method("sgld").step_size({0.3, 0.3e-4});
  options.recoveries = 0;
  options.initial = {{"a", {0.0}}, {"b", {0.0}}};
  try {
    sample(model, options);
    FAIL() << "no complaint";
  } catch (const DivergenceError& error) {
    EXPECT_NE(std::string(error.what()).find("parameter b is"), std::string::npos) << error.what();
  }
}

TEST(Divergence, FunctionThatOverflows_NeverReachesASink) {
  Model model;
  const auto x = model.parameter("x");
  model.prior(std_normal_lpdf(x));
  KeepingSink sink;
  SampleOptions options;
  options.method("sgld").step_size(0.5);
  options.functions = {{"huge", exp(500 * x)}};
  options.sink = &sink;
  try {
    sample(model, options);
    FAIL() << "no complaint";
  } catch (const DivergenceError& error) {
    EXPECT_NE(std::string(error.what()).find("huge"), std::string::npos) << error.what();
  }
  for (const auto& draw : sink.draws) EXPECT_TRUE(std::isfinite(draw[1]));
}

TEST(Divergence, OneChainOfSeveral_EndsTheRun) {
  auto options = options_for({Target::gaussian, "sgld"}, 1e4);
  options.iterations = 1'000'000'000'000;
  options.store_draws = false;
  options.chains = 3;
  options.threads = 2;
  EXPECT_THROW(sample(model_of(Target::gaussian), options), DivergenceError);
}

TEST(Divergence, GradientThatIsNotFinite_NamesTheParameter) {
  SampleOptions options;
  const Model model = model_without_gradient(options);
  try {
    sample(model, options);
    FAIL() << "no complaint";
  } catch (const DivergenceError& error) {
    EXPECT_NE(std::string(error.what()).find("iteration 1: the gradient for b is not finite"), std::string::npos)
        << error.what();
  }
}

// The divergence watch alone, given positions of one coordinate in units of the noise.
int seen_at(const std::function<double(int)>& position, int iterations, bool constant_step = true) {
  const Vector start{position(0)}, step{1.0};
  DivergenceWatch watch(start, step, 1.0, constant_step);
  std::size_t culprit = 9;
  for (int t = 1; t <= iterations; ++t) {
    const Vector now{position(t)};
    if (watch.sees(now, 1.0, culprit) != Divergence::none) {
      EXPECT_EQ(culprit, 0u);
      return t;
    }
  }
  return 0;
}

TEST(DivergenceWatch, ApproachesOfAllKinds_AreNotSeen) {
  EXPECT_EQ(seen_at([](int t) { return 1e6 * std::pow(0.9, t); }, 300), 0) << "straight";
  EXPECT_EQ(seen_at([](int t) { return 1e6 * std::pow(-0.9, t); }, 300), 0) << "from both sides";
  EXPECT_EQ(seen_at([](int t) { return std::max(0.0, 1e6 - 100.0 * t); }, 20'000), 0) << "at constant speed";
  EXPECT_EQ(seen_at([](int t) { return 1e5 * std::cos(0.02 * t) * std::exp(-0.002 * t); }, 5000), 0) << "in orbits";
  EXPECT_EQ(seen_at([](int t) { return 3.0 * std::sin(1.7 * t * t); }, 5000), 0) << "already there";
}

TEST(DivergenceWatch, GrowthAndOvershoot_AreSeen) {
  EXPECT_LE(seen_at([](int t) { return std::pow(-1e4, t); }, 300), 5);
  const int slow = seen_at([](int t) { return std::pow(-1.3, t); }, 300);
  EXPECT_GT(slow, 0);
  EXPECT_LE(slow, 60);
  const auto thrown = [](int t) { return t % 2 ? 200.0 : -180.0; };
  EXPECT_GT(seen_at(thrown, 300), 0);
  EXPECT_LE(seen_at(thrown, 300), 20);
  EXPECT_EQ(seen_at(thrown, 300, false), 0) << "a schedule may yet calm it";
}

}  // namespace
}  // namespace sgmcmc::testing
