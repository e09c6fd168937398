// The mode and the normal approximation there; reports on models; comparison of draws with the gradients of their
// model.
#include "interruptible.hpp"
#include "module.hpp"
#include "posterior.hpp"
#include "report/bias_table.hpp"
#include "service/diagnosis.hpp"
#include "service/record/model_record.hpp"
#include "service/optimum.hpp"
#include "service/given/option_settings.hpp"
#include "service/given/given_settings.hpp"
#include "service/record/run_json.hpp"
#include "stan/binding/model_file.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <tuple>

namespace sgmcmc::python {
namespace {

using StartValues = std::map<std::string, std::vector<double>>;

/// Names and values of parameters and outputs, why outputs are missing, unconstrained coordinates, log density, whether
/// it is a mode, and a description of the search.
nb::tuple optimize(const Posterior& posterior, const GivenSettings& given, const StartValues& initial) {
  const OptionValues values = option_values(Command::optimize, given, false);
  RunSettings settings = run_settings(values);
  settings.initial = initial;
  SearchOptions search;
  search.gain_tolerance = values.number("gain-tolerance");
  search.jacobian = values.text("jacobian") == "true";
  auto found = interruptible_or_raise([&](const std::atomic<bool>* interrupt) {
    search.interrupt = interrupt;
    Optimum optimum = posterior.stan() ? find_optimum(*posterior.stan(), settings, search)
                                       : find_optimum(posterior.model(), posterior.precision(), settings, search);
    if (optimum.method != "lbfgs") {  // which alone knows it
      const Posterior target(search.jacobian ? posterior.model() : posterior.model().without_jacobian(),
                             posterior.precision());
      optimum.mode.report.value = target.value_and_gradient(optimum.mode.theta).front();
    }
    return optimum;
  });
  const auto& report = found.mode.report;
  return nb::make_tuple(found.names, numpy_vector(std::move(found.values)), found.outputs_problem,
                        numpy_vector(std::move(found.mode.theta)), report.value, report.converged(), report.describe());
}

/// Mode, covariance and the log of the evidence, on the unconstrained scale.
nb::tuple laplace(const Posterior& posterior, const GivenSettings& given, const StartValues& initial) {
  const OptionValues values = option_values(Command::optimize, given, false);
  const RunSettings settings = run_settings(values);
  if (settings.method && *settings.method != "lbfgs")
    throw OptionError("method: '" + *settings.method + "' finds no mode precise enough for curvature; lbfgs does");
  if (values.text("jacobian") != "true")
    throw OptionError("jacobian: the normal approximation is one of the unconstrained parameters: it always counts");
  LbfgsOptions options;
  if (settings.iterations) options.max_iterations = *settings.iterations;
  options.gain_tolerance = values.number("gain-tolerance");
  auto [theta, covariance, log_evidence] = interruptible_or_raise([&](const std::atomic<bool>* interrupt) {
    const Model& model = posterior.model();
    const auto found =
        laplace_approximation(model, options, initial.empty() ? std::vector<double>() : model.unconstrain(initial),
                              settings.threads, interrupt);
    return std::tuple(std::vector<double>(found.mode().begin(), found.mode().end()), found.covariance(),
                      found.log_evidence());
  });
  const std::size_t size = theta.size();
  return nb::make_tuple(numpy_vector(std::move(theta)), numpy_array(std::move(covariance), {size, size}), log_evidence);
}

/// For each statement of the model block: its kind, line, column and text, and why it is evaluated in full.
nb::list statements(const Posterior& posterior) {
  nb::list all;
  if (!posterior.stan()) return all;
  const auto& bound = posterior.stan()->bound();
  static constexpr const char* kinds[] = {"prior", "likelihood", "full"};
  for (const auto& statement : bound.statements()) {
    const auto at = bound.source().line_column(statement.span.begin);
    all.append(nb::make_tuple(kinds[static_cast<std::size_t>(statement.kind)], at.line, at.column,
                              std::string(bound.source().text(statement.span)), statement.reason));
  }
  return all;
}

/// The verdict, its sentences, and a table of results.
nb::tuple diagnose(const Posterior& posterior, const RunResult& run, const GivenSettings& given) {
  const BiasOptions options = bias_options(option_values(Command::diagnose, given, false));
  const auto report = interruptible_or_raise([&](const std::atomic<bool>* interrupt) {
    SampleOptions made_with = run.options;
    made_with.interrupt = interrupt;
    return diagnose_bias(posterior.model(), made_with, run.draws, options);
  });
  return nb::make_tuple(std::string(trust_words(report.verdict.trust)), report.verdict.sentences, bias_table(report));
}

/// The contents of diagnosis.json, and of `bound` in run.json, in a run folder, as JSON.
nb::tuple described(const Posterior& posterior, const RunResult& run) {
  auto [diagnosis, model] = interruptible_or_raise([&](const std::atomic<bool>* interrupt) {
    SampleOptions made_with = run.options;
    made_with.interrupt = interrupt;
    const BiasReport report = diagnose_bias(posterior.model(), made_with, run.draws);
    return std::pair(saved_diagnosis_json(report, run.draws.names()).dump(),
                     posterior.stan() ? described_model(*posterior.stan(), run.options).dump() : std::string("{}"));
  });
  return nb::make_tuple(diagnosis, model);
}

}  // namespace

void add_modes(nb::module_& m) {
  m.def("optimize", &optimize);
  m.def("laplace", &laplace);
  m.def("statements", &statements);
  m.def("diagnose", &diagnose);
  m.def("described", &described);
}

}  // namespace sgmcmc::python
