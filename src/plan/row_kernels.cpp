// Per-row ops on tiles: every component of a value is an array of lanes, one lane a row.
#include "plan/row_kernels.hpp"

#include "base/vector_math.hpp"
#include "plan/dense.hpp"
#include "plan/matrix_product.hpp"

#include <algorithm>
#include <limits>

namespace sgmcmc {
namespace {

template <class Real>
class RowKernel : public Kernel<Real> {
 public:
  explicit RowKernel(const KernelSpec<Real>& spec)
      : node_(&spec.value->node()), inputs_(spec.inputs), out_(spec.out), tile_rows_(spec.tile_rows) {}

 protected:
  static constexpr std::size_t width = pack_width<Real>;
  Real* out_lanes(std::int64_t component) const { return out_.data + component * out_.component_stride; }

  const Node* node_;
  std::vector<Operand<Real>> inputs_;
  Operand<Real> out_;
  std::int64_t tile_rows_;
};

/// Copies row data into lanes, converting to the plan's precision.
template <class Real, class Source>
class LoadColumn final : public RowKernel<Real> {
 public:
  using RowKernel<Real>::RowKernel;
  void run(const TileRows& tile) override {
    const ColumnView& column = *this->out_.column;
    const std::int64_t components = this->out_.size;
    if (components == 1) {  // labels and offsets: most columns that are loaded
      Real* out = this->out_lanes(0);
      const auto read = [](const std::byte* at) { return static_cast<Real>(*reinterpret_cast<const Source*>(at)); };
      if (tile.batch->indices) {
        for (std::uint32_t i = 0; i < tile.count; ++i) {
          out[i] = read(column.row(tile.row(i)));
          asm volatile("");  // one by one: the vectorised form is a gather, which takes some 50 cycles for eight on
                             // many x86 processors
        }
      } else {
        const std::byte* at = column.row(tile.row(0));
        const std::size_t stride = column.stride_bytes;
        for (std::uint32_t i = 0; i < tile.count; ++i, at += stride) out[i] = read(at);
      }
      std::fill(out + tile.count, out + tile.lanes, out[tile.count - 1]);
      return;
    }
    for (std::uint32_t i = 0; i < tile.lanes; ++i) {
      const auto* row = reinterpret_cast<const Source*>(column.row(tile.row(std::min(i, tile.count - 1))));
      for (std::int64_t c = 0; c < components; ++c) this->out_lanes(c)[i] = static_cast<Real>(row[c]);
    }
  }
};

template <class Real>
class LoadWeight final : public RowKernel<Real> {
 public:
  using RowKernel<Real>::RowKernel;
  void run(const TileRows& tile) override {
    Real* out = this->out_lanes(0);
    const RowBatch& batch = *tile.batch;
    if (batch.weights)
      for (std::uint32_t i = 0; i < tile.count; ++i) out[i] = static_cast<Real>(batch.weights[tile.position + i]);
    else
      std::fill_n(out, tile.count, static_cast<Real>(batch.uniform_weight));
    std::fill(out + tile.count, out + tile.lanes, Real(0));
  }
};

template <class Real>
class DotInPlace final : public RowKernel<Real> {
 public:
  DotInPlace(const KernelSpec<Real>& spec) : RowKernel<Real>(spec) {
    if (!this->inputs_[0].in_place) std::swap(this->inputs_[0], this->inputs_[1]);
  }
  void run(const TileRows& tile) override {
    dot_rows(*this->inputs_[0].column, tile, this->inputs_[1].data, this->out_lanes(0));
  }
  bool visits_rows() const override { return true; }
};

template <class Real>
class DotLanes final : public RowKernel<Real> {
 public:
  using RowKernel<Real>::RowKernel;
  void run(const TileRows& tile) override {
    const std::int64_t components = this->inputs_[0].size;
    for (std::size_t lane = 0; lane < tile.lanes; lane += this->width) {
      Pack<Real> total(Real(0));
      for (std::int64_t c = 0; c < components; ++c)
        total = fma(lanes_of(this->inputs_[0], c, lane), lanes_of(this->inputs_[1], c, lane), total);
      store(this->out_lanes(0) + lane, total);
    }
  }
};

/// Matrix times vector, lanes at a time: for small matrices and for matrices that differ by row.
template <class Real>
class MatvecLanes final : public RowKernel<Real> {
 public:
  using RowKernel<Real>::RowKernel;
  void run(const TileRows& tile) override {
    const Shape& shape = this->node_->inputs[0].shape();
    const bool transpose = this->node_->attributes.transpose_a;
    const std::int64_t rows = transpose ? shape[1] : shape[0];
    const std::int64_t columns = transpose ? shape[0] : shape[1];
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::size_t lane = 0; lane < tile.lanes; lane += this->width) {
        Pack<Real> total(Real(0));
        for (std::int64_t k = 0; k < columns; ++k) {
          const std::int64_t element = transpose ? k * shape[1] + i : i * shape[1] + k;
          total = fma(lanes_of(this->inputs_[0], element, lane), lanes_of(this->inputs_[1], k, lane), total);
        }
        store(this->out_lanes(i) + lane, total);
      }
    }
  }
};

