// Successive halving over pilots, and the explanation of the choice.
#include "mode/modes.hpp"
#include "tune/candidates.hpp"
#include "tune/distance_to_normal.hpp"
#include "tune/pilot.hpp"
#include "tune/tuning_of_groups.hpp"
#include "tune/tuning_of_wide.hpp"
#include "tune/tuning_without_mode.hpp"

#include "base/text.hpp"
#include "dynamics/dynamics.hpp"
#include "dynamics/traits.hpp"
#include "model/factored_curvature.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/tuning.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace sgmcmc {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
std::string number(double x) { return formatted("%.3g", x); }

constexpr double most_work_for_nuts = 5e5;        // multiplications per gradient; a run takes about 100,000 gradients
constexpr double most_work_without_mode = 1e8;    // likewise, if no other method is accurate
constexpr double most_sd_error = 0.15;            // predicted; above it, minibatch samplers are abandoned
constexpr std::uint32_t depth_where_cheap = 12;   // tree depth if gradients do not visit all rows
constexpr double most_share_of_subset = 0.1;      // of the rows, for hmc-ecs
constexpr std::int64_t most_dimensions = 5000;    // beyond, the mode is not typical of the posterior
constexpr std::int64_t most_not_convex = 1000;    // likewise, for models that are not regressions, such as networks
constexpr double most_distance_to_normal = 1;     // beyond, the scales at the mode do not hold elsewhere
constexpr std::uint64_t fewest_iterations = 200;  // of a candidate in the first round
constexpr std::uint64_t other_draws = 0x7c15d1e5ULL;  // changes the seed, for draws independent of the run

class Tuner {
 public:
  Tuner(const Model& model, const SampleOptions& options, const TuneOptions& how)
      : start_(Clock::now()), model_(model), asked_(options), options_(options), how_(how) {
    asked_.automatic = false;
    how_.validate();
    chooses_length_ = options_.automatic && how_.length && options_.iterations == SampleOptions{}.iterations;
  }

  Tuned result() {
    const bool automatic = automatic_ = options_.automatic;
    options_.automatic = false;
    if (automatic && !options_.start_at_modes)
      if (auto marginal = tune_groups(model_, options_, how_, chooses_length_, report_.mode)) {
        marginal->report.seconds = seconds_since(start_);
        return std::move(*marginal);
      }
    if (automatic && options_.start_at_modes) return from_modes_as_asked();
    if (automatic && takes_nuts()) return with_nuts();
    if (automatic)
      if (auto exact = tune_wide(model_, options_, how_, chooses_length_)) {
        exact->report.seconds = seconds_since(start_);
        return std::move(*exact);
      }
    if (automatic) options_.method("sglm-cv");
    if (chooses_length_) plan_length();
    const bool found = find_setup();
    if (automatic && !found && collapsed_)
      if (auto exact = without_minibatches("the parameters have no joint mode, which minibatch samplers need, and the "
                                           "model has no groups that could be integrated out"))
        return std::move(*exact);
    if (automatic && !found) {
      if (auto exact = patient_trajectories()) return std::move(*exact);
      return without_mode();
    }
    if (automatic && setup_->mode_report())
      if (auto exact = from_several_modes()) return std::move(*exact);
    if (automatic) others_ = {"sghmc-cv"};
    if (!setup_) plain_setup();
    ThreadPool pool(setup_->threads());
    auto proposals = proposals_here(pool);
    for (int attempt = 0; attempt < 4; ++attempt) {
      compete(make_pilots(proposals), pool);
      if (interrupted() || !finalists_.empty()) break;
      for (auto& proposal : proposals) scale_steps(proposal.options, 1e-3);
    }
    if (automatic && !finalists_.empty() && finalists_.front()->candidate().sd_error > most_sd_error) {
      if (auto exact = patient_trajectories()) return std::move(*exact);
      const double expected = finalists_.front()->candidate().sd_error;
      if (auto exact = without_minibatches("standard deviations would be off by " + number(expected) +
                                           " with the best minibatch sampler"))
        return std::move(*exact);
    }
    return finish();
  }

