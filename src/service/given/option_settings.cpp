// Converts option values to settings; errors name the options as on the command line.
#include "service/given/option_settings.hpp"

#include "service/given/initial_values.hpp"
#include "service/given/parts.hpp"
#include "service/given/settings.hpp"
#include "settings/lda.hpp"
#include "settings/methods.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>

namespace sgmcmc {

StanData data_of(const OptionValues& values) {
  StanData data;
  for (const auto& argument : values.texts("data")) data.file(argument);
  return data;
}

StanBindOptions bind_options(const OptionValues& values) {
  StanBindOptions options;
  options.rows = values.text("rows");
  options.precision = precision_of(values);
  options.threads = values.threads();
  options.memory_for_rows = memory_of(values) / 2;  // the other half is for everything else
  options.keep_outcomes = values.command() == Command::sample && values.given("out");
  return options;
}

StanPosterior part_for(const OptionValues& values, const StanPosterior& posterior) {
  if (!values.given("subposterior")) return posterior;
  const auto which = subposterior_from(values.text("subposterior"));
  if (!which || which->part == 0) return posterior;
  std::vector<RunWarning> ignored;  // discarded here: the run reports them
  return naming_options(values, [&] { return posterior_for(posterior, run_settings(values), ignored); });
}

std::uint64_t memory_of(const OptionValues& values) {
  if (find_option(values.command(), "memory") == nullptr || !values.given("memory")) return 0;
  const auto bytes = bytes_from(values.text("memory"));
  if (!bytes || *bytes < (std::uint64_t{64} << 20))
    throw UsageError(values.where("memory") + ": '" + values.text("memory") +
                     "' is not a size of at least 64M, such as 500M or 2G");
  return *bytes;
}

Precision precision_of(const OptionValues& values) {
  return values.text("precision") == "float" ? Precision::float32 : Precision::float64;
}

RunSettings run_settings(const OptionValues& values) {
  RunSettings settings;
  if (values.command() != Command::sample) settings.zero_variance = ZeroVarianceForm::none;  // option of sample only
  for (const auto* option : options_of(values.command())) {
    if (!option->is_setting()) continue;
    for (const auto& text : values.texts(option->name)) option->write(settings, text);
    if (!values.given(option->name) && !option->left_open && !option->default_text.empty())
      option->write(settings, option->default_text);
  }
  settings.writer = [values](std::string_view setting, std::string_view value) {
    return value.empty() ? values.where(option_name(setting)) : values.written(option_name(setting), value);
  };
  return settings;
}

RunSettings run_settings(const OptionValues& values, const Model& model) {
  RunSettings settings = run_settings(values);
  if (values.given("initial")) settings.initial = read_initial(values.text("initial"), model);
  return settings;
}

std::vector<std::string> options_without_effect(const OptionValues& values, const SampleOptions& options) {
  // A record lists the options of all methods; only those given in the call itself were meant for this run.
  std::vector<std::string> found;
  const SamplerOptions& sampler = options.sampler;
  const std::string own_name(sampler_name(sampler));
  for (const char* name : {"batch-size", "row-sampling"}) {
    if (!values.asked(name) || options.gradient.estimator != Estimator::full || !takes_every_row(sampler)) continue;
    std::string text = values.written(name) + " has no effect: " + own_name + " " + how_rows_are_taken(own_name);
    if (row_use(sampler) == RowUse::own_subsets) text += "; " + values.written("subset-rows") + " sets their size";
    if (row_use(sampler) == RowUse::own_groups) text += "; " + values.written("groups-per-step") + " sets their size";
    found.push_back(text);
  }
  if (values.asked("groups") && !is_marginal(sampler))
    found.push_back(values.written("groups") + " has no effect: " + own_name +
                    " draws the parameters of all groups; methods that integrate over groups, such as marginal-nuts, "
                    "draw those of chosen ones");
  return found;
}

std::string method_for(const OptionValues& values, const stan::BoundModel& bound) {
  return sgmcmc::method_for(run_settings(values), bound);
}

SampleOptions sample_options(const OptionValues& values, const std::string& method, const stan::BoundModel& bound) {
  const RunSettings settings = run_settings(values, bound.model());
  return naming_options(values,
                        [&] { return sgmcmc::sample_options(settings, method, bound.model(), precision_of(values)); });
}

}  // namespace sgmcmc
