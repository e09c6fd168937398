// The summary as a table and as JSON: every character of small ones, and the limits of large ones.
#include "report/summary_table.hpp"
#include "draws/folders.hpp"
#include "draws/stan_csv.hpp"
#include "errors/message_of.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::size_t longest = 0;
  while (std::getline(lines, line)) longest = std::max(longest, line.size());
  return longest;
}

const std::vector<SummaryRow> examples = {
    {"beta[1]", {-0.98765432, 0.12345678, -1.1912, -0.98712, -0.7843, 0.0023456, 2769.7, 3120.2, 1.00049}},
    {"sigma", {12345.678, 234.5678, 11960.1, 12345.6, 12731.4, 12.3456, 361.5, 402.4, 1.0213}},
    {"tiny", {1.234567e-7, 1e-8, 1e-7, 1.2e-7, 1.4e-7, 1.1e-10, 8000.0, 7990.0, 0.9999}},
    {"huge", {-2.5e12, 1e10, -3e12, -2.5e12, -2e12, 2e8, 2500.0, 100.0, 25.123}},
    {"fixed", {1.5, 0.0, 1.5, 1.5, 1.5, nan, nan, nan, nan}},
    {"broken", {infinity, nan, -infinity, 0.25, infinity, nan, 31.0, nan, infinity}}};

TEST(SummaryTable, Examples_AreLaidOutByTheirErrors) {
  EXPECT_EQ(summary_table(examples),
            "name       mean    mcse      sd      5%     50%     95% ess_bulk ess_tail  rhat\n"
            "beta[1]  -0.988  0.0023   0.123  -1.191  -0.987  -0.784     2770     3120 1.000\n"
            "sigma     12346      12     235   11960   12346   12731      362      402 1.021\n"
            "tiny    1.23e-7 1.1e-10 1.00e-8 1.00e-7 1.20e-7 1.40e-7     8000     7990 1.000\n"
            "huge    -2.5e12   2.0e8 1.00e10 -3.0e12 -2.5e12 -2.0e12     2500      100  25.1\n"
            "fixed     1.500       -   0.000   1.500   1.500   1.500        -        -     -\n"
            "broken      inf       -       -    -inf   0.250     inf       31        -   inf\n");
}

TEST(SummaryTable, ManyParameters_ShowScalarsThenTheWorst) {
  const auto row = [](const std::string& name, double rhat, double ess) {
    return SummaryRow{name, {1.0, 1.0, 0.0, 1.0, 2.0, 0.01, ess, ess, rhat}};
  };
  const std::vector<SummaryRow> rows = {row("x[1]", 1.001, 900), row("x[2]", 1.2, 30),   row("x[3]", nan, nan),
                                        row("x[4]", 1.2, 20),    row("tau", 1.0, 1000),  row("y[1]", infinity, 2),
                                        row("y[2]", nan, nan),   row("mu", 1.0004, 2000)};
  SummaryTableOptions options;
  options.columns = {"ess_bulk", "rhat"};
  options.most_rows = 5;
  options.how_to_see_all = "--all shows them";
  EXPECT_EQ(summary_table(rows, options),
            "name ess_bulk  rhat\n"
            "tau      1000 1.000\n"
            "mu       2000 1.000\n"
            "y[1]        2   inf\n"
            "x[4]       20 1.200\n"
            "x[2]       30 1.200\n"
            "... and 3 more of 8, none with a larger rhat; --all shows them\n");
  options.most_rows = 1;
  EXPECT_TRUE(summary_table(rows, options).ends_with("\ntau      1000 1.000\n... and 7 more of 8; --all shows them\n"));
  options.most_rows = 8;
  EXPECT_TRUE(summary_table(rows, options).starts_with("name ess_bulk  rhat\nx[1]      900 1.001\nx[2]"));
}

TEST(SummaryTable, ManyParameters_AreCutAndCounted) {
  std::vector<SummaryRow> rows;
  for (int k = 1; k <= 1000; ++k) rows.push_back({"x[" + std::to_string(k) + "]", examples[0].summary});
  const std::string table = summary_table(rows, {80, 10});
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 12);
  EXPECT_TRUE(table.ends_with("\n... and 990 more of 1000, none with a larger rhat\n")) << table;
  const std::string whole = summary_table(rows, {80, 0});
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 1001);
  EXPECT_EQ(summary_table({}), "name mean mcse sd 5% 50% 95% ess_bulk ess_tail rhat\n");
}

