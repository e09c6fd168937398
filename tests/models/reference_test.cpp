// NUTS on the models in models/ matches the means and standard deviations in models/reference/, within Monte Carlo
// error.
//
// References are closed forms or long runs of another program, with Monte Carlo errors of their own. A correct program
// fails one of these tests with probability 1e-4 (Bonferroni over all quantities of a model, two comparisons each).
#include "data/variables.hpp"
#include "stan/binding/model_file.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace sgmcmc::testing {
namespace {

namespace fs = std::filesystem;

constexpr double false_alarm_rate = 1e-4;

fs::path models() { return fs::path(SGMCMC_TEST_DATA).parent_path() / "models"; }

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(models() / "reference"))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

struct Moments {
  std::string name;
  double mean, sd, mcse_mean, mcse_sd;
};

std::vector<Moments> reference_of(const std::string& model) {
  std::ifstream file(models() / "reference" / (model + ".json"));
  const auto contents = nlohmann::json::parse(file);
  std::vector<Moments> moments;
  for (const auto& p : contents.at("parameters"))
    moments.push_back({p.at("name"), p.at("mean"), p.at("sd"), p.at("mcse_mean"), p.at("mcse_sd")});
  return moments;
}

stan::BoundModel bound_model(const std::string& name) {
  const std::string base = (models() / name).string();
  const auto text = stan::read_model(base + ".stan");
  const auto data = read_data({base + ".json"}, stan::declared_data(*text.program), nullptr);
  return {text.source, text.program, data, {}};
}

/// "tau", "theta[1]", "Omega[1,2]": the last index running fastest.
std::vector<std::string> element_names(const stan::OutputVariable& output) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < output.shape.size(); ++i) {
    std::string indices;
    std::int64_t rest = i;
    for (std::size_t axis = output.shape.rank(); axis-- > 0; rest /= output.shape[axis])
      indices = std::to_string(rest % output.shape[axis] + 1) + (indices.empty() ? "" : "," + indices);
    names.push_back(indices.empty() ? output.name : output.name + "[" + indices + "]");
  }
  return names;
}

/// Parameters, then transformed parameters and generated quantities.
MemoryDraws with_outputs(stan::BoundModel& bound, const SampleResult& result) {
  std::vector<std::string> names = result.names;
  for (const auto& output : bound.outputs())
    for (auto& name : element_names(output)) names.push_back(std::move(name));
  MemoryDraws draws;
  draws.begin(names, result.draws.chains(), result.draws.draws(0));
  std::vector<double> outputs(bound.output_size()), line;
  for (std::size_t chain = 0; chain < result.draws.chains(); ++chain)
    for (std::size_t k = 0; k < result.draws.draws(chain); ++k) {
      const auto values = result.draws.draw(chain, k);
      bound.evaluate_outputs(values, 1, static_cast<std::uint32_t>(chain), k, outputs);
      line.assign(values.begin(), values.end());
      line.insert(line.end(), outputs.begin(), outputs.end());
      draws.write(chain, line, 1.0);
    }
  return draws;
}

/// The largest difference in units of its Monte Carlo error, and of which quantity.
struct Difference {
  double worst = 0.0;
  std::string where;
  double most = 0.0;  ///< that a correct program may reach

  void add(double z, const std::string& of, double value, double expected) {
    if (!(std::abs(z) > worst)) return;
    worst = std::abs(z);
    where = of + " is " + std::to_string(value) + ", not " + std::to_string(expected);
  }
};

Difference difference(const MemoryDraws& draws, const std::vector<Moments>& reference) {
  Difference result;
  result.most = z_threshold(false_alarm_rate, 2 * reference.size());
  for (const auto& expected : reference) {
    const std::size_t at = draws.index_of(expected.name);
    const double mean = draws.mean(at), sd = draws.standard_deviation(at);
    if (expected.sd < 1e-9) {  // fixed by a constraint, up to rounding
      EXPECT_NEAR(mean, expected.mean, 1e-9) << expected.name;
      continue;
    }
    const QuantityDraws quantity(draws, at);
    const double mean_error = std::hypot(mcse_mean(quantity), expected.mcse_mean);
    const double sd_error = std::hypot(mcse_sd(quantity), expected.mcse_sd);
    EXPECT_TRUE(mean_error > 0.0 && sd_error > 0.0) << expected.name;
    result.add((mean - expected.mean) / mean_error, "mean of " + expected.name, mean, expected.mean);
    result.add((sd - expected.sd) / sd_error, "sd of " + expected.name, sd, expected.sd);
    EXPECT_LT(rhat(quantity), 1.02) << expected.name;
  }
  return result;
}

class Reference : public ::testing::TestWithParam<std::string> {};

TEST_P(Reference, MomentsByNuts_AgreeWithinMonteCarloError) {
  auto bound = bound_model(GetParam());
  const auto reference = reference_of(GetParam());
  ASSERT_FALSE(reference.empty());
  SampleOptions options;
  options.method("nuts");
  options.chains = 4;
  options.iterations = 2000;
  options.seed = 20;
  // Curved and funnel-shaped posteriors have tails that only short steps reach, and Monte Carlo errors are unreliable
  // with few effective draws.
  if (GetParam() == "banana" || GetParam() == "funnel_small") {
    options.iterations = 10'000;
    std::get<NutsOptions>(options.sampler).target_acceptance = 0.99;
  }
  const auto result = sample(bound.model(), options);
  const auto found = difference(with_outputs(bound, result), reference);
  EXPECT_LT(found.worst, found.most) << found.where;
  EXPECT_GT(found.worst, 0.0) << "something was compared";
  RecordProperty("worst_z", std::to_string(found.worst));
  RecordProperty("seconds", std::to_string(result.seconds));
}

TEST(ReferenceComparison, MomentsByAStepThatIsTooLarge_AreRejected) {
  auto bound = bound_model("logistic_regression");
  SampleOptions options;
  options.method("sgld-full").step_size(0.02);
  options.chains = 4;
  options.iterations = 20'000;
  options.warmup = 1000;
  const auto found =
      difference(with_outputs(bound, sample(bound.model(), options)), reference_of("logistic_regression"));
  EXPECT_GT(found.worst, found.most) << found.where;
}

INSTANTIATE_TEST_SUITE_P(Models, Reference, ::testing::ValuesIn(model_names()),
                         [](const auto& which) { return which.param; });

}  // namespace
}  // namespace sgmcmc::testing
