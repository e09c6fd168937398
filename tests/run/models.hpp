// Models with known posteriors, for testing whole runs.
#pragma once

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace sgmcmc::testing {

using Vector = std::vector<double>;

inline Vector normals(std::size_t count, std::uint64_t which) {
  Vector values(count);
  fill_normal({21, 0, which, Purpose::data}, values);
  return values;
}

/// y_ij ~ N(x_ij theta_j, sd) for j = 1..D, theta_j ~ N(t_j, prior_sd). The columns are one column in D random orders,
/// so that all coordinates have the same posterior apart from its mean t_j, but different minibatch noise.
class ManyRegressions {
 public:
  static constexpr std::size_t rows = 20;
  static constexpr double prior_sd = 2.0;
  static constexpr double sd = 4.0;

  /// slopes: x varies by row; otherwise x = 1, and theta_j is a mean.
  ManyRegressions(std::size_t dimension, bool slopes) : x_(rows, 1.0), residual_(normals(rows, 1)) {
    if (slopes)
      for (std::size_t i = 0; i < rows; ++i) x_[i] = i % 4 == 0 ? 1.5 : 0.5;
    // Residuals are orthogonal to x, so that the posterior mean is exactly t_j.
    const double along = inner(residual_, x_) / inner(x_, x_);
    for (std::size_t i = 0; i < rows; ++i) residual_[i] = 1.5 * (residual_[i] - along * x_[i]);

    const auto d = static_cast<std::int64_t>(dimension);
    Vector x(rows * dimension), y(rows * dimension);
    for (std::size_t j = 0; j < dimension; ++j) {
      mean_.push_back(0.5 * static_cast<double>(j % 7) - 1.0);
      const Vector keys = normals(rows, 100 + j);
      std::vector<std::size_t> order(rows);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
      for (std::size_t i = 0; i < rows; ++i) {
        x[i * dimension + j] = x_[order[i]];
        y[i * dimension + j] = x_[order[i]] * mean_[j] + residual_[order[i]];
      }
    }
    auto data = Dataset::Builder();
    data.real("y", y, {d});
    if (slopes) data.real("x", x, {d});
    model_ = Model(data.build());
    const auto theta = model_.parameter("theta", {d});
    model_.prior(normal_lpdf(theta, constant(mean_), prior_sd));
    model_.likelihood(normal_lpdf(model_.row("y"), slopes ? model_.row("x") * theta : theta, sd));
  }

  const Model& model() const { return model_; }
  const Vector& mean() const { return mean_; }
  double precision() const { return inner(x_, x_) / (sd * sd) + 1.0 / (prior_sd * prior_sd); }

  /// The variance of the minibatch estimate, over batches of n rows drawn without replacement, is
  /// noise_at_mean(n) + noise_per_square(n) * (theta - mean)^2.
  double noise_at_mean(double n) const { return scale(n) * variance(product(x_, residual_)); }
  double noise_per_square(double n) const { return scale(n) * variance(product(x_, x_)); }

 private:
  static double inner(const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }
  static Vector product(const Vector& a, const Vector& b) {
    Vector result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] * b[i];
    return result;
  }
  static double variance(const Vector& a) {
    const double mean = std::accumulate(a.begin(), a.end(), 0.0) / static_cast<double>(a.size());
    double sum = 0.0;
    for (const double v : a) sum += (v - mean) * (v - mean);
    return sum / static_cast<double>(a.size() - 1);
  }
  static double scale(double n) {
    constexpr double N = rows;
    return N * N / n * (1.0 - n / N) / (sd * sd * sd * sd);
  }

  Vector x_, residual_, mean_;
  Model model_;
};

struct LogisticData {
  std::size_t rows, columns;
  Vector x;
  std::vector<std::int32_t> y;

  LogisticData(std::size_t n, std::size_t d) : rows(n), columns(d), x(normals(n * d, 2)), y(n) {
    Vector uniform(n);
    fill_uniform({21, 0, 3, Purpose::data}, uniform);
    for (std::size_t i = 0; i < n; ++i) {
      double eta = 0.0;
      for (std::size_t j = 0; j < d; ++j) eta += (j % 2 == 0 ? 1.0 : -0.5) * x[i * d + j];
      y[i] = uniform[i] < 1.0 / (1.0 + std::exp(-eta)) ? 1 : 0;
    }
  }
  Dataset dataset() const {
    return Dataset::Builder().real("x", x, {static_cast<std::int64_t>(columns)}).integer("y", y).build();
  }
};

inline Model logistic_regression(const LogisticData& data, double prior_sd = 1.0) {
  Model model(data.dataset());
  const auto beta = model.parameter("beta", {static_cast<std::int64_t>(data.columns)});
  model.prior(normal_lpdf(beta, 0, prior_sd));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  return model;
}

/// N(0, 1) in `dimension` coordinates, without data.
inline Model standard_normal(std::int64_t dimension = 2) {
  Model model;
  model.prior(std_normal_lpdf(model.parameter("x", {dimension})));
  return model;
}

}  // namespace sgmcmc::testing
