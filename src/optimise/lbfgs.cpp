// L-BFGS (Liu and Nocedal 1989) in rescaled parameters, with a line search that tolerates kinks and undefined regions.
//
// Minimises f = -log density in u = theta / scale. The inverse Hessian starts as s'y / y'y times the identity, so that
// the rescaling accounts for the scales of parameters, and the pairs (s, y) for the rest.
#include "optimise/line_search.hpp"
#include "optimise/probe_scale.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/optimize.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <deque>
#include <sstream>

namespace sgmcmc {
namespace {

using Eigen::VectorXd;

struct Pair {
  VectorXd step;
  VectorXd change;
  double inverse_product;  // 1 / s'y
};

/// The two-loop recursion: H * gradient.
VectorXd inverse_hessian_times(const std::deque<Pair>& pairs, const VectorXd& gradient) {
  VectorXd product = gradient;
  std::vector<double> weights(pairs.size());
  for (std::size_t k = pairs.size(); k-- > 0;) {
    weights[k] = pairs[k].inverse_product * pairs[k].step.dot(product);
    product -= weights[k] * pairs[k].change;
  }
  if (!pairs.empty()) product /= pairs.back().inverse_product * pairs.back().change.squaredNorm();
  for (std::size_t k = 0; k < pairs.size(); ++k)
    product += (weights[k] - pairs[k].inverse_product * pairs[k].change.dot(product)) * pairs[k].step;
  return product;
}

/// -log density as a function of the rescaled parameters.
class Objective {
 public:
  Objective(const LogDensityFunction& log_density, std::size_t dimension)
      : log_density_(log_density), theta_(dimension), scale_(VectorXd::Ones(static_cast<Eigen::Index>(dimension))) {}

  void set_scale(const VectorXd& scale) { scale_ = scale; }
  const VectorXd& scale() const { return scale_; }
  std::uint64_t evaluations() const { return evaluations_; }
  void count(std::uint64_t more) { evaluations_ += more; }

  double operator()(const VectorXd& u, VectorXd& gradient) {
    ++evaluations_;
    theta_ = u.cwiseProduct(scale_);
    const auto size = static_cast<std::size_t>(u.size());
    const double value = log_density_({theta_.data(), size}, {gradient.data(), size});
    gradient = -gradient.cwiseProduct(scale_);
    return -value;
  }

