// The updates. With a the pseudo-counts, omega = theta / sum(theta), c the estimated number of observations (the sum of
// a minus that of the prior), h the step size and xi standard normal, component by component:
//
//   scir                    theta' = (1 - e^-h) Gamma(a + K, 1), K ~ Poisson(theta e^-h / (1 - e^-h))
//   sgrld                   theta' = |theta + h/2 (a - theta - c omega) + sqrt(h theta) xi|
//   sgrld_reduced_mean      omega' ~ |omega + h/2 (a - sum(a) omega) + sqrt(h) (sqrt(omega) xi - omega S)|,
//                           S = sum of sqrt(omega) xi
//   sgrld_expanded_natural  log theta' = log theta + h/2 (a - 1 - theta - c omega) / theta + sqrt(h / theta) xi
//   sgld                    log theta' = log theta + h/2 (a - theta - c omega) + sqrt(h) xi
//
// scir: Baker, thesis 2019, algorithm 3 and (5.3.3), with the non-central chi-squared distribution as a Poisson mixture
// of gammas. The others: Patterson and Teh, Stochastic gradient Riemannian Langevin dynamics on the probability
// simplex, 2013, with the correction for the changing metric in the drift (a - 1 of the natural form; it cancels a -1
// in the mean forms). Deviation: the paper does not define a reduced-mean step that leaves the simplex; here it is
// mirrored at 0 and rescaled to sum 1.
#include "simplex/kernels.hpp"

#include "base/vector_math.hpp"
#include "dynamics/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc {

namespace {

using Real = Pack<double>;
constexpr std::size_t chunk = 512;
constexpr double smallest = std::numeric_limits<double>::min();  // replaces a mirrored step of exactly 0
constexpr double largest_poisson_mean = 1e15;                    // of fill_poisson

/// Calls body(offset, count) for every pack of [0, count).
template <class Body>
SGMCMC_INLINE void for_packs(std::size_t count, Body body) {
  for (std::size_t i = 0; i < count; i += 8) body(i, static_cast<std::ptrdiff_t>(std::min<std::size_t>(8, count - i)));
}

}  // namespace

SimplexKernel::SimplexKernel(SimplexMethod method, SimplexShape shape)
    : method_(method),
      shape_(shape),
      piece_components_(std::max<std::size_t>(1, 4096 / std::max<std::size_t>(1, shape.blocks))),
      proposal_(shape.size()),
      partial_(pieces() * shape.blocks),
      sums_(shape.blocks),
      highest_(shape.blocks),
      theta_total_(shape.blocks + 8),
      count_total_(shape.blocks + 8),
      noise_total_(shape.blocks + 8) {}

std::size_t SimplexKernel::pieces() const { return (shape_.components + piece_components_ - 1) / piece_components_; }

SimplexKernel::Piece SimplexKernel::piece(std::size_t index) const {
  const std::size_t first = index * piece_components_;
  const std::size_t components = std::min(piece_components_, shape_.components - first);
  return {first * shape_.blocks, components * shape_.blocks};
}

void SimplexKernel::spread(std::vector<double>& periodic, std::span<const double> values) const {
  for (std::size_t i = 0; i < periodic.size(); ++i) periodic[i] = values[i % shape_.blocks];
}

void SimplexKernel::log_totals(std::span<const double> log_theta, std::span<double> totals, ThreadPool& pool) {
  const std::size_t blocks = shape_.blocks;
  const auto reduce = [&](auto element, auto join, double start) {
    pool.for_each(pieces(), [&](std::size_t p, int) {
      double* const sums = partial_.data() + p * blocks;
      std::fill_n(sums, blocks, start);
      const auto [begin, count] = piece(p);
      double values[chunk];
      std::size_t b = 0;
      for (std::size_t i = 0; i < count; i += chunk) {
        const std::size_t length = std::min(chunk, count - i);
        element(begin + i, length, b, values);
        for (std::size_t k = 0; k < length; ++k) {
          sums[b] = join(sums[b], values[k]);
          if (++b == blocks) b = 0;
        }
      }
    });
    std::fill_n(sums_.begin(), blocks, start);
    for (std::size_t p = 0; p < pieces(); ++p)
      for (std::size_t b = 0; b < blocks; ++b) sums_[b] = join(sums_[b], partial_[p * blocks + b]);
  };
  reduce([&](std::size_t at, std::size_t length, std::size_t, double* to) { std::copy_n(&log_theta[at], length, to); },
         [](double a, double b) { return std::max(a, b); }, -std::numeric_limits<double>::infinity());
  highest_ = sums_;
  spread(noise_total_, highest_);
  reduce(
      [&](std::size_t at, std::size_t length, std::size_t b, double* to) {
        for_packs(length, [&](std::size_t i, std::ptrdiff_t count) {
          const Real shift = load(noise_total_.data() + (b + i) % blocks);
          store_first(to + i, exp(load_first(log_theta.data() + at + i, count) - shift), count);
        });
      },
      [](double a, double b) { return a + b; }, 0.0);
  for (std::size_t b = 0; b < blocks; ++b) totals[b] = highest_[b] + std::log(sums_[b]);
}

