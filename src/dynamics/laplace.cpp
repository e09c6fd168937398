// laplace: independent draws from the normal distribution given by a mode and the Hessian there.
//
//   theta <- mode + N(0, (-Hessian)^-1)
#include "base/decompositions.hpp"
#include "dynamics/dynamics.hpp"
#include "dynamics/kernel.hpp"
#include "dynamics/traits.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/laplace.hpp>

#include <cmath>
#include <numbers>
#include <string>

namespace sgmcmc {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// The coordinate with the largest share in the direction of least curvature, and that curvature on the coordinates'
/// scale.
[[noreturn]] void refuse(const Matrix& scaled, const std::vector<std::string>& names) {
  const SymmetricEigen found = symmetric_eigen(scaled);
  Eigen::Index worst = 0;
  found.vectors.col(0).cwiseAbs().maxCoeff(&worst);
  const bool saddle = found.values[0] < -1e-8;
  throw ModelError("there is no normal approximation at this point: the log posterior " +
                   std::string(saddle ? "curves upwards" : "is flat") + " in a direction that is mostly " +
                   names[static_cast<std::size_t>(worst)] +
                   (saddle ? ". The search did not find a mode: give initial values nearer to it, or use nuts"
                           : ". Give that parameter a proper prior, or use nuts"));
}

}  // namespace

struct LaplaceApproximation::Parts {
  std::vector<double> theta;
  Vector scale;     // 1 / sqrt of the diagonal of minus the Hessian: handles very different units
  Cholesky factor;  // of minus the Hessian in those units
  double log_density = 0;
};

LaplaceApproximation::LaplaceApproximation(std::vector<double> theta, std::span<const double> negative_hessian,
                                           double log_density, const std::vector<std::string>& names)
    : parts_(std::make_unique<Parts>()) {
  const auto size = static_cast<Eigen::Index>(theta.size());
  const Matrix precision = Eigen::Map<const Matrix>(negative_hessian.data(), size, size);
  for (Eigen::Index j = 0; j < size; ++j)
    if (!precision.row(j).allFinite())
      throw ModelError("there is no normal approximation at this point: the second derivatives for " +
                       names[static_cast<std::size_t>(j)] + " are not finite");
  const Vector size_of_diagonal = precision.diagonal().cwiseAbs().cwiseSqrt();
  parts_->scale = (size_of_diagonal.array() > 0).select(size_of_diagonal.cwiseInverse(), 1.0);
  const Matrix scaled = parts_->scale.asDiagonal() * precision * parts_->scale.asDiagonal();
  parts_->factor.compute(scaled);
  // In these units a well-posed problem has pivots near 1; pivots at rounding level are unidentified directions.
  if (!parts_->factor.succeeded() || (size > 0 && parts_->factor.numbers().diagonal().minCoeff() < 1e-7))
    refuse(scaled, names);
  parts_->theta = std::move(theta);
  parts_->log_density = log_density;
}

LaplaceApproximation::~LaplaceApproximation() = default;
LaplaceApproximation::LaplaceApproximation(LaplaceApproximation&&) noexcept = default;
LaplaceApproximation& LaplaceApproximation::operator=(LaplaceApproximation&&) noexcept = default;

std::span<const double> LaplaceApproximation::mode() const { return parts_->theta; }

std::vector<double> LaplaceApproximation::covariance() const {
  const Matrix whole = parts_->scale.asDiagonal() * parts_->factor.inverse() * parts_->scale.asDiagonal();
  return {whole.data(), whole.data() + whole.size()};
}

std::vector<double> LaplaceApproximation::standard_deviations() const {
  const auto whole = covariance();
  const std::size_t size = parts_->theta.size();
  std::vector<double> deviations(size);
  for (std::size_t j = 0; j < size; ++j) deviations[j] = std::sqrt(whole[j * size + j]);
  return deviations;
}

double LaplaceApproximation::log_evidence() const {
  const double half_log_determinant = parts_->factor.sum_of_logs() - parts_->scale.array().log().sum();
  return parts_->log_density + 0.5 * static_cast<double>(parts_->theta.size()) * std::log(2 * std::numbers::pi) -
         half_log_determinant;
}

void LaplaceApproximation::draw(const StreamKey& key, std::span<double> theta) const {
  fill_normal(key, theta);
  Eigen::Map<Vector> moved(theta.data(), static_cast<Eigen::Index>(theta.size()));
  parts_->factor.solve_upper_in_place(moved);  // covariance of U^-1 z: inverse of U'U
  moved.array() *= parts_->scale.array();
  for (std::size_t j = 0; j < theta.size(); ++j) theta[j] += parts_->theta[j];
}

namespace {

class Laplace final : public Dynamics {
 public:
  Laplace(std::shared_ptr<const LaplaceApproximation> approximation, std::size_t dimension)
      : Dynamics(dimension), approximation_(std::move(approximation)) {}

  std::uint64_t evaluations_per_iteration() const override { return 0; }
  double last_step_size() const override { return 1.0; }

  StepStatus step(GradientEstimator&, std::uint64_t iteration) override {
    if (!approximation_) throw OptionError("laplace needs a normal approximation to draw from");
    approximation_->draw(stream(iteration, Purpose::noise), proposal_);
    return first_non_finite(proposal_) < dimension() ? diagnose(proposal_) : accept_proposal();
  }

 private:
  std::shared_ptr<const LaplaceApproximation> approximation_;
};

}  // namespace

SamplerTraits LaplaceOptions::traits() const {
  return {.exact = false,
          .rows = RowUse::every,
          .marginal = false,
          .independent_draws = true,
          .learns_from_rows = false,
          .in_cycles = false,
          .statistics = no_statistics,
          .draw_gradient = DrawGradient::never("takes no gradients; use zero_variance none"),
          .whitening = WhiteningLimits{.refused = "has scales of its own", .diagonal = ""},
          .whitened_by_default = false,
          .step_biases = false,
          .langevin_law = false,
          .noise_gain = 0.0,
          .trajectory_length = 0,
          .friction = 0.0,
          .tuning = untuned(),
          .words = usual_words()};
}

std::unique_ptr<Dynamics> LaplaceOptions::make(std::size_t dimension) const {
  return std::make_unique<Laplace>(approximation, dimension);
}

}  // namespace sgmcmc