TEST(SummaryTable, Lines_FitTheTerminalWhereNamesAllow) {
  for (double scale = 1e-9; scale < 1e10; scale *= 10.0)
    for (const double precision : {1e-7, 1e-3, 0.1}) {
      const QuantitySummary s{-7.654321 * scale,
                              scale,
                              -9.87654321 * scale,
                              -7.6543 * scale,
                              -5.4321 * scale,
                              scale * precision,
                              1.23456 / precision,
                              1e5,
                              1.001};
      EXPECT_LE(longest_line(summary_table({{"beta[1]", s}})), 80u) << scale << ' ' << precision;
    }
  EXPECT_LE(longest_line(summary_table({{"beta[1]", examples[0].summary}, {"b", examples[1].summary}})), 80u);
  const std::string name(60, 'n');
  EXPECT_GT(longest_line(summary_table({{name, examples[0].summary}})), 80u) << "a long name is not cut";
}

TEST(SummaryTable, NamesBeyondAscii_AreAligned) {
  const std::string table = summary_table({{"\xCE\xB2", examples[0].summary}, {"bb", examples[0].summary}});
  std::istringstream lines(table);
  std::string header, greek, latin;
  std::getline(lines, header);
  std::getline(lines, greek);
  std::getline(lines, latin);
  EXPECT_EQ(greek.size(), latin.size() + 1) << table;
}

TEST(SummaryTable, OtherColumns_StandInTheOrderAskedFor) {
  SummaryRow row = examples[0];
  row.details = {0.00171, 0.0045, 0.0031, 0.0052, 2770.4, 1900.6, 1.4441};
  row.autocorrelation_time_per_computation = 0.000123456;
  SummaryTableOptions options;
  options.columns = {"sd", "mcse_sd", "mean", "ess_sd", "iat", "atuc", "mcse_q95"};
  EXPECT_EQ(summary_table({row}, options),
            "name       sd mcse_sd   mean ess_sd  iat    atuc mcse_95%\n"
            "beta[1] 0.123  0.0017 -0.988   1901 1.44 1.23e-4   0.0052\n");
  options.columns = {"iat"};
  EXPECT_EQ(summary_table({examples[0]}, options), "name    iat\nbeta[1]   -\n") << "without details";
  options.columns = {"iaat"};
  EXPECT_EQ(testing::message_of<OptionError>([&] { summary_table({row}, options); }),
            "there is no column 'iaat'. Did you mean 'iat'?");
  EXPECT_EQ(usual_summary_columns().size(), 9u);
  EXPECT_FALSE(summary_column_needs_details("rhat"));
  EXPECT_TRUE(summary_column_needs_details("atuc"));
}

TEST(SummaryJson, Details_FollowTheOthers) {
  SummaryRow row{"x", {0.1, 1.0, -1.5, 0.125, 2.0, 1e-3, 1000.0, 900.5, 1.001}};
  row.details = {0.25, 0.5, 0.75, 1.25, 100.0, 50.0, 40.0};
  row.autocorrelation_time_per_computation = 0.5;
  EXPECT_EQ(
      summary_json({row}),
      "{\"parameters\": [\n"
      "  {\"name\": \"x\", \"mean\": 0.1, \"sd\": 1, \"mcse_mean\": 0.001, \"q5\": -1.5, \"q50\": 0.125, "
      "\"q95\": 2, \"ess_bulk\": 1000, \"ess_tail\": 900.5, \"rhat\": 1.001, \"mcse_sd\": 0.25, \"mcse_q5\": 0.5, "
      "\"mcse_q50\": 0.75, \"mcse_q95\": 1.25, \"ess_mean\": 100, \"ess_sd\": 50, \"iat\": 40, \"atuc\": 0.5}\n"
      "]}\n");
}

TEST(SummaryJson, ZeroVarianceEstimates_ComeLast) {
  SummaryRow row{"x", {0.1, 1.0, -1.5, 0.125, 2.0, 1e-3, 1000.0, 900.5, 1.001}};
  row.zero_variance = {0.125, 0.015625, 4.0};
  EXPECT_NE(summary_json({row}).find("\"rhat\": 1.001, \"mean_zv\": 0.125, \"mcse_zv\": 0.015625, \"gain_zv\": 4}"),
            std::string::npos);
  SummaryTableOptions options;
  options.columns = zero_variance_columns();
  EXPECT_EQ(summary_table({row}, options),
            "name mean (zv) mcse (zv) gain (zv)\n"
            "x         0.12     0.016      4.00\n");
}

