// Samples into the folder of a run, writes its files and record, and judges the draws.
#include "service/sampling/make_draws.hpp"

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "draws/netcdf.hpp"
#include "report/json_text.hpp"
#include "report/summary_csv.hpp"
#include "service/ranks/rank_service.hpp"
#include "service/record/run_failure.hpp"
#include "service/record/run_json.hpp"
#include "service/sampling/judge.hpp"
#include "service/sampling/rejections.hpp"
#include "service/sampling/repeat.hpp"
#include "service/sampling/row_likelihoods.hpp"
#include "settings/run_record.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// Like step_text(), for a comment line: with thousands of steps, gives their range.
std::string short_step_text(const SampleOptions& options) {
  constexpr std::size_t most = 100;
  const auto* step = step_size_of(options.sampler);
  if (!step || step->values.size() <= most) return step_text(options);
  const auto [least, largest] = std::minmax_element(step->values.begin(), step->values.end());
  return std::to_string(step->values.size()) + " from " + short_number(*least) + " to " + short_number(*largest) +
         ", in run.json";
}

StanCsvHeader csv_header(const OptionValues& values, const SampleOptions& options, const std::string& method,
                         const StanPosterior& posterior) {
  StanCsvHeader header;
  header.model = fs::path(posterior.name()).stem().string();
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
    if (option.name != "step_size") header.settings.emplace_back(option.name, option.default_text);  // as set
  return header;
}

Json json_of(const std::vector<ChainWarmup>& warmup) {
  auto list = Json::array();
  for (const auto& chain : warmup) list.push_back({{"iterations", chain.iterations}, {"settled", chain.settled}});
  return list;
}

Json json_of(const std::vector<LeftOut>& left_out) {
  auto list = Json::array();
  for (const auto& one : left_out) {
    list.push_back({{"name", one.name}, {"draws", one.draws}});
    if (one.draws > 0) {  // otherwise the resumed run has not reached the failure again
      list.back()["first_chain"] = one.chain + 1;
      list.back()["first_draw"] = one.draw;
    }
    list.back()["reason"] = one.reason;
  }
  return list;
}

/// Maximum number of complete draws per chain, for the verdict of a run that does not write all parameters. On disk
/// they take up to twice their size: in a temporary file and in checkpoints.
std::size_t most_complete_draws(const OptionValues& values, const Model& model, const SampleOptions& options) {
  constexpr double most = 512, least_of_all_chains = 200, most_numbers = 40e6;
  const double chains = options.chains;
  const double numbers = std::min(most_numbers, 1e9 * values.number("draws-limit") / (2 * sizeof(double)));
  const double fit = numbers / chains / static_cast<double>(std::max<std::size_t>(1, model.constrained_names().size()));
  return static_cast<std::size_t>(std::clamp(fit, std::max(10.0, least_of_all_chains / chains), most));
}

