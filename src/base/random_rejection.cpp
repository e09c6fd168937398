// Gamma and Poisson sequences: eight elements at a time; rejected elements are retried with their own random numbers.
//
// Element i owns blocks 64 i to 64 i + 63 of its stream, so its value depends only on its name and its shape or mean.
// The last attempt is always accepted; an element gets that far with probability below 1e-25.
#include <algorithm>
#include <cstring>
#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>
#include <string>

#include "base/levels.hpp"
#include "base/philox.hpp"
#include "base/vector_math.hpp"

namespace sgmcmc {

namespace {

using Real = Pack<double>;
using Mask = IntegerPack<double>;

constexpr std::uint64_t blocks_per_element = 64;
constexpr std::uint64_t element_limit = PhiloxStream::block_limit / blocks_per_element;
constexpr double largest_mean = 1e15;
constexpr double inversion_below = 10.0;

SGMCMC_INLINE VectorPack<std::uint64_t> first_block_of(std::uint64_t first_element) {
  return (VectorPack<std::uint64_t>(first_element) + lane_numbers()) << 6;
}

/// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000: with d = shape - 1/3, w = x / sqrt(9 d)
/// and x normal, d (1 + w)^3 is accepted when log(u) < x^2 / 2 + d - d v + d log(v), v = (1 + w)^3. Shapes below 1 take
/// Gamma(shape + 1) u^(1 / shape), in logs.
Real log_gamma_of_eight(const PhiloxStream& stream, std::uint64_t first_element, const Real& shape) {
  const auto start = first_block_of(first_element);
  const Mask is_boosted = shape < Real(1.0);
  const Real d = select(is_boosted, shape + 1.0, shape) - 1.0 / 3.0;
  const Real scale = Real(1.0) / (sqrt(d) * 3.0);
  Real result = 0.0;
  Mask is_open = Mask(-1);
  for (std::uint64_t attempt = 0; attempt < blocks_per_element / 2; ++attempt) {
    const PhiloxBlocks normal_bits = stream.blocks(start + 2 * attempt);
    const PhiloxBlocks uniform_bits = stream.blocks(start + (2 * attempt + 1));
    const Real radius = sqrt(detail::log_of_normal(open_uniform(joined_words(normal_bits, 0))) * -2.0);
    const Real x = radius * sincos_2pi(centred_uniform(joined_words(normal_bits, 1))).cos;
    const Real w = x * scale;
    const Real log_v_third = log1p(max(Real(-0.999999), w));
    // The right-hand side is d (3/2 w^2 - w^3 + 3 (log(1 + w) - w)): all terms but w^4 cancel for large d.
    static constexpr double series[] = {-3.0 / 4, 3.0 / 5, -3.0 / 6, 3.0 / 7, -3.0 / 8, 3.0 / 9};
    const Real square = w * w;
    const Real near = d * square * square * detail::polynomial(w, series);
    const Real far = d * (square * (Real(1.5) - w) + (log_v_third - w) * 3.0);
    const Real bound = select(abs(w) < Real(0.005), near, far);
    const Real log_uniform = detail::log_of_normal(open_uniform(joined_words(uniform_bits, 0)));
    const Mask is_accepted = (w > Real(-1.0)) & (log_uniform < bound);
    const Real boost = detail::log_of_normal(open_uniform(joined_words(uniform_bits, 1))) / shape;
    const Real value = log(d) + log_v_third * 3.0 + (boost & is_boosted);
    result = select(is_open, value, result);
    is_open = is_open & ~is_accepted;
    if (!any(is_open)) break;
  }
  return result;
}

/// The smallest k whose cumulative probability reaches u; for means up to 10.
Real poisson_by_inversion(const Real& mean, const Real& u) {
  Real k = 0.0;
  Real probability = exp(-mean);
  Real cumulative = probability;
  for (int step = 1; step <= 120; ++step) {
    const Mask is_below = u > cumulative;
    if (!any(is_below)) break;
    probability = probability * mean / static_cast<double>(step);
    cumulative = cumulative + (probability & is_below);
    k = k + (Real(1.0) & is_below);
  }
  return k;
}

/// log of the Poisson probability of whole k >= 0, to an absolute error that stays small up to means of 1e15.
Real log_poisson(const Real& k, const Real& mean) {
  // Large k: Stirling's series, and k log(k / mean) + mean - k = mean e^2 (1/2 - e/6 + e^2/12 - ...), e = k / mean - 1.
  static constexpr double deviance_series[] = {1.0 / 2, -1.0 / 6, 1.0 / 12, -1.0 / 20, 1.0 / 30, -1.0 / 42, 1.0 / 56};
  const Real e = (k - mean) / mean;
  const Real plain = k * log(k / mean) + (mean - k);
  const Real deviance = select(abs(e) < Real(0.005), (k - mean) * e * detail::polynomial(e, deviance_series), plain);
  const Real inverse = Real(1.0) / max(Real(1.0), k);
  const Real stirling = inverse * detail::polynomial(inverse * inverse, detail::lgamma_series);
  const Real large = -(deviance + stirling) - log(k * (2.0 * M_PI)) * 0.5;
  const Real small = k * log(mean) - mean - detail::lgamma_of_positive(k + 1.0);
  return select(k < Real(16.0), small, large);
}

/// Hormann, "The transformed rejection method for generating Poisson random variables", 1993, algorithm PTRS; u is
/// centred. Gives k and whether it is accepted.
Mask poisson_by_rejection(const Real& mean, const Real& u, const Real& v, Real& k) {
  const Real b = sqrt(mean) * 2.53 + 0.931;
  const Real a = b * 0.02483 - 0.059;
  const Real inverse_alpha = Real(1.1328) / (b - 3.4) + 1.1239;
  const Real v_sure = Real(0.9277) - Real(3.6224) / (b - 2.0);
  const Real us = max(Real(0x1p-54), Real(0.5) - abs(u));
  const Real place = (a * 2.0 / us + b) * u + mean + 0.43;
  const Mask is_in_range = (place >= Real(0.0)) & (place < Real(2.0 * largest_mean));
  const Real bounded = select(is_in_range, place, Real(0.0));
  const Real rounded = (bounded + 0x1.8p52) - 0x1.8p52;
  k = rounded - (Real(1.0) & (rounded > bounded));
  const Mask is_sure = (us >= Real(0.07)) & (v <= v_sure);
  if (all(is_sure & is_in_range)) return is_sure;
  const Mask is_out = (us < Real(0.013)) & (v > us);
  const Real left = log(v * inverse_alpha / (a / (us * us) + b));
  const Mask is_accepted = left <= log_poisson(k, mean);
  return (is_sure | (is_accepted & ~is_out)) & is_in_range;
}

Real poisson_of_eight(const PhiloxStream& stream, std::uint64_t first_element, const Real& mean) {
  const auto start = first_block_of(first_element);
  const Mask is_small = mean < Real(inversion_below);
  Real result = 0.0;
  if (any(is_small)) {
    const PhiloxBlocks bits = stream.blocks(start);
    result = poisson_by_inversion(min(mean, Real(inversion_below)), open_uniform(joined_words(bits, 0)));
  }
  Mask is_open = ~is_small;
  const Real large_mean = max(mean, Real(inversion_below));
  for (std::uint64_t attempt = 0; attempt < blocks_per_element && any(is_open); ++attempt) {
    const PhiloxBlocks bits = stream.blocks(start + attempt);
    Real k = 0.0;
    const Mask is_accepted = poisson_by_rejection(large_mean, centred_uniform(joined_words(bits, 0)),
                                                  open_uniform(joined_words(bits, 1)), k);
    result = select(is_open, k, result);
    is_open = is_open & ~is_accepted;
  }
  return result;
}

/// Checks every parameter, then calls make(element, parameters) for eight elements at a time and stores what it gives.
template <class Make>
void fill_by_eights(const char* what, double highest, const StreamKey& key, std::span<const double> parameter,
                    std::span<double> out, std::uint64_t first, Make make) {
  const PhiloxStream stream(key);
  check_positions(first, out.size(), element_limit);
  if (parameter.size() != out.size()) {
    throw OptionError("asked for " + std::to_string(out.size()) + " random numbers with " +
                      std::to_string(parameter.size()) + ' ' + what + "s: give one " + what + " per number");
  }
  for (std::size_t i = 0; i < parameter.size(); ++i) {
    if (!(parameter[i] >= 0.0 && parameter[i] <= highest)) {
      throw OptionError(std::string(what) + " number " + std::to_string(i) + " of a random stream is " +
                        std::to_string(parameter[i]) + ": it must be finite and not negative" +
                        (highest < 1e300 ? ", and at most " + std::to_string(highest) : ""));
    }
  }
  for (std::size_t i = 0; i < out.size(); i += 8) {
    const auto count = static_cast<std::ptrdiff_t>(std::min<std::size_t>(8, out.size() - i));
    store_first(out.data() + i, make(stream, first + i, load_first(parameter.data() + i, count)), count);
  }
}

void fill_log_gamma_here(const StreamKey& key, std::span<const double> shape, std::span<double> out,
                         std::uint64_t first) {
  fill_by_eights("shape", std::numeric_limits<double>::max(), key, shape, out, first, log_gamma_of_eight);
}

void fill_gamma_here(const StreamKey& key, std::span<const double> shape, std::span<double> out, std::uint64_t first) {
  fill_by_eights("shape", std::numeric_limits<double>::max(), key, shape, out, first,
                 [](const PhiloxStream& stream, std::uint64_t element, const Real& shapes) {
                   return exp(log_gamma_of_eight(stream, element, shapes));
                 });
}

void fill_poisson_here(const StreamKey& key, std::span<const double> mean, std::span<double> out, std::uint64_t first) {
  fill_by_eights("mean", largest_mean, key, mean, out, first, poisson_of_eight);
}

}  // namespace

SGMCMC_DISPATCHED(void, fill_log_gamma,
                  (const StreamKey& key, std::span<const double> shape, std::span<double> out, std::uint64_t first),
                  (key, shape, out, first))
SGMCMC_DISPATCHED(void, fill_gamma,
                  (const StreamKey& key, std::span<const double> shape, std::span<double> out, std::uint64_t first),
                  (key, shape, out, first))
SGMCMC_DISPATCHED(void, fill_poisson,
                  (const StreamKey& key, std::span<const double> mean, std::span<double> out, std::uint64_t first),
                  (key, mean, out, first))

}  // namespace sgmcmc
