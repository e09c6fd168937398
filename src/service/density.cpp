// Evaluating a compiled log posterior, point by point.
#include "service/density.hpp"

#include "base/thread_pool.hpp"
#include "model/log_posterior.hpp"

namespace sgmcmc {

std::vector<DensityAtPoint> density_at(const Model& model, std::span<const std::vector<double>> points, int threads) {
  const LogPosterior posterior(model);
  ThreadPool pool(threads);
  const auto executor = posterior.executor(ProgramKind::value_and_gradient, {Precision::float64, 0, &pool});
  std::vector<double> both(static_cast<std::size_t>(posterior.dimension()) + 1);  // the value, then the gradient
  std::vector<DensityAtPoint> results;
  for (const auto& point : points) {
    executor->set_point(Point::current, point);
    executor->run(posterior.all_rows(), both);
    results.push_back({both.front(), {both.begin() + 1, both.end()}});
  }
  return results;
}

}  // namespace sgmcmc
