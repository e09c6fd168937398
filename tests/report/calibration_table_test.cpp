// The report of a calibration: its table, and the sentences for each outcome.
#include "report/calibration_table.hpp"

#include <gtest/gtest.h>

namespace sgmcmc {
namespace {

Calibration example() {
  Calibration made;
  made.names = {"mu", "beta[1]", "lp__"};
  made.tests.resize(3);
  made.tests[0].histogram = {10, 11, 9, 10};
  made.tests[0].chi_square_p_value = 0.4123;
  made.tests[0].ecdf_p_value = 0.62;
  made.tests[0].moments_p_value = 0.5;
  made.tests[1].histogram = {25, 3, 0, 12};
  made.tests[1].chi_square_p_value = 1.234e-7;
  made.tests[1].ecdf_p_value = 3.4e-9;
  made.tests[1].moments_p_value = 2e-12;
  made.tests[1].spread = 0.7;
  made.tests[1].spread_z = 5;
  made.tests[1].shift = 0.41;
  made.tests[1].shift_z = 4;
  made.tests[2] = made.tests[0];
  made.draws = 63;
  made.level = 0.01;
  made.replications = 40;
  made.smallest_effective_size = 412.4;
  made.iterations_per_draw = 15.87;
  return made;
}

TEST(CalibrationTable, Quantities_HavePValuesAndSmallHistograms) {
  EXPECT_EQ(calibration_table(example()),
            "name    chi-square p  moments p  ECDF p  ECDF band  ranks, low to high\n"
            "mu             0.412      0.500   0.620     inside  ▄▄▄▄\n"
            "beta[1]        1e-07      2e-12   3e-09    outside  █▁ ▅\n"
            "lp__           0.412      0.500   0.620     inside  ▄▄▄▄\n");
  CalibrationTableOptions options;
  options.shown = {true, false, true};
  options.most_rows = 1;
  options.how_to_see_all = "--all shows them";
  EXPECT_EQ(calibration_table(example(), options),
            "name chi-square p  moments p  ECDF p  ECDF band  ranks, low to high\n"
            "mu          0.412      0.500   0.620     inside  ▄▄▄▄\n"
            "... and 1 more of 2, none less uniform; --all shows them\n");
  options.shown.clear();
  EXPECT_EQ(calibration_table(example(), options),
            "name    chi-square p  moments p  ECDF p  ECDF band  ranks, low to high\n"
            "beta[1]        1e-07      2e-12   3e-09    outside  █▁ ▅\n"
            "... and 2 more of 3, none less uniform; --all shows them\n");
}

TEST(CalibrationVerdict, UnevenRanks_AreNamedWithTheirShape) {
  EXPECT_EQ(calibration_verdict(example()),
            (std::vector<std::string>{
                "40 replications; of each fit 63 draws were ranked, one in 15.9 iterations (smallest effective sample "
                "size 412).",
                "beta[1]: sloping: the draws are too high, by about 0.41 posterior standard deviations; U-shaped: the "
                "draws are too narrow, about 0.7 times the posterior's standard deviation.",
                "Not calibrated: the ranks of 1 of 3 quantities are not uniform (false-alarm rate 1 % in all)."}));
}

TEST(CalibrationVerdict, LogDensity_SaysHowFarOutTheDrawsLie) {
  auto made = example();
  made.tests[1] = made.tests[0];
  made.tests[2].ecdf_p_value = 1e-8;
  made.tests[2].shift_z = -5;
  EXPECT_EQ(
      calibration_verdict(made)[1],
      "lp__: the log posterior density is lower at the draws than at the true parameters: they lie too far out, as "
      "those of too large a step do.");
  made.tests[2].shift_z = 5;
  EXPECT_EQ(
      calibration_verdict(made)[1],
      "lp__: the log posterior density is higher at the draws than at the true parameters: they stay too near the "
      "mode.");
}

TEST(CalibrationVerdict, UniformRanks_AreCalibratedUnlessFitsFailed) {
  auto made = example();
  made.tests[1] = made.tests[0];
  EXPECT_EQ(calibration_verdict(made).back(),
            "Calibrated: the ranks of all 3 quantities are uniform as far as 40 replications can tell (false-alarm "
            "rate 1 % in all).");
  made.failed = 1;
  made.first_failure = "chain 1 diverged";
  made.extended = 2;
  made.dependent = 1;
  EXPECT_EQ(
      calibration_verdict(made),
      (std::vector<std::string>{
          "40 replications; of each fit 63 draws were ranked, one in 15.9 iterations (smallest effective sample "
          "size 412); 2 fits were made longer for them.",
          "1 fit has fewer effective draws than were ranked: dependent draws make ranks U-shaped even where they "
          "are right. Ask for more iterations or fewer draws.",
          "1 fit failed and could not be ranked; the first: chain 1 diverged",
          "Not calibrated: some fits failed. The ranks of the others are uniform (false-alarm rate 1 % in all)."}));
}

}  // namespace
}  // namespace sgmcmc
