// Distributions of ratings that are not normal, given their parameter x.
//
//   poisson    count with mean x
//   bernoulli  1 with probability Phi(x), else 0
//   stable     modulus of a complex number with an isotropic alpha-stable law of scale s = x^(1/alpha): normal with
//              variance s^2 F of each part, F positive stable with E exp(-z F) = exp(-(2 z)^(alpha/2)). With t =
//              (r/s)^2 the density is r / s^2 g(t) and the tail probability h(t), g(t) = E exp(-t / (2 F)) / F and
//              h(t) = E exp(-t / (2 F)), from a table. At alpha = 1, g(t) = (1 + t)^(-3/2).
#pragma once

#include <sgmcmc/factorize.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// log g and log h at log t, by cubic interpolation; power laws beyond the table.
class StableTable {
 public:
  explicit StableTable(double alpha);  ///< above 0 and below 2

  struct Value {
    double log = 0, slope = 0;  ///< the slope is the derivative with respect to log t
  };
  Value density(double log_t) const { return value(density_, log_t); }
  Value tail(double log_t) const { return value(tail_, log_t); }

 private:
  Value value(const std::vector<Value>& table, double log_t) const;

  std::vector<Value> density_, tail_;
};

/// Copies share the table.
class ObservationLaw {
 public:
  ObservationLaw(Observations kind, double alpha);

  Observations kind() const { return kind_; }
  double mean(double x) const;
  double log_density(double rating, double x) const;  ///< or log probability
  double below(double rating, double x) const;        ///< probability of this rating and smaller ones

  /// stable: the log density without terms that do not depend on x, of a rating with this log; -infinity where x <= 0.
  double log_likelihood(double log_rating, double x) const;
  /// The derivative of the log density with respect to x > 0, where x is not negative.
  double slope(double rating, double x) const;
  /// About the mean square of the slope: the curvature of the log density.
  double information(double x) const;

  /// x with a mean and a variance: the law is mixed over it, under the closest law with a closed form.
  struct Uncertain {
    double mean = 0, variance = 0;
  };
  double mean(const Uncertain& x) const;
  double variance(const Uncertain& x) const;  ///< of a rating; infinite for stable
  double below(double rating, const Uncertain& x) const;
  /// Of an equal mixture over these.
  double quantile(std::span<const Uncertain> parts, double probability) const;

 private:
  Observations kind_;
  double alpha_;
  double unit_mean_ = 0;                      // stable: mean of a modulus of scale 1
  std::shared_ptr<const StableTable> table_;  // stable
};

inline bool is_non_negative(Observations kind) { return kind == Observations::poisson || kind == Observations::stable; }

/// What is wrong with a rating under these observations; empty: nothing.
std::string rating_complaint(Observations kind, float rating);

}  // namespace sgmcmc
