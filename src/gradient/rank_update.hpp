// Sums of products of the elements of rows: the inner loops of Fisher scoring.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sgmcmc {

/// Adds the products of elements i and j <= i of every row to products[j * size + i]; what stands above the diagonal of
/// that square is spoilt. Rows are `stride` apart, and 64 bytes beyond the last may be read.
void add_pair_products(const double* rows, std::uint32_t count, std::size_t stride, std::size_t size, double* products);

/// Adds the squares of the elements of every row; all `stride` of them, which is whole packs.
void add_squares(const double* rows, std::uint32_t count, std::size_t stride, double* squares);
/// Adds the elements of every row, likewise.
void add_sums(const double* rows, std::uint32_t count, std::size_t stride, double* sums);

}  // namespace sgmcmc
