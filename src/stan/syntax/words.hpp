// Keywords of the language, and words that once were or are keywords elsewhere.
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
const TypeWord* find_type_word(std::string_view word);  ///< null if it is not a type

/// What to write instead of an unsupported type; null for other words.
const char* instead_of_type(std::string_view word);

bool is_reserved(std::string_view word);    ///< cannot name a variable or a function
bool is_block_word(std::string_view word);  ///< first of a program block's name

/// The type or keyword that the user may have meant; empty if none is similar.
std::string nearest_type_word(std::string_view word);
std::string nearest_statement_word(std::string_view word);

/// Blocks in their required order.
std::span<const std::string_view> block_names();

/// "normal_lpdf" for normal_log, "normal_lccdf" for normal_ccdf_log; empty if the name is not that of an old density.
std::string new_density_name(std::string_view name);

/// "normal" for normal_lpdf and normal_log; empty for a name that is valid after '~', such as poisson_log.
std::string distribution_of_density(std::string_view name);

/// Whether the name has the suffix of a density or distribution function, so that '|' follows its first argument.
bool may_have_bar(std::string_view name);
bool must_have_bar(std::string_view name);

}  // namespace sgmcmc::stan
