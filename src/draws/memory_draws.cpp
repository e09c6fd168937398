// Draws kept in memory, chain by chain, one draw after the other.
#include <sgmcmc/state.hpp>

#include <sgmcmc/draws.hpp>
#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <string>
#include <utility>

namespace sgmcmc {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::string count_of(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

void MemoryDraws::begin(std::span<const std::string> names, std::size_t chains, std::size_t draws_per_chain) {
  const double bytes =
      8.0 * static_cast<double>(chains) * static_cast<double>(draws_per_chain) * static_cast<double>(names.size() + 1);
  names_.assign(names.begin(), names.end());
  capacity_ = draws_per_chain;
  stride_ = names.size();
  keeper_.reset();
  chains_.clear();
  try {
    if (bytes > 1e18) throw std::bad_alloc();
    chains_.resize(chains);
    for (Chain& chain : chains_) {
      chain.values.resize(draws_per_chain * names.size());
      chain.weights.resize(draws_per_chain);
    }
  } catch (const std::bad_alloc&) {
    chains_.clear();
    throw OptionError("keeping " + count_of(draws_per_chain, "draw") + " of " + count_of(names.size(), "parameter") +
                      " from " + count_of(chains, "chain") + " needs " + std::to_string(bytes * 1e-9) +
                      " GB of memory; raise the thinning, write to a file, or use running moments");
  }
}

void MemoryDraws::write(std::size_t chain, std::span<const double> values, double weight) {
  if (chain >= chains_.size())
    throw OptionError("a draw came for chain " + std::to_string(chain) + " but there are " +
                      std::to_string(chains_.size()));
  if (values.size() != names_.size())
    throw OptionError("a draw has " + std::to_string(values.size()) + " values but there are " +
                      count_of(names_.size(), "parameter"));
  Chain& to = chains_[chain];
  if (to.written == capacity_)
    throw OptionError("chain " + std::to_string(chain) + " has already written its " + count_of(capacity_, "draw"));
  if (!(weight >= 0.0))
    throw OptionError("the weight of a draw is " + std::to_string(weight) + "; weights are not negative");
  std::copy(values.begin(), values.end(), to.values.begin() + static_cast<std::ptrdiff_t>(to.written * names_.size()));
  to.weights[to.written++] = weight;
}

MemoryDraws MemoryDraws::over(std::vector<std::string> names, std::size_t stride, std::vector<Elsewhere> chains,
                              std::shared_ptr<const void> keeper) {
  MemoryDraws draws;
  draws.names_ = std::move(names);
  draws.stride_ = stride;
  draws.keeper_ = std::move(keeper);
  for (auto& from : chains) {
    Chain& to = draws.chains_.emplace_back();
    to.elsewhere = from.first;
    to.written = from.draws;
    to.weights = std::move(from.weights);
  }
  return draws;
}

void MemoryDraws::save_state(std::size_t chain, StateVisitor& visitor) {
  Chain& from = chains_.at(chain);
  const auto end = static_cast<std::ptrdiff_t>(from.written);
  std::vector<double> weights(from.weights.begin(), from.weights.begin() + end);
  std::vector<double> values(from.values.begin(), from.values.begin() + end * static_cast<std::ptrdiff_t>(stride_));
  visitor.visit("draw_weights", weights);
  visitor.visit("draw_values", values);
}

void MemoryDraws::restore_state(std::size_t chain, StateVisitor& visitor) {
  Chain& to = chains_.at(chain);
  std::vector<double> weights, values;
  visitor.visit("draw_weights", weights);
  visitor.visit("draw_values", values);
  if (weights.size() > capacity_ || values.size() != weights.size() * stride_)
    throw FileError("the saved state has " + count_of(weights.size(), "draw") + " of chain " +
                    std::to_string(chain + 1) + ", which do not fit this run");
  std::copy(weights.begin(), weights.end(), to.weights.begin());
  std::copy(values.begin(), values.end(), to.values.begin());
  to.written = weights.size();
}

const MemoryDraws::Chain& MemoryDraws::chain_at(std::size_t chain) const {
  if (chain >= chains_.size())
    throw OptionError("chain " + std::to_string(chain) + " does not exist; there are " +
                      std::to_string(chains_.size()));
  return chains_[chain];
}

std::size_t MemoryDraws::draws(std::size_t chain) const { return chain_at(chain).written; }

std::size_t MemoryDraws::index_of(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  std::string message = "the draws have no parameter \"" + std::string(name) + "\"; there are ";
  const std::size_t shown = std::min<std::size_t>(names_.size(), 10);
  for (std::size_t k = 0; k < shown; ++k) {
    if (k > 0) message += ", ";
    message += names_[k];
  }
  if (shown < names_.size()) message += ", ...";
  throw OptionError(message);
}

double MemoryDraws::operator()(std::size_t chain, std::size_t draw, std::size_t parameter) const {
  return chains_[chain].draw(draw, stride_)[parameter];
}

std::span<const double> MemoryDraws::draw(std::size_t chain, std::size_t draw) const {
  const Chain& from = chain_at(chain);
  if (draw >= from.written)
    throw OptionError("chain " + std::to_string(chain) + " has " + count_of(from.written, "draw") + ", not draw " +
                      std::to_string(draw));
  return {from.draw(draw, stride_), names_.size()};
}

std::span<const double> MemoryDraws::weights(std::size_t chain) const {
  const Chain& from = chain_at(chain);
  return {from.weights.data(), from.written};
}

bool MemoryDraws::equal_weights() const {
  double first = not_a_number;
  for (const Chain& chain : chains_)
    for (std::size_t k = 0; k < chain.written; ++k) {
      if (std::isnan(first)) first = chain.weights[k];
      if (chain.weights[k] != first) return false;
    }
  return true;
}

namespace {

RunningMoments moments_of(const MemoryDraws& draws, std::size_t parameter) {
  RunningMoments moments(1);
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) {
    const auto weights = draws.weights(chain);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double value = draws(chain, k, parameter);
      moments.add({&value, 1}, weights[k]);
    }
  }
  return moments;
}

}  // namespace

