// Speech and noise in one spectrum, as two alpha-stable matrix factorisations (Simsekli and others 2016, section 4.2):
//
//   x_ij ~ complex normal, variance 2 v_ij,   v = v_speech + v_noise,   v_s = Phi_s lambda_s^(2 / alpha_s),
//   lambda_speech = W H with W known,   lambda_noise = W' H',   Phi_s positive stable with exponent alpha_s / 2.
//
// Given Phi, W', H and H' move by gradients of minibatches of entries, and are mirrored at 0; Phi of those entries move
// by Metropolis with proposals from their prior. The gradient of the log density in lambda_s is (|x|^2 / (2 v) - 1) / v
// dv_s / dlambda_s.
#pragma once

#include "speech_signals.hpp"

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace sgmcmc {

struct SourceShape {
  std::size_t rank;
  double alpha;
};

class StableSeparation {
 public:
  static constexpr std::size_t frequencies = Spectrum::frequencies;

  /// basis: W, frequencies x speech.rank; columns have mean 1.
  StableSeparation(const Spectrum& noisy, std::vector<double> basis, SourceShape speech, SourceShape noise,
                   std::uint64_t seed)
      : frames_(noisy.frames()),
        basis_(std::move(basis)),
        speech_(speech),
        noise_(noise),
        seed_(seed),
        power_(noisy.size()),
        phi_(2 * noisy.size()) {
    double mean = 0;
    for (std::size_t k = 0; k < power_.size(); ++k) mean += std::norm(noisy[k]) / static_cast<double>(power_.size());
    for (std::size_t k = 0; k < power_.size(); ++k) power_[k] = std::norm(noisy[k]) / mean;
    for (const bool of_noise : {false, true}) {
      const auto& [rank, alpha] = of_noise ? noise_ : speech_;
      double level = 0;  // half of the energy each
      for (const double power : power_) level += std::pow(power, 0.5 * alpha) / static_cast<double>(power_.size());
      (of_noise ? noise_level_ : speech_level_) = 0.5 * level / static_cast<double>(rank);
    }
    std::vector<double> uniform(2 * phi_.size());
    fill_uniform({seed_, 0, 0, Purpose::initial}, uniform);
    for (std::size_t k = 0; k < phi_.size(); ++k)
      phi_[k] = positive_stable((k % 2 ? noise_ : speech_).alpha, uniform[2 * k], uniform[2 * k + 1]);
  }

  std::size_t rank() const { return speech_.rank + noise_.rank; }
  std::size_t entries() const { return power_.size(); }
  std::size_t dimension() const { return frames_ * rank() + frequencies * noise_.rank; }

  /// H and H' frame by frame, then W'.
  std::vector<double> start() const {
    std::vector<double> theta(dimension());
    fill_exponential({seed_, 0, 1, Purpose::initial}, theta);
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] = (0.5 + 0.5 * theta[k]) / rate(k);
    return theta;
  }

  /// Of the log posterior given Phi, estimated from these entries.
  void gradient(std::span<const double> theta, std::span<const std::uint32_t> chosen, std::span<double> out) const {
    const double scale = static_cast<double>(entries()) / static_cast<double>(chosen.size());
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = -rate(k);
    for (const std::uint32_t entry : chosen) {
      const std::size_t frame = entry / frequencies, frequency = entry % frequencies;
      const Terms terms = terms_of(theta, entry);
      const double v = terms.speech + terms.noise, slope = scale * (0.5 * power_[entry] / v - 1) / v;
      const double of_speech = slope * terms.speech * 2 / (speech_.alpha * terms.lambda_speech),
                   of_noise = slope * terms.noise * 2 / (noise_.alpha * terms.lambda_noise);
      const double *w = basis_.data() + frequency * speech_.rank,
                   *weights = theta.data() + frames_ * rank() + frequency * noise_.rank,
                   *h = theta.data() + frame * rank() + speech_.rank;
      double *out_h = out.data() + frame * rank(),
             *out_weights = out.data() + frames_ * rank() + frequency * noise_.rank;
      for (std::size_t k = 0; k < speech_.rank; ++k) out_h[k] += of_speech * w[k];
      for (std::size_t k = 0; k < noise_.rank; ++k) {
        out_h[speech_.rank + k] += of_noise * weights[k];
        out_weights[k] += of_noise * h[k];
      }
    }
  }

  /// Metropolis steps of Phi of these entries.
  void move_phi(std::span<const double> theta, std::span<const std::uint32_t> chosen, std::uint64_t iteration) {
    uniform_.resize(6 * chosen.size());
    fill_uniform({seed_, 0, iteration, Purpose::latent}, uniform_);
    const double* u = uniform_.data();
    for (const std::uint32_t entry : chosen) {
      Terms terms = terms_of(theta, entry);
      for (const bool of_noise : {false, true}) {
        double &phi = phi_[2 * entry + of_noise], &part = of_noise ? terms.noise : terms.speech;
        const double proposed = positive_stable((of_noise ? noise_ : speech_).alpha, u[0], u[1]);
        const double other = of_noise ? terms.speech : terms.noise, here = other + part,
                     there = other + part / phi * proposed;
        const double change = 0.5 * power_[entry] * (1 / here - 1 / there) - std::log(there / here);
        if (std::log(u[2]) < change) {
          part *= proposed / phi;
          phi = proposed;
        }
        u += 3;
      }
    }
  }

  /// Adds the share of speech in the variance of each entry.
  void add_mask(std::span<const double> theta, std::vector<double>& mask) const {
    for (std::size_t k = 0; k < power_.size(); ++k) {
      const Terms terms = terms_of(theta, static_cast<std::uint32_t>(k));
      mask[k] += terms.speech / (terms.speech + terms.noise);
    }
  }

 private:
  struct Terms {
    double lambda_speech, lambda_noise, speech, noise;
  };

  /// Of the exponential prior: 1 / level for activations, 1 for W'.
  double rate(std::size_t k) const {
    if (k >= frames_ * rank()) return 1;
    return 1 / (k % rank() < speech_.rank ? speech_level_ : noise_level_);
  }

  Terms terms_of(std::span<const double> theta, std::uint32_t entry) const {
    constexpr double least = 1e-12;
    const std::size_t frame = entry / frequencies, frequency = entry % frequencies;
    const double *h = theta.data() + frame * rank(), *w = basis_.data() + frequency * speech_.rank,
                 *weights = theta.data() + frames_ * rank() + frequency * noise_.rank;
    double sums[8] = {}, lambda_noise = least;
    std::size_t k = 0;
    for (; k + 8 <= speech_.rank; k += 8)
      for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += w[k + lane] * h[k + lane];
    for (; k < speech_.rank; ++k) sums[0] += w[k] * h[k];
    double lambda_speech = least;
    for (const double sum : sums) lambda_speech += sum;
    for (k = 0; k < noise_.rank; ++k) lambda_noise += weights[k] * h[speech_.rank + k];
    return {lambda_speech, lambda_noise, phi_[2 * entry] * std::pow(lambda_speech, 2 / speech_.alpha),
            phi_[2 * entry + 1] * std::pow(lambda_noise, 2 / noise_.alpha)};
  }

  /// S(alpha / 2, 1, 2 cos(pi alpha / 4)^(2 / alpha), 0), from two uniform numbers (Kanter 1975): if lambda = 1, a
  /// complex normal whose parts have this variance has the characteristic function exp(-|t|^alpha).
  static double positive_stable(double alpha, double first, double second) {
    const double a = 0.5 * alpha, u = std::numbers::pi * first, e = -std::log(second);
    return 2 * std::sin(a * u) / std::pow(std::sin(u), 1 / a) * std::pow(std::sin((1 - a) * u) / e, (1 - a) / a);
  }

  std::size_t frames_;
  std::vector<double> basis_;
  SourceShape speech_, noise_;
  std::uint64_t seed_;
  std::vector<double> power_;  // |x|^2, mean 1
  std::vector<double> phi_;    // of speech and of noise, entry by entry
  double speech_level_ = 1, noise_level_ = 1;
  std::vector<double> uniform_;
};

}  // namespace sgmcmc
