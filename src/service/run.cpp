// One run in memory, from settings to draws with a verdict.
#include "base/interrupt.hpp"
#include "dynamics/dynamics.hpp"
#include "report/summary_table.hpp"
#include "service/given/parts.hpp"
#include "service/given/settings.hpp"
#include "service/sampling/draw_warnings.hpp"
#include "service/sampling/judge.hpp"
#include "service/sampling/kept_names.hpp"
#include "service/sampling/outputs.hpp"
#include "service/sampling/rejections.hpp"
#include "service/sampling/repeat.hpp"
#include "service/sampling/run_sink.hpp"
#include "tune/candidates.hpp"

#include <sgmcmc/run.hpp>

namespace sgmcmc {
namespace {

class Run {
 public:
  Run(const StanPosterior& posterior, const RunSettings& settings, const RunHooks& hooks)
      : bound_(&posterior.bound()),
        model_(posterior.model()),
        settings_(settings),
        hooks_(hooks),
        outputs_(choose_outputs(*bound_, settings.outputs)),
        kept_(settings) {
    check_parameters(posterior.name() + ": ");
    begin(method_for(settings, *bound_), posterior.precision());
    for (const auto& text : posterior.warnings()) warn({text, "", false});
  }
  Run(const Model& model, Precision precision, const RunSettings& settings, const RunHooks& hooks)
      : model_(model), settings_(settings), hooks_(hooks), kept_(settings) {
    check_parameters("");
    begin(method_for(settings, model.row_log_likelihood() && model.rows() > 1), precision);
  }

  /// warnings: those from before the run.
  RunResult go(std::vector<RunWarning> warnings) {
    for (auto& warning : warnings) warn(std::move(warning));
    auto& options = result_.options;
    if (needs_tuning(options) && !tune_options_of_run()) return std::move(result_);
    result_.method = method_name(options);
    options.validate(model_);
    if (const std::string words = bound_ ? words_on_few_rows(*bound_) : ""; !words.empty()) warn({words, "", false});
    gradients_ =
        make_dynamics(options.sampler, static_cast<std::size_t>(model_.dimension()))->evaluations_per_iteration();
    make_draws();
    const auto promised = result_.tuning ? promised_error(*result_.tuning) : std::nullopt;
    const Repetition repetition = repetition_of(options, result_.chains, result_.verdict, promised, settings_);
    if (!repetition.text.empty()) warn({repetition.text, "", repetition.step.has_value()});
    if (repetition.step) {
      options.step_size(*repetition.step);
      make_draws();
    }
    for (auto& warning : warnings_about_draws(result_.chains, result_.left_out, some_groups_, settings_))
      warn(std::move(warning));
    if (hooks_.phase) hooks_.phase(RunPhase::done);
    return std::move(result_);
  }

 private:
  void check_parameters(const std::string& where) const {
    if (model_.dimension() == 0) throw ModelError(where + "the model has no parameters, so there is nothing to sample");
  }

  void begin(const std::string& method, Precision precision) {
    result_.options = sample_options(settings_, method, model_, precision);
    result_.options.interrupt = hooks_.interrupt;
    auto names = model_.constrained_names();
    names.insert(names.end(), outputs_.names.begin(), outputs_.names.end());
    kept_.check(names, outputs_.left_out);
  }

  template <class Work>
  auto explaining_failures(Work&& work) const {
    return bound_ ? naming_rejections(*bound_, work) : work();
  }

  void warn(RunWarning warning) {
    if (hooks_.warning) hooks_.warning(warning);
    result_.warnings.push_back(std::move(warning));
  }

  /// Returns false if interrupted.
  bool tune_options_of_run() {
    if (hooks_.phase) hooks_.phase(RunPhase::tuning);
    std::string remark;
    Tuned tuned = explaining_failures([&] { return tuned_options(settings_, model_, result_.options, remark); });
    result_.options = std::move(tuned.options);
    result_.tuning = std::move(tuned.report);
    result_.interrupted = is_interrupted(hooks_.interrupt);
    if (result_.interrupted) return false;
    if (!remark.empty()) warn({remark, "", true});
    if (hooks_.tuned) hooks_.tuned(*result_.tuning);
    return true;
  }

  void make_draws() {
    if (hooks_.phase) hooks_.phase(RunPhase::sampling);
    SampleOptions options = result_.options;
    RunSinkParts parts;
    parts.bound = bound_;
    parts.outputs = outputs_;
    parts.posterior = std::make_shared<const LogPosterior>(model_);
    parts.seed = options.seed;
    parts.log_density = log_density_wanted(settings_.log_density, options, model_, gradients_);
    parts.choose_written = kept_.chooser();
    RunSink sink(std::move(parts));
    options.sink = &sink;
    options.progress = hooks_.progress;
    result_.chains = explaining_failures([&] { return sample(model_, options); });
    sink.collect();
    some_groups_ = sink.names().size() < model_.constrained_names().size();
    result_.draws = sink.draws();
    result_.summarised = sink.summarised();
    result_.sampler = sink.sampler();
    result_.left_out = sink.left_out();
    result_.interrupted = result_.chains.interrupted;
    result_.report = report_sampler(result_.sampler, max_tree_depth(options));
    if (!sink.any_draw() || result_.interrupted) return;
    if (hooks_.phase) hooks_.phase(RunPhase::judging);
    options.thin *= sink.complete_stride();
    result_.verdict = judge_run(settings_.diagnose, settings_.threads, model_, sink.complete_draws(),
                                {&options, &result_.chains, &result_.report, gradients_});
    result_.interrupted = !result_.verdict && is_interrupted(hooks_.interrupt);
  }

  stan::BoundModel* bound_ = nullptr;  // null: the model was not written in Stan
  const Model& model_;
  const RunSettings& settings_;
  const RunHooks& hooks_;
  const ChosenOutputs outputs_;
  const KeptNames kept_;
  bool some_groups_ = false;     // the draws contain the parameters of some groups only
  std::uint64_t gradients_ = 1;  // per iteration
  RunResult result_;
};

}  // namespace

RunResult sample(const StanPosterior& posterior, const RunSettings& settings, const RunHooks& hooks) {
  std::vector<RunWarning> warnings;
  const StanPosterior own = posterior_for(posterior, settings, warnings);
  return Run(own, settings, hooks).go(std::move(warnings));
}

RunResult run_model(const Model& model, const RunSettings& settings, const RunHooks& hooks, Precision precision) {
  std::vector<RunWarning> warnings;
  const Model own = posterior_for(model, settings, warnings);
  return Run(own, precision, settings, hooks).go(std::move(warnings));
}

std::string RunResult::table(std::size_t most_rows) const {
  SummaryTableOptions how;
  how.most_rows = most_rows;
  auto rows = summary_rows(draws);
  for (const auto& [name, summary] : summarised) rows.push_back({name, summary});
  return summary_table(rows, how);
}

}  // namespace sgmcmc
