// The plan computes whole gradients. If they factor into slopes times data, it computes the slopes and the products are
// formed here.
#include "gradient/row_gradients.hpp"

#include "base/pack.hpp"
#include "base/vector_loops.hpp"

#include <algorithm>

namespace sgmcmc {
namespace {

template <class Source>
void write_multiple(double slope, const std::byte* row, std::size_t size, double* to, std::size_t stride) {
  const auto* from = reinterpret_cast<const Source*>(row);
  if (stride == 1) {
    SGMCMC_INDEPENDENT_ITERATIONS()
    for (std::size_t c = 0; c < size; ++c) to[c] = slope * static_cast<double>(from[c]);
  } else {
    for (std::size_t c = 0; c < size; ++c) to[c * stride] = slope * static_cast<double>(from[c]);
  }
}

}  // namespace

RowGradients::RowGradients(const LogPosterior& posterior, ProgramKind kind, const ExecutorOptions& options)
    : dimension_(static_cast<std::size_t>(posterior.dimension())),
      stride_((dimension_ + 7) / 8 * 8),
      data_(posterior.model().data()),
      rows_(block_rows * stride_) {
  if (const auto factored = posterior.factored_rows(kind)) {
    for (const auto& part : factored->parts) {
      const ColumnView* column = part.column.empty() ? nullptr : &data_.store().column(part.column);
      if (column && column->type != StorageType::float64 && column->type != StorageType::float32) {
        parts_.clear();
        break;
      }
      parts_.push_back({column, static_cast<std::size_t>(part.size), static_cast<std::size_t>(part.first),
                        static_cast<std::size_t>(part.stride)});
    }
    if (!parts_.empty()) {
      executor_ = make_executor(factored->program, data_, posterior.dimension(), options);
      return;
    }
  }
  executor_ = posterior.executor(kind, options);
}

void RowGradients::visit(const RowBatch& batch, RowBlockConsumer& consumer) {
  batch_ = &batch;
  consumer_ = &consumer;
  first_ = held_ = 0;
  executor_->run_rows(batch, *this);
  flush();
}

void RowGradients::flush() {
  if (held_ > 0) consumer_->consume(first_, held_, rows_.data(), stride_);
  first_ += held_;
  held_ = 0;
}

void RowGradients::consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) {
  for (std::uint32_t i = 0; i < count; ++i) {
    double* row = rows_.data() + held_ * stride_;
    if (parts_.empty()) {
      for (std::size_t d = 0; d < dimension_; ++d) row[d] = values[static_cast<std::int64_t>(d) * stride + i];
    } else {
      for (std::size_t k = 0; k < parts_.size(); ++k) {
        const Part& part = parts_[k];
        const double slope = values[static_cast<std::int64_t>(k) * stride + i];
        double* to = row + part.first;
        if (!part.column) {
          *to = slope;
        } else {
          const std::byte* from = part.column->row(batch_->row(position + i));
          part.column->type == StorageType::float64 ? write_multiple<double>(slope, from, part.size, to, part.stride)
                                                    : write_multiple<float>(slope, from, part.size, to, part.stride);
        }
      }
    }
    if (++held_ == block_rows) flush();
  }
}

}  // namespace sgmcmc
