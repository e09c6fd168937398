// Batches that double in length as a chain grows.
#include "draws/batch_moments.hpp"

#include "base/state_bytes.hpp"

#include <algorithm>

namespace sgmcmc {

void BatchMoments::add(std::span<const double> values, double weight) {
  if (draws_ == batch_size_ * most_batches) {
    for (std::size_t k = 0; k < most_batches / 2; ++k) {
      batches_[2 * k].merge(batches_[2 * k + 1]);
      if (k > 0) std::swap(batches_[k], batches_[2 * k]);
    }
    batches_.resize(most_batches / 2);
    batch_size_ *= 2;
  }
  if (draws_ % batch_size_ == 0) batches_.emplace_back(columns_);
  batches_.back().add(values, weight);
  ++draws_;
}

RunningMoments BatchMoments::half(bool second) const {
  RunningMoments sum(columns_);
  for (std::size_t k = 0; k < batches_.size(); ++k) {
    const std::uint64_t begin = k * batch_size_, end = std::min(begin + batch_size_, draws_);
    const bool inside = second ? 2 * begin >= draws_ : 2 * end <= draws_;
    if (inside) sum.merge(batches_[k]);
  }
  return sum;
}

void BatchMoments::visit_state(StateVisitor& visitor) {
  visitor.visit("batch_draws", draws_);
  visitor.visit("batch_size", batch_size_);
  if (batch_size_ == 0 || draws_ > batch_size_ * most_batches) refuse_state("batch_size");
  batches_.resize((draws_ + batch_size_ - 1) / batch_size_, RunningMoments(columns_));
  for (auto& batch : batches_) {
    batch.visit_state(visitor);
    if (batch.dimension() != columns_) refuse_state("mean");
  }
}

}  // namespace sgmcmc
