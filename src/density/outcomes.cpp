// One of K outcomes: probabilities, logits, and cutpoints of a latent location.
#include "density/stable.hpp"
#include "graph/node.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>

#include <limits>
#include <string>

namespace sgmcmc {
namespace {

/// Entry y of a table, with y row data or constants.
Expression pick(const Expression& table, const Expression& y, std::int64_t base) {
  if (!y || y.node().op != Op::constant) return gather(table, y, base);
  const Shape& shape = table.shape();
  if (shape.rank() != 1) throw ShapeError("outcomes: the table must be a vector, but is " + table.describe());
  std::vector<std::int64_t> positions;
  for (const double value : *y.node().attributes.values) {
    const auto position = static_cast<std::int64_t>(value) - base;
    if (position < 0 || position >= shape[0]) {
      throw ShapeError("outcomes: " + std::to_string(static_cast<std::int64_t>(value)) + " is not one of the " +
                       std::to_string(shape[0]) + " outcomes counted from " + std::to_string(base));
    }
    positions.push_back(position);
  }
  return take(table, std::move(positions), y.shape());
}

/// The cutpoints below and above every outcome; `far` replaces missing ones.
struct Cutpoints {
  Expression below, above;
};

Cutpoints cutpoints_of(const Expression& cutpoints, double far, const char* function) {
  if (!cutpoints || cutpoints.shape().rank() != 1 || cutpoints.shape()[0] < 1) {
    throw ShapeError(std::string(function) + ": the cutpoints must be a vector with at least one element" +
                     (cutpoints ? ", but are " + cutpoints.describe() : ""));
  }
  return {concatenate({Expression(-far), cutpoints}), concatenate({cutpoints, Expression(far)})};
}

}  // namespace

Expression categorical_lpmf(const Expression& y, const Expression& probabilities, std::int64_t base) {
  // Takes the log of a global table once; for a per-row table, only of the entry needed.
  if (probabilities.per_row()) return log_or_minus_infinity(pick(probabilities, y, base));
  return pick(log_or_minus_infinity(probabilities), y, base);
}

Expression categorical_logit_lpmf(const Expression& y, const Expression& logits, std::int64_t base) {
  return pick(logits, y, base) - log_sum_exp(logits);
}

Expression ordered_logistic_lpmf(const Expression& y, const Expression& location, const Expression& cutpoints,
                                 std::int64_t base) {
  // logistic(u) - logistic(v) = logistic(u) logistic(-v) (1 - exp(v - u)), and v - u depends on the cutpoints only.
  const auto [below, above] = cutpoints_of(cutpoints, std::numeric_limits<double>::infinity(), "ordered_logistic_lpmf");
  const Expression log_gap = log1m_exp(below - above);
  return log_logistic(location - pick(below, y, base)) + log_logistic(pick(above, y, base) - location) +
         pick(log_gap, y, base);
}

Expression ordered_probit_lpmf(const Expression& y, const Expression& location, const Expression& cutpoints,
                               std::int64_t base) {
  // A large finite value instead of infinity: the derivative of log_Phi grows with its argument, and 0 * infinity is
  // NaN.
  const auto [below, above] = cutpoints_of(cutpoints, 1e9, "ordered_probit_lpmf");
  const Expression u = location - pick(below, y, base);
  const Expression v = location - pick(above, y, base);
  // Phi(u) - Phi(v) = Phi(-v) - Phi(-u): in the lower tail, where Phi is precise.
  const Expression mirrored = u + v > 0.0;
  const Expression larger = select(mirrored, -v, u);
  const Expression smaller = select(mirrored, -u, v);
  return log_diff_exp(log_Phi(larger), log_Phi(smaller));
}

}  // namespace sgmcmc
