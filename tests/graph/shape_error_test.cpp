// Errors in building expressions: each throws ShapeError at once, and the message names the operands.
#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/expression.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace sgmcmc {
namespace {

struct Mistake {
  std::string name;
  std::function<Expression()> make;
  std::vector<std::string> named;  ///< what the message must contain
};

Expression beta() { return parameter_leaf("beta", Shape{3}, 0); }
Expression gamma_vector() { return parameter_leaf("gamma", Shape{4}, 3); }
Expression sigma() { return parameter_leaf("sigma", Shape{}, 7); }
Expression weights() { return parameter_leaf("weights", Shape{2, 3}, 8); }
Expression height() { return row_real("height", Shape{}); }
Expression words() { return row_sparse("words", 3); }
Expression group() { return row_integer("group", Shape{}); }

std::vector<Mistake> mistakes() {
  return {
      {"add", [] { return beta() + gamma_vector(); }, {"operator+", "beta", "gamma", "[3]", "[4]"}},
      {"multiply", [] { return weights() * gamma_vector(); }, {"operator*", "weights", "gamma", "[2, 3]", "[4]"}},
      {"maximum_of_two", [] { return max(beta(), gamma_vector()); }, {"max", "beta", "gamma"}},
      {"less", [] { return beta() < gamma_vector(); }, {"operator<", "beta", "gamma"}},
      {"power", [] { return pow(beta(), gamma_vector()); }, {"pow", "beta", "gamma"}},
      {"select_branches", [] { return select(1.0, beta(), gamma_vector()); }, {"select", "beta", "gamma"}},
      {"select_condition", [] { return select(beta(), gamma_vector(), 0.0); }, {"select", "beta", "gamma"}},
      {"dot", [] { return dot(beta(), gamma_vector()); }, {"dot", "beta", "gamma", "[3]", "[4]"}},
      {"dot_does_not_broadcast", [] { return dot(beta(), sigma()); }, {"dot", "beta", "sigma"}},
      {"sparse_dot", [] { return dot(words(), gamma_vector()); }, {"dot", "words", "gamma"}},
      {"matmul_inner", [] { return matmul(weights(), gamma_vector()); }, {"matmul", "weights", "gamma", "3", "4"}},
      {"matmul_vectors", [] { return matmul(beta(), beta()); }, {"matmul", "beta", "dot"}},
      {"matmul_scalar", [] { return matmul(weights(), sigma()); }, {"matmul", "weights", "sigma"}},
      {"matmul_sparse_left", [] { return matmul(words(), weights()); }, {"matmul", "words", "weights", "right"}},
      {"matmul_sparse_columns", [] { return matmul(transpose(weights()), words()); }, {"matmul", "words"}},
      {"outer", [] { return outer(beta(), weights()); }, {"outer", "beta", "weights"}},
      {"transpose", [] { return transpose(beta()); }, {"transpose", "beta"}},
      {"diagonal", [] { return diagonal(weights()); }, {"diagonal", "weights", "square"}},
      {"diagonal_matrix", [] { return diagonal_matrix(weights()); }, {"diagonal_matrix", "weights"}},
      {"cholesky", [] { return cholesky(weights()); }, {"cholesky", "weights", "square"}},
      {"log_determinant", [] { return log_determinant(beta()); }, {"log_determinant", "beta"}},
      {"solve_factor", [] { return solve_triangular(weights(), beta()); }, {"solve_triangular", "weights"}},
      {"solve_right_side",
       [] {
         return solve_triangular(parameter_leaf("factor", Shape{2, 2}, 0), beta());
       },
       {"solve_triangular", "factor", "beta"}},
      {"solve_not_square", [] { return solve(weights(), beta()); }, {"solve", "weights", "square"}},
      {"mdivide_right_columns",
       [] {
         return mdivide_right(beta(), parameter_leaf("matrix", Shape{2, 2}, 0));
       },
       {"mdivide_right", "matrix", "beta", "columns"}},
      {"matrix_exp", [] { return matrix_exp(weights()); }, {"matrix_exp", "weights"}},
      {"crossprod", [] { return crossprod(beta()); }, {"crossprod", "beta"}},
      {"inc_beta", [] { return inc_beta(beta(), gamma_vector(), 0.5); }, {"inc_beta", "beta", "gamma"}},
      {"gather_by_real", [] { return gather(beta(), height()); }, {"gather", "beta", "height", "integer"}},
      {"gather_by_global", [] { return gather(beta(), Expression(1.0)); }, {"gather", "beta"}},
      {"gather_from_scalar", [] { return gather(sigma(), group()); }, {"gather", "sigma", "group"}},
      {"take_outside",
       [] {
         return take(beta(), {0, 3}, Shape{2});
       },
       {"take", "beta", "3"}},
      {"take_count",
       [] {
         return take(beta(), {0, 1}, Shape{3});
       },
       {"take", "beta", "2", "[3]"}},
      {"slice_outside", [] { return slice(beta(), 2, 2); }, {"slice", "beta"}},
      {"slice_of_scalar", [] { return slice(sigma(), 0, 1); }, {"slice", "sigma"}},
      {"element_outside", [] { return beta()[3]; }, {"beta", "3"}},
      {"element_of_scalar", [] { return sigma()[0]; }, {"operator[]", "sigma"}},
      {"column_outside", [] { return column(weights(), 3); }, {"column", "weights"}},
      {"concatenate",
       [] {
         return concatenate({beta(), weights()});
       },
       {"concatenate", "beta", "weights"}},
      {"concatenate_nothing", [] { return concatenate({}); }, {"concatenate"}},
      {"stack",
       [] {
         return stack({beta(), gamma_vector()});
       },
       {"stack", "beta", "gamma"}},
      {"reshape",
       [] {
         return reshape(beta(), Shape{2, 2});
       },
       {"reshape", "beta", "[2, 2]"}},
      {"broadcast_to",
       [] {
         return broadcast_to(beta(), Shape{3, 2});
       },
       {"broadcast_to", "beta", "[3, 2]"}},
      {"sum_axis", [] { return sum(beta(), 1); }, {"sum", "beta", "axis 1"}},
      {"maximum_axis", [] { return maximum(weights(), -3); }, {"maximum", "weights", "-3"}},
      {"softmax_of_scalar", [] { return softmax(sigma()); }, {"softmax", "sigma"}},
      {"constant",
       [] {
         return constant({1, 2, 3}, Shape{2, 2});
       },
       {"constant", "3", "[2, 2]"}},
      {"sparse_elementwise", [] { return words() + 1.0; }, {"words", "sparse", "dot"}},
      {"sparse_sum", [] { return sum(words()); }, {"words", "sparse"}},
      {"empty_operand", [] { return beta() + Expression(); }, {"operator+", "empty"}},
      {"empty_argument", [] { return exp(Expression()); }, {"exp", "empty"}},
      {"empty_power", [] { return pow(Expression(), 1.0); }, {"pow", "empty"}},
      {"sum_over_rows_of_global", [] { return row_sum(beta()); }, {"row_sum", "beta"}},
      {"differentiate_vector", [] { return differentiate(beta(), {beta()}).front(); }, {"differentiate", "beta"}},
  };
}

class ShapeMistake : public testing::TestWithParam<Mistake> {};

TEST_P(ShapeMistake, WhenMade_ThrowsAndNamesTheOperands) {
  try {
    const auto made = GetParam().make();
    FAIL() << "was accepted, as " << made.describe();
  } catch (const ShapeError& error) {
    const std::string message = error.what();
    for (const auto& word : GetParam().named) {
      EXPECT_NE(message.find(word), std::string::npos) << "\"" << word << "\" is not in: " << message;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShapeMistake, testing::ValuesIn(mistakes()),
                         [](const auto& tried) { return tried.param.name; });

}  // namespace
}  // namespace sgmcmc
