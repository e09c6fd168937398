// The mode and the normal approximation there; what was understood of a model; draws beside the gradients of their
// model.
#include "module.hpp"
#include "posterior.hpp"
#include "report/bias_table.hpp"
#include "settings.hpp"
#include "stan/binding/model_file.hpp"

#include <sgmcmc/mode.hpp>

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sgmcmc::python {
namespace {

LbfgsOptions lbfgs_options(const OptionValues& values) {
  LbfgsOptions options;
  if (values.given("iterations")) options.max_iterations = values.count("iterations");
  options.gain_tolerance = values.number("gain-tolerance");
  return options;
}

std::vector<double> start_from(const Posterior& posterior, const std::map<std::string, std::vector<double>>& initial) {
  return initial.empty() ? std::vector<double>() : posterior.model().unconstrain(initial);
}

/// Unconstrained coordinates, log density, whether it is a mode, and words on the search.
nb::tuple optimize(const Posterior& posterior, const GivenSettings& given,
                   const std::map<std::string, std::vector<double>>& initial) {
  const OptionValues values = option_values(Command::optimize, given, false);
  if (values.given("method") && values.text("method") != "lbfgs")
    throw OptionError("method: '" + values.text("method") + "' is not available here; lbfgs is");
  ModeResult mode;
  {
    const nb::gil_scoped_release release;
    mode = find_mode(posterior.model(), lbfgs_options(values), start_from(posterior, initial), values.threads());
  }
  return nb::make_tuple(numpy_vector(std::move(mode.theta)), mode.report.value, mode.report.converged(),
                        mode.report.describe());
}

/// Mode, covariance and the log of the evidence, on the unconstrained scale.
nb::tuple laplace(const Posterior& posterior, const GivenSettings& given,
                  const std::map<std::string, std::vector<double>>& initial) {
  const OptionValues values = option_values(Command::optimize, given, false);
  const auto found = [&] {
    const nb::gil_scoped_release release;
    return laplace_approximation(posterior.model(), lbfgs_options(values), start_from(posterior, initial),
                                 values.threads());
  }();
  const auto size = static_cast<std::size_t>(posterior.model().dimension());
  return nb::make_tuple(numpy_vector({found.mode().begin(), found.mode().end()}),
                        numpy_array(found.covariance(), {size, size}), found.log_evidence());
}

/// Of the model block: what became of each statement, line, column, text, and why it is evaluated in full.
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

/// Trust, sentences, and a table of what was found.
nb::tuple diagnose(const Posterior& posterior, const RunResult& run, const GivenSettings& given) {
  const OptionValues values = option_values(Command::diagnose, given, false);
  BiasOptions options;
  options.most_draws = values.count("draws");
  options.most_passes = values.number("most-passes");
  options.halving_iterations = values.count("halving");
  options.kernel.most_points = options.most_draws;
  options.threads = values.threads();
  const auto report = [&] {
    const nb::gil_scoped_release release;
    return diagnose_bias(posterior.model(), run.options, run.draws, options);
  }();
  return nb::make_tuple(std::string(trust_words(report.verdict.trust)), report.verdict.sentences, bias_table(report));
}

/// Transformed parameters and generated quantities at a constrained point; no numbers where they cannot be computed.
nb::object outputs_at(const Posterior& posterior, const RealArray& constrained, std::uint64_t seed) {
  if (!posterior.stan()) return numpy_vector({});
  return numpy_vector(posterior.stan()->outputs_at({constrained.data(), constrained.size()}, seed));
}

}  // namespace

void add_modes(nb::module_& m) {
  m.def("optimize", &optimize);
  m.def("laplace", &laplace);
  m.def("statements", &statements);
  m.def("diagnose", &diagnose);
  m.def("outputs_at", &outputs_at);
}

}  // namespace sgmcmc::python
