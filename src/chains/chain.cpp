// One chain: estimator, dynamics and divergence checks.
#include "base/state_bytes.hpp"
#include "base/text.hpp"
#include "chains/divergence.hpp"
#include "chains/draw_gradient_tap.hpp"
#include "chains/gradient_recorder.hpp"
#include "chains/setup.hpp"
#include "dynamics/dynamics.hpp"
#include "dynamics/whitened.hpp"
#include "mode/some_rows.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

std::string four_digits(double x) { return formatted("%.4g", x); }

/// The coordinates watched for divergence: all of a small model, some of each parameter of a large one, to keep the
/// check cheap. Non-finite values are detected in every coordinate.
std::vector<std::size_t> watched_coordinates(const Model& model) {
  constexpr std::int64_t most = 4096;
  const auto share = std::max<std::int64_t>(16, most / static_cast<std::int64_t>(model.parameters().size()));
  std::vector<std::size_t> watched;
  for (const auto& info : model.parameters()) {
    const std::int64_t step = model.dimension() <= most ? 1 : (info.unconstrained_size + share - 1) / share;
    for (std::int64_t i = 0; i < info.unconstrained_size; i += step)
      watched.push_back(static_cast<std::size_t>(info.offset + i));
  }
  return watched;
}

/// A kernel's state as an array of doubles; counts are small enough to be exact.
class MarkTaker final : public StateVisitor {
 public:
  explicit MarkTaker(std::vector<double>& to) : to_(to) { to_.clear(); }
  void visit(std::string_view, double& value) override { to_.push_back(value); }
  void visit(std::string_view, std::uint64_t& value) override { to_.push_back(static_cast<double>(value)); }
  void visit(std::string_view, std::vector<double>& values) override {
    to_.push_back(static_cast<double>(values.size()));
    to_.insert(to_.end(), values.begin(), values.end());
  }

 private:
  std::vector<double>& to_;
};

class MarkGiver final : public StateVisitor {
 public:
  explicit MarkGiver(const std::vector<double>& from) : from_(from.data()) {}
  void visit(std::string_view, double& value) override { value = *from_++; }
  void visit(std::string_view, std::uint64_t& value) override { value = static_cast<std::uint64_t>(*from_++); }
  void visit(std::string_view, std::vector<double>& values) override {
    const auto size = static_cast<std::ptrdiff_t>(*from_++);
    values.assign(from_, from_ + size);
    from_ += size;
  }

 private:
  const double* from_;
};

double schedule_multiplier(const SamplerOptions& options, std::uint64_t iteration) {
  return std::visit(
      [&](const auto& sampler) {
        if constexpr (requires { sampler.schedule; }) return sampler.schedule.multiplier(iteration);
        return 1.0;
      },
      options);
}

/// The sampler with its step size multiplied by `factor`.
SamplerOptions with_smaller_steps(SamplerOptions options, double factor) {
  std::visit(
      [&](auto& sampler) {
        if constexpr (requires { sampler.alpha; })
          sampler.alpha = std::max(sampler.alpha, 0.5) / std::sqrt(factor);  // alpha = 2 / sqrt(step size)
        else if constexpr (requires { sampler.step_size; })
          for (double& step : sampler.step_size.values) step *= factor;
      },
      options);
  return options;
}

}  // namespace

struct Chain::State {
  std::shared_ptr<RunSetup> setup;
  std::uint32_t chain;
  ThreadPool pool;
  std::unique_ptr<GradientEstimator> estimator;
  DrawGradientTap* tap = nullptr;  // the estimator, if draws wait for gradients from later steps
  ZeroVariance zero_variance;      // without a tap
  std::unique_ptr<Dynamics> dynamics;
  std::unique_ptr<Executor> to_values;
  std::unique_ptr<Executor> density;
  std::vector<DivergenceWatch> watches;  // one per interleaved chain of hamcmc
  std::vector<double> values;
  std::vector<double> density_and_gradient;
  std::uint64_t iteration = 0;
  double steps_shrink_for = 0;                  // length of an annealing schedule; 0: none
  double step_factor = 1.0;                     // for the step size of the options; below 1 after a divergence
  std::uint64_t values_at = ~std::uint64_t{0};  // the iteration that values belong to
  std::string warning;                          // about the first divergence, if divergences do not end the chain

