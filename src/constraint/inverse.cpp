// Inverse transforms on numbers: check that values satisfy their constraint, and compute their coordinates.
#include "constraint/transforms.hpp"

#include <sgmcmc/error.hpp>

#include <cmath>

namespace sgmcmc {

namespace {

/// Tolerance for sums that must be 1 and entries that must be equal or zero: initial values are often typed.
constexpr double tolerance = 1e-8;

/// A matrix of one block, and the positions of its entries in the whole array.
class BlockView {
 public:
  BlockView(std::span<const double> values, const Blocks& blocks, std::int64_t group)
      : values_(values), columns_(blocks.columns), start_(group * blocks.block_size()) {}
  std::int64_t flat(std::int64_t row, std::int64_t column) const { return start_ + row * columns_ + column; }
  double operator()(std::int64_t row, std::int64_t column) const {
    return values_[static_cast<std::size_t>(flat(row, column))];
  }
  double operator()(std::int64_t element) const { return (*this)(0, element); }

 private:
  std::span<const double> values_;
  std::int64_t columns_;
  std::int64_t start_;
};

std::string index_text(const Shape& shape, std::int64_t flat) {
  if (shape.is_scalar()) return "";
  std::vector<std::int64_t> index(shape.rank());
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  std::string text = "[";
  for (std::size_t axis = 0; axis < index.size(); ++axis) text += (axis > 0 ? ", " : "") + std::to_string(index[axis]);
  return text + "]";
}

/// The coordinates of one row of a correlation factor, its diagonal last. With z_j = L_j / |L_j ... L_i|, the
/// coordinate atanh(z_j) is asinh(L_j / |L_j+1 ... L_i|), which keeps its digits when z is close to 1.
std::vector<double> row_coordinates(const std::vector<double>& row) {
  std::vector<double> coordinates(row.size() - 1);
  double rest = row.back() * row.back();
  for (std::size_t j = coordinates.size(); j-- > 0;) {
    coordinates[j] = std::asinh(row[j] / std::sqrt(rest));
    rest += row[j] * row[j];
  }
  return coordinates;
}

void check_symmetric(const BlockView& matrix, const Blocks& blocks, const char* constraint) {
  for (std::int64_t i = 0; i < blocks.columns; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      const double scale = std::max(1.0, std::abs(matrix(i, j)));
      if (!(std::abs(matrix(i, j) - matrix(j, i)) <= tolerance * scale)) {
        refuse(constraint, blocks, matrix.flat(i, j), matrix(i, j), "must equal the entry across the diagonal");
      }
    }
  }
}

/// The lower Cholesky factor, row by row.
std::vector<std::vector<double>> factorise(const BlockView& matrix, const Blocks& blocks, const char* constraint) {
  const auto size = static_cast<std::size_t>(blocks.columns);
  std::vector<std::vector<double>> factor(size);
  for (std::size_t i = 0; i < size; ++i) {
    factor[i].assign(i + 1, 0.0);
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = matrix(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
      for (std::size_t k = 0; k < j; ++k) rest -= factor[i][k] * factor[j][k];
      if (i == j && !(rest > 0)) {
        refuse(constraint, blocks, matrix.flat(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)), rest,
               "pivot of the Cholesky factorisation must be positive: the matrix is not positive definite");
      }
      factor[i][j] = i == j ? std::sqrt(rest) : rest / factor[j][j];
    }
  }
  return factor;
}

}  // namespace

void refuse(const std::string& constraint, const Blocks& blocks, std::int64_t flat_position, double value,
            const std::string& rule) {
  std::string text = "constraint " + constraint + ": value";
  const std::string index = index_text(blocks.shape, flat_position);
  if (!index.empty()) text += " " + index + " of shape " + blocks.shape.to_string();
  throw DataError(text + " is " + number_text(value) + ", but " + rule);
}

void simplex_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group, std::vector<double>& u) {
  const BlockView x(values, blocks, group);
  const std::int64_t size = blocks.columns;
  double total = 0;
  for (std::int64_t k = 0; k < size; ++k) {
    if (!(x(k) > 0)) refuse("simplex", blocks, x.flat(0, k), x(k), "must be greater than 0");
    total += x(k);
  }
  if (!(std::abs(total - 1) <= tolerance)) {
    refuse("simplex", blocks, x.flat(0, size - 1), x(size - 1),
           "must complete a sum of 1, and the sum is " + number_text(total));
  }
  // What remains is summed from the end, so that small last elements keep their digits.
  std::vector<double> coordinates(static_cast<std::size_t>(size - 1));
  double rest = x(size - 1);
  for (std::int64_t k = size - 2; k >= 0; --k) {
    coordinates[static_cast<std::size_t>(k)] =
        std::log(x(k)) - std::log(rest) + std::log(static_cast<double>(size - 1 - k));
    rest += x(k);
  }
  u.insert(u.end(), coordinates.begin(), coordinates.end());
}

