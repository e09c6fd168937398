// Arguments for any signature of the table of built-in functions.
#include "stan/builtin_arguments.hpp"

#include <algorithm>
#include <map>

namespace sgmcmc::stan {
namespace {

constexpr std::int64_t three = 3;

std::vector<Type> choices(const Pattern& pattern) {
  using Kind = Pattern::Kind;
  switch (pattern.kind) {
    case Kind::reals: return {{Base::real, 0}, {Base::vector, 0}, {Base::row_vector, 0}, {Base::real, 1}};
    case Kind::ints: return {{Base::integer, 0}, {Base::integer, 1}, {Base::integer, 1}, {Base::integer, 1}};
    case Kind::vectors: return {{Base::vector, 0}, {Base::vector, 1}, {Base::row_vector, 0}, {Base::row_vector, 1}};
    case Kind::any: return {{Base::real, 0}, {Base::vector, 0}, {Base::matrix, 0}, {Base::integer, 2}};
    case Kind::elements: return {{Base::real, 0}, {Base::vector, 0}, {Base::matrix, 0}, {Base::real, 1}};
    case Kind::integer_elements:
      return {{Base::integer, 0}, {Base::integer, 1}, {Base::integer, 2}, {Base::integer, 1}};
    case Kind::linear: return {{Base::real, 0}, {Base::vector, 0}, {Base::matrix, 0}, {Base::row_vector, 0}};
    case Kind::generic: {
      std::vector<Type> types{{Base::real, 0}, {Base::vector, 0}, {Base::integer, 1}, {Base::matrix, 0}};
      for (Type& type : types) type.array_rank += pattern.array_rank;
      return types;
    }
    default: return {pattern.type};
  }
}

/// Values in a domain; `which` tells arguments apart.
double value_in(Domain domain, bool integer, std::size_t which, std::size_t i) {
  const double k = static_cast<double>(i % 9), w = static_cast<double>(which);
  if (integer) {
    switch (domain) {
      case Domain::binary: return static_cast<double>(i % 2);
      case Domain::count: return which == 0 ? static_cast<double>(i % 3) : 5 + static_cast<double>(i % 3);
      case Domain::natural: return 1 + static_cast<double>(i % 3);
      default: return 2 + static_cast<double>(i % 2);
    }
  }
  switch (domain) {
    case Domain::positive:
    case Domain::positive_finite: return 0.9 + 0.3 * w + 0.11 * k;
    case Domain::nonnegative: return 0.2 + 0.17 * w + 0.13 * k;
    case Domain::probability:
    case Domain::open_probability: return 0.15 + 0.05 * k + 0.07 * w;
    default: return 0.23 + 0.31 * k + 0.41 * w;
  }
}

Operand filled(const Type& type, Domain domain, std::size_t which) {
  Operand result{type, {}, {}, {}};
  for (int r = 0; r < type.rank(); ++r) result.dims.push_back(three);
  for (std::size_t i = 0; i < static_cast<std::size_t>(result.size()); ++i)
    result.numbers.push_back(value_in(domain, type.is_integer(), which, i));
  if (type.base == Base::matrix && type.array_rank == 0) {
    const bool factor = domain == Domain::factor;
    result.numbers = factor ? std::vector<double>{1.1, 0, 0, 0.3, 0.9, 0, -0.2, 0.4, 1.2}
                            : std::vector<double>{2.1, 0.3, 0.2, 0.3, 1.7, -0.4, 0.2, -0.4, 1.5};
    if (!factor && domain == Domain::any)
      for (std::size_t i = 0; i < 9; ++i) result.numbers[i] += 0.07 * static_cast<double>(which);
  }
  if (domain == Domain::simplex)
    for (std::size_t i = 0; i < result.numbers.size(); ++i)
      result.numbers[i] = std::vector<double>{0.2, 0.5, 0.3}[i % 3];
  return result;
}

/// Functions whose ints must fit the sizes of the other arguments.
const std::map<std::string, std::vector<double>>& fitting_integers() {
  static const std::map<std::string, std::vector<double>> values{{"to_matrix", {0, 3, 1, 1}},
                                                                 {"csr_to_dense_matrix", {3, 3}},
                                                                 {"csr_matrix_times_vector", {3, 3}},
                                                                 {"lmgamma", {2}}};
  return values;
}

}  // namespace

std::vector<std::vector<Type>> argument_types(const Signature& signature) {
  std::vector<std::vector<Type>> all;
  const auto pick = [&](auto choose) {
    std::vector<Type> types;
    for (std::size_t i = 0; i < signature.arguments.size(); ++i) {
      const auto options = choices(signature.arguments[i]);
      types.push_back(options[std::min(choose(i), options.size() - 1)]);
    }
    if (match(signature, types) && std::find(all.begin(), all.end(), types) == all.end())
      all.push_back(std::move(types));
  };
  for (std::size_t which = 0; which < 4; ++which) pick([which](std::size_t) { return which; });
  pick([](std::size_t i) { return i == 0 ? std::size_t{1} : std::size_t{0}; });
  pick([](std::size_t i) { return i == 0 ? std::size_t{0} : std::size_t{1}; });
  pick([](std::size_t i) { return i % 2 == 0 ? std::size_t{3} : std::size_t{0}; });
  return all;
}

std::vector<Operand> argument_values(const std::string& function, const Signature& signature,
                                     const std::vector<Type>& types) {
  std::vector<Operand> arguments;
  for (std::size_t i = 0; i < types.size(); ++i)
    arguments.push_back(filled(types[i], signature.arguments[i].domain, i));
  const auto found = fitting_integers().find(function);
  if (found != fitting_integers().end())
    for (std::size_t i = 0; i < arguments.size() && i < found->second.size(); ++i)
      if (arguments[i].type == Type{Base::integer, 0}) arguments[i].numbers[0] = found->second[i];
  if (function == "to_matrix" && arguments.size() > 1 && arguments[0].size() == 9) arguments[2].numbers[0] = 3;
  if (function == "to_matrix" && arguments.size() > 1 && arguments[0].size() == 1) arguments[1].numbers[0] = 1;
  if (function.starts_with("csr_") && arguments.size() > 3) {
    arguments[3].numbers = {1, 3, 2};
    arguments[4] = numbers_operand({Base::integer, 1}, {4}, {1, 3, 3, 4});
  }
  if (function == "log_mix" && arguments.size() == 2) arguments[0].numbers = {0.2, 0.5, 0.3};
  if (function == "log_mix" && arguments.size() == 2 && arguments[1].dims.empty())
    arguments[0] = numbers_operand(arguments[0].type, {1}, {1.0});
  if (function == "quantile") arguments[1].numbers.resize(arguments[1].numbers.size(), 0.5);
  if (function == "quantile")
    for (double& share : arguments[1].numbers) share = 0.4;
  return arguments;
}

}  // namespace sgmcmc::stan
