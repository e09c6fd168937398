// Means of combinations, over many repetitions: their errors are as large as their standard errors say.
//
// The root mean square of d x repetitions errors in standard errors is 1 with a standard deviation of at most
// 1 / sqrt(2 repetitions), if all coordinates err together: with 60 repetitions 0.7 to 1.4 is more than 3 of them.
// Seeds are fixed.
#include "combine/shared_error.hpp"
#include "combine/normal_parts.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sgmcmc {
namespace {

using namespace combine_test;

constexpr std::size_t chains = 2;

/// Draws with autocorrelation `carry`, in chains.
PartDraws correlated_draws(const NormalLaw& law, std::size_t draws, double carry, std::uint64_t seed) {
  PartDraws made = draws_of({Eigen::VectorXd::Zero(law.mean.size()), law.covariance}, chains, draws, seed);
  const auto d = static_cast<std::size_t>(law.mean.size());
  for (auto& chain : made.chains) {
    for (std::size_t k = d; k < chain.size(); ++k)
      chain[k] = carry * chain[k - d] + std::sqrt(1 - carry * carry) * chain[k];
    for (std::size_t k = 0; k < chain.size(); ++k) chain[k] += law.mean[static_cast<Eigen::Index>(k % d)];
  }
  return made;
}

MemoryDraws memory_of(const CombinedDraws& combined, std::size_t d) {
  MemoryDraws memory;
  std::vector<std::string> names(d, "x");
  const std::size_t count = combined.chains.front().size() / d;
  memory.begin(names, combined.chains.size(), count);
  for (std::size_t chain = 0; chain < combined.chains.size(); ++chain)
    for (std::size_t t = 0; t < count; ++t)
      memory.write(chain, std::span(combined.chains[chain]).subspan(t * d, d), 1.0);
  return memory;
}

struct Scores {
  double with = 0, without = 0;  ///< root mean squares of errors in standard errors
};

struct Case {
  std::size_t parts = 7, dimension = 3, draws = 1000, asked = 0;
  double carry = 0;
  double apart = 1;  ///< differences of the parts' means, relative to normal_laws()
  std::size_t repetitions = 60;
};

Scores scores_of(CombineMethod method, const Case& of) {
  Scores sums;
  for (std::size_t seed = 0; seed < of.repetitions; ++seed) {
    auto laws = normal_laws(of.parts, of.dimension, 1 + seed);
    for (auto& law : laws) law.mean *= of.apart;
    std::vector<PartDraws> given;
    for (std::size_t s = 0; s < laws.size(); ++s)
      given.push_back(correlated_draws(laws[s], of.draws, of.carry, 1 + s + 50 * seed));
    CombineOptions options;
    options.method = method;
    options.seed = seed + 1;
    options.draws = of.asked;
    const auto made = combine_draws(of.dimension, given, options);
    const auto memory = memory_of(made, of.dimension);
    const auto ratios = shared_error_ratios(made, of.dimension, memory);
    const NormalLaw target = product(laws);
    for (std::size_t k = 0; k < of.dimension; ++k) {
      const double error = memory.mean(k) - target.mean[static_cast<Eigen::Index>(k)];
      const double own = mcse_mean(QuantityDraws(memory, k)), sd = memory.standard_deviation(k);
      sums.without += error * error / (own * own);
      sums.with += error * error / (own * own + ratios[k] * sd * sd);
    }
  }
  const auto count = static_cast<double>(of.repetitions * of.dimension);
  return {std::sqrt(sums.with / count), std::sqrt(sums.without / count)};
}

bool has_kernels(CombineMethod method) {
  return method == CombineMethod::semiparametric || method == CombineMethod::weierstrass;
}

class SharedError : public ::testing::TestWithParam<CombineMethod> {};

TEST_P(SharedError, MeansOfNormalParts_ErrAsMuchAsTheirStandardErrors) {
  std::vector<Case> cases = {{.draws = 100, .apart = 2}};
  if (!has_kernels(GetParam()))  // which are slower
    cases.insert(cases.end(), {{}, {.carry = 0.8}, {.parts = 3, .apart = 3}, {.draws = 250, .asked = 250}});
  if (GetParam() == CombineMethod::parametric) cases.push_back({.draws = 200, .asked = 2000});
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Scores found = scores_of(GetParam(), cases[k]);
    EXPECT_GT(found.with, 0.7) << k;
    EXPECT_LT(found.with, 1.4) << k;
    if (k > 0) continue;
    EXPECT_GT(found.without, 1.5);  // planted error: what the draws alone show
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, SharedError,
                         ::testing::Values(CombineMethod::consensus, CombineMethod::parametric, CombineMethod::swiss,
                                           CombineMethod::semiparametric, CombineMethod::weierstrass),
                         [](const auto& each) { return std::string(combine_method_name(each.param)); });

TEST(SharedErrorOfOnePart, DrawsThatAreKept_ShowIt) {
  const auto given = draws_of(normal_laws(1, 2), 2, 500);
  for (const auto method : {CombineMethod::consensus, CombineMethod::swiss, CombineMethod::barycentre,
                            CombineMethod::weierstrass, CombineMethod::parametric}) {
    CombineOptions options;
    options.method = method;
    const auto made = combine_draws(2, given, options);
    const bool shared =
        std::any_of(made.shared_error.begin(), made.shared_error.end(), [](double x) { return x != 0; });
    EXPECT_EQ(shared, method == CombineMethod::parametric) << combine_method_name(method);
    double apart = 0;
    for (std::size_t k = 0; k < given[0].chains[0].size(); ++k)
      apart = std::max(apart, std::abs(made.chains[0][k] - given[0].chains[0][k]));
    EXPECT_EQ(apart < 0.1, method != CombineMethod::parametric) << combine_method_name(method) << " " << apart;
  }
}

TEST(SharedErrorRatios, Functions_AreReachedByTheErrorOfWhatTheyDependOn) {
  const auto laws = normal_laws(4, 2);
  const auto made = combine_draws(2, draws_of(laws, 2, 500), {});
  MemoryDraws variables;
  const std::vector<std::string> names = {"first", "second", "twice", "constant", "unrelated"};
  variables.begin(names, 2, 500);
  const Eigen::MatrixXd noise = standard_normal(77, 1, 1000);
  for (std::size_t chain = 0; chain < 2; ++chain)
    for (std::size_t t = 0; t < 500; ++t) {
      const double *x = made.chains[chain].data() + 2 * t, other = noise(0, static_cast<Eigen::Index>(500 * chain + t));
      variables.write(chain, std::array{x[0], x[1], 1 + 2 * x[1], 3.0, other}, 1.0);
    }
  const auto ratios = shared_error_ratios(made, 2, variables);
  const double of_first = made.shared_error[0] * made.shared_error[0] + made.shared_error[1] * made.shared_error[1];
  const double sd = variables.standard_deviation(0);
  EXPECT_NEAR(ratios[0], of_first / (sd * sd), 1e-9 * ratios[0]);
  EXPECT_NEAR(ratios[2], ratios[1], 1e-9 * ratios[1]);
  EXPECT_EQ(ratios[3], 0);
  EXPECT_LT(ratios[4], 0.05 * std::max(ratios[0], ratios[1]));
}

}  // namespace
}  // namespace sgmcmc
