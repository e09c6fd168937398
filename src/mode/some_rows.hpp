// All rows, or a weighted part that represents them.
#pragma once

#include "minibatch/minibatcher.hpp"
#include "model/even_rows.hpp"
#include "model/log_posterior.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace sgmcmc {

/// All rows, or an evenly spaced selection up to a limit, weighted to represent all rows.
class SomeRows {
 public:
  SomeRows(const LogPosterior& posterior, double most) : batch_(posterior.all_rows()) {
    constexpr std::uint64_t seed = 0x9e3779b97f4a7c15ULL;
    const auto rows = static_cast<double>(posterior.rows());
    if (!(most < rows)) return;
    const MinibatchOptions options = even_rows(posterior.model(), static_cast<std::int64_t>(std::max(1.0, most)));
    batches_ = std::make_unique<Minibatcher>(posterior.rows(), options, seed, 0);
    batch_ = batches_->batch(0);
    batch_.next_indices = nullptr;
    batch_.next_count = 0;
  }
  const RowBatch& batch() const { return batch_; }
  bool all() const { return !batches_; }

 private:
  std::unique_ptr<Minibatcher> batches_;
  RowBatch batch_;
};

}  // namespace sgmcmc
