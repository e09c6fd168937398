// Matrix products, compiled for the processor's level: Eigen's own product in the rest of a portable build has
// the instructions that every processor has.
#pragma once

#include <cstdint>

namespace sgmcmc {

/// A column-major matrix in memory.
struct Columns {
  const double* data;
  std::int64_t rows, columns, stride;
};

/// c += a b', for column-major c.
void add_outer_products(const Columns& a, const Columns& b, double* c, std::int64_t c_stride);
/// The same for a symmetric c: only its lower triangle.
void add_symmetric_products(const Columns& a, const Columns& b, double* c, std::int64_t c_stride);
/// c = a' b, for column-major c.
void set_inner_products(const Columns& a, const Columns& b, double* c, std::int64_t c_stride);

}  // namespace sgmcmc
