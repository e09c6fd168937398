// Sums over rows. Each is accumulated in a fixed order that depends on the row block of the plan only: lane l of a pack
// accumulator collects rows l, l + width, l + 2 width, ...; weighted rows are added one by one; products go block by
// block.
#include "plan/row_kernels.hpp"

#include "plan/matrix_product.hpp"

#include <algorithm>

namespace sgmcmc {
namespace {

template <class Real>
class RowSumKernel : public Kernel<Real> {
 public:
  explicit RowSumKernel(const KernelSpec<Real>& spec)
      : node_(&spec.value->node()),
        inputs_(spec.inputs),
        out_(spec.out),
        offset_(spec.value->offset),
        tile_rows_(spec.tile_rows) {}
  void begin(Real* sums) override {
    out_.data = sums + offset_;
    std::fill_n(out_.data, (out_.size + pack_width<Real> - 1) / pack_width<Real> * pack_width<Real>, Real(0));
  }

 protected:
  const Node* node_;
  std::vector<Operand<Real>> inputs_;
  Operand<Real> out_;
  std::int64_t offset_;
  std::int64_t tile_rows_;
};

/// Sums of lane arrays (one factor) or of products of lane arrays (two factors, all pairs).
template <class Real, bool products>
class SumLanes final : public RowSumKernel<Real> {
 public:
  explicit SumLanes(const KernelSpec<Real>& spec)
      : RowSumKernel<Real>(spec), lanes_(static_cast<std::size_t>(this->out_.size) * pack_width<Real>) {}
  void begin(Real* sums) override {
    this->out_.data = sums + this->offset_;
    std::fill_n(lanes_.data(), lanes_.size(), Real(0));
  }
  void run(const TileRows& tile) override {
    const std::int64_t columns = products ? this->inputs_[1].size : 1;
    constexpr std::uint32_t width = pack_width<Real>;
    for (std::int64_t c = 0; c < this->out_.size; ++c) {
      Real* at = lanes_.data() + c * width;
      Pack<Real> total = load(at);
      auto term = [&](std::uint32_t lane) SGMCMC_INLINE_LAMBDA {
        if constexpr (products)
          return lanes_of(this->inputs_[0], c / columns, lane) * lanes_of(this->inputs_[1], c % columns, lane);
        else
          return lanes_of(this->inputs_[0], c, lane);
      };
      std::uint32_t lane = 0;
      for (; lane + width <= tile.count; lane += width) total += term(lane);
      if (lane < tile.count) total += term(lane) & tail_mask<Real>(tile.count - lane);
      store(at, total);
    }
  }
  void end() override {
    for (std::int64_t c = 0; c < this->out_.size; ++c)
      this->out_.data[c] = horizontal_sum(load(lanes_.data() + c * pack_width<Real>));
  }

 private:
  AlignedBuffer<Real> lanes_;
};

template <class Real>
class SumWeightedRows final : public RowSumKernel<Real> {
 public:
  using RowSumKernel<Real>::RowSumKernel;
  void run(const TileRows& tile) override {
    add_weighted_rows(*this->inputs_[1].column, tile, this->inputs_[0].data, this->out_.data);
  }
  bool visits_rows() const override { return true; }
};

template <class Real>
class SumProduct final : public RowSumKernel<Real> {
 public:
  explicit SumProduct(const KernelSpec<Real>& spec)
      : RowSumKernel<Real>(spec), product_(spec.inputs[1].size, spec.inputs[0].size, product_block_rows) {
    if (this->inputs_[1].in_place) rows_ = spec.column_tile(*this->inputs_[1].column);
  }
  void begin(Real* sums) override {
    this->out_.data = sums + this->offset_;
    const std::int64_t size = this->out_.size;
    std::fill_n(this->out_.data + size, (pack_width<Real> - size % pack_width<Real>) % pack_width<Real>, Real(0));
    is_empty_ = true;  // the first product is written, not added to zeros
  }
  void run(const TileRows& tile) override {
    const std::int64_t rows = this->inputs_[0].size;
    const std::int64_t columns = this->inputs_[1].size;
    // The sum of a b' is row-major, so its transpose is made: the sum of b a', by products of the transposed tile of b
    // with the tile of a. A tile of lanes is column-major, its transpose row-major.
    MatrixView<Real> all{this->inputs_[1].data, this->tile_rows_, true, nullptr};
    if (rows_) {
      all = rows_->rows(tile);
      all.row_major = false;
    }
    for (std::uint32_t start = 0; start < tile.count; start += product_block_rows) {
      const std::int64_t count = std::min(product_block_rows, tile.count - start);
      const MatrixView<Real> block =
          rows_ ? all.from_line(start) : MatrixView<Real>{all.data + start, all.stride, true, nullptr};
      const MatrixView<Real> factors{this->inputs_[0].data + start, this->tile_rows_, false, nullptr};
      if (is_empty_)
        product_.set(columns, rows, count, block, factors, this->out_.data, columns);
      else
        product_.add(columns, rows, count, block, factors, this->out_.data, columns);
      is_empty_ = false;
    }
  }
  void end() override {
    if (is_empty_) std::fill_n(this->out_.data, this->out_.size, Real(0));
  }