  State(std::shared_ptr<RunSetup> shared, std::uint32_t number)
      : setup(std::move(shared)), chain(number), pool(setup->threads_per_chain()) {
    const auto& options = setup->options();
    const auto& posterior = setup->posterior();
    make_estimators();
    const auto start = is_marginal(options.sampler) ? setup->marginal_start(chain)
                       : is_exact(options.sampler)  ? point_of_finite_density()
                       : setup->preconditioner()    ? point_near_centre()
                                                    : setup->starting_point(chain);
    begin(start, options.sampler);
    to_values = make_executor(setup->values_program(), Dataset{}, posterior->dimension());
    values.resize(setup->names().size());
  }

  void make_estimators() {
    const auto& options = setup->options();
    tap = nullptr;
    estimator = make_estimator(setup->posterior(), options.gradient, options.seed, chain, setup->centre(), &pool);
    follow_gradients();
  }

  /// Resets dynamics and divergence checks to their initial state.
  void begin(std::span<const double> start, const SamplerOptions& sampler_options) {
    const auto& options = setup->options();
    dynamics = make_dynamics(sampler_options, start.size());
    if (setup->preconditioner()) dynamics = make_whitened(std::move(dynamics), setup->preconditioner());
    dynamics->initialise(start, {options.seed, chain, options.gradient.precision == Precision::float32});
    dynamics->plan_warmup(options.warmup);
    dynamics->set_interrupt(options.interrupt);
    dynamics->set_pool(&pool);
    watches.clear();
    std::visit(
        [&](const auto& sampler) {
          const auto watched = watched_coordinates(setup->posterior()->model());
          if constexpr (requires { sampler.alpha; }) {
            watches.emplace_back(start, std::span<const double>(), 1.0, true, watched);
          } else if constexpr (requires { sampler.schedule; }) {  // exact samplers reject diverging proposals
            std::size_t interleaved = 1;
            if constexpr (requires { sampler.history; }) interleaved = sampler.history;
            const auto steps = static_cast<double>(dynamics->evaluations_per_iteration());
            const bool constant = sampler.schedule.kind == Schedule::Kind::constant;
            if (sampler.schedule.kind == Schedule::Kind::annealing) steps_shrink_for = sampler.schedule.exponent;
            for (std::size_t k = 0; k < interleaved; ++k)
              watches.emplace_back(start, sampler.step_size.values, steps, constant, watched);
          }
        },
        sampler_options);
  }

  void follow_gradients() {
    const auto& options = setup->options();
    if (setup->zero_variance() == ZeroVarianceForm::none) return;
    const std::size_t functions = setup->names().size();
    zero_variance = ZeroVariance(setup->zero_variance(), estimator->dimension(), functions, options.chains);
    const std::size_t lag = gradient_lag(options.sampler).value_or(0);
    if (lag == 0) return;
    auto with_tap = std::make_unique<DrawGradientTap>(std::move(estimator), zero_variance, lag, functions);
    tap = with_tap.get();
    estimator = std::move(with_tap);
  }

  /// Draws random starts until one has a finite density and gradient.
  std::vector<double> point_of_finite_density() {
    constexpr std::uint64_t most = 100;
    std::vector<double> theta, gradient(static_cast<std::size_t>(setup->posterior()->dimension()));
    double log_density = 0;
    for (std::uint64_t attempt = 0; attempt < most; ++attempt) {
      auto next = setup->starting_point(chain, attempt);
      if (next == theta) break;  // not random
      theta = std::move(next);
      log_density = estimator->log_density(theta, gradient);
      if (std::isfinite(log_density) &&
          std::all_of(gradient.begin(), gradient.end(), [](double g) { return std::isfinite(g); }))
        return theta;
    }
    const auto bad = std::find_if(gradient.begin(), gradient.end(), [](double g) { return !std::isfinite(g); });
    throw ModelError("chain " + std::to_string(chain + 1) +
                     ": no starting point found: the log density or its gradient is not finite at any of the points "
                     "tried (at the last, log density " +
                     four_digits(log_density) +
                     (bad == gradient.end()
                          ? std::string()
                          : ", gradient for " + name_of(static_cast<std::size_t>(bad - gradient.begin())) + " " +
                                four_digits(*bad)) +
                     "). Give initial values inside the support of the model, or a smaller initial_radius (it is " +
                     four_digits(setup->options().initial_radius) + ")");
  }

