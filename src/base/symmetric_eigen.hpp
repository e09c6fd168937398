// Householder reflections, and eigenvalues and eigenvectors of symmetric matrices: reflections make the matrix
// tridiagonal, steps of the implicit QR algorithm diagonal [Golub and Van Loan, Matrix Computations, section 8.3].
#pragma once

#include <cstdint>

namespace sgmcmc {

/// H = I - factor * v v' maps x to (image, 0, ..., 0). v is 1 followed by the numbers that replace x after its first.
struct Reflection {
  double factor = 0, image = 0;
};
Reflection make_reflection(double* x, std::int64_t size);
/// column := H column, where v begins with an implied 1.
void reflect(const double* v, double factor, double* column, std::int64_t size);

/// The eigenvalues, ascending, of the symmetric tridiagonal matrix with this diagonal, which they replace. `beside`
/// holds the n - 1 numbers beside it and is overwritten. Unless it is null, `vectors`, a column-major matrix of
/// n columns, is multiplied by the matrix of eigenvectors from the right. If the matrix is not finite, all become NaN.
void tridiagonal_eigen(std::int64_t n, double* diagonal, double* beside, double* vectors, std::int64_t rows);

/// For a column-major symmetric n-by-n matrix of which only the lower triangle is read: writes the eigenvalues,
/// ascending, and replaces the matrix by the eigenvectors or, unless `want_vectors`, overwrites it. `memory` is for
/// 2 n numbers; nothing is allocated. If the matrix is not finite, all become NaN.
void symmetric_eigen_in_place(double* matrix, std::int64_t n, double* values, bool want_vectors, double* memory);

}  // namespace sgmcmc
