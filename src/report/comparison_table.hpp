// Two sets of draws compared: tables for a terminal, JSON for programs, and the result in plain words.
#pragma once

#include <sgmcmc/compare.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sgmcmc {

struct ComparisonTableOptions {
  std::size_t width = 80;      ///< columns of the terminal; columns on the right are left out where they do not fit
  std::size_t most_rows = 60;  ///< beyond these the parameters that differ most are shown; 0: all
};

/// A line per parameter, with a star where a mean or standard deviation differs by more than Monte Carlo error; then
/// the distances between the whole sets, beside what noise alone may reach.
std::string comparison_table(const Comparison& comparison, const ComparisonTableOptions& options = {});

/// The parameter whose Kolmogorov-Smirnov distance is least likely by chance, null where none can be told, and how
/// likely one like it is among as many parameters.
const ParameterComparison* worst_ks(const Comparison& comparison);
double worst_ks_probability(const Comparison& comparison);

/// What the numbers of the table are: units, stars, noise, what was left out.
std::string comparison_caption(const Comparison& comparison);

/// "Means agree within Monte Carlo error; the sd of beta[3] is 18 % larger than in the reference."
std::string comparison_words(const Comparison& comparison);

/// {"parameters": [{"name": ..., "mean_difference": ..., ...}], "distances": {"e1": {"value": ..., "noise": ...}, ...},
/// "only_in_draws": [...], "only_in_reference": [...], "verdict": "..."}; a number that is not finite is null.
std::string comparison_json(const Comparison& comparison);

/// Of draws on the simplex of a variable, against a Dirichlet law: a line per component, and the words.
std::string dirichlet_table(const DirichletComparison& comparison, const std::vector<std::string>& names,
                            const ComparisonTableOptions& options = {});
std::string dirichlet_words(const DirichletComparison& comparison, const std::vector<std::string>& names);
std::string dirichlet_json(const DirichletComparison& comparison, const std::vector<std::string>& names);

}  // namespace sgmcmc
