// The inner loop of minibatch factorisation, for each level of processors.
#include "factors/ring/block_kernel.hpp"

#include "base/levels.hpp"
#include "base/pack.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sgmcmc {
namespace {

/// Gives the sum of what law(x, rating, place, loss) adds to loss; law returns e.
template <int packs, class Law>
double visit_packs(const RatingBlocks::Block& block, const BlockRows& rows, const Law& law) {
  using Numbers = Pack<float>;
  constexpr std::size_t width = 16;
  const std::size_t count = packs > 0 ? packs : rows.stride / width;
  double loss = 0;
  const BlockRating* rating = block.ratings.data();
  std::uint64_t place = block.first;
  for (const BlockRun& run : block.runs) {
    const float* const u = rows.users + std::size_t{run.user} * rows.stride;
    float* const gradient = rows.user_gradient + std::size_t{run.user} * rows.stride;
    Numbers own[packs > 0 ? packs : 1], sum[packs > 0 ? packs : 1];
    if constexpr (packs > 0)
      for (int p = 0; p < packs; ++p) {
        own[p] = load_aligned(u + width * static_cast<std::size_t>(p));
        sum[p] = 0.0F;
      }
    for (const BlockRating* const end = rating + run.count; rating != end; ++rating, ++place) {
      const float* const v = rows.items + std::size_t{rating->item} * rows.stride;
      float* const to = rows.item_gradient + std::size_t{rating->item} * rows.stride;
      if constexpr (packs > 0) {
        Numbers other[packs];
        other[0] = load_aligned(v);
        Numbers product = own[0] * other[0];
        for (int p = 1; p < packs; ++p) {
          other[p] = load_aligned(v + width * static_cast<std::size_t>(p));
          product = fma(own[p], other[p], product);
        }
        const Numbers e(law(horizontal_sum(product), rating->value, place, loss));
        for (int p = 0; p < packs; ++p) {
          sum[p] = fma(e, other[p], sum[p]);
          float* const at = to + width * static_cast<std::size_t>(p);
          store_aligned(at, fma(e, own[p], load_aligned(at)));
        }
      } else {
        Numbers product = 0.0F;
        for (std::size_t p = 0; p < count; ++p)
          product = fma(load_aligned(u + width * p), load_aligned(v + width * p), product);
        const Numbers e(law(horizontal_sum(product), rating->value, place, loss));
        for (std::size_t p = 0; p < width * count; p += width) {
          store_aligned(gradient + p, fma(e, load_aligned(v + p), load_aligned(gradient + p)));
          store_aligned(to + p, fma(e, load_aligned(u + p), load_aligned(to + p)));
        }
      }
    }
    if constexpr (packs > 0)
      for (int p = 0; p < packs; ++p)
        store_aligned(gradient + width * static_cast<std::size_t>(p),
                      load_aligned(gradient + width * static_cast<std::size_t>(p)) + sum[p]);
  }
  return loss;
}

/// With the number of packs known to the compiler where rows are short.
template <class Law>
double visit_by_law(const RatingBlocks::Block& block, const BlockRows& rows, const Law& law) {
  switch (rows.stride / 16) {
    case 1: return visit_packs<1>(block, rows, law);
    case 2: return visit_packs<2>(block, rows, law);
    case 3: return visit_packs<3>(block, rows, law);
    default: return visit_packs<0>(block, rows, law);
  }
}

struct NormalErrors {
  SGMCMC_INLINE float operator()(float x, float rating, std::uint64_t, double& loss) const {
    const float e = rating - x;
    loss += static_cast<double>(e * e);
    return e;
  }
};

/// The derivative of log Phi(t) is phi(t) / Phi(t).
struct ProbitErrors {
  float offset = 0;
  float operator()(float x, float rating, std::uint64_t, double&) const {
    const float sign = rating > 0.5F ? 1.0F : -1.0F, t = sign * (offset + x);
    if (t > -5.0F) return sign * 0.79788456F * std::exp(-0.5F * t * t) / std::erfc(-0.70710678F * t);
    return sign * (1.0F / (2.0F / (3.0F / (4.0F / -t - t) - t) - t) - t);  // a continued fraction
  }
};

struct PositiveErrors {
  BlockLaw law;
  float operator()(float x, float rating, std::uint64_t, double&) const {
    const double parameter = std::max(law.least, law.offset + law.scale * static_cast<double>(x));
    return static_cast<float>(law.scale * law.law->slope(static_cast<double>(rating), parameter));
  }
};

double visit_block_here(const RatingBlocks::Block& block, const BlockRows& rows, const BlockLaw& law) {
  switch (law.observations) {
    case Observations::gaussian: return visit_by_law(block, rows, NormalErrors{});
    case Observations::bernoulli: return visit_by_law(block, rows, ProbitErrors{static_cast<float>(law.offset)});
    default: return visit_by_law(block, rows, PositiveErrors{law});
  }
}

}  // namespace

SGMCMC_DISPATCHED(double, visit_block, (const RatingBlocks::Block& block, const BlockRows& rows, const BlockLaw& law),
                  (block, rows, law))

}  // namespace sgmcmc
