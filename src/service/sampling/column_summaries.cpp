// Means, standard deviations, quantiles, R-hat and effective sample sizes from running moments and quantiles.
#include "service/sampling/column_summaries.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sgmcmc {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t fewest_draws = 4;  // per chain, for comparing it with others

/// The halves of all chains, as used by split R-hat.
std::vector<RunningMoments> halves_of(const std::vector<BatchMoments>& chains) {
  std::vector<RunningMoments> halves;
  for (const auto& chain : chains)
    if (chain.draws() >= fewest_draws)
      for (const bool second : {false, true}) halves.push_back(chain.half(second));
  return halves;
}

/// Lower 99 % confidence bound of a variance estimated from `count` independent normal numbers, as a fraction of the
/// estimate. Uses Wilson and Hilferty's approximation to the chi-squared distribution.
double surely(std::size_t count) {
  const double spread = 2.0 / (9.0 * static_cast<double>(count - 1));
  return std::pow(1 - spread + 2.326 * std::sqrt(spread), -3.0);
}

struct HalvesComparison {
  double rhat = not_a_number;
  double variance_of_mean = 0;  // lower bound
};

/// R-hat, and a lower bound of the variance of the mean, from the means of half chains.
HalvesComparison compare_halves(const std::vector<RunningMoments>& halves, std::size_t column) {
  if (halves.empty()) return {};
  RunningMoments means(1);
  double within = 0, length = 0;
  for (const auto& half : halves) {
    means.add(half.mean().subspan(column, 1));
    within += half.variance(column) / static_cast<double>(halves.size());
    length += static_cast<double>(half.count()) / static_cast<double>(halves.size());
  }
  if (!(within > 0)) return {};
  return {std::sqrt((length - 1) / length + means.variance(0) / within),
          surely(halves.size()) * means.variance(0) / static_cast<double>(halves.size())};
}

/// Variance of the overall mean by batch means, weighted by the share of each batch in the total weight.
double variance_of_mean(const std::vector<BatchMoments>& chains, const RunningMoments& all, std::size_t column) {
  double sum = 0, batches = 0;
  for (const auto& chain : chains)
    for (const auto& batch : chain.batches()) {
      const double share = batch.total_weight() / all.total_weight();
      const double difference = batch.mean()[column] - all.mean()[column];
      sum += share * share * difference * difference;
      batches += batch.count() > 0 ? 1 : 0;
    }
  return batches > 1 ? sum * batches / (batches - 1) : not_a_number;
}

}  // namespace

void ColumnSummaries::begin(std::size_t columns, std::size_t chains) {
  columns_ = columns;
  moments_.assign(chains, BatchMoments(columns));
  quantiles_.assign(chains, RunningQuantiles(columns));
}

void ColumnSummaries::add(std::size_t chain, std::span<const double> values, double weight) {
  moments_[chain].add(values, weight);
  quantiles_[chain].add(values, weight);
}

void ColumnSummaries::visit_state(std::size_t chain, StateVisitor& visitor) {
  moments_[chain].visit_state(visitor);
  quantiles_[chain].visit_state(visitor);
}

std::vector<QuantitySummary> ColumnSummaries::summaries() const {
  constexpr std::array probabilities = {0.05, 0.5, 0.95};
  RunningMoments all(columns_);
  for (const auto& chain : moments_)
    for (const auto& batch : chain.batches()) all.merge(batch);
  const auto halves = halves_of(moments_);
  const auto draws = static_cast<double>(all.count());
  std::vector<QuantitySummary> found(columns_);
  for (std::size_t k = 0; k < columns_; ++k) {
    QuantitySummary& summary = found[k];
    summary.mean = all.count() > 0 ? all.mean()[k] : not_a_number;
    summary.standard_deviation = all.standard_deviation(k);
    const auto quantiles = pooled_quantiles(quantiles_, k, probabilities);
    summary.q5 = quantiles[0];
    summary.q50 = quantiles[1];
    summary.q95 = quantiles[2];
    const HalvesComparison compared = compare_halves(halves, k);
    summary.rhat = compared.rhat;
    summary.ess_bulk = summary.ess_tail = summary.mcse_mean = not_a_number;
    const double variance = all.variance(k);
    if (!(variance > 0) || halves.empty()) continue;
    // Batch means miss disagreement between chains or their halves, which the second estimate covers. The cap on the
    // effective sample size is the same as for draws that are kept.
    const double error = std::max(variance_of_mean(moments_, all, k), compared.variance_of_mean);
    summary.ess_bulk = std::min(variance / error, draws * std::log10(draws));
    summary.mcse_mean = std::sqrt(variance / summary.ess_bulk);
  }
  return found;
}

}  // namespace sgmcmc
