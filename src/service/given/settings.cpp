// Chooses method, step sizes, minibatches and run lengths.
#include "service/given/settings.hpp"

#include "base/text.hpp"
#include "data/store.hpp"
#include "dynamics/dynamics.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {

namespace {

std::string power_of_ten(double x) { return formatted("%.0e", x); }

/// A first step size to try: the variance of the mean of unit noise over the rows. Small enough for most models.
double suggested_step_size(const Model& model) {
  const auto rows = static_cast<double>(std::max<std::int64_t>(10, model.rows()));
  return 1.0 / rows;
}

StepSize named_step_sizes(const NamedStepSizes& sizes, const Model& model) {
  std::vector<std::string> known, missing;
  for (const auto& info : model.parameters()) known.push_back(info.name);
  std::map<std::string, double> by_name;
  for (const auto& [name, value] : sizes.by_name) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw SettingError("step_size", "there is no parameter '" + name + "'." + did_you_mean(name, known));
    if (!by_name.emplace(name, value).second) throw SettingError("step_size", "'" + name + "' is named twice");
  }
  for (const auto& name : known)
    if (!by_name.count(name)) missing.push_back(name);
  if (sizes.numbers.empty() && !missing.empty())
    throw SettingError("step_size", "nothing is said of " + quoted_list(missing) +
                                        "; name them too, or add a number for all that are not named, as in 1e-5," +
                                        sizes.by_name.front().first + "=1e-4");
  SampleOptions options;
  options.step_size(model, by_name, sizes.numbers.empty() ? 1.0 : sizes.numbers.front());
  return std::get<SgldOptions>(options.sampler).step_size;
}

/// The samplers that have an option, and whether the text is the default of one of them.
struct OptionOwners {
  std::vector<std::string> samplers;
  bool is_default = false;

  OptionOwners(const std::string& option, const std::string& text) {
    for (const auto& sampler : sampler_names())
      for (const auto& described : describe_options(sampler_options(sampler)))
        if (described.name == option) {
          samplers.push_back(sampler);
          is_default = is_default || described.default_text == text;
        }
  }
};

/// Ignores an option that the sampler lacks if its value is a default, because records list the options of all
/// samplers.
void set_sampler_options(const RunSettings& settings, SamplerOptions& sampler) {
  const std::string name(sampler_name(sampler));
  for (const auto& [option, text] : settings.sampler) {
    const OptionOwners owners(option, text);
    if (std::find(owners.samplers.begin(), owners.samplers.end(), name) == owners.samplers.end()) {
      if (owners.is_default) continue;
      throw SettingError(option, name + " has no such option; it is one of " + quoted_list(owners.samplers));
    }
    set_option(sampler, option, text);
  }
}

void refuse_sampler_options(const RunSettings& settings) {
  for (const auto& [option, text] : settings.sampler)
    if (const OptionOwners owners(option, text); !owners.is_default)
      throw SettingError(
          option, "auto chooses it with the sampler; name the sampler too" +
                      (owners.samplers.empty() ? std::string()
                                               : ", as in " + settings.written("method", owners.samplers.front())));
}

/// The place in the model and the reason; empty if the likelihood uses no data.
std::string why_no_rows(const stan::BoundModel& bound) {
  std::string reason = bound.why_not_minibatched();
  if (!reason.empty()) return reason;
  for (const auto& statement : bound.statements())
    if (statement.kind == stan::StatementReport::Kind::full)
      return bound.source().render(statement.span, "this is not a sum over the rows of data declared with one size");
  return "";
}

}  // namespace

std::string method_for(const RunSettings& settings, bool has_rows) {
  if (!settings.method) return !has_rows ? "nuts" : settings.step_size ? "sgld-cv" : "auto";
  return *settings.method == "auto" && !has_rows ? "nuts" : *settings.method;
}

