// R-hat, effective sample sizes and Monte Carlo standard errors of one quantity.
#include "diagnose/effective_size.hpp"
#include "diagnose/half_chains.hpp"
#include "diagnose/ranks.hpp"
#include "diagnose/summarise.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>

#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace sgmcmc {

QuantityDraws::QuantityDraws(const MemoryDraws& draws, std::size_t parameter) {
  const bool weighted = !draws.equal_weights();
  for (std::size_t c = 0; c < draws.chains(); ++c) {
    std::vector<double> values(draws.draws(c));
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = draws(c, k, parameter);
    chains.push_back(std::move(values));
    if (weighted) weights.emplace_back(draws.weights(c).begin(), draws.weights(c).end());
  }
}

namespace {

/// Propagates NaN from either argument, unlike std::max and std::min.
double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? not_a_number : std::max(a, b); }
double smaller(double a, double b) { return std::isnan(a) || std::isnan(b) ? not_a_number : std::min(a, b); }

/// Diagnostics of one quantity, computed on demand, with shared intermediate results.
class Diagnoser {
 public:
  Diagnoser(const QuantityDraws& draws, DiagnoseWorkspace& workspace) : draws_(draws), workspace_(workspace) {
    check_weights(draws);
    halves_ = split_chains(draws);
    pooled_ = pooled_draws(draws);
    comparable_ = !has_nan(halves_.values);
  }

  double rhat() {
    if (!comparable_ || has_nan(pooled_.values)) return not_a_number;
    const double median = quantiles().at(0.5);
    if (!std::isfinite(median)) return not_a_number;
    return larger(split_rhat(scores_of(sorted())), split_rhat(scores_of(fold_draws(sorted(), median))));
  }

  double ess_bulk() { return comparable_ ? size_of(scores_of(sorted())) : not_a_number; }
  double ess_mean() {
    if (!ess_mean_) ess_mean_ = size_of(halves_);
    return *ess_mean_;
  }
  double ess_tail() { return smaller(ess_quantile(0.05), ess_quantile(0.95)); }

  double ess_sd() {
    const double mean = moments_of(pooled_.values, pooled_.weights).mean;
    return size_of(mapped([&](double x) { return std::abs(x - mean); }));
  }

  double ess_quantile(double probability) {
    for (const auto& [known, size] : ess_quantiles_)
      if (known == probability) return size;
    ess_quantiles_.emplace_back(probability, find_ess_quantile(probability));
    return ess_quantiles_.back().second;
  }

  double mcse_mean() { return std::sqrt(moments_of(pooled_.values, pooled_.weights).variance / ess_mean()); }

  // By the delta method: var(sd) = var(variance) / (4 variance).
  double mcse_sd() {
    const double mean = moments_of(pooled_.values, pooled_.weights).mean;
    double total = 0.0, second = 0.0, fourth = 0.0;
    for (std::size_t k = 0; k < pooled_.values.size(); ++k) {
      const double weight = pooled_.weights.empty() ? 1.0 : pooled_.weights[k];
      const double square = (pooled_.values[k] - mean) * (pooled_.values[k] - mean);
      total += weight;
      second += weight * square;
      fourth += weight * square * square;
    }
    second /= total;
    fourth /= total;
    const double size = size_of(mapped([&](double x) { return (x - mean) * (x - mean); }));
    return std::sqrt((fourth - second * second) / size / second / 4.0);
  }

  // Half the distance between the draws at the 16 % and 84 % quantiles of the distribution of the quantile's rank.
  double mcse_quantile(double probability) {
    const double size = ess_quantile(probability);
    if (std::isnan(size)) return not_a_number;
    const double a = size * probability + 1.0, b = size * (1.0 - probability) + 1.0;
    const double low = quantiles().at_most(boost::math::ibeta_inv(a, b, 0.1586553));
    const double high = quantiles().at_least(boost::math::ibeta_inv(a, b, 0.8413447));
    return (high - low) / 2.0;
  }

  QuantitySummary summary() {
    QuantitySummary result;
    const PooledDraws all = all_draws(draws_);
    const Moments moments = moments_of(all.values, all.weights);
    result.mean = moments.mean;
    result.standard_deviation = std::sqrt(moments.variance);
    result.q5 = result.q50 = result.q95 = not_a_number;
    if (!all.values.empty() && !has_nan(all.values)) {
      std::optional<Quantiles> of_all;  // if chains were cut, diagnostics use fewer draws
      if (all.values.size() != pooled_.values.size()) of_all.emplace(sort_draws(all.values), all.weights);
      const Quantiles& q = of_all ? *of_all : quantiles();
      result.q5 = q.at(0.05);
      result.q50 = q.at(0.5);
      result.q95 = q.at(0.95);
    }
    result.mcse_mean = mcse_mean();
    result.ess_bulk = ess_bulk();
    result.ess_tail = ess_tail();
    result.rhat = rhat();
    return result;
  }

  QuantityDetails details() {
    QuantityDetails result;
    result.mcse_sd = mcse_sd();
    result.mcse_q5 = mcse_quantile(0.05);
    result.mcse_q50 = mcse_quantile(0.5);
    result.mcse_q95 = mcse_quantile(0.95);
    result.ess_mean = ess_mean();
    result.ess_sd = ess_sd();
    result.integrated_autocorrelation_time = static_cast<double>(pooled_.values.size()) / ess_mean();
    return result;
  }

