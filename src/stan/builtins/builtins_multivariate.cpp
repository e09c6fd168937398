// Densities of vectors and matrices.
#include "stan/builtins/laws.hpp"

#include <sgmcmc/distributions.hpp>

#include <numbers>

namespace sgmcmc::stan {
namespace {

/// Vector arguments for one outcome must have equal lengths, and arrays of them equal numbers of entries.
void require_fit(const BuiltinCall& call, std::initializer_list<std::size_t> vectors, std::int64_t dimension) {
  std::vector<std::size_t> arrays;
  for (const std::size_t i : vectors) {
    if (call[i].dims.back() != dimension)
      refuse(call,
             "the sizes differ: " + shape_text(call[i]) + " where " + std::to_string(dimension) + " are expected");
    if (call[i].type.array_rank > 0) arrays.push_back(i);
  }
  outcome_count(call, arrays);
}

void require_square(const BuiltinCall& call, std::size_t i) {
  if (call[i].dims[0] != call[i].dims[1]) refuse(call, shape_text(call[i]) + " is not square");
}

/// Outcomes, if there are as many as locations.
Expression outcomes(const Operand& x, const Operand& other) {
  const Expression value = as_expression(x);
  return x.dims.size() < other.dims.size() ? broadcast_to(value, Shape(other.dims)) : value;
}

using Located = Expression (*)(const Expression&, const Expression&, const Expression&);

/// (outcomes | locations, matrix).
Apply located(Located function) {
  return [function](const BuiltinCall& call) {
    require_square(call, 2);
    require_fit(call, {0, 1}, call[2].dims[0]);
    if (call[0].size() == 0 || call[1].size() == 0) return real_operand(0);
    return symbol_operand(real_type,
                          function(outcomes(call[0], call[1]), as_expression(call[1]), as_expression(call[2])));
  };
}

using LocatedDegrees = Expression (*)(const Expression&, const Expression&, const Expression&, const Expression&);

Apply located_with_degrees(LocatedDegrees function) {
  return [function](const BuiltinCall& call) {
    require_square(call, 3);
    require_fit(call, {0, 2}, call[3].dims[0]);
    if (call[0].size() == 0 || call[2].size() == 0) return real_operand(0);
    return symbol_operand(real_type, function(outcomes(call[0], call[2]), as_expression(call[1]),
                                              as_expression(call[2]), as_expression(call[3])));
  };
}

using MatrixLaw = Expression (*)(const Expression&, const Expression&, const Expression&);

/// (matrix | degrees, matrix) of equal sizes.
Apply matrix_law(MatrixLaw function) {
  return [function](const BuiltinCall& call) {
    require_square(call, 0);
    require_same_dims(call, call[0], call[2]);
    return symbol_operand(real_type, function(as_expression(call[0]), as_expression(call[1]), as_expression(call[2])));
  };
}

/// Density of a lower Cholesky factor L: the density of L L' and the Jacobian.
Apply factor_law(MatrixLaw function) {
  return [function](const BuiltinCall& call) {
    require_square(call, 0);
    require_same_dims(call, call[0], call[2]);
    const std::int64_t size = call[0].dims[0];
    std::vector<double> power;
    for (std::int64_t i = 0; i < size; ++i) power.push_back(static_cast<double>(size - i));
    const Expression factor = as_expression(call[0]), log_diagonal = log(diagonal(factor));
    const Expression density = function(multiply_lower_tri_self_transpose(factor), as_expression(call[1]),
                                        multiply_lower_tri_self_transpose(as_expression(call[2])));
    return symbol_operand(real_type,
                          density + dot(constant(power), log_diagonal) + static_cast<double>(size) * std::numbers::ln2);
  };
}

/// (matrix of series in rows | matrix, weights).
Apply series_law(MatrixLaw function) {
  return [function](const BuiltinCall& call) {
    require_square(call, 1);
    if (call[0].dims[1] != call[1].dims[0] || call[0].dims[0] != call[2].dims[0])
      refuse(call, "the sizes differ: outcomes " + shape_text(call[0]) + ", covariance " + shape_text(call[1]) +
                       ", weights " + shape_text(call[2]));
    if (call[0].size() == 0) return real_operand(0);
    return symbol_operand(real_type, function(as_expression(call[0]), as_expression(call[1]), as_expression(call[2])));
  };
}

using CountsLaw = Expression (*)(const Expression&, const Expression&);

Apply counts_law(CountsLaw function) {
  return [function](const BuiltinCall& call) {
    require_fit(call, {0, 1}, call[0].dims.back());
    if (call[0].size() == 0) return real_operand(0);
    return symbol_operand(real_type, function(as_expression(call[0]), as_expression(call[1])));
  };
}

Operand dirichlet(const BuiltinCall& call) {
  require_fit(call, {0, 1}, call[0].dims.back());
  if (call[0].size() == 0 || call[1].size() == 0) return real_operand(0);
  return symbol_operand(real_type, dirichlet_lpdf(outcomes(call[0], call[1]), as_expression(call[1])));
}

Apply correlation_law(CountsLaw function) {
  return [function](const BuiltinCall& call) {
    require_square(call, 0);
    if (call[0].size() == 0) return real_operand(0);
    return symbol_operand(real_type, function(as_expression(call[0]), as_expression(call[1])));
  };
}

/// Counts with Dirichlet-distributed probabilities.
Expression dirichlet_multinomial(const Expression& y, const Expression& alpha) {
  const Expression total = sum(y), mass = sum(alpha);
  return lgamma(mass) + lgamma(total + 1.0) - lgamma(total + mass) +
         sum(lgamma(y + alpha) - lgamma(alpha) - lgamma(y + 1.0));
}

}  // namespace

void add_multivariate(Table& table) {
  add_density(table, "multi_normal", "lpdf",
              {"(vectors outcome | finite vectors location, positive_definite matrix covariance): real"}, {1, 1, 2},
              located(multi_normal_lpdf));
  add_density(table, "multi_normal_prec", "lpdf",
              {"(vectors outcome | finite vectors location, positive_definite matrix precision): real"}, {1, 1, 2},
              located(multi_normal_prec_lpdf));
  add_density(table, "multi_normal_cholesky", "lpdf",
              {"(vectors outcome | finite vectors location, factor matrix Cholesky factor): real"}, {1, 1, 2},
              located(multi_normal_cholesky_lpdf));
  add_density(table, "multi_student_t", "lpdf",
              {"(vectors outcome | positive real number of degrees of freedom, finite vectors location, "
               "positive_definite matrix scale): real"},
              {1, 0, 1, 2}, located_with_degrees(multi_student_t_lpdf));
  add_density(table, "multi_student_t_cholesky", "lpdf",
              {"(vectors outcome | positive real number of degrees of freedom, finite vectors location, "
               "factor matrix Cholesky factor): real"},
              {1, 0, 1, 2}, located_with_degrees(multi_student_t_cholesky_lpdf));
  add_density(
      table, "multi_gp", "lpdf",
      {"(matrix outcome | positive_definite matrix covariance, positive_finite vector vector of weights): real"},
      {2, 2, 1}, series_law(multi_gp_lpdf));
  add_density(table, "multi_gp_cholesky", "lpdf",
              {"(matrix outcome | factor matrix Cholesky factor, positive_finite vector vector of weights): real"},
              {2, 2, 1}, series_law(multi_gp_cholesky_lpdf));

  add_density(table, "dirichlet", "lpdf", {"(simplex vectors outcome | positive_finite vectors concentration): real"},
              {1, 1}, dirichlet);
  add_density(table, "multinomial", "lpmf",
              {"(count array[] int outcome | simplex vector vector of probabilities): real"}, {1, 1},
              counts_law(multinomial_lpmf));
  add_density(table, "multinomial_logit", "lpmf",
              {"(count array[] int outcome | finite vector vector of logits): real"}, {1, 1},
              counts_law(multinomial_logit_lpmf));
  add_density(table, "dirichlet_multinomial", "lpmf",
              {"(count array[] int outcome | positive_finite vector concentration): real"}, {1, 1},
              counts_law(dirichlet_multinomial));

  const std::initializer_list<std::string_view> of_matrices{
      "(positive_definite matrix outcome | positive real number of degrees of freedom, positive_definite matrix "
      "scale): real"};
  add_density(table, "wishart", "lpdf", of_matrices, {2, 0, 2}, matrix_law(wishart_lpdf));
  add_density(table, "inv_wishart", "lpdf", of_matrices, {2, 0, 2}, matrix_law(inv_wishart_lpdf));
  const std::initializer_list<std::string_view> of_factors{
      "(factor matrix outcome | positive real number of degrees of freedom, factor matrix Cholesky factor): real"};
  add_density(table, "wishart_cholesky", "lpdf", of_factors, {2, 0, 2}, factor_law(wishart_lpdf));
  add_density(table, "inv_wishart_cholesky", "lpdf", of_factors, {2, 0, 2}, factor_law(inv_wishart_lpdf));
  add_density(table, "lkj_corr", "lpdf", {"(positive_definite matrix outcome | positive_finite real shape): real"},
              {2, 0}, correlation_law(lkj_corr_lpdf));
  add_density(table, "lkj_corr_cholesky", "lpdf", {"(factor matrix outcome | positive_finite real shape): real"},
              {2, 0}, correlation_law(lkj_corr_cholesky_lpdf));
}

}  // namespace sgmcmc::stan
