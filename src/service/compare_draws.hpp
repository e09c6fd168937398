// Compares the draws of two runs, or those of one run with a Dirichlet distribution.
#pragma once

#include "service/record/saved_draws.hpp"
#include "settings/values.hpp"

#include <sgmcmc/compare.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

/// A set of draws, with its name in messages.
struct DrawSet {
  std::string label;  ///< "'run'"
  SavedDraws saved;
};
DrawSet read_draw_set(const std::string& folder_or_file);  ///< throws FileError

/// Compares the variables of option `only`, by default all that both sets contain. Throws UsageError for unknown
/// variables, and FileError if a set has too few draws or non-finite ones, or if the sets are of different models.
Comparison compare_sets(const OptionValues& values, const DrawSet& draws, const DrawSet& reference);

/// The concentrations of option `dirichlet`. Throws UsageError.
std::vector<double> dirichlet_concentrations(const OptionValues& values);

struct ComparisonWithDirichlet {
  std::vector<std::string> names;  ///< of the components
  DirichletComparison result;
};
/// Compares the variable that option `only` names, by default all of them. Throws UsageError if the number of elements
/// differs from that of the concentrations, and FileError as above.
ComparisonWithDirichlet compare_with_dirichlet(const OptionValues& values, const std::vector<double>& concentrations,
                                               const DrawSet& draws);

/// The variables that these elements belong to, each once.
std::vector<std::string> variables_among(const std::vector<std::string>& names);

}  // namespace sgmcmc
