// The running experiment of thesis chapter 5: ten categories, minibatches, the best step size of each method. scir is
// far closer than sgrld to a sparse Dirichlet posterior, and as close to a dense one (figure 5.3.1).
#include <sgmcmc/random.hpp>
#include <sgmcmc/simplex.hpp>

#include <boost/math/special_functions/beta.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::size_t components = 10;
constexpr std::uint32_t rows = 1000, batch = 100;
constexpr double prior = 0.1;

/// Kolmogorov distance between draws of omega and the Dirichlet law, averaged over components.
double distance(SimplexMethod method, double step_size, const std::vector<std::uint32_t>& category,
                std::uint64_t seed) {
  constexpr std::uint64_t iterations = 1000, burn_in = 500;
  SimplexOptions options;
  options.method = method;
  options.step_size = step_size;
  options.seed = seed;
  SimplexSampler sampler(options, {prior}, components);
  std::vector<std::vector<double>> draws(components);
  std::vector<double> counts(components), omega(components);
  std::vector<std::uint32_t> chosen(batch);
  for (std::uint64_t t = 0; t < burn_in + iterations; ++t) {
    fill_below({seed, 0, t, Purpose::minibatch}, rows, chosen);
    std::fill(counts.begin(), counts.end(), 0.0);
    for (const auto row : chosen) counts[category[row]] += static_cast<double>(rows) / batch;
    EXPECT_TRUE(sampler.step(counts, t));
    sampler.probabilities(omega);
    if (t < burn_in) continue;
    for (std::size_t j = 0; j < components; ++j) draws[j].push_back(omega[j]);
  }
  double sum = 0;
  for (std::size_t j = 0; j < components; ++j) {
    const double a = prior + static_cast<double>(std::count(category.begin(), category.end(), j));
    std::sort(draws[j].begin(), draws[j].end());
    double worst = 0;
    for (std::size_t i = 0; i < draws[j].size(); ++i) {
      const double p = boost::math::ibeta(a, rows + prior * components - a, draws[j][i]);
      worst = std::max(worst, std::abs(p - (static_cast<double>(i) + 0.5) / static_cast<double>(draws[j].size())));
    }
    sum += worst;
  }
  return sum / components;
}

double best_distance(SimplexMethod method, std::initializer_list<double> steps,
                     const std::vector<std::uint32_t>& category, std::uint64_t seed) {
  double best = 1;
  for (const double h : steps) best = std::min(best, distance(method, h, category, seed));
  return best;
}

TEST(SimplexMethods, SparsePosterior_ScirIsFarCloserThanSgrld) {
  std::vector<std::uint32_t> category(rows, 0);
  for (std::uint32_t i = 800; i < rows; ++i) category[i] = i < 900 ? 1 : 2;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const double scir = best_distance(SimplexMethod::scir, {0.5, 0.1, 0.05}, category, seed);
    const double sgrld = best_distance(SimplexMethod::sgrld, {0.1, 0.01, 0.001}, category, seed);
    EXPECT_LT(scir, 0.6 * sgrld) << "seed " << seed << ": " << scir << " and " << sgrld;
  }
}

TEST(SimplexMethods, DensePosterior_ScirAndSgrldAreAlike) {
  std::vector<std::uint32_t> category(rows);
  for (std::uint32_t i = 0; i < rows; ++i) category[i] = i % components;
  double scir = 0, sgrld = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    scir += best_distance(SimplexMethod::scir, {0.5, 0.1, 0.05}, category, seed);
    sgrld += best_distance(SimplexMethod::sgrld, {0.01, 0.001, 0.0001}, category, seed);
  }
  EXPECT_LT(scir, 1.7 * sgrld);
  EXPECT_LT(sgrld, 1.7 * scir);
}

}  // namespace
}  // namespace sgmcmc