 private:
  /// Made once: its sums over rows, if any, take two passes.
  const LogPosterior& posterior() {
    if (!posterior_) posterior_ = std::make_unique<const LogPosterior>(model_);
    return *posterior_;
  }
  /// Whether exact draws take at most about a minute on one core.
  bool takes_nuts() {
    if (!model_.row_log_likelihood() || model_.rows() == 0) return true;
    return gradient_work(posterior()) <= most_work_for_nuts;
  }
  Tuned with_nuts() {
    Tuned tuned;
    tuned.options = options_;
    tuned.options.method("nuts");
    // Gradients from precomputed sums over the rows are very cheap, which allows the short steps that shrinkage priors
    // need, and long trajectories along products of scales that many rows determine.
    if (posterior().has_summed_rows()) {
      auto& nuts = std::get<NutsOptions>(tuned.options.sampler);
      nuts.target_acceptance = 0.98;
      nuts.max_tree_depth = depth_where_cheap;
    }
    tuned.report.why = "nuts: with " + std::to_string(model_.rows()) + " rows and " +
                       std::to_string(model_.dimension()) +
                       " coordinates full gradients are cheap, and its draws are exact.";
    scale_nuts(tuned);
    tuned.report.seconds = seconds_since(start_);
    return tuned;
  }
  SeveralModes several_modes(const RunSetup& setup, ThreadPool& pool) const {
    const auto mode = setup.options().findings.find("mode");
    if (mode == setup.options().findings.end()) return {};  // interrupted
    return modes_that_matter(*setup.posterior(), mode->second, options_.seed, pool, options_.interrupt);
  }
  /// Samplers that rely on one mode would miss the others.
  std::optional<Tuned> from_several_modes() {
    if (asked_.precondition || gradient_work(posterior()) > most_work_without_mode) return std::nullopt;
    ThreadPool pool(setup_->threads());
    const SeveralModes several = several_modes(*setup_, pool);
    if (several.modes.size() < 2 || interrupted()) return std::nullopt;
    Tuned tuned;
    tuned.options = asked_;
    tuned.options.method("nuts");
    start_at_modes(tuned, several);
    tuned.report.seconds = seconds_since(start_);
    return tuned;
  }
  Tuned from_modes_as_asked() {
    Tuned tuned;
    tuned.options = options_;
    tuned.options.method("nuts");
    tuned.report.why = "nuts: its chains can start at several modes.";
    tuned.report.seconds = seconds_since(start_);
    return tuned;
  }
  static void start_at_modes(Tuned& tuned, const SeveralModes& several) {
    tuned.options.precondition = Precondition::none;
    tuned.options.preconditioner = nullptr;
    tuned.options.start_at_modes = true;
    tuned.report.why = "nuts, with chains that start at " + several.describe() + ".";
  }
  std::optional<Tuned> patient_trajectories() {
    auto exact = tune_wide(model_, asked_, how_, chooses_length_, WideEffort::patient);
    if (exact) exact->report.seconds = seconds_since(start_);
    return exact;
  }
  /// If minibatches are not accurate enough: hmc-ecs, if expansions describe the likelihood well, else all rows, if
  /// that takes minutes and not hours. `why`: the beginning of a sentence.
  std::optional<Tuned> without_minibatches(const std::string& why) {
    if (interrupted()) return std::nullopt;
    Tuned tuned;
    tuned.options = asked_;
    tuned.options.method("hmc-ecs");
    std::get<HmcEcsOptions>(tuned.options.sampler).max_tree_depth = depth_where_cheap;
    tuned.options.precondition.reset();
    tuned.options.preconditioner = nullptr;
    try {
      SampleOptions first = tuned.options;
      first.sink = nullptr;
      first.progress = nullptr;
      const RunSetup setup(model_, first);
      const auto found = setup.options().findings.find("subset_rows");
      if (found != setup.options().findings.end() &&
          found->second.at(0) <= most_share_of_subset * static_cast<double>(model_.rows())) {
        tuned.options.findings = setup.options().findings;
        tuned.report.why = "hmc-ecs: " + why + "; the likelihood is close to its second-order expansion, and " +
                           number(found->second.at(0)) + " rows suffice to estimate the remainder.";
        tuned.report.seconds = seconds_since(start_);
        return tuned;
      }
    } catch (const ModelError&) {  // use all rows
    }
    if (gradient_work(posterior()) > most_work_without_mode) return std::nullopt;
    options_ = asked_;
    tuned = with_nuts();
    tuned.report.why = "nuts: " + why + ".";
    return tuned;
  }
  /// Scales nuts by the curvature at the mode, if there is one: warm-up then need not learn very different scales.
  void scale_nuts(Tuned& tuned) {
    if (tuned.options.precondition) return;  // chosen by the user
    SampleOptions scaled = tuned.options;
    scaled.precondition = Precondition::diagonal;
    scaled.zero_variance = ZeroVarianceForm::none;
    try {
      const RunSetup setup(model_, scaled);
      if (!setup.mode_report() || !setup.mode_report()->converged() || !setup.preconditioner()) return;
      ThreadPool pool(setup.threads());
      if (const SeveralModes several = several_modes(setup, pool); several.found > 0)
        return start_at_modes(tuned, several);
      if (distance_to_normal(setup, pool) > most_distance_to_normal) return;
      tuned.report.mode = setup.mode_report()->describe();
      tuned.options.precondition = Precondition::diagonal;
      tuned.options.preconditioner = setup.preconditioner();
    } catch (const ModelError&) {   // no usable mode: run NUTS unscaled
    } catch (const OptionError&) {  // no usable scaling: likewise
    }
  }
  Tuned without_mode() {
    options_.method("sghmc");
    auto& sampling = options_.gradient.minibatch.sampling;
    if (sampling == RowSampling::preferential) sampling = RowSampling::without_replacement;
    auto& batch = options_.gradient.minibatch.batch_size;
    if (batch <= 0) batch = std::min(model_.rows(), default_batch_size);
    options_.precondition = Precondition::none;
    if (chooses_length_) choose_length(options_, 1.0, model_.dimension(), iterations_without_mode);
    if (how_.warmup && options_.warmup == 0) options_.warmup = options_.iterations / 2;
    plain_setup();
    SampleOptions elsewhere = setup_->options();
    elsewhere.seed ^= other_draws;
    const double left = how_.seconds > 0 ? std::max(0.01, how_.seconds - seconds_since(start_)) : 0;
    Tuned tuned = tune_without_mode(*setup_->with(elsewhere), options_, left);
    if (interrupted()) return finish();
    tuned.report.mode = report_.mode;
    tuned.report.seconds = seconds_since(start_);
    return tuned;
  }
  void plan_length() {
    SampleOptions planned = options_;
    choose_length(planned, 1.0, model_.dimension());
    options_.iterations = planned.iterations;
  }
  SampleOptions shared_options() const {
    SampleOptions first = options_;
    first.step_size(1.0);  // arbitrary: the setup does not depend on it
    first.zero_variance = ZeroVarianceForm::none;
    first.chains = 1;
    first.sink = nullptr;
    first.progress = nullptr;
    return first;
  }

