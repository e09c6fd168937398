// sgmcmc sample: draws from the posterior, writes files and prints a summary.
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_input.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/run_verdict.hpp"
#include "cli/run_warnings.hpp"
#include "cli/runs.hpp"
#include "cli/sample_parts.hpp"
#include "cli/summary_output.hpp"
#include "cli/terminal.hpp"
#include "report/words.hpp"
#include "service/given/option_settings.hpp"
#include "service/pass_words.hpp"
#include "service/record/run_json.hpp"
#include "service/reports/run_report.hpp"
#include "service/sample_run.hpp"
#include "service/sampling/draw_warnings.hpp"
#include "service/sampling/judge.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <memory>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// "settled after 500 to 1000 iterations of warm-up"; empty if the user gave the length or there is no warm-up.
std::string words_on_warmup(const SampleOptions& options, const SampleResult& result) {
  const std::uint64_t most = most_warmup(result);
  if (!options.find_warmup || options.warmup > 0 || most == 0) return "";
  if (const std::string drifting = words_on_unsettled(result); !drifting.empty()) return drifting;
  std::uint64_t least = most;
  for (const auto& chain : result.warmup) least = std::min(least, chain.iterations);
  return "settled after " + (least < most ? std::to_string(least) + " to " : "") + std::to_string(most) +
         " iterations of warm-up";
}

std::string closing_line(const SampleRun& run, const StanPosterior& posterior, RunFolder& folder) {
  const SampleOptions& options = run.options;
  const SampleResult& result = run.result;
  const MemoryDraws& draws = run.draws;
  const SamplerReport& sampler = run.sampler;
  const std::string asked = std::to_string(options.iterations / options.thin);
  std::string count = asked + " draws";
  if (result.interrupted) {  // chains may have different lengths
    std::size_t least = options.iterations, most = 0;
    for (std::size_t chain = 0; chain < options.chains; ++chain) {
      const std::size_t made = chain < draws.chains() ? draws.draws(chain) : 0;
      least = std::min(least, made);
      most = std::max(most, made);
    }
    count = (least < most ? std::to_string(least) + " to " : "") + std::to_string(most) + " of " + asked + " draws";
  }
  std::string text = run.method + ", " + std::to_string(options.chains) + (options.chains == 1 ? " chain" : " chains") +
                     " of " + count;
  if (options.gradient.estimator != Estimator::full && !posterior.row_axis().empty())
    text += ", minibatches of " + std::to_string(options.gradient.minibatch.batch_size) + " of " +
            std::to_string(run.rows) + " rows";
  if (run.part)
    text +=
        ", part " + run.part->text() + " of the rows with the prior to the power 1/" + std::to_string(run.part->parts);
  if (sampler.subset_variance > 0)  // else every subset contained all rows
    text +=
        ", subsets of rows (which shift means by at most " + digits_text(sampler.subset_error, 1) + " posterior sds)";
  if (const std::string warmup = words_on_warmup(options, result); !warmup.empty()) text += ", " + warmup;
  text += ", " + digits_text(result.seconds, 3) + " s";
  if (run.tuning_seconds > 0) text += " after " + digits_text(run.tuning_seconds, 3) + " s of tuning";
  if (folder.exists())
    text += (folder.record().contains("kept") ? "; draws and summary.csv in " : "; draws in ") + folder.path().string();
  return wrapped(text, terminal_width(), 0) + "\n";
}

