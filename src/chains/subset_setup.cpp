// Prepares runs of hmc-ecs: centre and expansion of the likelihood, and the number of rows needed to estimate the
// remainder.
#include "chains/setup.hpp"
#include "gradient/row_curvature.hpp"
#include "mode/curvature.hpp"
#include "mode/mode.hpp"
#include "subsets/expanded_likelihood.hpp"
#include "subsets/expanded_target.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr std::int64_t most_seen = 3000;    // numbers: the quadratic form stores their square
constexpr double weak_pull = 0.01;          // towards the start: gives weakly identified directions a maximum
constexpr std::uint32_t fewest_rows = 100;  // in a subset: its variance must be estimable
constexpr double wanted_variance = 1.0;     // of the estimated log likelihood
constexpr std::uint64_t pilot_warmup = 300, pilot_draws = 32, pilot_thin = 4;
constexpr std::uint32_t pilot_rows = 4000;
constexpr std::uint64_t other_draws = 0x3c6ef372ULL;  // changes the seed, for draws independent of the run

std::vector<double> values_of(const std::vector<Expression>& expressions, std::span<const double> theta) {
  auto executor = make_executor(std::make_shared<const Program>(compile_program(expressions, {})), Dataset{},
                                static_cast<std::int64_t>(theta.size()));
  std::vector<double> values(static_cast<std::size_t>(executor->output_size()));
  executor->set_point(Point::current, theta);
  executor->run(RowBatch{}, values);
  return values;
}

/// The likelihood, pulled weakly towards a point.
Model pulled(const Model& likelihood, const std::vector<double>& towards) {
  Expression pull(0.0);
  auto from = towards.begin();
  for (const auto& info : likelihood.parameters()) {
    const auto size = info.shape.size();
    const auto distance = info.value - constant({from, from + size}, info.shape);
    pull = pull - 0.5 * weak_pull * sum(square(distance));
    from += size;
  }
  return likelihood.with_densities(pull, likelihood.row_log_likelihood());
}

/// Variance of the remainder over rows, times N^2: that of its sum estimated from one row. Averaged over draws from
/// prior and expansion.
class SpreadOfRemainders final : public RowConsumer {
 public:
  void consume(std::uint32_t, std::uint32_t count, const double* values, std::int64_t) override {
    for (std::uint32_t i = 0; i < count; ++i) {
      sum_ += values[i];
      squares_ += values[i] * values[i];
    }
    count_ += count;
  }
  double variance() const { return (squares_ - sum_ * sum_ / count_) / (count_ - 1); }

 private:
  double sum_ = 0, squares_ = 0, count_ = 0;
};

double variance_of_one_row(const ExpandedTarget& target, std::vector<double> start, std::uint64_t seed,
                           const std::atomic<bool>* interrupt) {
  auto smooth = make_estimator(target.smooth, GradientOptions{}, seed, 0);
  auto nuts = make_dynamics(NutsOptions{}, start.size());
  nuts->initialise(start, {seed, 0, false});
  nuts->plan_warmup(pilot_warmup);
  nuts->set_interrupt(interrupt);
  auto each_row = target.posterior->executor(ProgramKind::row_log_likelihoods, {Precision::float64, 0, nullptr});
  const auto all = static_cast<std::uint32_t>(target.posterior->rows());
  std::vector<std::uint32_t> rows(std::min(all, pilot_rows));
  fill_below({seed, 0, 0, Purpose::minibatch}, all, rows);
  RowBatch batch;
  batch.count = static_cast<std::uint32_t>(rows.size());
  batch.indices = rows.data();
  double sum = 0;
  for (std::uint64_t i = 0; i < pilot_warmup + pilot_draws * pilot_thin; ++i) {
    if (!nuts->step(*smooth, i).ok()) {
      if (interrupt && interrupt->load(std::memory_order_relaxed)) return 0;
      throw ModelError("hmc-ecs: nuts on the prior and the expanded likelihood failed. Use nuts");
    }
    if (i < pilot_warmup || i % pilot_thin != 0) continue;
    SpreadOfRemainders spread;
    each_row->set_point(Point::current, nuts->position());
    each_row->run_rows(batch, spread);
    sum += spread.variance();
  }
  return static_cast<double>(all) * all * sum / pilot_draws;
}

}  // namespace

void RunSetup::find_subset_target() {
  auto& options = std::get<HmcEcsOptions>(options_.sampler);
  if (options.target) return;
  const auto start = std::chrono::steady_clock::now();
  const Model& model = posterior_->model();
  const auto seen = seen_by_rows(model);
  if (seen.size > most_seen)
    throw ModelError("hmc-ecs expands the likelihood in what rows see of the parameters, here " +
                     std::to_string(seen.size) + " numbers; it takes up to " + std::to_string(most_seen) +
                     ". Use nuts or hmc");
  ThreadPool pool(threads());
  const LogPosterior likelihood(seen.likelihood);
  SumOfExpansions sum;
  sum.centre = once("expansion_centre", [&] {
    const auto from = values_of(seen.parts, std::vector<double>(static_cast<std::size_t>(model.dimension()), 0.0));
    const LogPosterior search(pulled(seen.likelihood, from));
    const auto found = climb(search, rough_enough(options_.mode, model.rows()), from, &pool, options_.interrupt);
    if (!interrupted() && !found.report.converged())
      throw ModelError("hmc-ecs expands the likelihood around its maximum, and none was found: " +
                       found.report.describe() + ". Use nuts");
    return found.theta;
  });
  if (interrupted()) return;
  const auto size = sum.centre.size();
  const auto value_and_gradient = once("expansion_gradient", [&] {
    std::vector<double> both(size + 1);
    auto executor = likelihood.executor(ProgramKind::value_and_gradient, {Precision::float64, 0, &pool});
    executor->set_point(Point::current, sum.centre);
    executor->run(likelihood.all_rows(), both);
    return both;
  });
  sum.value = value_and_gradient.at(0);
  sum.gradient.assign(value_and_gradient.begin() + 1, value_and_gradient.end());
  sum.curvature = once("expansion_curvature", [&] {
    const auto found = row_curvature(likelihood, sum.centre, likelihood.all_rows(), &pool);
    if (!found) return negative_hessian(likelihood, sum.centre, &pool);
    return std::vector<double>(found->data(), found->data() + found->size());
  });
  auto target = std::make_shared<ExpandedTarget>();
  const Model with_rows = expanded(model, seen, sum);
  target->posterior = std::make_shared<const LogPosterior>(with_rows);
  target->smooth = std::make_shared<const LogPosterior>(with_rows.with_densities(with_rows.log_prior(), {}));
  target->subset_rows = options.subset_rows;
  if (options.subset_rows == 0) {
    const double rows =
        once("subset_rows", [&] {
          const double one =
              variance_of_one_row(*target, starting_point(0), options_.seed ^ other_draws, options_.interrupt);
          // Beyond a third of the rows, which are visited twice, using all rows costs no more.
          const double wanted = std::max<double>(fewest_rows, std::ceil(one / wanted_variance));
          return std::vector<double>{wanted > static_cast<double>(model.rows()) / 3 ? static_cast<double>(model.rows())
                                                                                    : wanted};
        }).at(0);
    target->subset_rows = static_cast<std::uint32_t>(rows);
  }
  if (!interrupted()) options.target = std::move(target);
  seconds_.mode += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace sgmcmc