  void plain_setup() {
    setup_ = std::make_shared<RunSetup>(model_, shared_options());
    if (setup_->mode_report()) report_.mode = setup_->mode_report()->describe();
  }

  /// Finds the mode, the scales there, and what else all candidates share. False if they are not usable: samplers then
  /// run without them.
  bool find_setup() {
    const SamplerTraits traits = traits_of(options_.sampler);
    if (traits.tuning->whitened_steps->empty() || !worth_a_search()) {
      if (traits.whitened_by_default) return false;
      plain_setup();
      return true;
    }
    SampleOptions first = shared_options();
    const bool asked_for = options_.precondition.has_value();
    first.precondition = options_.precondition.value_or(Precondition::automatic);
    try {
      setup_ = std::make_shared<RunSetup>(model_, first);
      if (setup_->mode_report()) report_.mode = setup_->mode_report()->describe();
      const bool found = !setup_->mode_report() || setup_->mode_report()->converged() || interrupted();
      if (found || asked_for) {
        options_.precondition = first.precondition;
        return true;
      }
    } catch (const ModelError& error) {
      if (asked_for) throw;
      report_.mode = error.what();
      collapsed_ = report_.mode.starts_with("there is no mode");
    } catch (const OptionError& error) {
      if (asked_for) throw;
      report_.mode = error.what();
    }
    if (traits.whitened_by_default) return false;
    options_.precondition = Precondition::none;
    plain_setup();
    return true;
  }

