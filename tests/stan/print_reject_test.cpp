// print and reject in every block: their text, and their effect on the log density and on outputs.
#include "stan/bound_text.hpp"

#include "errors/message_of.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace sgmcmc::stan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The text printed when a model is bound and its outputs are computed at two draws, with its only parameter at 0.5 and
/// 2.
std::vector<std::string> printed(const std::string& text) {
  std::vector<std::string> lines;
  BindOptions options;
  options.print = [&](const std::string& line) { lines.push_back(line); };
  BoundModel bound = bound_text(text, numbers_y({1, 2, 4}), options);
  std::vector<double> values(bound.output_size());
  for (std::uint64_t draw : {0u, 1u}) bound.evaluate_outputs(std::array{draw == 0 ? 0.5 : 2.0}, 1, 0, draw, values);
  return lines;
}

const std::string data = "data { int N; vector[N] y; }\n";

using Lines = std::vector<std::string>;

TEST(Print, TransformedData_SayItOnce) {
  EXPECT_EQ(printed(data + "transformed data { print(\"N is \", N, \", y \", y, 1.5); }\n"
                           "parameters { real mu; } model { y ~ normal(mu, 1); }"),
            (Lines{"N is 3, y [1,2,4]1.5"}));
}

TEST(Print, OtherBlocks_SayItAtEveryDrawWithItsValues) {
  const Lines expected{"mu = 0.5", "mu = 2"};
  const std::string print = "print(\"mu = \", mu);";
  EXPECT_EQ(printed(data + "parameters { real mu; } transformed parameters { real z = mu; " + print +
                    " } model { y ~ normal(mu, 1); }"),
            expected);
  EXPECT_EQ(printed(data + "parameters { real mu; } model { y ~ normal(mu, 1); " + print + " }"), expected);
  EXPECT_EQ(
      printed(data + "parameters { real mu; } model { y ~ normal(mu, 1); } generated quantities { " + print + " }"),
      expected);
}

TEST(Print, Functions_SayItWhereTheyAreCalled) {
  const std::string function = "functions { real f(real x) { print(\"x = \", x); return x; } }\n";
  EXPECT_EQ(printed(function + data +
                    "transformed data { real z = f(7); } parameters { real mu; }\n"
                    "model { y ~ normal(mu, 1); }"),
            (Lines{"x = 7"}));
  EXPECT_EQ(printed(function + data + "parameters { real mu; } model { y ~ normal(f(mu), 1); }"),
            (Lines{"x = 0.5", "x = 2"}));
}

TEST(Print, LoopOverRowsInTheModel_SaysItForEachRow) {
  EXPECT_EQ(
      printed(data + "parameters { real mu; } model {\n"
                     "for (n in 1:N) { real r = y[n] - mu; if (n < 3) print(n, \": \", r); r ~ normal(0, 1); } }"),
      (Lines{"1: 0.5", "2: 1.5", "1: -1", "2: 0"}));
}

TEST(Print, Target_IsWhatTheModelHasAddedSoFar) {
  EXPECT_EQ(printed(data + "parameters { real mu; } model { target += -mu; print(target()); target += 2 * mu;\n"
                           "y ~ normal(mu, 1); { print(\"then \", target() - sum(y)); } target += 1; }")
                .at(0),
            "-0.5");
  EXPECT_EQ(printed(data + "parameters { real mu; } model { target += -mu; target += 3; print(target()); }"),
            (Lines{"2.5", "1"}));
}

TEST(Print, Containers_AreNestedAsTheyAreDeclared) {
  EXPECT_EQ(printed(data + "transformed data {\n"
                           "  matrix[2, 3] m = [[1, 2, 3], [4, 5, 6.5]];\n"
                           "  array[2, 1] int k = {{1}, {2}};\n"
                           "  array[0] real none;\n"
                           "  print(m); print(k); print(m[1]); print(none, \"|\", 1e-10);\n"
                           "} parameters { real mu; } model { mu ~ normal(0, 1); }"),
            (Lines{"[[1,2,3],[4,5,6.5]]", "[[1],[2]]", "[1,2,3]", "[]|1e-10"}));
}

std::string reject_message(const std::string& text) {
  return sgmcmc::testing::message_of<StanError>([&] { bound_text(text, numbers_y({1, 2, 4})); });
}

TEST(Reject, TransformedDataAndModelsThatAlwaysReject_EndWithPlaceAndText) {
  EXPECT_EQ(reject_message(data + "transformed data { if (y[3] > 3) reject(\"y[3] is \", y[3]); }\n"
                                  "parameters { real mu; } model { y ~ normal(mu, 1); }"),
            "m.stan:2:34: error: the model rejects: y[3] is 4\n"
            "  |\n"
            "2 | transformed data { if (y[3] > 3) reject(\"y[3] is \", y[3]); }\n"
            "  |                                  ^^^^^^^^^^^^^^^^^^^^^^^^^");
  EXPECT_TRUE(reject_message(data + "parameters { real mu; }\nmodel { y ~ normal(mu, 1); reject(\"never\"); }")
                  .starts_with("m.stan:3:28: error: the model rejects: never"));
  EXPECT_TRUE(reject_message(data + "parameters { real mu; }\n"
                                    "model { for (n in 1:N) { if (y[n] > 3) reject(\"y is \", y[n]); "
                                    "y[n] ~ normal(mu, 1); } }")
                  .starts_with("m.stan:3:40: error: the model rejects: y is 4"));
}

