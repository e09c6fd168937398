// Checks data against the domains of distribution arguments before anything runs.
#include "stan/builtins/matrix_operands.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sgmcmc::stan {
namespace {

std::string six_digits_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// The requirement on one element; empty for domains of whole vectors and matrices.
struct ElementRule {
  bool (*holds)(double);
  const char* expected;
};
ElementRule element_rule(Domain domain) {
  switch (domain) {
    case Domain::finite: return {[](double x) { return std::isfinite(x); }, "finite"};
    case Domain::positive: return {[](double x) { return x > 0; }, "positive"};
    case Domain::positive_finite: return {[](double x) { return x > 0 && std::isfinite(x); }, "positive and finite"};
    case Domain::nonnegative: return {[](double x) { return x >= 0; }, "0 or more"};
    case Domain::probability: return {[](double x) { return x >= 0 && x <= 1; }, "between 0 and 1"};
    case Domain::open_probability: return {[](double x) { return x > 0 && x < 1; }, "between 0 and 1, not 0 or 1"};
    case Domain::binary: return {[](double x) { return x == 0 || x == 1; }, "0 or 1"};
    case Domain::count: return {[](double x) { return x >= 0; }, "0 or more"};
    case Domain::natural: return {[](double x) { return x >= 1; }, "1 or more"};
    default: return {[](double x) { return !std::isnan(x); }, "a number"};
  }
}

/// Why one vector or matrix of the argument is not in its domain; empty if it is.
std::string whole_violation(Domain domain, const double* values, const Dimensions& dims) {
  const std::int64_t size = dims.back();
  if (domain == Domain::simplex) {
    double total = 0;
    for (std::int64_t i = 0; i < size; ++i) {
      if (!(values[i] >= 0))
        return "has element " + std::to_string(i + 1) + " = " + six_digits_text(values[i]) +
               ", but elements of a simplex must not be negative";
      total += values[i];
    }
    if (std::fabs(total - 1) > 1e-8) return "sums to " + six_digits_text(total) + ", but a simplex sums to 1";
  } else if (domain == Domain::ordered) {
    for (std::int64_t i = 1; i < size; ++i)
      if (!(values[i] > values[i - 1]))
        return "is not in ascending order: element " + std::to_string(i + 1) + " is " + six_digits_text(values[i]) +
               " after " + six_digits_text(values[i - 1]);
  } else if (domain == Domain::symmetric || domain == Domain::positive_definite || domain == Domain::factor) {
    if (dims.size() < 2 || dims[dims.size() - 2] != size) return "is not square";
    const DenseMatrix matrix = matrix_of_rows(values, size, size);
    if (domain == Domain::factor) {
      for (std::int64_t i = 0; i < size; ++i)
        if (!(matrix(i, i) > 0))
          return "has diagonal element " + std::to_string(i + 1) + " = " + six_digits_text(matrix(i, i)) +
                 ", but those of a Cholesky factor must be positive";
      return {};
    }
    for (std::int64_t i = 0; i < size; ++i)
      for (std::int64_t j = 0; j < i; ++j)
        if (!(std::fabs(matrix(i, j) - matrix(j, i)) <= 1e-8 * std::max(1.0, std::fabs(matrix(i, j)))))
          return "is not symmetric: element [" + std::to_string(i + 1) + ", " + std::to_string(j + 1) + "] is " +
                 six_digits_text(matrix(i, j)) + ", [" + std::to_string(j + 1) + ", " + std::to_string(i + 1) +
                 "] is " + six_digits_text(matrix(j, i));
    if (domain == Domain::positive_definite && !is_positive_definite(matrix)) return "is not positive definite";
  }
  return {};
}

std::string index_text(const Dimensions& dims, std::size_t flat) {
  std::string text;
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    const auto dim = static_cast<std::size_t>(dims[axis]);
    text = std::to_string(flat % dim + 1) + (text.empty() ? "" : ", ") + text;
    flat /= dim;
  }
  return "[" + text + "]";
}

void check_argument(const BuiltinCall& call, const Pattern& pattern, const Operand& argument) {
  const std::string name = pattern.name.empty() ? "an argument" : "the " + pattern.name;
  switch (pattern.domain) {
    case Domain::simplex:
    case Domain::ordered:
    case Domain::symmetric:
    case Domain::positive_definite:
    case Domain::factor: {
      const std::size_t own_rank = static_cast<std::size_t>(argument.type.base_rank());
      if (own_rank == 0) return;
      std::int64_t stride = 1;
      for (std::size_t k = 0; k < own_rank; ++k) stride *= argument.dims[argument.dims.size() - 1 - k];
      for (std::int64_t at = 0; stride > 0 && at < argument.size(); at += stride) {
        const auto why = whole_violation(pattern.domain, argument.numbers.data() + at, argument.dims);
        if (!why.empty()) refuse(call, name + " " + why);
      }
      return;
    }
    default: break;
  }
  const ElementRule rule = element_rule(pattern.domain);
  const bool whole = pattern.kind == Pattern::Kind::ints;  // front ends may have whole numbers in arrays of reals
  for (std::size_t i = 0; i < argument.numbers.size(); ++i) {
    const double number = argument.numbers[i];
    const bool holds = rule.holds(number);
    if (holds && (!whole || number == std::floor(number))) continue;
    const std::string place = argument.dims.empty() ? "" : "element " + index_text(argument.dims, i) + " of ";
    refuse(call,
           place + name + " is " + six_digits_text(number) + ", must be " + (holds ? "a whole number" : rule.expected));
  }
}

}  // namespace

void check_domains(const Builtin& builtin, const BuiltinCall& call) {
  for (const auto& signature : builtin.signatures) {
    if (signature.arguments.size() != call.size()) continue;
    for (std::size_t i = 0; i < call.size(); ++i)
      if (call[i].is_data()) check_argument(call, signature.arguments[i], call[i]);
    return;
  }
}

void check_data(std::string_view function, std::size_t argument, const Operand& data) {
  const Builtin* builtin = table().find(function);
  if (builtin == nullptr || !builtin->checks_data || !data.is_data()) return;
  for (const auto& signature : builtin->signatures) {
    if (argument >= signature.arguments.size()) continue;
    check_argument({builtin->label, {}}, signature.arguments[argument], data);
    return;
  }
}

}  // namespace sgmcmc::stan
