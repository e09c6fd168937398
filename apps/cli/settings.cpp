// Method, step sizes, minibatches: checked against the model.
#include "cli/settings.hpp"

#include "base/text.hpp"
#include "cli/model_input.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc::cli {
namespace {

std::string short_number(double x) { return formatted("%.0e", x); }

/// A first step size to try: the variance a mean of unit noise would have. Small enough for most models.
double suggested_step_size(const Model& model) {
  const auto rows = static_cast<double>(std::max<std::int64_t>(10, model.rows()));
  return 1.0 / rows;
}

StepSize named_step_sizes(const NamedStepSizes& sizes, const std::string& where, const Model& model) {
  std::vector<std::string> known, missing;
  for (const auto& info : model.parameters()) known.push_back(info.name);
  std::map<std::string, double> by_name;
  for (const auto& [name, value] : sizes.by_name) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(where + ": there is no parameter '" + name + "'." + did_you_mean(name, known));
    if (!by_name.emplace(name, value).second) throw UsageError(where + ": '" + name + "' is named twice");
  }
  for (const auto& name : known)
    if (!by_name.count(name)) missing.push_back(name);
  if (sizes.numbers.empty() && !missing.empty())
    throw UsageError(where + ": nothing is said of " + quoted_list(missing) +
                     "; name them too, or add a number for all that are not named, as in 1e-5," +
                     sizes.by_name.front().first + "=1e-4");
  SampleOptions options;
  options.step_size(model, by_name, sizes.numbers.empty() ? 1.0 : sizes.numbers.front());
  return std::get<SgldOptions>(options.sampler).step_size;
}

void set_sampler_options(const OptionValues& values, SamplerOptions& sampler) {
  const std::string name(sampler_name(sampler));
  for (const auto* option : options_of(Command::sample)) {
    if (option->kind != ValueKind::sampler || !values.given(option->name)) continue;
    if (std::find(option->samplers.begin(), option->samplers.end(), name) == option->samplers.end()) {
      if (option->is_sampler_default(values.text(option->name))) continue;  // a run record lists those of all samplers
      throw UsageError(values.where(option->name) + ": " + name + " has no such option; it is one of " +
                       quoted_list(option->samplers));
    }
    set_option(sampler, option->key(), values.text(option->name));
  }
}

void refuse_sampler_options(const OptionValues& values) {
  for (const auto* option : options_of(Command::sample))
    if (option->kind == ValueKind::sampler && values.given(option->name) && option->key() != "step_size" &&
        !option->is_sampler_default(values.text(option->name)))
      throw UsageError(values.where(option->name) + ": auto chooses it with the sampler; name the sampler too, as in " +
                       "--method " + option->samplers.front());
}

/// The place and the reason, or nothing where there are no data in the likelihood.
std::string why_no_rows(const stan::BoundModel& bound) {
  std::string reason = bound.why_not_minibatched();
  if (!reason.empty()) return reason;
  for (const auto& statement : bound.statements())
    if (statement.kind == stan::StatementReport::Kind::full)
      return bound.source().render(statement.span, "this is not a sum over the rows of data declared with one size");
  return "";
}

}  // namespace

std::vector<std::string> options_without_effect(const OptionValues& values, const SampleOptions& options) {
  // A record lists the options of all methods; what stands on the command line was meant.
  const auto asked = [&](const char* name) { return values.given(name) && values.where(name).starts_with("--"); };
  std::vector<std::string> found;
  const SamplerOptions& sampler = options.sampler;
  const std::string own_name(sampler_name(sampler));
  for (const char* name : {"batch-size", "row-sampling"}) {
    if (!asked(name) || options.gradient.estimator != Estimator::full || !takes_every_row(sampler)) continue;
    std::string text = "--" + std::string(name) + " has no effect: " + own_name + " " + how_rows_are_taken(own_name);
    if (row_use(sampler) == RowUse::own_subsets) text += "; --subset-rows sets their size";
    if (row_use(sampler) == RowUse::own_groups) text += "; --groups-per-step sets their size";
    found.push_back(text);
  }
  if (asked("groups") && !is_marginal(sampler))
    found.push_back("--groups has no effect: " + own_name +
                    " draws the parameters of all groups; methods that integrate over groups, such as marginal-nuts, "
                    "draw those of chosen ones");
  return found;
}

