// sgfs-full and sgfs-diagonal: stochastic gradient Fisher scoring (Ahn, Korattikara and Welling 2012, algorithm 1).
//
//   C     <- (1 - kappa) C + kappa (N V + noise),   kappa = 1 / t,
//            V the sample covariance of the gradients of the batch's rows, noise that of the gradient estimate
//   theta <- theta + 2 (C + 4 B / epsilon)^-1 { gradient + N(0, 4 B / epsilon) },   B = C, 4 / epsilon = alpha^2
//         =  theta + 2 / (1 + alpha^2) { C^-1 gradient + alpha N(0, C^-1) }
//
// For minibatches drawn with replacement N V + noise is the paper's gamma N V, gamma = (n + N) / n. For others the
// noise is what it is: less without replacement, and that of the differences with control variates, where the paper's
// formula would let the variance collapse. On a Gaussian posterior whose precision is N V the variance is right for
// every alpha.
//
// Deviation: the average starts from the diagonal of the first batch, with the weight of one batch, so that C can be
// inverted before D rows have been seen.
#include "dynamics/dynamics.hpp"
#include "dynamics/kernel.hpp"

#include <sgmcmc/error.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <string>

namespace sgmcmc {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

void validate_alpha(double alpha) {
  if (!(alpha >= 0.0 && std::isfinite(alpha)))
    throw OptionError("alpha is " + std::to_string(alpha) +
                      "; it must be finite and not negative (0: largest steps, 5: small ones)");
}

/// What both forms share: the average of what the estimator says of its batches.
class FisherScoring : public Dynamics {
 public:
  FisherScoring(double alpha, std::size_t dimension, std::size_t size)
      : Dynamics(dimension), alpha_(alpha), batch_(size), average_(size) {}

  std::uint64_t evaluations_per_iteration() const override { return 1; }
  /// 4 / alpha^2 of the paper, so that 1 / (1 + alpha^2) of the way is gone; there is no schedule, so weights are
  /// equal.
  double last_step_size() const override { return 1.0 / (1.0 + alpha_ * alpha_); }

  void initialise(std::span<const double> theta, const ChainKey& key) override {
    Dynamics::initialise(theta, key);
    batches_ = 0;
    std::fill(average_.begin(), average_.end(), 0.0);
  }

  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    estimator.estimate_with_information(position_, iteration, gradient_, batch_);
    if (first_non_finite(gradient_) < dimension() || first_non_finite(batch_) < batch_.size())
      return diagnose(gradient_);
    if (batches_ == 0) {
      start_average();
      batches_ = 1;
    }
    ++batches_;
    const double share = 1.0 / static_cast<double>(batches_);
    for (std::size_t i = 0; i < average_.size(); ++i) average_[i] += share * (batch_[i] - average_[i]);
    fill_normal(stream(iteration, Purpose::noise), proposal_);
    const double gain = 2.0 / (1.0 + alpha_ * alpha_);
    scale_step(gain, gain * alpha_);
    std::uint64_t bad = 0;
    for (std::size_t j = 0; j < dimension(); ++j) {
      proposal_[j] += position_[j];
      bad |= non_finite_bit(proposal_[j]);
    }
    return bad ? diagnose(proposal_) : accept_proposal();
  }

  void visit_state(StateVisitor& visitor) override {
    Dynamics::visit_state(visitor);
    visitor.visit("information", average_);
    visitor.visit("batches", batches_);
  }

 protected:
  virtual void start_average() = 0;
  /// proposal <- gain C^-1 gradient + noise C^-1/2 proposal
  virtual void scale_step(double gain, double noise) = 0;

  /// A coordinate no row of the first batch knows anything of is as stiff as the others are on the whole.
  double usual_size(std::size_t stride) const {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < batch_.size(); i += stride)
      if (batch_[i] > 0.0) sum += batch_[i], ++count;
    return count > 0 ? sum / static_cast<double>(count) : 1.0;
  }

  double alpha_;
  std::vector<double> batch_, average_;

 private:
  std::uint64_t batches_ = 0;
};

class FullFisherScoring final : public FisherScoring {
 public:
  FullFisherScoring(double alpha, std::size_t dimension)
      : FisherScoring(alpha, dimension, dimension * dimension), factor_(static_cast<Eigen::Index>(dimension)) {}

 private:
  void start_average() override {
    const double usual = usual_size(dimension() + 1);
    for (std::size_t d = 0; d < dimension(); ++d) {
      const std::size_t at = d * (dimension() + 1);
      average_[at] = batch_[at] > 0.0 ? batch_[at] : usual;
    }
  }
  void scale_step(double gain, double noise) override {
    const auto size = static_cast<Eigen::Index>(dimension());
    const Eigen::Map<const Matrix> average(average_.data(), size, size);
    factor_.compute(average);  // reads the lower triangle
    Eigen::Map<Vector> moved(proposal_.data(), size);
    Eigen::Map<Vector> gradient(gradient_.data(), size);
    // C^-1 g + a N(0, C^-1) = L'^-1 (L^-1 g + a z).
    factor_.matrixL().solveInPlace(gradient);
    moved = gain * gradient + noise * moved;
    factor_.matrixU().solveInPlace(moved);
  }

  Eigen::LLT<Matrix> factor_;
};

class DiagonalFisherScoring final : public FisherScoring {
 public:
  DiagonalFisherScoring(double alpha, std::size_t dimension) : FisherScoring(alpha, dimension, dimension) {}

 private:
  void start_average() override {
    const double usual = usual_size(1);
    for (std::size_t d = 0; d < dimension(); ++d) average_[d] = batch_[d] > 0.0 ? batch_[d] : usual;
  }
  void scale_step(double gain, double noise) override {
    for (std::size_t d = 0; d < dimension(); ++d)
      proposal_[d] = gain * gradient_[d] / average_[d] + noise * proposal_[d] / std::sqrt(average_[d]);
  }
};

}  // namespace

void SgfsFullOptions::validate(std::size_t dimension) const {
  validate_alpha(alpha);
  constexpr std::size_t most = 10'000;
  if (dimension > most)
    throw OptionError("sgfs-full keeps a matrix of all pairs of its " + std::to_string(dimension) +
                      " coordinates; it takes " + std::to_string(most) + " at most. Try sgfs-diagonal");
}
void SgfsDiagonalOptions::validate(std::size_t) const { validate_alpha(alpha); }

std::unique_ptr<Dynamics> make_dynamics(const SgfsFullOptions& options, std::size_t dimension) {
  options.validate(dimension);
  return std::make_unique<FullFisherScoring>(options.alpha, dimension);
}

std::unique_ptr<Dynamics> make_dynamics(const SgfsDiagonalOptions& options, std::size_t dimension) {
  options.validate(dimension);
  return std::make_unique<DiagonalFisherScoring>(options.alpha, dimension);
}

}  // namespace sgmcmc
