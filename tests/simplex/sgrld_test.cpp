// The Langevin kernels on the simplex: steps equal their formulas, drifts are gradients, and if the discretised chain
// has moments in closed form, the draws have these moments.
#include "simplex/kernels.hpp"

#include "statistics/effective_sample_size.hpp"
#include "statistics/significance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace sgmcmc {
namespace {

using testing::mean_of_replicates;
using testing::z_threshold;

struct Setting {
  SimplexShape shape;
  std::vector<double> log_theta, pseudo_counts;
  double prior_total;
};

Setting some_setting(std::size_t components, std::size_t blocks) {
  Setting s{
      {components, blocks}, std::vector<double>(components * blocks), std::vector<double>(components * blocks), 0};
  fill_normal({5, 0, 0, Purpose::data}, std::span<double>(s.log_theta));
  fill_uniform({6, 0, 0, Purpose::data}, s.pseudo_counts);
  for (double& a : s.pseudo_counts) a = 0.3 + 5 * a;
  s.prior_total = 0.3 * static_cast<double>(components);
  return s;
}

std::vector<double> moved(SimplexMethod method, const Setting& s, double h, int threads = 1) {
  SimplexKernel kernel(method, s.shape);
  ThreadPool pool(threads);
  std::vector<double> log_theta = s.log_theta;
  EXPECT_TRUE(kernel.step({log_theta, s.pseudo_counts, s.prior_total, h, StreamKey{9, 0, 4, Purpose::noise}}, pool));
  return log_theta;
}

/// The formulas, one number at a time.
std::vector<double> expected(SimplexMethod method, const Setting& s, double h) {
  const std::size_t blocks = s.shape.blocks, size = s.shape.size();
  std::vector<double> noise(size), result(size);
  fill_normal({9, 0, 4, Purpose::noise}, std::span<double>(noise));
  for (std::size_t b = 0; b < blocks; ++b) {
    double total = 0, counts = -s.prior_total, tilt = 0, mirrored = 0;
    for (std::size_t i = b; i < size; i += blocks) total += std::exp(s.log_theta[i]), counts += s.pseudo_counts[i];
    for (std::size_t i = b; i < size; i += blocks) tilt += std::sqrt(std::exp(s.log_theta[i]) / total) * noise[i];
    for (std::size_t i = b; i < size; i += blocks) {
      const double theta = std::exp(s.log_theta[i]), omega = theta / total, a = s.pseudo_counts[i], xi = noise[i];
      const double drift = a - theta - counts * omega;
      double next = 0;
      switch (method) {
        case SimplexMethod::sgrld: next = std::log(std::abs(theta + h / 2 * drift + std::sqrt(h * theta) * xi)); break;
        case SimplexMethod::sgrld_reduced_mean:
          next = std::abs(omega + h / 2 * (a - (counts + s.prior_total) * omega) +
                          std::sqrt(h) * (std::sqrt(omega) * xi - omega * tilt));
          mirrored += next;
          break;
        case SimplexMethod::sgrld_expanded_natural:
          next = s.log_theta[i] + h / 2 * (drift - 1) / theta + std::sqrt(h / theta) * xi;
          break;
        default: next = s.log_theta[i] + h / 2 * drift + std::sqrt(h) * xi;
      }
      result[i] = next;
    }
    if (method == SimplexMethod::sgrld_reduced_mean)
      for (std::size_t i = b; i < size; i += blocks) result[i] = std::log(result[i] / mirrored);
  }
  return result;
}

constexpr SimplexMethod langevin_methods[] = {SimplexMethod::sgrld, SimplexMethod::sgrld_reduced_mean,
                                              SimplexMethod::sgrld_expanded_natural, SimplexMethod::sgld};

TEST(SimplexLangevin, AnyShape_StepIsItsFormula) {
  for (const auto method : langevin_methods)
    for (const SimplexShape shape : {SimplexShape{1, 1}, {7, 1}, {5000, 1}, {3, 5}, {700, 13}, {2, 5000}}) {
      const Setting s = some_setting(shape.components, shape.blocks);
      const auto found = moved(method, s, 0.02), wanted = expected(method, s, 0.02);
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], wanted[i], 1e-9 * std::max(1.0, std::abs(wanted[i])))
            << simplex_method_name(method) << ' ' << shape.components << " x " << shape.blocks << " at " << i;
    }
}