std::string estimator_of(const std::string& method) {
  const std::string sampler = sampler_of(method);
  const auto dash = method.find('-', sampler.size());  // optimisers are no samplers: after the first dash
  if (dash != std::string::npos) return method.substr(dash + 1);
  return takes_every_row_method(method) ? "full" : "minibatch";
}

std::string method_for(const OptionValues& values, const stan::BoundModel& bound) {
  const bool has_rows = !bound.row_axis().empty();
  if (values.command() == Command::sample && !values.given("method")) {
    const bool step_given = values.given("step-size") && values.text("step-size") != "auto";
    return !has_rows ? "nuts" : step_given ? "sgld-cv" : "auto";
  }
  const std::string method = values.text("method");
  if (method == "auto") return has_rows ? "auto" : "nuts";
  if (has_rows || method == "lbfgs" || estimator_of(method) == "full") return method;
  const bool single = bound.few_rows() && bound.few_rows()->rows == 1;
  const std::string reason = single ? "" : why_no_rows(bound);
  if (reason.empty() && !single) return method;  // no data at all: every method is the same
  const std::string sampler = sampler_of(method);
  const std::string base = sampler.empty() ? method.substr(0, method.find('-')) : sampler;
  throw ModelError(
      values.where("method") + ": " + method + " needs rows to draw minibatches from, and " +
      (single ? "there is a single one, " + bound.few_rows()->name + " = 1" : "this model has none:\n" + reason) +
      "\nUse --method " + (sampler.empty() ? base + "-full, which takes" : "nuts or " + base + "-full, which take") +
      " all data at every step");
}

GradientOptions gradient_options(const OptionValues& values, const std::string& estimator, const Model& model) {
  GradientOptions gradient;
  gradient.estimator = estimator_by_name(estimator);
  const std::int64_t rows = model.rows();
  if (values.given("batch-size")) {
    gradient.minibatch.batch_size = batch_size_from(values.text("batch-size"))->of(rows);
    if (rows > 0) gradient.minibatch.batch_size = std::min(gradient.minibatch.batch_size, rows);
  } else {
    gradient.minibatch.batch_size = std::min(default_batch_size, std::max<std::int64_t>(1, rows));
  }
  const std::string sampling = values.text("row-sampling");
  gradient.minibatch.sampling = sampling == "with-replacement"  ? RowSampling::with_replacement
                                : sampling == "shuffled-epochs" ? RowSampling::shuffled_epochs
                                : sampling == "preferential"    ? RowSampling::preferential
                                                                : RowSampling::without_replacement;
  gradient.refresh_every = values.count("refresh-every");
  gradient.table_bytes_limit = values.count("table-bytes-limit");
  gradient.precision = values.text("precision") == "float" ? Precision::float32 : Precision::float64;
  return gradient;
}

