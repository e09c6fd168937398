// sgmcmc sample: a run from options to draws, files and a summary.
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "chains/setup.hpp"
#include "cli/chosen_names.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/make_draws.hpp"
#include "cli/model_input.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/row_likelihoods.hpp"
#include "cli/run_folder.hpp"
#include "cli/run_verdict.hpp"
#include "cli/run_warnings.hpp"
#include "cli/runs.hpp"
#include "cli/settings.hpp"
#include "cli/summary_output.hpp"
#include "cli/terminal.hpp"
#include "cli/tuning_output.hpp"
#include "dynamics/dynamics.hpp"
#include "service/draw_warnings.hpp"
#include "service/judge.hpp"
#include "service/rejections.hpp"
#include "service/repeat.hpp"
#include "service/run_sink.hpp"
#include "settings/run_record.hpp"
#include "tune/candidates.hpp"

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

/// "after 500 to 1000 iterations of warm-up"; empty where the length was asked for, or there is none.
std::string words_on_warmup(const SampleOptions& options, const SampleResult& result) {
  const std::uint64_t most = most_warmup(result);
  if (!options.find_warmup || options.warmup > 0 || most == 0) return "";
  if (const std::string drifting = words_on_unsettled(result); !drifting.empty()) return drifting;
  std::uint64_t least = most;
  for (const auto& chain : result.warmup) least = std::min(least, chain.iterations);
  return "settled after " + (least < most ? std::to_string(least) + " to " : "") + std::to_string(most) +
         " iterations of warm-up";
}

std::string closing_line(const SampleOptions& options, const std::string& method, const stan::BoundModel& bound,
                         const SampleResult& result, const MemoryDraws& draws, const SamplerReport& sampler,
                         double tuning_seconds, RunFolder& folder) {
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
  if (const std::string warmup = words_on_warmup(options, result); !warmup.empty()) text += ", " + warmup;
  text += ", " + short_number(result.seconds) + " s";
  if (tuning_seconds > 0) text += " after " + short_number(tuning_seconds) + " s of tuning";
  if (folder.exists())
    text += (folder.record().contains("kept") ? "; draws and summary.csv in " : "; draws in ") + folder.path().string();
  return wrapped(text, terminal_width(), 0) + "\n";
}

