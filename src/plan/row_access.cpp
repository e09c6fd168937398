// The two loops that read every byte of the data: they load rows in whole packs, four rows at a time, and prefetch the
// next rows.
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
    for (std::int64_t i = 0; i + 1 < pack_width<Real>; ++i)  // no memcpy: a call costs more than the copy
      if (i < left) values[i] = row[at + i];
    return load_as<Real>(values);
  }
}

/// Whether the last pack of a row may be loaded as a whole: the column allows reading 64 bytes beyond the row, and a
/// pack of Real takes no more than that.
template <class Real, class Source>
bool loads_beyond(const ColumnView& column) {
  return column.overread_safe && sizeof(Source) <= sizeof(Real);
}

constexpr std::uint32_t group = Prefetcher::visited_rows;  // rows whose additions are interleaved

/// The addresses of the rows of a tile, a group at a time; beyond the end, the last row is repeated.
template <class Source>
class RowStarts {
 public:
  RowStarts(const ColumnView& column, const TileRows& tile)
      : base_(column.base),
        stride_(column.stride_bytes),
        indices_(tile.batch->indices ? tile.batch->indices + tile.position : nullptr),
        first_(tile.batch->first + tile.position),
        count_(tile.count) {}

  SGMCMC_INLINE void take(std::uint32_t i, const Source** rows) const {
    if (i + group > count_) {
      for (std::uint32_t r = 0; r < group; ++r) rows[r] = start(std::min(i + r, count_ - 1));
    } else if (indices_) {
      for (std::uint32_t r = 0; r < group; ++r) rows[r] = at(indices_[i + r]);
    } else {
      rows[0] = at(first_ + i);
      for (std::uint32_t r = 1; r < group; ++r)
        rows[r] = reinterpret_cast<const Source*>(reinterpret_cast<const std::byte*>(rows[r - 1]) + stride_);
    }
  }

 private:
  SGMCMC_INLINE const Source* at(std::size_t row) const {
    return reinterpret_cast<const Source*>(base_ + row * stride_);
  }
  const Source* start(std::uint32_t i) const { return at(indices_ ? indices_[i] : first_ + i); }

  const std::byte* base_;
  std::size_t stride_;
  const std::uint32_t* indices_;
  std::uint32_t first_, count_;
};

// ---- Rows of at most `packs` packs: the vector (or the sums) stay in registers -------------------------------------
template <class Real, class Source, int packs, bool beyond>
void dot_rows_short(const ColumnView& column, std::int64_t width, const TileRows& tile, const Real* vector, Real* out) {
  constexpr std::int64_t last = (packs - 1) * pack_width<Real>;
  const RowStarts<Source> starts(column, tile);
  Pack<Real> factor[packs];
  for (int p = 0; p + 1 < packs; ++p) factor[p] = load(vector + p * pack_width<Real>);
  factor[packs - 1] = row_pack<Real>(vector, packs - 1, width);
  const auto inside = tail_mask<Real>(width - last);
  for (std::uint32_t i = 0; i < tile.lanes; i += pack_width<Real>) {
    typename Pack<Real>::Part sums[pack_width<Real>];
#pragma GCC unroll 4
    for (std::uint32_t g = 0; g < pack_width<Real>; g += group) {
      const Source* rows[group];
      starts.take(i + g, rows);
      Pack<Real> total[group];
      for (std::uint32_t r = 0; r < group; ++r) {
        if constexpr (beyond)  // the memory there may hold something other than a number
          total[r] = (load_as<Real>(rows[r] + last) & inside) * factor[packs - 1];
        else
          total[r] = row_pack<Real>(rows[r], packs - 1, width) * factor[packs - 1];
      }
      for (int p = 0; p + 1 < packs; ++p)
        for (std::uint32_t r = 0; r < group; ++r)
          total[r] = fma(load_as<Real>(rows[r] + p * pack_width<Real>), factor[p], total[r]);
      for (std::uint32_t r = 0; r < group; ++r) sums[g + r] = sum_of_parts(total[r]);
      tile.prefetcher->visited();
    }
    store(out + i, horizontal_sums<Real>(sums));
  }
}

template <class Real, class Source, int packs, bool beyond>
void add_weighted_rows_short(const ColumnView& column, std::int64_t width, const TileRows& tile, const Real* weight,
                             Real* sums) {
  constexpr std::int64_t last = (packs - 1) * pack_width<Real>;
  const RowStarts<Source> starts(column, tile);
  Pack<Real> total[packs];
  for (int p = 0; p < packs; ++p) total[p] = load(sums + p * pack_width<Real>);
  const auto inside = tail_mask<Real>(width - last);
  const auto add = [&](const Source* row, Real times) SGMCMC_INLINE_LAMBDA {
    const Pack<Real> factor(times);
    for (int p = 0; p + 1 < packs; ++p) total[p] = fma(load_as<Real>(row + p * pack_width<Real>), factor, total[p]);
    if constexpr (beyond)  // an integer there is a subnormal number, which x86 processors multiply in 150 cycles
      total[packs - 1] = fma(load_as<Real>(row + last) & inside, factor, total[packs - 1]);
    else
      total[packs - 1] = fma(row_pack<Real>(row, packs - 1, width), factor, total[packs - 1]);
  };
  for (std::uint32_t i = 0; i < tile.count; i += group) {
    const Source* rows[group];
    starts.take(i, rows);
    if (i + group <= tile.count) {
#pragma GCC unroll 4
      for (std::uint32_t r = 0; r < group; ++r) add(rows[r], weight[i + r]);
    } else {
      for (std::uint32_t r = 0; i + r < tile.count; ++r) add(rows[r], weight[i + r]);
    }
    tile.prefetcher->visited();
  }
  for (int p = 0; p < packs; ++p) store(sums + p * pack_width<Real>, total[p]);
}

