// The steps of a combination: draws of parts, the rule, outputs, files, verdict.
#include "service/parts/combine_run.hpp"

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "combine/part_checks.hpp"
#include "combine/shared_error.hpp"
#include "draws/netcdf.hpp"
#include "model/constrained_values.hpp"
#include "report/finite.hpp"
#include "report/json_text.hpp"
#include "service/given/option_settings.hpp"
#include "service/record/kept_record.hpp"
#include "service/record/model_record.hpp"
#include "service/record/run_failure.hpp"
#include "service/record/run_json.hpp"
#include "service/sampling/judge.hpp"
#include "service/sampling/outputs.hpp"
#include "service/sampling/run_sink.hpp"
#include "settings/combine.hpp"
#include "settings/run_record.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <chrono>
#include <memory>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr double most_row_visits = 2e8;  // for log densities at all draws

double seconds_from(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Copies the description of model and data from the records of the parts to that of the combination.
void describe_parts(RunFolder& folder, const PartRuns& parts, const StanPosterior& posterior,
                    const SampleOptions& judged) {
  if (!folder.exists()) return;
  Json& record = folder.record();
  const Json& first = parts.record(0);
  for (const char* key : {"folder", "model", "included", "data"})
    if (first.contains(key)) record[key] = first[key];
  Json sample = first["options"];
  for (const char* key : {"subposterior", "out", "overwrite", "initial"}) sample.erase(key);
  record["sample"] = sample;
  record["parts"] = Json::array();
  for (std::size_t part = 0; part < parts.count(); ++part) {
    const Json& own = parts.record(part);
    std::error_code ignored;
    record["parts"].push_back({{"folder", fs::absolute(parts.folder(part), ignored).string()},
                               {"subposterior", own["options"]["subposterior"]},
                               {"rows", own.value("bound", Json::object()).value("rows", Json())},
                               {"seconds", own.value("seconds", Json())},
                               {"verdict", own.value("verdict", Json::object()).value("trust", Json())}});
  }
  record["bound"] = described_model(posterior, judged);
}

std::unique_ptr<StanCsvSink> make_files(const RunFolder& folder, const PartRuns& parts, const StanPosterior& posterior,
                                        const CombineRun& run) {
  if (!folder.exists()) return nullptr;
  StanCsvHeader header;
  header.model = fs::path(posterior.name()).stem().string();
  header.method = std::string(combine_method_name(run.options.method));
  header.iterations = run.draws_per_chain;
  header.seed = run.options.seed;
  header.data_file = joined(parts.call().texts("data"), " ");
  header.settings = {{"combined_parts", std::to_string(run.parts)}};
  return std::make_unique<StanCsvSink>(folder.path(), header);
}

/// Writes all draws, on the constrained scale.
void write_draws(const LogPosterior& posterior, const CombinedDraws& combined, RunSink& sink, int threads,
                 const std::atomic<bool>* interrupt) {
  const auto dimension = static_cast<std::size_t>(posterior.dimension());
  const auto names = posterior.model().constrained_names();
  sink.begin(names, combined.chains.size(), combined.chains.front().size() / dimension);
  ThreadPool pool(threads);
  pool.for_each(combined.chains.size(), [&](std::size_t chain, int) {
    const auto executor = posterior.executor(ProgramKind::constrained, {});
    std::vector<double> values(names.size());
    const auto& positions = combined.chains[chain];
    for (std::size_t at = 0; at < positions.size(); at += dimension) {
      if (is_interrupted(interrupt)) throw InterruptedError();
      executor->set_point(Point::current, std::span(positions).subspan(at, dimension));
      executor->run(RowBatch{}, values);
      if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
        throw DataError("a combined draw is not finite on the constrained scale; the parts hardly agree");
      sink.write_step_size(chain, 0.0);
      sink.write(chain, values, 1.0);
    }
  });
}

void write_results(RunFolder& folder, const CombineRun& run, const RunSink& sink, const StanPosterior& posterior,
                   const RunHooks& hooks) {
  if (netcdf_is_installed()) {
    NetcdfContents contents;
    contents.draws = &sink.draws();
    contents.sampler = &sink.sampler();
    for (const auto& [name, shape, numbers, integer] : posterior.outcomes())
      contents.observed.push_back({name, shape, numbers, integer});
    contents.attributes = {{"inference_library", "sgmcmc"},
                           {"inference_library_version", SGMCMC_VERSION},
                           {"model", fs::path(posterior.name()).stem().string()},
                           {"method", std::string(combine_method_name(run.options.method))},
                           {"seed", std::to_string(run.options.seed)}};
    write_netcdf(folder.path() / "draws.nc", contents);
  } else if (hooks.warning) {
    hooks.warning({"draws.nc is not written, since libnetcdf is not installed (Debian: libnetcdf-dev)", "", false});
  }
  Json& record = folder.record();
  record["seconds"] = run.seconds;
  record["acceptance"] = number_or_null(run.acceptance);
  record["bandwidth"] = number_or_null(run.bandwidth);
  record[shared_error_key] = run.shared_error;
  record["draws"] = Json::array();
  for (std::size_t chain = 0; chain < sink.draws().chains(); ++chain)
    record["draws"].push_back(sink.draws().draws(chain));
}

void judge_combined(const OptionValues& values, const Model& model, const RunSink& sink, RunFolder& folder,
                    CombineRun& run) {
  const SampleOptions judged = options_of_combined(run.chains, run.draws_per_chain, run.options.seed);
  const SampleResult nothing;
  const SamplerReport sampler;
  std::optional<BiasReport> details;
  run.verdict = judge_run(run_settings(values).diagnose, values.threads(), model, sink.complete_draws(),
                          {&judged, &nothing, &sampler, 1, remedy_for(run.options.method)}, &details);
  if (!folder.exists() || !run.verdict) return;
  folder.record()["verdict"] = verdict_json(*run.verdict);
  if (details)
    write_whole(folder.path() / diagnosis_file,
                json_text(saved_diagnosis_json(*details, sink.complete_draws().names()), 1) + "\n");
}

}  // namespace

