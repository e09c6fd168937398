// Runs on hierarchical models: the distribution of the draws, the default method, and models without a mode.
#include "groups/group_models.hpp"
#include "groups/group_target.hpp"
#include "groups/split_groups.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>
#include <sgmcmc/tuning.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace sgmcmc::testing {
namespace {

constexpr std::int64_t groups = 60;

const GroupData& data() {
  static const GroupData made(groups, 600, 11);
  return made;
}

/// The posterior of gaussian_intercepts() by summation over a grid of log tau; given tau, mu is normal.
struct Exact {
  double mu = 0, mu_sd = 0, tau = 0, tau_sd = 0, theta = 0, theta_sd = 0;  // theta: of the first group

  Exact() {
    std::vector<double> n(groups, 0.0), mean(groups, 0.0);
    for (std::size_t i = 0; i < data().y.size(); ++i) {
      const auto j = static_cast<std::size_t>(data().group[i] - 1);
      n[j] += 1;
      mean[j] += data().y[i];
    }
    for (std::size_t j = 0; j < n.size(); ++j) mean[j] /= n[j];
    double total = 0, mu2 = 0, tau2 = 0, theta2 = 0;
    for (double x = -5; x < 2; x += 0.005) {
      const double t = std::exp(x);
      double precision = 0.25, weighted = 0, log_density = x - std::log1p(t * t);
      for (std::size_t j = 0; j < n.size(); ++j) {
        const double w = 1.0 / (t * t + 1.0 / n[j]);
        precision += w;
        weighted += w * mean[j];
        log_density += 0.5 * std::log(w) - 0.5 * w * mean[j] * mean[j];
      }
      const double m = weighted / precision;
      log_density += 0.5 * m * m * precision - 0.5 * std::log(precision);
      const double p = std::exp(log_density);
      const double shrink = n[0] / (n[0] + 1.0 / (t * t)), local = shrink * mean[0] + (1 - shrink) * m;
      total += p;
      mu += p * m;
      mu2 += p * (m * m + 1 / precision);
      tau += p * t;
      tau2 += p * t * t;
      theta += p * local;
      theta2 += p * (local * local + 1 / (n[0] + 1.0 / (t * t)) + (1 - shrink) * (1 - shrink) / precision);
    }
    mu /= total, tau /= total, theta /= total;
    mu_sd = std::sqrt(mu2 / total - mu * mu);
    tau_sd = std::sqrt(tau2 / total - tau * tau);
    theta_sd = std::sqrt(theta2 / total - theta * theta);
  }
};

/// The largest deviation of a mean or an sd, in Monte Carlo errors.
double worst_z(const SampleResult& result, const Exact& exact, bool centred) {
  double worst = 0;
  const auto look = [&](const std::string& name, double mean, double sd) {
    std::size_t column = 0;
    while (result.names[column] != name) ++column;
    const QuantityDraws draws(result.draws, column);
    const QuantitySummary summary = summarise(draws);
    worst = std::max(worst, std::abs(summary.mean - mean) / summary.mcse_mean);
    // The discretisation of sglm changes the sd by about 1 %.
    worst = std::max(worst, std::abs(std::log(summary.standard_deviation / sd)) / (mcse_sd(draws) / sd + 0.005));
  };
  look("mu", exact.mu, exact.mu_sd);
  look("tau", exact.tau, exact.tau_sd);
  if (centred) look("theta[1]", exact.theta, exact.theta_sd);
  return worst;
}

SampleOptions options_for(const std::string& method, std::uint64_t iterations) {
  SampleOptions options;
  options.method(method);
  options.iterations = iterations;
  options.warmup = 200;
  options.chains = 2;
  options.seed = 3;
  return options;
}

TEST(MarginalNuts, DrawsHaveTheExactLaw) {
  // False-alarm rate: 4e-5 that any of six numbers is off by more than 4.5 Monte Carlo errors.
  const Exact exact;
  for (const bool centred : {true, false}) {
    const auto result = sample(gaussian_intercepts(data(), groups, centred), options_for("marginal-nuts", 2000));
    EXPECT_LT(worst_z(result, exact, centred), 4.5) << centred;
  }
}

TEST(MarginalNuts, StartsWithoutFiniteDensity_AreMovedInside) {
  auto options = options_for("marginal-nuts", 2);
  options.warmup = 0;
  options.initial = {{"tau", {1e-300}}};  // its square is zero
  EXPECT_NO_THROW(sample(gaussian_intercepts(data(), groups, true), options));
}

TEST(MarginalMetropolis, DrawsHaveTheExactLaw) {
  const Exact exact;
  for (const bool centred : {true, false}) {
    const auto result =
        sample(gaussian_intercepts(data(), groups, centred), options_for("marginal-metropolis", 10'000));
    EXPECT_LT(worst_z(result, exact, centred), 4.5) << centred;
  }
}

TEST(MarginalMetropolis, TheNormalLawThatProposalsComeFrom_IsNotThePosterior) {
  // Draws without the correction must be distinguishable from the exact distribution.
  const Exact exact;
  const Model model = gaussian_intercepts(data(), groups, true);
  std::map<std::string, std::vector<double>> findings;
  auto target =
      std::make_shared<GroupTarget>(*make_group_target(model, *find_groups(model).model, {}, nullptr, findings));
  auto map = std::make_shared<Preconditioner>(*target->map);
  for (double& x : map->factor) x *= 1.2;  // a wider proposal, which the correction makes up for
  target->map = map;
  auto options = options_for("marginal-metropolis", 10'000);
  std::get<MarginalMetropolisOptions>(options.sampler).target = target;
  EXPECT_LT(worst_z(sample(model, options), exact, true), 4.5);

  std::vector<double> z(2), log_tau;
  for (std::uint64_t k = 0; k < 4000; ++k) {
    fill_normal({9, 0, k, Purpose::user}, z);
    log_tau.push_back(target->mode[1] + map->factor[1] * z[0] + map->factor[3] * z[1]);
  }
  double mean = 0, square = 0;
  for (const double x : log_tau) {
    mean += std::exp(x) / 4000;
    square += std::exp(2 * x) / 4000;
  }
  const double sd = std::sqrt(square - mean * mean);
  EXPECT_GT(std::abs(sd / exact.tau_sd - 1), 0.1);
}

TEST(MarginalSglm, DrawsHaveTheExactLaw) {
  const Exact exact;
  auto options = options_for("marginal-sglm", 20'000);
  options.step_size(0.1);
  const auto result = sample(gaussian_intercepts(data(), groups, true), options);
  EXPECT_LT(worst_z(result, exact, true), 4.5);
}

TEST(MarginalSglm, AGroupMissingFromTheSumAtTheMode_IsNoticed) {
  const Exact exact;
  auto options = options_for("marginal-sglm", 20'000);
  options.step_size(0.1);
  const Model model = gaussian_intercepts(data(), groups, true);
  std::map<std::string, std::vector<double>> findings;
  MarginalSearch search;
  search.minibatches = true;
  auto target =
      std::make_shared<GroupTarget>(*make_group_target(model, *find_groups(model).model, search, nullptr, findings));
  std::size_t missing = 0;
  const auto& each = target->group_gradients;  // mu, tau
  for (std::size_t j = 0; j < groups; ++j)
    if (std::abs(each[2 * j]) > std::abs(each[2 * missing])) missing = j;
  for (std::size_t c = 0; c < 2; ++c) target->centre_gradient[c] -= each[2 * missing + c];
  std::get<MarginalSglmOptions>(options.sampler).target = target;
  EXPECT_GT(worst_z(sample(model, options), exact, true), 4.5);
}

TEST(MarginalSglm, SplitGroups_HaveTheExactLawUnlessTheirNoiseIsForgotten) {
  const Exact exact;
  const Model model = gaussian_intercepts(data(), groups, false);
  std::map<std::string, std::vector<double>> findings;
  MarginalSearch search;
  search.minibatches = true;
  const auto split = split_groups(model, *find_groups(model).model, {18, 4, 60});
  ASSERT_GT(split.splits.size(), 5U);
  auto options = options_for("marginal-sglm", 20'000);
  options.step_size(0.1);
  auto& sglm = std::get<MarginalSglmOptions>(options.sampler);
  sglm.target = make_group_target(model, split, search, nullptr, findings);
  EXPECT_LT(worst_z(sample(model, options), exact, false), 4.5);
  sglm.groups_per_step = 1;  // as if a piece of a group had no more noise than the whole group
  EXPECT_GT(worst_z(sample(model, options), exact, false), 4.5);
}

TEST(Hierarchical, DefaultTakesTheMarginalSamplerAndItsDrawsAreTrusted) {
  const Model model = gaussian_intercepts(data(), groups, true);
  SampleOptions options;
  options.method("auto");
  options.chains = 2;
  const auto tuned = tune(model, options);
  EXPECT_EQ(sampler_name(tuned.options.sampler), "marginal-nuts");
  EXPECT_NE(tuned.report.why.find("theta, of 60 groups, is integrated out"), std::string::npos) << tuned.report.why;
  const auto result = sample(model, tuned.options);
  const auto report = diagnose_bias(model, tuned.options, result.draws);
  EXPECT_EQ(report.verdict.trust, Trust::trust);
  EXPECT_EQ(report.coordinates.size(), 2u);  // mu and tau
}

TEST(Hierarchical, DrawsThatAreTooWide_AreNotTrusted) {
  const Model model = gaussian_intercepts(data(), groups, true);
  auto options = options_for("marginal-nuts", 1000);
  const auto result = sample(model, options);
  MemoryDraws wrong;
  wrong.begin(result.names, 2, 1000);
  std::vector<double> line;
  for (std::size_t chain = 0; chain < 2; ++chain)
    for (std::size_t draw = 0; draw < result.draws.draws(chain); ++draw) {
      const auto values = result.draws.draw(chain, draw);
      line.assign(values.begin(), values.end());
      line[0] = result.mean("mu") + 1.4 * (line[0] - result.mean("mu"));
      wrong.write(chain, line, 1.0);
    }
  EXPECT_NE(diagnose_bias(model, options, wrong).verdict.trust, Trust::trust);
}

TEST(Hierarchical, ChosenGroups_AreTheOnlyOnesKept) {
  const Model model = gaussian_intercepts(data(), groups, true);
  auto options = options_for("marginal-nuts", 50);
  options.groups = "2:3,60";
  EXPECT_EQ(sample(model, options).names, (std::vector<std::string>{"mu", "tau", "theta[2]", "theta[3]", "theta[60]"}));
  options.groups = "none";
  EXPECT_EQ(sample(model, options).names, (std::vector<std::string>{"mu", "tau"}));
  for (const char* wrong : {"0:3", "61", "3:2", "x", "1,,2", "1:"}) {
    options.groups = wrong;
    EXPECT_THROW(sample(model, options), OptionError) << wrong;
  }
}

TEST(Hierarchical, ChosenGroups_DoNotChangeTheDrawsOfOthers) {
  const Model model = gaussian_intercepts(data(), groups, true);
  auto options = options_for("marginal-nuts", 50);
  const auto all = sample(model, options);
  options.groups = "7";
  const auto one = sample(model, options);
  for (std::size_t draw = 0; draw < 50; ++draw) EXPECT_EQ(all.draws(0, draw, 8), one.draws(0, draw, 2));
}

TEST(Hierarchical, SavedChains_ContinueBitForBit) {
  const Model model = logistic_effects(data(), groups, false);
  for (const char* method : {"marginal-nuts", "marginal-metropolis", "marginal-sglm"}) {
    const auto options = options_for(method, 100);
    const auto go_on = [](Chain& chain) {
      std::vector<double> seen;
      for (int i = 0; i < 20; ++i) {
        chain.step();
        const auto values = chain.values();
        seen.insert(seen.end(), values.begin(), values.end());
      }
      return seen;
    };
    Chain chain(model, options, 1);
    go_on(chain);
    const std::string state = chain.save();
    const auto expected = go_on(chain);
    Chain resumed(model, options, 1);
    resumed.restore(state);
    EXPECT_EQ(go_on(resumed), expected) << method;
  }
}

TEST(Hierarchical, FindingsFromBefore_GiveTheSameDraws) {
  const Model model = logistic_effects(data(), groups, false);
  for (const char* method : {"marginal-nuts", "marginal-metropolis", "marginal-sglm"}) {
    auto options = options_for(method, 30);
    std::map<std::string, std::vector<double>> findings;
    MarginalSearch search;
    search.seed = options.seed;
    search.minibatches = std::string(method) == "marginal-sglm";
    ThreadPool pool(0);
    make_group_target(model, *find_groups(model).model, search, &pool, findings);
    const auto first = sample(model, options);
    options.findings = findings;
    const auto again = sample(model, options);
    for (std::size_t draw = 0; draw < 30; ++draw)
      for (std::size_t k = 0; k < first.names.size(); ++k)
        ASSERT_EQ(first.draws(1, draw, k), again.draws(1, draw, k)) << method;
  }
}

TEST(Hierarchical, ModelsWithoutGroups_AreRefusedByNameWithTheReason) {
  Model model(data().dataset());
  const auto theta = model.parameter("theta", {groups});
  model.prior(normal_lpdf(slice(theta, 1, groups - 1), slice(theta, 0, groups - 1), 1.0));
  model.likelihood(normal_lpdf(model.row("y"), gather(theta, model.row("g"), 1), 1.0));
  try {
    sample(model, options_for("marginal-nuts", 10));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("ties elements of 'theta'"), std::string::npos) << error.what();
  }
}

TEST(DegenerateMode, OfACentredModel_IsTold) {
  const Model model = gaussian_intercepts(data(), groups, true);
  const auto mode = find_mode(model);
  EXPECT_FALSE(mode.report.converged());
  EXPECT_EQ(mode.report.reason, StopReason::degenerate);
  EXPECT_NE(mode.report.describe().find("there is no mode"), std::string::npos) << mode.report.describe();
  auto options = options_for("sglm-cv", 100);
  EXPECT_THROW(sample(model, options), ModelError);
}

TEST(DegenerateMode, WhereTheClimbIsInterruptedByRounding_IsTold) {
  for (const auto& [number, seed] : {std::pair<std::int64_t, std::uint64_t>{5, 11}, {20, 4}}) {
    const Model model = gaussian_intercepts(GroupData(number, 10 * number, seed), number, true);
    const auto mode = find_mode(model);
    EXPECT_EQ(mode.report.reason, StopReason::degenerate) << mode.report.describe();
  }
}

TEST(DegenerateMode, OfManyRowsInTinyOrLargeUnits_IsNotClaimed) {
  for (const double unit : {1e-8, 1.0, 1e6}) {
    std::vector<double> y(5000);
    fill_normal({3, 0, 0, Purpose::data}, y);
    for (double& value : y) value = unit * (3.0 + value);
    Model model(Dataset::Builder().real("y", y).build());
    const auto mean = model.parameter("mean");
    const auto sd = model.parameter("sd", {}, Constraint::lower(0.0));
    model.likelihood(normal_lpdf(model.row("y"), unit * mean, unit * sd));
    EXPECT_TRUE(find_mode(model).report.converged()) << unit;
  }
}

}  // namespace
}  // namespace sgmcmc::testing