/// Matrix times vector for a whole tile as one matrix product. Lane arrays are the columns of a column-major matrix.
template <class Real>
class MatvecProduct final : public RowKernel<Real> {
 public:
  explicit MatvecProduct(const KernelSpec<Real>& spec)
      : RowKernel<Real>(spec), outputs_(spec.out.size), product_(spec.tile_rows, outputs_, spec.inputs[1].size) {
    if (this->inputs_[1].in_place) rows_ = spec.column_tile(*this->inputs_[1].column);
  }
  void run(const TileRows& tile) override {
    const Shape& shape = this->node_->inputs[0].shape();
    // Results are x A', one row of lanes each; A' is the matrix read the other way round.
    const bool transpose = this->node_->attributes.transpose_a;
    const MatrixView<Real> matrix{this->inputs_[0].data, shape[1], transpose, nullptr};
    const MatrixView<Real> x =
        rows_ ? rows_->rows(tile) : MatrixView<Real>{this->inputs_[1].data, this->tile_rows_, false, nullptr};
    product_.set(tile.count, outputs_, this->inputs_[1].size, x, matrix, this->out_lanes(0), this->tile_rows_);
    // Lanes beyond the last row repeat it, so that what follows stays finite.
    for (std::int64_t c = 0; c < outputs_; ++c)
      std::fill(this->out_lanes(c) + tile.count, this->out_lanes(c) + tile.lanes, this->out_lanes(c)[tile.count - 1]);
  }

 private:
  std::int64_t outputs_;
  MatrixProduct<Real> product_;
  std::shared_ptr<ColumnTile<Real>> rows_;
};

template <class Real>
class OuterLanes final : public RowKernel<Real> {
 public:
  using RowKernel<Real>::RowKernel;
  void run(const TileRows& tile) override {
    const std::int64_t columns = this->inputs_[1].size;
    for (std::int64_t c = 0; c < this->out_.size; ++c)
      for (std::size_t lane = 0; lane < tile.lanes; lane += this->width)
        store(this->out_lanes(c) + lane,
              lanes_of(this->inputs_[0], c / columns, lane) * lanes_of(this->inputs_[1], c % columns, lane));
  }
};

/// Reductions and scans: down the components, all lanes at once.
template <class Real>
class AxisLanes final : public RowKernel<Real> {
 public:
  using RowKernel<Real>::RowKernel;
  void run(const TileRows& tile) override {
    const AxisView axis = this->node_->attributes.axis;
    const Op op = this->node_->op;
    for (std::int64_t o = 0; o < axis.outer; ++o) {
      for (std::int64_t i = 0; i < axis.inner; ++i) {
        const std::int64_t first = o * axis.length * axis.inner + i;
        const std::int64_t reduced = o * axis.inner + i;
        for (std::size_t lane = 0; lane < tile.lanes; lane += this->width) {
          auto in = [&](std::int64_t j)
                        SGMCMC_INLINE_LAMBDA { return lanes_of(this->inputs_[0], first + j * axis.inner, lane); };
          auto write = [&](std::int64_t component, const Pack<Real>& value)
                           SGMCMC_INLINE_LAMBDA { store(this->out_lanes(component) + lane, value); };
          if (op == Op::sum || op == Op::cumulative_sum) {
            Pack<Real> total(Real(0));
            for (std::int64_t j = 0; j < axis.length; ++j) {
              const std::int64_t at = this->node_->attributes.reverse ? axis.length - 1 - j : j;
              total += in(at);
              if (op == Op::cumulative_sum) write(first + at * axis.inner, total);
            }
            if (op == Op::sum) write(reduced, total);
            continue;
          }
          Pack<Real> largest(-std::numeric_limits<Real>::infinity());
          for (std::int64_t j = 0; j < axis.length; ++j) {
            const Pack<Real> value = in(j);
            largest = select(value <= largest, largest, select(value > largest, value, value + largest));  // keeps NaN
          }
          if (op == Op::reduce_max) {
            write(reduced, largest);
            continue;
          }
          soft(in, write, largest, first, reduced);
        }
      }
    }
  }