  /// A draw from the normal approximation, moved towards the centre if its density is not finite or far below that of
  /// the approximation.
  std::vector<double> point_near_centre() {
    constexpr std::uint64_t most = 10;
    const auto& centre = setup->preconditioner()->centre;
    const double furthest = -20.0 - 3.0 * static_cast<double>(centre.size());
    const bool given = !setup->options().initial.empty();
    const bool by_slice = slices_stand_for_all(setup->posterior()->model());
    const double least = by_slice ? furthest : log_density_at(centre) + furthest;
    for (std::uint64_t attempt = 0; attempt < most; ++attempt) {
      auto theta = setup->starting_point(chain, attempt);
      if (given || (by_slice ? density_over_centre(theta) : log_density_at(theta)) > least) return theta;
    }
    return centre;
  }
  /// The log density relative to that at the centre, from a slice of the rows: the gradient of all rows at the centre
  /// is known, or zero at a mode, so that only what is beyond first order has to be estimated.
  double density_over_centre(std::span<const double> theta) {
    constexpr double enough_rows = 1e5;
    const auto& posterior = *setup->posterior();
    const SomeRows rows(posterior, enough_rows);
    const auto executor = posterior.executor(ProgramKind::value_and_gradient, {Precision::float64, 0, &pool});
    const auto& centre = setup->preconditioner()->centre;
    std::vector<double> there(theta.size() + 1), here(theta.size() + 1);
    executor->set_point(Point::current, centre);
    executor->run(rows.batch(), there);
    executor->set_point(Point::current, theta);
    executor->run(rows.batch(), here);
    const auto& known = setup->centre();
    const bool is_known = known && known->theta == centre;
    double difference = here[0] - there[0];
    for (std::size_t d = 0; d < theta.size(); ++d)
      difference += ((is_known ? known->gradient[d] : 0.0) - there[d + 1]) * (theta[d] - centre[d]);
    return difference;
  }
  double log_density_at(std::span<const double> theta) {
    if (!density) {
      density = setup->posterior()->executor(ProgramKind::value_and_gradient, {Precision::float64, 0, &pool});
      density_and_gradient.resize(theta.size() + 1);
    }
    density->set_point(Point::current, theta);
    density->run(setup->posterior()->all_rows(), density_and_gradient);
    return density_and_gradient[0];
  }

  /// what: such as "the gradient of beta[1] is not finite"; `iteration` counts from 1.
  [[noreturn]] void diverged(std::uint64_t iteration_number, const std::string& what) const {
    throw DivergenceError(divergence_text(iteration_number, what));
  }
  std::string divergence_text(std::uint64_t iteration_number, const std::string& what) const {
    const double step =
        dynamics->last_step_size() / schedule_multiplier(setup->options().sampler, iteration_number - 1);
    return ("chain " + std::to_string(chain + 1) + " diverged at iteration " + std::to_string(iteration_number) + ": " +
            what + ". Try " +
            (step_size_of(setup->options().sampler)
                 ? "a smaller step size (it is " + four_digits(step) + "; try " + four_digits(step / 10) + ")"
                 : "a larger alpha") +
            ", a start nearer to the mode, a larger minibatch, or control variates (-cv)");
  }
  std::string name_of(std::size_t coordinate) const {
    return setup->posterior()->model().unconstrained_names()[coordinate];
  }
};

Chain::Chain(const Model& model, const SampleOptions& options, std::uint32_t chain)
    : Chain(std::make_shared<RunSetup>(model, options), chain) {}

Chain::Chain(std::shared_ptr<RunSetup> setup, std::uint32_t chain, RecordedGradients* record) {
  state_ = std::make_unique<State>(std::move(setup), chain);
  if (!record) return;
  auto& estimator = state_->estimator;
  estimator = std::make_unique<GradientRecorder>(
      std::move(estimator), *record, std::max<std::uint64_t>(1, state_->dynamics->evaluations_per_iteration()));
}

Chain::~Chain() = default;
Chain::Chain(Chain&&) noexcept = default;

