// Convergence diagnostics: R-hat, effective sample sizes and Monte Carlo standard errors of one quantity at a time.
//
// With equal weights, results equal those of R's package posterior (Vehtari, Gelman, Simpson, Carpenter, Bürkner:
// "Rank-normalization, folding, and localization", Bayesian Analysis 16, 2021). Draws made with a varying step size
// have weights w, and expectations are sum(w f) / sum(w): the diagnostics then refer to this estimate, and reduce to
// the unweighted ones for equal weights (src/diagnose/effective_size.hpp).
//
// NaN means that the value cannot be determined: a non-finite draw, all draws equal, or too few draws.
#pragma once

#include <sgmcmc/draws.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc {

/// The draws of one quantity, chain by chain. Diagnostics that compare chains cut them to the length of the shortest
/// non-empty one; means, standard deviations and quantiles use every draw.
struct QuantityDraws {
  std::vector<std::vector<double>> chains;
  std::vector<std::vector<double>> weights;  ///< as chains, non-negative; empty: all equal

  QuantityDraws() = default;
  explicit QuantityDraws(std::vector<std::vector<double>> values, std::vector<std::vector<double>> weights_of = {})
      : chains(std::move(values)), weights(std::move(weights_of)) {}
  /// Omits weights if they are all equal.
  QuantityDraws(const MemoryDraws& draws, std::size_t parameter);
};

/// The larger of the split R-hats of rank-normalised draws and of rank-normalised distances from the median.
double rhat(const QuantityDraws& draws);

double ess_bulk(const QuantityDraws& draws);  ///< effective sample size of rank-normalised draws
double ess_tail(const QuantityDraws& draws);  ///< the smaller effective sample size of the 5 % and 95 % quantiles
double ess_mean(const QuantityDraws& draws);
double ess_sd(const QuantityDraws& draws);
double ess_quantile(const QuantityDraws& draws, double probability);

double mcse_mean(const QuantityDraws& draws);  ///< Monte Carlo standard error of the mean
double mcse_sd(const QuantityDraws& draws);
double mcse_quantile(const QuantityDraws& draws, double probability);

/// Integrated autocorrelation time: number of draws divided by ess_mean().
double integrated_autocorrelation_time(const QuantityDraws& draws);

/// Summary of one quantity, for tables.
struct QuantitySummary {
  double mean = 0, standard_deviation = 0;
  double q5 = 0, q50 = 0, q95 = 0;
  double mcse_mean = 0;
  double ess_bulk = 0, ess_tail = 0;
  double rhat = 0;
};
QuantitySummary summarise(const QuantityDraws& draws);

/// Further summaries, at about the same cost again.
struct QuantityDetails {
  double mcse_sd = 0;
  double mcse_q5 = 0, mcse_q50 = 0, mcse_q95 = 0;
  double ess_mean = 0, ess_sd = 0;
  double integrated_autocorrelation_time = 0;
};
QuantityDetails details_of(const QuantityDraws& draws);

/// Energy Bayesian fraction of missing information of one chain (Betancourt 2016): mean squared change of the energy
/// from draw to draw, relative to its variance. Below 0.3, redrawing the momentum changes the energy too little.
double energy_fraction_missing(std::span<const double> energies);

/// Diagnostics from the statistics of an exact sampler.
struct SamplerReport {
  bool has_statistics = false;  ///< false: the draws have no such columns
  std::uint64_t draws = 0;
  std::uint64_t divergences = 0;
  std::uint64_t at_max_depth = 0;  ///< trajectories cut off at max_tree_depth
  std::uint32_t max_tree_depth = 10;
  std::vector<double> energy_fractions;  ///< E-BFMI, by chain
  // For hmc-ecs; NaN for others.
  double subset_variance = std::numeric_limits<double>::quiet_NaN();  ///< mean variance of the estimated log likelihood
  /// Maximum error due to subsampling, of means in posterior standard deviations and of standard deviations as a
  /// fraction: the spread of the error of the log density over the draws.
  double subset_error = std::numeric_limits<double>::quiet_NaN();

  /// One sentence with advice for each problem.
  std::vector<std::string> warnings() const;
};
/// Uses the columns divergent__, treedepth__, energy__ and those of hmc-ecs that are present. `statistics` comes from
/// SampleResult::statistics, or from files written by this program or CmdStan.
SamplerReport report_sampler(const MemoryDraws& statistics, std::uint32_t max_tree_depth = 10);

}  // namespace sgmcmc
