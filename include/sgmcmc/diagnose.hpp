// Whether to trust draws: R-hat, effective sample sizes and Monte Carlo standard errors, one quantity at a time.
//
// With equal weights every number is the one of R's package posterior (Vehtari, Gelman, Simpson, Carpenter, Bürkner:
// "Rank-normalization, folding, and localization", Bayesian Analysis 16, 2021). Draws made with a varying step size
// have weights w, and expectations are sum(w f) / sum(w): the same quantities are then those of that estimate, and
// become the unweighted ones as the weights become equal (src/diagnose/effective_size.hpp).
//
// NaN means "cannot be told": a draw that is not finite, all draws equal, or too few of them.
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

/// The draws of one quantity, chain by chain. Chains of unequal length are cut to the shortest that has any draws where
/// a diagnostic compares chains; means, standard deviations and quantiles use every draw.
struct QuantityDraws {
  std::vector<std::vector<double>> chains;
  std::vector<std::vector<double>> weights;  ///< as chains, none negative; empty: all equal

  QuantityDraws() = default;
  explicit QuantityDraws(std::vector<std::vector<double>> values, std::vector<std::vector<double>> weights_of = {})
      : chains(std::move(values)), weights(std::move(weights_of)) {}
  /// Weights are left out where they are all equal.
  QuantityDraws(const MemoryDraws& draws, std::size_t parameter);
};

/// The larger of the split R-hats of rank-normalised draws and of rank-normalised distances from the median.
double rhat(const QuantityDraws& draws);

double ess_bulk(const QuantityDraws& draws);  ///< effective sample size of rank-normalised draws
double ess_tail(const QuantityDraws& draws);  ///< the smaller of those of the 5 % and 95 % quantiles
double ess_mean(const QuantityDraws& draws);
double ess_sd(const QuantityDraws& draws);
double ess_quantile(const QuantityDraws& draws, double probability);

double mcse_mean(const QuantityDraws& draws);  ///< Monte Carlo standard error of the mean
double mcse_sd(const QuantityDraws& draws);
double mcse_quantile(const QuantityDraws& draws, double probability);

/// Draws per independent draw: their number divided by ess_mean().
double integrated_autocorrelation_time(const QuantityDraws& draws);

/// What a table of results says about one quantity.
struct QuantitySummary {
  double mean = 0, standard_deviation = 0;
  double q5 = 0, q50 = 0, q95 = 0;
  double mcse_mean = 0;
  double ess_bulk = 0, ess_tail = 0;
  double rhat = 0;
};
QuantitySummary summarise(const QuantityDraws& draws);

/// What there is to know beyond that, at about the same cost again.
struct QuantityDetails {
  double mcse_sd = 0;
  double mcse_q5 = 0, mcse_q50 = 0, mcse_q95 = 0;
  double ess_mean = 0, ess_sd = 0;
  double integrated_autocorrelation_time = 0;
};
QuantityDetails details_of(const QuantityDraws& draws);

/// Energy Bayesian fraction of missing information of one chain (Betancourt 2016): how far the energy moves from draw
/// to draw, against how far it spreads. Below 0.3 the momentum drawn anew in every iteration changes it too little.
double energy_fraction_missing(std::span<const double> energies);

/// What the statistics of an exact sampler say of its draws.
struct SamplerReport {
  bool has_statistics = false;  ///< false: none of the columns was there, and nothing can be said
  std::uint64_t draws = 0;
  std::uint64_t divergences = 0;
  std::uint64_t at_max_depth = 0;  ///< trajectories that were cut at max_tree_depth
  std::uint32_t max_tree_depth = 10;
  std::vector<double> energy_fractions;  ///< E-BFMI, by chain
  // Of hmc-ecs; NaN for others.
  double subset_variance = std::numeric_limits<double>::quiet_NaN();  ///< of the estimated log likelihood, on average
  /// By how many posterior standard deviations means may be off because rows were left out, and standard deviations by
  /// what share: the spread of the error of the log density over the draws.
  double subset_error = std::numeric_limits<double>::quiet_NaN();

  /// One sentence with advice for each trouble; empty when there is none.
  std::vector<std::string> warnings() const;
};
/// From the columns divergent__, treedepth__, energy__ and those of hmc-ecs that are there: of
/// SampleResult::statistics, or of files of this program or of CmdStan.
SamplerReport report_sampler(const MemoryDraws& statistics, std::uint32_t max_tree_depth = 10);

}  // namespace sgmcmc