  /// For a network with thousands of weights, a mode is expensive to find and one of many. Decides by the model, not by
  /// the progress of a search, so that the options alone reproduce the run.
  bool worth_a_search() const {
    if (options_.precondition) return true;  // chosen by the user
    if (model_.dimension() > most_dimensions) return false;
    return !automatic_ || model_.dimension() <= most_not_convex || factor_curvature(LogPosterior(model_));
  }

  std::vector<Proposal> proposals_here(ThreadPool& pool) {
    SampleOptions shared = setup_->options();
    shared.precondition = options_.precondition;
    double unit = 1.0;
    if (shared.decided_precondition() == Precondition::none) {
      const auto theta = setup_->centre() ? setup_->centre()->theta : setup_->starting_point(0);
      unit = stable_step(*setup_->posterior(), theta, options_.seed, &pool);
    }
    auto proposals = proposals_for(shared, model_.rows(), unit, how_, true);
    for (const auto& method : others_) {
      SampleOptions other = shared;
      other.method(method);
      other.gradient.minibatch.sampling = shared.gradient.minibatch.sampling;
      for (auto& proposal : proposals_for(other, model_.rows(), unit, how_, false))
        proposals.push_back(std::move(proposal));
    }
    return proposals;
  }

  bool interrupted() const { return options_.interrupt && options_.interrupt->load(std::memory_order_relaxed); }

  static void scale_steps(SampleOptions& options, double factor) {
    StepSize steps = *step_size_of(options.sampler);
    for (double& step : steps.values) step *= factor;
    options.step_size(steps);
  }

  std::vector<std::unique_ptr<Pilot>> make_pilots(const std::vector<Proposal>& proposals) {
    std::vector<std::unique_ptr<Pilot>> pilots;
    for (const auto& proposal : proposals) {
      SampleOptions one = proposal.options;
      one.seed ^= other_draws;
      pilots.push_back(std::make_unique<Pilot>(setup_->with(one), proposal.method, 1.0));
    }
    const double iterations = static_cast<double>(options_.warmup + options_.iterations) * options_.chains;
    least_rows_ = pilots.front()->rows_per_iteration();
    for (const auto& pilot : pilots) least_rows_ = std::min(least_rows_, pilot->rows_per_iteration());
    run_rows_ = iterations * least_rows_;
    for (auto& pilot : pilots) pilot->set_run_rows(run_rows_);
    return pilots;
  }

