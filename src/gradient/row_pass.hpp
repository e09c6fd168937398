// Multithreaded passes over per-row gradients. The split into parts does not depend on the number of threads.
#pragma once

#include "base/thread_pool.hpp"
#include "gradient/row_gradients.hpp"
#include "minibatch/row_batch.hpp"
#include "model/log_posterior.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

class RowPass {
 public:
  static constexpr std::size_t parts = 16;

  /// kind: row_gradients or row_gradient_differences.
  RowPass(const LogPosterior& posterior, ProgramKind kind, ThreadPool* pool) : pool_(pool) {
    const int workers = pool ? pool->threads() : 1;
    for (int k = 0; k < workers; ++k)
      gradients_.push_back(std::make_unique<RowGradients>(posterior, kind, ExecutorOptions{}));
  }

  void set_point(Point point, std::span<const double> theta) {
    for (auto& gradients : gradients_) gradients->set_point(point, theta);
  }

  /// consumer_of(part, position) returns the consumer of a part, whose first row is at `position` in the batch.
  template <class ConsumerOf>
  void visit(const RowBatch& batch, ConsumerOf&& consumer_of) {
    const auto visit_part = [&](std::size_t part, int worker) {
      const auto begin = static_cast<std::uint32_t>(std::uint64_t{batch.count} * part / parts);
      const auto end = static_cast<std::uint32_t>(std::uint64_t{batch.count} * (part + 1) / parts);
      if (begin == end) return;
      RowBatch some = batch;
      some.first += begin;
      some.count = end - begin;
      if (some.indices) some.indices += begin;
      if (some.weights) some.weights += begin;
      gradients_[static_cast<std::size_t>(worker)]->visit(some, consumer_of(part, begin));
    };
    if (pool_) return pool_->for_each(parts, visit_part);
    for (std::size_t part = 0; part < parts; ++part) visit_part(part, 0);
  }

 private:
  ThreadPool* pool_;
  std::vector<std::unique_ptr<RowGradients>> gradients_;  // one per worker
};

}  // namespace sgmcmc
