// Errors of built-in functions about invalid arguments.
#include "graph/leaves.hpp"
#include "stan/builtins/table.hpp"
#include "stan/read_value.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace sgmcmc::stan {
namespace {

/// The error message of a call such as "f(1, 2)".
std::string complaint(std::string_view text) {
  const CallLine call = read_call(std::string(text) + " = 0");
  try {
    const Operand result = apply_builtin(call.name, call.arguments);
    return "no complaint";
  } catch (const ArgumentError& error) {
    return error.message;
  }
}

TEST(BuiltinErrors, Sizes_AreNamed) {
  EXPECT_EQ(complaint("add([1, 2]', [1, 2, 3]')"),
            "operator +: the sizes differ: a vector of 2 elements and a vector of 3 elements");
  EXPECT_EQ(complaint("multiply([[1, 2]], [1, 2, 3]')"),
            "operator *: a 1 x 2 matrix cannot be multiplied by a vector of 3 elements: 2 columns, 3 rows");
  EXPECT_EQ(complaint("dot_product([1]', [1, 2]')"),
            "dot_product: the sizes differ: a vector of 1 element and a vector of 2 elements");
  EXPECT_EQ(complaint("normal_lpdf([1, 2]', [1, 2, 3]', 1)"),
            "normal: the sizes differ: argument 1 has 2 elements, argument 2 has 3");
  EXPECT_EQ(complaint("to_matrix([1, 2, 3]', 2, 2)"), "to_matrix: a vector of 3 elements does not fill a 2 x 2 matrix");
  EXPECT_EQ(complaint("inverse([[1, 2]])"), "inverse: a 1 x 2 matrix is not square");
  EXPECT_EQ(complaint("append_col([[1, 2]], [1, 2]')"),
            "append_col: the numbers of rows differ: a 1 x 2 matrix and a vector of 2 elements");
  EXPECT_EQ(complaint("multi_normal_lpdf([1, 2]', [1, 2, 3]', [[1, 0], [0, 1]])"),
            "multi_normal: the sizes differ: a vector of 3 elements where 2 are expected");
  EXPECT_EQ(complaint("bernoulli_logit_glm_lpmf({1}, [[1, 2]], 0.5, [1]')"),
            "bernoulli_logit_glm: the predictors are a 1 x 2 matrix but there are 1 coefficients");
}

TEST(BuiltinErrors, PlacesOutside_AreNamed) {
  EXPECT_EQ(complaint("head([1, 2]', 3)"), "head: entries 1 to 3 of a vector of 2 elements");
  EXPECT_EQ(complaint("row([[1, 2]], 2)"), "row: rows 2 to 2 and columns 1 to 2 of a 1 x 2 matrix");
  EXPECT_EQ(complaint("rep_vector(1, -2)"), "rep_vector: the size is -2, must not be negative");
  EXPECT_EQ(complaint("one_hot_vector(3, 4)"), "one_hot_vector: the index is 4, outside 1 to 3");
  EXPECT_EQ(complaint("categorical_lpmf(3, [0.5, 0.5]')"), "categorical: the outcome is 3, must be from 1 to 2");
  EXPECT_EQ(complaint("csr_to_dense_matrix(2, 2, [1]', {3}, {1, 2, 2})"),
            "csr_to_dense_matrix: column index 3 is outside 1 to 2");
}

TEST(BuiltinErrors, DataOutOfDomain_IsRefused) {
  EXPECT_EQ(complaint("normal_lpdf(0, 0, -1)"), "normal: the scale is -1, must be positive");
  EXPECT_EQ(complaint("normal_lpdf(0, 0, [1.0, 0.0]')"), "normal: element [2] of the scale is 0, must be positive");
  EXPECT_EQ(complaint("normal_lpdf(nan, 0, 1)"), "normal: the outcome is nan, must be a number");
  EXPECT_EQ(complaint("normal_lpdf(0, inf, 1)"), "normal: the location is inf, must be finite");
  EXPECT_EQ(complaint("gamma_lpdf(-1.0, 1, 1)"), "gamma: the outcome is -1, must be 0 or more");
  EXPECT_EQ(complaint("beta_lpdf(1.5, 1, 1)"), "beta: the outcome is 1.5, must be between 0 and 1");
  EXPECT_EQ(complaint("bernoulli_lpmf({0, 2}, 0.5)"), "bernoulli: element [2] of the outcome is 2, must be 0 or 1");
  EXPECT_EQ(complaint("poisson_lpmf(-1, 0.5)"), "poisson: the outcome is -1, must be 0 or more");
  EXPECT_EQ(complaint("binomial_lpmf(5, 3, 0.5)"), "binomial: the outcome is 5 of 3 trials");
  EXPECT_EQ(complaint("student_t_lpdf(0, 0, 0, 1)"),
            "student_t: the number of degrees of freedom is 0, must be positive");
  EXPECT_EQ(complaint("dirichlet_lpdf([0.5, 0.6]', [1, 1]')"),
            "dirichlet: the outcome sums to 1.1, but a simplex sums to 1");
  EXPECT_EQ(
      complaint("categorical_lpmf(1, [-0.5, 1.5]')"),
      "categorical: the vector of probabilities has element 1 = -0.5, but elements of a simplex must not be negative");
  EXPECT_EQ(complaint("ordered_logistic_lpmf(1, 0.5, [1, 0]')"),
            "ordered_logistic: the vector of cutpoints is not in ascending order: element 2 is 0 after 1");
  EXPECT_EQ(complaint("multi_normal_lpdf([0, 0]', [0, 0]', [[1, 0.5], [0.4, 1]])"),
            "multi_normal: the covariance is not symmetric: element [2, 1] is 0.4, [1, 2] is 0.5");
  EXPECT_EQ(complaint("multi_normal_lpdf([0, 0]', [0, 0]', [[1, 2], [2, 1]])"),
            "multi_normal: the covariance is not positive definite");
  EXPECT_EQ(complaint("multi_normal_cholesky_lpdf([0, 0]', [0, 0]', [[1, 0], [0, 0]])"),
            "multi_normal_cholesky: the Cholesky factor has diagonal element 2 = 0, but those of a Cholesky factor "
            "must be positive");
  EXPECT_EQ(complaint("cholesky_decompose([[1, 2], [2, 1]])"),
            "cholesky_decompose: the matrix is not positive definite");
}

TEST(BuiltinErrors, Integers_OverflowAndDivisionByZero) {
  EXPECT_EQ(complaint("add(2147483647, 1)"), "operator +: the result does not fit into an int, which has 32 bits");
  EXPECT_EQ(complaint("multiply(65536, 65536)"), "operator *: the result does not fit into an int, which has 32 bits");
  EXPECT_EQ(complaint("divide(1, 0)"), "operator /: an int is divided by 0");
  EXPECT_EQ(complaint("modulus(1, 0)"), "operator %: an int is divided by 0");
  EXPECT_EQ(complaint("sum({2147483647, 1})"), "sum: the result does not fit into an int, which has 32 bits");
  EXPECT_EQ(complaint("choose(40, 20)"), "choose: the result does not fit into an int, which has 32 bits");
}

TEST(BuiltinErrors, Emptiness_IsRefusedOrHasAValue) {
  EXPECT_EQ(complaint("mean([]')"), "mean: its argument has no elements");
  EXPECT_EQ(complaint("max({})"), "max: its argument has no elements");
  EXPECT_EQ(apply_builtin("sum", std::vector<Operand>{read_call("f([]') = 0").arguments}).numbers,
            std::vector<double>{0});
  EXPECT_EQ(apply_builtin("normal_lpdf", read_call("f([]', 0, 1) = 0").arguments).numbers, std::vector<double>{0});
  EXPECT_EQ(apply_builtin("normal_cdf", read_call("f([]', 0, 1) = 0").arguments).numbers, std::vector<double>{1});
}

TEST(BuiltinErrors, Parameters_WhereDataIsNeeded) {
  const Operand parameter = symbol_operand({Base::vector, 0}, parameter_leaf("theta", Shape{3}, 0));
  const auto complaint_of = [](std::string_view function, std::vector<Operand> arguments) {
    try {
      apply_builtin(function, arguments);
    } catch (const ArgumentError& error) {
      return error.message + "; " + error.help;
    }
    return std::string("no complaint");
  };
  EXPECT_EQ(complaint_of("sort_indices_asc", {parameter}),
            "sort_indices_asc: works on data only, but an argument depends on parameters or on the row; "
            "compute it in transformed data");
  EXPECT_EQ(complaint_of("sort_asc", {symbol_operand({Base::vector, 0}, parameter_leaf("many", Shape{300}, 0))}),
            "sort_asc: at most 256 elements that depend on parameters can be sorted, these are 300; ");
  EXPECT_EQ(complaint_of("qr_Q", {symbol_operand({Base::matrix, 0}, parameter_leaf("tall", Shape{3, 2}, 0))}),
            "qr_Q: for a matrix that depends on parameters, it needs as many rows as columns, found a 3 x 2 matrix; ");
  EXPECT_EQ(
      complaint_of("rep_vector", {real_operand(1), symbol_operand({Base::integer, 0}, row_integer("n", Shape{}))}),
      "rep_vector: the size depends on parameters or on the row; it must depend on data only; ");
  EXPECT_EQ(complaint_of("no_such_function", {}), "there is no function named no_such_function; ");
  EXPECT_EQ(complaint_of("normal_rng", {}), "there is no function named normal_rng; ");
}

TEST(BuiltinErrors, CheckData_IsForColumnsBehindSymbols) {
  const auto complaint_of = [](std::string_view function, std::size_t argument, std::string_view text) {
    try {
      check_data(function, argument, read_value(text));
    } catch (const ArgumentError& error) {
      return error.message;
    }
    return std::string("no complaint");
  };
  EXPECT_EQ(complaint_of("poisson_lpmf", 0, "{0, 3, -2}"),
            "poisson: element [3] of the outcome is -2, must be 0 or more");
  EXPECT_EQ(complaint_of("poisson_lpmf", 0, "{0, 3, 2}"), "no complaint");
  EXPECT_EQ(complaint_of("normal_lpdf", 2, "[1, -2]'"), "normal: element [2] of the scale is -2, must be positive");
  EXPECT_EQ(complaint_of("exp", 0, "[1, -2]'"), "no complaint");
  EXPECT_EQ(complaint_of("normal_lpdf", 7, "[1, -2]'"), "no complaint");
}

}  // namespace
}  // namespace sgmcmc::stan