double MemoryDraws::mean(std::size_t parameter) const {
  const RunningMoments moments = moments_of(*this, parameter);
  return moments.count() > 0 ? moments.mean()[0] : not_a_number;
}

double MemoryDraws::standard_deviation(std::size_t parameter) const {
  return moments_of(*this, parameter).standard_deviation(0);
}

double MemoryDraws::quantile(std::size_t parameter, double probability) const {
  return quantiles(parameter, {&probability, 1})[0];
}

// The k-th smallest value sits at (C_k - w_k/2 - w_1/2) / (C_n - w_n/2 - w_1/2), C the running sum of weights, and
// values are interpolated linearly between. Equal weights w give (k - 1) / (n - 1).
std::vector<double> MemoryDraws::quantiles(std::size_t parameter, std::span<const double> probabilities) const {
  std::vector<std::pair<double, double>> sorted;  // value, weight
  for (std::size_t chain = 0; chain < chains(); ++chain) {
    const auto chain_weights = weights(chain);
    for (std::size_t k = 0; k < chain_weights.size(); ++k)
      if (chain_weights[k] > 0.0) sorted.emplace_back((*this)(chain, k, parameter), chain_weights[k]);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> positions(sorted.size());
  for (std::size_t k = 1; k < sorted.size(); ++k)
    positions[k] = positions[k - 1] + 0.5 * (sorted[k - 1].second + sorted[k].second);

  std::vector<double> result;
  for (const double probability : probabilities) {
    if (!(probability >= 0.0 && probability <= 1.0))
      throw OptionError("a quantile was asked for at probability " + std::to_string(probability) +
                        "; probabilities lie between 0 and 1");
    if (sorted.empty()) {
      result.push_back(not_a_number);
      continue;
    }
    const double target = probability * positions.back();
    const auto after = std::lower_bound(positions.begin(), positions.end(), target);
    const auto k = static_cast<std::size_t>(after - positions.begin());
    if (k == 0) {
      result.push_back(sorted[0].first);
      continue;
    }
    const double share = (target - positions[k - 1]) / (positions[k] - positions[k - 1]);
    result.push_back(sorted[k - 1].first + share * (sorted[k].first - sorted[k - 1].first));
  }
  return result;
}

}  // namespace sgmcmc
