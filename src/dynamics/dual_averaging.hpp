// The step size of Hamiltonian samplers during warm-up: dual averaging (Hoffman & Gelman 2014, section 3.2.1).
//
// With acceptance a_m in iteration m = 1, 2, ... and target delta, in the symbols of the paper:
//   H_m         = (1 - 1/(m + t0)) H_(m-1) + (delta - a_m) / (m + t0)
//   log eps_m   = mu - sqrt(m) / gamma * H_m                                 the step tried next
//   log epsbar_m = m^(-kappa) log eps_m + (1 - m^(-kappa)) log epsbar_(m-1)  the step kept at the end
// mu = log(10 eps_1): the search is pulled towards larger, cheaper steps.
#pragma once

#include <sgmcmc/state.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sgmcmc {

class DualAveraging {
 public:
  static constexpr double gamma = 0.05, t0 = 10.0, kappa = 0.75;

  explicit DualAveraging(double target) : target_(target) {}

  void restart(double step_size) {
    first_ = step_size;
    centre_ = std::log(10.0 * step_size);
    count_ = 0;
    error_ = log_kept_ = 0.0;
  }

  /// Takes the acceptance statistic of an iteration, in [0, 1], and returns the step size to try next.
  double update(double acceptance) {
    ++count_;
    const auto m = static_cast<double>(count_);
    error_ += (target_ - std::min(acceptance, 1.0) - error_) / (m + t0);
    const double log_step = centre_ - std::sqrt(m) / gamma * error_;
    log_kept_ += std::pow(m, -kappa) * (log_step - log_kept_);
    return std::exp(log_step);
  }

  /// The step size for sampling: an average over those tried, weighted towards the last.
  double kept() const { return count_ > 0 ? std::exp(log_kept_) : first_; }

  void visit_state(StateVisitor& visitor) {
    visitor.visit("step_first", first_);
    visitor.visit("step_centre", centre_);
    visitor.visit("step_count", count_);
    visitor.visit("step_error", error_);
    visitor.visit("step_log_kept", log_kept_);
  }

 private:
  double target_;
  double first_ = 1.0, centre_ = 0.0, error_ = 0.0, log_kept_ = 0.0;
  std::uint64_t count_ = 0;
};

}  // namespace sgmcmc
