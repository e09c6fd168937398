// Sums of products of the elements of rows: the inner loops of Fisher scoring.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sgmcmc {

/// Adds the products of elements i and j <= i of every row to products[j * size + i]. Overwrites entries above the
/// diagonal of that square with garbage. Rows are `stride` apart; up to 64 bytes beyond the last row may be read.
void add_pair_products(const double* rows, std::uint32_t count, std::size_t stride, std::size_t size, double* products);

/// Adds the squares of all `stride` elements of every row; `stride` is a whole number of packs.
void add_squares(const double* rows, std::uint32_t count, std::size_t stride, double* squares);
/// Adds all `stride` elements of every row.
void add_sums(const double* rows, std::uint32_t count, std::size_t stride, double* sums);

}  // namespace sgmcmc