void SimplexKernel::scir(const SimplexStep& step, std::size_t begin, std::span<double> out) const {
  const double h = step.step_size;
  const double log_ratio = -h - std::log(-std::expm1(-h));  // of e^-h / (1 - e^-h)
  const double log_scale = std::log(-std::expm1(-h));
  alignas(64) double mean[chunk], poisson[chunk], shape[chunk];
  for (std::size_t i = 0; i < out.size(); i += chunk) {
    const std::size_t length = std::min(chunk, out.size() - i), at = begin + i;
    for_packs(length, [&](std::size_t k, std::ptrdiff_t count) {
      const Real intensity = exp(load_first(step.log_theta.data() + at + k, count) + log_ratio);
      store_first(mean + k, min(intensity, Real(largest_poisson_mean)), count);
    });
    // Poisson and gamma variates would use the same positions of a stream: the gammas start after all Poissons.
    fill_poisson(step.key, {mean, length}, {poisson, length}, at);
    for (std::size_t k = 0; k < length; ++k) shape[k] = step.pseudo_counts[at + k] + poisson[k];
    fill_log_gamma(step.key, {shape, length}, out.subspan(i, length), shape_.size() + at);
    for (std::size_t k = 0; k < length; ++k) out[i + k] += log_scale;
  }
}

void SimplexKernel::langevin(const SimplexStep& step, std::size_t begin, std::span<double> out) const {
  const double h = step.step_size, half = 0.5 * h, root = std::sqrt(h);
  alignas(64) double noise[chunk];
  for (std::size_t i = 0; i < out.size(); i += chunk) {
    const std::size_t length = std::min(chunk, out.size() - i), at = begin + i;
    fill_normal(step.key, std::span<double>(noise, length), at);
    for_packs(length, [&](std::size_t k, std::ptrdiff_t count) {
      const std::size_t b = (at + k) % shape_.blocks;
      const Real x = load_first(step.log_theta.data() + at + k, count);
      const Real a = load_first(step.pseudo_counts.data() + at + k, count);
      const Real xi = load_first(noise + k, count);
      const Real theta = exp(x), omega = exp(x - load(theta_total_.data() + b));
      const Real counted = load(count_total_.data() + b) * omega;
      Real moved;
      switch (method_) {
        case SimplexMethod::sgrld:
          moved = log(max(Real(smallest), abs(theta + (a - theta - counted) * half + sqrt(theta * h) * xi)));
          break;
        case SimplexMethod::sgrld_reduced_mean: {
          const Real drift = (a - (load(count_total_.data() + b) + step.prior_total) * omega) * half;
          const Real tilt = sqrt(omega) * xi - omega * load(noise_total_.data() + b);
          moved = log(max(Real(smallest), abs(omega + drift + tilt * root)));
          break;
        }
        case SimplexMethod::sgrld_expanded_natural:
          moved = x + (a - 1.0 - theta - counted) * half / theta + sqrt(Real(h) / theta) * xi;
          break;
        default: moved = x + (a - theta - counted) * half + xi * root;
      }
      store_first(out.data() + i + k, moved, count);
    });
  }
}

/// S of the reduced mean, from the same noise that langevin() will use.
void SimplexKernel::sum_noise(const SimplexStep& step, ThreadPool& pool) {
  const std::size_t blocks = shape_.blocks;
  pool.for_each(pieces(), [&](std::size_t p, int) {
    double* const sums = partial_.data() + p * blocks;
    std::fill_n(sums, blocks, 0.0);
    const auto [begin, count] = piece(p);
    double noise[chunk];
    for (std::size_t i = 0; i < count; i += chunk) {
      const std::size_t length = std::min(chunk, count - i), at = begin + i;
      fill_normal(step.key, std::span<double>(noise, length), at);
      for (std::size_t k = 0; k < length; ++k) {
        const std::size_t b = (at + k) % blocks;
        sums[b] += std::exp(0.5 * (step.log_theta[at + k] - theta_total_[b])) * noise[k];
      }
    }
  });
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (std::size_t p = 0; p < pieces(); ++p)
    for (std::size_t b = 0; b < blocks; ++b) sums_[b] += partial_[p * blocks + b];
  spread(noise_total_, sums_);
}

/// Sums of the pseudo-counts of every block, minus the prior.
void SimplexKernel::sum_counts(const SimplexStep& step, ThreadPool& pool) {
  const std::size_t blocks = shape_.blocks;
  pool.for_each(pieces(), [&](std::size_t p, int) {
    double* const sums = partial_.data() + p * blocks;
    std::fill_n(sums, blocks, 0.0);
    const auto [begin, count] = piece(p);
    for (std::size_t i = 0; i < count; i += blocks)
      for (std::size_t b = 0; b < blocks; ++b) sums[b] += step.pseudo_counts[begin + i + b];
  });
  std::fill(sums_.begin(), sums_.end(), -step.prior_total);
  for (std::size_t p = 0; p < pieces(); ++p)
    for (std::size_t b = 0; b < blocks; ++b) sums_[b] += partial_[p * blocks + b];
  spread(count_total_, sums_);
}

bool SimplexKernel::step(const SimplexStep& step, ThreadPool& pool) {
  if (method_ != SimplexMethod::scir) {
    log_totals(step.log_theta, sums_, pool);
    spread(theta_total_, sums_);
    sum_counts(step, pool);
    if (method_ == SimplexMethod::sgrld_reduced_mean) sum_noise(step, pool);
  }
  pool.for_each(pieces(), [&](std::size_t p, int) {
    const auto [begin, count] = piece(p);
    const std::span<double> out = proposal_.span().subspan(begin, count);
    method_ == SimplexMethod::scir ? scir(step, begin, out) : langevin(step, begin, out);
  });
  if (first_non_finite(proposal_.span()) < proposal_.size()) return false;
  if (method_ == SimplexMethod::sgrld_reduced_mean) {
    log_totals(proposal_.span(), sums_, pool);
    for (std::size_t i = 0; i < proposal_.size(); ++i) proposal_[i] -= sums_[i % shape_.blocks];
  }
  std::copy(proposal_.begin(), proposal_.end(), step.log_theta.begin());
  return true;
}

}  // namespace sgmcmc
