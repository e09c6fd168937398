// Matrix products by Eigen's kernel in memory allocated beforehand: Eigen's own operators allocate for every large
// product.
#pragma once

#include <Eigen/Core>

#include <cstdint>

namespace sgmcmc {

/// A matrix in memory: entry (i, j) at data[i * stride + j] when row_major, else at data[i + j * stride].
template <class Real>
struct MatrixView {
  const Real* data = nullptr;
  std::int64_t stride = 0;
  bool row_major = true;
};

/// Adds products a b to c. The order of additions depends on the sizes alone, not on strides or alignment. Not for
/// concurrent use.
template <class Real>
class MatrixProduct {
 public:
  /// The largest sizes of c [rows, columns] and of the inner dimension that will be asked for.
  MatrixProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth)
      : blocking_(rows, columns, depth, 1, true) {
    blocking_.allocateAll();
  }
  MatrixProduct(const MatrixProduct&) = delete;
  MatrixProduct& operator=(const MatrixProduct&) = delete;

  /// c is column-major.
  void add(std::int64_t rows, std::int64_t columns, std::int64_t depth, MatrixView<Real> a, MatrixView<Real> b, Real* c,
           std::int64_t c_stride) {
    using Eigen::ColMajor;
    using Eigen::RowMajor;
    if (rows == 0 || columns == 0 || depth == 0) return;
    if (a.row_major)
      b.row_major ? multiply<RowMajor, RowMajor>(rows, columns, depth, a, b, c, c_stride)
                  : multiply<RowMajor, ColMajor>(rows, columns, depth, a, b, c, c_stride);
    else
      b.row_major ? multiply<ColMajor, RowMajor>(rows, columns, depth, a, b, c, c_stride)
                  : multiply<ColMajor, ColMajor>(rows, columns, depth, a, b, c, c_stride);
  }

 private:
  template <int order_a, int order_b>
  void multiply(std::int64_t rows, std::int64_t columns, std::int64_t depth, MatrixView<Real> a, MatrixView<Real> b,
                Real* c, std::int64_t c_stride) {
    using Kernel = Eigen::internal::general_matrix_matrix_product<Eigen::Index, Real, order_a, false, Real, order_b,
                                                                  false, Eigen::ColMajor, 1>;
    Kernel::run(rows, columns, depth, a.data, a.stride, b.data, b.stride, c, 1, c_stride, Real(1), blocking_, nullptr);
  }

  Eigen::internal::gemm_blocking_space<Eigen::ColMajor, Real, Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::Dynamic>
      blocking_;
};

}  // namespace sgmcmc
