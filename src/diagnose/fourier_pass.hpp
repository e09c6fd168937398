// One pass of a Fourier transform, compiled for the processor's level.
#pragma once

#include <cstddef>

namespace sgmcmc {

struct FourierSource {
  const double* real;
  const double* imaginary;
};
struct FourierTarget {
  double* real;
  double* imaginary;
};

/// One pass over blocks of four: `quarters` twiddle factors, each for `stride` neighbours.
void radix_four_pass(FourierSource from, FourierTarget to, std::size_t quarters, std::size_t stride,
                     const double* cosine, const double* sine);

}  // namespace sgmcmc
