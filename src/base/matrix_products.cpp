// Products by Eigen, compiled once for each level.
#include "base/matrix_products.hpp"

#include "base/levels.hpp"

#include <Eigen/Core>

namespace sgmcmc {
namespace {

using Stride = Eigen::OuterStride<>;
using Result = Eigen::Map<Eigen::MatrixXd, 0, Stride>;

Eigen::Map<const Eigen::MatrixXd, 0, Stride> view(const Columns& matrix) {
  return {matrix.data, matrix.rows, matrix.columns, Stride(matrix.stride)};
}

void add_outer_products_here(const Columns& a, const Columns& b, double* c, std::int64_t c_stride) {
  Result(c, a.rows, b.rows, Stride(c_stride)).noalias() += view(a) * view(b).transpose();
}

void add_symmetric_products_here(const Columns& a, const Columns& b, double* c, std::int64_t c_stride) {
  Result sum(c, a.rows, b.rows, Stride(c_stride));
  sum.triangularView<Eigen::Lower>() += view(a) * view(b).transpose();
}

void set_inner_products_here(const Columns& a, const Columns& b, double* c, std::int64_t c_stride) {
  Result(c, a.columns, b.columns, Stride(c_stride)).noalias() = view(a).transpose() * view(b);
}

}  // namespace

SGMCMC_DISPATCHED(void, add_outer_products, (const Columns& a, const Columns& b, double* c, std::int64_t c_stride),
                  (a, b, c, c_stride))
SGMCMC_DISPATCHED(void, add_symmetric_products, (const Columns& a, const Columns& b, double* c, std::int64_t c_stride),
                  (a, b, c, c_stride))
SGMCMC_DISPATCHED(void, set_inner_products, (const Columns& a, const Columns& b, double* c, std::int64_t c_stride),
                  (a, b, c, c_stride))

}  // namespace sgmcmc