 private:
  template <class In, class Write>
  SGMCMC_INLINE void soft(const In& in, const Write& write, const Pack<Real>& largest, std::int64_t first,
                          std::int64_t reduced) {
    const AxisView axis = this->node_->attributes.axis;
    const Op op = this->node_->op;
    const Pack<Real> infinity(std::numeric_limits<Real>::infinity());
    const auto endless = abs(largest) == infinity;
    const Pack<Real> shift = select(endless, Pack<Real>(Real(0)), largest);
    Pack<Real> total(Real(0));
    for (std::int64_t j = 0; j < axis.length; ++j) {
      total += exp(in(j)-shift);
    }
    if (op == Op::log_sum_exp) {
      write(reduced, select(endless, largest, shift + log(total)));
      return;
    }
    // All minus infinity: equal weights, as in dense.cpp.
    const Pack<Real> equal_share(Real(1) / static_cast<Real>(axis.length));
    if (op == Op::softmax) {
      const Pack<Real> scale = Pack<Real>(Real(1)) / total;
      for (std::int64_t j = 0; j < axis.length; ++j)
        write(first + j * axis.inner, select(endless, equal_share, exp(in(j)-shift) * scale));
      return;
    }
    const Pack<Real> log_total = shift + log(total);
    for (std::int64_t j = 0; j < axis.length; ++j)
      write(first + j * axis.inner, select(endless, log(equal_share), in(j)-log_total));
  }
};

template <class Real>
class TakeLanes final : public RowKernel<Real> {
 public:
  using RowKernel<Real>::RowKernel;
  void run(const TileRows& tile) override {
    const auto& positions = *this->node_->attributes.positions;
    for (std::size_t j = 0; j < positions.size(); ++j) {
      Real* to = this->out_lanes(static_cast<std::int64_t>(j));
      if (positions[j] < 0) {
        std::fill_n(to, tile.lanes, Real(0));
      } else {
        const Real* from = this->inputs_[0].data + positions[j] * this->inputs_[0].component_stride;
        std::copy_n(from, tile.lanes, to);
      }
    }
  }
};

template <class Real>
class ScatterLanes final : public RowKernel<Real> {
 public:
  using RowKernel<Real>::RowKernel;
  void run(const TileRows& tile) override {
    const auto& positions = *this->node_->attributes.positions;
    for (std::int64_t c = 0; c < this->out_.size; ++c) std::fill_n(this->out_lanes(c), tile.lanes, Real(0));
    for (std::size_t j = 0; j < positions.size(); ++j) {
      if (positions[j] < 0) continue;
      Real* to = this->out_lanes(positions[j]);
      const Real* from = this->inputs_[0].data + static_cast<std::int64_t>(j) * this->inputs_[0].component_stride;
      for (std::size_t i = 0; i < tile.lanes; ++i) to[i] += from[i];
    }
  }
};

template <class Real>
class ConcatLanes final : public RowKernel<Real> {
 public:
  using RowKernel<Real>::RowKernel;
  void run(const TileRows& tile) override {
    std::int64_t component = 0;
    for (const auto& input : this->inputs_)
      for (std::int64_t c = 0; c < input.size; ++c, ++component)
        for (std::size_t lane = 0; lane < tile.lanes; lane += this->width)
          store(this->out_lanes(component) + lane, lanes_of(input, c, lane));
  }
};

