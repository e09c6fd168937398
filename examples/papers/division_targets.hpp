// The four targets on which divide and conquer is compared with stochastic gradients (Baker 2019, section 2.4.2). The
// thesis leaves scales, degrees of freedom and starting points open.
#pragma once

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/random.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sgmcmc {

struct Target {
  std::string name, words;
  Model model;
  std::size_t dimension;
  std::vector<double> steps;  // tried
  std::map<std::string, std::vector<double>> start;
  bool symmetric = false;  // labels of two locations can be exchanged: exact draws have both orders
};

inline std::vector<double> normals(std::size_t count, std::uint64_t which) {
  std::vector<double> z(count);
  fill_normal({2019, 0, which, Purpose::data}, z);
  return z;
}

/// Location of a bivariate t with 3 degrees of freedom, scale (1, 0.5; 0.5, 1), flat prior, 800 rows.
inline Target heavy_tails() {
  constexpr std::size_t rows = 800;
  auto x = normals(2 * rows, 1);
  const auto z = normals(3 * rows, 2);
  for (std::size_t i = 0; i < rows; ++i) {
    const double chi = (z[3 * i] * z[3 * i] + z[3 * i + 1] * z[3 * i + 1] + z[3 * i + 2] * z[3 * i + 2]) / 3;
    x[2 * i + 1] = (0.5 * x[2 * i] + std::sqrt(0.75) * x[2 * i + 1]) / std::sqrt(chi);
    x[2 * i] /= std::sqrt(chi);
  }
  Model model(Dataset::Builder().real("x", x, {2}).build());
  const auto theta = model.parameter("theta", {2});
  const auto r = model.row("x") - theta;
  const auto a = take(r, {0}, Shape{}), b = take(r, {1}, Shape{});
  model.likelihood(-2.5 * log1p((square(a) - a * b + square(b)) / (3 * 0.75)));
  return {"heavy tails",
          "location of a bivariate t, 3 degrees of freedom, 800 rows",
          model,
          2,
          {3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3},
          {}};
}

/// Locations of two bivariate normals of unit variance, (-0.1, -0.1) and (0.1, 0.1), N(0, 10^2) priors, 10,000 rows.
inline Target mixture(std::size_t rows) {
  constexpr double location = 0.1;
  auto x = normals(2 * rows, 3);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < 2; ++j) x[2 * i + j] += i % 2 == 0 ? location : -location;
  Model model(Dataset::Builder().real("x", x, {2}).build());
  const auto first = model.parameter("theta1", {2}), second = model.parameter("theta2", {2});
  model.prior(normal_lpdf(first, 0, 10));
  model.prior(normal_lpdf(second, 0, 10));
  model.likelihood(log_mix(0.5, normal_lpdf(model.row("x"), first, 1), normal_lpdf(model.row("x"), second, 1)));
  return {"two modes",
          "locations of two overlapping bivariate normals, " + std::to_string(rows) + " rows",
          model,
          4,
          {1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4},
          {{"theta1", {location, location}}, {"theta2", {-location, -location}}},
          true};
}

/// x ~ N(theta1 + theta2^2, 2^2), theta ~ N(0, 1), 800 rows around 1.
inline Target warped() {
  constexpr std::size_t rows = 800;
  auto x = normals(rows, 4);
  for (double& value : x) value = 1 + 2 * value;
  Model model(Dataset::Builder().real("x", x).build());
  const auto first = model.parameter("theta1"), second = model.parameter("theta2");
  model.prior(normal_lpdf(first, 0, 1));
  model.prior(normal_lpdf(second, 0, 1));
  model.likelihood(normal_lpdf(model.row("x"), first + square(second), 2));
  return {"warped", "x ~ N(theta1 + theta2^2, 2), 800 rows", model,
          2,        {3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2},    {{"theta1", {1.0}}, {"theta2", {0.0}}}};
}

/// The mean of a normal with correlations 0.5^|i - j|, flat prior, 800 rows.
inline Target normal_mean(std::size_t d) {
  constexpr std::size_t rows = 800;
  auto x = normals(d * rows, 10 + d);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 1; j < d; ++j) x[i * d + j] = 0.5 * x[i * d + j - 1] + std::sqrt(0.75) * x[i * d + j];
  const auto size = static_cast<std::int64_t>(d);
  Model model(Dataset::Builder().real("x", x, {size}).build());
  const auto theta = model.parameter("theta", {size});
  const auto r = model.row("x") - theta;
  std::vector<std::int64_t> from, to;
  for (std::int64_t j = 0; j + 1 < size; ++j) {
    from.push_back(j);
    to.push_back(j + 1);
  }
  auto density = -0.5 * square(take(r, {0}, Shape{}));
  if (d > 1)
    density = density - 0.5 / 0.75 * sum(square(take(r, to, Shape{size - 1}) - 0.5 * take(r, from, Shape{size - 1})));
  model.likelihood(density);
  return {"normal " + std::to_string(d),
          "the mean of a normal in " + std::to_string(d) + " dimensions, 800 rows",
          model,
          d,
          {3e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4},
          {}};
}

}  // namespace sgmcmc