TEST(SummaryJson, Rows_AreWrittenExactlyAndNullWhereUnknown) {
  EXPECT_EQ(
      summary_json({{"beta[1]", {0.1, 1.0 / 3.0, -1.5, 0.125, 2.0, 1e-3, 1000.0, 900.5, 1.001}},
                    {"a \"b\"\\", {1.5, 0.0, 1.5, 1.5, infinity, nan, nan, nan, nan}}}),
      "{\"parameters\": [\n"
      "  {\"name\": \"beta[1]\", \"mean\": 0.1, \"sd\": 0.3333333333333333, \"mcse_mean\": 0.001, \"q5\": -1.5, "
      "\"q50\": 0.125, \"q95\": 2, \"ess_bulk\": 1000, \"ess_tail\": 900.5, \"rhat\": 1.001},\n"
      "  {\"name\": \"a \\\"b\\\"\\\\\", \"mean\": 1.5, \"sd\": 0, \"mcse_mean\": null, \"q5\": 1.5, \"q50\": 1.5, "
      "\"q95\": null, \"ess_bulk\": null, \"ess_tail\": null, \"rhat\": null}\n"
      "]}\n");
  EXPECT_EQ(summary_json({}), "{\"parameters\": []}\n");
}

TEST(SummaryRows, FilesAndMemory_GiveTheSameOnAnyNumberOfThreads) {
  testing::TestFolder folder;
  std::vector<std::string> names;
  for (int k = 1; k <= 37; ++k) names.push_back("x[" + std::to_string(k) + "]");
  MemoryDraws memory;
  StanCsvSink csv(folder.path());
  memory.begin(names, 3, 50);
  csv.begin(names, 3, 50);
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  std::vector<double> values(names.size());
  for (std::size_t chain = 0; chain < 3; ++chain)
    for (int k = 0; k < 50; ++k) {
      for (double& x : values) x = normal(generator);
      memory.write(chain, values, 1.0 / (1 + k));
      csv.write(chain, values, 1.0 / (1 + k));
    }
  csv.finish();
  const auto rows = summary_rows(memory, {.threads = 1});
  ASSERT_EQ(rows.size(), names.size());
  EXPECT_EQ(rows[36].name, "x[37]");
  EXPECT_EQ(rows[20].summary.rhat, rhat(QuantityDraws(memory, 20)));
  EXPECT_NEAR(rows[20].summary.mean, memory.mean(20), 1e-14);
  EXPECT_EQ(summary_json(rows), summary_json(summary_rows(memory, {.threads = 4})));
  EXPECT_EQ(summary_json(rows),
            summary_json(summary_rows(read_stan_csv(chain_files(folder.path())).draws, {.threads = 2})));
}

TEST(SummaryRows, SecondsOfTheRun_AreSharedOutOverIndependentDraws) {
  MemoryDraws memory;
  memory.begin(std::vector<std::string>{"x", "y"}, 2, 40);
  std::mt19937_64 generator(2);
  std::normal_distribution<double> normal;
  for (std::size_t chain = 0; chain < 2; ++chain)
    for (int k = 0; k < 40; ++k) memory.write(chain, std::vector<double>{normal(generator), normal(generator)}, 1.0);
  const auto rows = summary_rows(memory, {.threads = 1, .details = true, .seconds = 12.0, .parameters = {{1}}});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "y");
  EXPECT_NEAR(rows[0].autocorrelation_time_per_computation, 12.0 / ess_mean(QuantityDraws(memory, 1)), 1e-12);
  EXPECT_TRUE(std::isnan(summary_rows(memory, {.details = true})[0].autocorrelation_time_per_computation));
  EXPECT_FALSE(summary_rows(memory)[0].details);
}

TEST(SummaryRows, NoParametersOrDraws_GiveATable) {
  EXPECT_TRUE(summary_rows(MemoryDraws{}).empty());
  MemoryDraws none;
  none.begin(std::vector<std::string>{"x"}, 2, 0);
  const auto rows = summary_rows(none);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(std::isnan(rows[0].summary.mean));
}

}  // namespace
}  // namespace sgmcmc
