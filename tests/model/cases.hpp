// Models with constraints, with the same log densities written by hand on the unconstrained scale.
#pragma once

#include "reference/dual.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/model.hpp>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

namespace sgmcmc::testing {

using Real = double;
using Slope = reference::Dual<double>;

/// The rows all models share.
struct Table {
  static constexpr std::int64_t rows = 53;
  std::vector<double> x, y, z;
  std::vector<std::int32_t> label, group, count;

  Table() {
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto t = static_cast<double>(i);
      for (int c = 0; c < 3; ++c) x.push_back(std::sin(1.0 + 1.7 * t + 0.9 * c));
      for (int c = 0; c < 2; ++c) z.push_back(std::cos(0.3 + 2.3 * t + 1.1 * c));
      y.push_back(1.5 * std::sin(0.2 + 0.77 * t));
      label.push_back(static_cast<std::int32_t>((i * i / 3) % 2));
      group.push_back(static_cast<std::int32_t>(1 + (i * 5 + i / 4) % 4));
      count.push_back(static_cast<std::int32_t>((i * 3 + i / 7) % 5));
    }
  }
  Dataset data() const {
    return Dataset::Builder()
        .real("x", x, Shape{3})
        .real("y", y)
        .real("z", z, Shape{2})
        .integer("label", label)
        .integer("group", group)
        .integer("count", count)
        .build();
  }
};

/// A model, a point, and the two parts of its log posterior by hand, in numbers and in duals.
struct ModelCase {
  std::string name;
  Model model;
  std::vector<double> theta;
  std::function<Real(const std::vector<Real>&)> prior;  ///< log prior and log-Jacobians
  std::function<Slope(const std::vector<Slope>&)> prior_slope;
  std::function<Real(const std::vector<Real>&, std::size_t)> row;  ///< log likelihood of one row
  std::function<Slope(const std::vector<Slope>&, std::size_t)> row_slope;
};

template <class Prior, class Row>
ModelCase make_case(std::string name, Model model, std::vector<double> theta, Prior prior, Row row) {
  return {std::move(name), std::move(model), std::move(theta), prior, prior, row, row};
}

template <class S>
S squared(const S& x) {
  return x * x;
}
template <class S>
S normal(const S& x, const S& mean, const S& sd) {
  using std::log;
  return S(-0.5) * squared((x - mean) / sd) - log(sd) - S(0.5 * std::log(2 * std::numbers::pi));
}
template <class S>
S inverse_logit(const S& x) {
  using std::exp;
  return S(1.0) / (S(1.0) + exp(-x));
}
/// log of the slope of inverse_logit.
template <class S>
S log_logit_slope(const S& x) {
  using std::log;
  return log(inverse_logit(x)) + log(inverse_logit(-x));
}

inline ModelCase normal_regression(const Table& t) {
  Model model(t.data());
  const auto beta = model.parameter("beta", Shape{3});
  const auto sigma = model.parameter("sigma", Shape{}, Constraint::lower(0.0));
  model.prior(normal_lpdf(beta, 0.0, 2.0));
  model.prior(half_normal_lpdf(sigma, 1.5));
  model.likelihood(normal_lpdf(model.row("y"), dot(model.row("x"), beta), sigma));
  const auto prior = [](const auto& u) {
    using S = std::decay_t<decltype(u[0])>;
    using std::exp;
    S total = normal(S(exp(u[3])), S(0.0), S(1.5)) + S(std::log(2.0)) + u[3];
    for (std::size_t j = 0; j < 3; ++j) total += normal(u[j], S(0.0), S(2.0));
    return total;
  };
  const auto row = [t](const auto& u, std::size_t i) {
    using S = std::decay_t<decltype(u[0])>;
    using std::exp;
    S mean = 0.0;
    for (std::size_t j = 0; j < 3; ++j) mean += u[j] * S(t.x[3 * i + j]);
    return normal(S(t.y[i]), mean, S(exp(u[3])));
  };
  return make_case("normal_regression", model, {0.4, -0.3, 0.9, -0.2}, prior, row);
}

inline ModelCase mixture_of_normals(const Table& t) {
  Model model(t.data());
  const auto weights = model.parameter("weights", Shape{3}, Constraint::simplex());
  const auto locations = model.parameter("locations", Shape{3}, Constraint::ordered());
  const auto scale = model.parameter("scale", Shape{}, Constraint::interval(0.1, 5.0));
  model.prior(dirichlet_lpdf(weights, constant({2.0, 2.0, 2.0})));
  model.prior(normal_lpdf(locations, 0.0, 3.0));
  model.likelihood(log_sum_exp(log(weights) + normal_lpdf(model.row("y"), locations, scale)));
  const auto constrained = [](const auto& u, auto& log_jacobian) {
    using S = std::decay_t<decltype(u[0])>;
    using std::exp, std::log;
    std::vector<S> values;
    S rest = 1.0;
    log_jacobian = S(0.0);
    for (std::size_t k = 0; k < 2; ++k) {  // stick breaking
      const S shifted = u[k] - S(std::log(2.0 - static_cast<double>(k)));
      log_jacobian += log(rest) + log_logit_slope(shifted);
      values.push_back(rest * inverse_logit(shifted));
      rest -= values.back();
    }
    values.push_back(rest);
    values.push_back(u[2]);
    for (std::size_t k = 3; k < 5; ++k) {
      values.push_back(values.back() + exp(u[k]));
      log_jacobian += u[k];
    }
    values.push_back(S(0.1) + S(4.9) * inverse_logit(u[5]));
    log_jacobian += S(std::log(4.9)) + log_logit_slope(u[5]);
    return values;
  };
  const auto prior = [constrained](const auto& u) {
    using S = std::decay_t<decltype(u[0])>;
    using std::log;
    S total;
    const auto v = constrained(u, total);
    total += S(std::lgamma(6.0));
    for (std::size_t k = 0; k < 3; ++k) total += log(v[k]) + normal(v[3 + k], S(0.0), S(3.0));
    return total;
  };
  const auto row = [t, constrained](const auto& u, std::size_t i) {
    using S = std::decay_t<decltype(u[0])>;
    using std::exp, std::log;
    S unused, total = 0.0;
    const auto v = constrained(u, unused);
    for (std::size_t k = 0; k < 3; ++k) total += v[k] * exp(normal(S(t.y[i]), v[3 + k], v[6]));
    return S(log(total));
  };
  return make_case("mixture_of_normals", model, {0.3, -0.5, -1.2, 0.2, -0.4, -1.5}, prior, row);
}