std::string method_for(const RunSettings& settings, const stan::BoundModel& bound) {
  const bool has_rows = !bound.row_axis().empty();
  const std::string method = method_for(settings, has_rows);
  if (has_rows || method == "lbfgs" || estimator_of(method) == "full") return method;
  const bool single = bound.few_rows() && bound.few_rows()->rows == 1;
  const std::string reason = single ? "" : why_no_rows(bound);
  if (reason.empty() && !single) return method;  // no data at all: all methods are equivalent
  const std::string sampler = sampler_of(method);
  const std::string base = sampler.empty() ? method.substr(0, method.find('-')) : sampler;
  throw ModelError(
      settings.written("method") + ": " + method + " needs rows to draw minibatches from, and " +
      (single ? "there is a single one, " + bound.few_rows()->name + " = 1" : "this model has none:\n" + reason) +
      "\nUse " + settings.written("method", (sampler.empty() ? "" : "nuts or ") + base + "-full") +
      (sampler.empty() ? ", which takes" : ", which take") + " all data at every step");
}

GradientOptions gradient_options(const RunSettings& settings, const std::string& estimator, const Model& model,
                                 Precision precision) {
  GradientOptions gradient;
  gradient.estimator = estimator_by_name(estimator);
  const std::int64_t rows = model.rows();
  if (settings.batch_size) {
    gradient.minibatch.batch_size = settings.batch_size->of(rows);
    if (rows > 0) gradient.minibatch.batch_size = std::min(gradient.minibatch.batch_size, rows);
  } else {
    gradient.minibatch.batch_size = std::min(default_batch_size, std::max<std::int64_t>(1, rows));
  }
  if (settings.row_sampling) gradient.minibatch.sampling = *settings.row_sampling;
  if (settings.row_sampling == RowSampling::slices && model.data().store().group_by())
    throw SettingError("row_sampling",
                       "the rows of each group are together in the row file, so consecutive rows are not "
                       "a random sample. Use with-replacement, or pack the data without group-by");
  gradient.refresh_every = settings.refresh_every;
  gradient.table_bytes_limit = settings.table_bytes_limit;
  gradient.precision = precision;
  return gradient;
}

StepSize step_size_for(const RunSettings& settings, const std::string& method, const Model& model) {
  if (method == "auto") {
    if (settings.step_size) throw SettingError("step_size", "a method chooses its own step size; name the method too");
    return {};
  }
  const std::string sampler = sampler_of(method);
  const bool none = !sampler.empty() && !step_size_of(sampler_options(sampler));
  const bool exact = !sampler.empty() && is_exact(sampler_options(sampler));
  if (none && settings.step_size) {
    const auto described = describe_options(sampler_options(sampler));
    const bool has_alpha =
        std::any_of(described.begin(), described.end(), [](const auto& o) { return o.name == "alpha"; });
    throw SettingError(
        "step_size",
        method + " has none" + (has_alpha ? "; use " + settings.written("alpha") + ", 2 / sqrt(step size)" : ""));
  }
  if (!settings.step_size) {
    if (!sampler.empty()) return {};  // found by short runs, or during warm-up
    throw SettingError("step_size", method + " needs one. Useful values are of the order of the smallest posterior " +
                                        "variance of a parameter: try " +
                                        settings.written("step_size", power_of_ten(suggested_step_size(model))) +
                                        ", then larger ones while the summary stays the same");
  }
  const auto& sizes = *settings.step_size;
  if (exact && (sizes.numbers.size() != 1 || !sizes.by_name.empty()))
    throw SettingError(
        "step_size", method + " takes one number, or none and finds it: its metric adapts to the scales of parameters");
  if (!sizes.by_name.empty()) return named_step_sizes(sizes, model);
  if (sizes.numbers.size() > 1 && static_cast<std::int64_t>(sizes.numbers.size()) != model.dimension())
    throw SettingError("step_size", std::to_string(sizes.numbers.size()) + " numbers are given; the model has " +
                                        std::to_string(model.dimension()) + " unconstrained parameters");
  return StepSize(sizes.numbers);
}

