// Types of calls, the names of the table, and messages about functions that are not in it.
#include "stan/builtins/signatures.hpp"
#include "stan/builtins/builtins.hpp"
#include "stan/builtins/patterns.hpp"
#include "stan/builtins/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace sgmcmc::stan {
namespace {

constexpr Type integer{Base::integer, 0}, real{Base::real, 0}, vector{Base::vector, 0}, row_vector{Base::row_vector, 0},
    matrix{Base::matrix, 0};
constexpr Type array_of(Type type) { return {type.base, type.array_rank + 1}; }

std::string type_of(std::string_view function, std::vector<Type> arguments) {
  const auto type = result_type(function, arguments);
  return type ? type->to_string() : "none";
}

TEST(Signatures, Overloads_TheClosestWins) {
  EXPECT_EQ(type_of("add", {integer, integer}), "int");
  EXPECT_EQ(type_of("add", {integer, real}), "real");
  EXPECT_EQ(type_of("add", {integer, vector}), "vector");
  EXPECT_EQ(type_of("add", {vector, row_vector}), "none");
  EXPECT_EQ(type_of("add", {array_of(real), array_of(real)}), "none");
  EXPECT_EQ(type_of("abs", {integer}), "int");
  EXPECT_EQ(type_of("abs", {array_of(integer)}), "array[] int");
  EXPECT_EQ(type_of("abs", {vector}), "vector");
  EXPECT_EQ(type_of("sum", {array_of(integer)}), "int");
  EXPECT_EQ(type_of("sum", {array_of(real)}), "real");
  EXPECT_EQ(type_of("max", {integer, integer}), "int");
}

TEST(Signatures, LinearAlgebra_FollowsShapes) {
  EXPECT_EQ(type_of("multiply", {row_vector, vector}), "real");
  EXPECT_EQ(type_of("multiply", {vector, row_vector}), "matrix");
  EXPECT_EQ(type_of("multiply", {matrix, vector}), "vector");
  EXPECT_EQ(type_of("multiply", {row_vector, matrix}), "row_vector");
  EXPECT_EQ(type_of("multiply", {vector, vector}), "none");
  EXPECT_EQ(type_of("multiply", {integer, matrix}), "matrix");
  EXPECT_EQ(type_of("divide", {real, vector}), "none");
  EXPECT_EQ(type_of("divide", {integer, integer}), "int");
}

TEST(Signatures, ElementwiseFunctions_TakeEveryContainer) {
  EXPECT_EQ(type_of("exp", {integer}), "real");
  EXPECT_EQ(type_of("exp", {array_of(array_of(integer))}), "array[,] real");
  EXPECT_EQ(type_of("exp", {array_of(row_vector)}), "array[] row_vector");
  EXPECT_EQ(type_of("pow", {vector, integer}), "vector");
  EXPECT_EQ(type_of("pow", {array_of(integer), array_of(real)}), "array[] real");
  EXPECT_EQ(type_of("pow", {vector, row_vector}), "none");
  EXPECT_EQ(type_of("exp", {real, real}), "none");
}

TEST(Signatures, GenericContainers_KeepTheirElements) {
  EXPECT_EQ(type_of("rep_array", {vector, integer, integer}), "array[,] vector");
  EXPECT_EQ(type_of("append_array", {array_of(integer), array_of(real)}), "array[] real");
  EXPECT_EQ(type_of("append_array", {array_of(vector), array_of(row_vector)}), "none");
  EXPECT_EQ(type_of("head", {array_of(array_of(matrix)), integer}), "array[,] matrix");
  EXPECT_EQ(type_of("head", {real, integer}), "none");
}

TEST(Signatures, Densities_AreVectorised) {
  EXPECT_EQ(type_of("normal_lpdf", {vector, real, array_of(integer)}), "real");
  EXPECT_EQ(type_of("normal_lpdf", {matrix, real, real}), "none");
  EXPECT_EQ(type_of("normal_lpdf", {array_of(vector), real, real}), "none");
  EXPECT_EQ(type_of("poisson_lpmf", {real, real}), "none");
  EXPECT_EQ(type_of("poisson_lpmf", {array_of(integer), vector}), "real");
  EXPECT_EQ(type_of("multi_normal_lpdf", {array_of(vector), row_vector, matrix}), "real");
  EXPECT_EQ(type_of("normal_rng", {real, vector}), "array[] real");
  EXPECT_EQ(type_of("poisson_rng", {real}), "int");
  EXPECT_EQ(type_of("multi_normal_rng", {array_of(vector), matrix}), "array[] vector");
}

TEST(Signatures, Text_HasTypesOnly) {
  EXPECT_EQ(signatures("normal_lpdf"), std::vector<std::string>{"normal_lpdf(reals | reals, reals): real"});
  EXPECT_EQ(signatures("std_normal_lpdf"), std::vector<std::string>{"std_normal_lpdf(reals): real"});
  EXPECT_EQ(signatures("normal_rng"), std::vector<std::string>{"normal_rng(reals, reals): reals"});
  EXPECT_EQ(signatures("std_normal_rng"), std::vector<std::string>{"std_normal_rng(): reals"});
  EXPECT_EQ(signatures("pi"), std::vector<std::string>{"pi(): real"});
  EXPECT_TRUE(signatures("no_such_function").empty());
}

TEST(Signatures, Names_AreKnown) {
  EXPECT_TRUE(is_function("log_sum_exp"));
  EXPECT_TRUE(is_function("normal_log"));
  EXPECT_FALSE(is_function("normal"));
  EXPECT_TRUE(is_distribution("normal"));
  EXPECT_TRUE(is_distribution("poisson_log"));
  EXPECT_FALSE(is_distribution("exp"));
  EXPECT_EQ(density_suffix("normal"), "_lpdf");
  EXPECT_EQ(density_suffix("poisson"), "_lpmf");
  const auto functions = function_names();
  EXPECT_TRUE(std::is_sorted(functions.begin(), functions.end()));
  EXPECT_FALSE(std::binary_search(functions.begin(), functions.end(), "normal_log"));
  const auto distributions = distribution_names();
  EXPECT_TRUE(std::is_sorted(distributions.begin(), distributions.end()));
  EXPECT_TRUE(std::binary_search(distributions.begin(), distributions.end(), "multi_normal_cholesky"));
}

TEST(Signatures, EveryDensity_HasRanksForItsArguments) {
  for (const auto& name : distribution_names()) {
    const std::string full = name + std::string(density_suffix(name));
    const auto ranks = outcome_ranks(full);
    EXPECT_EQ(ranks.size(), table().find(full)->signatures[0].arguments.size()) << full;
    EXPECT_EQ(outcome_ranks(name + (full.ends_with("lpdf") ? "_lupdf" : "_lupmf")), ranks);
  }
  EXPECT_EQ(outcome_ranks("multi_normal_lpdf"), (std::vector<int>{1, 1, 2}));
  EXPECT_EQ(outcome_ranks("normal_lcdf"), (std::vector<int>{0, 0, 0}));
  EXPECT_TRUE(outcome_ranks("exp").empty());
}

TEST(Signatures, NamesOfTheLanguage_AreSupportedOrExplained) {
  // What the language's functions reference lists, in groups, without densities.
  const std::string_view names[] = {"Phi",
                                    "Phi_approx",
                                    "abs",
                                    "acos",
                                    "acosh",
                                    "add_diag",
                                    "algebra_solver",
                                    "append_array",
                                    "append_col",
                                    "append_row",
                                    "asin",
                                    "asinh",
                                    "atan",
                                    "atan2",
                                    "atanh",
                                    "bessel_first_kind",
                                    "bessel_second_kind",
                                    "beta",
                                    "block",
                                    "cbrt",
                                    "ceil",
                                    "chol2inv",
                                    "cholesky_decompose",
                                    "choose",
                                    "col",
                                    "cols",
                                    "columns_dot_product",
                                    "columns_dot_self",
                                    "cos",
                                    "cosh",
                                    "crossprod",
                                    "csr_extract_u",
                                    "csr_extract_v",
                                    "csr_extract_w",
                                    "csr_matrix_times_vector",
                                    "csr_to_dense_matrix",
                                    "cumulative_sum",
                                    "determinant",
                                    "diag_matrix",
                                    "diag_post_multiply",
                                    "diag_pre_multiply",
                                    "diagonal",
                                    "digamma",
                                    "dims",
                                    "distance",
                                    "dot_product",
                                    "dot_self",
                                    "e",
                                    "eigenvalues_sym",
                                    "eigenvectors_sym",
                                    "erf",
                                    "erfc",
                                    "exp",
                                    "exp2",
                                    "expm1",
                                    "falling_factorial",
                                    "fdim",
                                    "floor",
                                    "fma",
                                    "fmax",
                                    "fmin",
                                    "fmod",
                                    "gamma_p",
                                    "gamma_q",
                                    "generalized_inverse",
                                    "gp_dot_prod_cov",
                                    "gp_exp_quad_cov",
                                    "gp_exponential_cov",
                                    "gp_matern32_cov",
                                    "gp_matern52_cov",
                                    "gp_periodic_cov",
                                    "head",
                                    "hmm_latent_rng",
                                    "hmm_marginal",
                                    "hypot",
                                    "identity_matrix",
                                    "inc_beta",
                                    "int_step",
                                    "integrate_1d",
                                    "integrate_ode_rk45",
                                    "inv",
                                    "inv_Phi",
                                    "inv_cloglog",
                                    "inv_erfc",
                                    "inv_logit",
                                    "inv_sqrt",
                                    "inv_square",
                                    "inverse",
                                    "inverse_spd",
                                    "is_inf",
                                    "is_nan",
                                    "lambert_w0",
                                    "lambert_wm1",
                                    "lbeta",
                                    "lchoose",
                                    "ldexp",
                                    "lgamma",
                                    "linspaced_array",
                                    "linspaced_int_array",
                                    "linspaced_row_vector",
                                    "linspaced_vector",
                                    "lmgamma",
                                    "lmultiply",
                                    "log",
                                    "log10",
                                    "log1m",
                                    "log1m_exp",
                                    "log1m_inv_logit",
                                    "log1p",
                                    "log1p_exp",
                                    "log2",
                                    "log_determinant",
                                    "log_diff_exp",
                                    "log_falling_factorial",
                                    "log_inv_logit",
                                    "log_inv_logit_diff",
                                    "log_mix",
                                    "log_rising_factorial",
                                    "log_softmax",
                                    "log_sum_exp",
                                    "logit",
                                    "machine_precision",
                                    "map_rect",
                                    "matrix_exp",
                                    "matrix_exp_multiply",
                                    "matrix_power",
                                    "max",
                                    "mdivide_left_spd",
                                    "mdivide_left_tri_low",
                                    "mdivide_right_spd",
                                    "mdivide_right_tri_low",
                                    "mean",
                                    "min",
                                    "modified_bessel_first_kind",
                                    "modified_bessel_second_kind",
                                    "multiply_lower_tri_self_transpose",
                                    "negative_infinity",
                                    "norm1",
                                    "norm2",
                                    "not_a_number",
                                    "num_elements",
                                    "ode_bdf",
                                    "ode_rk45",
                                    "one_hot_array",
                                    "one_hot_int_array",
                                    "one_hot_row_vector",
                                    "one_hot_vector",
                                    "ones_array",
                                    "ones_int_array",
                                    "ones_row_vector",
                                    "ones_vector",
                                    "owens_t",
                                    "pi",
                                    "positive_infinity",
                                    "pow",
                                    "prod",
                                    "qr_Q",
                                    "qr_R",
                                    "qr_thin_Q",
                                    "qr_thin_R",
                                    "quad_form",
                                    "quad_form_diag",
                                    "quad_form_sym",
                                    "quantile",
                                    "rank",
                                    "rep_array",
                                    "rep_matrix",
                                    "rep_row_vector",
                                    "rep_vector",
                                    "reverse",
                                    "rising_factorial",
                                    "round",
                                    "row",
                                    "rows",
                                    "rows_dot_product",
                                    "rows_dot_self",
                                    "scale_matrix_exp_multiply",
                                    "sd",
                                    "segment",
                                    "sin",
                                    "singular_values",
                                    "sinh",
                                    "size",
                                    "softmax",
                                    "sort_asc",
                                    "sort_desc",
                                    "sort_indices_asc",
                                    "sort_indices_desc",
                                    "sqrt",
                                    "sqrt2",
                                    "square",
                                    "squared_distance",
                                    "std_normal_qf",
                                    "step",
                                    "sub_col",
                                    "sub_row",
                                    "sum",
                                    "svd_U",
                                    "svd_V",
                                    "symmetrize_from_lower_tri",
                                    "tail",
                                    "tan",
                                    "tanh",
                                    "tcrossprod",
                                    "tgamma",
                                    "to_array_1d",
                                    "to_array_2d",
                                    "to_complex",
                                    "to_int",
                                    "to_matrix",
                                    "to_row_vector",
                                    "to_vector",
                                    "trace",
                                    "trace_gen_quad_form",
                                    "trace_quad_form",
                                    "trigamma",
                                    "trunc",
                                    "uniform_simplex",
                                    "variance",
                                    "zeros_array",
                                    "zeros_int_array",
                                    "zeros_row_vector",
                                    "zeros_vector"};
  for (const auto name : names) EXPECT_NE(is_function(name), !unsupported_hint(name).empty()) << name;
  EXPECT_EQ(unsupported_hint("map_rect"), "write the plain loop: rows are split among threads anyway");
  EXPECT_EQ(unsupported_hint("ode_rk45_tol"), unsupported_hint("ode_rk45"));
  EXPECT_TRUE(unsupported_hint("exp").empty());
}

TEST(Patterns, WrongText_IsABug) {
  EXPECT_THROW(parse_signature("real exp(real)"), std::logic_error);
  EXPECT_THROW(parse_signature("(positive): real"), std::logic_error);
  EXPECT_THROW(parse_signature("(number): real"), std::logic_error);
  Table twice;
  twice.add("f", {"(real): real"}, {});
  EXPECT_THROW(twice.add("f", {"(real): real"}, {}), std::logic_error);
  EXPECT_THROW(twice.alias("g", "h"), std::logic_error);
}

}  // namespace
}  // namespace sgmcmc::stan
