// Steps of rows, for each level of processors.
#include "factors/ring/row_steps.hpp"

#include "base/levels.hpp"
#include "base/pack.hpp"

#include <cmath>

namespace sgmcmc {
namespace {

constexpr std::size_t pack_width = 16;
constexpr float largest_number = 1e8F;

/// The packs of a row, in registers where their number is known to the compiler; 0: it is not.
template <int packs>
struct PacksOfRow {
  static constexpr std::size_t most = packs > 0 ? packs : 64;
  std::size_t count;
  Pack<float> part[most];

  explicit PacksOfRow(std::size_t stride) : count(packs > 0 ? packs : stride / pack_width) {}
  SGMCMC_INLINE void add(Pack<float> factor, const float* row) {
    for (std::size_t p = 0; p < (packs > 0 ? packs : count); ++p)
      part[p] = fma(factor, load_aligned(row + pack_width * p), part[p]);
  }
};

template <int packs>
SGMCMC_INLINE PacksOfRow<packs> posterior_gradient(const RowSteps& at, std::size_t row) {
  const float* const x = at.rows + row * at.stride;
  PacksOfRow<packs> sum(at.stride);
  for (std::size_t p = 0; p < (packs > 0 ? packs : sum.count); ++p)
    sum.part[p] = Pack<float>(at.noise_precision) * load_aligned(at.gradients + row * at.stride + pack_width * p);
  for (std::size_t j = 0; j < at.size; ++j) {
    const std::size_t place = at.places[j];
    sum.add(Pack<float>(at.prior_mean[place] - x[place]), at.prior_precision + place * at.stride);
  }
  return sum;
}

/// Calls body with the number of packs of a row, known to the compiler where rows are short.
template <class Body>
auto with_packs(std::size_t stride, const Body& body) {
  switch (stride / pack_width) {
    case 1: return body.template operator()<1>();
    case 2: return body.template operator()<2>();
    case 3: return body.template operator()<3>();
    default: return body.template operator()<0>();
  }
}

void posterior_gradients_here(const RowSteps& at, std::size_t count, float* result) {
  with_packs(at.stride, [&]<int packs>() {
    for (std::size_t r = 0; r < count; ++r) {
      const auto sum = posterior_gradient<packs>(at, r);
      for (std::size_t p = 0; p < sum.count; ++p) store(result + r * at.stride + pack_width * p, sum.part[p]);
    }
  });
}

void whitened_gradients_here(const RowSteps& at, std::size_t count, float* result) {
  with_packs(at.stride, [&]<int packs>() {
    for (std::size_t r = 0; r < count; ++r) {
      const auto gradient = posterior_gradient<packs>(at, r);
      const float* root = at.roots + r * at.size * at.stride;
      for (std::size_t k = 0; k < at.size; ++k, root += at.stride) {
        Pack<float> sum = load_aligned(root) * gradient.part[0];
        for (std::size_t p = 1; p < (packs > 0 ? packs : gradient.count); ++p)
          sum = fma(load_aligned(root + pack_width * p), gradient.part[p], sum);
        result[r * at.size + k] = horizontal_sum(sum);
      }
    }
  });
}

bool add_moves_here(const RowSteps& at, std::size_t count, const float* moves) {
  return with_packs(at.stride, [&]<int packs>() {
    bool bad = false;
    for (std::size_t r = 0; r < count; ++r) {
      float* const x = at.rows + r * at.stride;
      const float* root = at.roots + r * at.size * at.stride;
      PacksOfRow<packs> sum(at.stride);
      for (std::size_t p = 0; p < sum.count; ++p) sum.part[p] = load_aligned(x + pack_width * p);
      for (std::size_t k = 0; k < at.size; ++k, root += at.stride) sum.add(Pack<float>(moves[r * at.size + k]), root);
      for (std::size_t p = 0; p < sum.count; ++p) store_aligned(x + pack_width * p, sum.part[p]);
      for (std::size_t k = 0; k < at.stride; ++k) bad |= !(std::abs(x[k]) < largest_number);
    }
    return bad;
  });
}

}  // namespace

SGMCMC_DISPATCHED(void, posterior_gradients, (const RowSteps& at, std::size_t count, float* result),
                  (at, count, result))
SGMCMC_DISPATCHED(void, whitened_gradients, (const RowSteps& at, std::size_t count, float* result), (at, count, result))
SGMCMC_DISPATCHED(bool, add_moves, (const RowSteps& at, std::size_t count, const float* moves), (at, count, moves))

}  // namespace sgmcmc
