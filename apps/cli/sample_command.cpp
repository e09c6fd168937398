// sgmcmc sample: a run from options to draws, files and a summary.
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "cli/chosen_names.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_input.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/row_likelihoods.hpp"
#include "cli/run_failure.hpp"
#include "cli/run_folder.hpp"
#include "cli/run_record.hpp"
#include "cli/run_sink.hpp"
#include "cli/run_verdict.hpp"
#include "cli/run_warnings.hpp"
#include "cli/runs.hpp"
#include "cli/settings.hpp"
#include "cli/summary_output.hpp"
#include "cli/terminal.hpp"
#include "cli/tuning_output.hpp"
#include "cli/words.hpp"
#include "draws/netcdf.hpp"
#include "dynamics/dynamics.hpp"
#include "run/candidates.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/tuning.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <optional>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string short_number(double x) { return formatted("%.3g", x); }

/// Whether lp__ is computed at every draw. Decided by counts, never by the clock: a run repeats exactly.
bool log_density_wanted(const OptionValues& values, const SampleOptions& options, const Model& model,
                        std::uint64_t gradients_per_iteration) {
  const std::string wish = values.text("log-density");
  if (wish != "auto") return wish == "always";
  const auto rows = static_cast<double>(model.rows());
  const double per_gradient =
      options.gradient.estimator == Estimator::full ? rows : static_cast<double>(options.gradient.minibatch.batch_size);
  return rows <= per_gradient * static_cast<double>(gradients_per_iteration) * static_cast<double>(options.thin);
}

/// As --step-size reads it, to the last digit.
std::string step_text(const SampleOptions& options) {
  for (const auto& option : describe_options(options.sampler))
    if (option.name == "step_size") return option.default_text;  // as it is set
  return "";
}

/// As step_text(), for a line of comment: of thousands of steps the range.
std::string short_step_text(const SampleOptions& options) {
  constexpr std::size_t most = 100;
  const auto* step = step_size_of(options.sampler);
  if (!step || step->values.size() <= most) return step_text(options);
  const auto [least, largest] = std::minmax_element(step->values.begin(), step->values.end());
  return std::to_string(step->values.size()) + " from " + short_number(*least) + " to " + short_number(*largest) +
         ", in run.json";
}

StanCsvHeader csv_header(const OptionValues& values, const SampleOptions& options, const std::string& method,
                         const ModelInput& input) {
  StanCsvHeader header;
  header.model = fs::path(input.path).stem().string();
  header.method = method;
  header.iterations = options.iterations;
  header.warmup = options.warmup;
  header.thin = options.thin;
  header.seed = options.seed;
  header.data_file = joined(values.texts("data"), " ");
  header.settings = {{"step_size", short_step_text(options)},
                     {"batch_size", std::to_string(options.gradient.minibatch.batch_size)},
                     {"precision", values.text("precision")}};
  for (const auto& option : describe_options(options.sampler))
    if (option.name != "step_size") header.settings.emplace_back(option.name, option.default_text);  // as they are set
  return header;
}

std::string closing_line(const SampleOptions& options, const std::string& method, const stan::BoundModel& bound,
                         const SampleResult& result, const MemoryDraws& draws, const SamplerReport& sampler,
                         double tuning_seconds, const RunFolder& folder) {
  const std::string asked = std::to_string(options.iterations / options.thin);
  std::string count = asked + " draws";
  if (result.interrupted) {  // chains were stopped wherever they were
    std::size_t least = options.iterations, most = 0;
    for (std::size_t chain = 0; chain < options.chains; ++chain) {
      const std::size_t made = chain < draws.chains() ? draws.draws(chain) : 0;
      least = std::min(least, made);
      most = std::max(most, made);
    }
    count = (least < most ? std::to_string(least) + " to " : "") + std::to_string(most) + " of " + asked + " draws";
  }
  std::string text =
      method + ", " + std::to_string(options.chains) + (options.chains == 1 ? " chain" : " chains") + " of " + count;
  if (options.gradient.estimator != Estimator::full && !bound.row_axis().empty())
    text += ", minibatches of " + std::to_string(options.gradient.minibatch.batch_size) + " of " +
            std::to_string(bound.rows()) + " rows";
  if (sampler.subset_variance > 0)  // else every subset was all rows
    text += ", subsets of rows (by that, means are off by at most " + formatted("%.1g", sampler.subset_error) +
            " posterior sds)";
  text += ", " + short_number(result.seconds) + " s";
  if (tuning_seconds > 0) text += " after " + short_number(tuning_seconds) + " s of tuning";
  if (folder.exists()) text += "; draws in " + folder.path().string();
  return wrapped(text, terminal_width(), 0) + "\n";
}

