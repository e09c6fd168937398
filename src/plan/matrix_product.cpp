// Matrix products: operands packed into strips that are read front to back, and one kernel that keeps a tile of the
// result in registers.
//
// The floor is arithmetic: rows * columns * depth multiplications with an addition, 16 or 32 of them a cycle with
// AVX-512 in double and float (two units). The kernel reaches 97 % of that: with a tile of 2 packs by 14 numbers every
// cycle has two multiplications and 1.1 loads. The rest is packing: rows * depth numbers of a and columns * depth of b,
// a quarter to half a cycle each; for 256 x 100 x 784 in float a tenth of the time.
//
// Blocks: a tile reads a strip of a (from the second-level cache) and a panel of b (from the first). most_depth keeps a
// panel of 14 columns and the current lines of a strip in 32 KiB; a block of a and all panels of b stay in the second
// level. While the tiles of a block are computed, the cache lines that the next block is packed from are prefetched.
#include "plan/matrix_product.hpp"

#include "base/pack.hpp"
#include "plan/matrix_packing.hpp"

#include <algorithm>

namespace sgmcmc {
namespace {

// A tile of the result is strip_packs packs high and at most panel_columns columns wide. It fills all registers except
// those for the packs of a and one number of b.
#if defined(__aarch64__)
constexpr int strip_packs = 1, panel_columns = 6;  // 24 of 32 registers of 16 bytes
#else
constexpr int strip_packs = native_vector_bytes == 64 ? 2 : 1;
constexpr int panel_columns = native_vector_bytes == 64   ? 14  // 28 of 32 registers
                              : native_vector_bytes == 32 ? 6   // 12 of 16
                                                          : 2;  // 8 of 16, and products need one
#endif
template <class Real>
constexpr std::int64_t strip_rows = strip_packs* pack_width<Real>;

template <class Real>
constexpr std::int64_t most_depth = 1536 / static_cast<std::int64_t>(sizeof(Real));
template <class Real>
constexpr std::int64_t most_rows = 4 * strip_rows<Real>;
constexpr std::int64_t most_columns = 1008;

std::int64_t parts_of(std::int64_t size, std::int64_t most) { return (size + most - 1) / most; }
/// Where part `number` of this many begins; the sizes of parts differ by at most 1.
std::int64_t part_begin(std::int64_t size, std::int64_t parts, std::int64_t number) {
  return size / parts * number + std::min(size % parts, number);
}

/// The cache lines that numbers [start, start + length) of some lines of a matrix lie in. Tiles ask for one now and
/// then: packing them without that takes as long as memory needs to answer, with at most a dozen requests under way.
template <class Real>
class LinesAhead {
 public:
  LinesAhead() = default;
  LinesAhead(const MatrixView<Real>& matrix, std::int64_t first, std::int64_t count, std::int64_t start,
             std::int64_t length)
      : matrix_(matrix), line_(first), last_(first + count), start_(start), length_(length) {}

  SGMCMC_INLINE void ask() {
    if (at_ >= end_) {
      if (line_ == last_) return;
      at_ = reinterpret_cast<const char*>(matrix_.line(line_++) + start_);
      end_ = at_ + length_ * static_cast<std::int64_t>(sizeof(Real));
    }
    __builtin_prefetch(at_, 0, 2);
    at_ += 64;
  }