// ---- Rows of any length --------------------------------------------------------------------------------------------
template <class Real, class Source>
void dot_rows_long(const ColumnView& column, std::int64_t width, const TileRows& tile, const Real* vector, Real* out) {
  const RowStarts<Source> starts(column, tile);
  const std::int64_t packs = (width + pack_width<Real> - 1) / pack_width<Real>;
  for (std::uint32_t i = 0; i < tile.lanes; i += group) {
    const Source* rows[group];
    Pack<Real> total[group];
    starts.take(i, rows);
    for (std::uint32_t r = 0; r < group; ++r) total[r] = Pack<Real>(Real(0));
    for (std::int64_t p = 0; p + 1 < packs; ++p) {
      const Pack<Real> factor = load(vector + p * pack_width<Real>);
      for (std::uint32_t r = 0; r < group; ++r)
        total[r] = fma(load_as<Real>(rows[r] + p * pack_width<Real>), factor, total[r]);
    }
    const Pack<Real> factor = row_pack<Real>(vector, packs - 1, width);
    for (std::uint32_t r = 0; r < group; ++r)
      total[r] = fma(row_pack<Real>(rows[r], packs - 1, width), factor, total[r]);
    for (std::uint32_t r = 0; r < group; ++r) out[i + r] = horizontal_sum(total[r]);
    tile.prefetcher->visited();
  }
}

template <class Real, class Source>
void add_weighted_rows_long(const ColumnView& column, std::int64_t width, const TileRows& tile, const Real* weight,
                            Real* sums) {
  const RowStarts<Source> starts(column, tile);
  const std::int64_t packs = (width + pack_width<Real> - 1) / pack_width<Real>;
  for (std::uint32_t i = 0; i < tile.count; i += group) {
    const std::uint32_t here = std::min(group, tile.count - i);
    const Source* rows[group];
    Pack<Real> factor[group];
    starts.take(i, rows);
    for (std::uint32_t r = 0; r < here; ++r) factor[r] = Pack<Real>(weight[i + r]);
    for (std::int64_t p = 0; p < packs; ++p) {
      Pack<Real> total = load(sums + p * pack_width<Real>);
      for (std::uint32_t r = 0; r < here; ++r) total = fma(row_pack<Real>(rows[r], p, width), factor[r], total);
      store(sums + p * pack_width<Real>, total);
    }
    tile.prefetcher->visited();
  }
}

constexpr int most_short_packs = 8;

template <class Real, class Source, int packs = 1>
void dot_rows_of(const ColumnView& column, std::int64_t width, const TileRows& tile, const Real* vector, Real* out) {
  if constexpr (packs <= most_short_packs) {
    if (width <= packs * pack_width<Real>)
      return loads_beyond<Real, Source>(column)
                 ? dot_rows_short<Real, Source, packs, sizeof(Source) <= sizeof(Real)>(column, width, tile, vector, out)
                 : dot_rows_short<Real, Source, packs, false>(column, width, tile, vector, out);
    return dot_rows_of<Real, Source, packs + 1>(column, width, tile, vector, out);
  } else {
    return dot_rows_long<Real, Source>(column, width, tile, vector, out);
  }
}

template <class Real, class Source, int packs = 1>
void add_weighted_rows_of(const ColumnView& column, std::int64_t width, const TileRows& tile, const Real* weight,
                          Real* sums) {
  if constexpr (packs <= most_short_packs) {
    if (width <= packs * pack_width<Real>)
      return loads_beyond<Real, Source>(column)
                 ? add_weighted_rows_short<Real, Source, packs, sizeof(Source) <= sizeof(Real)>(column, width, tile,
                                                                                                weight, sums)
                 : add_weighted_rows_short<Real, Source, packs, false>(column, width, tile, weight, sums);
    return add_weighted_rows_of<Real, Source, packs + 1>(column, width, tile, weight, sums);
  } else {
    return add_weighted_rows_long<Real, Source>(column, width, tile, weight, sums);
  }
}

}  // namespace

template <class Real>
void dot_rows(const ColumnView& column, const TileRows& tile, const Real* vector, Real* out) {
  const std::int64_t width = column.row_shape.size();
  if (column.type == StorageType::float64)
    dot_rows_of<Real, double>(column, width, tile, vector, out);
  else
    dot_rows_of<Real, float>(column, width, tile, vector, out);
}

template <class Real>
void add_weighted_rows(const ColumnView& column, const TileRows& tile, const Real* weight, Real* sums) {
  const std::int64_t width = column.row_shape.size();
  if (column.type == StorageType::float64)
    add_weighted_rows_of<Real, double>(column, width, tile, weight, sums);
  else
    add_weighted_rows_of<Real, float>(column, width, tile, weight, sums);
}

template void dot_rows<double>(const ColumnView&, const TileRows&, const double*, double*);
template void dot_rows<float>(const ColumnView&, const TileRows&, const float*, float*);
template void add_weighted_rows<double>(const ColumnView&, const TileRows&, const double*, double*);
template void add_weighted_rows<float>(const ColumnView&, const TileRows&, const float*, float*);

}  // namespace sgmcmc
