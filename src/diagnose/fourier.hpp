// Autocovariances of long series by the fast Fourier transform, with its tables and buffers kept between calls.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sgmcmc {

class Autocovariance {
 public:
  /// The mean over all series of their autocovariances at lags 0, 1, ..., length - 1, each sum divided by the length:
  /// `values` holds consecutive series of `length` numbers. The result is valid until the next call.
  std::span<const double> mean_of(std::span<const double> values, std::size_t length);

 private:
  void resize(std::size_t size);
  void transform();  // of real_ + i imaginary_, in place

  std::size_t size_ = 0;  // a power of two
  std::vector<double> cosine_, sine_;
  std::vector<double> real_, imaginary_, other_real_, other_imaginary_, power_;
};

}  // namespace sgmcmc