  void compete(std::vector<std::unique_ptr<Pilot>> alive, ThreadPool& pool) {
    const auto rounds = static_cast<std::uint32_t>(std::ceil(std::log2(static_cast<double>(alive.size()))));
    double budget = how_.share * run_rows_, before = 0, earlier = 0;
    for (const auto& pilot : dropped_) earlier += pilot->rows_touched();  // by earlier attempts
    for (std::uint32_t round = 0; round < rounds && !alive.empty() && !interrupted(); ++round) {
      const double each = budget / static_cast<double>(rounds - round) / static_cast<double>(alive.size());
      const auto round_start = Clock::now();
      pool.for_each(alive.size(), [&](std::size_t k, int) {
        const double iterations = each / alive[k]->rows_per_iteration();
        alive[k]->run(std::max(round == 0 ? fewest_iterations : 50, static_cast<std::uint64_t>(iterations)));
      });
      double touched = -earlier;  // includes dropped candidates
      for (const auto& pilot : dropped_) touched += pilot->rows_touched();
      for (auto& pilot : alive) {
        touched += pilot->rows_touched();
        if (!pilot->candidate().diverged) pilot->candidate().rounds = round + 1;
      }
      budget = how_.seconds > 0 ? affordable(touched - before, seconds_since(round_start))
                                : how_.share * run_rows_ - touched;
      budget = std::max(0.0, budget);
      before = touched;
      std::stable_sort(alive.begin(), alive.end(),
                       [](const auto& a, const auto& b) { return a->candidate().score < b->candidate().score; });
      const std::size_t keep = round + 1 == rounds ? 1 : (alive.size() + 1) / 2;
      while (!alive.empty() && (alive.size() > keep || alive.back()->candidate().diverged)) {
        dropped_.push_back(std::move(alive.back()));
        alive.pop_back();
      }
    }
    finalists_ = std::move(alive);
  }

  /// Rows that fit in the remaining time, at the speed of the last round.
  double affordable(double round_rows, double round_seconds) {
    const double left = how_.seconds - seconds_since(start_);
    return round_rows / std::max(1e-6, round_seconds) * left;
  }

  Tuned finish() {
    Tuned tuned;
    tuned.options = options_;
    if (interrupted()) {  // chains will not start
      tuned.options.step_size(1.0);
      report_.why = "interrupted before a choice was made";
      tuned.report = report_;
      return tuned;
    }
    if (finalists_.empty())
      no_step_was_found("all step sizes tried diverged; the smallest, " +
                        number(dropped_.back()->candidate().step_size) + ", with: " + dropped_.back()->failure());
    auto& best = *finalists_.front();
    best.candidate().chosen = true;
    best.measure_discrepancy();
    tuned.options.sampler = best.options().sampler;
    tuned.options.gradient = best.options().gradient;
    tuned.options.precondition = best.options().decided_precondition();
    if (*tuned.options.precondition != Precondition::none) tuned.options.preconditioner = setup_->preconditioner();
    if (setup_->centre() && tuned.options.gradient.estimator == Estimator::control_variate)
      tuned.options.gradient.centre = setup_->centre()->theta;
    if (const auto known = setup_->options().findings.find("known_gradient"); known != setup_->options().findings.end())
      tuned.options.findings.insert(*known);
    // Candidates were compared for this budget of rows.
    if (chooses_length_) choose_length(tuned.options, best.rows_per_iteration() / least_rows_, model_.dimension());
    report_.candidates.push_back(best.candidate());
    std::stable_sort(dropped_.begin(), dropped_.end(), [](const auto& a, const auto& b) {
      return std::make_pair(-static_cast<int>(a->candidate().rounds), a->candidate().score) <
             std::make_pair(-static_cast<int>(b->candidate().rounds), b->candidate().score);
    });
    for (std::size_t k = 0; k < dropped_.size(); ++k) {
      if (k < 3) dropped_[k]->measure_discrepancy();
      report_.candidates.push_back(dropped_[k]->candidate());
    }
    for (const auto& pilot : dropped_) report_.rows_touched += pilot->rows_touched();
    report_.rows_touched += best.rows_touched();
    explain();
    report_.seconds = seconds_since(start_);
    tuned.report = report_;
    return tuned;
  }

