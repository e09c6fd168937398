// Transformed parameters and generated quantities of a draw: values, shapes, random numbers, and error messages.
#include "stan/binding/model_file.hpp"

#include "errors/message_of.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace sgmcmc::stan {
namespace {

DataVariables three_numbers() {
  DataVariables data;
  data.by_name["N"] = {DataArray::scalar(std::int32_t{3}), "test"};
  const std::vector<double> y{1.0, 2.0, 4.0};
  data.by_name["y"] = {DataArray::copy_of(std::span<const double>(y), Shape{3}), "test"};
  return data;
}

/// A normal model with two transformed parameters and the given generated quantities.
BoundModel normal_with(const std::string& generated) {
  const ModelText text = read_model_text("m.stan",
                                         "data { int N; vector[N] y; }\n"
                                         "parameters { real mu; real<lower=0> sigma; matrix[2, 3] M; }\n"
                                         "transformed parameters { real twice = 2 * mu; }\n"
                                         "model { y ~ normal(mu, sigma); to_vector(M) ~ normal(0, 1); }\n"
                                         "generated quantities {\n" +
                                             generated + "\n}\n");
  return BoundModel(text.source, text.program, three_numbers(), {});
}

const std::vector<double> draw{0.5, 2.0, 11, 12, 13, 21, 22, 23};

std::vector<double> outputs(BoundModel& bound, std::uint64_t seed = 1, std::uint32_t chain = 0, std::uint64_t at = 0) {
  std::vector<double> values(bound.output_size());
  bound.evaluate_outputs(draw, seed, chain, at, values);
  return values;
}

TEST(Generated, Outputs_AreTransformedParametersThenGeneratedQuantities) {
  BoundModel bound = normal_with("real a = mu + sigma; vector[N] r = y - mu; array[2, 2] int k = {{1, 2}, {3, 4}};");
  ASSERT_EQ(bound.outputs().size(), 4u);
  EXPECT_EQ(bound.outputs()[0].name, "twice");
  EXPECT_EQ(bound.outputs()[2].shape, Shape{3});
  EXPECT_EQ(bound.outputs()[3].shape, (Shape{2, 2}));
  EXPECT_FALSE(bound.outputs()[3].matrix);
  EXPECT_EQ(outputs(bound), (std::vector<double>{1.0, 2.5, 0.5, 1.5, 3.5, 1, 2, 3, 4}));
}

TEST(Generated, MatrixParameterAndOutput_AreRowByRow) {
  BoundModel bound = normal_with("matrix[3, 2] T = M'; real corner = M[2, 3]; row_vector[3] second = M[2];");
  EXPECT_TRUE(bound.outputs()[1].matrix);
  EXPECT_EQ(outputs(bound), (std::vector<double>{1.0, 11, 21, 12, 22, 13, 23, 23, 21, 22, 23}));
}

TEST(Generated, LocalsLoopsAndConditions_RunOnNumbers) {
  BoundModel bound = normal_with(
      "int above = 0; real lp = 0; vector[N] log_lik;"
      "for (n in 1:N) { log_lik[n] = normal_lpdf(y[n] | mu, sigma); lp += log_lik[n]; if (y[n] > mu + 1) above += 1; }"
      "{ real hidden = 3; lp += hidden; }");
  const auto values = outputs(bound);
  double total = 3;
  for (double y : {1.0, 2.0, 4.0}) {
    const double z = (y - 0.5) / 2.0;
    total += -0.5 * z * z - std::log(2.0) - 0.5 * std::log(2 * 3.14159265358979323846);
  }
  ASSERT_EQ(values.size(), 6u);
  EXPECT_EQ(values[1], 2.0);
  EXPECT_NEAR(values[2], total, 1e-12);
  EXPECT_NEAR(values[3] + values[4] + values[5] + 3, total, 1e-12);
}

TEST(Generated, RandomNumbers_FollowSeedChainAndDrawOnly) {
  BoundModel bound = normal_with(
      "array[N] real y_new = normal_rng(rep_vector(mu, N), sigma); int k = poisson_rng(3);"
      "vector[2] z = multi_normal_rng([0, 0]', identity_matrix(2));");
  const auto first = outputs(bound, 7, 1, 20);
  EXPECT_EQ(outputs(bound, 7, 1, 20), first);
  EXPECT_NE(outputs(bound, 8, 1, 20), first);
  EXPECT_NE(outputs(bound, 7, 2, 20), first);
  EXPECT_NE(outputs(bound, 7, 1, 21), first);
}

TEST(Generated, RandomNumbers_HaveTheirLaw) {
  BoundModel bound = normal_with("real z = normal_rng(mu, sigma);");
  // 4000 draws: mean within 5 standard errors, false alarm 6e-7.
  double sum = 0, squares = 0;
  for (std::uint64_t at = 0; at < 4000; ++at) {
    const double z = outputs(bound, 3, 0, at)[1];
    sum += z;
    squares += z * z;
  }
  const double mean = sum / 4000;
  EXPECT_NEAR(mean, 0.5, 5 * 2.0 / std::sqrt(4000.0));
  EXPECT_NEAR(squares / 4000 - mean * mean, 4.0, 5 * 4.0 * std::sqrt(2.0 / 4000));
}

TEST(Generated, DeclaredAndNeverSet_IsNotANumber) {
  BoundModel bound = normal_with("real never; vector[2] half; half[1] = 1;");
  const auto values = outputs(bound);
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_EQ(values[2], 1.0);
  EXPECT_TRUE(std::isnan(values[3]));
}

TEST(Generated, IndexOutsideAtADraw_IsSaidWithItsPlace) {
  BoundModel bound = normal_with("int k = 1;\nif (mu > 0) k = 9;\nreal z = y[k];");
  EXPECT_EQ(sgmcmc::testing::message_of<Error>([&] { outputs(bound); }),
            "m.stan:8:12: error: index 9 is outside 1..3, dimension 1 of 'y'\n"
            "  |\n"
            "8 | real z = y[k];\n"
            "  |            ^");
}

TEST(Generated, WrongArgumentOfARandomNumber_IsSaidWithItsPlace) {
  BoundModel bound = normal_with("real z = normal_rng(mu, -sigma);");
  const std::string message = sgmcmc::testing::message_of<Error>([&] { outputs(bound); });
  EXPECT_TRUE(message.starts_with("m.stan:6:10: error: normal_rng: ")) << message;
}

// Variables that statements after the failing one would change are unknown, even if their values are finite.
TEST(Generated, StatementThatFails_LeavesWhatItAndLaterOnesDoNotTouch) {
  BoundModel bound = normal_with(
      "real early = mu; real total = 1; vector[2] half = [1, 2]'; int k = 3;\n"
      "k = poisson_rng(-sigma);\n"
      "real late = 1; if (mu > 0) { for (n in 1:2) half[n] += n; } else { total += 1; }");
  std::vector<double> values(bound.output_size(), 99);
  std::set<std::string> unknown;
  EXPECT_THROW(bound.evaluate_outputs(draw, 1, 0, 0, values, &unknown), Error);
  EXPECT_EQ(unknown, (std::set<std::string>{"half", "k", "late", "total"}));
  EXPECT_EQ(values[0], 1.0);  // twice
  EXPECT_EQ(values[1], 0.5);  // early
  ASSERT_EQ(values.size(), 7u);
  for (std::size_t k = 2; k < 7; ++k) EXPECT_TRUE(std::isnan(values[k])) << k;
}

TEST(Generated, SizesThatDoNotFit_AreSaidWithTheirPlace) {
  BoundModel bound = normal_with("int k = mu > 0 ? 2 : 3;\nvector[3] z = head(y, k);");
  EXPECT_EQ(sgmcmc::testing::message_of<Error>([&] { outputs(bound); }),
            "m.stan:7:15: error: 'z' is declared with [3], the value has [2]\n"
            "  |\n"
            "7 | vector[3] z = head(y, k);\n"
            "  |               ^^^^^^^^^^");
}

TEST(Generated, Reject_IsSaidWithItsMessage) {
  BoundModel bound = normal_with("if (sigma > 1) reject(\"sigma is \", sigma);");
  const std::string message = sgmcmc::testing::message_of<Error>([&] { outputs(bound); });
  EXPECT_TRUE(message.starts_with("m.stan:6:16: error: the model rejects: sigma is 2\n")) << message;
}

}  // namespace
}  // namespace sgmcmc::stan