std::string remedy_for(CombineMethod method) {
  const bool normal = method != CombineMethod::nonparametric && method != CombineMethod::weierstrass &&
                      method != CombineMethod::semiparametric;
  return std::string(normal ? "the parts are not normal enough for this rule"
                            : "the kernels of this rule are too wide") +
         ": use another rule, fewer parts, or sample all rows";
}

SampleOptions options_of_combined(std::size_t chains, std::size_t draws, std::uint64_t seed) {
  SampleOptions options;
  options.method("laplace");  // stands for draws that are not from a Markov chain
  options.chains = static_cast<std::uint32_t>(chains);
  options.iterations = draws;
  options.seed = seed;
  return options;
}

CombineRun run_combine(const OptionValues& values, const PartRuns& parts, const StanPosterior& posterior,
                       RunFolder& folder, const RunHooks& hooks) {
  const auto start = std::chrono::steady_clock::now();
  CombineRun run;
  run.options = combine_options(values);
  run.parts = parts.count();
  const Model& model = posterior.model();
  const auto whole = std::make_shared<const LogPosterior>(model);
  const auto dimension = static_cast<std::size_t>(model.dimension());
  if (hooks.phase) hooks.phase(RunPhase::sampling);
  auto draws = parts.read(posterior, values.threads());
  throw_if_interrupted(hooks.interrupt);
  if (const std::string reason = why_not_combined(*whole, std::span(draws.front().chains.front()).first(dimension));
      !reason.empty())
    throw DataError("these parts cannot be combined: " + reason);
  const CombinedDraws combined = combine_draws(dimension, draws, run.options);
  draws.clear();
  throw_if_interrupted(hooks.interrupt);
  run.acceptance = combined.acceptance;
  run.bandwidth = combined.bandwidth;
  run.chains = combined.chains.size();
  run.draws_per_chain = combined.chains.front().size() / dimension;

  auto outputs = choose_outputs(posterior.bound(), run_settings(parts.call()).outputs);
  run.all_names = model.constrained_names();
  run.all_names.insert(run.all_names.end(), outputs.names.begin(), outputs.names.end());
  const SampleOptions judged = options_of_combined(run.chains, run.draws_per_chain, run.options.seed);
  describe_parts(folder, parts, posterior, judged);
  folder.start();
  const auto files = make_files(folder, parts, posterior, run);
  const auto finish = [&] {
    if (files) files->finish();
  };
  RunSinkParts made;
  made.bound = &posterior.bound();
  made.outputs = std::move(outputs);
  made.posterior = whole;
  made.seed = run.options.seed;
  made.log_density =
      static_cast<double>(posterior.rows()) * static_cast<double>(run.chains * run.draws_per_chain) <= most_row_visits;
  made.files = files.get();
  made.spool_folder = folder.path();
  RunSink sink(std::move(made));
  recording_failure(folder, run.chains, finish, [&] {
    write_draws(*whole, combined, sink, values.threads(), hooks.interrupt);
    run.seconds = seconds_from(start);
    if (files) files->finish(run.seconds);
    sink.collect();
    const auto ratios = shared_error_ratios(combined, dimension, sink.draws());
    for (std::size_t k = 0; k < ratios.size(); ++k) run.shared_error[sink.draws().names()[k]] = ratios[k];
    if (folder.exists()) write_results(folder, run, sink, posterior, hooks);
    if (hooks.phase) hooks.phase(RunPhase::judging);
    judge_combined(values, model, sink, folder, run);
    if (folder.exists()) folder.write_record("finished");
  });
  run.left_out = sink.left_out();
  run.draws = sink.take_draws();
  if (hooks.phase) hooks.phase(RunPhase::done);
  return run;
}

}  // namespace sgmcmc
