// Builds the grid of candidates from samplers and batch sizes, and the units of their step sizes.
#include "tune/candidates.hpp"

#include "data/store.hpp"
#include "dynamics/traits.hpp"
#include "minibatch/minibatcher.hpp"
#include "model/even_rows.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr std::int64_t larger_batch = 4;

double entries_of_a_row(const LogPosterior& posterior, const std::string& column) {
  const auto& view = posterior.model().data().store().column(column);
  const auto rows = posterior.rows();
  return rows > 0 ? static_cast<double>(view.row_start[rows]) / static_cast<double>(rows) : 0.0;
}

}  // namespace

std::string method_name(const SampleOptions& options) {
  const std::string sampler(sampler_name(options.sampler));
  if (takes_every_row(options.sampler) || options.gradient.estimator == Estimator::minibatch) return sampler;
  return sampler + "-" + std::string(estimator_name(options.gradient.estimator));
}

double stable_step(const LogPosterior& posterior, std::span<const double> theta, std::uint64_t seed, ThreadPool* pool,
                   std::span<const double> scale, std::int64_t most_rows) {
  constexpr int products = 12;
  const std::size_t size = theta.size();
  auto executor = posterior.executor(ProgramKind::hessian_vector, {Precision::float64, 0, pool});
  executor->set_point(Point::current, theta);
  const MinibatchOptions part = even_rows(posterior.model(), std::min(most_rows, posterior.rows()));
  std::optional<Minibatcher> rows;
  if (posterior.rows() > most_rows) rows.emplace(posterior.rows(), part, seed, 0);
  const RowBatch batch = rows ? rows->batch(0) : posterior.all_rows();
  std::vector<double> direction(size), product(size);
  const auto by_roots = [scale](std::vector<double>& x) {
    for (std::size_t d = 0; d < scale.size(); ++d) x[d] *= std::sqrt(scale[d]);
  };
  fill_normal({seed, 0, 0, Purpose::user}, direction);
  double curvature = 0;
  for (int k = 0; k < products; ++k) {
    double square = 0;
    for (const double x : direction) square += x * x;
    const double norm = std::sqrt(square);
    if (!(norm > 0) || !std::isfinite(norm)) break;
    for (double& x : direction) x /= norm;
    by_roots(direction);
    executor->set_point(Point::direction, direction);
    executor->run(batch, product);
    by_roots(product);
    double along = 0;
    for (std::size_t d = 0; d < size; ++d) along += product[d] * product[d];
    if (std::isfinite(along)) curvature = std::max(curvature, std::sqrt(along));
    direction.swap(product);
  }
  return curvature > 0 ? 1.0 / curvature : 1.0;
}

double gradient_work(const LogPosterior& posterior) {
  if (posterior.model().given_likelihood())  // unknown: assume a regression evaluated by an interpreter
    return 10.0 * static_cast<double>(posterior.rows()) * static_cast<double>(posterior.dimension() + 10);
  const auto program =
      posterior.program(posterior.has_summed_rows() ? ProgramKind::whole_gradient : ProgramKind::gradient);
  double per_row = 0, once = 0;
  for (const auto& value : program->values) {
    if (value.op() == Op::row_sparse) continue;
    double size = static_cast<double>(value.size);
    for (const int number : value.inputs) {
      const auto& input = program->values[static_cast<std::size_t>(number)];
      if (input.op() == Op::row_sparse) {  // a row has few non-zero columns
        size = entries_of_a_row(posterior, input.node().attributes.name);
        break;
      }
      size = std::max(size, static_cast<double>(input.size));
    }
    (value.per_row ? per_row : once) += size;
  }
  return per_row * static_cast<double>(posterior.rows()) + once;
}

std::vector<Proposal> proposals_for(const SampleOptions& options, std::int64_t rows, double unit,
                                    const TuneOptions& how, bool thorough) {
  std::vector<std::int64_t> batches;
  const bool minibatches = rows > 0 && options.gradient.estimator != Estimator::full;
  if (minibatches) {
    const std::int64_t given = options.gradient.minibatch.batch_size;
    const std::int64_t first = given > 0 ? given : std::min(rows, default_batch_size);
    batches.push_back(first);
    const int more = options.gradient.estimator == Estimator::minibatch ? 2 : 1;  // noisier without control variates
    for (int k = 0; how.batch_size && thorough && k < more && larger_batch * batches.back() <= rows / 2; ++k)
      batches.push_back(larger_batch * batches.back());
  } else {
    batches.push_back(options.gradient.minibatch.batch_size);
  }
  const TuningGrid grid = traits_of(options.sampler).tuning;
  std::vector<Proposal> proposals;
  for (const std::int64_t batch : batches) {
    SampleOptions one = options;
    one.gradient.minibatch.batch_size = batch;
    const double scale = (*grid.unit)(unit, static_cast<double>(rows),
                                      static_cast<double>(minibatches ? batch : std::max<std::int64_t>(1, rows)));
    const bool whitened = options.decided_precondition() != Precondition::none;
    std::span<const double> steps = whitened && !grid.whitened_steps->empty() ? grid.whitened_steps : grid.steps;
    // On preconditioned scales large steps work unless gradients are noisy; then try them with larger batches.
    if (whitened && batch != batches.front()) steps = steps.first(2);
    for (const double multiple : steps) {
      const bool several = thorough && batch == batches.front();
      const Variation may{multiple * scale, whitened, how.trajectory_length, how.friction, several};
      for (const auto& sampler : (*grid.variants)(options.sampler, may)) {
        one.sampler = sampler;
        one.step_size(multiple * scale);
        proposals.push_back({method_name(one), one});
      }
    }
  }
  return proposals;
}

void choose_length(SampleOptions& options, double relative_cost, std::int64_t dimension,
                   std::uint64_t most_iterations) {
  constexpr std::uint64_t most_draws = 10'000, fewest_draws = 100;
  constexpr std::uint64_t most_numbers = 10'000'000;  // over all chains, at about 20 characters each
  const auto iterations = static_cast<std::uint64_t>(static_cast<double>(most_iterations) / relative_cost);
  options.iterations = std::clamp(iterations, SampleOptions::exact_iterations, most_iterations);
  if (options.thin != 1) return;
  const auto of_a_draw = options.chains * static_cast<std::uint64_t>(std::max<std::int64_t>(1, dimension));
  const auto draws = std::clamp(most_numbers / of_a_draw, fewest_draws, most_draws);
  options.thin = (options.iterations + draws - 1) / draws;
}

}  // namespace sgmcmc
