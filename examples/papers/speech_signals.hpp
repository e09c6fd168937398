// Sounds and their short-time Fourier transforms, for experiments with speech.
#pragma once

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <numbers>
#include <string>
#include <vector>

namespace sgmcmc {

using Signal = std::vector<double>;

/// The wav files (16 bits, one channel) in an unpacked tar file, by their path.
inline std::map<std::string, Signal> sounds_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  constexpr std::size_t block = 512, wav_header = 44;
  std::map<std::string, Signal> sounds;
  for (std::size_t at = 0; at + block <= bytes.size() && bytes[at] != 0;) {
    const std::string name(bytes.data() + at, strnlen(bytes.data() + at, 100));
    const std::size_t size = std::strtoul(std::string(bytes.data() + at + 124, 12).c_str(), nullptr, 8);
    at += block;
    if (name.ends_with(".wav") && size > wav_header && at + size <= bytes.size()) {
      Signal& sound = sounds[name];
      for (std::size_t k = wav_header; k + 1 < size; k += 2) {
        std::int16_t value = 0;
        std::memcpy(&value, bytes.data() + at + k, 2);
        sound.push_back(value / 32768.0);
      }
    }
    at += (size + block - 1) / block * block;
  }
  if (sounds.empty()) {
    std::fprintf(stderr, "%s has no sounds; unpack the tar file with the wav files there\n", path.c_str());
    std::exit(1);
  }
  return sounds;
}

/// Frames of 512 numbers that overlap by three quarters; without the constant, 256 frequencies each.
class Spectrum {
 public:
  static constexpr std::size_t window = 512, hop = 128, frequencies = 256;

  Spectrum(const Signal& signal, std::size_t most_frames) {
    frames_ = std::min(most_frames, 1 + (signal.size() - window) / hop);
    std::vector<std::complex<double>> frame(window);
    for (std::size_t j = 0; j < frames_; ++j) {
      for (std::size_t k = 0; k < window; ++k) frame[k] = taper(k) * signal[j * hop + k];
      fourier(frame, false);
      values_.insert(values_.end(), frame.begin() + 1, frame.begin() + 1 + frequencies);
    }
  }

  std::size_t frames() const { return frames_; }
  std::size_t size() const { return values_.size(); }
  /// Frame by frame.
  const std::complex<double>& operator[](std::size_t k) const { return values_[k]; }
  void multiply(const std::vector<double>& mask) {
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] *= mask[k];
  }

  /// What all frames cover.
  Signal signal() const {
    Signal sum(hop * (frames_ - 1) + window), weight(sum.size());
    std::vector<std::complex<double>> frame(window);
    for (std::size_t j = 0; j < frames_; ++j) {
      std::fill(frame.begin(), frame.end(), 0.0);
      for (std::size_t i = 0; i < frequencies; ++i) {
        frame[i + 1] = values_[j * frequencies + i];
        frame[window - 1 - i] = i + 1 < frequencies ? std::conj(frame[i + 1]) : frame[i + 1];
      }
      fourier(frame, true);
      for (std::size_t k = 0; k < window; ++k) {
        sum[j * hop + k] += taper(k) * frame[k].real() / window;
        weight[j * hop + k] += taper(k) * taper(k);
      }
    }
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] /= std::max(weight[k], 0.1);
    return sum;
  }

 private:
  static double taper(std::size_t k) {
    return 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(k) / window);
  }
  /// In place, for a power of two; the inverse is not divided by the length.
  static void fourier(std::vector<std::complex<double>>& x, bool inverse) {
    const std::size_t n = x.size();
    for (std::size_t i = 1, j = 0; i < n; ++i) {
      std::size_t bit = n / 2;
      for (; j & bit; bit /= 2) j ^= bit;
      j ^= bit;
      if (i < j) std::swap(x[i], x[j]);
    }
    for (std::size_t length = 2; length <= n; length *= 2) {
      const double angle = (inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(length);
      for (std::size_t k = 0; k < length / 2; ++k) {
        const auto turn = std::polar(1.0, angle * static_cast<double>(k));
        for (std::size_t i = k; i < n; i += length) {
          const auto a = x[i], b = turn * x[i + length / 2];
          x[i] = a + b;
          x[i + length / 2] = a - b;
        }
      }
    }
  }

  std::size_t frames_ = 0;
  std::vector<std::complex<double>> values_;
};

/// Signal-to-distortion ratio in decibels, without the first and the last window, which few frames cover.
inline double distortion_ratio(const Signal& clean, const Signal& estimate) {
  double signal = 0, error = 0;
  for (std::size_t k = Spectrum::window; k + Spectrum::window < std::min(clean.size(), estimate.size()); ++k) {
    signal += clean[k] * clean[k];
    error += (clean[k] - estimate[k]) * (clean[k] - estimate[k]);
  }
  return 10 * std::log10(signal / error);
}

/// A voice that glides and pauses: harmonics of a fundamental frequency.
inline Signal made_up_voice(std::size_t length, std::uint64_t which) {
  Signal sound(length);
  std::vector<double> z(4);
  fill_normal({11, 0, which, Purpose::data}, z);
  double phase = 0;
  for (std::size_t k = 0; k < length; ++k) {
    const double time = static_cast<double>(k) / 8000;
    phase += 2 * std::numbers::pi * (150 + 10 * z[0] + 30 * std::sin(5 * time + z[1])) / 8000;
    const double loud = std::max(0.0, std::sin(9 * time + z[2]));
    for (int harmonic = 1; harmonic <= 8; ++harmonic)
      sound[k] += 0.1 * loud / harmonic * (1 + std::sin(7 * time * harmonic + z[3])) * std::sin(harmonic * phase);
  }
  return sound;
}

}  // namespace sgmcmc
