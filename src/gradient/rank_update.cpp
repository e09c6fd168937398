// Register-blocked sums of pairwise products: a few packs of elements times a few single elements, over all rows.
#include "gradient/rank_update.hpp"

#include "base/levels.hpp"
#include "base/pack.hpp"

#include <algorithm>

namespace sgmcmc {
namespace {

using Numbers = Pack<double>;
constexpr std::size_t width = static_cast<std::size_t>(pack_width<double>);

// As many sums as fit in registers: 24 of 32 vectors with AVX-512 and NEON, 12 of 16 with AVX2 and SSE2.
constexpr std::size_t most_packs = native_vector_bytes == 64 ? 4 : 1;
#if defined(__x86_64__) && !defined(__AVX2__)
constexpr std::size_t most_columns = 3;
#else
constexpr std::size_t most_columns = 6;
#endif

/// Adds the products of `packs` packs of elements from i with elements [j, j + columns).
template <std::size_t packs, std::size_t columns>
void add_block(const double* rows, std::uint32_t count, std::size_t stride, std::size_t i, std::size_t j,
               std::size_t size, double* products) {
  Numbers sums[packs][columns];
  for (auto& pack : sums)
    for (auto& sum : pack) sum = Numbers(0.0);
  for (std::uint32_t k = 0; k < count; ++k, rows += stride) {
    Numbers left[packs];
    for (std::size_t p = 0; p < packs; ++p) left[p] = load(rows + i + p * width);
    for (std::size_t c = 0; c < columns; ++c) {
      const Numbers right(rows[j + c]);
      for (std::size_t p = 0; p < packs; ++p) sums[p][c] = fma(left[p], right, sums[p][c]);
    }
  }
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t p = 0; p < packs; ++p) {
      const std::size_t at = i + p * width;
      double* to = products + (j + c) * size + at;
      if (at + width <= size) {
        store(to, load(to) + sums[p][c]);
      } else {
        alignas(64) double values[width];
        store(values, sums[p][c]);
        for (std::size_t l = 0; at + l < size; ++l) to[l] += values[l];
      }
    }
}

template <std::size_t columns>
void add_columns(const double* rows, std::uint32_t count, std::size_t stride, std::size_t j, std::size_t size,
                 double* products) {
  std::size_t i = j / width * width;  // rounded down to a whole pack: elements above the diagonal are not used
  for (; i + (most_packs - 1) * width < size; i += most_packs * width)
    add_block<most_packs, columns>(rows, count, stride, i, j, size, products);
  if constexpr (most_packs > 2)
    if (i + width < size) {
      add_block<2, columns>(rows, count, stride, i, j, size, products);
      i += 2 * width;
    }
  if (i < size) add_block<1, columns>(rows, count, stride, i, j, size, products);
}

void add_pair_products_here(const double* rows, std::uint32_t count, std::size_t stride, std::size_t size,
                            double* products) {
  std::size_t j = 0;
  for (; j + most_columns <= size; j += most_columns) add_columns<most_columns>(rows, count, stride, j, size, products);
  for (; j < size; ++j) add_columns<1>(rows, count, stride, j, size, products);
}

void add_squares_here(const double* rows, std::uint32_t count, std::size_t stride, double* squares) {
  for (std::size_t at = 0; at < stride; at += width) {
    Numbers even = load(squares + at), odd(0.0);
    const double* row = rows + at;
    std::uint32_t k = 0;
    for (; k + 1 < count; k += 2, row += 2 * stride) {
      const Numbers a = load(row), b = load(row + stride);
      even = fma(a, a, even);
      odd = fma(b, b, odd);
    }
    if (k < count) even = fma(load(row), load(row), even);
    store(squares + at, even + odd);
  }
}

void add_sums_here(const double* rows, std::uint32_t count, std::size_t stride, double* sums) {
  for (std::size_t at = 0; at < stride; at += width) {
    Numbers even = load(sums + at), odd(0.0);
    const double* row = rows + at;
    std::uint32_t k = 0;
    for (; k + 1 < count; k += 2, row += 2 * stride) {
      even += load(row);
      odd += load(row + stride);
    }
    if (k < count) even += load(row);
    store(sums + at, even + odd);
  }
}

}  // namespace

SGMCMC_DISPATCHED(void, add_pair_products,
                  (const double* rows, std::uint32_t count, std::size_t stride, std::size_t size, double* products),
                  (rows, count, stride, size, products))
SGMCMC_DISPATCHED(void, add_squares, (const double* rows, std::uint32_t count, std::size_t stride, double* squares),
                  (rows, count, stride, squares))
SGMCMC_DISPATCHED(void, add_sums, (const double* rows, std::uint32_t count, std::size_t stride, double* sums),
                  (rows, count, stride, sums))

}  // namespace sgmcmc
