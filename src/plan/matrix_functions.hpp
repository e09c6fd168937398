// Functions of one square matrix in memory allocated beforehand: solves, determinants, the exponential, spectra.
//
// Matrices are row-major [n, n]. `memory` holds matrix_memory(op, n) numbers. Singular matrices give infinities or NaN.
#pragma once

#include "graph/op.hpp"

#include <cstdint>

namespace sgmcmc {

/// Scratch memory that the op needs, in numbers; 0 for ops of other files.
std::int64_t matrix_memory(Op op, std::int64_t n);

/// x = A^-1 b, or A^-T b, for `columns` right-hand sides side by side.
template <class Real>
void solve_general(const Real* a, const Real* b, Real* x, std::int64_t n, std::int64_t columns, bool transposed,
                   Real* memory);

/// det A, or log |det A|.
template <class Real>
Real determinant(const Real* a, std::int64_t n, bool logarithm, Real* memory);

template <class Real>
void matrix_exponential(const Real* a, Real* out, std::int64_t n, Real* memory);

/// Eigenvalues ascending, eigenvectors as columns, each where not null. Reads the lower triangle of A.
template <class Real>
void symmetric_spectrum(const Real* a, Real* values, Real* vectors, std::int64_t n);

}  // namespace sgmcmc
