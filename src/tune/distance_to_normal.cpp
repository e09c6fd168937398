// Evaluates gradients at a few draws from the approximation.
#include "tune/distance_to_normal.hpp"

#include "dynamics/whitening.hpp"

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sgmcmc {
namespace {
constexpr std::uint64_t draws_of_distance = 0x51ab3e11ULL;  // changes the seed, for draws independent of the run
}

double root_mean_square(std::span<const double> x) {
  double sum = 0;
  for (const double each : x) sum += each * each;
  return std::sqrt(sum / static_cast<double>(x.size()));
}

double distance_to_normal(const RunSetup& setup, ThreadPool& pool) {
  constexpr std::uint64_t draws = 2;
  const auto& posterior = *setup.posterior();
  Whitening map(setup.preconditioner());
  auto executor = posterior.whole_executor(ProgramKind::gradient, {Precision::float64, 0, &pool});
  std::vector<double> u(map.dimension()), theta(u.size()), gradient(u.size()), whitened(u.size());
  double worst = 0;
  for (std::uint64_t k = 0; k < draws; ++k) {
    fill_normal({setup.options().seed ^ draws_of_distance, 0, k, Purpose::initial}, u);
    map.position(u, theta);
    executor->set_point(Point::current, theta);
    executor->run(posterior.whole_batch(), gradient);
    map.multiply_transposed(gradient, whitened);
    for (std::size_t c = 0; c < u.size(); ++c) whitened[c] += u[c];
    const double distance = root_mean_square(whitened);
    worst = std::max(worst, std::isfinite(distance) ? distance : 1e10);
  }
  return worst;
}

}  // namespace sgmcmc