template <class Real>
class GatherLanes final : public RowKernel<Real> {
 public:
  using RowKernel<Real>::RowKernel;
  void run(const TileRows& tile) override {
    const Operand<Real>& table = this->inputs_[0];
    const std::int64_t picks = this->node_->inputs[1].shape().size();
    const std::int64_t inner = this->out_.size / picks;
    for (std::int64_t pick = 0; pick < picks; ++pick) {
      for (std::uint32_t i = 0; i < tile.lanes; ++i) {
        const auto entry = table_entry(this->inputs_[1], tile, i, pick, this->node_->attributes.offset);
        for (std::int64_t c = 0; c < inner; ++c) {
          const Real* at = table.data + (entry * inner + c) * table.component_stride;
          this->out_lanes(pick * inner + c)[i] = table.per_row ? at[i] : *at;
        }
      }
    }
  }
};

template <class Real>
class ScatterRowsLanes final : public RowKernel<Real> {
 public:
  using RowKernel<Real>::RowKernel;
  void run(const TileRows& tile) override {
    const Operand<Real>& value = this->inputs_[0];
    const std::int64_t picks = this->node_->inputs[1].shape().size();
    const std::int64_t inner = value.size / picks;
    for (std::int64_t c = 0; c < this->out_.size; ++c) std::fill_n(this->out_lanes(c), tile.lanes, Real(0));
    for (std::int64_t pick = 0; pick < picks; ++pick) {
      for (std::uint32_t i = 0; i < tile.lanes; ++i) {
        const auto entry = table_entry(this->inputs_[1], tile, i, pick, this->node_->attributes.offset);
        for (std::int64_t c = 0; c < inner; ++c) {
          const Real* at = value.data + (pick * inner + c) * value.component_stride;
          this->out_lanes(entry * inner + c)[i] += value.per_row ? at[i] : *at;
        }
      }
    }
  }
};

/// The four ops with sparse row data as first operand.
template <class Real>
class SparseLanes final : public RowKernel<Real> {
 public:
  using RowKernel<Real>::RowKernel;
  void run(const TileRows& tile) override {
    const ColumnView& x = *this->inputs_[0].column;
    const Operand<Real>& other = this->inputs_[1];
    const std::int64_t columns = x.row_shape.size();
    const Op op = this->node_->op;
    const bool adjoint = op == Op::sparse_scale || op == Op::sparse_outer;
    const std::int64_t outputs = adjoint ? other.size : this->out_.size;
    if (op == Op::sparse_dot && !other.per_row && other.component_stride == 1) return dots(tile, x, other.data);
    for (std::int64_t c = 0; c < this->out_.size; ++c) std::fill_n(this->out_lanes(c), tile.lanes, Real(0));
    for (std::uint32_t i = 0; i < tile.lanes; ++i) {
      const std::uint32_t row = tile.row(std::min(i, tile.count - 1));
      auto element = [&](std::int64_t at) {
        const Real* from = other.data + at * other.component_stride;
        return other.per_row ? from[i] : *from;
      };
      for (std::int64_t e = x.row_start[row]; e < x.row_start[row + 1]; ++e) {
        const std::int64_t column = x.sparse_column[e];
        const Real value = static_cast<Real>(x.sparse_value[e]);
        for (std::int64_t m = 0; m < outputs; ++m) {
          if (adjoint)
            this->out_lanes(m * columns + column)[i] += value * element(m);
          else
            this->out_lanes(m)[i] += value * element(m * columns + column);
        }
      }
    }
  }

