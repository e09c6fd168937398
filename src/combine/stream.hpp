// Random numbers one at a time, from the keyed streams.
#pragma once

#include <sgmcmc/random.hpp>

#include <array>
#include <cstdint>

namespace sgmcmc {

class Stream {
 public:
  /// which: number of the stream, among those with the same seed and chain.
  Stream(std::uint64_t seed, std::uint32_t chain, std::uint64_t which)
      : uniform_key_{seed, chain, 2 * which, Purpose::importance},
        normal_key_{seed, chain, 2 * which + 1, Purpose::importance} {}

  double uniform() {
    if (uniforms_used_ == uniforms_.size()) {
      fill_uniform(uniform_key_, uniforms_, uniforms_made_);
      uniforms_made_ += uniforms_.size();
      uniforms_used_ = 0;
    }
    return uniforms_[uniforms_used_++];
  }
  double normal() {
    if (normals_used_ == normals_.size()) {
      fill_normal(normal_key_, normals_, normals_made_);
      normals_made_ += normals_.size();
      normals_used_ = 0;
    }
    return normals_[normals_used_++];
  }
  /// Uniform on 0 .. bound - 1; bound is far below 2^52.
  std::int64_t below(std::int64_t bound) { return static_cast<std::int64_t>(uniform() * static_cast<double>(bound)); }

 private:
  StreamKey uniform_key_, normal_key_;
  std::array<double, 256> uniforms_{}, normals_{};
  std::size_t uniforms_used_ = 256, normals_used_ = 256;
  std::uint64_t uniforms_made_ = 0, normals_made_ = 0;
};

}  // namespace sgmcmc