/// The JSON members besides the summary: how the draws were made, and the verdict.
Json about_run(const SampleRun& run, const StanPosterior& posterior, RunFolder& folder, const RunWarnings& warnings) {
  const SampleOptions& options = run.options;
  const SampleResult& result = run.result;
  Json about = {{"method", run.method}};
  about["chains"] = options.chains;
  about["iterations"] = options.iterations;
  about["warmup"] = most_warmup(result);
  about["settled"] = words_on_unsettled(result).empty();
  about["thin"] = options.thin;
  about["seed"] = options.seed;
  if (const std::string step = step_text(options); !step.empty())
    about["step_size"] = number_from(step) ? Json(*number_from(step)) : Json(step);
  if (run.part) about["subposterior"] = run.part->text();
  if (!posterior.row_axis().empty()) about["rows"] = run.rows;
  if (!posterior.row_axis().empty() && options.gradient.estimator != Estimator::full)
    about["batch_size"] = options.gradient.minibatch.batch_size;
  about["seconds"] = result.seconds;
  about["interrupted"] = result.interrupted;
  if (folder.exists()) about["folder"] = folder.path().string();
  auto& record = folder.record();
  if (record.contains("kept")) about["kept"] = record["kept"];
  if (record.contains("tuning")) about["tuning"] = record["tuning"];
  if (!result.reductions.empty()) about["step_reductions"] = reductions_json(result.reductions);
  about["warnings"] = warnings.all();
  if (run.verdict) about["verdict"] = verdict_json(*run.verdict);
  return about;
}

/// If the report cannot be written, warns only: the run is complete.
void write_report_of(const OptionValues& values, const RunFolder& folder) {
  if (!values.flag("report") || !folder.exists()) return;
  RunReportOptions options;
  options.threads = values.threads();
  options.diagnose = false;  // the run has already judged its draws, unless told not to
  const fs::path path = folder.path() / "report.html";
  std::cout.flush();
  try {
    write_report(path, report_on_run({folder.path()}, options));
    if (!values.flag("quiet") && !values.flag("json")) std::cout << "report: " << path.string() << "\n";
  } catch (const Error& error) {
    std::cerr << "sgmcmc: warning: cannot write the report: " << error.what() << "\n";
  }
}

int interrupted_in_tuning(const RunFolder& folder) {
  std::string next;
  if (folder.started()) {
    next = ". To continue: " + folder.how_to_resume();
  } else if (folder.exists()) {
    next = "; '" + folder.path().string() + "' is unchanged";
  }
  std::cout.flush();
  std::cerr << "sgmcmc: interrupted while tuning, before the first draw" << next << "\n";
  return interrupted_status;
}

/// Shows a run on the terminal while it is running.
class RunDisplay {
 public:
  RunDisplay(const OptionValues& values, const ModelInput& input, RunWarnings& warnings)
      : values_(values), input_(input), warnings_(warnings), shown_(stderr_is_terminal() && !values.flag("quiet")) {}

  RunHooks hooks(const std::atomic<bool>* interrupt) {
    RunHooks hooks;
    hooks.interrupt = interrupt;
    hooks.phase = [this](RunPhase phase) { begin(phase); };
    hooks.tuned = [this](const TuningReport& report) { show_tuning(report); };
    hooks.decided = [this](const SampleOptions& options, std::uint64_t gradients) { decide(options, gradients); };
    hooks.warning = [this](const RunWarning& warning) {
      if (display_) display_->clear();
      warnings_.add({warning});
    };
    if (!shown_) return hooks;
    hooks.progress = [this](const Progress& progress) { display_->show(progress); };
    hooks.log_density = [this](std::size_t chain, double value) { display_->set_log_density(chain, value); };
    return hooks;
  }

 private:
  void begin(RunPhase phase) {
    display_.reset();
    const bool sampling = phase == RunPhase::sampling;
    if (phase != RunPhase::done)
      display_ = std::make_unique<ProgressDisplay>(terminal_stream(), shown_, sampling ? chains_ : 0,
                                                   sampling ? gradients_ : 0);
    if (display_) display_->watch([model = input_.posterior.model()] { return pass_words(model); });
    switch (phase) {
      case RunPhase::tuning: return display_->say("tuning the sampler ...");
      case RunPhase::sampling: return display_->say(finds_mode_ ? "finding the mode ..." : "starting ...");
      case RunPhase::likelihoods: return display_->say("computing the log likelihoods of rows ...");
      case RunPhase::judging: return display_->say("judging the draws ...");
      case RunPhase::done: return;
    }
  }

