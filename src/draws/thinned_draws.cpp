// Keeps every stride-th draw, with a stride that doubles.
#include "draws/thinned_draws.hpp"

#include "base/state_bytes.hpp"

#include <algorithm>

namespace sgmcmc {

void ThinnedDraws::begin(std::vector<std::string> names, std::size_t chains, std::size_t most_draws) {
  names_ = std::move(names);
  most_draws_ = std::max<std::size_t>(2, most_draws);
  chains_.assign(chains, {});
  spool_.begin(1 + names_.size(), chains);
}

void ThinnedDraws::write(std::size_t chain, std::span<const double> values, double weight) {
  Chain& to = chains_[chain];
  if (to.seen++ % to.stride != 0) return;
  if (spool_.records(chain) == most_draws_) {
    spool_.drop_every_second(chain);
    to.stride *= 2;
    if ((to.seen - 1) % to.stride != 0) return;
  }
  to.record.assign(1, weight);
  to.record.insert(to.record.end(), values.begin(), values.end());
  spool_.write(chain, to.record);
}

std::uint64_t ThinnedDraws::stride() const {
  std::uint64_t largest = 1;
  for (const Chain& chain : chains_) largest = std::max(largest, chain.stride);
  return largest;
}

MemoryDraws ThinnedDraws::view() { return spool_.view(names_, 1); }

void ThinnedDraws::save_state(std::size_t chain, StateVisitor& visitor) {
  Chain& state = chains_[chain];
  visitor.visit("thinned_seen", state.seen);
  visitor.visit("thinned_stride", state.stride);
  std::vector<double> numbers = spool_.numbers(chain);
  visitor.visit("thinned_draws", numbers);
}

void ThinnedDraws::restore_state(std::size_t chain, StateVisitor& visitor) {
  Chain& state = chains_[chain];
  visitor.visit("thinned_seen", state.seen);
  visitor.visit("thinned_stride", state.stride);
  std::vector<double> numbers;
  visitor.visit("thinned_draws", numbers);
  const std::size_t width = 1 + names_.size();
  if (state.stride == 0 || numbers.size() % width != 0 || numbers.size() / width > most_draws_)
    refuse_state("thinned_draws");
  for (std::size_t k = 0; k < numbers.size(); k += width)
    spool_.write(chain, std::span<const double>(numbers).subspan(k, width));
}

}  // namespace sgmcmc
