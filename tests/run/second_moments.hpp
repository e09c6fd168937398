// Exact second moments of a chain on a Gaussian target, step by step: position, velocity and the memory of the gradient
// estimator, for each form of its noise.
#pragma once

#include <Eigen/Dense>

#include <cmath>
#include <cstdint>

namespace sgmcmc::testing {

/// The sources of noise in the gradient estimate. theta and the memory are measured from the posterior mean.
struct EstimatorNoise {
  double at_mean = 0.0;             // variance at theta = 0
  double per_square = 0.0;          // added per theta^2, or per (theta - snapshot)^2 for svrg
  std::uint64_t refresh_every = 0;  // svrg: evaluations between snapshots
  // saga on rows of equal curvature: the gradient noise is curvature * (mean of d_j over all rows - over the batch),
  // with d_j = theta - alpha_j, where alpha_j is the position at which row j was last visited.
  double share = 0.0;           // n / N; 0: not saga
  double curvature = 0.0;       // of the sum over all rows
  double batch_variance = 0.0;  // variance of a batch mean, relative to the variance over the rows
};

class SecondMoments {
 public:
  SecondMoments(double precision, const EstimatorNoise& noise) : precision_(precision), noise_(noise) {}

  /// Variance of the gradient estimate for the next kick.
  double next_gradient_noise() const {
    if (noise_.share > 0.0)
      return noise_.curvature * noise_.curvature * noise_.batch_variance * (mean_square_ - m_(2, 2));
    const bool moves = noise_.refresh_every > 0 && evaluation_ % noise_.refresh_every == 0;
    const double distance = moves ? 0.0 : noise_.refresh_every > 0 ? m_(0, 0) + m_(2, 2) - 2.0 * m_(0, 2) : m_(0, 0);
    return noise_.at_mean + noise_.per_square * distance;
  }

  /// velocity <- decay * velocity + gain * gradient estimate + N(0, injected)
  void kick(double decay, double gain, double injected) {
    const double variance = next_gradient_noise();
    if (noise_.refresh_every > 0 && evaluation_ % noise_.refresh_every == 0) {
      m_.row(2) = m_.row(0);
      m_.col(2) = m_.col(0);
      m_(2, 2) = m_(0, 0);
    }
    ++evaluation_;
    Eigen::Matrix3d A = Eigen::Matrix3d::Identity();
    Eigen::Vector3d form(0.0, gain, 0.0);  // coefficients of the gradient noise
    A.row(1) << -gain * precision_, decay, 0.0;
    if (noise_.share > 0.0) {
      A.row(2) << noise_.share, 0.0, 1.0 - noise_.share;
      form[2] = -noise_.share / noise_.curvature;
      mean_square_ = (1.0 - noise_.share) * mean_square_ + noise_.share * m_(0, 0);
    }
    m_ = (A * m_ * A.transpose() + variance * form * form.transpose()).eval();
    m_(1, 1) += injected;
  }

  /// velocity <- decay * velocity + N(0, injected)
  void friction(double decay, double injected) {
    m_.row(1) *= decay;
    m_.col(1) *= decay;
    m_(1, 1) += injected;
  }

  /// theta <- theta + root * velocity
  void drift(double root) {
    Eigen::Matrix3d A = Eigen::Matrix3d::Identity();
    A(0, 1) = root;
    m_ = (A * m_ * A.transpose()).eval();
  }

  double position_variance() const { return m_(0, 0); }
  double velocity_variance() const { return m_(1, 1); }

 private:
  double precision_;
  EstimatorNoise noise_;
  // Order: theta, velocity, memory. The memory is the snapshot of svrg, or the mean of the alpha_j of saga.
  Eigen::Matrix3d m_ = Eigen::Matrix3d::Zero();
  double mean_square_ = 0.0;  // expected mean over rows of alpha_j^2
  std::uint64_t evaluation_ = 0;
};

struct StationaryMoments {
  double position = 0.0, velocity = 0.0;
};

/// Runs iterate(moments) until stationary, and returns the moments averaged over further iterations.
template <class Iterate>
StationaryMoments stationary(double precision, const EstimatorNoise& noise, Iterate&& iterate) {
  SecondMoments moments(precision, noise);
  for (int t = 0; t < 2000; ++t) iterate(moments);
  StationaryMoments sum;
  constexpr int averaged = 240;  // a multiple of the period of svrg
  for (int t = 0; t < averaged; ++t) {
    iterate(moments);
    sum.position += moments.position_variance() / averaged;
    sum.velocity += moments.velocity_variance() / averaged;
  }
  return sum;
}

inline double sgld_variance(double step, double precision, const EstimatorNoise& noise) {
  const double root = std::sqrt(step);
  return stationary(precision, noise,
                    [&](SecondMoments& m) {
                      m.kick(0.0, 0.5 * root, 1.0);
                      m.drift(root);
                    })
      .position;
}

/// The splitting form, with refreshed momentum.
inline double sghmc_variance(double step, double friction, int length, double precision, const EstimatorNoise& noise) {
  const double root = std::sqrt(step), c = std::exp(-friction);
  return stationary(precision, noise,
                    [&](SecondMoments& m) {
                      for (int k = 0; k < length; ++k) {
                        if (k == 0)
                          m.kick(0.0, 0.5 * root, 1.0);
                        else
                          m.kick(c, 0.5 * (1.0 + c) * root, 1.0 - c * c);
                        m.drift(root);
                      }
                    })
      .position;
}

inline double baoab_variance(double step, double friction, double precision, const EstimatorNoise& noise) {
  const double root = std::sqrt(step), c = std::exp(-friction);
  return stationary(precision, noise,
                    [&](SecondMoments& m) {
                      m.kick(1.0, root, 0.0);  // both half kicks at one position, from one estimate
                      m.drift(0.5 * root);
                      m.friction(c, 1.0 - c * c);
                      m.drift(0.5 * root);
                    })
      .position;
}

/// Uses the friction at which the thermostat settles if there are many coordinates: velocities have variance 1.
inline double sgnht_variance(double step, double diffusion, double precision, const EstimatorNoise& noise) {
  const double root = std::sqrt(step);
  const auto at = [&](double friction) {
    return stationary(precision, noise, [&](SecondMoments& m) {
      m.drift(root);
      m.kick(1.0 - friction, root, 2.0 * diffusion);
    });
  };
  double low = 0.02, high = 0.9;
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (at(middle).velocity > 1.0 ? low : high) = middle;
  }
  return at(0.5 * (low + high)).position;
}

}  // namespace sgmcmc::testing