StepSize step_size_for(const OptionValues& values, const std::string& method, const Model& model) {
  if (method == "auto") {
    if (values.given("step-size") && values.text("step-size") != "auto")
      throw UsageError(values.where("step-size") + ": a method chooses its own step size; name the method too");
    return {};
  }
  const std::string sampler = sampler_of(method);
  const bool none = !sampler.empty() && !step_size_of(sampler_options(sampler));
  const bool exact = !sampler.empty() && is_exact(sampler_options(sampler));
  if (none && values.given("step-size")) {
    const auto& with_alpha = find_option(Command::sample, "alpha")->samplers;
    const bool has_alpha = std::find(with_alpha.begin(), with_alpha.end(), sampler) != with_alpha.end();
    throw UsageError(values.where("step-size") + ": " + method + " has none" +
                     (has_alpha ? "; use --alpha, 2 / sqrt(step size)" : ""));
  }
  if (!values.given("step-size") || values.text("step-size") == "auto") {
    if (!sampler.empty()) return {};  // found by short runs, or in warm-up
    throw UsageError("--step-size: " + method +
                     " needs one. Useful values are of the order of the smallest posterior " +
                     "variance of a parameter: try --step-size " + short_number(suggested_step_size(model)) +
                     ", then larger ones while the summary stays the same");
  }
  const std::string where = values.where("step-size");
  const auto sizes = *step_sizes_from(values.text("step-size"));
  if (exact && (sizes.numbers.size() != 1 || !sizes.by_name.empty()))
    throw UsageError(where + ": " + method +
                     " takes one number, or none and finds it: its metric adapts to the scales of parameters");
  if (!sizes.by_name.empty()) return named_step_sizes(sizes, where, model);
  if (sizes.numbers.size() > 1 && static_cast<std::int64_t>(sizes.numbers.size()) != model.dimension())
    throw UsageError(where + ": " + std::to_string(sizes.numbers.size()) + " numbers are given; the model has " +
                     std::to_string(model.dimension()) + " unconstrained parameters");
  return StepSize(sizes.numbers);
}

SampleOptions sample_options(const OptionValues& values, const std::string& method, const stan::BoundModel& bound) {
  const Model& model = bound.model();
  SampleOptions options;
  options.method(method);
  if (options.automatic) refuse_sampler_options(values);
  const RowSampling sampling = options.gradient.minibatch.sampling;  // method() knows its default
  options.gradient = gradient_options(values, estimator_of(method), model);
  if (!values.given("row-sampling")) options.gradient.minibatch.sampling = sampling;
  if (values.given("precondition")) options.precondition = precondition_by_name(values.text("precondition"));
  set_sampler_options(values, options.sampler);
  options.step_size(step_size_for(values, method, model));
  const auto at_least_one = [&](const char* name) {
    const auto count = values.count(name);
    if (count == 0) throw UsageError(values.where(name) + ": ask for at least 1");
    return count;
  };
  // method() knows the defaults of all three.
  if (values.given("iterations")) options.iterations = at_least_one("iterations");
  if (values.given("warmup")) options.warmup = values.count("warmup");
  options.find_warmup = !values.given("warmup");
  if (values.given("initial-radius")) options.initial_radius = values.number("initial-radius");
  options.thin = at_least_one("thin");
  if (options.thin > options.iterations)
    throw UsageError(values.where("thin") + ": " + std::to_string(options.thin) + " of " +
                     std::to_string(options.iterations) + " iterations: no draw would be kept");
  const auto chains = at_least_one("chains");
  if (chains > 10'000) throw UsageError(values.where("chains") + ": more than 10000 chains are not run at once");
  options.chains = static_cast<std::uint32_t>(chains);
  options.threads = values.threads();
  options.seed = values.count("seed");
  if (options.initial_radius < 0) throw UsageError(values.where("initial-radius") + ": a number from 0 on is expected");
  if (values.given("initial")) options.initial = read_initial(values.text("initial"), model);
  options.recoveries = static_cast<std::uint32_t>(std::min<std::uint64_t>(values.count("recoveries"), 1'000'000));
  options.store_draws = false;
  if (values.command() == Command::sample) options.groups = values.text("groups");
  if (values.command() != Command::sample) options.zero_variance = ZeroVarianceForm::none;
  const std::string form = values.text("zero-variance");
  for (const auto known : {ZeroVarianceForm::none, ZeroVarianceForm::linear, ZeroVarianceForm::quadratic})
    if (form == zero_variance_name(known)) options.zero_variance = known;
  return options;
}

}  // namespace sgmcmc::cli