Json json_of(const std::vector<StepReduction>& reductions) {
  auto list = Json::array();
  for (const auto& reduction : reductions)
    list.push_back({{"chain", reduction.chain + 1},
                    {"diverged_at", reduction.diverged_at},
                    {"back_to", reduction.back_to},
                    {"step_factor", reduction.factor}});
  return list;
}

Json json_of(const std::vector<LeftOut>& left_out) {
  auto list = Json::array();
  for (const auto& one : left_out) {
    list.push_back({{"name", one.name}, {"draws", one.draws}});
    if (one.draws > 0) {  // else the run that goes on has not come there again
      list.back()["first_chain"] = one.chain + 1;
      list.back()["first_draw"] = one.draw;
    }
    list.back()["reason"] = one.reason;
  }
  return list;
}

/// What --json has beside the summary: how the draws were made, and whether to trust them.
Json json_of(const SampleOptions& options, const std::string& method, const stan::BoundModel& bound,
             const SampleResult& result, RunFolder& folder, const RunWarnings& warnings,
             const std::optional<Verdict>& verdict) {
  Json about = {{"method", method}};
  about["chains"] = options.chains;
  about["iterations"] = options.iterations;
  about["warmup"] = options.warmup;
  about["thin"] = options.thin;
  about["seed"] = options.seed;
  if (const std::string step = step_text(options); !step.empty())
    about["step_size"] = number_from(step) ? Json(*number_from(step)) : Json(step);
  if (!bound.row_axis().empty()) about["rows"] = bound.rows();
  if (!bound.row_axis().empty() && options.gradient.estimator != Estimator::full)
    about["batch_size"] = options.gradient.minibatch.batch_size;
  about["seconds"] = result.seconds;
  about["interrupted"] = result.interrupted;
  if (folder.exists()) about["folder"] = folder.path().string();
  auto& record = folder.record();
  if (record.contains("tuning")) about["tuning"] = record["tuning"];
  if (!result.reductions.empty()) about["step_reductions"] = json_of(result.reductions);
  about["warnings"] = warnings.all();
  if (verdict) about["verdict"] = verdict_json(*verdict);
  return about;
}

std::uint32_t max_tree_depth(const SampleOptions& options) {
  return std::visit(
      [](const auto& sampler) {
        if constexpr (requires { sampler.max_tree_depth; }) return sampler.max_tree_depth;
        return NutsOptions{}.max_tree_depth;
      },
      options.sampler);
}

/// Tuning counts rows, not seconds: it is done again when the run goes on, with the same end.
int interrupted_in_tuning(RunFolder& folder) {
  folder.record().erase("tuning");
  std::string next;
  if (folder.started()) {
    folder.write_record("interrupted");
    next = ". To go on: " + folder.how_to_resume();
  } else if (folder.exists()) {
    next = "; '" + folder.path().string() + "' is as it was";
  }
  std::cout.flush();
  std::cerr << "sgmcmc: interrupted while tuning; no draw was made yet" << next << "\n";
  return interrupted_status;
}

NetcdfContents netcdf_contents(const OptionValues& values, const ModelInput& input, const RunSink& sink,
                               const SampleOptions& options, const std::string& method) {
  NetcdfContents contents;
  contents.draws = &sink.draws();
  contents.sampler = &sink.sampler();
  contents.observed = input.observed;
  contents.attributes = {{"inference_library", "sgmcmc"},
                         {"inference_library_version", SGMCMC_VERSION},
                         {"model", fs::path(input.path).stem().string()},
                         {"method", method},
                         {"seed", values.text("seed")}};
  for (const auto& option : describe_options(options.sampler))
    if (option.name == "max_tree_depth") contents.attributes.emplace_back(option.name, option.default_text);  // as set
  return contents;
}

