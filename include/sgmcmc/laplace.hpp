// The normal approximation of a posterior at its mode: independent draws for the cost of a mode and one Hessian.
#pragma once

#include <sgmcmc/random.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// N(mode, inverse of minus the Hessian of the log posterior there), on the unconstrained scale, Jacobians included.
class LaplaceApproximation {
 public:
  /// negative_hessian: D x D, symmetric. Throws ModelError, naming a coordinate from `names`, if it is not positive
  /// definite: then theta is not a mode, or the posterior is flat in some direction.
  LaplaceApproximation(std::vector<double> theta, std::span<const double> negative_hessian, double log_density,
                       const std::vector<std::string>& names);
  ~LaplaceApproximation();
  LaplaceApproximation(LaplaceApproximation&&) noexcept;
  LaplaceApproximation& operator=(LaplaceApproximation&&) noexcept;

  std::span<const double> mode() const;
  std::vector<double> standard_deviations() const;
  std::vector<double> covariance() const;  ///< D x D
  /// Approximate log integral of the model density, which may lack constants.
  double log_evidence() const;
  /// One draw, determined by the stream key.
  void draw(const StreamKey& key, std::span<double> theta) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sgmcmc
