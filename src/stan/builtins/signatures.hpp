// The functions and distributions of the language: names and the types they take, in one table.
#pragma once

#include "stan/builtins/type.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc::stan {

/// The result type of a built-in function for arguments of these types (after promotion of int to real); empty if no
/// signature matches. Densities go by their full names: "normal_lpdf".
std::optional<Type> result_type(std::string_view function, std::span<const Type> arguments);

bool is_function(std::string_view name);  ///< of any signature
/// "normal" for "normal_lpdf", ...: whether `y ~ name(...)` may be written.
bool is_distribution(std::string_view name);
/// The suffix a distribution has as a function: "_lpdf" or "_lpmf".
std::string_view density_suffix(std::string_view distribution);
/// The support of a distribution for all parameters, and the parameters that bound it (counted from 0; -1: none).
struct OutcomeSupport {
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  int lower_end = -1, upper_end = -1;
};
OutcomeSupport outcome_support(std::string_view distribution);
/// The values that an argument of a density (0: the outcome) may have.
enum class ArgumentDomain : std::uint8_t { other, positive, probability, simplex };
ArgumentDomain argument_domain(std::string_view distribution, std::size_t argument);
/// Whether an argument of a density chooses one of several elements, counted from 1 in Stan.
bool is_index(std::string_view density, std::size_t argument);
/// The signatures of the function, one per line: "normal_lpdf(reals | reals, reals): real", for messages.
std::vector<std::string> signatures(std::string_view function);
std::vector<std::string> function_names();      ///< all, sorted
std::vector<std::string> distribution_names();  ///< all, sorted

}  // namespace sgmcmc::stan
