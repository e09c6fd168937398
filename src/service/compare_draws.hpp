// Comparing the draws of two runs, or those of one with a Dirichlet distribution.
#pragma once

#include "service/saved_draws.hpp"
#include "settings/values.hpp"

#include <sgmcmc/compare.hpp>

#include <string>
#include <vector>

namespace sgmcmc {

/// A set of draws, and how messages call it.
struct DrawSet {
  std::string label;  ///< "'run'"
  SavedDraws saved;
};
DrawSet read_draw_set(const std::string& folder_or_file);  ///< throws FileError

/// Compares the variables of option `only`, or all that both sets have. Throws UsageError for unknown variables, and
/// FileError where the sets have too few draws, non-finite ones, or are not draws of one model.
Comparison compare_sets(const OptionValues& values, const DrawSet& draws, const DrawSet& reference);

/// The concentrations of option `dirichlet`. Throws UsageError.
std::vector<double> dirichlet_concentrations(const OptionValues& values);

struct ComparisonWithDirichlet {
  std::vector<std::string> names;  ///< of the components
  DirichletComparison result;
};
/// Of the variable that option `only` names, or of all. Throws UsageError where they are not as many as the
/// concentrations, and FileError as above.
ComparisonWithDirichlet compare_with_dirichlet(const OptionValues& values, const std::vector<double>& concentrations,
                                               const DrawSet& draws);

/// The variables that these are elements of, each once.
std::vector<std::string> variables_among(const std::vector<std::string>& names);

}  // namespace sgmcmc
