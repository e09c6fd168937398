// The two loops that touch every byte of the data: written so that a row is loaded in whole packs, four rows at a time.
// The next rows are asked for while dot products are formed: they then arrive during everything that follows.
#include "plan/row_access.hpp"

#include <algorithm>

namespace sgmcmc {
namespace {

/// The `p`-th pack of a row of `width` elements, zeros beyond its end.
template <class Real, class Source>
SGMCMC_INLINE Pack<Real> row_pack(const Source* row, std::int64_t p, std::int64_t width) {
  const std::int64_t at = p * pack_width<Real>;
  const std::int64_t left = width - at;
  if (left >= pack_width<Real>) return load_as<Real>(row + at);
  if constexpr (sizeof(Real) == sizeof(Source)) {
    return load_first(row + at, left);
  } else {
    alignas(64) Source values[pack_width<Real>] = {};
    for (std::int64_t i = 0; i < left; ++i) values[i] = row[at + i];
    return load_as<Real>(values);
  }
}

template <class Source>
const Source* row_pointer(const ColumnView& column, const TileRows& tile, std::uint32_t i) {
  return reinterpret_cast<const Source*>(column.row(tile.row(std::min(i, tile.count - 1))));
}

// ---- Rows of at most `packs` packs: the vector (or the sums) stay in registers -------------------------------------
template <class Real, class Source, int packs>
void dot_rows_short(const ColumnView& column, const TileRows& tile, const Real* vector, Real* out) {
  const std::int64_t width = column.row_shape.size();
  Pack<Real> factor[packs];
  for (int p = 0; p < packs; ++p) factor[p] = row_pack<Real>(vector, p, width);
  constexpr std::uint32_t group = 4;
  for (std::uint32_t i = 0; i < tile.lanes; i += group) {
    const Source* rows[group];
    Pack<Real> total[group];
    for (std::uint32_t r = 0; r < group; ++r) rows[r] = row_pointer<Source>(column, tile, i + r);
    for (std::uint32_t r = 0; r < group; ++r) total[r] = row_pack<Real>(rows[r], packs - 1, width) * factor[packs - 1];
    for (int p = 0; p + 1 < packs; ++p)
      for (std::uint32_t r = 0; r < group; ++r)
        total[r] = fma(load_as<Real>(rows[r] + p * pack_width<Real>), factor[p], total[r]);
    for (std::uint32_t r = 0; r < group; ++r) out[i + r] = horizontal_sum(total[r]);
    tile.prefetcher->advance(group);
  }
}

template <class Real, class Source, int packs>
void add_weighted_rows_short(const ColumnView& column, const TileRows& tile, const Real* weight, Real* sums) {
  const std::int64_t width = column.row_shape.size();
  Pack<Real> total[packs];
  for (int p = 0; p < packs; ++p) total[p] = load(sums + p * pack_width<Real>);
  for (std::uint32_t i = 0; i < tile.count; ++i) {
    const Source* row = row_pointer<Source>(column, tile, i);
    const Pack<Real> factor(weight[i]);
    for (int p = 0; p + 1 < packs; ++p) total[p] = fma(load_as<Real>(row + p * pack_width<Real>), factor, total[p]);
    total[packs - 1] = fma(row_pack<Real>(row, packs - 1, width), factor, total[packs - 1]);
  }
  for (int p = 0; p < packs; ++p) store(sums + p * pack_width<Real>, total[p]);
}

// ---- Rows of any length --------------------------------------------------------------------------------------------
template <class Real, class Source>
void dot_rows_long(const ColumnView& column, const TileRows& tile, const Real* vector, Real* out) {
  const std::int64_t width = column.row_shape.size();
  const std::int64_t packs = (width + pack_width<Real> - 1) / pack_width<Real>;
  constexpr std::uint32_t group = 4;
  for (std::uint32_t i = 0; i < tile.lanes; i += group) {
    const Source* rows[group];
    Pack<Real> total[group];
    for (std::uint32_t r = 0; r < group; ++r) {
      rows[r] = row_pointer<Source>(column, tile, i + r);
      total[r] = Pack<Real>(Real(0));
    }
    for (std::int64_t p = 0; p + 1 < packs; ++p) {
      const Pack<Real> factor = load(vector + p * pack_width<Real>);
      for (std::uint32_t r = 0; r < group; ++r)
        total[r] = fma(load_as<Real>(rows[r] + p * pack_width<Real>), factor, total[r]);
    }
    const Pack<Real> factor = row_pack<Real>(vector, packs - 1, width);
    for (std::uint32_t r = 0; r < group; ++r)
      total[r] = fma(row_pack<Real>(rows[r], packs - 1, width), factor, total[r]);
    for (std::uint32_t r = 0; r < group; ++r) out[i + r] = horizontal_sum(total[r]);
    tile.prefetcher->advance(group);
  }
}

template <class Real, class Source>
void add_weighted_rows_long(const ColumnView& column, const TileRows& tile, const Real* weight, Real* sums) {
  const std::int64_t width = column.row_shape.size();
  const std::int64_t packs = (width + pack_width<Real> - 1) / pack_width<Real>;
  for (std::uint32_t i = 0; i < tile.count; i += 4) {
    const std::uint32_t group = std::min(4U, tile.count - i);
    const Source* rows[4];
    Pack<Real> factor[4];
    for (std::uint32_t r = 0; r < group; ++r) {
      rows[r] = row_pointer<Source>(column, tile, i + r);
      factor[r] = Pack<Real>(weight[i + r]);
    }
    for (std::int64_t p = 0; p < packs; ++p) {
      Pack<Real> total = load(sums + p * pack_width<Real>);
      for (std::uint32_t r = 0; r < group; ++r) total = fma(row_pack<Real>(rows[r], p, width), factor[r], total);
      store(sums + p * pack_width<Real>, total);
    }
  }
}

constexpr int most_short_packs = 8;

template <class Real, class Source, int packs = 1>
void dot_rows_of(const ColumnView& column, const TileRows& tile, const Real* vector, Real* out) {
  const std::int64_t width = column.row_shape.size();
  if constexpr (packs <= most_short_packs) {
    if (width <= packs * pack_width<Real>) return dot_rows_short<Real, Source, packs>(column, tile, vector, out);
    return dot_rows_of<Real, Source, packs + 1>(column, tile, vector, out);
  } else {
    return dot_rows_long<Real, Source>(column, tile, vector, out);
  }
}

template <class Real, class Source, int packs = 1>
void add_weighted_rows_of(const ColumnView& column, const TileRows& tile, const Real* weight, Real* sums) {
  const std::int64_t width = column.row_shape.size();
  if constexpr (packs <= most_short_packs) {
    if (width <= packs * pack_width<Real>)
      return add_weighted_rows_short<Real, Source, packs>(column, tile, weight, sums);
    return add_weighted_rows_of<Real, Source, packs + 1>(column, tile, weight, sums);
  } else {
    return add_weighted_rows_long<Real, Source>(column, tile, weight, sums);
  }
}

}  // namespace

template <class Real>
void dot_rows(const ColumnView& column, const TileRows& tile, const Real* vector, Real* out) {
  if (column.type == StorageType::float64)
    dot_rows_of<Real, double>(column, tile, vector, out);
  else
    dot_rows_of<Real, float>(column, tile, vector, out);
}

template <class Real>
void add_weighted_rows(const ColumnView& column, const TileRows& tile, const Real* weight, Real* sums) {
  if (column.type == StorageType::float64)
    add_weighted_rows_of<Real, double>(column, tile, weight, sums);
  else
    add_weighted_rows_of<Real, float>(column, tile, weight, sums);
}

template void dot_rows<double>(const ColumnView&, const TileRows&, const double*, double*);
template void dot_rows<float>(const ColumnView&, const TileRows&, const float*, float*);
template void add_weighted_rows<double>(const ColumnView&, const TileRows&, const double*, double*);
template void add_weighted_rows<float>(const ColumnView&, const TileRows&, const float*, float*);

}  // namespace sgmcmc
