// Runs the optimiser that the settings name.
#include "service/optimum.hpp"

#include "model/constrained_values.hpp"
#include "service/given/settings.hpp"

#include <algorithm>

namespace sgmcmc {
namespace {

/// Sets the options that adam and sgd share.
template <class Options>
void set_common(const RunSettings& settings, Options& options) {
  if (settings.iterations) options.iterations = *settings.iterations;
  if (const auto schedule = settings.sampler.find("schedule"); schedule != settings.sampler.end()) {
    SamplerOptions reader = SgldOptions{};  // reuses the samplers' parser of schedules
    set_option(reader, "schedule", schedule->second);
    options.schedule = std::get<SgldOptions>(reader).schedule;
  }
}

ModeResult find(const Model& model, Precision precision, const RunSettings& settings, const std::string& method,
                const SearchOptions& search) {
  std::vector<double> start;
  if (!settings.initial.empty()) start = model.unconstrain(settings.initial);
  if (method == "lbfgs") {
    LbfgsOptions options;
    if (settings.iterations) options.max_iterations = *settings.iterations;
    options.gain_tolerance = search.gain_tolerance;
    return find_mode(model, options, start, settings.threads, search.interrupt);
  }
  const auto gradient = gradient_options(settings, estimator_of(method), model, precision);
  if (method.starts_with("adam")) {
    AdamOptions options;
    set_common(settings, options);
    if (settings.step_size) options.step_size = step_size_for(settings, method, model);
    return find_mode(model, options, gradient, start, settings.seed, search.interrupt);
  }
  SgdOptions options;
  set_common(settings, options);
  options.step_size = step_size_for(settings, method, model);
  return find_mode(model, options, gradient, start, settings.seed, search.interrupt);
}

/// Does not compute the outputs.
Optimum optimum_by(const std::string& method, const Model& model, Precision precision, const RunSettings& settings,
                   const SearchOptions& search) {
  Optimum optimum;
  optimum.method = method;
  optimum.mode = find(search.jacobian ? model : model.without_jacobian(), precision, settings, method, search);
  optimum.names = model.constrained_names();
  optimum.values = constrained_values(LogPosterior(model), optimum.mode.theta);
  return optimum;
}

/// Appends the outputs of the model to the parameters in `values`.
void add_outputs(const StanPosterior& posterior, std::uint64_t seed, Optimum& optimum) {
  auto& bound = posterior.bound();
  const std::vector<double> parameters = optimum.values;
  optimum.values.resize(parameters.size() + bound.output_size());
  try {
    bound.evaluate_outputs(parameters, seed, 0, 0, std::span(optimum.values).subspan(parameters.size()));
  } catch (const stan::LimitError&) {
    throw;
  } catch (const Error& error) {  // the mode is still valid
    optimum.outputs_problem = error.what();
  }
}

}  // namespace

Optimum find_optimum(const StanPosterior& posterior, const RunSettings& settings, const SearchOptions& search) {
  const std::string method = settings.method ? method_for(settings, posterior.bound()) : "lbfgs";
  Optimum optimum = optimum_by(method, posterior.model(), posterior.precision(), settings, search);
  add_outputs(posterior, settings.seed, optimum);
  for (auto& name : posterior.output_names()) optimum.names.push_back(std::move(name));
  return optimum;
}

Optimum find_optimum(const Model& model, Precision precision, const RunSettings& settings,
                     const SearchOptions& search) {
  return optimum_by(settings.method.value_or("lbfgs"), model, precision, settings, search);
}

}  // namespace sgmcmc