TEST(Reject, OnConditionsOfParameters_LogDensityIsMinusInfinityThereOnly) {
  const std::vector<std::string> models = {
      "parameters { real mu; } model { mu ~ normal(0, 1); if (mu < 0) reject(\"mu is \", mu); }",
      "parameters { real mu; } transformed parameters { real z = mu; if (z < 0) reject(\"z is \", z); }\n"
      "model { mu ~ normal(0, 1); }",
      // A function that rejects instead of returning.
      "functions { real f(real x) { if (x >= 0) return x; else reject(\"x is \", x); } }\n"
      "parameters { real mu; } model { f(mu) ~ normal(0, 1); }",
      "functions { real f(real x) { if (x < 0) { reject(\"x is \", x); } return x; } }\n"
      "parameters { real mu; } model { f(mu) ~ normal(0, 1); }",
      "functions { real no(real x) { reject(\"no\"); return x; } }\n"
      "parameters { real mu; } model { real z = mu >= 0 ? mu : no(mu); z ~ normal(0, 1); }",
      // Some rows, and an assignment that the other side keeps.
      "parameters { real mu; } model { real z = 5; if (mu >= 0) z = mu; else reject(\"no\"); z ~ normal(0, 1); }",
  };
  for (const auto& text : models) {
    SCOPED_TRACE(text);
    const BoundModel bound = bound_text(text, {});
    EXPECT_NEAR(log_density_at(bound, {0.5}), -0.125 - 0.5 * std::log(2 * M_PI), 1e-12);
    EXPECT_EQ(log_density_at(bound, {-0.5}), -infinity);
    ASSERT_EQ(bound.rejections().size(), 1u);
    EXPECT_NE(bound.rejections()[0].find(": reject("), std::string::npos);
  }
}

TEST(Reject, InSomeRows_LogDensityIsMinusInfinityWhereTheyReject) {
  for (const bool minibatched : {true, false}) {
    BindOptions options;
    options.minibatched = minibatched;
    const BoundModel bound = bound_text(data +
                                            "parameters { real mu; } model { for (n in 1:N) {\n"
                                            "  if (y[n] > 1) { if (mu > y[n]) reject(\"mu is above \", y[n]); }\n"
                                            "  y[n] ~ normal(mu, 1); } }",
                                        numbers_y({1, 2, 4}), options);
    EXPECT_TRUE(std::isfinite(log_density_at(bound, {1.5})));
    EXPECT_EQ(log_density_at(bound, {2.5}), -infinity);
    EXPECT_EQ(bound.rejections(), (Lines{"m.stan:3:34: reject(\"mu is above \", y[n]);"}));
  }
}

TEST(Reject, GeneratedQuantities_AreUnknownAtThatDrawWithTheText) {
  BoundModel bound =
      bound_text(data +
                     "parameters { real mu; } transformed parameters { real twice = 2 * mu; }\n"
                     "model { y ~ normal(mu, 1); }\n"
                     "generated quantities { real z = mu; if (z < 1) reject(\"z is \", z); real u = 1; }",
                 numbers_y({1, 2, 4}));
  std::vector<double> values(bound.output_size());
  std::set<std::string> unknown;
  const std::string message = sgmcmc::testing::message_of<StanError>(
      [&] { bound.evaluate_outputs(std::array{0.5}, 1, 0, 0, values, &unknown); });
  EXPECT_TRUE(message.starts_with("m.stan:4:48: error: the model rejects: z is 0.5")) << message;
  EXPECT_EQ(values[0], 1.0);
  EXPECT_TRUE(std::isnan(values[1]) && std::isnan(values[2]));
  EXPECT_EQ(unknown, (std::set<std::string>{"z", "u"}));
  bound.evaluate_outputs(std::array{1.5}, 1, 0, 1, values, &unknown);
  EXPECT_EQ(values, (std::vector<double>{3.0, 1.5, 1.0}));
}

TEST(Reject, FunctionCalledInGeneratedQuantities_Rejects) {
  BoundModel bound = bound_text("functions { real f(real x) { if (x < 1) reject(\"x is \", x); return x; } }\n" + data +
                                    "parameters { real mu; } model { y ~ normal(mu, 1); }\n"
                                    "generated quantities { real z = f(mu); }",
                                numbers_y({1, 2, 4}));
  std::vector<double> values(bound.output_size());
  const std::string message =
      sgmcmc::testing::message_of<StanError>([&] { bound.evaluate_outputs(std::array{0.5}, 1, 0, 0, values); });
  EXPECT_TRUE(message.starts_with("m.stan:1:41: error: the model rejects: x is 0.5")) << message;
}

}  // namespace
}  // namespace sgmcmc::stan
