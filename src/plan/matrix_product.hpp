// Matrix products in memory allocated beforehand, for the shapes that minibatches have: some hundred rows, any number
// of columns, operands transposed or spread over memory.
#pragma once

#include "base/memory.hpp"

#include <cstdint>

namespace sgmcmc {

/// A matrix in memory, in lines of contiguous numbers: its rows when row_major, else its columns. Line l starts at
/// data + l * stride; with `lines` set, at data + lines[l] * stride, so that rows of a minibatch are read in place.
template <class Real>
struct MatrixView {
  const Real* data = nullptr;
  std::int64_t stride = 0;
  bool row_major = true;
  const std::uint32_t* lines = nullptr;

  const Real* line(std::int64_t l) const { return data + (lines ? std::int64_t{lines[l]} : l) * stride; }
  /// The same matrix without its first `count` lines.
  MatrixView from_line(std::int64_t count) const {
    return lines ? MatrixView{data, stride, row_major, lines + count}
                 : MatrixView{data + count * stride, stride, row_major, nullptr};
  }
};

/// Products c = a b of column-major c, and sums c += a b. An element of c is added up along the inner dimension in an
/// order that depends on the length of that dimension alone, so it is bit-identical in whichever block of rows or
/// columns it is computed. Not thread-safe.
template <class Real>
class MatrixProduct {
 public:
  /// Maximum sizes of c [rows, columns] and of the inner dimension.
  MatrixProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth);

  /// c = a b
  void set(std::int64_t rows, std::int64_t columns, std::int64_t depth, const MatrixView<Real>& a,
           const MatrixView<Real>& b, Real* c, std::int64_t c_stride) {
    multiply(rows, columns, depth, a, b, c, c_stride, false);
  }
  /// c += a b
  void add(std::int64_t rows, std::int64_t columns, std::int64_t depth, const MatrixView<Real>& a,
           const MatrixView<Real>& b, Real* c, std::int64_t c_stride) {
    multiply(rows, columns, depth, a, b, c, c_stride, true);
  }

 private:
  void multiply(std::int64_t rows, std::int64_t columns, std::int64_t depth, const MatrixView<Real>& a,
                const MatrixView<Real>& b, Real* c, std::int64_t c_stride, bool add);

  AlignedBuffer<Real> a_, b_;  ///< blocks of the operands, in the order in which they are read
};

}  // namespace sgmcmc