TEST(SimplexKernel, Threads_DoNotChangeTheStep) {
  for (const auto& name : simplex_method_names()) {
    const Setting s = some_setting(900, 17);
    EXPECT_EQ(moved(simplex_method(name), s, 0.02, 1), moved(simplex_method(name), s, 0.02, 3)) << name;
  }
}

TEST(SimplexLangevin, NaturalForm_DriftIsTheGradientOfTheLogDensity) {
  const Setting s = some_setting(6, 1);
  const auto log_density = [&](const std::vector<double>& x) {
    double value = 0, total = 0, counts = -s.prior_total;
    for (std::size_t j = 0; j < x.size(); ++j) total += std::exp(x[j]), counts += s.pseudo_counts[j];
    for (std::size_t j = 0; j < x.size(); ++j) value += s.pseudo_counts[j] * x[j] - std::exp(x[j]);
    return value - counts * std::log(total);  // log-gamma prior of theta, categorical likelihood of omega
  };
  std::vector<double> noise(6);
  fill_normal({9, 0, 4, Purpose::noise}, std::span<double>(noise));
  const double h = 1e-3;
  const auto found = moved(SimplexMethod::sgld, s, h);
  for (std::size_t j = 0; j < 6; ++j) {
    auto up = s.log_theta, down = s.log_theta;
    up[j] += 1e-5;
    down[j] -= 1e-5;
    const double gradient = (log_density(up) - log_density(down)) / 2e-5;
    EXPECT_NEAR((found[j] - s.log_theta[j] - std::sqrt(h) * noise[j]) / (h / 2), gradient, 1e-6);
  }
}

/// Means and variances over many independent chains, after the discretised chain has settled.
struct Moments {
  testing::Estimate mean, square;
};

Moments settled(SimplexMethod method, const std::vector<double>& a, double prior_total, double h, std::size_t component,
                double centre, bool as_probability, double mistake = 1.0) {
  constexpr std::size_t chains = 4000;
  const SimplexShape shape{a.size(), chains};
  SimplexKernel kernel(method, shape);
  ThreadPool pool(1);
  std::vector<double> log_theta(shape.size()), pseudo_counts(shape.size()), totals(chains);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    pseudo_counts[i] = a[i / chains];
    log_theta[i] = std::log(a[i / chains]);
  }
  const int steps = static_cast<int>(8 / h / (as_probability ? std::accumulate(a.begin(), a.end(), 0.0) : 1.0));
  for (int t = 0; t < steps; ++t) {
    EXPECT_TRUE(kernel.step({log_theta, pseudo_counts, prior_total, h * mistake,
                             StreamKey{2, 0, static_cast<std::uint64_t>(t), Purpose::noise}},
                            pool));
  }
  kernel.log_totals(log_theta, totals, pool);
  std::vector<double> value(chains), square(chains);
  for (std::size_t c = 0; c < chains; ++c) {
    const double x = log_theta[component * chains + c];
    value[c] = as_probability ? std::exp(x - totals[c]) : std::exp(x);
    square[c] = (value[c] - centre) * (value[c] - centre);
  }
  return {mean_of_replicates(value), mean_of_replicates(square)};
}

TEST(Sgrld, LargePrior_HasTheMomentsOfTheDiscretisedChain) {
  // Without data the drift is linear: mean a, variance a / (1 - h / 4), as long as no step is mirrored at 0.
  const double a = 40, h = 0.5, limit = z_threshold(1e-4, 2);
  const Moments m = settled(SimplexMethod::sgrld, {a, a}, 2 * a, h, 0, a, false);
  EXPECT_LT(std::abs(m.mean.z_score(a)), limit);
  EXPECT_LT(std::abs(m.square.z_score(a / (1 - h / 4))), limit);
  const Moments wrong = settled(SimplexMethod::sgrld, {a, a}, 2 * a, h, 0, a, false, 3.0);
  EXPECT_GT(std::abs(wrong.square.z_score(a / (1 - h / 4))), limit);
}