 private:
  bool is_empty_ = true;
  MatrixProduct<Real> product_;
  std::shared_ptr<ColumnTile<Real>> rows_;
};

template <class Real>
class SumScatter final : public RowSumKernel<Real> {
 public:
  using RowSumKernel<Real>::RowSumKernel;
  void run(const TileRows& tile) override {
    const Operand<Real>& value = this->inputs_[0];
    const std::int64_t picks = this->node_->inputs[1].shape().size();
    const std::int64_t inner = value.size / picks;
    for (std::uint32_t i = 0; i < tile.count; ++i) {
      for (std::int64_t pick = 0; pick < picks; ++pick) {
        Real* to =
            this->out_.data + table_entry(this->inputs_[1], tile, i, pick, this->node_->attributes.offset) * inner;
        for (std::int64_t c = 0; c < inner; ++c) to[c] += value.data[(pick * inner + c) * value.component_stride + i];
      }
    }
  }
};

template <class Real>
class SumSparse final : public RowSumKernel<Real> {
 public:
  using RowSumKernel<Real>::RowSumKernel;
  void run(const TileRows& tile) override {
    const ColumnView& x = *this->inputs_[0].column;
    const Operand<Real>& factor = this->inputs_[1];
    const std::int64_t columns = x.row_shape.size();
    for (std::uint32_t i = 0; i < tile.count; ++i) {
      const std::uint32_t row = tile.row(i);
      if (factor.size == 1) {
        const Real by = factor.data[i];
        Real* out = this->out_.data;
        for (std::int64_t e = x.row_start[row], end = x.row_start[row + 1]; e < end; ++e)
          out[x.sparse_column[e]] += static_cast<Real>(x.sparse_value[e]) * by;
        continue;
      }
      for (std::int64_t e = x.row_start[row]; e < x.row_start[row + 1]; ++e) {
        const Real value = static_cast<Real>(x.sparse_value[e]);
        for (std::int64_t m = 0; m < factor.size; ++m)
          this->out_.data[m * columns + x.sparse_column[e]] += value * factor.data[m * factor.component_stride + i];
      }
    }
  }
};

}  // namespace

template <class Real>
std::unique_ptr<Kernel<Real>> make_row_sum_kernel(const KernelSpec<Real>& spec) {
  switch (spec.value->op()) {
    case Op::row_sum: return std::make_unique<SumLanes<Real, false>>(spec);
    case Op::row_sum_outer:
      if (spec.inputs[0].size == 1 && spec.inputs[1].in_place) return std::make_unique<SumWeightedRows<Real>>(spec);
      if (spec.inputs[0].size > 1 && spec.out.size > matrix_product_threshold)
        return std::make_unique<SumProduct<Real>>(spec);
      return std::make_unique<SumLanes<Real, true>>(spec);
    case Op::row_sum_scatter: return std::make_unique<SumScatter<Real>>(spec);
    default: return std::make_unique<SumSparse<Real>>(spec);
  }
}

template std::unique_ptr<Kernel<double>> make_row_sum_kernel<double>(const KernelSpec<double>&);
template std::unique_ptr<Kernel<float>> make_row_sum_kernel<float>(const KernelSpec<float>&);

}  // namespace sgmcmc
