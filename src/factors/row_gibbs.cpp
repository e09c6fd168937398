// Products in tiles of registers, and decompositions of eight matrices side by side.
#include "factors/row_gibbs.hpp"

#include "base/pack.hpp"

#include <algorithm>

namespace sgmcmc {

namespace {

using Numbers = Pack<double>;

constexpr std::size_t panel_rows = 64;
constexpr std::size_t product_rows = 512;  // rows of a side whose products are summed as one block

constexpr std::size_t lower(std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; }

/// Adds x x' of `count` rows to the lower triangle of gram, whose rows have the same stride: `size` numbers of each
/// row are in use. Four rows of gram and eight columns are kept in registers at a time.
void add_products(const double* rows, std::size_t count, std::size_t stride, std::size_t size, double* gram) {
  for (std::size_t i = 0; i < size; i += 4)
    for (std::size_t j = 0; j <= i; j += 8) {
      double* const to = gram + i * stride + j;
      Numbers sum_0 = load(to), sum_1 = load(to + stride), sum_2 = load(to + 2 * stride), sum_3 = load(to + 3 * stride);
      const double* x = rows;
      for (std::size_t r = 0; r < count; ++r, x += stride) {
        const Numbers column = load(x + j);
        sum_0 = fma(Numbers(x[i]), column, sum_0);
        sum_1 = fma(Numbers(x[i + 1]), column, sum_1);
        sum_2 = fma(Numbers(x[i + 2]), column, sum_2);
        sum_3 = fma(Numbers(x[i + 3]), column, sum_3);
      }
      store(to, sum_0);
      store(to + stride, sum_1);
      store(to + 2 * stride, sum_2);
      store(to + 3 * stride, sum_3);
    }
}

}  // namespace

RowGibbs::RowGibbs(RowShape shape, ThreadPool& pool)
    : shape_(shape), pool_(pool), scratch_(static_cast<std::size_t>(pool.threads())) {
  const std::size_t size = shape.size() + 1;  // with the ratings as the last column
  for (Scratch& scratch : scratch_) {
    scratch.panel = AlignedBuffer<double>(panel_rows * shape.stride());
    scratch.gram = AlignedBuffer<double>(shape.stride() * shape.stride());
    scratch.lane_gram = AlignedBuffer<double>(lanes * lower(size, 0));
    scratch.lane_factor = AlignedBuffer<double>(lanes * lower(size, 0));
    scratch.vectors = AlignedBuffer<double>(lanes * size);
    scratch.noise = AlignedBuffer<double>(lanes * size);
    scratch.linear = AlignedBuffer<double>(lanes * size);
  }
}

void RowGibbs::add_row(const RatingRows& ratings, std::size_t row, const FactorSide& other, const Target& target,
                       Scratch& scratch) const {
  const std::size_t stride = shape_.stride(), size = shape_.size();
  const double per_unit = 1.0 / target.scale;
  std::fill(scratch.gram.begin(), scratch.gram.end(), 0.0);
  const std::uint64_t end = ratings.start[row + 1];
  for (std::uint64_t begin = ratings.start[row]; begin < end; begin += panel_rows) {
    const std::size_t count = std::min<std::uint64_t>(panel_rows, end - begin);
    double* to = scratch.panel.data();
    for (std::size_t r = 0; r < count; ++r, to += stride) {
      const double* const from = other.row(ratings.other[begin + r]);
      double y = (static_cast<double>(ratings.value[begin + r]) - target.offset) * per_unit;
      for (std::size_t k = 0; k < stride; k += lanes) store(to + k, load(from + k));
      if (shape_.biases) {
        y -= from[size - 1];
        to[size - 1] = 1.0;
      }
      to[size] = y;
    }
    add_products(scratch.panel.data(), count, stride, size + 1, scratch.gram.data());
  }
}

namespace {

SGMCMC_INLINE Numbers lanes_at(const double* numbers, std::size_t i) { return load_aligned(numbers + 8 * i); }

}  // namespace

void RowGibbs::add_rows(const RatingRows& ratings, std::size_t first, std::size_t count, const FactorSide& other,
                        const Target& target, Scratch& scratch) const {
  const std::size_t size = shape_.size(), stride = shape_.stride();
  if (count < lanes) std::fill(scratch.lane_gram.begin(), scratch.lane_gram.end(), 0.0);
  for (std::size_t lane = 0; lane < count; ++lane) {
    add_row(ratings, first + lane, other, target, scratch);
    for (std::size_t i = 0; i <= size; ++i)
      for (std::size_t j = 0; j <= i; ++j) scratch.lane_gram[lanes * lower(i, j) + lane] = scratch.gram[i * stride + j];
  }
}

/// Lambda mu of each row.
void RowGibbs::set_prior_linear(const FactorSide& side, std::size_t first, std::size_t count, Scratch& scratch) const {
  const std::size_t size = shape_.size();
  const auto dimension = static_cast<Eigen::Index>(size);
  for (std::size_t k = 0; k < size; ++k)
    store_aligned(scratch.linear.data() + lanes * k, Numbers(weighted_mean_[static_cast<Eigen::Index>(k)]));
  if (side.row_means.empty()) return;
  for (std::size_t lane = 0; lane < count; ++lane) {
    const Eigen::Map<const Eigen::VectorXd> mean(side.row_means.data() + (first + lane) * size, dimension);
    for (Eigen::Index k = 0; k < dimension; ++k)
      scratch.linear[lanes * static_cast<std::size_t>(k) + lane] = side.prior.precision.col(k).dot(mean);
  }
}

/// The Cholesky factor of the precision, with inverses on its diagonal, and L^-1 of the linear term as one more row.
void RowGibbs::decompose(const FactorSide& side, const Target& target, Scratch& scratch) const {
  const std::size_t size = shape_.size();
  const double* const gram = scratch.lane_gram.data();
  double* const factor = scratch.lane_factor.data();
  const Numbers tau(target.noise_precision);
  for (std::size_t i = 0; i <= size; ++i)
    for (std::size_t j = 0; j <= std::min(i, size - 1); ++j) {
      const Numbers prior =
          i == size ? lanes_at(scratch.linear.data(), j)
                    : Numbers(side.prior.precision(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
      Numbers sum = fma(tau, lanes_at(gram, lower(i, j)), prior);
      Numbers other = 0.0;  // two chains of additions
      const double* const row_i = factor + lanes * lower(i, 0);
      const double* const row_j = factor + lanes * lower(j, 0);
      std::size_t k = 0;
      for (; k + 1 < j; k += 2) {
        sum = sum - lanes_at(row_i, k) * lanes_at(row_j, k);
        other = fma(lanes_at(row_i, k + 1), lanes_at(row_j, k + 1), other);
      }
      if (k < j) sum = sum - lanes_at(row_i, k) * lanes_at(row_j, k);
      sum = sum - other;
      const Numbers value = i == j ? Numbers(1.0) / sqrt(sum) : sum * lanes_at(row_j, j);
      store_aligned(factor + lanes * lower(i, j), value);
    }
}

/// In place of the factor, its inverse: row i from the rows before it, which are inverted already.
void RowGibbs::invert(Scratch& scratch) const {
  double* const factor = scratch.lane_factor.data();
  for (std::size_t i = 1; i < shape_.size(); ++i) {
    double* const row = factor + lanes * lower(i, 0);
    const Numbers own = lanes_at(row, i);
    for (std::size_t j = 0; j < i; ++j) {
      Numbers sum = 0.0;
      for (std::size_t k = j; k < i; ++k) sum = fma(lanes_at(row, k), lanes_at(factor, lower(k, j)), sum);
      store_aligned(row + lanes * j, -(sum * own));
    }
  }
}

double RowGibbs::draw_eight(Scratch& scratch) const {
  const std::size_t size = shape_.size();
  const double* const gram = scratch.lane_gram.data();
  const double* const factor = scratch.lane_factor.data();
  double* const x = scratch.vectors.data();
  const auto at = [](const double* numbers, std::size_t i) { return lanes_at(numbers, i); };
  // x = L^-T (L^-1 linear + z)
  for (std::size_t i = 0; i < size; ++i)
    store_aligned(x + lanes * i, at(factor, lower(size, i)) + at(scratch.noise.data(), i));
  for (std::size_t i = size; i-- > 0;) {
    const Numbers value = at(x, i) * at(factor, lower(i, i));
    store_aligned(x + lanes * i, value);
    for (std::size_t k = 0; k < i; ++k) store_aligned(x + lanes * k, at(x, k) - at(factor, lower(i, k)) * value);
  }
  // Squared errors: (x, -1)' gram (x, -1)
  Numbers errors = at(gram, lower(size, size));
  for (std::size_t i = 0; i < size; ++i) {
    Numbers sum = 0.0;
    for (std::size_t j = 0; j < i; ++j) sum = fma(at(gram, lower(i, j)), at(x, j), sum);
    const Numbers own = at(x, i);
    errors = errors + own * (fma(at(gram, lower(i, i)), own, (sum - at(gram, lower(size, i))) * 2.0));
  }
  return horizontal_sum(errors);
}

void RowGibbs::draw(const RatingRows& ratings, RowRange rows, FactorSide& side, const FactorSide& other,
                    const Target& target, const StreamKey& key) {
  const std::size_t size = shape_.size();
  errors_.assign(groups(side.count), 0.0);
  weighted_mean_ = side.prior.precision * side.prior.mean;
  for_groups(rows, side.count, [&](std::size_t first, std::size_t count, Scratch& scratch) {
    fill_normal(key, {scratch.noise.data(), lanes * size}, first * size);
    add_rows(ratings, first, count, other, target, scratch);
    set_prior_linear(side, first, count, scratch);
    decompose(side, target, scratch);
    errors_[first / lanes] = draw_eight(scratch);
    for (std::size_t lane = 0; lane < count; ++lane)
      for (std::size_t k = 0; k < size; ++k) side.row(first + lane)[k] = scratch.vectors[lanes * k + lane];
  });
}

double RowGibbs::summed_errors() const {
  double errors = 0;
  for (const double each : errors_) errors += each;
  return errors;
}

Eigen::MatrixXd RowGibbs::products(const FactorSide& side) {
  const std::size_t stride = shape_.stride(), size = shape_.size() + 1;
  const std::size_t blocks = (side.count + product_rows - 1) / product_rows;
  std::vector<double> sums(blocks * stride * stride);
  pool_.for_each(blocks, [&](std::size_t block, int) {
    const std::size_t first = block * product_rows;
    add_products(side.row(first), std::min(product_rows, side.count - first), stride, size,
                 sums.data() + block * stride * stride);
  });
  const auto dimension = static_cast<Eigen::Index>(size);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(dimension, dimension);
  for (std::size_t block = 0; block < blocks; ++block)
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) += sums[(block * stride + i) * stride + j];
  for (Eigen::Index i = 0; i < dimension; ++i)
    for (Eigen::Index j = i + 1; j < dimension; ++j) result(i, j) = result(j, i);
  return result;
}

}  // namespace sgmcmc