TEST(Sgrld, ReducedMean_HasTheMomentsOfTheDiscretisedChain) {
  // Mean m = a_j / A, variance m (1 - m) / (A - h A^2 / 4 + 1), A the sum of a.
  const std::vector<double> a = {300, 200, 500};
  const double A = 1000, m0 = 0.3, h = 1e-3, limit = z_threshold(1e-4, 2);
  const double variance = m0 * (1 - m0) / (A - h * A * A / 4 + 1);
  const Moments m = settled(SimplexMethod::sgrld_reduced_mean, a, 3.0, h, 0, m0, true);
  EXPECT_LT(std::abs(m.mean.z_score(m0)), limit);
  EXPECT_LT(std::abs(m.square.z_score(variance)), limit);
  const Moments wrong = settled(SimplexMethod::sgrld_reduced_mean, a, 3.0, h, 0, m0, true, 2.0);
  EXPECT_GT(std::abs(wrong.square.z_score(variance)), limit);
}

/// Mean and variance of omega's first component in chains that start in the target law and take 50 steps.
Moments kept(SimplexMethod method, const std::vector<double>& a, const std::vector<double>& used, double prior_total,
             double h, double centre) {
  constexpr std::size_t chains = 4000;
  const SimplexShape shape{a.size(), chains};
  SimplexKernel kernel(method, shape);
  ThreadPool pool(1);
  std::vector<double> log_theta(shape.size()), pseudo_counts(shape.size()), totals(chains), size(chains, prior_total);
  for (std::size_t i = 0; i < shape.size(); ++i) pseudo_counts[i] = a[i / chains];
  fill_log_gamma({1, 0, 0, Purpose::initial}, pseudo_counts, log_theta);
  kernel.log_totals(log_theta, totals, pool);
  fill_log_gamma({1, 0, 1, Purpose::initial}, size, size);  // sum(theta) has the law of the prior
  for (std::size_t i = 0; i < shape.size(); ++i) {
    log_theta[i] += size[i % chains] - totals[i % chains];
    pseudo_counts[i] = used[i / chains];
  }
  for (std::uint64_t t = 0; t < 50; ++t)
    EXPECT_TRUE(kernel.step({log_theta, pseudo_counts, prior_total, h, StreamKey{2, 0, t, Purpose::noise}}, pool));
  kernel.log_totals(log_theta, totals, pool);
  std::vector<double> value(chains), square(chains);
  for (std::size_t c = 0; c < chains; ++c) {
    value[c] = std::exp(log_theta[c] - totals[c]);
    square[c] = (value[c] - centre) * (value[c] - centre);
  }
  return {mean_of_replicates(value), mean_of_replicates(square)};
}

TEST(Sgrld, SmallSteps_KeepTheDirichletLawInEveryForm) {
  const std::vector<double> a = {70, 40, 120};  // prior 10 each, 200 observations
  const double A = 230, m0 = 70 / A, variance = m0 * (1 - m0) / (A + 1), limit = z_threshold(1e-4, 6);
  for (const auto& [method, h] : {std::pair{SimplexMethod::sgrld, 5e-3},
                                  {SimplexMethod::sgrld_expanded_natural, 5e-3},
                                  {SimplexMethod::sgld, 1e-3}}) {
    const Moments m = kept(method, a, a, 30, h, m0);
    EXPECT_LT(std::abs(m.mean.z_score(m0)), limit) << simplex_method_name(method);
    // A few percent are discretisation error.
    EXPECT_NEAR(m.square.value / variance, 1.0, limit * m.square.standard_error / variance + 0.04)
        << simplex_method_name(method);
    const Moments wrong = kept(method, a, {80, 50, 130}, 30, h, m0);
    EXPECT_GT(std::abs(wrong.mean.z_score(m0)), limit) << "prior counted twice, " << simplex_method_name(method);
  }
}

}  // namespace
}  // namespace sgmcmc