  void explain() {
    const auto& best = report_.candidates.front();
    report_.why = best.name() + " with step size " + number(best.step_size) +
                  (model_.rows() > 0 ? " and " + std::to_string(best.batch_size) + " rows per step" : "") +
                  " has the smallest expected error of the whole run: " + number(best.score) +
                  " posterior standard deviations (sds off by " + number(best.sd_error) + ", means by " +
                  number(best.mean_error) + ", Monte Carlo " + number(best.monte_carlo) + ").";
    const auto diverged = std::count_if(report_.candidates.begin(), report_.candidates.end(),
                                        [](const auto& candidate) { return candidate.diverged; });
    if (diverged > 0) report_.why += " " + std::to_string(diverged) + " candidates diverged.";
    if (best.sd_error > most_sd_error)
      report_.why +=
          " Standard deviations will still be inaccurate: use larger minibatches, nuts, or more time for tuning.";
  }

  Clock::time_point start_;
  const Model& model_;
  SampleOptions asked_, options_;
  TuneOptions how_;
  std::unique_ptr<const LogPosterior> posterior_;
  std::shared_ptr<RunSetup> setup_;
  std::vector<std::string> others_;  // further methods to try
  bool automatic_ = false, chooses_length_ = false, collapsed_ = false;
  double run_rows_ = 1, least_rows_ = 1;
  std::vector<std::unique_ptr<Pilot>> dropped_, finalists_;
  TuningReport report_;
};

}  // namespace

void TuneOptions::validate() const {
  if (!(share > 0) || !std::isfinite(share)) throw OptionError("share of tuning must be a positive number");
  if (!(seconds >= 0) || !std::isfinite(seconds)) throw OptionError("seconds of tuning must not be negative");
}

bool needs_tuning(const SampleOptions& options) {
  if (options.automatic) return true;
  const auto* step = step_size_of(options.sampler);
  return step && step->values.empty() && !is_exact(options.sampler);
}

Tuned tune(const Model& model, const SampleOptions& options, const TuneOptions& how) {
  if (!needs_tuning(options)) return {options, {}};
  return Tuner(model, options, how).result();
}

std::string TuningCandidate::name() const {
  std::string text = method;
  if (step_per_coordinate) return text + ", step per coordinate";
  if (trajectory_length > 0) text += " L " + std::to_string(trajectory_length);
  if (friction > 0) text += ", " + number(friction);
  return text;
}

std::string TuningReport::table(std::size_t most_rows) const {
  if (candidates.empty()) return "";
  if (std::isfinite(candidates.front().log_likelihood)) return table_of_likelihoods();
  std::string text = formatted("%-18s %8s %6s %10s %7s %7s %7s %7s\n", "tried", "step", "rows", "iterations", "sds",
                               "means", "MC", "error");
  for (std::size_t k = 0; k < std::min(most_rows, candidates.size()); ++k) {
    const auto& c = candidates[k];
    text += formatted("%-18s %8s %6lld %10llu ", c.name().c_str(), number(c.step_size).c_str(),
                      static_cast<long long>(c.batch_size), static_cast<unsigned long long>(c.iterations));
    text += c.diverged ? std::string("diverged\n")
                       : formatted("%7s %7s %7s %7s%s\n", number(c.sd_error).c_str(), number(c.mean_error).c_str(),
                                   number(c.monte_carlo).c_str(), number(c.score).c_str(), c.chosen ? " *" : "");
  }
  if (candidates.size() > most_rows) text += "and " + std::to_string(candidates.size() - most_rows) + " more\n";
  return text;
}

std::string TuningReport::table_of_likelihoods() const {
  std::string text = formatted("%-22s %8s %6s %10s %14s\n", "tried", "step", "rows", "iterations", "log likelihood");
  for (const auto& c : candidates)
    text += formatted("%-22s %8s %6lld %10llu %14s%s\n", c.name().c_str(), number(c.step_size).c_str(),
                      static_cast<long long>(c.batch_size), static_cast<unsigned long long>(c.iterations),
                      c.diverged ? "diverged" : formatted("%.1f", c.log_likelihood).c_str(), c.chosen ? " *" : "");
  return text;
}

}  // namespace sgmcmc