bool Chain::step() {
  State& s = *state_;
  const auto status = s.dynamics->step(*s.estimator, s.iteration);
  if (status.failure == StepFailure::interrupted) return false;
  const auto position = s.dynamics->position();
  if (status.failure == StepFailure::gradient_not_finite)
    s.diverged(s.iteration + 1, "the gradient for " + s.name_of(status.coordinate) +
                                    " is not finite, from a position of " + four_digits(position[status.coordinate]));
  if (!status.ok())
    s.diverged(s.iteration + 1, "parameter " + s.name_of(status.coordinate) + " is no longer finite; before it was " +
                                    four_digits(position[status.coordinate]));
  ++s.iteration;
  if (s.watches.empty()) return true;
  auto& watch = s.watches[s.iteration % s.watches.size()];
  if (s.steps_shrink_for > 0) watch.set_constant_step(static_cast<double>(s.iteration) > s.steps_shrink_for);
  std::size_t culprit = 0;
  const auto move = s.dynamics->move_beside_noise();
  const auto divergence =
      move.empty() ? watch.sees(position, s.dynamics->last_step_size(), culprit) : watch.sees_move(move, culprit);
  if (divergence == Divergence::none) return true;
  if (!move.empty()) culprit = s.dynamics->coordinate_of_move(culprit);
  const std::string what =
      std::string(divergence == Divergence::growing ? "moves grow without bound; parameter "
                                                    : "moves far larger than the noise undo each other; parameter ") +
      s.name_of(culprit) + " is " + four_digits(position[culprit]) +
      (s.setup->posterior()->model().log_jacobian() ? " on the unconstrained scale" : "");
  if (s.setup->options().watch_divergence) s.diverged(s.iteration, what);
  if (s.warning.empty()) s.warning = s.divergence_text(s.iteration, what);
  return true;
}

const std::string& Chain::warning() const { return state_->warning; }
std::uint64_t Chain::iteration() const { return state_->iteration; }
std::span<const double> Chain::position() const { return state_->dynamics->position(); }
const std::vector<std::string>& Chain::names() const { return state_->setup->names(); }
double Chain::last_step_size() const { return state_->dynamics->last_step_size(); }
double Chain::draw_weight() const {
  const bool by_step = step_size_of(state_->setup->options().sampler) != nullptr;
  return state_->dynamics->draw_weight() / (by_step ? state_->step_factor : 1.0);
}
double Chain::draw_step_size() const { return state_->dynamics->draw_weight(); }
std::span<const double> Chain::statistics() const { return state_->dynamics->statistics(); }

std::span<const double> Chain::values() {
  State& s = *state_;
  if (s.values_at != s.iteration) s.dynamics->fill_in_draw(s.iteration);
  s.to_values->set_point(Point::current, s.dynamics->position());
  s.to_values->run(RowBatch{}, s.values);
  s.values_at = s.iteration;
  return s.values;
}

void Chain::keep_draw() {
  State& s = *state_;
  if (s.setup->zero_variance() == ZeroVarianceForm::none) return;
  if (s.values_at != s.iteration) values();
  const auto position = s.dynamics->position();
  if (s.tap)
    s.tap->announce(position, s.values, draw_weight());
  else if (const auto gradient = s.dynamics->gradient_here(); !gradient.empty())
    s.zero_variance.add(position, gradient, s.values, draw_weight());
}

const ZeroVariance& Chain::zero_variance() const { return state_->tap ? state_->tap->sums() : state_->zero_variance; }

double Chain::log_posterior() { return state_->log_density_at(state_->dynamics->position()); }

void Chain::mark(ChainMark& mark) {
  MarkTaker taker(mark.numbers);
  state_->dynamics->visit_state(taker);
  mark.iteration = state_->iteration;
}

void Chain::return_to(const ChainMark& mark, double factor) {
  State& s = *state_;
  s.step_factor = factor;
  s.make_estimators();
  std::vector<double> start(s.dynamics->position().begin(), s.dynamics->position().end());
  s.begin(start, with_smaller_steps(s.setup->options().sampler, factor));
  MarkGiver giver(mark.numbers);
  s.dynamics->visit_state(giver);
  s.iteration = mark.iteration;
  s.values_at = ~std::uint64_t{0};
  // Restart the divergence checks at the new position.
  start.assign(s.dynamics->position().begin(), s.dynamics->position().end());
  for (auto& watch : s.watches) watch.starts_from(start);
}

void Chain::visit_state(StateVisitor& visitor) {
  State& s = *state_;
  visitor.visit("iteration", s.iteration);
  const double factor = s.step_factor;
  visitor.visit("step_factor", s.step_factor);
  if (s.step_factor != factor) {  // restored state of a chain that had diverged
    const std::vector<double> start(s.dynamics->position().begin(), s.dynamics->position().end());
    s.begin(start, with_smaller_steps(s.setup->options().sampler, s.step_factor));
  }
  s.dynamics->visit_state(visitor);
  s.estimator->visit_state(visitor);  // includes the tap
  s.zero_variance.visit_state(visitor);
  for (auto& watch : s.watches) watch.visit_state(visitor);
  s.values_at = ~std::uint64_t{0};
}

std::string Chain::save() {
  StateWriter writer;
  visit_state(writer);
  return writer.take();
}

void Chain::restore(std::string_view state) {
  StateReader reader(state);
  visit_state(reader);
  reader.finish();
}

}  // namespace sgmcmc
