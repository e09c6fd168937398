// Reading option values into settings, and saying in the words of the command line which of them cannot be used.
#include "service/option_settings.hpp"

#include "service/initial_values.hpp"
#include "service/settings.hpp"
#include "settings/methods.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>

namespace sgmcmc {
namespace {

template <class Choice>
Choice choice_of(const std::string& text, Choice all, Choice none, Choice otherwise, const char* first,
                 const char* second) {
  return text == first ? all : text == second ? none : otherwise;
}

}  // namespace

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
  options.keep_outcomes = values.command() == Command::sample && values.given("out");
  return options;
}

Precision precision_of(const OptionValues& values) {
  return values.text("precision") == "float" ? Precision::float32 : Precision::float64;
}

RunSettings run_settings(const OptionValues& values) {
  RunSettings settings;
  if (values.given("method") || values.command() != Command::sample) settings.method = values.text("method");
  if (values.given("step-size") && values.text("step-size") != "auto")
    settings.step_size = step_sizes_from(values.text("step-size"));
  settings.tune_seconds = values.number("tune-seconds");
  if (values.given("batch-size")) settings.batch_size = batch_size_from(values.text("batch-size"));
  if (values.given("precondition")) settings.precondition = precondition_by_name(values.text("precondition"));
  if (values.given("row-sampling")) {
    const std::string sampling = values.text("row-sampling");
    settings.row_sampling = sampling == "with-replacement"  ? RowSampling::with_replacement
                            : sampling == "shuffled-epochs" ? RowSampling::shuffled_epochs
                            : sampling == "preferential"    ? RowSampling::preferential
                                                            : RowSampling::without_replacement;
  }
  settings.refresh_every = values.count("refresh-every");
  settings.table_bytes_limit = values.count("table-bytes-limit");
  for (const auto* option : options_of(Command::sample))
    if (option->kind == ValueKind::sampler && values.given(option->name))
      settings.sampler[option->key()] = values.text(option->name);
  if (values.given("iterations")) settings.iterations = values.count("iterations");
  if (values.given("warmup")) settings.warmup = values.count("warmup");
  if (values.given("thin")) settings.thin = values.count("thin");
  settings.chains = values.count("chains");
  settings.seed = values.count("seed");
  if (values.given("initial-radius")) settings.initial_radius = values.number("initial-radius");
  if (values.given("starts")) settings.start_at_modes = values.text("starts") == "modes";
  settings.recoveries = values.count("recoveries");
  settings.threads = values.threads();
  settings.log_density = choice_of(values.text("log-density"), LogDensityAtDraws::always, LogDensityAtDraws::never,
                                   LogDensityAtDraws::automatic, "always", "never");
  settings.outputs =
      choice_of(values.text("outputs"), KeptOutputs::all, KeptOutputs::none, KeptOutputs::automatic, "all", "none");
  if (values.command() == Command::sample) settings.groups = values.text("groups");
  if (values.command() != Command::sample) settings.zero_variance = ZeroVarianceForm::none;
  const std::string form = values.text("zero-variance");
  for (const auto known : {ZeroVarianceForm::none, ZeroVarianceForm::linear, ZeroVarianceForm::quadratic})
    if (form == zero_variance_name(known)) settings.zero_variance = known;
  settings.diagnose = choice_of(values.text("diagnose"), Judging::full, Judging::none, Judging::quick, "full", "none");
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
  // A record lists the options of all methods; what stands on the command line was meant.
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

Tuned tuned_options(const OptionValues& values, const Model& model, const SampleOptions& options, std::string& remark) {
  return naming_options(values, [&] { return sgmcmc::tuned_options(run_settings(values), model, options, remark); });
}

}  // namespace sgmcmc
