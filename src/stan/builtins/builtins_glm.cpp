// Generalised linear models: densities of y given a matrix of predictors, or of one outcome given a row of it.
#include "stan/builtins/laws.hpp"

#include <sgmcmc/distributions.hpp>

namespace sgmcmc::stan {
namespace {

/// (outcomes | predictors, intercept, coefficients, ...): several outcomes may share one row of predictors, and one
/// outcome may have several rows.
void require_fit(const BuiltinCall& call, std::size_t coefficients, std::initializer_list<std::size_t> per_outcome) {
  const Operand& x = call[1];
  if (x.dims.back() != call[coefficients].dims[0])
    refuse(call, "the predictors are " + shape_text(x) + " but there are " +
                     std::to_string(call[coefficients].dims[0]) + " coefficients");
  std::vector<std::size_t> sized(per_outcome);
  if (x.type == matrix_type) sized.push_back(1);
  outcome_count(call, sized);
}

/// x beta, for one row or for all.
Expression linear(const Operand& x, const Operand& beta) {
  if (beta.size() == 0) return constant({0.0}, Shape{});
  const Expression predictors = as_expression(x), coefficients = as_expression(beta);
  if (x.type == matrix_type || beta.dims.size() == 2) return matmul(predictors, coefficients);
  return dot(predictors, coefficients);
}

bool has_outcomes(const BuiltinCall& call) {
  return call[0].size() > 0 && (call[1].dims.size() < 2 || call[1].dims[0] > 0);
}

/// Sums the terms; a scalar term is multiplied by the number of rows that share it.
Operand summed(const BuiltinCall& call, const Expression& terms) {
  const Expression total = sum(terms);
  if (!terms.shape().is_scalar() || call[1].type != matrix_type) return symbol_operand(real_type, total);
  return symbol_operand(real_type, total * static_cast<double>(call[1].dims[0]));
}

using Count = Expression (*)(const Expression&, const Expression&);

Apply count_glm(Count density) {
  return [density](const BuiltinCall& call) {
    require_fit(call, 3, {0, 2});
    if (!has_outcomes(call)) return real_operand(0);
    return summed(call, density(as_expression(call[0]), as_expression(call[2]) + linear(call[1], call[3])));
  };
}

using Scaled = Expression (*)(const Expression&, const Expression&, const Expression&);

Apply scaled_glm(Scaled density) {
  return [density](const BuiltinCall& call) {
    require_fit(call, 3, {0, 2, 4});
    if (!has_outcomes(call)) return real_operand(0);
    const Expression location = as_expression(call[2]) + linear(call[1], call[3]);
    return summed(call, density(as_expression(call[0]), location, as_expression(call[4])));
  };
}

/// The number of trials is the second argument, before the predictors.
Operand binomial_logit_glm(const BuiltinCall& call) {
  const Operand reordered[] = {call[0], call[2], call[3], call[4], call[1]};
  const BuiltinCall glm{call.name, reordered};
  require_fit(glm, 3, {0, 2, 4});
  if (!has_outcomes(glm)) return real_operand(0);
  const Expression logit = as_expression(glm[2]) + linear(glm[1], glm[3]);
  return summed(glm, binomial_logit_lpmf(as_expression(glm[0]), as_expression(glm[4]), logit));
}

Operand ordered_logistic_glm(const BuiltinCall& call) {
  require_fit(call, 2, {0});
  require_in_range(call, call[0], call[3].dims[0] + 1);
  if (!has_outcomes(call)) return real_operand(0);
  return summed(call,
                ordered_logistic_lpmf(as_expression(call[0]), linear(call[1], call[2]), as_expression(call[3]), 1));
}

Operand categorical_logit_glm(const BuiltinCall& call) {
  require_fit(call, 3, {0});
  require_in_range(call, call[0], call[2].dims[0]);
  if (call[3].dims[1] != call[2].dims[0])
    refuse(call, "there are " + std::to_string(call[2].dims[0]) + " intercepts and coefficients for " +
                     std::to_string(call[3].dims[1]) + " outcomes");
  if (!has_outcomes(call)) return real_operand(0);
  const Expression logits = linear(call[1], call[3]) + as_expression(call[2]);
  if (logits.shape().rank() == 1)
    return symbol_operand(real_type, sum(categorical_logit_lpmf(as_expression(call[0]), logits, 1)));
  const std::int64_t rows = logits.shape()[0], outcomes = logits.shape()[1];
  Expression chosen;
  if (call[0].is_data()) {
    Positions positions;
    for (std::int64_t i = 0; i < rows; ++i)
      positions.push_back(
          i * outcomes +
          static_cast<std::int64_t>(call[0].numbers[call[0].dims.empty() ? 0 : static_cast<std::size_t>(i)]) - 1);
    chosen = sum(take(logits, std::move(positions), Shape{rows}));
    return symbol_operand(real_type, chosen - sum(log_sum_exp(logits, 1)));
  }
  std::vector<Expression> terms;
  for (std::int64_t i = 0; i < rows; ++i) terms.push_back(categorical_logit_lpmf(element(call[0], i), logits[i], 1));
  return symbol_operand(real_type, sum(stack(terms)));
}

std::string with(const char* outcome, const char* predictors, const char* rest) {
  return std::string("(") + outcome + " outcome | " + predictors + " predictors, " + rest + "): real";
}

void add_glm_of(Table& table, const char* name, const char* suffix, const char* outcome, const char* rest,
                std::vector<int> ranks, Apply apply) {
  const std::string many = with(outcome, "matrix", rest), one = with(outcome, "row_vector", rest);
  add_density(table, name, suffix, {many, one}, std::move(ranks), std::move(apply));
}

}  // namespace

void add_glm(Table& table) {
  add_glm_of(table, "bernoulli_logit_glm", "lpmf", "binary ints", "reals intercept, vector vector of coefficients",
             {0, 1, 0, 1}, count_glm(bernoulli_logit_lpmf));
  add_glm_of(table, "poisson_log_glm", "lpmf", "count ints", "reals intercept, vector vector of coefficients",
             {0, 1, 0, 1}, count_glm(poisson_log_lpmf));
  add_glm_of(table, "normal_id_glm", "lpdf", "reals",
             "reals intercept, vector vector of coefficients, positive reals scale", {0, 1, 0, 1, 0},
             scaled_glm(normal_lpdf));
  add_glm_of(table, "neg_binomial_2_log_glm", "lpmf", "count ints",
             "reals intercept, vector vector of coefficients, positive reals dispersion", {0, 1, 0, 1, 0},
             scaled_glm(neg_binomial_2_log_lpmf));
  add_glm_of(table, "ordered_logistic_glm", "lpmf", "natural ints",
             "vector vector of coefficients, ordered vector vector of cutpoints", {0, 1, 1, 1}, ordered_logistic_glm);
  add_glm_of(table, "categorical_logit_glm", "lpmf", "natural ints", "vector intercepts, matrix coefficients",
             {0, 1, 1, 2}, categorical_logit_glm);
  add_density(table, "binomial_logit_glm", "lpmf",
              {"(count ints outcome | count ints number of trials, matrix predictors, reals intercept, "
               "vector vector of coefficients): real",
               "(count ints outcome | count ints number of trials, row_vector predictors, reals intercept, "
               "vector vector of coefficients): real"},
              {0, 0, 1, 0, 1}, binomial_logit_glm);
}

}  // namespace sgmcmc::stan
