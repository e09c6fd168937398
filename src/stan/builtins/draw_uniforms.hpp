// Uniform numbers for the random functions of a program, with one stream per run.
#pragma once

#include "stan/builtins/builtins.hpp"

#include <sgmcmc/random.hpp>

#include <array>

namespace sgmcmc::stan {

/// Streams for different uses of randomness never share numbers.
enum class DrawPurpose : std::uint16_t { outputs = 1, simulation = 2 };

class DrawUniforms final : public UniformSource {
 public:
  DrawUniforms(std::uint64_t seed, std::uint32_t chain, std::uint64_t draw, DrawPurpose purpose = DrawPurpose::outputs)
      : key_{seed, chain, draw, static_cast<Purpose>(static_cast<int>(Purpose::user) + static_cast<int>(purpose))} {}
  double next() override {
    if (at_ == buffer_.size()) {
      fill_uniform(key_, buffer_, used_);
      used_ += buffer_.size();
      at_ = 0;
    }
    return buffer_[at_++];
  }
  bool any_used() const { return used_ > 0; }

 private:
  StreamKey key_;
  std::array<double, 64> buffer_{};
  std::size_t at_ = buffer_.size();
  std::uint64_t used_ = 0;
};

}  // namespace sgmcmc::stan
