// The matrix products of the 784-100-10 network's step, by our kernel, by Eigen or by the library that this file is
// compiled for.
//
// usage: products; compile with -D WITH_SGMCMC (and src/plan/matrix_product.cpp), -D WITH_CBLAS (and -lopenblas or
// -lblis) or -D WITH_DNNL (and -ldnnl): see
// scripts/bench_products.sh. Prints the time of one product and the rate, single-threaded, for blocks of 256 rows, as
// the engine makes them, and for the whole batch of 500.
#include <Eigen/Core>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#if defined(WITH_SGMCMC)
#include "plan/matrix_product.hpp"
#elif defined(WITH_CBLAS)
extern "C" void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*,
                       const int*, const float*, const int*, const float*, float*, const int*);
#elif defined(WITH_DNNL)
#include <oneapi/dnnl/dnnl.h>
#endif

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;

/// c = op(a) op(b), all by columns.
void multiply(bool transpose_a, bool transpose_b, const Matrix& a, const Matrix& b, Matrix& c) {
  [[maybe_unused]] const int m = static_cast<int>(c.rows()), n = static_cast<int>(c.cols());
  [[maybe_unused]] const int k = static_cast<int>(transpose_a ? a.rows() : a.cols());
  [[maybe_unused]] const int lda = static_cast<int>(a.rows()), ldb = static_cast<int>(b.rows());
#if defined(WITH_SGMCMC)
  static sgmcmc::MatrixProduct<float> product(784, 784, 784);
  product.set(m, n, k, {a.data(), lda, transpose_a, nullptr}, {b.data(), ldb, transpose_b, nullptr}, c.data(), m);
#elif defined(WITH_CBLAS)
  const float one = 1, zero = 0;
  sgemm_(transpose_a ? "T" : "N", transpose_b ? "T" : "N", &m, &n, &k, &one, a.data(), &lda, b.data(), &ldb, &zero,
         c.data(), &m);
#elif defined(WITH_DNNL)
  // By rows: the transpose of c is the transpose of b times that of a.
  dnnl_sgemm(transpose_b ? 'T' : 'N', transpose_a ? 'T' : 'N', n, m, k, 1.0F, b.data(), ldb, a.data(), lda, 0.0F,
             c.data(), m);
#else
  if (transpose_a && transpose_b)
    c.noalias() = a.transpose() * b.transpose();
  else if (transpose_a)
    c.noalias() = a.transpose() * b;
  else if (transpose_b)
    c.noalias() = a * b.transpose();
  else
    c.noalias() = a * b;
#endif
}

void time(const char* name, int m, int n, int k, bool transpose_a, bool transpose_b) {
  const Matrix a = transpose_a ? Matrix::Random(k, m).eval() : Matrix::Random(m, k).eval();
  const Matrix b = transpose_b ? Matrix::Random(n, k).eval() : Matrix::Random(k, n).eval();
  Matrix c(m, n);
  double best = 1e30;
  for (int round = 0; round < 60; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 4; ++i) multiply(transpose_a, transpose_b, a, b, c);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 4);
  }
  const Matrix exact = (transpose_a ? Matrix(a.transpose()) : a) * (transpose_b ? Matrix(b.transpose()) : b);
  if (!((c - exact).cwiseAbs().maxCoeff() < 1e-2F)) std::printf("WRONG ");
  std::printf("%-28s %4d x %4d x %4d %8.1f us %8.1f GFLOP/s\n", name, m, n, k, best * 1e6, 2e-9 * m * n * k / best);
}

}  // namespace

int main() {
  for (const int rows : {100, 256, 500}) {
    time("hidden = rows B'", rows, 100, 784, true, false);  // rows contiguous: the transpose of 784 x rows
    time("gradient of B = errors' x", 784, 100, rows, false, false);
    time("output = hidden A'", rows, 10, 100, false, false);
    time("errors A", rows, 100, 10, false, true);
  }
}
