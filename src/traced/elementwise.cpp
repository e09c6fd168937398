// Elementwise operations and densities: operands aligned from the right, their axes of rows at one place.
#include "graph/build.hpp"
#include "graph/node.hpp"
#include "traced/lowering.hpp"

#include <sgmcmc/distributions.hpp>

#include <algorithm>

namespace sgmcmc::traced {

namespace {

/// Whether a global value is known not to vary along an axis.
bool is_uniform(const Value& x, std::size_t axis) {
  if (axis < x.uniform.size() && x.uniform[axis]) return true;
  const Shape& shape = x.global.shape();
  if (shape[axis] == 1) return true;
  if (x.global.node().op != Op::constant) return false;
  const auto& values = *x.global.node().attributes.values;
  std::int64_t inner = 1;
  for (std::size_t k = axis + 1; k < shape.rank(); ++k) inner *= shape[k];
  for (std::int64_t flat = 0; flat < shape.size(); ++flat)
    if (values[static_cast<std::size_t>(flat)] !=
        values[static_cast<std::size_t>(flat - flat / inner % shape[axis] * inner)])
      return false;
  return true;
}

}  // namespace

Expression without_rows(const Value& x, std::size_t from_end, const TracedNode& node, std::int64_t batch_rows) {
  const Shape& shape = x.global.shape();
  if (shape.rank() < from_end) return x.global;
  const std::size_t axis = shape.rank() - from_end;
  if (shape[axis] == 1) return reshape(x.global, without_axis(shape, axis));
  if (is_uniform(x, axis)) return transpose_to_front(x.global, axis)[0];
  if (x.global.node().op == Op::constant)
    refuse(node.call, "a constant of shape " + shape.to_string() + " meets the " + std::to_string(batch_rows) +
                          " rows of the minibatch; rows change every step: put it into `dataset`");
  refuse(node.call, "an array of shape " + shape.to_string() + " that does not depend on the data meets the " +
                        std::to_string(batch_rows) +
                        " rows of the minibatch; rows change every step: index it by a column of `dataset`");
}

Value aligned(Lowering& lowering, const TracedNode& node, const Operands& operands,
              const std::function<Expression(const std::vector<Expression>&)>& function) {
  std::size_t rank = 0, from_end = 0;
  for (const auto& one : operands) {
    if (one.is_summed()) refuse(node.call, sum_misused);
    rank = std::max(rank, one.rank());
    if (!one.is_per_row()) continue;
    const std::size_t own = one.rank() - one.row_axis;
    if (from_end != 0 && own != from_end)
      refuse(node.call, "arrays whose rows lie along different axes meet: all " +
                            std::to_string(lowering.batch_rows()) + " x " + std::to_string(lowering.batch_rows()) +
                            " pairs of rows would be formed; use tf$squeeze to drop the axis of size 1");
    from_end = own;
  }
  std::vector<Expression> own;
  for (const auto& one : operands)
    own.push_back(one.is_global() && from_end != 0 ? without_rows(one, from_end, node, lowering.batch_rows())
                                                   : one.own());
  const Expression made = function(own);
  if (from_end != 0) return Value::of_row(made, rank - from_end);
  Value value = Value::of_all(made);
  for (std::size_t axis = 0; axis < rank && made.node().op != Op::constant; ++axis)
    value.uniform.push_back(made.shape()[axis] == lowering.batch_rows() &&
                            std::all_of(operands.begin(), operands.end(), [&](const Value& one) {
                              return one.rank() + axis < rank || is_uniform(one, one.rank() + axis - rank);
                            }));
  return value;
}

namespace {

using Operation = Expression (*)(const std::vector<Expression>& x);

template <Operation operation>
Value elementwise(Lowering& lowering, const TracedNode& node, const Operands& operands) {
  return aligned(lowering, node, operands, operation);
}

/// This operation, with global factors, keeps sums over rows.
template <Operation operation, bool second_may_be_sum>
Value linear(Lowering& lowering, const TracedNode& node, const Operands& operands) {
  const bool first = operands[0].is_summed(), second = operands[1].is_summed();
  if (!first && !second) return aligned(lowering, node, operands, operation);
  if ((first && second) || (second && !second_may_be_sum) || operands[0].is_per_row() || operands[1].is_per_row())
    refuse(node.call, sum_misused);
  const Value& sum = first ? operands[0] : operands[1];
  const auto with = [&](const Expression& part) {
    return first ? operation({part, operands[1].global}) : operation({operands[0].global, part});
  };
  return Value::sum_of(with(sum.row), sum.global ? with(sum.global) : Expression());
}

Expression add(const std::vector<Expression>& x) { return x[0] + x[1]; }
Expression subtract(const std::vector<Expression>& x) { return x[0] - x[1]; }
Expression multiply(const std::vector<Expression>& x) { return x[0] * x[1]; }
Expression divide(const std::vector<Expression>& x) { return x[0] / x[1]; }

/// For sums over rows, per-row terms and global terms are added separately.
template <Operation operation>
Value additive(Lowering& lowering, const TracedNode& node, const Operands& operands) {
  const Value &a = operands[0], &b = operands[1];
  if (!a.is_summed() && !b.is_summed()) return aligned(lowering, node, operands, operation);
  if (a.is_per_row() || b.is_per_row()) refuse(node.call, sum_misused);
  const Shape shape = operation({a.own(), b.own()}).shape();
  const auto part = [&](const Expression& left, const Expression& right) {
    if (!left && !right) return Expression();
    const Expression zero(0.0);
    const Expression made = operation({left ? left : zero, right ? right : zero});
    return made.shape() == shape ? made : broadcast_to(made, shape);
  };
  return Value::sum_of(part(a.row, b.row), part(a.global, b.global));
}

Value negate(Lowering& lowering, const TracedNode& node, const Operands& operands) {
  const Value& x = operands[0];
  if (x.is_summed()) return Value::sum_of(-x.row, x.global ? -x.global : Expression());
  return aligned(lowering, node, operands, [](const auto& e) { return -e[0]; });
}

#define SGMCMC_TRACED(op, expression)                                                \
  {                                                                                  \
    op, &elementwise<+[](const std::vector<Expression>& x) { return (expression); }> \
  }

}  // namespace

// Densities take the outcome last, as methods of distributions do: normal(loc, scale, x).
const std::vector<NamedRule> elementwise_rules = {
    {"add", &additive<add>},
    {"subtract", &additive<subtract>},
    {"multiply", &linear<multiply, true>},
    {"divide", &linear<divide, false>},
    {"negative", &negate},
    SGMCMC_TRACED("identity", x[0]),
    SGMCMC_TRACED("exp", exp(x[0])),
    SGMCMC_TRACED("log", log(x[0])),
    SGMCMC_TRACED("log1p", log1p(x[0])),
    SGMCMC_TRACED("expm1", expm1(x[0])),
    SGMCMC_TRACED("sqrt", sqrt(x[0])),
    SGMCMC_TRACED("rsqrt", inv_sqrt(x[0])),
    SGMCMC_TRACED("square", square(x[0])),
    SGMCMC_TRACED("abs", abs(x[0])),
    SGMCMC_TRACED("sign", sign(x[0])),
    SGMCMC_TRACED("floor", floor(x[0])),
    SGMCMC_TRACED("ceil", ceil(x[0])),
    SGMCMC_TRACED("round", round(x[0])),
    SGMCMC_TRACED("trunc", trunc(x[0])),
    SGMCMC_TRACED("reciprocal", reciprocal(x[0])),
    SGMCMC_TRACED("sin", sin(x[0])),
    SGMCMC_TRACED("cos", cos(x[0])),
    SGMCMC_TRACED("tan", tan(x[0])),
    SGMCMC_TRACED("asin", asin(x[0])),
    SGMCMC_TRACED("acos", acos(x[0])),
    SGMCMC_TRACED("atan", atan(x[0])),
    SGMCMC_TRACED("sinh", sinh(x[0])),
    SGMCMC_TRACED("cosh", cosh(x[0])),
    SGMCMC_TRACED("tanh", tanh(x[0])),
    SGMCMC_TRACED("lgamma", lgamma(x[0])),
    SGMCMC_TRACED("digamma", digamma(x[0])),
    SGMCMC_TRACED("erf", erf(x[0])),
    SGMCMC_TRACED("erfc", erfc(x[0])),
    SGMCMC_TRACED("sigmoid", logistic(x[0])),
    SGMCMC_TRACED("log_sigmoid", log_logistic(x[0])),
    SGMCMC_TRACED("softplus", log1p_exp(x[0])),
    SGMCMC_TRACED("relu", max(x[0], 0.0)),
    SGMCMC_TRACED("logical_not", 1.0 - x[0]),
    SGMCMC_TRACED("pow", pow(x[0], x[1])),
    SGMCMC_TRACED("maximum", max(x[0], x[1])),
    SGMCMC_TRACED("minimum", min(x[0], x[1])),
    SGMCMC_TRACED("less", x[0] < x[1]),
    SGMCMC_TRACED("less_equal", x[0] <= x[1]),
    SGMCMC_TRACED("greater", x[0] > x[1]),
    SGMCMC_TRACED("greater_equal", x[0] >= x[1]),
    SGMCMC_TRACED("equal", equal(x[0], x[1])),
    SGMCMC_TRACED("not_equal", not_equal(x[0], x[1])),
    SGMCMC_TRACED("logical_and", x[0] * x[1]),
    SGMCMC_TRACED("logical_or", max(x[0], x[1])),
    SGMCMC_TRACED("squared_difference", square(x[0] - x[1])),
    SGMCMC_TRACED("xlogy", multiply_log(x[0], x[1])),
    SGMCMC_TRACED("where", select(x[0], x[1], x[2])),
    // Distributions.
    SGMCMC_TRACED("normal_lpdf", normal_lpdf(x[2], x[0], x[1])),
    SGMCMC_TRACED("student_t_lpdf", student_t_lpdf(x[3], x[0], x[1], x[2])),
    SGMCMC_TRACED("gamma_lpdf", gamma_lpdf(x[2], x[0], x[1])),
    SGMCMC_TRACED("inv_gamma_lpdf", inv_gamma_lpdf(x[2], x[0], x[1])),
    SGMCMC_TRACED("beta_lpdf", beta_lpdf(x[2], x[0], x[1])),
    SGMCMC_TRACED("exponential_lpdf", exponential_lpdf(x[1], x[0])),
    SGMCMC_TRACED("laplace_lpdf", laplace_lpdf(x[2], x[0], x[1])),
    SGMCMC_TRACED("cauchy_lpdf", cauchy_lpdf(x[2], x[0], x[1])),
    SGMCMC_TRACED("logistic_lpdf", logistic_lpdf(x[2], x[0], x[1])),
    SGMCMC_TRACED("gumbel_lpdf", gumbel_lpdf(x[2], x[0], x[1])),
    SGMCMC_TRACED("lognormal_lpdf", lognormal_lpdf(x[2], x[0], x[1])),
    SGMCMC_TRACED("uniform_lpdf", uniform_lpdf(x[2], x[0], x[1])),
    SGMCMC_TRACED("chi_square_lpdf", chi_square_lpdf(x[1], x[0])),
    SGMCMC_TRACED("half_normal_lpdf", half_normal_lpdf(x[1], x[0])),
    SGMCMC_TRACED("half_cauchy_lpdf", half_cauchy_lpdf(x[1], x[0])),
    SGMCMC_TRACED("bernoulli_lpmf", bernoulli_lpmf(x[1], x[0])),
    SGMCMC_TRACED("bernoulli_logit_lpmf", bernoulli_logit_lpmf(x[1], x[0])),
    SGMCMC_TRACED("binomial_lpmf", binomial_lpmf(x[2], x[0], x[1])),
    SGMCMC_TRACED("binomial_logit_lpmf", binomial_logit_lpmf(x[2], x[0], x[1])),
    SGMCMC_TRACED("poisson_lpmf", poisson_lpmf(x[1], x[0])),
    SGMCMC_TRACED("poisson_log_lpmf", poisson_log_lpmf(x[1], x[0])),
};

}  // namespace sgmcmc::traced