 private:
  /// With the same coefficients for all rows: four sums at a time, to shorten dependency chains.
  void dots(const TileRows& tile, const ColumnView& x, const Real* coefficients) {
    Real* out = this->out_lanes(0);
    for (std::uint32_t i = 0; i < tile.lanes; ++i) {
      const std::uint32_t row = tile.row(std::min(i, tile.count - 1));
      const std::int64_t end = x.row_start[row + 1];
      Real sums[4] = {};
      std::int64_t e = x.row_start[row];
      for (; e + 4 <= end; e += 4)
        for (std::int64_t k = 0; k < 4; ++k)
          sums[k] += static_cast<Real>(x.sparse_value[e + k]) * coefficients[x.sparse_column[e + k]];
      for (; e < end; ++e) sums[0] += static_cast<Real>(x.sparse_value[e]) * coefficients[x.sparse_column[e]];
      out[i] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
  }
};

/// Any dense op, lane by lane: operands gathered into contiguous memory, the result spread out again.
template <class Real>
class LaneByLane final : public RowKernel<Real> {
 public:
  explicit LaneByLane(const KernelSpec<Real>& spec) : RowKernel<Real>(spec), workspace_(*this->node_) {
    std::size_t total = static_cast<std::size_t>(this->out_.size) + 16;
    for (const auto& input : this->inputs_) total += static_cast<std::size_t>(input.size) + 16;
    memory_ = AlignedBuffer<Real>(total);
    Real* at = memory_.data();
    for (const auto& input : this->inputs_) {
      pointers_.push_back(input.per_row ? at : input.data);
      at += input.size + 16;
    }
    result_ = at;
  }
  void run(const TileRows& tile) override {
    for (std::uint32_t i = 0; i < tile.lanes; ++i) {
      for (std::size_t n = 0; n < this->inputs_.size(); ++n) {
        const auto& input = this->inputs_[n];
        if (!input.per_row) continue;
        for (std::int64_t c = 0; c < input.size; ++c)
          const_cast<Real*>(pointers_[n])[c] = input.data[c * input.component_stride + i];
      }
      evaluate_dense(*this->node_, pointers_.data(), result_, workspace_);
      for (std::int64_t c = 0; c < this->out_.size; ++c) this->out_lanes(c)[i] = result_[c];
    }
  }

 private:
  DenseWorkspace<Real> workspace_;
  AlignedBuffer<Real> memory_;
  std::vector<const Real*> pointers_;
  Real* result_ = nullptr;
};

}  // namespace

template <class Real>
std::unique_ptr<Kernel<Real>> make_row_kernel(const KernelSpec<Real>& spec) {
  const Node& node = spec.value->node();
  auto in_place = [&](std::size_t i) { return i < spec.inputs.size() && spec.inputs[i].in_place; };
  switch (node.op) {
    case Op::row_real:
      if (spec.out.column->type == StorageType::float64) return std::make_unique<LoadColumn<Real, double>>(spec);
      return std::make_unique<LoadColumn<Real, float>>(spec);
    case Op::row_integer:
      return visit_integer_type(spec.out.column->type, [&](auto zero) -> std::unique_ptr<Kernel<Real>> {
        return std::make_unique<LoadColumn<Real, decltype(zero)>>(spec);
      });
    case Op::row_weight: return std::make_unique<LoadWeight<Real>>(spec);
    case Op::dot:
      if (in_place(0) || in_place(1)) return std::make_unique<DotInPlace<Real>>(spec);
      return std::make_unique<DotLanes<Real>>(spec);
    case Op::matvec:
      if (!spec.inputs[0].per_row && spec.inputs[1].per_row && spec.inputs[0].size > matrix_product_threshold)
        return std::make_unique<MatvecProduct<Real>>(spec);
      return std::make_unique<MatvecLanes<Real>>(spec);
    case Op::outer: return std::make_unique<OuterLanes<Real>>(spec);
    case Op::sum:
    case Op::reduce_max:
    case Op::log_sum_exp:
    case Op::softmax:
    case Op::log_softmax:
    case Op::cumulative_sum: return std::make_unique<AxisLanes<Real>>(spec);
    case Op::take: return std::make_unique<TakeLanes<Real>>(spec);
    case Op::scatter: return std::make_unique<ScatterLanes<Real>>(spec);
    case Op::concat: return std::make_unique<ConcatLanes<Real>>(spec);
    case Op::gather: return std::make_unique<GatherLanes<Real>>(spec);
    case Op::scatter_rows: return std::make_unique<ScatterRowsLanes<Real>>(spec);
    case Op::sparse_dot:
    case Op::sparse_matvec:
    case Op::sparse_scale:
    case Op::sparse_outer: return std::make_unique<SparseLanes<Real>>(spec);
    default: return std::make_unique<LaneByLane<Real>>(spec);
  }
}

template std::unique_ptr<Kernel<double>> make_row_kernel<double>(const KernelSpec<double>&);
template std::unique_ptr<Kernel<float>> make_row_kernel<float>(const KernelSpec<float>&);

}  // namespace sgmcmc
