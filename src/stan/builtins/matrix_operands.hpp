// Conversions between data operands, whose numbers are stored row by row, and matrices.
#pragma once

#include "base/dense_matrix.hpp"
#include "stan/builtins/operands.hpp"

namespace sgmcmc::stan {

inline DenseMatrix matrix_of_rows(const double* numbers, std::int64_t rows, std::int64_t columns) {
  DenseMatrix matrix(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) matrix(i, j) = numbers[i * columns + j];
  return matrix;
}

inline DenseMatrix matrix_of(const Operand& x) { return matrix_of_rows(x.numbers.data(), x.dims[0], x.dims[1]); }

inline Operand matrix_operand(const DenseMatrix& matrix) {
  std::vector<double> numbers;
  numbers.reserve(matrix.numbers.size());
  for (std::int64_t i = 0; i < matrix.rows; ++i)
    for (std::int64_t j = 0; j < matrix.columns; ++j) numbers.push_back(matrix(i, j));
  return numbers_operand(matrix_type, {matrix.rows, matrix.columns}, std::move(numbers));
}

}  // namespace sgmcmc::stan
