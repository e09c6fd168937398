// The steps of a run: checks, tuning, recording the options used, sampling.
#include "service/sample_run.hpp"

#include "base/text.hpp"
#include "chains/setup.hpp"
#include "dynamics/dynamics.hpp"
#include "ranks/communicator.hpp"
#include "service/given/option_settings.hpp"
#include "service/given/parts.hpp"
#include "service/given/settings.hpp"
#include "service/ranks/rank_service.hpp"
#include "service/record/model_record.hpp"
#include "service/record/run_json.hpp"
#include "service/sampling/make_draws.hpp"
#include "service/sampling/memory_use.hpp"
#include "service/sampling/rejections.hpp"
#include "service/sampling/repeat.hpp"
#include "service/sampling/row_likelihoods.hpp"
#include "settings/chosen_names.hpp"
#include "settings/run_record.hpp"
#include "tune/candidates.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/tuning.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

/// Advice on reducing the size of the draws; empty if both options are in use.
std::string ways_to_write_less(const OptionValues& values) {
  const std::string keep = values.written("keep", "NAME") + " writes some variables and summarises the others";
  const std::string compress = values.written("compress") + " leaves only a compressed draws.nc";
  if (values.given("keep")) return values.flag("compress") ? "" : ". " + compress;
  return ". " + keep + (values.flag("compress") ? "" : ", " + compress);
}

/// Thins the draws if they would exceed the size limit, and reports their size if it is large.
void limit_draws(const OptionValues& values, SampleOptions& options, std::size_t columns, const RunFolder& folder,
                 const RunHooks& hooks) {
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
            short_number(wanted / 1e9) + " GB and " + values.written("draws-limit") + " is " +
            values.text("draws-limit");
  if (wanted > much) text += ways_to_write_less(values);
  if (hooks.warning) hooks.warning({text, "", true});
}

/// Refuses `compress` and `report` without a folder, unless they come from the record of a run that is repeated.
void check_files_wanted(const OptionValues& values) {
  if (values.flag("compress") && !values.given("out") && values.asked("compress"))
    throw UsageError(values.where("compress") + ": it is about the files of a run; add " +
                     values.written("out", "DIR"));
  if (values.flag("report") && !values.given("out") && values.asked("report"))
    throw UsageError(values.where("report") + ": the report is written to the folder of the run; add " +
                     values.written("out", "DIR"));
}

/// Describes for the record which variables are written at each draw.
Json kept_json(const KeptNames& kept, const std::vector<std::string>& names, const Model& model) {
  const auto chosen = kept.among(names);
  const auto parameters = std::min(names.size(), model.constrained_names().size());
  const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(parameters);
  return {{"numbers", kept.count(names)},
          {"of", names.size()},
          {"all_parameters", std::find(chosen.begin(), end, false) == end}};
}

/// Records the final options of the run.
void record_used(const RunSettings& settings, const SampleOptions& options, const std::string& method,
                 const std::string& rows, bool log_density, RunFolder& folder) {
  folder.set_used("method", method);
  folder.set_used("step-size", step_text(options));
  for (const char* name : {"friction", "diffusion", "trajectory_length", "refresh_momentum", "schedule",
                           "target_acceptance", "max_tree_depth", "metric"})
    for (const auto& option : describe_options(options.sampler))  // what tuning may have chosen
      if (option.name == name) folder.set_used(option.name, option.default_text);
  folder.set_used("precondition", std::string(precondition_name(options.decided_precondition())));
  if (options.gradient.minibatch.sampling == RowSampling::weighted) folder.set_used("row-sampling", "preferential");
  folder.set_used("batch-size", std::to_string(options.gradient.minibatch.batch_size));
  folder.set_used("rows", rows);
  folder.set_used("log-density", log_density || is_exact(options.sampler) ? "always" : "never");
  folder.set_used("iterations", std::to_string(options.iterations));
  folder.set_used("thin", std::to_string(options.thin));
  if (settings.warmup || options.warmup > 0) folder.set_used("warmup", std::to_string(options.warmup));
  if (!settings.initial_radius) folder.set_used("initial-radius", short_number(options.initial_radius));
  if (options.start_at_modes) folder.set_used("starts", "modes");
}

void take_over(MadeDraws made, SampleRun& run) {
  RunSink& sink = *made.sink;
  run.result = std::move(made.result);
  run.sampler = std::move(made.sampler);
  run.verdict = std::move(made.verdict);
  run.any_draw = sink.any_draw();
  run.names = sink.names();
  run.summarised = summarised_rows(sink);
  run.left_out = sink.left_out();
  run.writes_all_parameters = sink.writes_all_parameters();
  run.statistics = sink.sampler();
  run.draws = sink.take_draws();
}