SampleOptions sample_options(const RunSettings& settings, const std::string& method, const Model& model,
                             Precision precision) {
  SampleOptions options;
  options.method(method);
  if (options.automatic) refuse_sampler_options(settings);
  const RowSampling sampling = options.gradient.minibatch.sampling;  // default of the method
  options.gradient = gradient_options(settings, estimator_of(method), model, precision);
  if (!settings.row_sampling) options.gradient.minibatch.sampling = sampling;
  // If rows are in random order, consecutive rows are as good as random ones, and faster to read. Grouped rows are
  // drawn one by one, with equal probabilities, which takes no memory for each row.
  if (!settings.row_sampling && model.data().in_random_order())
    options.gradient.minibatch.sampling = RowSampling::slices;
  if (!settings.row_sampling && model.data().store().group_by())
    options.gradient.minibatch.sampling = RowSampling::with_replacement;
  options.precondition = settings.precondition;
  set_sampler_options(settings, options.sampler);
  options.step_size(step_size_for(settings, method, model));
  const auto at_least_one = [](const char* name, std::uint64_t count) {
    if (count == 0) throw SettingError(name, "ask for at least 1");
    return count;
  };
  // The method already set the defaults of all three.
  if (settings.iterations) options.iterations = at_least_one("iterations", *settings.iterations);
  if (settings.warmup) options.warmup = *settings.warmup;
  options.find_warmup = !settings.warmup;
  if (settings.initial_radius) options.initial_radius = *settings.initial_radius;
  options.start_at_modes = settings.start_at_modes.value_or(false);
  options.thin = at_least_one("thin", settings.thin.value_or(1));
  if (options.thin > options.iterations)
    throw SettingError("thin", std::to_string(options.thin) + " of " + std::to_string(options.iterations) +
                                   " iterations: no draw would be kept");
  if (at_least_one("chains", settings.chains) > 10'000)
    throw SettingError("chains", "more than 10000 chains are not run at once");
  options.chains = static_cast<std::uint32_t>(settings.chains);
  options.threads = settings.threads;
  options.seed = settings.subposterior ? seed_of_part(settings.seed, *settings.subposterior) : settings.seed;
  if (options.initial_radius < 0) throw SettingError("initial_radius", "a non-negative number is expected");
  options.initial = settings.initial;
  options.recoveries = static_cast<std::uint32_t>(std::min<std::uint64_t>(settings.recoveries, 1'000'000));
  options.store_draws = false;
  options.groups = settings.groups;
  options.zero_variance = settings.zero_variance;
  return options;
}

TuneOptions tune_options(const RunSettings& settings) {
  TuneOptions how;
  how.seconds = settings.tune_seconds;
  if (!(how.seconds >= 0)) throw SettingError("tune_seconds", "a non-negative number is expected");
  how.batch_size = !settings.batch_size;
  how.friction = !settings.sampler.contains("friction") && !settings.sampler.contains("diffusion");
  how.trajectory_length = !settings.sampler.contains("trajectory_length");
  how.length = !settings.iterations;
  how.warmup = !settings.warmup;
  return how;
}

Tuned tuned_options(const RunSettings& settings, const Model& model, const SampleOptions& options,
                    std::string& remark) {
  Tuned tuned = tune(model, options, tune_options(settings));
  if (settings.iterations) tuned.options.iterations = options.iterations;
  if (settings.warmup) tuned.options.warmup = options.warmup;
  if (settings.thin) tuned.options.thin = options.thin;
  if (settings.thin && !settings.iterations && options.thin > 1 && is_exact(tuned.options.sampler)) {
    // Keep all draws of the exact sampler: thin was meant for the many cheap steps of minibatch samplers.
    tuned.options.thin = 1;
    remark = "auto chose " + std::string(sampler_name(tuned.options.sampler)) + ", whose " +
             std::to_string(tuned.options.iterations) + " draws are all kept: " + settings.written("thin") +
             " counts only together with " + settings.written("iterations") + ", or with a method that is named";
  }
  if (settings.initial_radius) tuned.options.initial_radius = options.initial_radius;
  if (settings.start_at_modes) tuned.options.start_at_modes = *settings.start_at_modes;
  return tuned;
}

}  // namespace sgmcmc
