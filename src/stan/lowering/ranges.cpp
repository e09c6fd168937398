// Interval arithmetic, one rule per operation; without a rule, the range is unbounded.
#include "stan/lowering/ranges.hpp"

#include "graph/node.hpp"
#include "stan/builtins/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sgmcmc::stan {
namespace {

constexpr Range anything{};

Range united(const Range& a, const Range& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

/// 0 times infinity is 0, because the bound is not attained.
double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Range times(const Range& a, const Range& b) {
  const double corners[] = {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low),
                            product(a.high, b.high)};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

/// The sum of this many such terms.
Range added_up(const Range& each, std::int64_t count) {
  return times(each, {static_cast<double>(count), static_cast<double>(count)});
}

Range squared(const Range& a) {
  const double low = std::fabs(a.low), high = std::fabs(a.high);
  const bool through_zero = a.low <= 0 && a.high >= 0;
  return {through_zero ? 0 : std::min(low * low, high * high), std::max(low * low, high * high)};
}

Range reciprocal(const Range& a) {
  if (a.low >= 0) return {1 / a.high, a.low == 0 ? numbers::infinity : 1 / a.low};
  if (a.high <= 0) return {a.high == 0 ? -numbers::infinity : 1 / a.high, 1 / a.low};
  return anything;
}

template <class Function>
Range increasing(const Range& a, Function function) {
  return {function(a.low), function(a.high)};
}

Range of_values(const std::vector<double>& values) {
  Range range{numbers::infinity, -numbers::infinity};
  for (const double value : values) {
    if (std::isnan(value)) continue;
    range = united(range, {value, value});
  }
  return range.low <= range.high ? range : anything;
}

}  // namespace

Range Ranges::compute(const Node& node) const {
  const auto in = [&](std::size_t k) { return known_.at(&node.inputs[k].node()).range; };
  switch (node.op) {
    case Op::constant: return of_values(*node.attributes.values);
    case Op::negate: return {-in(0).high, -in(0).low};
    case Op::exp: return increasing(in(0), [](double x) { return std::exp(x); });
    case Op::expm1: return increasing(in(0), [](double x) { return std::expm1(x); });
    // If the argument may be outside the domain, the range does not include the resulting NaN.
    case Op::log: return in(0).low >= 0 ? increasing(in(0), [](double x) { return std::log(x); }) : anything;
    case Op::log1p: return in(0).low >= -1 ? increasing(in(0), [](double x) { return std::log1p(x); }) : anything;
    case Op::sqrt: return in(0).low >= 0 ? increasing(in(0), [](double x) { return std::sqrt(x); }) : anything;
    case Op::logistic: return increasing(in(0), numbers::logistic);
    case Op::log1p_exp: return increasing(in(0), [](double x) { return x > 700 ? x : std::log1p(std::exp(x)); });
    case Op::cbrt: return increasing(in(0), [](double x) { return std::cbrt(x); });
    case Op::tanh: return increasing(in(0), [](double x) { return std::tanh(x); });
    case Op::erf: return increasing(in(0), [](double x) { return std::erf(x); });
    case Op::phi: return increasing(in(0), [](double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); });
    case Op::log_logistic:
    case Op::log_phi:
    case Op::log_softmax: return {-numbers::infinity, 0};
    case Op::sin:
    case Op::cos:
    case Op::sign: return {-1, 1};
    case Op::cosh: return {1, numbers::infinity};
    case Op::erfc: return {0, 2};
    case Op::square: return squared(in(0));
    case Op::abs: {
      const Range square = squared(in(0));
      return {std::sqrt(square.low), std::sqrt(square.high)};
    }
    case Op::reciprocal: return reciprocal(in(0));
    case Op::add: return {in(0).low + in(1).low, in(0).high + in(1).high};
    case Op::subtract: return {in(0).low - in(1).high, in(0).high - in(1).low};
    case Op::multiply:
      return node.inputs[0].pointer() == node.inputs[1].pointer() ? squared(in(0)) : times(in(0), in(1));
    case Op::divide: return times(in(0), reciprocal(in(1)));
    case Op::pow: return in(0).low >= 0 ? Range{0, numbers::infinity} : anything;
    case Op::maximum: return {std::max(in(0).low, in(1).low), std::max(in(0).high, in(1).high)};
    case Op::minimum: return {std::min(in(0).low, in(1).low), std::min(in(0).high, in(1).high)};
    case Op::hypot: return {0, numbers::infinity};
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::softmax: return {0, 1};
    case Op::select: return united(in(1), in(2));
    case Op::sum: return added_up(in(0), node.attributes.axis.length);
    case Op::cumulative_sum: return united(in(0), added_up(in(0), node.attributes.axis.length));
    case Op::reduce_max: return in(0);
    case Op::dot: {
      const bool same = node.inputs[0].pointer() == node.inputs[1].pointer();
      return added_up(same ? squared(in(0)) : times(in(0), in(1)), node.inputs[0].shape().size());
    }
    case Op::outer: return times(in(0), in(1));
    case Op::matvec: return added_up(times(in(0), in(1)), node.inputs[1].shape().size());
    case Op::matmul: {
      const Range each = times(in(0), in(1));
      const auto& left = node.inputs[0].shape();
      return added_up(each, node.attributes.transpose_a ? left[0] : left[1]);
    }
    case Op::reshape:
    case Op::gather: return in(0);
    case Op::take: {
      const auto& positions = *node.attributes.positions;
      const bool zeros = std::any_of(positions.begin(), positions.end(), [](auto at) { return at < 0; });
      return zeros ? united(in(0), {0, 0}) : in(0);
    }
    case Op::concat: {
      if (node.inputs.empty()) return anything;
      Range range = in(0);
      for (std::size_t k = 1; k < node.inputs.size(); ++k) range = united(range, in(k));
      return range;
    }
    default: return anything;
  }
}

Range Ranges::of(const Expression& expression) {
  // Operands first, without recursion: graphs may be deeper than the stack.
  std::vector<Expression> open{expression};
  while (!open.empty()) {
    const Expression top = open.back();
    const Node& node = top.node();
    if (known_.contains(&node)) {
      open.pop_back();
      continue;
    }
    const std::size_t before = open.size();
    for (const auto& input : node.inputs)
      if (!known_.contains(&input.node())) open.push_back(input);
    if (open.size() > before) continue;
    Range range = compute(node);
    if (std::isnan(range.low)) range.low = -numbers::infinity;
    if (std::isnan(range.high)) range.high = numbers::infinity;
    known_.emplace(&node, Known{range, top});
    open.pop_back();
  }
  return known_.at(&expression.node()).range;
}

}  // namespace sgmcmc::stan
