// Conversions between data operands and Eigen matrices.
#pragma once

#include "stan/builtins/operands.hpp"

#include <Eigen/Core>

namespace sgmcmc::stan {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::MatrixXd eigen_matrix(const Operand& x) {
  return Eigen::Map<const RowMajorMatrix>(x.numbers.data(), x.dims[0], x.dims[1]);
}

inline Operand matrix_operand(const Eigen::MatrixXd& matrix) {
  std::vector<double> numbers(static_cast<std::size_t>(matrix.size()));
  Eigen::Map<RowMajorMatrix>(numbers.data(), matrix.rows(), matrix.cols()) = matrix;
  return numbers_operand(matrix_type, {matrix.rows(), matrix.cols()}, std::move(numbers));
}

}  // namespace sgmcmc::stan
