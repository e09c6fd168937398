// Every diagnostic against R's package posterior, on the sets of draws of fixtures/posterior.txt.
#include <sgmcmc/diagnose.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

struct Case {
  std::string name;
  QuantityDraws draws;
  std::map<std::string, double> expected;
};

/// "case NAME CHAINS DRAWS", one line of numbers per chain, then lines "diagnostic value".
std::vector<Case> read_cases() {
  std::ifstream file(std::filesystem::path(SGMCMC_TEST_DATA) / "diagnose" / "fixtures" / "posterior.txt");
  std::vector<Case> cases;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string word, number;
    words >> word;
    if (word != "case") {
      words >> number;
      cases.back().expected[word] = std::stod(number);
      continue;
    }
    std::size_t chains = 0, draws = 0;
    cases.emplace_back();
    words >> cases.back().name >> chains >> draws;
    for (std::size_t c = 0; c < chains; ++c) {
      std::getline(file, line);
      std::istringstream numbers(line);
      std::vector<double> values;
      while (numbers >> number) values.push_back(std::stod(number));
      EXPECT_EQ(values.size(), draws) << cases.back().name;
      cases.back().draws.chains.push_back(values);
    }
  }
  return cases;
}

double value_of(const std::string& what, const QuantityDraws& draws) {
  if (what == "rhat") return rhat(draws);
  if (what == "ess_bulk") return ess_bulk(draws);
  if (what == "ess_tail") return ess_tail(draws);
  if (what == "ess_mean") return ess_mean(draws);
  if (what == "ess_sd") return ess_sd(draws);
  if (what == "mcse_mean") return mcse_mean(draws);
  if (what == "mcse_sd") return mcse_sd(draws);
  if (what.starts_with("ess_q")) return ess_quantile(draws, std::stod(what.substr(5)));
  if (what.starts_with("mcse_q")) return mcse_quantile(draws, std::stod(what.substr(6)));
  const QuantitySummary summary = summarise(draws);
  if (what == "mean") return summary.mean;
  if (what == "sd") return summary.standard_deviation;
  if (what == "q0.05") return summary.q5;
  if (what == "q0.5") return summary.q50;
  if (what == "q0.95") return summary.q95;
  ADD_FAILURE() << "unknown diagnostic " << what;
  return 0.0;
}

bool agree(double ours, double theirs) {
  if (std::isnan(theirs)) return std::isnan(ours);
  if (std::isinf(theirs)) return ours == theirs;
  // Chains stuck at different values have no variance within: rounding makes their R-hat enormous, or infinite.
  if (theirs > 1e12) return ours > 1e12;
  return std::abs(ours - theirs) <= 1e-8 * std::abs(theirs) + 1e-300;
}

TEST(Diagnose, DrawsOfTheFixtures_GiveTheNumbersOfPosterior) {
  const auto cases = read_cases();
  ASSERT_GE(cases.size(), 50u);
  for (const Case& one : cases) {
    ASSERT_EQ(one.expected.size(), 18u) << one.name;
    for (const auto& [what, theirs] : one.expected) {
      const double ours = value_of(what, one.draws);
      EXPECT_TRUE(agree(ours, theirs)) << one.name << ", " << what << ": " << ours << " for " << theirs;
    }
  }
}

TEST(Diagnose, Summary_AgreesWithTheDiagnosticsOneByOne) {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (const Case& one : read_cases()) {
    const QuantitySummary summary = summarise(one.draws);
    EXPECT_TRUE(same(summary.rhat, rhat(one.draws))) << one.name;
    EXPECT_TRUE(same(summary.ess_bulk, ess_bulk(one.draws))) << one.name;
    EXPECT_TRUE(same(summary.ess_tail, ess_tail(one.draws))) << one.name;
    EXPECT_TRUE(same(summary.mcse_mean, mcse_mean(one.draws))) << one.name;
  }
}

TEST(Diagnose, Details_AgreeWithTheDiagnosticsOneByOne) {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (Case& one : read_cases())
    for (const bool weighted : {false, true}) {
      QuantityDraws& draws = one.draws;
      if (weighted)
        for (const auto& chain : draws.chains) {
          draws.weights.emplace_back();
          for (std::size_t k = 0; k < chain.size(); ++k)
            draws.weights.back().push_back(1.0 / (3.0 + static_cast<double>(k)));
        }
      const QuantityDetails details = details_of(draws);
      EXPECT_TRUE(same(details.mcse_sd, mcse_sd(draws))) << one.name;
      EXPECT_TRUE(same(details.mcse_q5, mcse_quantile(draws, 0.05))) << one.name;
      EXPECT_TRUE(same(details.mcse_q50, mcse_quantile(draws, 0.5))) << one.name;
      EXPECT_TRUE(same(details.mcse_q95, mcse_quantile(draws, 0.95))) << one.name;
      EXPECT_TRUE(same(details.ess_mean, ess_mean(draws))) << one.name;
      EXPECT_TRUE(same(details.ess_sd, ess_sd(draws))) << one.name;
      EXPECT_TRUE(same(details.integrated_autocorrelation_time, integrated_autocorrelation_time(draws))) << one.name;
    }
}

TEST(Diagnose, EqualWeights_GiveTheUnweightedNumbers) {
  for (const Case& one : read_cases()) {
    QuantityDraws weighted = one.draws;
    for (const auto& chain : weighted.chains) weighted.weights.emplace_back(chain.size(), 0.25);
    for (const auto& [what, theirs] : one.expected) {
      const double ours = value_of(what, weighted);
      EXPECT_TRUE(agree(ours, theirs)) << one.name << ", " << what << ": " << ours << " for " << theirs;
    }
  }
}

}  // namespace
}  // namespace sgmcmc
