// Hierarchical models small enough to integrate by brute force.
#pragma once

#include "model/log_posterior.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/random.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace sgmcmc::testing {

struct GroupData {
  std::vector<std::int32_t> group, count;
  std::vector<double> y, x;

  GroupData(std::size_t groups, std::size_t rows, std::uint64_t seed) : x(rows) {
    std::vector<double> effect(groups), noise(rows);
    fill_normal({seed, 0, 1, Purpose::data}, effect);
    fill_normal({seed, 0, 2, Purpose::data}, noise);
    fill_normal({seed, 0, 3, Purpose::data}, x);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t j = i < groups ? i : (i * i + 3 * i) % groups;  // not sorted, of different sizes
      group.push_back(static_cast<std::int32_t>(j + 1));
      y.push_back(1.0 + 0.7 * effect[j] + noise[i]);
      count.push_back(y.back() > 1.0);
    }
  }
  Dataset dataset() const {
    return Dataset::Builder().real("y", y).real("x", x).integer("g", group).integer("hit", count).build();
  }
};

/// y ~ N(theta[g], 1), theta ~ N(mu, tau), or theta = mu + tau z.
inline Model gaussian_intercepts(const GroupData& data, std::int64_t groups, bool centred) {
  Model model(data.dataset());
  const auto mu = model.parameter("mu");
  const auto tau = model.parameter("tau", {}, Constraint::lower(0.0));
  const auto z = model.parameter(centred ? "theta" : "z", {groups});
  model.prior(normal_lpdf(mu, 0.0, 2.0));
  model.prior(cauchy_lpdf(tau, 0.0, 1.0));
  model.prior(centred ? normal_lpdf(z, mu, tau) : std_normal_lpdf(z));
  const auto table = centred ? z : mu + tau * z;
  model.likelihood(normal_lpdf(model.row("y"), gather(table, model.row("g"), 1), 1.0));
  return model;
}

/// hit ~ Bernoulli(logit^-1(a + b x + theta[g] (+ slope[g] x))), effects normal.
inline Model logistic_effects(const GroupData& data, std::int64_t groups, bool slopes) {
  Model model(data.dataset());
  const auto b = model.parameter("b", {2});
  const auto tau = model.parameter("tau", {slopes ? 2 : 1}, Constraint::lower(0.0));
  const auto x = model.row("x");
  auto predictor = b[0] + b[1] * x;
  model.prior(normal_lpdf(b, 0.0, 2.0));
  model.prior(normal_lpdf(tau, 0.0, 1.0));
  const auto theta = model.parameter("theta", {groups});
  model.prior(normal_lpdf(theta, 0.0, tau[0]));
  predictor = predictor + gather(theta, model.row("g"), 1);
  if (slopes) {
    const auto z = model.parameter("z", {groups});
    model.prior(std_normal_lpdf(z));
    predictor = predictor + tau[1] * gather(z, model.row("g"), 1) * x;
  }
  model.likelihood(bernoulli_logit_lpmf(model.row("hit"), predictor));
  return model;
}

/// The joint log posterior at a point.
class Joint {
 public:
  explicit Joint(const Model& model)
      : posterior_(model), executor_(posterior_.executor(ProgramKind::value_and_gradient, {})), both_(1 + size()) {}
  std::size_t size() const { return static_cast<std::size_t>(posterior_.dimension()); }
  double operator()(const std::vector<double>& theta) {
    executor_->set_point(Point::current, theta);
    executor_->run(posterior_.all_rows(), both_);
    return both_[0];
  }

 private:
  LogPosterior posterior_;
  std::unique_ptr<Executor> executor_;
  std::vector<double> both_;
};

}  // namespace sgmcmc::testing