/// Writes summary.csv and records it, if only some variables are written.
void write_summary(const OptionValues& values, const KeptNames& kept, const RunSink& sink, RunFolder& folder) {
  if (kept.all()) return;
  std::vector<std::size_t> every(sink.names().size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  SummaryRowsOptions how;
  how.threads = values.threads();
  write_whole(folder.path() / summary_file,
              summary_csv(merged_summary_rows(sink.draws(), sink.names(), summarised_rows(sink), every, how)));
  auto& record = folder.record()["kept"];
  record["numbers"] = sink.draws().names().size();  // without variables left out
  record["of"] = sink.names().size();
  record["summary"] = summary_file;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Writes the diagnosis of these draws; without one, removes that of previous draws.
void write_diagnosis(const std::optional<BiasReport>& details, const RunSink& sink, const RunFolder& folder) {
  const fs::path path = folder.path() / diagnosis_file;
  std::error_code ignored;
  if (details)
    write_whole(path, json_text(saved_diagnosis_json(*details, sink.complete_draws().names()), 1) + "\n");
  else
    fs::remove(path, ignored);
}

/// False if the file would rename a variable, which then cannot be found in it.
bool has_all_names(const RunSink& sink) {
  const auto& names = sink.draws().names();
  return std::none_of(names.begin(), names.end(), [](const std::string& name) {
    const std::string variable = name.substr(0, name.find('['));
    return variable == "chain" || variable == "draw" || variable.find('/') != std::string::npos ||
           variable.find("_dim_") != std::string::npos;
  });
}

NetcdfContents netcdf_contents(const OptionValues& values, const StanPosterior& posterior, const RunSink& sink,
                               const SampleOptions& options, const std::string& method) {
  NetcdfContents contents;
  contents.draws = &sink.draws();
  contents.sampler = &sink.sampler();
  for (const auto& [name, shape, numbers, integer] : posterior.outcomes())
    contents.observed.push_back({name, shape, numbers, integer});
  contents.attributes = {{"inference_library", "sgmcmc"},
                         {"inference_library_version", SGMCMC_VERSION},
                         {"model", fs::path(posterior.name()).stem().string()},
                         {"method", method},
                         {"seed", values.text("seed")}};
  for (const auto& option : describe_options(options.sampler))
    if (option.name == "max_tree_depth") contents.attributes.emplace_back(option.name, option.default_text);  // as set
  contents.compressed = values.flag("compress");
  return contents;
}

}  // namespace

std::vector<SummaryRow> summarised_rows(const RunSink& sink) {
  std::vector<SummaryRow> rows;
  for (const auto& column : sink.summarised()) rows.push_back({column.name, column.summary});
  return rows;
}

MadeDraws make_draws(const DrawsPlan& plan, SampleOptions options, RunFolder& folder, const RunHooks& hooks,
                     bool resumes) {
  const OptionValues& values = *plan.values;
  const StanPosterior& posterior = *plan.posterior;
  const auto warn = [&](const std::string& text) {
    if (hooks.warning) hooks.warning({text, "", false});
  };
  stan::BoundModel& bound = posterior.bound();
  const Model& model = bound.model();
  MadeDraws made;
  auto& files = made.files;
  if (folder.exists()) {
    files = std::make_unique<StanCsvSink>(folder.path(), csv_header(values, options, plan.method, posterior));
    if (resumes) files->resume();
    options.checkpoint = folder.checkpoints(values);
    options.checkpoint.resume = resumes;
  }
  made.sink = std::make_unique<RunSink>(RunSinkParts{
      &bound, plan.outputs, std::make_shared<const LogPosterior>(model), options.seed, plan.log_density, files.get(),
      hooks.log_density, folder.path(), plan.kept.chooser(), most_complete_draws(values, model, options)});
  RunSink& sink = *made.sink;
  options.sink = &sink;
  if (hooks.progress)
    options.progress = [&](const Progress& progress) {
      sink.note_log_density(progress);
      hooks.progress(progress);
    };
  if (hooks.phase) hooks.phase(RunPhase::sampling);
  const auto finish = [&] {
    if (files) files->finish();
  };
  made.result = recording_failure(folder, options.chains, finish, [&] {
    if (plan.ranks) plan.ranks->set_record(folder.record());
    auto result = naming_rejections(bound, [&] { return sample(model, options, plan.ranks); });
    const auto start = std::chrono::steady_clock::now();
    if (files) files->finish(result.seconds);
    sink.collect();
    if (!folder.exists()) return result;
    if (sink.any_draw() && !netcdf_is_installed())
      warn(
          "draws.nc is not written, since libnetcdf is not installed (Debian: libnetcdf-dev). The CSV files have every "
          "draw");
    else if (sink.any_draw())
      write_with_log_likelihood(folder.path() / "draws.nc",
                                netcdf_contents(values, posterior, sink, options, plan.method), values, posterior,
                                plan.likelihoods, hooks);
    made.in_netcdf = sink.any_draw() && netcdf_is_installed() && has_all_names(sink);
    if (values.flag("compress") && !has_all_names(sink))
      warn("the CSV files stay beside draws.nc, where some variables have other names");
    if (sink.any_draw()) write_summary(values, plan.kept, sink, folder);
    auto& record = folder.record();
    record["seconds"] = result.seconds;
    record["times"]["sampling"] = result.seconds;
    record["times"]["writing"] = seconds_since(start);
    record["draws"] = Json::array();
    for (std::size_t chain = 0; chain < sink.draws().chains(); ++chain)
      record["draws"].push_back(sink.draws().draws(chain));
    if (is_exact(options.sampler)) record["divergences"] = report_sampler(sink.sampler()).divergences;
    if (options.find_warmup && most_warmup(result) > options.warmup) record["warmup"] = json_of(result.warmup);
    if (!result.reductions.empty()) record["step_reductions"] = reductions_json(result.reductions);
    if (const auto left_out = sink.left_out(); !left_out.empty())
      record["left_out"] = json_of(left_out);
    else
      record.erase("left_out");
    // The tuning report describes its own mode search. A run killed right after tuning repeats the search when resumed,
    // and must not record it here.
    if (result.mode_report && !record.contains("tuning")) record["mode"] = result.mode_report->describe();
    record.erase("error");
    // If not all parameters are written, only this process can judge the draws. Until then the status is "running", so
    // that a run killed now is resumed and judged.
    folder.write_record(result.interrupted ? "interrupted" : sink.writes_all_parameters() ? "finished" : "running");
    return result;
  });
  made.sampler = report_sampler(sink.sampler(), max_tree_depth(options));
  auto& verdict = made.verdict;
  if (sink.any_draw() && !made.result.interrupted) {
    if (hooks.phase) hooks.phase(RunPhase::judging);
    SampleOptions judged = options;
    judged.thin *= sink.complete_stride();
    const auto start = std::chrono::steady_clock::now();
    std::optional<BiasReport> details;
    verdict = judge_run(plan.settings->diagnose, values.threads(), model, sink.complete_draws(),
                        {&judged, &made.result, &made.sampler, plan.gradients}, &details);
    if (folder.exists()) folder.record()["times"]["judging"] = seconds_since(start);
    if (verdict && folder.exists()) {
      folder.record()["verdict"] = verdict_json(*verdict);
      write_diagnosis(details, sink, folder);
    }
    made.result.interrupted = !verdict && is_interrupted(hooks.interrupt);  // resuming the run judges it
    if (verdict || made.result.interrupted || !sink.writes_all_parameters())
      folder.write_record(made.result.interrupted ? "interrupted" : "finished");
  }
  return made;
}

MadeDraws make_draws_as_promised(const DrawsPlan& plan, SampleOptions& options, RunFolder& folder,
                                 const RunHooks& hooks) {
  MadeDraws made = make_draws(plan, options, folder, hooks, folder.resumes());
  if (folder.resumes()) return made;
  const Repetition repetition = repetition_of(options, made.result, made.verdict, plan.promised, *plan.settings);
  const auto tell = [&](bool remark) {
    if (hooks.warning) hooks.warning({repetition.text, "", remark});
  };
  if (!repetition.text.empty() && !repetition.step) tell(false);
  if (!repetition.step) return made;
  folder.record()["repeated"] = {{"step_size", step_text(options)}, {"verdict", verdict_json(*made.verdict)}};
  options.step_size(*repetition.step);
  folder.set_used("step-size", step_text(options));
  for (const char* name : {"verdict", "step_reductions", "warmup"}) folder.record().erase(name);  // of the first run
  folder.write_record("running");
  tell(true);
  made = MadeDraws();  // closes its files before they are rewritten
  return make_draws(plan, options, folder, hooks, false);
}

}  // namespace sgmcmc