/// Keeps what the run writes below --draws-limit, by keeping fewer draws, and says how much it is where it is much.
void limit_draws(const OptionValues& values, SampleOptions& options, std::size_t columns, const RunFolder& folder,
                 RunWarnings& warnings) {
  constexpr double bytes_of_number = 28;  // in the CSV files and in draws.nc
  constexpr double much = 500e6;
  if (!folder.exists() || folder.resumes()) return;
  const double limit = 1e9 * values.number("draws-limit");
  if (!(limit > 0)) throw UsageError(values.where("draws-limit") + ": a positive number of gigabytes is expected");
  const auto size = [&] {
    return bytes_of_number * static_cast<double>(columns) * options.chains *
           static_cast<double>(options.iterations / std::max<std::uint64_t>(1, options.thin));
  };
  const double wanted = size();
  if (wanted > limit)
    options.thin = std::min(options.iterations,
                            static_cast<std::uint64_t>(std::ceil(static_cast<double>(options.thin) * wanted / limit)));
  if (size() <= much && wanted <= limit) return;
  std::string text = "draws of " + std::to_string(columns) + " numbers will take about " + short_number(size() / 1e9) +
                     " GB in " + folder.path().string();
  if (wanted > limit)
    text += ": one in " + std::to_string(options.thin) + " iterations is kept, since all that were asked for take " +
            short_number(wanted / 1e9) + " GB and --draws-limit is " + values.text("draws-limit");
  warnings.remark(text);
}

TuneOptions tune_options(const OptionValues& values) {
  TuneOptions how;
  how.seconds = values.number("tune-seconds");
  if (!(how.seconds >= 0)) throw UsageError(values.where("tune-seconds") + ": a number from 0 on is expected");
  how.batch_size = !values.given("batch-size");
  how.friction = !values.given("friction") && !values.given("diffusion");
  how.trajectory_length = !values.given("trajectory-length");
  how.length = !values.given("iterations");
  how.warmup = !values.given("warmup");
  return how;
}

/// Does what may find no point with a finite log density; then says which statements reject some.
template <class Work>
auto naming_rejections(const stan::BoundModel& bound, Work&& work) {
  try {
    return work();
  } catch (const stan::StanError&) {
    throw;
  } catch (const ModelError& error) {
    const auto rejections = bound.rejections();
    if (rejections.empty()) throw;
    throw ModelError(std::string(error.what()) + ". The model rejects some parameters:\n" + joined(rejections, "\n"));
  }
}

/// Fills in what was left open, and says what was chosen and why.
SampleOptions tuned_options(const OptionValues& values, const Model& model, const SampleOptions& options,
                            const TuneOptions& how, RunFolder& folder, bool terminal, RunWarnings& warnings) {
  ProgressDisplay display(terminal_stream(), terminal, 0, 0);
  display.say("finding out which steps suit the model ...");
  auto tuned = tune(model, options, how);
  folder.record()["tuning"] = tuning_json(tuned.report);
  if (values.given("iterations")) tuned.options.iterations = options.iterations;
  if (values.given("warmup")) tuned.options.warmup = options.warmup;
  if (values.given("thin")) tuned.options.thin = options.thin;
  if (values.given("thin") && !values.given("iterations") && options.thin > 1 && is_exact(tuned.options.sampler)) {
    // As many draws as that sampler has by itself; --thin was meant for the many cheap steps of the others.
    tuned.options.thin = 1;
    display.clear();
    warnings.remark("auto chose " + std::string(sampler_name(tuned.options.sampler)) + ", whose " +
                    std::to_string(tuned.options.iterations) + " draws are all kept: " + values.where("thin") +
                    " counts only together with --iterations, or with a method that is named");
  }
  if (values.given("initial-radius")) tuned.options.initial_radius = options.initial_radius;
  const bool done = !options.interrupt->load();
  display.clear();
  if (done && !values.flag("quiet") && !values.flag("json")) {
    std::cout << tuned.report.table() << wrapped(tuned.report.why, terminal_width(), 0) << "\n\n";
    std::cout.flush();
  }
  return std::move(tuned.options);
}

}  // namespace

