// The summary as a CSV file.
#include "report/summary_csv.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace sgmcmc {
namespace {

TEST(SummaryCsv, Rows_AreLinesWithEveryDigit) {
  QuantitySummary summary;
  summary.mean = 0.1;
  summary.standard_deviation = 2;
  summary.q5 = -1;
  summary.ess_bulk = 123.5;
  summary.rhat = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(summary_csv({{"mu", summary}, {"S[1,2]", summary}}),
            "name,mean,mcse_mean,sd,q5,q50,q95,ess,rhat\n"
            "mu,0.1,0,2,-1,0,0,123.5,NA\n"
            "\"S[1,2]\",0.1,0,2,-1,0,0,123.5,NA\n");
}

}  // namespace
}  // namespace sgmcmc
