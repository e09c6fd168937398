// The comparison of two sets of draws: tables for a terminal, JSON for programs, and the result in plain words.
#pragma once

#include <sgmcmc/compare.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sgmcmc {

struct ComparisonTableOptions {
  std::size_t width = 80;      ///< columns of the terminal; table columns on the right are omitted if they do not fit
  std::size_t most_rows = 60;  ///< if there are more parameters, those that differ most are shown; 0: all
};

/// One line per parameter, starred if its mean or standard deviation differs by more than Monte Carlo error; then the
/// distances between the two sets, beside what noise alone can produce.
std::string comparison_table(const Comparison& comparison, const ComparisonTableOptions& options = {});

/// The parameter with the least probable Kolmogorov-Smirnov distance, null if there is none; and the probability of
/// such a distance among this many parameters.
const ParameterComparison* worst_ks(const Comparison& comparison);
double worst_ks_probability(const Comparison& comparison);

/// Explains the table: units, stars, noise, and what was omitted.
std::string comparison_caption(const Comparison& comparison);

/// "Means agree within Monte Carlo error; the sd of beta[3] is 18 % larger than in the reference."
std::string comparison_words(const Comparison& comparison);

/// {"parameters": [{"name": ..., "mean_difference": ..., ...}], "distances": {"e1": {"value": ..., "noise": ...}, ...},
/// "only_in_draws": [...], "only_in_reference": [...], "verdict": "..."}; non-finite numbers are null.
std::string comparison_json(const Comparison& comparison);

/// Compares draws on the simplex with a Dirichlet distribution: one line per component, then the result in words.
std::string dirichlet_table(const DirichletComparison& comparison, const std::vector<std::string>& names,
                            const ComparisonTableOptions& options = {});
std::string dirichlet_words(const DirichletComparison& comparison, const std::vector<std::string>& names);
std::string dirichlet_json(const DirichletComparison& comparison, const std::vector<std::string>& names);

}  // namespace sgmcmc
