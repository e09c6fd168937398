// Weighted products of the columns of a tile. Rows are split into shares that do not depend on the number of threads,
// so results do not either.
#include "gradient/row_curvature.hpp"

#include "base/matrix_products.hpp"
#include "data/store.hpp"
#include "model/factored_curvature.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace sgmcmc {
namespace {

using Matrix = Eigen::MatrixXd;

constexpr std::uint32_t tile_rows = 128;

// Each share of the rows has its own matrix, so memory limits their number.
constexpr double most_memory = 1e9;
std::size_t parts_of_rows(Eigen::Index dimension) {
  const auto size = static_cast<double>(dimension);
  return static_cast<std::size_t>(std::clamp(most_memory / (8.0 * size * size), 2.0, 16.0));
}

struct Part {
  const ColumnView* column;    // null: no data, the value alone
  Eigen::Index offset, size;   // in the concatenation of all parts
  Eigen::Index first, stride;  // in the model's coordinates
};

template <class Source>
void copy_row(const std::byte* row, Eigen::Index size, double* to) {
  const auto* from = reinterpret_cast<const Source*>(row);
  for (Eigen::Index c = 0; c < size; ++c) to[c] = static_cast<double>(from[c]);
}

class CurvatureOfRows final : public RowConsumer {
 public:
  void start(const std::vector<Part>& parts, const RowBatch& batch, Eigen::Index dimension) {
    parts_ = &parts;
    batch_ = &batch;
    sum_ = Matrix::Zero(dimension, dimension);
    rows_.resize(dimension, tile_rows);
    scaled_.resize(dimension, tile_rows);
  }
  void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) override {
    for (std::uint32_t begin = 0; begin < count; begin += tile_rows)
      add(position + begin, std::min(tile_rows, count - begin), values + begin, stride);
  }
  const Matrix& sum() const { return sum_; }  ///< empty if there were no rows; only blocks with k >= l are filled

 private:
  void add(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) {
    const auto& parts = *parts_;
    const auto columns = static_cast<Eigen::Index>(count);
    for (std::uint32_t i = 0; i < count; ++i)
      for (const Part& part : parts) {
        double* to = rows_.data() + static_cast<Eigen::Index>(i) * rows_.rows() + part.offset;
        if (!part.column) {
          *to = 1.0;
          continue;
        }
        const std::byte* from = part.column->row(batch_->row(position + i));
        part.column->type == StorageType::float64 ? copy_row<double>(from, part.size, to)
                                                  : copy_row<float>(from, part.size, to);
      }
    for (std::size_t k = 0; k < parts.size(); ++k)
      for (std::size_t l = 0; l <= k; ++l) {
        const double* weight = values + static_cast<std::int64_t>(k * (k + 1) / 2 + l) * stride;
        if (std::all_of(weight, weight + count, [](double w) { return w == 0.0; })) continue;
        for (Eigen::Index i = 0; i < columns; ++i)
          scaled_.col(i).segment(parts[k].offset, parts[k].size) =
              weight[i] * rows_.col(i).segment(parts[k].offset, parts[k].size);
        const Columns left{&scaled_(parts[k].offset, 0), parts[k].size, columns, scaled_.rows()};
        const Columns right{&rows_(parts[l].offset, 0), parts[l].size, columns, rows_.rows()};
        double* const block = &sum_(parts[k].offset, parts[l].offset);
        if (parts[k].column == parts[l].column)  // the block is symmetric
          add_symmetric_products(left, right, block, sum_.rows());
        else
          add_outer_products(left, right, block, sum_.rows());
      }
  }

  const std::vector<Part>* parts_ = nullptr;
  const RowBatch* batch_ = nullptr;
  Matrix sum_;            // lower triangle
  Matrix rows_, scaled_;  // one tile, with a column for each row
};

/// Adds up the shares and moves each block to the coordinates of its parts. A block of a column with itself is
/// symmetric and holds its lower triangle only.
Matrix in_coordinates(const std::vector<CurvatureOfRows>& sums, const std::vector<Part>& parts, std::int64_t dimension,
                      double weight) {
  Matrix total = Matrix::Zero(dimension, dimension);
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (std::size_t l = 0; l <= k; ++l) {
      const Part &a = parts[k], &b = parts[l];
      const bool symmetric = a.column == b.column;
      for (Eigen::Index j = 0; j < b.size; ++j)
        for (Eigen::Index i = symmetric ? j : 0; i < a.size; ++i) {
          double value = 0;
          for (const auto& sum : sums)
            if (sum.sum().size() > 0) value += sum.sum()(a.offset + i, b.offset + j);
          value *= weight;
          const auto set = [&](Eigen::Index p, Eigen::Index q) {
            const Eigen::Index row = a.first + p * a.stride, column = b.first + q * b.stride;
            total(row, column) = total(column, row) = value;
          };
          set(i, j);
          if (symmetric) set(j, i);
        }
    }
  return total;
}

}  // namespace

std::optional<Matrix> row_curvature(const LogPosterior& posterior, std::span<const double> theta, const RowBatch& batch,
                                    ThreadPool* pool) {
  const auto factored = factor_curvature(posterior);
  if (!factored) return std::nullopt;
  const Dataset data = posterior.model().data();
  std::vector<Part> parts;
  Eigen::Index offset = 0;
  for (const auto& part : factored->parts) {
    const ColumnView* column = part.column.empty() ? nullptr : &data.store().column(part.column);
    if (column && column->type != StorageType::float64 && column->type != StorageType::float32) return std::nullopt;
    parts.push_back({column, offset, static_cast<Eigen::Index>(part.size), static_cast<Eigen::Index>(part.first),
                     static_cast<Eigen::Index>(part.stride)});
    offset += static_cast<Eigen::Index>(part.size);
  }
  std::vector<std::unique_ptr<Executor>> executors;
  for (int worker = 0; worker < (pool ? pool->threads() : 1); ++worker) {
    executors.push_back(make_executor(factored->program, data, posterior.dimension(), {}));
    executors.back()->set_point(Point::current, theta);
  }
  const std::size_t shares = parts_of_rows(offset);
  std::vector<CurvatureOfRows> sums(shares);
  std::vector<RowBatch> batches(shares, batch);
  const auto visit = [&](std::size_t part, int worker) {
    const auto begin = static_cast<std::uint32_t>(std::uint64_t{batch.count} * part / shares);
    const auto end = static_cast<std::uint32_t>(std::uint64_t{batch.count} * (part + 1) / shares);
    if (begin == end) return;
    RowBatch& some = batches[part];
    some.first += begin;
    some.count = end - begin;
    if (some.indices) some.indices += begin;
    some.next_indices = nullptr;
    some.next_count = 0;
    sums[part].start(parts, some, offset);
    executors[static_cast<std::size_t>(worker)]->run_rows(some, sums[part]);
  };
  if (pool)
    pool->for_each(shares, visit);
  else
    for (std::size_t share = 0; share < shares; ++share) visit(share, 0);
  return in_coordinates(sums, parts, posterior.dimension(), batch.uniform_weight);
}

}  // namespace sgmcmc