int run_sample(const OptionValues& values) {
  RunFolder folder(values, model_path(values));
  return sample_into(folder, values);
}

int sample_into(RunFolder& folder, const OptionValues& values) {
  const bool terminal = stderr_is_terminal() && !values.flag("quiet");
  const ModelInput input = load_model(values);
  stan::BoundModel& bound = *input.bound;
  const Model& model = bound.model();
  const std::string likelihoods = log_likelihood_output(values, bound);
  auto outputs = choose_outputs(bound, values.text("outputs"), likelihoods);
  auto all_names = model.constrained_names();
  all_names.insert(all_names.end(), outputs.names.begin(), outputs.names.end());
  check_chosen_names(values, all_names, outputs.left_out);
  SampleOptions options = sample_options(values, method_for(values, bound), bound);
  RunWarnings warnings(values);
  InterruptWatch watch;
  options.interrupt = watch.flag();
  double tuning_seconds = 0;
  if (needs_tuning(options)) {
    const auto start = std::chrono::steady_clock::now();
    const TuneOptions how = tune_options(values);
    folder.record()["asked"] = given_options(values);
    folder.start(RunFolder::tuning);
    options = naming_rejections(bound,
                                [&] { return tuned_options(values, model, options, how, folder, terminal, warnings); });
    tuning_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (watch.flag()->load()) return interrupted_in_tuning(folder);
    folder.record().erase("asked");
  }
  const std::string method = method_name(options);
  options.validate(model);
  warnings.add(values, input);
  for (const auto& text : options_without_effect(values, options)) warnings.warn(text);
  warn_of_few_rows(warnings, bound);
  if (!outputs.left_out.empty() && values.text("outputs") == "auto")
    warnings.remark(joined(outputs.left_out, ", ") +
                    " not kept: a number for every row at every draw; --outputs all keeps them");

  limit_draws(values, options, model.constrained_names().size() + outputs.names.size(), folder, warnings);
  check_log_likelihood_size(values, bound, options, likelihoods);

  const auto gradients =
      make_dynamics(options.sampler, static_cast<std::size_t>(model.dimension()))->evaluations_per_iteration();
  const bool log_density = !is_exact(options.sampler) && !is_marginal(options.sampler) &&
                           log_density_wanted(values, options, model, gradients);  // exact: known already
  folder.set_used("method", method);
  folder.set_used("step-size", step_text(options));
  for (const char* name : {"friction", "diffusion", "trajectory_length", "refresh_momentum", "schedule",
                           "target_acceptance", "max_tree_depth", "metric"})
    for (const auto& option : describe_options(options.sampler))  // what tuning may have chosen
      if (option.name == name) folder.set_used(option.name, option.default_text);
  folder.set_used("precondition", std::string(precondition_name(options.decided_precondition())));
  if (options.gradient.minibatch.sampling == RowSampling::weighted) folder.set_used("row-sampling", "preferential");
  folder.set_used("batch-size", std::to_string(options.gradient.minibatch.batch_size));
  folder.set_used("rows", bound.row_axis());
  folder.set_used("log-density", log_density || is_exact(options.sampler) ? "always" : "never");
  folder.set_used("iterations", std::to_string(options.iterations));
  folder.set_used("thin", std::to_string(options.thin));
  folder.set_used("warmup", std::to_string(options.warmup));
  if (!values.given("initial-radius")) folder.set_used("initial-radius", short_number(options.initial_radius));
  if (folder.exists()) folder.record().erase("verdict");  // of a run that is extended: no longer of its draws
  folder.start();

  std::unique_ptr<StanCsvSink> files;
  if (folder.exists()) {
    files = std::make_unique<StanCsvSink>(folder.path(), csv_header(values, options, method, input));
    if (folder.resumes()) files->resume();
    options.checkpoint = folder.checkpoints(values);
  }
  ProgressDisplay display(terminal_stream(), terminal, options.chains, gradients);
  const auto posterior = std::make_shared<const LogPosterior>(model);
  RunSink sink(
      {&bound, std::move(outputs), posterior, options.seed, log_density, files.get(), &display, folder.path()});
  options.sink = &sink;
  if (terminal) {
    options.progress = [&](const Progress& progress) {
      sink.note_log_density(progress);
      display.show(progress);
    };
    display.say(options.gradient.estimator == Estimator::control_variate ? "finding the mode ..." : "starting ...");
  }
  const auto finish = [&] {
    if (files) files->finish();
  };
  const SampleResult result = recording_failure(folder, options.chains, finish, [&] {
    auto made = naming_rejections(bound, [&] { return sample(model, options); });
    if (files) files->finish(made.seconds);
    sink.collect();
    if (!folder.exists()) return made;
    if (sink.any_draw() && !netcdf_is_installed())
      warnings.warn(
          "draws.nc is not written, since libnetcdf is not installed (Debian: libnetcdf-dev). The CSV files have every "
          "draw");
    else if (sink.any_draw())
      write_with_log_likelihood(folder.path() / "draws.nc", netcdf_contents(values, input, sink, options, method),
                                values, input, likelihoods, warnings);
    auto& record = folder.record();
    record["seconds"] = made.seconds;
    record["draws"] = Json::array();
    for (std::size_t chain = 0; chain < sink.draws().chains(); ++chain)
      record["draws"].push_back(sink.draws().draws(chain));
    if (is_exact(options.sampler)) record["divergences"] = report_sampler(sink.sampler()).divergences;
    if (!made.reductions.empty()) record["step_reductions"] = json_of(made.reductions);
    if (const auto left_out = sink.left_out(); !left_out.empty())
      record["left_out"] = json_of(left_out);
    else
      record.erase("left_out");
    // Tuning speaks of its own, which a run that was killed right after has looked for once more.
    if (made.mode_report && !record.contains("tuning")) record["mode"] = made.mode_report->describe();
    record.erase("error");
    folder.write_record(made.interrupted ? "interrupted" : "finished");
    return made;
  });
  const SamplerReport sampler = report_sampler(sink.sampler(), max_tree_depth(options));
  std::optional<Verdict> verdict;
  if (sink.any_draw() && !result.interrupted) {
    ProgressDisplay judging(terminal_stream(), terminal, 0, 0);
    judging.say("judging the draws ...");
    verdict = judge_run(values, model, sink.draws(), {&options, &result, &sampler, gradients});
    if (verdict && folder.exists()) {
      folder.record()["verdict"] = verdict_json(*verdict);
      folder.write_record("finished");
    }
  }
  const auto warn_of_draws = [&] {
    warn_of_reductions(warnings, result.reductions, options.warmup, !result.zero_variance.empty());
    warn_of_left_out(warnings, sink.left_out());
    if (sink.draws().names().size() < model.constrained_names().size())
      warnings.remark(
          "the parameters of some groups, and outputs that depend on them, are not in the draws; --groups all keeps "
          "them, --groups 1:100 those named");
  };
  const bool json = values.flag("json");
  if (json) warn_of_draws();  // JSON holds the warnings; a table stands above them
  if (sink.any_draw()) {
    const auto about = json ? json_of(options, method, bound, result, folder, warnings, verdict) : Json();
    print_summary(values, sink.draws(), {result.seconds, sampler, result.zero_variance, all_names, verdict.has_value()},
                  about);
  }
  if (!json && !values.flag("quiet"))
    std::cout << "\n" << closing_line(options, method, bound, result, sink.draws(), sampler, tuning_seconds, folder);
  if (!json) warn_of_draws();
  if (verdict && !values.flag("quiet") && !values.flag("json")) {
    std::cerr.flush();
    std::cout << verdict_text(*verdict, folder.exists() ? folder.path().string() : "");
  }
  if (!result.interrupted) return exit_status(values, verdict);
  std::cout.flush();
  std::cerr << "sgmcmc: interrupted; "
            << (sink.any_draw() ? "the summary is of the draws made so far" : "no draw was made yet")
            << (folder.exists() && sink.any_draw() ? ", which are in " + folder.path().string() : "")
            << (folder.exists() ? ". To go on: " + folder.how_to_resume() : "") << "\n";
  return interrupted_status;
}

}  // namespace sgmcmc::cli