 private:
  double find_ess_quantile(double probability) {
    if (says_nothing(pooled_.values)) return not_a_number;
    const auto count = static_cast<double>(pooled_.values.size());
    // At probability 1 every draw is below the quantile; subtracting half a draw excludes the largest.
    const double quantile = quantiles().at(probability == 1.0 ? (count - 0.5) / count : probability);
    return size_of(mapped([&](double x) { return x <= quantile ? 1.0 : 0.0; }));
  }

  /// The half chains; none of their draws is NaN.
  const SortedDraws& sorted() {
    if (!sorted_) sorted_ = sort_draws(halves_.values);
    return *sorted_;
  }

  /// Of the pooled draws; there are some, none NaN.
  const Quantiles& quantiles() {
    if (quantiles_) return *quantiles_;
    if (comparable_ && halves_.values.size() == pooled_.values.size())  // no middle draw was dropped
      quantiles_.emplace(sorted(), halves_.weights);
    else
      quantiles_.emplace(sort_draws(pooled_.values), pooled_.weights);
    return *quantiles_;
  }

  HalfChains scores_of(const SortedDraws& sorted) {
    return {workspace_.scores.of(sorted, halves_.weights), halves_.weights, halves_.length};
  }

  template <class Map>
  HalfChains mapped(Map&& map) const {
    HalfChains result = halves_;
    for (double& x : result.values) x = map(x);
    return result;
  }

  double size_of(const HalfChains& halves) { return effective_size(halves, workspace_.autocovariance); }

  const QuantityDraws& draws_;
  DiagnoseWorkspace& workspace_;
  HalfChains halves_;
  PooledDraws pooled_;
  bool comparable_ = false;  // no draw of the half chains is NaN
  std::optional<SortedDraws> sorted_;
  std::optional<Quantiles> quantiles_;
  std::optional<double> ess_mean_;  // cached, like those of quantiles
  std::vector<std::pair<double, double>> ess_quantiles_;
};

void check_probability(double probability) {
  if (!(probability >= 0.0 && probability <= 1.0))
    throw OptionError("a quantile was requested at probability " + std::to_string(probability) +
                      "; probabilities lie between 0 and 1");
}

/// The result of one diagnostic.
template <class Ask>
double diagnose(const QuantityDraws& draws, Ask&& ask) {
  DiagnoseWorkspace workspace;
  Diagnoser diagnoser(draws, workspace);
  return ask(diagnoser);
}

}  // namespace

double rhat(const QuantityDraws& draws) {
  return diagnose(draws, [](Diagnoser& d) { return d.rhat(); });
}
double ess_bulk(const QuantityDraws& draws) {
  return diagnose(draws, [](Diagnoser& d) { return d.ess_bulk(); });
}
double ess_tail(const QuantityDraws& draws) {
  return diagnose(draws, [](Diagnoser& d) { return d.ess_tail(); });
}
double ess_mean(const QuantityDraws& draws) {
  return diagnose(draws, [](Diagnoser& d) { return d.ess_mean(); });
}
double ess_sd(const QuantityDraws& draws) {
  return diagnose(draws, [](Diagnoser& d) { return d.ess_sd(); });
}
double ess_quantile(const QuantityDraws& draws, double probability) {
  check_probability(probability);
  return diagnose(draws, [&](Diagnoser& d) { return d.ess_quantile(probability); });
}
double mcse_mean(const QuantityDraws& draws) {
  return diagnose(draws, [](Diagnoser& d) { return d.mcse_mean(); });
}
double mcse_sd(const QuantityDraws& draws) {
  return diagnose(draws, [](Diagnoser& d) { return d.mcse_sd(); });
}
double mcse_quantile(const QuantityDraws& draws, double probability) {
  check_probability(probability);
  return diagnose(draws, [&](Diagnoser& d) { return d.mcse_quantile(probability); });
}

double integrated_autocorrelation_time(const QuantityDraws& draws) {
  return static_cast<double>(pooled_draws(draws).values.size()) / ess_mean(draws);
}

QuantityDetails details_of(const QuantityDraws& draws) {
  DiagnoseWorkspace workspace;
  return Diagnoser(draws, workspace).details();
}

QuantitySummary summarise(const QuantityDraws& draws, DiagnoseWorkspace& workspace, QuantityDetails* details) {
  Diagnoser diagnoser(draws, workspace);
  const QuantitySummary summary = diagnoser.summary();
  if (details) *details = diagnoser.details();
  return summary;
}

Mixing mixing_of(const QuantityDraws& draws, DiagnoseWorkspace& workspace) {
  Diagnoser diagnoser(draws, workspace);
  return {diagnoser.rhat(), diagnoser.ess_bulk()};
}

EffectiveSizes effective_sizes_of(const QuantityDraws& draws, DiagnoseWorkspace& workspace) {
  Diagnoser diagnoser(draws, workspace);
  return {diagnoser.ess_bulk(), diagnoser.ess_tail()};
}

std::vector<QuantityDraws> quantities_of(const MemoryDraws& draws, std::span<const std::size_t> parameters) {
  const bool weighted = !draws.equal_weights();
  std::vector<QuantityDraws> quantities(parameters.size());
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) {
    const std::size_t length = draws.draws(chain);
    for (QuantityDraws& quantity : quantities) {
      quantity.chains.emplace_back(length);
      if (weighted) quantity.weights.emplace_back(draws.weights(chain).begin(), draws.weights(chain).end());
    }
    for (std::size_t k = 0; k < length; ++k)
      for (std::size_t p = 0; p < parameters.size(); ++p)
        quantities[p].chains[chain][k] = draws(chain, k, parameters[p]);
  }
  return quantities;
}

QuantitySummary summarise(const QuantityDraws& draws) {
  DiagnoseWorkspace workspace;
  return summarise(draws, workspace);
}

}  // namespace sgmcmc
