// The butterflies of four elements at once, for neighbours that the compiler takes in vectors.
#include "diagnose/fourier_pass.hpp"

#include "base/levels.hpp"

namespace sgmcmc {
namespace {

void radix_four_pass_here(FourierSource from, FourierTarget to, std::size_t quarters, std::size_t stride,
                          const double* cosine, const double* sine) {
  for (std::size_t p = 0; p < quarters; ++p) {
    // exp(-2 pi i p / (4 quarters)) and its square and cube.
    const double c1 = cosine[p * stride], s1 = sine[p * stride];
    const double c2 = c1 * c1 - s1 * s1, s2 = 2.0 * c1 * s1;
    const double c3 = c1 * c2 - s1 * s2, s3 = c1 * s2 + s1 * c2;
    const double* __restrict ar = from.real + stride * p;
    const double* __restrict ai = from.imaginary + stride * p;
    const std::size_t quarter = stride * quarters;
    double* __restrict yr = to.real + stride * 4 * p;
    double* __restrict yi = to.imaginary + stride * 4 * p;
    for (std::size_t q = 0; q < stride; ++q) {
      const double sum_r = ar[q] + ar[q + 2 * quarter], sum_i = ai[q] + ai[q + 2 * quarter];
      const double gap_r = ar[q] - ar[q + 2 * quarter], gap_i = ai[q] - ai[q + 2 * quarter];
      const double other_sum_r = ar[q + quarter] + ar[q + 3 * quarter];
      const double other_sum_i = ai[q + quarter] + ai[q + 3 * quarter];
      const double other_gap_r = ar[q + quarter] - ar[q + 3 * quarter];
      const double other_gap_i = ai[q + quarter] - ai[q + 3 * quarter];
      yr[q] = sum_r + other_sum_r;
      yi[q] = sum_i + other_sum_i;
      const double one_r = gap_r + other_gap_i, one_i = gap_i - other_gap_r;
      yr[q + stride] = c1 * one_r - s1 * one_i;
      yi[q + stride] = c1 * one_i + s1 * one_r;
      const double two_r = sum_r - other_sum_r, two_i = sum_i - other_sum_i;
      yr[q + 2 * stride] = c2 * two_r - s2 * two_i;
      yi[q + 2 * stride] = c2 * two_i + s2 * two_r;
      const double three_r = gap_r - other_gap_i, three_i = gap_i + other_gap_r;
      yr[q + 3 * stride] = c3 * three_r - s3 * three_i;
      yi[q + 3 * stride] = c3 * three_i + s3 * three_r;
    }
  }
}

}  // namespace

SGMCMC_DISPATCHED(void, radix_four_pass,
                  (FourierSource from, FourierTarget to, std::size_t quarters, std::size_t stride, const double* cosine,
                   const double* sine),
                  (from, to, quarters, stride, cosine, sine))

}  // namespace sgmcmc
