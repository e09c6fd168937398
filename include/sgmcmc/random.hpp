// Random streams: every number is a pure function of (seed, chain, iteration, purpose, position), so that results never
// depend on thread count, tile size or execution order.
#pragma once

#include <cstdint>
#include <span>

namespace sgmcmc {

/// The purpose of a stream: different purposes in one iteration never share numbers.
enum class Purpose : std::uint16_t {
  minibatch = 1,   ///< which rows
  noise = 2,       ///< injected noise of a step
  momentum = 3,    ///< momentum refreshes
  initial = 4,     ///< starting points
  data = 5,        ///< synthetic data of examples and benchmarks
  latent = 6,      ///< Gibbs updates
  acceptance = 7,  ///< Metropolis decisions
  adaptation = 8,  ///< trial steps of warm-up
  importance = 9,  ///< choice among several proposals
  lengths = 10,    ///< lengths of vectors of which draws have the direction only
  user = 1000,     ///< first value free for users: static_cast<Purpose>(1000 + k)
};

/// Identifies one stream. `iteration` must be below 2^48.
struct StreamKey {
  std::uint64_t seed = 0;
  std::uint32_t chain = 0;
  std::uint64_t iteration = 0;
  Purpose purpose = Purpose::user;
};

// Each call writes elements [first, first + out.size()) of the infinite sequence of the key: splitting a call into
// pieces, in any order and on any thread, gives the same numbers. Use a key for ONE kind of sequence only.
void fill_uniform(const StreamKey& key, std::span<double> out, std::uint64_t first = 0);  ///< in (0, 1), 52 bits
void fill_normal(const StreamKey& key, std::span<double> out, std::uint64_t first = 0);   ///< standard normal
void fill_normal(const StreamKey& key, std::span<float> out,
                 std::uint64_t first = 0);  ///< standard normal, 32 bits each
void fill_exponential(const StreamKey& key, std::span<double> out, std::uint64_t first = 0);
/// Integers uniform on [0, bound), bound >= 1, without modulo bias.
void fill_below(const StreamKey& key, std::uint32_t bound, std::span<std::uint32_t> out, std::uint64_t first = 0);
/// log of Gamma(shape[i], 1): in logs because shapes near 0 give values far below the smallest double.
void fill_log_gamma(const StreamKey& key, std::span<const double> shape, std::span<double> out,
                    std::uint64_t first = 0);
/// Gamma(shape[i], 1).
void fill_gamma(const StreamKey& key, std::span<const double> shape, std::span<double> out, std::uint64_t first = 0);
/// Poisson(mean[i]), as doubles (exact integers); mean from 0 to 1e15.
void fill_poisson(const StreamKey& key, std::span<const double> mean, std::span<double> out, std::uint64_t first = 0);

}  // namespace sgmcmc
