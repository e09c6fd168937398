// The diagnosis as text: which columns and lines it has.
#include "report/bias_table.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sgmcmc {
namespace {

BiasReport report_of(std::size_t coordinates) {
  BiasReport report;
  report.draws = 4000;
  report.points = 2000;
  report.chains = 2;
  report.rows_touched = 2e6;
  report.passes = 2;
  report.seconds = 0.5;
  report.full_gradients = false;
  report.batch_size = 500;
  report.worst_rhat = 1.0012;
  report.worst_rhat_name = "beta[2]";
  report.least_ess = 812.4;
  report.least_ess_name = "beta[1]";
  report.kernel = {2000, 0.25, 0.2, 0.04};
  report.finite_set = {0.001, 0.0002};
  for (std::size_t d = 0; d < coordinates; ++d) {
    CoordinateBias c;
    c.name = "beta[" + std::to_string(d + 1) + "]";
    c.moments = {0, 1, 1.0 + 0.1 * static_cast<double>(d), 0.02, -0.1, 0.03};
    c.predicted_sd_ratio = c.predicted_from_step = NAN;
    c.trust = d < 2 ? Trust::trust : Trust::do_not_trust;
    report.coordinates.push_back(c);
  }
  return report;
}

TEST(BiasTable, EstimatedGradients_ShowTheUnbiasedDiscrepancyAlone) {
  EXPECT_EQ(bias_table(report_of(2)),
            "2000 of 4000 draws of 2 chains, gradients by control variates from 500 rows each\n"
            "spent: 2e+06 rows, 2 passes over the data; 0.5 s\n"
            "\n"
            "R-hat                       1.001               largest: beta[2]\n"
            "effective sample size       812                 least: beta[1]\n"
            "kernel Stein, unbiased      0.2                 squared; exact independent draws: about 0\n"
            "finite-set discrepancy      0.001 +- 0.0002     squared; exact draws: about 0\n"
            "\n"
            "                 sd ratio       mean shift\n"
            "beta[2]      1.10 +- 0.02    -0.10 +- 0.03  trust\n"
            "beta[1]      1.00 +- 0.02    -0.10 +- 0.03  trust\n");
}

TEST(BiasTable, ManyCoordinates_ShowTheWorstFirst) {
  const std::string text = bias_table(report_of(5), {2, "--all shows them"});
  const auto worst = text.find("beta[5]"), next = text.find("beta[4]");
  EXPECT_LT(worst, next);
  EXPECT_EQ(text.find("beta[3]"), std::string::npos);
  EXPECT_TRUE(text.ends_with("3 more, no worse; --all shows them\n"));
  EXPECT_NE(bias_table(report_of(5), {0}).find("beta[3]"), std::string::npos);
}

TEST(BiasTable, FullGradientsAndNoise_AddTheirColumns) {
  auto report = report_of(1);
  report.full_gradients = true;
  report.coordinates[0].noise_ratio = 0.25;
  report.coordinates[0].predicted_sd_ratio = 1.04;
  report.halving = HalvingCheck{400, {{std::log(0.9), 0.02, 0.0, 0.01}}};
  const std::string text = bias_table(report);
  EXPECT_NE(text.find("kernel Stein discrepancy    0.5                 exact independent draws: about 0.2\n"),
            std::string::npos);
  EXPECT_NE(text.find("     noise  predicted        half step\n"), std::string::npos);
  EXPECT_NE(text.find("     0.250       1.04     0.90 +- 0.02  trust\n"), std::string::npos);
}

}  // namespace
}  // namespace sgmcmc
