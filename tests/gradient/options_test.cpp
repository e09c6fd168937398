// Messages about invalid gradient options.
#include <sgmcmc/error.hpp>
#include <sgmcmc/gradient.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace sgmcmc::testing {
namespace {

std::string complaint(const GradientOptions& options, std::int64_t rows = 100, std::int64_t dimension = 3) {
  try {
    options.validate(rows, dimension);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "no complaint";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(GradientOptions, Defaults_AreAccepted) { EXPECT_EQ(complaint({}), "no complaint"); }

TEST(GradientOptions, BatchLargerThanTheData_NamesBatchSizeAndTheRows) {
  GradientOptions options;
  options.minibatch.batch_size = 101;
  EXPECT_TRUE(says(complaint(options), "batch_size is 101")) << complaint(options);
  EXPECT_TRUE(says(complaint(options), "100 rows")) << complaint(options);
  options.estimator = Estimator::full;
  EXPECT_EQ(complaint(options), "no complaint") << "full gradients have no batch";
}

TEST(GradientOptions, NegativeTileRows_NamesTheOption) {
  GradientOptions options;
  options.tile_rows = -1;
  EXPECT_TRUE(says(complaint(options), "tile_rows is -1")) << complaint(options);
}

TEST(GradientOptions, CentreOfTheWrongLength_NamesBothLengths) {
  GradientOptions options;
  options.estimator = Estimator::control_variate;
  options.centre = {1.0, 2.0};
  EXPECT_TRUE(says(complaint(options), "centre has 2 elements")) << complaint(options);
  EXPECT_TRUE(says(complaint(options), "3 unconstrained parameters")) << complaint(options);
}

TEST(GradientOptions, CentreThatIsNotFinite_NamesTheElement) {
  GradientOptions options;
  options.estimator = Estimator::control_variate;
  options.centre = {1.0, std::nan(""), 2.0};
  EXPECT_TRUE(says(complaint(options), "centre[1]")) << complaint(options);
}

TEST(GradientOptions, SagaTableAboveTheLimit_SaysHowLargeAndWhatToUse) {
  GradientOptions options;
  options.estimator = Estimator::saga;
  const std::string text = complaint(options, 100'000'000, 50);
  EXPECT_TRUE(says(text, "100000000 x 50")) << text;
  EXPECT_TRUE(says(text, "38146 MiB")) << text;
  EXPECT_TRUE(says(text, "table_bytes_limit")) << text;
  EXPECT_TRUE(says(text, "svrg")) << text;
  options.table_bytes_limit = std::uint64_t{64} << 30;
  EXPECT_EQ(complaint(options, 100'000'000, 50), "no complaint");
}

TEST(EstimatorNames, EveryName_GoesThereAndBack) {
  for (const char* name : {"full", "minibatch", "cv", "saga", "svrg"})
    EXPECT_EQ(estimator_name(estimator_by_name(name)), name);
}

TEST(EstimatorNames, UnknownName_IsAnsweredWithANearOneOrAll) {
  const auto answer = [](const char* name) -> std::string {
    try {
      estimator_by_name(name);
    } catch (const OptionError& error) {
      return error.what();
    }
    return "no complaint";
  };
  EXPECT_TRUE(says(answer("svgr"), "'svrg'")) << answer("svgr");
  for (const char* name : {"full", "minibatch", "cv", "saga", "svrg"})
    EXPECT_TRUE(says(answer("wrong"), name)) << answer("wrong");
}

}  // namespace
}  // namespace sgmcmc::testing