void ordered_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group, bool positive,
                     std::vector<double>& u) {
  const BlockView x(values, blocks, group);
  const char* name = positive ? "positive_ordered" : "ordered";
  if (positive && !(x(0) > 0)) refuse(name, blocks, x.flat(0, 0), x(0), "must be greater than 0");
  u.push_back(positive ? std::log(x(0)) : x(0));
  for (std::int64_t k = 1; k < blocks.columns; ++k) {
    if (!(x(k) > x(k - 1))) {
      refuse(name, blocks, x.flat(0, k), x(k), "must be greater than the element before it");
    }
    u.push_back(std::log(x(k) - x(k - 1)));
  }
}

void unit_vector_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group,
                         std::vector<double>& u) {
  const BlockView x(values, blocks, group);
  double squared_length = 0;
  for (std::int64_t k = 0; k < blocks.columns; ++k) squared_length += x(k) * x(k);
  if (!(std::abs(squared_length - 1) <= tolerance)) {
    refuse("unit_vector", blocks, x.flat(0, 0), x(0),
           "the vector must have length 1, and its squared length is " + number_text(squared_length));
  }
  for (std::int64_t k = 0; k < blocks.columns; ++k) u.push_back(x(k));
}

void cholesky_correlation_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group,
                                  std::vector<double>& u) {
  const BlockView x(values, blocks, group);
  const char* name = "cholesky_factor_correlation";
  for (std::int64_t i = 0; i < blocks.rows; ++i) {
    double squared_length = 0;
    std::vector<double> row;
    for (std::int64_t j = 0; j < blocks.columns; ++j) {
      if (j > i && x(i, j) != 0) refuse(name, blocks, x.flat(i, j), x(i, j), "must be 0 above the diagonal");
      if (j <= i) row.push_back(x(i, j));
      squared_length += x(i, j) * x(i, j);
    }
    if (!(x(i, i) > 0)) refuse(name, blocks, x.flat(i, i), x(i, i), "must be greater than 0 on the diagonal");
    if (!(std::abs(squared_length - 1) <= tolerance)) {
      refuse(name, blocks, x.flat(i, i), x(i, i),
             "must complete a row of length 1, and its squared length is " + number_text(squared_length));
    }
    const auto coordinates = row_coordinates(row);
    u.insert(u.end(), coordinates.begin(), coordinates.end());
  }
}

void correlation_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group,
                         std::vector<double>& u) {
  const BlockView x(values, blocks, group);
  const char* name = "correlation_matrix";
  for (std::int64_t i = 0; i < blocks.rows; ++i) {
    if (!(std::abs(x(i, i) - 1) <= tolerance)) refuse(name, blocks, x.flat(i, i), x(i, i), "must be 1 on the diagonal");
  }
  check_symmetric(x, blocks, name);
  const auto factor = factorise(x, blocks, name);
  std::vector<std::vector<double>> coordinates;
  for (const auto& row : factor) coordinates.push_back(row_coordinates(row));
  for (const auto& entry : triangle_by_columns(blocks.columns)) {
    u.push_back(coordinates[static_cast<std::size_t>(entry.row)][static_cast<std::size_t>(entry.column)]);
  }
}

void cholesky_covariance_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group,
                                 std::vector<double>& u) {
  const BlockView x(values, blocks, group);
  const char* name = "cholesky_factor_covariance";
  for (std::int64_t i = 0; i < blocks.rows; ++i) {
    for (std::int64_t j = 0; j < blocks.columns; ++j) {
      if (j > i && x(i, j) != 0) refuse(name, blocks, x.flat(i, j), x(i, j), "must be 0 above the diagonal");
      if (j == i && !(x(i, j) > 0))
        refuse(name, blocks, x.flat(i, j), x(i, j), "must be greater than 0 on the diagonal");
      if (j <= i) u.push_back(j == i ? std::log(x(i, j)) : x(i, j));
    }
  }
}

void covariance_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group,
                        std::vector<double>& u) {
  const BlockView x(values, blocks, group);
  check_symmetric(x, blocks, "covariance_matrix");
  const auto factor = factorise(x, blocks, "covariance_matrix");
  for (std::size_t i = 0; i < factor.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) u.push_back(j == i ? std::log(factor[i][j]) : factor[i][j]);
  }
}

}  // namespace sgmcmc