/// Bounds that are parameters themselves, and effects shifted and scaled by others.
inline ModelCase bounded_by_parameters(const Table& t) {
  Model model(t.data());
  const auto ceiling = model.parameter("ceiling", Shape{}, Constraint::lower(0.0));
  const auto rate = model.parameter("rate", Shape{}, Constraint::interval(0.0, ceiling));
  const auto mean = model.parameter("mean");
  const auto spread = model.parameter("spread", Shape{}, Constraint::lower(0.0));
  const auto effect = model.parameter("effect", Shape{4}, Constraint::offset_multiplier(mean, spread));
  model.prior(exponential_lpdf(ceiling, 0.5));
  model.prior(normal_lpdf(mean, 0.0, 1.0));
  model.prior(half_normal_lpdf(spread, 1.0));
  model.prior(normal_lpdf(effect, mean, spread));
  model.likelihood(poisson_log_lpmf(model.row("count"), log(rate) + gather(effect, model.row("group"), 1)));
  const auto prior = [](const auto& u) {
    using S = std::decay_t<decltype(u[0])>;
    using std::exp, std::log;
    const S top = exp(u[0]), tau = exp(u[3]);
    S total = S(std::log(0.5)) - S(0.5) * top + u[0];                // ceiling
    total += u[0] + log_logit_slope(u[1]);                           // rate: the width of its interval is ceiling
    total += normal(u[2], S(0.0), S(1.0));                           // mean
    total += S(std::log(2.0)) + normal(tau, S(0.0), S(1.0)) + u[3];  // spread
    for (std::size_t k = 4; k < 8; ++k) total += normal(S(u[2] + tau * u[k]), u[2], tau) + u[3];
    return total;
  };
  const auto row = [t](const auto& u, std::size_t i) {
    using S = std::decay_t<decltype(u[0])>;
    using std::exp, std::log;
    const auto g = static_cast<std::size_t>(t.group[i]) + 3;
    const S eta = u[0] + log(inverse_logit(u[1])) + u[2] + exp(u[3]) * u[g];
    const double count = t.count[i];
    return S(count) * eta - exp(eta) - S(std::lgamma(count + 1));
  };
  return make_case("bounded_by_parameters", model, {0.8, 0.2, -0.1, -0.6, 0.5, -1.1, 0.3, 0.9}, prior, row);
}

inline ModelCase correlated_pairs(const Table& t) {
  Model model(t.data());
  const auto factor = model.parameter("factor", Shape{2, 2}, Constraint::cholesky_factor_correlation());
  const auto sd = model.parameter("sd", Shape{2}, Constraint::lower(0.0));
  const auto mean = model.parameter("mean", Shape{2}, Constraint::upper(3.0));
  model.prior(lkj_corr_cholesky_lpdf(factor, 2.0));
  model.prior(exponential_lpdf(sd, 1.0));
  model.prior(normal_lpdf(mean, 0.0, 2.0));
  model.likelihood(multi_normal_cholesky_lpdf(model.row("z"), mean, matmul(diagonal_matrix(sd), factor)));
  const auto prior = [](const auto& u) {
    using S = std::decay_t<decltype(u[0])>;
    using std::exp, std::log, std::tanh;
    const S determinant = S(1.0) - squared(S(tanh(u[0])));
    S total = S(std::log(0.75)) + log(determinant) + log(determinant);  // the law of the correlation, and tanh
    for (std::size_t k = 1; k < 3; ++k) total += u[k] - exp(u[k]);
    for (std::size_t k = 3; k < 5; ++k) total += normal(S(S(3.0) - exp(u[k])), S(0.0), S(2.0)) + u[k];
    return total;
  };
  const auto row = [t](const auto& u, std::size_t i) {
    using S = std::decay_t<decltype(u[0])>;
    using std::exp, std::log, std::tanh;
    const S correlation = tanh(u[0]);
    const S determinant = S(1.0) - squared(correlation);
    const S first = (S(t.z[2 * i]) - S(3.0) + exp(u[3])) / exp(u[1]);
    const S second = (S(t.z[2 * i + 1]) - S(3.0) + exp(u[4])) / exp(u[2]);
    return S(-0.5) * (squared(first) + squared(S(second - correlation * first)) / determinant) - u[1] - u[2] -
           S(0.5) * log(determinant) - S(std::log(2 * std::numbers::pi));
  };
  return make_case("correlated_pairs", model, {0.4, -0.2, 0.1, 1.0, 1.1}, prior, row);
}

inline std::vector<ModelCase> all_cases() {
  const Table table;
  return {normal_regression(table), mixture_of_normals(table), bounded_by_parameters(table), correlated_pairs(table)};
}

}  // namespace sgmcmc::testing
