// Built-in functions that are defined by properties of their results, and functions on columns of rows.
#include "graph/leaves.hpp"
#include "stan/builtins/table.hpp"
#include "stan/read_value.hpp"

#include <sgmcmc/distributions.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace sgmcmc::stan {
namespace {

Operand value(std::string_view text) { return read_value(text); }
Operand apply(std::string_view function, std::vector<Operand> arguments) { return apply_builtin(function, arguments); }

void expect_near(const Operand& found, const Operand& expected) {
  ASSERT_EQ(found.dims, expected.dims);
  for (std::size_t i = 0; i < found.numbers.size(); ++i) EXPECT_NEAR(found.numbers[i], expected.numbers[i], 1e-12) << i;
}

TEST(BuiltinProperties, Eigenvectors_Diagonalise) {
  const Operand matrix = value("[[2, 0.3, 0.2], [0.3, 1.7, -0.4], [0.2, -0.4, 1.5]]");
  const Operand vectors = apply("eigenvectors_sym", {matrix});
  const Operand values = apply("diag_matrix", {apply("eigenvalues_sym", {matrix})});
  expect_near(apply("multiply", {matrix, vectors}), apply("multiply", {vectors, values}));
  expect_near(apply("crossprod", {vectors}), apply("identity_matrix", {integer_operand(3)}));
}

TEST(BuiltinProperties, Factors_MultiplyToTheMatrix) {
  const Operand matrix = value("[[1, 2], [0.5, -1], [2, 0.3]]");
  for (const std::string kind : {"qr", "qr_thin"}) {
    const Operand q = apply(kind + "_Q", {matrix}), r = apply(kind + "_R", {matrix});
    EXPECT_EQ(q.dims[1], kind == "qr" ? 3 : 2);
    expect_near(apply("multiply", {q, r}), matrix);
    expect_near(apply("crossprod", {q}), apply("identity_matrix", {integer_operand(q.dims[1])}));
    EXPECT_GT(r.numbers[0], 0);
  }
  const Operand middle = apply("diag_matrix", {apply("singular_values", {matrix})});
  const Operand left = apply("svd_U", {matrix}), right = apply("transpose", {apply("svd_V", {matrix})});
  expect_near(apply("multiply", {apply("multiply", {left, middle}), right}), matrix);
}

TEST(BuiltinProperties, Products_OfParametersAreTheirGraphs) {
  const Operand beta = symbol_operand({Base::vector, 0}, parameter_leaf("beta", Shape{3}, 0));
  const Operand x = symbol_operand({Base::row_vector, 0}, row_real("x", Shape{3}));
  const Operand product = apply("multiply", {x, beta});
  EXPECT_EQ(product.symbol.describe(), dot(x.symbol, beta.symbol).describe());
  const Operand sparse = symbol_operand({Base::row_vector, 0}, row_sparse("x", 3));
  EXPECT_TRUE(apply("multiply", {sparse, beta}).symbol.per_row());
}

TEST(BuiltinProperties, IntegerColumns_PickOutcomes) {
  const Operand y = symbol_operand({Base::integer, 0}, row_integer("y", Shape{}));
  const Operand x = symbol_operand({Base::row_vector, 0}, row_real("x", Shape{2}));
  const Operand many = symbol_operand({Base::integer, 1}, row_integer("z", Shape{4}));
  const Operand theta = symbol_operand({Base::vector, 0}, parameter_leaf("theta", Shape{3}, 0));
  const Operand beta = symbol_operand({Base::matrix, 0}, parameter_leaf("beta", Shape{2, 3}, 3));
  const Operand slope = symbol_operand({Base::vector, 0}, parameter_leaf("slope", Shape{2}, 9));
  const Operand location = symbol_operand({Base::real, 0}, parameter_leaf("location", Shape{}, 11));
  for (const Operand& result :
       {apply("categorical_lpmf", {y, theta}), apply("categorical_logit_lpmf", {many, theta}),
        apply("ordered_logistic_lpmf", {y, location, theta}), apply("ordered_probit_lpmf", {many, location, theta}),
        apply("categorical_logit_glm_lpmf", {y, x, theta, beta}),
        apply("ordered_logistic_glm_lpmf", {y, x, slope, theta}),
        apply("bernoulli_logit_glm_lpmf", {y, x, location, slope}), apply("poisson_lpmf", {y, location}),
        apply("binomial_lpmf", {y, y, location}),
        apply("multinomial_lpmf", {many, apply("append_row", {theta, location})})}) {
    EXPECT_EQ(result.type, (Type{Base::real, 0}));
    EXPECT_TRUE(result.symbol.per_row());
    EXPECT_TRUE(result.symbol.shape().is_scalar());
  }
}

TEST(BuiltinProperties, OutcomesPickedByConstants_AgreeWithNumbers) {
  const Operand y = value("{1, 3, 2}"), theta = value("[0.2, 0.5, 0.3]'");
  const Operand symbol = symbol_operand({Base::vector, 0}, constant(theta.numbers));
  EXPECT_NEAR(evaluate_constant(apply("categorical_lpmf", {y, symbol}).symbol)[0], std::log(0.2 * 0.3 * 0.5), 1e-14);
}

TEST(BuiltinProperties, LargeArrays_AreEvaluatedInStrips) {
  std::vector<double> numbers;
  double expected = 0;
  for (int i = 0; i < 1237; ++i) {
    numbers.push_back(0.01 * i - 5);
    expected += -0.5 * (numbers.back() - 1) * (numbers.back() - 1) / 4 - std::log(2) - 0.91893853320467274178;
  }
  const Operand y{{Base::vector, 0}, {1237}, numbers, {}};
  EXPECT_NEAR(apply("normal_lpdf", {y, integer_operand(1), integer_operand(2)}).numbers[0], expected, 1e-9);
  const Operand ratio = apply("lbeta", {apply("exp", {y}), real_operand(2)});
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double a = std::exp(numbers[i]);
    EXPECT_NEAR(ratio.numbers[i], -std::log(a) - std::log1p(a), 1e-11 * (1 + std::fabs(ratio.numbers[i])));
  }
}

}  // namespace
}  // namespace sgmcmc::stan