 private:
  const LogDensityFunction& log_density_;
  VectorXd theta_, scale_;
  std::uint64_t evaluations_ = 0;
};

// If rounding hides the gradient, stops once this many steps together gain less than the tolerance; at kinks, where
// gains may shrink indefinitely, at a multiple of the tolerance.
constexpr std::size_t flat_window = 10;
constexpr double kink_patience = 1000.0;

}  // namespace

void LbfgsOptions::validate(std::size_t dimension) const {
  if (history < 1) throw OptionError("history is 0; L-BFGS needs at least 1");
  if (!(gain_tolerance > 0.0))
    throw OptionError("gain_tolerance is " + std::to_string(gain_tolerance) + "; it must be positive");
  if (!scale.empty() && scale.size() != dimension)
    throw OptionError("scale has " + std::to_string(scale.size()) + " values but there are " +
                      std::to_string(dimension) + " parameters");
  for (const double s : scale)
    if (!(s > 0.0 && std::isfinite(s)))
      throw OptionError("scale holds " + std::to_string(s) + "; scales must be positive");
}

OptimizeReport maximise_lbfgs(const LogDensityFunction& log_density, std::span<double> theta,
                              const LbfgsOptions& options) {
  options.validate(theta.size());
  const auto dimension = static_cast<Eigen::Index>(theta.size());
  Eigen::Map<VectorXd> result(theta.data(), dimension);
  Objective objective(log_density, theta.size());
  OptimizeReport report;

  VectorXd u = result, gradient(dimension);
  double value = objective(u, gradient);
  const auto finish = [&](StopReason reason) {
    if (reason != StopReason::start_not_finite) result = u.cwiseProduct(objective.scale());
    report.reason = reason;
    report.value = -value;
    report.gradient_norm = gradient.cwiseQuotient(objective.scale()).norm();
    report.evaluations = objective.evaluations();
    return report;
  };
  if (!std::isfinite(value) || !gradient.allFinite()) return finish(StopReason::start_not_finite);

  VectorXd scale;
  if (options.scale.empty()) {
    ProbedScale probed = probe_scale(log_density, result, -gradient);
    objective.count(probed.evaluations);
    scale = std::move(probed.scale);
  } else {
    scale = Eigen::Map<const VectorXd>(options.scale.data(), dimension);
  }
  objective.set_scale(scale);
  u = result.cwiseQuotient(scale);
  gradient = gradient.cwiseProduct(scale);

  std::deque<Pair> pairs;
  VectorXd next_u(dimension), next_gradient(dimension);
  double largest_gradient = 0.0;
  // Pairs collected across a kink have huge curvatures, which make every predicted gain look small. In rescaled
  // parameters, half the squared gradient is another rough prediction: if it is not small, there is a kink.
  const auto at_kink = [&] {
    return 0.5 * gradient.squaredNorm() > std::max(1e4 * options.gain_tolerance, 1e-8 * largest_gradient);
  };
  std::deque<double> last_values;
  for (; report.iterations < options.max_iterations; ++report.iterations) {
    largest_gradient = std::max(largest_gradient, 0.5 * gradient.squaredNorm());
    VectorXd direction = -inverse_hessian_times(pairs, gradient);
    double slope = direction.dot(gradient);
    if (!(slope < 0.0) && !pairs.empty()) {  // rounding has corrupted the pairs
      pairs.clear();
      direction = -gradient;
      slope = -gradient.squaredNorm();
    }
    report.predicted_gain = -0.5 * slope;
    if (!(report.predicted_gain > options.gain_tolerance))
      return finish(at_kink() ? StopReason::kink : StopReason::gradient_small);

    const LineSearchResult found = search_line({0.0, value, slope}, 1.0, [&](double step) -> LinePoint {
      next_u = u + step * direction;
      const double next_value = objective(next_u, next_gradient);
      return {step, next_value, next_gradient.allFinite() ? next_gradient.dot(direction) : std::nan("")};
    });
    if (found.outcome != LineSearchOutcome::found) {
      if (!pairs.empty()) {  // retry with steepest descent
        pairs.clear();
        continue;
      }
      return finish(found.outcome == LineSearchOutcome::kink ? StopReason::kink : StopReason::line_search_failed);
    }

    Pair pair{next_u - u, next_gradient - gradient, 0.0};
    const double product = pair.step.dot(pair.change);
    if (product > 1e-14 * pair.step.norm() * pair.change.norm()) {
      pair.inverse_product = 1.0 / product;
      if (pairs.size() == options.history) pairs.pop_front();
      pairs.push_back(std::move(pair));
    }
    u.swap(next_u);
    gradient.swap(next_gradient);
    value = found.point.value;
    last_values.push_back(value);
    if (last_values.size() > flat_window) {
      const bool kinked = at_kink();
      if (last_values.front() - value < (kinked ? kink_patience : 1.0) * options.gain_tolerance) {
        ++report.iterations;
        return finish(kinked ? StopReason::kink : StopReason::value_flat);
      }
      last_values.pop_front();
    }
  }
  return finish(StopReason::iteration_limit);
}

std::string OptimizeReport::describe() const {
  std::ostringstream text;
  switch (reason) {
    case StopReason::gradient_small: text << "converged: the next step would gain about " << predicted_gain; break;
    case StopReason::value_flat: text << "converged: the last steps gained almost nothing"; break;
    case StopReason::kink:
      text << "stopped at a kink: steps gain almost nothing, although the gradient is not zero";
      break;
    case StopReason::iteration_limit: text << "reached the maximum number of iterations"; break;
    case StopReason::start_not_finite:
      text << "cannot start: the log density or its gradient is not finite at the starting point";
      break;
    case StopReason::gradient_not_finite:
      text << "stopped: a gradient estimate was not finite; try a smaller step size";
      break;
    case StopReason::line_search_failed:
      text << "stopped: no step gains although the gradient is large; value and gradient are inconsistent";
      break;
    case StopReason::degenerate: break;
  }
  if (reason == StopReason::degenerate)
    text << "there is no mode: the density is unbounded where " << collapsed
         << ". The parameters of a hierarchical model have no joint mode; sample it instead";
  text << " (" << iterations << " iterations, " << evaluations << " gradients, gradient norm " << gradient_norm << ")";
  return text.str();
}

}  // namespace sgmcmc