 private:
  MatrixView<Real> matrix_;
  std::int64_t line_ = 0, last_ = 0, start_ = 0, length_ = 0;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

/// Writes or adds one tile: `rows` (at most packs * width) of `columns` columns, from a strip and a panel.
template <class Real, int packs, int columns>
void multiply_tile(std::int64_t depth, const Real* strip, const Real* panel, Real* c, std::int64_t c_stride,
                   std::int64_t rows, bool add, LinesAhead<Real>& ahead) {
  constexpr int width = pack_width<Real>;
  Pack<Real> sum[columns][packs];
#pragma GCC unroll 16
  for (int j = 0; j < columns; ++j)
#pragma GCC unroll 2
    for (int p = 0; p < packs; ++p) sum[j][p] = Pack<Real>(Real(0));
  constexpr std::int64_t together = 4;  // numbers of the inner dimension for one line ahead
  const auto multiply_one = [&]() SGMCMC_INLINE_LAMBDA {
    Pack<Real> a[packs];
#pragma GCC unroll 2
    for (int p = 0; p < packs; ++p) a[p] = load_aligned(strip + p * width);
#pragma GCC unroll 16
    for (int j = 0; j < columns; ++j) {
      const Pack<Real> b(panel[j]);
#pragma GCC unroll 2
      for (int p = 0; p < packs; ++p) sum[j][p] = fma(a[p], b, sum[j][p]);
    }
    strip += packs * width;
    panel += columns;
  };
  for (std::int64_t k = depth / together; k > 0; --k) {
    ahead.ask();
    for (std::int64_t i = 0; i < together; ++i) multiply_one();
  }
  for (std::int64_t k = depth % together; k > 0; --k) multiply_one();
#pragma GCC unroll 16
  for (int j = 0; j < columns; ++j)
#pragma GCC unroll 2
    for (int p = 0; p < packs; ++p) {
      Real* const at = c + j * c_stride + p * width;
      const std::int64_t left = rows - p * width;
      if (left >= width)
        store(at, add ? load(at) + sum[j][p] : sum[j][p]);
      else if (left > 0)
        store_first(at, add ? load_first(at, left) + sum[j][p] : sum[j][p], left);
    }
}

/// The kernel for this number of columns.
template <class Real, int packs, int columns = panel_columns>
void multiply_panel(std::int64_t wanted, std::int64_t depth, const Real* strip, const Real* panel, Real* c,
                    std::int64_t c_stride, std::int64_t rows, bool add, LinesAhead<Real>& ahead) {
  if constexpr (columns > 1)
    if (wanted < columns)
      return multiply_panel<Real, packs, columns - 1>(wanted, depth, strip, panel, c, c_stride, rows, add, ahead);
  multiply_tile<Real, packs, columns>(depth, strip, panel, c, c_stride, rows, add, ahead);
}

/// Rows [first, first + count) of all `rows` of a, numbers [start, start + depth) of each, in strips: to[k * width +
/// i], the last strip narrower if one pack suffices.
template <class Real>
void pack_strips(const MatrixView<Real>& a, std::int64_t rows, std::int64_t first, std::int64_t count,
                 std::int64_t start, std::int64_t depth, Real* to) {
  constexpr int width = pack_width<Real>;
  if (a.row_major) {
    for (std::int64_t i = 0; i < count; i += strip_rows<Real>, to += strip_rows<Real> * depth) {
      const std::int64_t here = std::min(strip_rows<Real>, count - i);
      const auto row = [&](std::int64_t r) { return a.line(std::min(first + i + r, rows - 1)) + start; };
      pack_lines(
          row, [&](std::int64_t r) { return row(r + strip_rows<Real>); }, here, depth, to,
          (here + width - 1) / width * width);
    }
    return;
  }
  // All strips of a line at once: lines may be rows anywhere in memory, which the hardware prefetcher cannot predict.
  constexpr std::int64_t ahead = 4, cache_line = 64 / sizeof(Real);
  const std::int64_t whole = count / strip_rows<Real> * strip_rows<Real>;
  const std::int64_t last = (count - whole + width - 1) / width * width;
  for (std::int64_t k = 0; k < depth; ++k) {
    const Real* from = a.line(start + k) + first;
    const Real* next = a.line(start + std::min(k + ahead, depth - 1)) + first;
    for (std::int64_t i = 0; i < count; i += cache_line) __builtin_prefetch(next + i);
    for (std::int64_t i = 0; i < whole; i += strip_rows<Real>) {
      Real* const at = to + i * depth + k * strip_rows<Real>;
#pragma GCC unroll 2
      for (int p = 0; p < strip_packs; ++p) store_aligned(at + p * width, load(from + i + p * width));
    }
    Real* const at = to + whole * depth + k * last;
    for (std::int64_t p = whole; p < count; p += width)
      store_aligned(at + p - whole, load_first(from + p, std::min<std::int64_t>(width, count - p)));
  }
}

/// Columns [first, first + count) of b, numbers [start, start + depth) of each: to[k * count + j].
template <class Real>
void pack_panel(const MatrixView<Real>& b, std::int64_t first, std::int64_t count, std::int64_t start,
                std::int64_t depth, Real* to) {
  if (!b.row_major) {
    const auto column = [&](std::int64_t j) { return b.line(first + j) + start; };
    return pack_lines(column, column, count, depth, to, count);
  }
  for (std::int64_t k = 0; k < depth; ++k, to += count) {
    const Real* from = b.line(start + k) + first;
    for (std::int64_t j = 0; j < count; ++j) to[j] = from[j];
  }
}

}  // namespace

template <class Real>
MatrixProduct<Real>::MatrixProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  const auto most = [](std::int64_t size, std::int64_t limit) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(size, 1, limit));
  };
  const std::size_t strips = parts_of(std::clamp<std::int64_t>(rows, 1, most_rows<Real>), strip_rows<Real>);
  a_ = AlignedBuffer<Real>(strips * strip_rows<Real> * most(depth, most_depth<Real>) + pack_width<Real>);
  b_ = AlignedBuffer<Real>(most(columns, most_columns) * most(depth, most_depth<Real>) + pack_width<Real>);
}

