// One term of a hierarchical model on a chunk of rows: copies of the rows (or of the data of the groups themselves),
// the local parameters beside them as row data, and the programs that run over both.
#pragma once

#include "base/memory.hpp"
#include "data/row_pages.hpp"
#include "data/store.hpp"
#include "groups/marginal_posterior.hpp"
#include "plan/executor.hpp"

#include <sgmcmc/dataset.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sgmcmc {

inline RowBatch first_rows(std::size_t count) {
  RowBatch batch;
  batch.count = static_cast<std::uint32_t>(count);
  return batch;
}

/// Sums per-row outputs by group; the rows of a group are contiguous.
class SumByGroup final : public RowConsumer {
 public:
  /// group_of: the group of each row; null: row i is group i. ends: where each group's rows end.
  SumByGroup(const std::uint32_t* group_of, const std::uint32_t* ends, double* sums, std::size_t components)
      : group_of_(group_of), ends_(ends), sums_(sums), components_(components) {}
  void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) override {
    if (!group_of_) {
      for (std::size_t c = 0; c < components_; ++c) {
        const double* lanes = values + static_cast<std::int64_t>(c) * stride;
        for (std::uint32_t i = 0; i < count; ++i) sums_[(position + i) * components_ + c] += lanes[i];
      }
      return;
    }
    for (std::uint32_t i = 0; i < count;) {
      const std::size_t group = group_of_[position + i];
      const std::uint32_t end = std::min(count, ends_[group] - position);
      for (std::size_t c = 0; c < components_; ++c) {
        const double* lanes = values + static_cast<std::int64_t>(c) * stride;
        double total = 0;
        for (std::uint32_t k = i; k < end; ++k) total += lanes[k];
        sums_[group * components_ + c] += total;
      }
      i = end;
    }
  }

 private:
  const std::uint32_t* group_of_;
  const std::uint32_t* ends_;
  double* sums_;
  std::size_t components_;
};

class TermRows {
 public:
  /// of_rows: over rows of the data; else one row per group. capacity: maximum rows per chunk.
  TermRows(const MarginalPosterior& posterior, const TermPrograms& programs, bool of_rows, std::size_t capacity);

  void set_phi(std::span<const double> point);
  bool has_gradient() const { return static_cast<bool>(gradient_); }  ///< depends on phi
  bool reads_groups() const { return !by_group_.empty(); }            ///< data that differ by group

  /// rows: of all groups, in order; null: they are already in order.
  void copy_rows(const std::uint32_t* rows, std::uint32_t first, std::uint32_t count, std::size_t to_row);
  void copy_group(std::uint32_t group, std::size_t to_row);
  double* locals(std::size_t k) { return locals_[k].data(); }  ///< local parameter k of every row
  /// The columns that do not depend on local parameters, of the rows that were copied.
  void compute_columns(std::size_t rows);

  void run_value(std::size_t rows, RowConsumer& consumer) { value_->run_rows(first_rows(rows), consumer); }
  void run_derivatives(std::size_t rows, RowConsumer& consumer) { derivatives_->run_rows(first_rows(rows), consumer); }
  /// At the local parameters of one node: adds values to `sums` (null: not computed) and keeps the slopes of every row.
  void run_node(std::size_t node, std::size_t nodes, std::size_t rows, const std::uint32_t* group_of,
                const std::uint32_t* ends, double* sums);
  /// Averages the slopes of every row over the nodes, with the weights of its group.
  void average_slopes(std::size_t nodes, std::size_t rows, const std::uint32_t* group_of, const double* weights);
  /// Adds the gradient in phi from the averaged slopes.
  void add_gradient(std::size_t rows, std::span<double> to);
  /// The same for each group by itself: groups x dimension.
  void add_gradients(std::size_t rows, std::size_t groups, const std::uint32_t* group_of, double* each);

 private:
  struct Copied {
    const ColumnView* from = nullptr;
    const RowPages::Column* on_disk = nullptr;  ///< of rows that are copied without their pages; null: the others
    std::size_t width = 1;
    AlignedBuffer<double> real;
    AlignedBuffer<std::int32_t> integer;
  };
  struct ByGroup {
    const GroupColumn* from = nullptr;
    AlignedBuffer<double> real;
    AlignedBuffer<std::int32_t> integer;
  };

  const TermPrograms& programs_;
  RowPages* pages_;
  std::size_t capacity_, dimension_, first_shared_ = 0;
  std::int64_t points_;  // length of the parameter vectors of executors
  std::vector<AlignedBuffer<double>> locals_, computed_, slopes_;
  std::vector<std::pair<double*, std::size_t>> columns_to_fill_;  // where they are computed to, and their widths
  std::vector<Copied> copied_;
  std::vector<std::byte> read_;  // rows of a column as they are on disk
  std::vector<ByGroup> by_group_;
  Dataset data_;
  std::unique_ptr<Executor> column_values_, shared_values_, gradient_, row_gradients_, value_, derivatives_,
      value_and_slopes_;
  std::vector<double> outputs_, phi_, shared_, shared_slopes_, mean_slopes_;
  AlignedBuffer<double> kept_;  // nodes x (value and slopes) x rows
};

}  // namespace sgmcmc
