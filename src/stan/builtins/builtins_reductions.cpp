// From many elements to one: sums, means, extremes, log-sum-exp.
#include "stan/builtins/elementwise.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/expression.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc::stan {
namespace {

Operand real_symbol(const Expression& symbol) { return symbol_operand(real_type, symbol); }

void require_elements(const BuiltinCall& call) {
  if (call[0].size() == 0) refuse(call, "its argument has no elements");
}

Operand total(const BuiltinCall& call) {
  const Operand& x = call[0];
  const bool integers = x.type.is_integer();
  if (!x.is_data()) return symbol_operand(integers ? integer_type : real_type, sum(x.symbol));
  double result = 0;
  for (const double value : x.numbers) result += value;
  if (!integers) return real_operand(result);
  return {integer_type, {}, {checked_integer(call, result)}, {}};
}

/// By halves, so that the depth of the graph is logarithmic in the size.
Expression product(Expression x) {
  Expression odd;
  while (x.shape().size() > 1) {
    const std::int64_t half = x.shape().size() / 2;
    if (x.shape().size() % 2 == 1) {
      const Expression last = x[2 * half];
      odd = odd ? odd * last : last;
    }
    x = slice(x, 0, half) * slice(x, half, half);
  }
  x = reshape(x, Shape{});
  return odd ? x * odd : x;
}

Operand product_of(const BuiltinCall& call) {
  const Operand& x = call[0];
  if (x.size() == 0) return real_operand(1);
  if (!x.is_data()) return x.dims.empty() ? x : real_symbol(product(flat(x)));
  double result = 1;
  for (const double value : x.numbers) result *= value;
  return real_operand(result);
}

Expression variance_of(const Operand& operand) {
  const auto size = static_cast<double>(operand.size());
  if (operand.size() == 1) return constant({0.0}, Shape{});
  const Expression x = flat(operand);
  const Expression apart = x - sum(x) / size;
  return dot(apart, apart) / (size - 1);
}

/// The largest (sign 1) or smallest (sign -1) element, or of two ints.
Operand extreme(const BuiltinCall& call, double sign) {
  Operand x = call.size() == 2 ? joined(call[0], call[1]) : call[0];
  const Type type = x.type.is_integer() ? integer_type : real_type;
  if (x.size() == 0) {
    if (type == integer_type) require_elements(call);
    return real_operand(-sign * numbers::infinity);
  }
  if (!x.is_data()) return symbol_operand(type, sign > 0 ? maximum(x.symbol) : minimum(x.symbol));
  double best = x.numbers[0];
  for (const double value : x.numbers)
    if (sign * value > sign * best || std::isnan(value)) best = value;
  return {type, {}, {best}, {}};
}

Operand log_sum_exp_of(const BuiltinCall& call) {
  if (call.size() == 2)
    return apply_two(call, [](const auto& a, const auto& b) {
      using namespace numbers;
      return log_add_exp(a, b);
    });
  const Operand& x = call[0];
  if (x.size() == 0) return real_operand(-numbers::infinity);
  if (!x.is_data()) return real_symbol(log_sum_exp(x.symbol));
  const double high = *std::max_element(x.numbers.begin(), x.numbers.end());
  if (std::isinf(high)) return real_operand(high);
  double shares = 0;
  for (const double value : x.numbers) shares += std::exp(value - high);
  return real_operand(high + std::log(shares));
}

/// log_mix(weight, a, b), log_mix(weights, components), or the sum of the latter over an array of components.
Operand log_mix_of(const BuiltinCall& call) {
  if (call.size() == 3)
    return real_symbol(log_mix(as_expression(call[0]), as_expression(call[1]), as_expression(call[2])));
  const Expression weights = as_expression(call[0]);
  const Operand& components = call[1];
  const std::int64_t count = call[0].dims[0];
  if (components.dims.back() != count)
    refuse(call, std::to_string(count) + " weights for components of size " + std::to_string(components.dims.back()));
  if (count == 0 || components.size() == 0) refuse(call, "there are no components");
  const Expression positive = weights > 0.0;
  const Expression log_weights = select(positive, log(select(positive, weights, 1.0)), -numbers::infinity);
  const Expression terms = as_expression(components) + log_weights;
  if (components.dims.size() == 1) return real_symbol(log_sum_exp(terms));
  return real_symbol(sum(log_sum_exp(terms, 1)));
}

/// Type 7 of Hyndman and Fan, as R's default.
double quantile_of(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - std::floor(at)) * (sorted[below + 1] - sorted[below]);
}

Operand quantile(const BuiltinCall& call) {
  require_elements(call);
  std::vector<double> sorted = call[0].numbers;
  std::sort(sorted.begin(), sorted.end());
  Operand result = call[1];
  result.type = with_real_elements(result.type);
  for (double& share : result.numbers) {
    if (!(share >= 0 && share <= 1))
      refuse(call, "the share is " + std::to_string(share) + ", must be between 0 and 1");
    share = quantile_of(sorted, share);
  }
  return result;
}

}  // namespace

void add_reductions(Table& table) {
  table.add("sum", {"(array[] int): int", "(array[,] int): int", "(reals): real", "(matrix): real"}, total);
  table.add("prod", {"(reals): real", "(matrix): real"}, product_of);
  table.add("mean", {"(reals): real", "(matrix): real"}, [](const BuiltinCall& call) {
    require_elements(call);
    return real_symbol(sum(as_expression(call[0])) / static_cast<double>(call[0].size()));
  });
  table.add("variance", {"(reals): real", "(matrix): real"}, [](const BuiltinCall& call) {
    require_elements(call);
    return real_symbol(variance_of(call[0]));
  });
  table.add("sd", {"(reals): real", "(matrix): real"}, [](const BuiltinCall& call) {
    require_elements(call);
    return real_symbol(sqrt(variance_of(call[0])));
  });
  table.add("max", {"(int, int): int", "(array[] int): int", "(reals): real", "(matrix): real"},
            [](const BuiltinCall& call) { return extreme(call, 1); });
  table.add("min", {"(int, int): int", "(array[] int): int", "(reals): real", "(matrix): real"},
            [](const BuiltinCall& call) { return extreme(call, -1); });
  table.add("log_sum_exp", {"(reals): real", "(matrix): real", "(T, T): T"}, log_sum_exp_of);
  table.add("log_mix",
            {"(real, real, real): real", "(vector, vectors): real", "(vector, array[] real): real",
             "(row_vector, vectors): real", "(row_vector, array[] real): real", "(array[] real, vectors): real",
             "(array[] real, array[] real): real"},
            log_mix_of);
  table
      .add("quantile",
           {"(vector, real): real", "(row_vector, real): real", "(array[] real, real): real",
            "(vector, array[] real): array[] real", "(row_vector, array[] real): array[] real",
            "(array[] real, array[] real): array[] real"},
           quantile)
      .data_only = true;
}

}  // namespace sgmcmc::stan
