// Declares the kernels of Eigen's matrix products and triangular solvers, which eigen_instances.cpp compiles: a file
// that instantiates them again takes seconds longer to compile. The precompiled headers include this file; files
// compiled without them instantiate what they need.
#pragma once

#include <Eigen/Core>

// Builds with kernels for several processors compile each of them with flags of its own.
#ifndef SGMCMC_LEVELS

/// Applies `declare` to every template that is compiled once.
#define SGMCMC_EIGEN_INSTANCES(declare)                                                                                \
  declare gebp_kernel<double, double, Index, ProductResult, DoubleProduct::mr, DoubleProduct::nr, false, false>;       \
  declare                                                                                                              \
      gemm_pack_lhs<double, Index, ByColumns, DoubleProduct::mr, DoubleProduct::LhsProgress, PackedLeft, ColMajor>;    \
  declare gemm_pack_lhs<double, Index, ByRows, DoubleProduct::mr, DoubleProduct::LhsProgress, PackedLeft, RowMajor>;   \
  declare gemm_pack_rhs<double, Index, ByColumns, DoubleProduct::nr, ColMajor>;                                        \
  declare gemm_pack_rhs<double, Index, ByRows, DoubleProduct::nr, RowMajor>;                                           \
  declare triangular_solve_matrix<double, Index, OnTheLeft, Lower, false, ColMajor, ColMajor, 1>;                      \
  declare triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, RowMajor, ColMajor, 1>;                      \
  declare triangular_solve_matrix<double, Index, OnTheRight, Upper, false, RowMajor, ColMajor, 1>;                     \
  declare general_matrix_vector_product<Index, double, ByColumns, ColMajor, false, double, ByRows, false, 0>;          \
  declare general_matrix_vector_product<Index, double, ByRows, RowMajor, false, double, ByColumns, false, 0>;          \
  declare product_triangular_matrix_matrix<double, Index, Lower, true, ColMajor, false, ColMajor, false, ColMajor, 1>; \
  declare product_triangular_matrix_matrix<double, Index, Upper, true, RowMajor, false, ColMajor, false, ColMajor, 1>;

namespace Eigen::internal {

using DoubleProduct = gebp_traits<double, double>;
using ProductResult = blas_data_mapper<double, Index, ColMajor, Unaligned, 1>;
using ByColumns = const_blas_data_mapper<double, Index, ColMajor>;
using ByRows = const_blas_data_mapper<double, Index, RowMajor>;
using PackedLeft = DoubleProduct::LhsPacket4Packing;

SGMCMC_EIGEN_INSTANCES(extern template struct)

}  // namespace Eigen::internal

#endif