template <class Real>
void MatrixProduct<Real>::multiply(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                                   const MatrixView<Real>& a, const MatrixView<Real>& b, Real* c, std::int64_t c_stride,
                                   bool add) {
  if (depth == 0 && !add)
    for (std::int64_t j = 0; j < columns; ++j) std::fill_n(c + j * c_stride, rows, Real(0));
  if (rows == 0 || columns == 0 || depth == 0) return;
  const std::int64_t depth_parts = parts_of(depth, most_depth<Real>);
  for (std::int64_t column = 0; column < columns; column += most_columns) {
    const std::int64_t columns_here = std::min(most_columns, columns - column);
    const std::int64_t panels = parts_of(columns_here, panel_columns);
    for (std::int64_t part = 0; part < depth_parts; ++part) {
      const std::int64_t start = part_begin(depth, depth_parts, part);
      const std::int64_t length = part_begin(depth, depth_parts, part + 1) - start;
      const bool adds = add || part > 0;
      for (std::int64_t panel = 0; panel < panels; ++panel) {
        const std::int64_t first = part_begin(columns_here, panels, panel);
        const std::int64_t count = part_begin(columns_here, panels, panel + 1) - first;
        pack_panel(b, column + first, count, start, length, b_.data() + first * length);
      }
      for (std::int64_t row = 0; row < rows; row += most_rows<Real>) {
        const std::int64_t rows_here = std::min(most_rows<Real>, rows - row);
        pack_strips(a, rows, row, rows_here, start, length, a_.data());
        const bool last_rows = row + rows_here == rows;
        LinesAhead<Real> ahead;
        if (!last_rows || part + 1 < depth_parts) {
          const std::int64_t next_row = last_rows ? 0 : row + rows_here;
          const std::int64_t next_rows = std::min(most_rows<Real>, rows - next_row);
          const std::int64_t next_start = last_rows ? start + length : start;
          const std::int64_t next_length = last_rows ? part_begin(depth, depth_parts, part + 2) - next_start : length;
          ahead = a.row_major ? LinesAhead<Real>(a, next_row, next_rows, next_start, next_length)
                              : LinesAhead<Real>(a, next_start, next_length, next_row, next_rows);
        }
        for (std::int64_t panel = 0; panel < panels; ++panel) {
          const std::int64_t first = part_begin(columns_here, panels, panel);
          const std::int64_t count = part_begin(columns_here, panels, panel + 1) - first;
          const Real* const packed = b_.data() + first * length;
          for (std::int64_t i = 0; i < rows_here; i += strip_rows<Real>) {
            Real* const to = c + row + i + (column + first) * c_stride;
            const Real* const strip = a_.data() + i * length;
            const std::int64_t left = rows_here - i;
            if (strip_packs > 1 && left <= pack_width<Real>)
              multiply_panel<Real, 1>(count, length, strip, packed, to, c_stride, left, adds, ahead);
            else
              multiply_panel<Real, strip_packs>(count, length, strip, packed, to, c_stride, left, adds, ahead);
          }
        }
      }
    }
  }
}

template class MatrixProduct<double>;
template class MatrixProduct<float>;

}  // namespace sgmcmc
