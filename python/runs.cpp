// Runs in memory, through the run service, and their results.
#include "module.hpp"
#include "posterior.hpp"
#include "report/summary_table.hpp"
#include "service/given/option_settings.hpp"
#include "background.hpp"
#include "service/given/given_settings.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace sgmcmc::python {

namespace {

std::shared_ptr<RunHandle> start(std::shared_ptr<const Posterior> posterior, const GivenSettings& given,
                                 std::map<std::string, std::vector<double>> initial) {
  RunSettings settings = run_settings(option_values(Command::sample, given, false));
  settings.initial = std::move(initial);
  const auto chains = static_cast<std::size_t>(settings.chains);
  return run_in_background(
      chains, [posterior, settings](const RunHooks& hooks) { return posterior->sample(settings, hooks); });
}

/// The draws that all chains have.
std::size_t common_draws(const MemoryDraws& draws) {
  std::size_t count = draws.chains() == 0 ? 0 : draws.draws(0);
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) count = std::min(count, draws.draws(chain));
  return count;
}

/// Chains, draws, columns.
nb::object draws_array(const MemoryDraws& draws) {
  const std::size_t count = common_draws(draws), columns = draws.names().size();
  std::vector<double> numbers;
  numbers.reserve(draws.chains() * count * columns);
  for (std::size_t chain = 0; chain < draws.chains(); ++chain)
    for (std::size_t draw = 0; draw < count; ++draw) {
      const auto one = draws.draw(chain, draw);
      numbers.insert(numbers.end(), one.begin(), one.begin() + static_cast<std::ptrdiff_t>(columns));
    }
  return numpy_array(std::move(numbers), {draws.chains(), count, columns});
}

/// Chains, draws; None if all draws have the same weight.
nb::object weights_array(const MemoryDraws& draws) {
  if (draws.equal_weights()) return nb::none();
  const std::size_t count = common_draws(draws);
  std::vector<double> numbers;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) {
    const auto weights = draws.weights(chain).first(count);
    numbers.insert(numbers.end(), weights.begin(), weights.end());
  }
  return numpy_array(std::move(numbers), {draws.chains(), count});
}

/// Summaries of the draws, then of the variables whose draws were not kept.
nb::list summary_of(const RunResult& run) {
  nb::list rows;
  const auto add = [&](const std::string& name, const QuantitySummary& s) {
    rows.append(nb::make_tuple(name, s.mean, s.mcse_mean, s.standard_deviation, s.q5, s.q50, s.q95, s.ess_bulk,
                               s.ess_tail, s.rhat));
  };
  for (const auto& row : summary_rows(run.draws)) add(row.name, row.summary);
  for (const auto& [name, summary] : run.summarised) add(name, summary);
  return rows;
}

std::vector<std::string> summarised_names(const RunResult& run) {
  std::vector<std::string> names;
  for (const auto& variable : run.summarised) names.push_back(variable.name);
  return names;
}

/// Text, and whether it is only a remark.
nb::list warnings_of(const RunResult& run) {
  nb::list all;
  for (const auto& warning : run.warnings)
    all.append(
        nb::make_tuple(warning.detail.empty() ? warning.text : warning.text + "\n" + warning.detail, warning.remark));
  return all;
}

}  // namespace

void add_runs(nb::module_& m) {
  nb::class_<RunResult>(m, "Run")
      .def_prop_ro("method", [](const RunResult& r) { return r.method; })
      .def_prop_ro("seconds", [](const RunResult& r) { return r.chains.seconds; })
      .def_prop_ro("tuning_seconds", [](const RunResult& r) { return r.tuning ? r.tuning->seconds : 0.0; })
      .def_prop_ro("why", [](const RunResult& r) { return r.tuning ? r.tuning->why : std::string(); })
      .def_prop_ro("interrupted", [](const RunResult& r) { return r.interrupted; })
      .def_prop_ro("trust",
                   [](const RunResult& r) { return r.verdict ? std::string(trust_words(r.verdict->trust)) : ""; })
      .def_prop_ro("sentences",
                   [](const RunResult& r) { return r.verdict ? r.verdict->sentences : std::vector<std::string>(); })
      .def_prop_ro("warnings", &warnings_of)
      .def_prop_ro("names", [](const RunResult& r) { return r.draws.names(); })
      .def_prop_ro("summarised", &summarised_names)
      .def_prop_ro("draws", [](const RunResult& r) { return draws_array(r.draws); })
      .def_prop_ro("weights", [](const RunResult& r) { return weights_array(r.draws); })
      .def_prop_ro("statistic_names", [](const RunResult& r) { return r.sampler.names(); })
      .def_prop_ro("statistics", [](const RunResult& r) { return draws_array(r.sampler); })
      .def("summary", &summary_of)
      .def("table", &RunResult::table, nb::arg("most_rows") = 60);
  nb::class_<RunHandle>(m, "RunHandle")
      .def("wait", &RunHandle::wait, nb::call_guard<nb::gil_scoped_release>())
      .def("abort", &RunHandle::abort)
      .def_prop_ro("state", &RunHandle::state)
      .def_prop_ro("times", &RunHandle::times)
      .def("result", &RunHandle::result, nb::call_guard<nb::gil_scoped_release>());
  m.def("start", &start);
}

}  // namespace sgmcmc::python