/// Throws SettingError if the settings do not suit the model.
SampleRun run_with(const OptionValues& values, const StanPosterior& given, RunFolder& folder, const RunHooks& hooks,
                   RankLeader* ranks) {
  std::vector<RunWarning> about_part;
  const StanPosterior posterior = posterior_for(given, run_settings(values), about_part);
  for (const auto& warning : about_part)
    if (hooks.warning) hooks.warning(warning);
  const int shards = shard_rows(values, posterior, ranks);
  if (values.flag("shard-rows")) ranks = nullptr;  // the ranks share rows, so chains run here
  stan::BoundModel& bound = posterior.bound();
  const Model& model = bound.model();
  const RunSettings settings = run_settings(values);
  const std::string likelihoods = log_likelihood_output(values, bound);
  auto outputs = choose_outputs(bound, settings.outputs, likelihoods);
  SampleRun run;
  run.rows = posterior.rows();
  run.part = posterior.part();
  run.all_names = model.constrained_names();
  run.all_names.insert(run.all_names.end(), outputs.names.begin(), outputs.names.end());
  check_chosen_names(values, run.all_names, outputs.left_out);
  const KeptNames kept(settings);
  kept.check(run.all_names, outputs.left_out);
  run.writes_all = kept.all();
  check_files_wanted(values);
  check_log_likelihood_kept(values, model, kept, run.all_names, likelihoods);
  SampleOptions& options = run.options;
  options = sample_options(values, method_for(values, bound), bound);
  options.interrupt = hooks.interrupt;
  const auto interrupted = [&] { return hooks.interrupt && hooks.interrupt->load(); };
  const auto remark = [&](const std::string& text) {
    if (hooks.warning && !text.empty()) hooks.warning({text, "", true});
  };
  if (ranks && !folder.exists()) folder.record() = call_record(values, values.operands.front());
  const auto memory = static_cast<double>(memory_of(values));
  const MemoryUse use = expected_memory(model, options);
  if (const std::string problem = too_much_memory(use, model, options, memory); !problem.empty())
    throw UsageError(values.where("memory") + ": " + problem);
  remark(memory_words(use, memory));
  std::optional<double> promised;  // by tuning
  if (needs_tuning(options)) {
    const auto start = std::chrono::steady_clock::now();
    folder.record()["asked"] = given_options(values);
    folder.start(RunFolder::tuning);
    if (hooks.phase) hooks.phase(RunPhase::tuning);
    std::string words;
    auto tuned = naming_rejections(bound, [&] { return tuned_options(settings, model, options, words); });
    options = std::move(tuned.options);
    promised = promised_error(tuned.report);
    folder.record()["tuning"] = tuning_json(tuned.report);
    remark(words);
    if (!interrupted() && hooks.tuned) hooks.tuned(tuned.report);
    run.tuning_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (interrupted()) {  // tuning is limited by rows, not seconds: a resumed run repeats it with the same result
      folder.record().erase("tuning");
      if (folder.started()) folder.write_record("interrupted");
      if (hooks.phase) hooks.phase(RunPhase::done);
      run.interrupted_in_tuning = true;
      return run;
    }
    folder.record().erase("asked");
  }
  run.method = method_name(options);
  options.validate(model);
  if (ranks && options.chains < static_cast<std::uint32_t>(ranks->communicator().size()) && hooks.warning)
    hooks.warning({"there are " + std::to_string(ranks->communicator().size()) + " ranks and " +
                       std::to_string(options.chains) + " chains: ranks without a chain wait. " +
                       values.written("chains", std::to_string(ranks->communicator().size())) + " gives each one",
                   "", false});
  const auto gradients =
      make_dynamics(options.sampler, static_cast<std::size_t>(model.dimension()))->evaluations_per_iteration();
  if (hooks.decided) hooks.decided(options, gradients);
  if (const std::string words = words_on_few_rows(bound); !words.empty() && hooks.warning)
    hooks.warning({words, "", false});
  if (!outputs.left_out.empty() && settings.outputs == KeptOutputs::automatic)
    remark(joined(outputs.left_out, ", ") + " not kept: a number for every row at every draw; " +
           values.written("outputs", "all") + " keeps them");

  const auto drawn_names = kept.all() ? std::nullopt : names_of_some_groups(model, options);
  const std::size_t numbers = kept.all() ? numbers_of_some_groups(model, options).value_or(run.all_names.size())
                                         : kept.count(drawn_names.value_or(run.all_names));
  limit_draws(values, options, numbers, folder, hooks);
  check_log_likelihood_size(values, bound, options, likelihoods);

  const bool log_density = log_density_wanted(settings.log_density, options, model, gradients);
  record_used(settings, options, run.method, bound.row_axis(), log_density, folder);
  folder.set_used("shards", std::to_string(shards));
  if (folder.exists()) {
    folder.record().erase("verdict");  // of an extended run: it does not cover the new draws
    folder.record()["bound"] = described_model(posterior, options);
    if (run.tuning_seconds > 0) folder.record()["times"]["tuning"] = run.tuning_seconds;
  }
  if (folder.exists() && !kept.all())
    folder.record()["kept"] = kept_json(kept, drawn_names.value_or(run.all_names), model);
  folder.start();

  const DrawsPlan plan{&values,    &settings,   &posterior,  std::move(outputs),
                       run.method, likelihoods, log_density, gradients,
                       promised,   kept,        ranks};
  MadeDraws made = make_draws_as_promised(plan, options, folder, hooks);
  if (made.in_netcdf && values.flag("compress") && !made.result.interrupted) folder.keep_netcdf_only();
  take_over(std::move(made), run);
  if (hooks.phase) hooks.phase(RunPhase::done);
  return run;
}

}  // namespace

SampleRun run_sample(const OptionValues& values, const StanPosterior& posterior, RunFolder& folder,
                     const RunHooks& hooks, RankLeader* ranks) {
  return naming_options(values, [&] { return run_with(values, posterior, folder, hooks, ranks); });
}

}  // namespace sgmcmc
