// A small regression model with a constrained parameter, its gradients by hand, and ways to visit every minibatch.
#pragma once

#include "gradient/estimators.hpp"
#include "minibatch/minibatcher.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc::testing {

using Vector = std::vector<double>;

/// y_i ~ N(x_i . beta, sd), beta ~ N(0, 1), sd ~ Gamma(2, 1) > 0: theta = (beta_1, beta_2, log sd), D = 3.
class Regression {
 public:
  static constexpr std::size_t dimension = 3;

  explicit Regression(std::size_t rows) : rows_(rows), x_(2 * rows), y_(rows) {
    fill_normal({11, 0, 0, Purpose::data}, x_);
    fill_normal({11, 0, 1, Purpose::data}, y_);
    for (std::size_t i = 0; i < rows; ++i) y_[i] += 0.7 * x_[2 * i] - 0.4 * x_[2 * i + 1];
    Model model(Dataset::Builder().real("x", x_, {2}).real("y", y_).build());
    const auto beta = model.parameter("beta", {2});
    const auto sd = model.parameter("sd", {}, Constraint::lower(0));
    model.prior(normal_lpdf(beta, 0, 1));
    model.prior(gamma_lpdf(sd, 2, 1));
    model.likelihood(normal_lpdf(model.row("y"), dot(model.row("x"), beta), sd));
    posterior_ = std::make_shared<const LogPosterior>(model);
  }

  std::size_t rows() const { return rows_; }
  const std::shared_ptr<const LogPosterior>& posterior() const { return posterior_; }

  /// Gradient of one row's log likelihood.
  Vector row_gradient(std::size_t i, std::span<const double> theta) const {
    const double* x = &x_[2 * i];
    const double precision = std::exp(-2.0 * theta[2]);
    const double residual = y_[i] - x[0] * theta[0] - x[1] * theta[1];
    return {residual * x[0] * precision, residual * x[1] * precision, residual * residual * precision - 1.0};
  }
  /// Gradient of log prior and log Jacobian.
  Vector prior_gradient(std::span<const double> theta) const {
    return {-theta[0], -theta[1], 2.0 - std::exp(theta[2])};
  }
  Vector full_gradient(std::span<const double> theta) const {
    Vector sum = prior_gradient(theta);
    for (std::size_t i = 0; i < rows_; ++i) {
      const Vector row = row_gradient(i, theta);
      for (std::size_t d = 0; d < dimension; ++d) sum[d] += row[d];
    }
    return sum;
  }

  std::unique_ptr<GradientEstimator> estimator(const GradientOptions& options, std::uint64_t seed = 1,
                                               std::uint32_t chain = 0) const {
    std::shared_ptr<const Centre> centre;
    if (options.estimator == Estimator::control_variate)
      centre = make_centre(*posterior_, options.centre.empty() ? Vector{0.5, -0.3, 0.1} : options.centre);
    return make_estimator(posterior_, options, seed, chain, centre);
  }

 private:
  std::size_t rows_;
  Vector x_, y_;
  std::shared_ptr<const LogPosterior> posterior_;
};

inline GradientOptions options_for(Estimator estimator, std::int64_t batch_size,
                                   RowSampling sampling = RowSampling::without_replacement, std::size_t rows = 0) {
  GradientOptions options;
  options.estimator = estimator;
  options.minibatch.batch_size = batch_size;
  options.minibatch.sampling = sampling;
  options.refresh_every = 1'000'000'000;  // svrg: the snapshot stays while batches are enumerated
  if (sampling == RowSampling::weighted)
    for (std::size_t i = 0; i < rows; ++i)
      options.minibatch.row_probabilities.push_back(1.0 + 0.5 * static_cast<double>(i % 4));
  return options;
}

inline Vector estimate(GradientEstimator& estimator, std::span<const double> theta, std::uint64_t evaluation) {
  Vector gradient(estimator.dimension());
  estimator.estimate(theta, evaluation, gradient);
  return gradient;
}

/// Keeps the state of an estimator and puts it into another.
class StateKeeper final : public StateVisitor {
 public:
  void visit(std::string_view name, double& value) override { keep_or_give(numbers_, name, value); }
  void visit(std::string_view name, std::uint64_t& value) override { keep_or_give(counts_, name, value); }
  void visit(std::string_view name, std::vector<double>& values) override { keep_or_give(vectors_, name, values); }

  static StateKeeper saved(GradientEstimator& from) {
    StateKeeper keeper;
    from.visit_state(keeper);
    return keeper;
  }
  void restore(GradientEstimator& to) {
    gives_ = true;
    to.visit_state(*this);
  }

 private:
  template <class Kept, class Value>
  void keep_or_give(Kept& kept, std::string_view name, Value& value) {
    if (gives_)
      value = kept.at(std::string(name));
    else
      kept[std::string(name)] = value;
  }
  bool gives_ = false;
  std::map<std::string, double> numbers_;
  std::map<std::string, std::uint64_t> counts_;
  std::map<std::string, std::vector<double>> vectors_;
};

/// One evaluation for every batch there can be, with the probability of that batch.
struct Batch {
  std::uint64_t evaluation;
  double probability;
};

/// Looks through evaluations first, first + stride, ... until every batch has turned up: as sets where rows do not
/// repeat, else as sequences.
inline std::vector<Batch> every_batch(std::size_t rows, const MinibatchOptions& options, std::uint64_t first = 0,
                                      std::uint64_t stride = 1, std::uint64_t seed = 1, std::uint32_t chain = 0) {
  Minibatcher batches(static_cast<std::int64_t>(rows), options, seed, chain);
  const std::uint32_t n = batches.batch_size();
  const bool repeats = options.sampling == RowSampling::with_replacement || options.sampling == RowSampling::weighted;
  double expected = 1.0;  // how many batches there are
  for (std::uint32_t k = 0; k < n; ++k)
    expected *= repeats ? static_cast<double>(rows) : static_cast<double>(rows - k) / static_cast<double>(k + 1);
  if (options.sampling == RowSampling::slices) expected = static_cast<double>(rows);
  // Those of the table, which rounds what it is asked for.
  std::vector<double> share(rows, 1.0 / static_cast<double>(rows));
  if (options.sampling == RowSampling::weighted) {
    const auto exact = AliasTable(options.row_probabilities).probabilities();
    share.assign(exact.begin(), exact.end());
  }
  std::map<std::vector<std::uint32_t>, Batch> found;
  for (std::uint64_t t = first; static_cast<double>(found.size()) < expected - 0.5; t += stride) {
    const RowBatch& batch = batches.batch(t);
    std::vector<std::uint32_t> key;
    double probability = repeats ? 1.0 : 1.0 / expected;
    for (std::uint32_t k = 0; k < n; ++k) {
      key.push_back(batch.row(k));
      if (repeats) probability *= share[batch.row(k)];
    }
    if (!repeats) std::sort(key.begin(), key.end());
    found.emplace(key, Batch{t, probability});
  }
  std::vector<Batch> all;
  for (const auto& [key, batch] : found) all.push_back(batch);
  return all;
}

}  // namespace sgmcmc::testing
