// The words of the language that have a meaning of their own, and those that had one once or have one elsewhere.
#pragma once

#include "stan/syntax/tree.hpp"

#include <span>
#include <string>
#include <string_view>

namespace sgmcmc::stan {

/// A type as it may be written: `real`, `simplex`, ...
struct TypeWord {
  std::string_view word;
  Base base;
  ConstraintTree::Kind constraint;
};
const TypeWord* find_type_word(std::string_view word);  ///< null when it is none

/// Types of the language that are not supported, with what to write instead; null when the word is none.
const char* instead_of_type(std::string_view word);

bool is_reserved(std::string_view word);    ///< cannot name a variable or a function
bool is_block_word(std::string_view word);  ///< first of a program block's name

/// The type, or the first word of a statement, that the writer may have meant; empty when none is near.
std::string nearest_type_word(std::string_view word);
std::string nearest_statement_word(std::string_view word);

/// Blocks in the order in which they must stand.
std::span<const std::string_view> block_names();

/// "normal_lpdf" for normal_log, "normal_lccdf" for normal_ccdf_log; empty when the name is no old density's.
std::string new_density_name(std::string_view name);

/// "normal" for normal_lpdf and normal_log; empty for a name that may stand after '~', such as poisson_log.
std::string distribution_of_density(std::string_view name);

/// Whether the name ends as a density or distribution function does, so that '|' stands after its first argument of
/// several.
bool may_have_bar(std::string_view name);
bool must_have_bar(std::string_view name);

}  // namespace sgmcmc::stan
