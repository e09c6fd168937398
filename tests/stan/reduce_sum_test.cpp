// reduce_sum means the plain call over the whole array, and is minibatched as that is.
#include "stan/bound_text.hpp"

#include <gtest/gtest.h>

namespace sgmcmc::stan {
namespace {

const std::string functions =
    "functions { real part(array[] real slice, int start, int end, real mu) { real s = 0;\n"
    "  for (n in 1:size(slice)) s += normal_lpdf(slice[n] | mu, 1); return s; } }\n"
    "data { int N; array[N] real y; } parameters { real mu; }\n";

TEST(ReduceSum, Call_IsThatOfTheWholeArray) {
  const auto data = numbers_y({1, 2, 4});
  const BoundModel plain = bound_text(functions + "model { target += part(y, 1, N, mu); }", data);
  for (const char* call : {"reduce_sum(part, y, 1, mu)", "reduce_sum_static(part, y, 2, mu)",
                           "0.5 * reduce_sum(part, y, 1, mu) + 0.5 * reduce_sum(part, y, 1, mu)"}) {
    SCOPED_TRACE(call);
    const BoundModel bound = bound_text(functions + "model { target += " + call + "; }", data);
    EXPECT_EQ(bound.row_axis(), "N");
    EXPECT_NEAR(log_density_at(bound, {0.7}), log_density_at(plain, {0.7}), 1e-12);
  }
}

TEST(SizeFunctions, ContainerWithoutValues_HasItsSize) {
  const std::string sequence =
      "functions { array[] int counts(int start, int end) { array[end - start + 1] int all;\n"
      "  for (n in 1:num_elements(all)) all[n] = n + start - 1; return all; } }\n"
      "data { int N; array[N] real y; } parameters { real mu; }\n";
  const auto data = numbers_y({1, 2, 4});
  const BoundModel plain = bound_text(functions + "model { target += part(y, 1, N, mu); }", data);
  const BoundModel by_sizes =
      bound_text(sequence +
                     "model { vector[N] m; matrix[2, 5] empty; for (n in 1:num_elements(m)) m[n] = mu;\n"
                     "  for (n in 1:size(m)) y[n] ~ normal(m[counts(1, N)[n]], rows(empty) + cols(empty) - 6); }",
                 data);
  const double constant = log_density_at(plain, {0.0}) - log_density_at(by_sizes, {0.0});
  EXPECT_NEAR(log_density_at(by_sizes, {0.7}) + constant, log_density_at(plain, {0.7}), 1e-12);
}

TEST(ReduceSum, EmptyArray_IsZeroWithoutACall) {
  const std::string text = functions +
                           "model { mu ~ normal(0, 1);\n"
                           "  { array[0] real none; target += reduce_sum(part, none, 1, mu / 0.0); } }";
  const BoundModel with = bound_text(text, numbers_y({1, 2}));
  const BoundModel without = bound_text(functions + "model { mu ~ normal(0, 1); }", numbers_y({1, 2}));
  EXPECT_EQ(log_density_at(with, {0.3}), log_density_at(without, {0.3}));
}

TEST(ReduceSum, GeneratedQuantities_MayCallIt) {
  BoundModel bound = bound_text(functions +
                                    "model { mu ~ normal(0, 1); }\n"
                                    "generated quantities { real l = reduce_sum(part, y, 1, mu);\n"
                                    "  real same = part(y, 1, N, mu); }",
                                numbers_y({1, 2, 4}));
  std::vector<double> values(2);
  bound.evaluate_outputs(std::vector<double>{0.7}, 1, 0, 0, values);
  EXPECT_EQ(values[0], values[1]);
}

}  // namespace
}  // namespace sgmcmc::stan
