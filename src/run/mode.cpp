// Joining the optimiser to a model's value-and-gradient program.
#include "run/mode.hpp"

#include "base/thread_pool.hpp"
#include "gradient/estimators.hpp"
#include "tune/optimize.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/optimize.hpp>

#include <algorithm>

namespace sgmcmc {
namespace {

struct Interrupted {};

}  // namespace

std::vector<double> checked_start(const Model& model, std::vector<double> start) {
  if (start.empty()) start.assign(static_cast<std::size_t>(model.dimension()), 0.0);
  if (static_cast<std::int64_t>(start.size()) != model.dimension())
    throw OptionError("start has " + std::to_string(start.size()) + " elements; the model has " +
                      std::to_string(model.dimension()) + " unconstrained parameters");
  return start;
}

ModeResult climb(const LogPosterior& posterior, const LbfgsOptions& options, std::vector<double> start,
                 ThreadPool* pool, const std::atomic<bool>* interrupt) {
  auto executor = posterior.executor(ProgramKind::value_and_gradient, {Precision::float64, 0, pool});
  std::vector<double> both(start.size() + 1);
  auto log_density = [&](std::span<const double> theta, std::span<double> gradient) {
    if (interrupt && interrupt->load(std::memory_order_relaxed)) throw Interrupted{};
    executor->set_point(Point::current, theta);
    executor->run(posterior.all_rows(), both);
    std::copy(both.begin() + 1, both.end(), gradient.begin());
    return both[0];
  };
  ModeResult result;
  result.theta = start;
  try {
    result.report = maximise_lbfgs(log_density, result.theta, options);
  } catch (const Interrupted&) {
    result.theta = std::move(start);
    return result;
  }
  if (result.report.reason == StopReason::start_not_finite)
    throw ModelError("the search for the mode cannot start: " + result.report.describe() +
                     "; give initial values inside the support");
  return result;
}

namespace {

template <class Options, class Maximise>
ModeResult climb_stochastically(const Model& model, const Options& options, const GradientOptions& gradient,
                                std::vector<double> start, std::uint64_t seed, Maximise maximise) {
  if (gradient.estimator == Estimator::control_variate)
    throw OptionError("control variates need the mode to be known; use minibatch, saga or svrg to find it");
  ModeResult result;
  result.theta = checked_start(model, std::move(start));
  auto estimator = make_estimator(std::make_shared<const LogPosterior>(model), gradient, seed, 0);
  result.report = maximise(*estimator, result.theta, options, 0);
  return result;
}

}  // namespace

ModeResult find_mode(const Model& model, const LbfgsOptions& options, std::vector<double> start, int threads) {
  LogPosterior posterior(model);
  ThreadPool pool(threads);
  return climb(posterior, options, checked_start(model, std::move(start)), &pool);
}

ModeResult find_mode(const Model& model, const AdamOptions& options, const GradientOptions& gradient,
                     std::vector<double> start, std::uint64_t seed) {
  return climb_stochastically(model, options, gradient, std::move(start), seed, maximise_adam);
}

ModeResult find_mode(const Model& model, const SgdOptions& options, const GradientOptions& gradient,
                     std::vector<double> start, std::uint64_t seed) {
  return climb_stochastically(model, options, gradient, std::move(start), seed, maximise_sgd);
}

}  // namespace sgmcmc
