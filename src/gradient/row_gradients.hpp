// Per-row gradients, delivered in blocks of rows that do not depend on how the plan splits a batch into tiles.
#pragma once

#include "base/memory.hpp"
#include "data/store.hpp"
#include "model/log_posterior.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace sgmcmc {

/// Receives the gradients of a block of rows: row i is at rows + i * stride, padded with zeros from the dimension to
/// the stride, which is a whole number of packs. `position` is the position of the first row in the batch. Blocks come
/// in order and all but the last have the same size.
class RowBlockConsumer {
 public:
  virtual ~RowBlockConsumer() = default;
  virtual void consume(std::uint32_t position, std::uint32_t count, const double* rows, std::size_t stride) = 0;
};

class RowGradients final : private RowConsumer {
 public:
  static constexpr std::uint32_t block_rows = 64;

  /// kind: row_gradients or row_gradient_differences.
  RowGradients(const LogPosterior& posterior, ProgramKind kind, const ExecutorOptions& options);

  void set_point(Point point, std::span<const double> theta) { executor_->set_point(point, theta); }
  void visit(const RowBatch& batch, RowBlockConsumer& consumer);

 private:
  void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) override;
  void flush();

  struct Part {
    const ColumnView* column;         // null: the slope alone
    std::size_t size, first, stride;  // which coordinates it covers
  };

  std::size_t dimension_, stride_;
  std::unique_ptr<Executor> executor_;
  std::vector<Part> parts_;  // empty: the executor computes whole gradients
  Dataset data_;             // owns the columns
  AlignedBuffer<double> rows_;
  const RowBatch* batch_ = nullptr;
  RowBlockConsumer* consumer_ = nullptr;
  std::uint32_t first_ = 0, held_ = 0;
};

}  // namespace sgmcmc
