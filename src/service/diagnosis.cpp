// Reads the record of a run, and compares its draws with the posterior.
#include "service/diagnosis.hpp"

#include "report/json_text.hpp"
#include "service/given/option_settings.hpp"
#include "service/parts/combine_run.hpp"
#include "service/record/kept_record.hpp"
#include "settings/config.hpp"
#include "settings/run_record.hpp"

#include <sgmcmc/error.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// Refuses runs that kept only some parameters: gradients need all of them.
void refuse_some_parameters(const OptionValues& values, const Json& record, const fs::path& folder) {
  const auto kept = kept_record(record, folder);
  if (!kept || kept->all_parameters) return;
  const auto verdict = record.find("verdict");
  const bool judged = verdict != record.end() && verdict->is_object() && verdict->contains("trust");
  throw DataError("the run in '" + folder.string() + "' did not keep the draws of all parameters (" +
                  values.written("keep") + "); " +
                  (judged
                       ? "its verdict, " + json_text((*verdict)["trust"]) + ", is in " + (folder / "run.json").string()
                       : "it has no verdict either"));
}

OptionValues call_of(const OptionValues& values, const fs::path& folder) {
  const fs::path path = folder / "run.json";
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw FileError(path.string() + ": cannot be read; diagnose needs a folder written by sgmcmc sample " +
                    values.written("out", "DIR"));
  std::ostringstream text;
  text << file.rdbuf();
  const Json record = json_if_valid(text.str());
  const std::string command = is_run_record(record) ? record.value("command", "") : "";
  if (command != "sample" && command != "combine")
    throw FileError(path.string() + ": is not the record of a run of sgmcmc sample or combine");
  refuse_some_parameters(values, record, folder);
  if (const auto changes = changes_since(record); !changes.empty())
    throw DataError(path.string() + ": " + changes.front() +
                    ": its draws cannot be compared with what it says now. Sample again, or put the file back");
  if (command == "combine") return call_on_all_rows(record, folder);
  return read_config_text(Command::sample, path.string(), text.str());
}

}  // namespace

BiasOptions bias_options(const OptionValues& values) {
  BiasOptions options;
  options.most_draws = values.count("draws");
  if (options.most_draws < 10) throw UsageError(values.where("draws") + ": at least 10 draws must be looked at");
  const std::string gradients = values.text("gradients");
  options.gradients = gradients == "full" ? DrawGradients::full
                      : gradients == "cv" ? DrawGradients::control_variate
                                          : DrawGradients::automatic;
  options.most_passes = values.number("most-passes");
  if (!(options.most_passes > 0)) throw UsageError(values.where("most-passes") + ": a positive number is expected");
  options.halving_iterations = values.count("halving");
  if (options.halving_iterations > 0 && options.halving_iterations < 20)
    throw UsageError(values.where("halving") + ": a few hundred iterations at least are needed to compare anything");
  options.kernel.most_points = options.most_draws;
  options.threads = values.threads();
  return options;
}

Diagnosis::Diagnosis(const OptionValues& values, const fs::path& folder)
    : values_(values), options_(bias_options(values)), call_(call_of(values, folder)) {
  const Json record = record_in(folder);
  if (record.value("command", "") != "combine") return;
  combined_ = true;
  if (const auto method = combine_method_by_name(record["options"].value("method", "")))
    options_.remedy = remedy_for(*method);
}

BiasReport Diagnosis::report(const StanPosterior& given, const MemoryDraws& draws) const {
  if (combined_) {
    if (options_.halving_iterations > 0)
      throw UsageError(values_.where("halving") + ": draws of a combination do not depend on a step size");
    return diagnose_bias(given.model(), options_of_combined(draws.chains(), draws.draws(0), 1), draws, options_);
  }
  const StanPosterior posterior = part_for(call_, given);
  const auto& bound = posterior.bound();
  const SampleOptions run = sample_options(call_, method_for(call_, bound), bound);
  if (options_.halving_iterations > 0 && !step_shows(run.sampler))
    throw UsageError(values_.where("halving") + ": the draws of " + std::string(sampler_name(run.sampler)) +
                     " do not depend on a step size; there is nothing to halve");
  return diagnose_bias(posterior.model(), run, draws, options_);
}

}  // namespace sgmcmc
