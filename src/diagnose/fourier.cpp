// A Stockham fast Fourier transform (radix four, no bit reversal), with separate arrays of real and imaginary parts so
// that inner loops vectorise.
#include "diagnose/fourier.hpp"

#include "diagnose/fourier_pass.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace sgmcmc {
namespace {

void radix_two_pass(FourierSource from, FourierTarget to, std::size_t half) {
  for (std::size_t q = 0; q < half; ++q) {
    to.real[q] = from.real[q] + from.real[q + half];
    to.imaginary[q] = from.imaginary[q] + from.imaginary[q + half];
    to.real[q + half] = from.real[q] - from.real[q + half];
    to.imaginary[q + half] = from.imaginary[q] - from.imaginary[q + half];
  }
}

double mean_of_series(std::span<const double> series) {
  const auto count = static_cast<double>(series.size());
  double mean = 0.0;
  for (const double x : series) mean += x;
  mean /= count;
  double correction = 0.0;
  for (const double x : series) correction += x - mean;
  return mean + correction / count;
}

}  // namespace

void Autocovariance::resize(std::size_t size) {
  if (size == size_) return;
  size_ = size;
  for (auto* buffer : {&real_, &imaginary_, &other_real_, &other_imaginary_, &power_}) buffer->resize(size);
  cosine_.resize(size / 4);
  sine_.resize(size / 4);
  for (std::size_t k = 0; k < size / 4; ++k) {
    const double angle = -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size);
    cosine_[k] = std::cos(angle);
    sine_[k] = std::sin(angle);
  }
}

void Autocovariance::transform() {
  std::size_t stride = 1;
  for (std::size_t length = size_; length > 1;) {
    const FourierSource from{real_.data(), imaginary_.data()};
    const FourierTarget to{other_real_.data(), other_imaginary_.data()};
    if (length == 2) {
      radix_two_pass(from, to, stride);
      length = 1;
    } else {
      radix_four_pass(from, to, length / 4, stride, cosine_.data(), sine_.data());
      length /= 4;
      stride *= 4;
    }
    real_.swap(other_real_);
    imaginary_.swap(other_imaginary_);
  }
}

// Two series a and b are transformed at once as a + ib: the real part of the autocovariance of a + ib is the sum of
// those of a and b. Power spectra are summed over the series, so that one inverse transform suffices.
std::span<const double> Autocovariance::mean_of(std::span<const double> values, std::size_t length) {
  // Enough zero padding for all lags.
  resize(std::max<std::size_t>(4, std::bit_ceil(2 * length)));
  const std::size_t count = values.size() / length;
  std::fill(power_.begin(), power_.end(), 0.0);
  const auto place = [&](std::size_t series, std::vector<double>& into) {
    if (series < count) {
      const auto x = values.subspan(series * length, length);
      const double mean = mean_of_series(x);
      for (std::size_t k = 0; k < length; ++k) into[k] = x[k] - mean;
    }
    std::fill(into.begin() + static_cast<std::ptrdiff_t>(series < count ? length : 0), into.end(), 0.0);
  };
  for (std::size_t series = 0; series < count; series += 2) {
    place(series, real_);
    place(series + 1, imaginary_);
    transform();
    for (std::size_t k = 0; k < size_; ++k) power_[k] += real_[k] * real_[k] + imaginary_[k] * imaginary_[k];
  }
  real_.swap(power_);
  std::fill(imaginary_.begin(), imaginary_.end(), 0.0);
  transform();
  const double scale = 1.0 / (static_cast<double>(size_) * static_cast<double>(length) * static_cast<double>(count));
  for (std::size_t lag = 0; lag < length; ++lag) real_[lag] *= scale;
  return {real_.data(), length};
}

}  // namespace sgmcmc
