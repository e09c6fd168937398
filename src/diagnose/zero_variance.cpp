// Batches of regressors and test functions along a chain, and the regression at its end.
//
// Deviations from the thesis, algorithm 2. (1) Coefficients come from batch means, so that draws need not be stored and
// gradient noise does not attenuate them; with no more draws than batches they equal those of the thesis. (2) Its
// equation 3.4.1 combines the full Laplacian of Q with half the gradient, which has mean 0 for linear Q only; here both
// are unscaled.
#include "base/decompositions.hpp"
#include "diagnose/effective_size.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/state.hpp>
#include <sgmcmc/zero_variance.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <string>

namespace sgmcmc {
namespace {

constexpr std::size_t most_regressors = 1000;  // limits the regression to seconds
constexpr double most_numbers = 1.3e8;         // a gigabyte

std::size_t regressors_of(ZeroVarianceForm form, std::size_t dimension) {
  if (form == ZeroVarianceForm::linear) return dimension;
  return form == ZeroVarianceForm::quadratic ? dimension * (dimension + 3) / 2 : 0;
}

/// Maximum number of batches per chain; the final number is at least half of it, and at least six per coefficient.
std::size_t most_batches_of(std::size_t regressors, std::size_t chains) {
  const std::size_t wanted = std::max<std::size_t>(512, 12 * (regressors + 1));
  const std::size_t parts = std::max<std::size_t>(1, chains);
  const std::size_t share = std::max<std::size_t>(64, (wanted + parts - 1) / parts);
  return share + share % 2;
}

/// Monte Carlo standard error of the mean of series of batch means, one per chain. Ignores chains that were cut short,
/// to which all would be cut.
double error_of_mean(const Eigen::VectorXd& batches, const std::vector<double>& weights,
                     const std::vector<double>& lengths) {
  QuantityDraws series;
  const bool weighted = std::any_of(weights.begin(), weights.end(), [&](double w) { return w != weights.front(); });
  const double longest = *std::max_element(lengths.begin(), lengths.end());
  std::size_t begin = 0;
  for (const double length : lengths) {
    const std::size_t end = begin + static_cast<std::size_t>(length);
    if (2.0 * length < longest) {
      begin = end;
      continue;
    }
    auto& chain = series.chains.emplace_back();
    chain.reserve(end - begin);
    for (std::size_t b = begin; b < end; ++b) chain.push_back(batches[static_cast<Eigen::Index>(b)]);
    if (weighted)
      series.weights.emplace_back(weights.begin() + static_cast<std::ptrdiff_t>(begin),
                                  weights.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  const double error = mcse_mean(series);
  if (!std::isnan(error)) return error;
  // Nothing varies beyond rounding: report the rounding error.
  double total = 0, squares = 0;
  for (std::size_t b = 0; b < weights.size(); ++b) {
    total += weights[b];
    squares += std::pow(weights[b] * batches[static_cast<Eigen::Index>(b)], 2);
  }
  return std::sqrt(squares) / total;
}

}  // namespace

std::string_view zero_variance_name(ZeroVarianceForm form) {
  switch (form) {
    case ZeroVarianceForm::automatic: return "auto";
    case ZeroVarianceForm::none: return "none";
    case ZeroVarianceForm::linear: return "linear";
    case ZeroVarianceForm::quadratic: return "quadratic";
  }
  return "";
}

double ZeroVariance::numbers(ZeroVarianceForm form, std::size_t dimension, std::size_t functions, std::size_t chains) {
  const std::size_t regressors = regressors_of(form, dimension);
  return static_cast<double>(chains) * static_cast<double>(most_batches_of(regressors, chains)) *
         static_cast<double>(regressors + functions);
}

ZeroVariance::ZeroVariance(ZeroVarianceForm form, std::size_t dimension, std::size_t functions, std::size_t chains)
    : form_(form), dimension_(dimension) {
  if (form == ZeroVarianceForm::none) return;
  if (form == ZeroVarianceForm::automatic)
    throw OptionError("zero-variance control variates must be linear or quadratic; only runs take automatic");
  regressors_ = regressors_of(form, dimension);
  functions_ = functions;
  const std::string name(zero_variance_name(form));
  if (regressors_ > most_regressors)
    throw OptionError("zero_variance is " + name + ": with " + std::to_string(dimension) +
                      " unconstrained parameters the regression has " + std::to_string(regressors_) +
                      " coefficients; the maximum is " + std::to_string(most_regressors) + "; " +
                      (form == ZeroVarianceForm::quadratic && dimension <= most_regressors
                           ? "linear has " + std::to_string(dimension)
                           : std::string("use none")));
  if (numbers(form, dimension, functions, chains) > most_numbers)
    throw OptionError("zero_variance is " + name + ": with " + std::to_string(functions) + " test functions and " +
                      std::to_string(chains) + " chains it would need more than a gigabyte; use none");
  most_batches_ = most_batches_of(regressors_, std::max<std::size_t>(1, chains));
  scratch_.resize(regressors_);
}

void ZeroVariance::add(std::span<const double> position, std::span<const double> gradient,
                       std::span<const double> values, double weight) {
  if (form_ == ZeroVarianceForm::none) return;
  if (position.size() != dimension_ || gradient.size() != dimension_ || values.size() != functions_)
    throw OptionError("zero variance control variates of " + std::to_string(dimension_) + " parameters and " +
                      std::to_string(functions_) + " test functions were given " + std::to_string(position.size()) +
                      ", a gradient of " + std::to_string(gradient.size()) + ", and " + std::to_string(values.size()));
  if (!lengths_.empty()) throw OptionError("draws cannot be added to chains that were merged");
  if (!(weight >= 0.0))
    throw OptionError("the weight of a draw is " + std::to_string(weight) + "; weights must not be negative");
  if (weight == 0.0) return;
  if (centre_.empty()) {
    centre_.assign(position.begin(), position.end());
    means_.reserve(most_batches_ * width());
    weights_.reserve(most_batches_);
  }

  const double* z = gradient.data();
  if (form_ == ZeroVarianceForm::quadratic) {
    double* next = std::copy(gradient.begin(), gradient.end(), scratch_.data());
    for (std::size_t i = 0; i < dimension_; ++i) {
      const double away = position[i] - centre_[i];
      *next++ = 1.0 + away * gradient[i];  // Q = away_i^2 / 2
      for (std::size_t j = i + 1; j < dimension_; ++j)
        *next++ = away * gradient[j] + (position[j] - centre_[j]) * gradient[i];  // Q = away_i away_j
    }
    z = scratch_.data();
  }

  if (last_length_ == batch_length_ || weights_.empty()) {
    if (weights_.size() == most_batches_) halve();
    weights_.push_back(0.0);
    means_.resize(means_.size() + width());
    last_length_ = 0;
  }
  double& total = weights_.back();
  total += weight;
  const double share = weight / total;
  double* mean = means_.data() + (weights_.size() - 1) * width();
  for (std::size_t k = 0; k < regressors_; ++k) mean[k] += share * (z[k] - mean[k]);
  mean += regressors_;
  for (std::size_t k = 0; k < functions_; ++k) mean[k] += share * (values[k] - mean[k]);
  ++last_length_;
  ++draws_;
}

/// Merges pairs of neighbouring batches.
void ZeroVariance::halve() {
  const std::size_t pairs = weights_.size() / 2;
  for (std::size_t p = 0; p < pairs; ++p) {
    const double total = weights_[2 * p] + weights_[2 * p + 1];
    const double share = weights_[2 * p + 1] / total;
    const double *first = means_.data() + 2 * p * width(), *second = first + width();
    double* both = means_.data() + p * width();
    for (std::size_t k = 0; k < width(); ++k) both[k] = first[k] + share * (second[k] - first[k]);
    weights_[p] = total;
  }
  weights_.resize(pairs);
  means_.resize(pairs * width());
  batch_length_ *= 2;
}

void ZeroVariance::merge(const ZeroVariance& other) {
  if (other.form_ != form_ || other.dimension_ != dimension_ || other.functions_ != functions_)
    throw OptionError("zero variance control variates of different forms or sizes cannot be merged");
  if (form_ == ZeroVarianceForm::none || other.draws_ == 0) return;
  if (draws_ == 0) {
    *this = other;
    return;
  }
  if (lengths_.empty()) lengths_.push_back(static_cast<double>(weights_.size()));
  if (other.lengths_.empty())
    lengths_.push_back(static_cast<double>(other.weights_.size()));
  else
    lengths_.insert(lengths_.end(), other.lengths_.begin(), other.lengths_.end());
  const std::size_t first = weights_.size();
  weights_.insert(weights_.end(), other.weights_.begin(), other.weights_.end());
  means_.insert(means_.end(), other.means_.begin(), other.means_.end());
  draws_ += other.draws_;
  if (form_ != ZeroVarianceForm::quadratic) return;
  // Shifts the other's polynomials to this centre: they differ by linear terms.
  for (std::size_t b = first; b < weights_.size(); ++b) {
    double* gradient = means_.data() + b * width();
    double* next = gradient + dimension_;
    for (std::size_t i = 0; i < dimension_; ++i) {
      const double shift = other.centre_[i] - centre_[i];
      *next++ += shift * gradient[i];
      for (std::size_t j = i + 1; j < dimension_; ++j)
        *next++ += shift * gradient[j] + (other.centre_[j] - centre_[j]) * gradient[i];
    }
  }
}

std::vector<ZeroVarianceEstimate> ZeroVariance::estimates() const {
  using Eigen::Index;
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  if (form_ == ZeroVarianceForm::none) return {};
  std::vector<ZeroVarianceEstimate> result(functions_, {not_a_number, not_a_number, not_a_number});
  const std::size_t batches = weights_.size();
  if (batches < 2 * regressors_ + 10) return result;
  const auto lengths = lengths_.empty() ? std::vector<double>{static_cast<double>(batches)} : lengths_;

  // Copies, because Eigen's sums depend on how memory is aligned.
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const MatrixXd means =
      Eigen::Map<const RowMajor>(means_.data(), static_cast<Index>(batches), static_cast<Index>(width()));
  const VectorXd weights = Eigen::Map<const VectorXd>(weights_.data(), static_cast<Index>(batches));
  const VectorXd mean = means.transpose() * weights / weights.sum();
  const MatrixXd centred = means.rowwise() - mean.transpose();
  const auto z = centred.leftCols(static_cast<Index>(regressors_));
  const auto f = centred.rightCols(static_cast<Index>(functions_));

  // The error of sum(w f) / sum(w) depends on w_b f_b: least squares of these minimises it.
  MatrixXd design = weights.asDiagonal() * z;
  VectorXd scale = design.colwise().norm();
  for (double& s : scale) s = s > 0.0 ? 1.0 / s : 0.0;
  design = design * scale.asDiagonal();
  const LeastSquares solver(design);
  MatrixXd coefficients = MatrixXd::Zero(z.cols(), f.cols());
  if (scale.maxCoeff() > 0.0)  // else all gradients are 0
    coefficients = scale.asDiagonal() * solver.solve(MatrixXd(weights.asDiagonal() * f));
  const MatrixXd residuals = f - z * coefficients;
  const VectorXd corrected =
      mean.tail(static_cast<Index>(functions_)) - coefficients.transpose() * mean.head(static_cast<Index>(regressors_));

  // The estimate is linear in f, so its error is a weighted mean of the residuals, with weights w_b corrected for their
  // influence on the coefficients, which matters if mean(z) is far from 0. The correction is -t, with t the shortest
  // vector such that design' t = mean(z).
  const Index rank = solver.rank();
  VectorXd pull = VectorXd::Zero(static_cast<Index>(batches));
  if (scale.maxCoeff() > 0.0)
    pull = solver.shortest_of_transposed(scale.asDiagonal() * mean.head(static_cast<Index>(regressors_)));
  const VectorXd leverage = VectorXd::Ones(pull.size()) - weights.sum() * pull;

  const auto count = static_cast<double>(batches);
  const double fitted = std::sqrt((count - 1.0) / (count - 1.0 - static_cast<double>(rank)));
  for (std::size_t k = 0; k < functions_; ++k) {
    const auto column = static_cast<Index>(k);
    auto& estimate = result[k];
    estimate.mean = corrected[column];
    estimate.mcse = fitted * error_of_mean(residuals.col(column).cwiseProduct(leverage), weights_, lengths);
    estimate.gain = std::pow(error_of_mean(f.col(column), weights_, lengths) / estimate.mcse, 2);
  }
  return result;
}

void ZeroVariance::visit_state(StateVisitor& visitor) {
  visitor.visit("draws", draws_);
  visitor.visit("batch_length", batch_length_);
  visitor.visit("last_length", last_length_);
  visitor.visit("centre", centre_);
  visitor.visit("means", means_);
  visitor.visit("weights", weights_);
  visitor.visit("lengths", lengths_);
}

std::vector<ZeroVarianceEstimate> zero_variance(ZeroVarianceForm form, std::size_t dimension,
                                                std::span<const double> positions, std::span<const double> gradients,
                                                std::span<const double> values, std::span<const std::size_t> lengths,
                                                std::span<const double> weights) {
  std::size_t points = 0;
  for (const std::size_t length : lengths) points += length;
  if (points == 0 || positions.size() != points * dimension || gradients.size() != points * dimension ||
      values.size() % points != 0 || (!weights.empty() && weights.size() != points))
    throw OptionError("zero_variance: positions, gradients, values and weights are not of the " +
                      std::to_string(points) + " draws in `lengths`");
  const std::size_t functions = values.size() / points;
  ZeroVariance all(form, dimension, functions, lengths.size());
  std::size_t point = 0;
  for (const std::size_t length : lengths) {
    ZeroVariance chain(form, dimension, functions, lengths.size());
    for (std::size_t k = 0; k < length; ++k, ++point)
      chain.add(positions.subspan(point * dimension, dimension), gradients.subspan(point * dimension, dimension),
                values.subspan(point * functions, functions), weights.empty() ? 1.0 : weights[point]);
    all.merge(chain);
  }
  return all.estimates();
}

}  // namespace sgmcmc