  void show_tuning(const TuningReport& report) {
    display_.reset();
    if (values_.flag("quiet") || values_.flag("json")) return;
    std::cout << report.table() << wrapped(report.why, terminal_width(), 0) << "\n\n";
    std::cout.flush();
  }

  void decide(const SampleOptions& options, std::uint64_t gradients) {
    chains_ = options.chains;
    gradients_ = gradients;
    finds_mode_ = options.gradient.estimator == Estimator::control_variate;
    warnings_.add(values_, input_.posterior.warnings());
    for (const auto& text : options_without_effect(values_, options)) warnings_.warn(text);
  }

  const OptionValues& values_;
  const ModelInput& input_;
  RunWarnings& warnings_;
  const bool shown_;
  std::size_t chains_ = 0;
  std::uint64_t gradients_ = 0;
  bool finds_mode_ = false;
  std::unique_ptr<ProgressDisplay> display_;
};

/// Refuses a single part under mpirun: the other ranks bind all rows, not those of a part.
void refuse_part_on_ranks(const OptionValues& values, const RankJob* ranks) {
  if (ranks && values.given("subposterior"))
    throw UsageError(
        "--subposterior: a single part runs in one process: start it without mpirun. On several ranks, "
        "all/PARTS samples all parts");
}

}  // namespace

int run_sample(const OptionValues& values, RankJob* ranks) {
  if (const auto all = all_parts(values)) return sample_all_parts(values, *all, ranks);
  RunFolder folder(values, model_path(values));
  return sample_into(folder, values, ranks);
}

int sample_into(RunFolder& folder, const OptionValues& values, RankJob* ranks) {
  refuse_part_on_ranks(values, ranks);
  if (ranks) tell_model(*ranks, values, model_path(values));
  const ModelInput input = load_model(values, own_share_of_rows(values, ranks));
  RunWarnings warnings(values);
  InterruptWatch watch;
  RunDisplay display(values, input, warnings);
  const SampleRun run = sgmcmc::run_sample(values, input.posterior, folder, display.hooks(watch.flag()),
                                           ranks ? ranks->leader() : nullptr);
  if (run.interrupted_in_tuning) return interrupted_in_tuning(folder);
  const SampleResult& result = run.result;
  const auto& verdict = run.verdict;
  const auto warn_of_draws = [&] {
    const bool some_groups = run.names.size() < input.posterior.model().constrained_names().size();
    warnings.add(warnings_about_draws(result, run.left_out, some_groups, run_settings(values)));
  };
  const bool json = values.flag("json");
  if (json) warn_of_draws();  // JSON includes the warnings; a table comes before them
  if (run.any_draw) {
    const auto about = json ? about_run(run, input.posterior, folder, warnings) : Json();
    DrawsFacts facts{result.seconds, run.sampler, result.zero_variance, run.all_names, verdict.has_value()};
    if (!run.writes_all) {
      facts.names = run.names;
      facts.summarised = run.summarised;
    }
    print_summary(values, run.draws, facts, about);
  }
  if (!json && !values.flag("quiet")) std::cout << "\n" << closing_line(run, input.posterior, folder);
  if (!json) warn_of_draws();
  if (verdict && !values.flag("quiet") && !values.flag("json")) {
    std::cerr.flush();
    const std::string more = !folder.exists()            ? ""
                             : run.writes_all_parameters ? "sgmcmc diagnose " + folder.path().string()
                                                         : (folder.path() / "run.json").string();
    std::cout << verdict_text(*verdict, more);
  }
  if (run.any_draw) write_report_of(values, folder);
  if (!result.interrupted) return exit_status(values, verdict);
  std::cout.flush();
  std::cerr << "sgmcmc: interrupted; " << (run.any_draw ? "the summary covers the draws made so far" : "no draws yet")
            << (folder.exists() && run.any_draw ? ", which are in " + folder.path().string() : "")
            << (folder.exists() ? ". To continue: " + folder.how_to_resume() : "") << "\n";
  return interrupted_status;
}

}  // namespace sgmcmc::cli
