// Names of elements: "Sigma[1,2]" here and in Stan, "Sigma.1.2" in CmdStan's files; and the variables they belong to.
#pragma once

#include <sgmcmc/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// "Sigma[1,2]" is element {1, 2} of Sigma; a name without brackets is a scalar and has no indices.
struct ElementName {
  std::string variable;
  std::vector<std::int64_t> indices;  ///< counted from 1
};
/// Brackets that hold anything but positive integers are part of the variable's name.
ElementName parse_element_name(std::string_view name);

std::string to_csv_name(std::string_view name);    ///< "Sigma[1,2]" to "Sigma.1.2"
std::string from_csv_name(std::string_view name);  ///< and back; "pair:1.2", of a tuple, to "pair:1[2]"
bool is_sampler_name(std::string_view name);       ///< ends in "__"

/// A variable and the positions of its elements in the list of names.
struct Variable {
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  std::string name;
  Shape shape;                         ///< from the largest index on each axis
  std::vector<std::size_t> positions;  ///< row-major; `absent` for an element without a name
};
/// In the order in which the variables first appear. Names of one variable with different numbers of indices become
/// separate variables under their full names.
std::vector<Variable> variables_of(std::span<const std::string> names);

/// The permutation that sorts each variable's elements: first index fastest, as CmdStan writes them, or last index
/// fastest, as they are kept here. Variables stay in the order of their first element.
std::vector<std::size_t> first_index_fastest(std::span<const std::string> names);
std::vector<std::size_t> last_index_fastest(std::span<const std::string> names);

}  // namespace sgmcmc
