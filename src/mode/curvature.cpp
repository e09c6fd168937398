// Computes the Hessian column by column, and the normal approximation from it.
#include "mode/curvature.hpp"

#include "base/interrupt.hpp"
#include "base/thread_pool.hpp"
#include "mode/mode.hpp"

#include <sgmcmc/error.hpp>

#include <cmath>

namespace sgmcmc {

std::vector<double> negative_hessian(const LogPosterior& posterior, std::span<const double> theta, ThreadPool* pool,
                                     const std::atomic<bool>* interrupt) {
  constexpr std::size_t most = 10'000;
  const std::size_t size = theta.size();
  if (size > most)
    throw OptionError("the model has " + std::to_string(size) + " coordinates; a Hessian can be stored for " +
                      std::to_string(most) + " at most");
  auto executor = posterior.executor(ProgramKind::hessian_vector, {Precision::float64, 0, pool});
  executor->set_point(Point::current, theta);
  std::vector<double> hessian(size * size), direction(size, 0.0);
  for (std::size_t j = 0; j < size; ++j) {
    throw_if_interrupted(interrupt);
    direction[j] = -1.0;
    executor->set_point(Point::direction, direction);
    executor->run(posterior.all_rows(), std::span(hessian).subspan(j * size, size));
    direction[j] = 0.0;
  }
  for (std::size_t i = 0; i < size; ++i)  // equal up to rounding
    for (std::size_t j = 0; j < i; ++j)
      hessian[i * size + j] = hessian[j * size + i] = 0.5 * (hessian[i * size + j] + hessian[j * size + i]);
  return hessian;
}

LaplaceApproximation approximation_at(const LogPosterior& posterior, ModeResult mode, ThreadPool* pool,
                                      const std::atomic<bool>* interrupt) {
  if (!mode.report.converged())
    throw ModelError("there is no normal approximation: the search for the mode did not converge. " +
                     mode.report.describe());
  const auto hessian = negative_hessian(posterior, mode.theta, pool, interrupt);
  return {std::move(mode.theta), hessian, mode.report.value, posterior.model().unconstrained_names()};
}

LaplaceApproximation laplace_approximation(const Model& model, const LbfgsOptions& options, std::vector<double> start,
                                           int threads, const std::atomic<bool>* interrupt) {
  const LogPosterior posterior(model);
  ThreadPool pool(threads);
  ModeResult mode = climb(posterior, options, checked_start(model, std::move(start)), &pool, interrupt);
  throw_if_interrupted(interrupt);
  return approximation_at(posterior, std::move(mode), &pool, interrupt);
}

}  // namespace sgmcmc
