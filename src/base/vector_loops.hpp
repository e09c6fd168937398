// Loops over many numbers that are vectorised in files compiled with -O2, too, which does so by itself only for the
// simplest loops. Pointers must be local variables or captured by value: g++ reads elements of arrays one by one if it
// takes the array's address from memory.
#pragma once

#include <cstddef>
#include <span>

/// Before a loop: asserts that its iterations access different elements, and has it vectorised. Arguments are OpenMP
/// clauses, for example reduction(| : bits) if iterations set bits of one number. Clang needs no such hint.
#if defined(__clang__)
#define SGMCMC_INDEPENDENT_ITERATIONS(...)
#else
#define SGMCMC_PRAGMA(text) _Pragma(#text)
#define SGMCMC_INDEPENDENT_ITERATIONS(...) SGMCMC_PRAGMA(omp simd __VA_ARGS__)
#endif

namespace sgmcmc {

/// to += factor * of
inline void add_multiple(std::span<double> to, double factor, std::span<const double> of) {
  double* sum = to.data();
  const double* added = of.data();
  SGMCMC_INDEPENDENT_ITERATIONS()
  for (std::size_t i = 0; i < to.size(); ++i) sum[i] += factor * added[i];
}

}  // namespace sgmcmc