/// What --json has beside the summary: how the draws were made, and whether to trust them.
Json about_run(const SampleOptions& options, const std::string& method, const stan::BoundModel& bound,
               const SampleResult& result, RunFolder& folder, const RunWarnings& warnings,
               const std::optional<Verdict>& verdict) {
  Json about = {{"method", method}};
  about["chains"] = options.chains;
  about["iterations"] = options.iterations;
  about["warmup"] = most_warmup(result);
  about["settled"] = words_on_unsettled(result).empty();
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
  if (record.contains("kept")) about["kept"] = record["kept"];
  if (record.contains("tuning")) about["tuning"] = record["tuning"];
  if (!result.reductions.empty()) about["step_reductions"] = json_of(result.reductions);
  about["warnings"] = warnings.all();
  if (verdict) about["verdict"] = verdict_json(*verdict);
  return about;
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

/// For a message about the size of the draws; empty where both ways are taken.
std::string ways_to_write_less(const OptionValues& values) {
  const std::string keep = "--keep NAME writes some variables and summarises the others";
  const std::string compress = "--compress leaves only a compressed draws.nc";
  if (values.given("keep")) return values.flag("compress") ? "" : ". " + compress;
  return ". " + keep + (values.flag("compress") ? "" : ", " + compress);
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
  if (wanted > much) text += ways_to_write_less(values);
  warnings.remark(text);
}

/// What --compress asks for needs a folder; the record of a run may ask for it although its repetition has none.
void check_files_wanted(const OptionValues& values) {
  if (values.flag("compress") && !values.given("out") && values.where("compress").starts_with("--"))
    throw UsageError(values.where("compress") + ": it is about the files of a run; add --out DIR");
}

/// What of a draw is written, for the record of the run.
Json kept_json(const KeptNames& kept, const std::vector<std::string>& names, const Model& model) {
  const auto chosen = kept.among(names);
  const auto parameters = std::min(names.size(), model.constrained_names().size());
  const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(parameters);
  return {{"numbers", kept.count(names)},
          {"of", names.size()},
          {"all_parameters", std::find(chosen.begin(), end, false) == end}};
}

/// Fills in what was left open, and says what was chosen and why.
Tuned tune_run(const OptionValues& values, const Model& model, const SampleOptions& options, RunFolder& folder,
               bool terminal, RunWarnings& warnings) {
  ProgressDisplay display(terminal_stream(), terminal, 0, 0);
  display.say("finding out which steps suit the model ...");
  std::string remark;
  auto tuned = tuned_options(values, model, options, remark);
  display.clear();
  folder.record()["tuning"] = tuning_json(tuned.report);
  if (!remark.empty()) warnings.remark(remark);
  if (!options.interrupt->load() && !values.flag("quiet") && !values.flag("json")) {
    std::cout << tuned.report.table() << wrapped(tuned.report.why, terminal_width(), 0) << "\n\n";
    std::cout.flush();
  }
  return tuned;
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
  const RunSettings settings = run_settings(values);
  const std::string likelihoods = log_likelihood_output(values, bound);
  auto outputs = choose_outputs(bound, settings.outputs, likelihoods);
  auto all_names = model.constrained_names();
  all_names.insert(all_names.end(), outputs.names.begin(), outputs.names.end());
  check_chosen_names(values, all_names, outputs.left_out);
  const KeptNames kept(values);
  kept.check(all_names, outputs.left_out);
  check_files_wanted(values);
  check_log_likelihood_kept(values, model, kept, all_names, likelihoods);
  SampleOptions options = sample_options(values, method_for(values, bound), bound);
  RunWarnings warnings(values);
  InterruptWatch watch;
  options.interrupt = watch.flag();
  double tuning_seconds = 0;
  std::optional<double> promised;  // by tuning
  if (needs_tuning(options)) {
    const auto start = std::chrono::steady_clock::now();
    folder.record()["asked"] = given_options(values);
    folder.start(RunFolder::tuning);
    auto tuned = naming_rejections(bound, [&] { return tune_run(values, model, options, folder, terminal, warnings); });
    options = std::move(tuned.options);
    promised = promised_error(tuned.report);
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

  const auto drawn_names = kept.all() ? std::nullopt : names_of_some_groups(model, options);
  const std::size_t numbers = kept.all() ? numbers_of_some_groups(model, options).value_or(all_names.size())
                                         : kept.count(drawn_names.value_or(all_names));
  limit_draws(values, options, numbers, folder, warnings);
  check_log_likelihood_size(values, bound, options, likelihoods);

  const auto gradients =
      make_dynamics(options.sampler, static_cast<std::size_t>(model.dimension()))->evaluations_per_iteration();
  const bool log_density = log_density_wanted(settings.log_density, options, model, gradients);
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
  if (values.given("warmup") || options.warmup > 0) folder.set_used("warmup", std::to_string(options.warmup));
  if (!values.given("initial-radius")) folder.set_used("initial-radius", short_number(options.initial_radius));
  if (options.start_at_modes) folder.set_used("starts", "modes");
  if (folder.exists()) folder.record().erase("verdict");  // of a run that is extended: no longer of its draws
  if (folder.exists() && !kept.all()) folder.record()["kept"] = kept_json(kept, drawn_names.value_or(all_names), model);
  folder.start();

  const DrawsPlan plan{&values,     &input,    std::move(outputs), method,   likelihoods,
                       log_density, gradients, terminal,           promised, kept};
  const MadeDraws made = make_draws_as_promised(plan, options, folder, warnings);
  const SampleResult& result = made.result;
  const RunSink& sink = *made.sink;
  const auto& sampler = made.sampler;
  const auto& verdict = made.verdict;
  const auto warn_of_draws = [&] {
    const bool some_groups = sink.names().size() < model.constrained_names().size();
    warnings.add(warnings_about_draws(result, sink.left_out(), some_groups, settings));
  };
  if (made.in_netcdf && values.flag("compress") && !result.interrupted) folder.keep_netcdf_only();
  const bool json = values.flag("json");
  if (json) warn_of_draws();  // JSON holds the warnings; a table stands above them
  if (sink.any_draw()) {
    const auto about = json ? about_run(options, method, bound, result, folder, warnings, verdict) : Json();
    DrawsFacts facts{result.seconds, sampler, result.zero_variance, all_names, verdict.has_value()};
    if (!kept.all()) {
      facts.names = sink.names();
      facts.summarised = summarised_rows(sink);
    }
    print_summary(values, sink.draws(), facts, about);
  }
  if (!json && !values.flag("quiet"))
    std::cout << "\n" << closing_line(options, method, bound, result, sink.draws(), sampler, tuning_seconds, folder);
  if (!json) warn_of_draws();
  if (verdict && !values.flag("quiet") && !values.flag("json")) {
    std::cerr.flush();
    const std::string more = !folder.exists()               ? ""
                             : sink.writes_all_parameters() ? "sgmcmc diagnose " + folder.path().string()
                                                            : (folder.path() / "run.json").string();
    std::cout << verdict_text(*verdict, more);
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
