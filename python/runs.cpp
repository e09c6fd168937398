// Runs of the run service, on a thread that can be interrupted, and what they give.
#include "base/text.hpp"
#include "module.hpp"
#include "posterior.hpp"
#include "report/summary_table.hpp"
#include "service/option_settings.hpp"
#include "settings/table.hpp"
#include "settings/values.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/run.hpp>

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace sgmcmc::python {
namespace {

/// Options that are arguments of functions here, or words for a terminal.
bool is_setting(const OptionDeclaration& option) {
  static const std::vector<std::string> others = {
      "data",        "include", "rows",     "precision",      "initial", "out", "overwrite", "checkpoint-every",
      "draws-limit", "keep",    "compress", "log-likelihood", "only",    "all", "columns",   "json",
      "quiet",       "config",  "help",     "exit-status"};
  return std::find(others.begin(), others.end(), option.name) == others.end();
}

RunSettings settings_from(const std::vector<std::pair<std::string, std::string>>& given,
                          std::map<std::string, std::vector<double>> initial) {
  OptionValues values(Command::sample);
  std::vector<std::string> known;
  for (const auto* option : options_of(Command::sample))
    if (is_setting(*option)) known.push_back(option->key());
  for (const auto& [name, text] : given) {
    const auto* option = find_option(Command::sample, name);
    if (!option || !is_setting(*option))
      throw OptionError("there is no setting '" + name + "'." + did_you_mean(name, known));
    values.set(*option, text, name);
  }
  RunSettings settings = run_settings(values);
  settings.initial = std::move(initial);
  return settings;
}

nb::list described_settings() {
  nb::list all;
  for (const auto* option : options_of(Command::sample))
    if (is_setting(*option))
      all.append(nb::make_tuple(option->key(), option->default_text, option->help, option->choices));
  return all;
}

const char* phase_name(RunPhase phase) {
  switch (phase) {
    case RunPhase::tuning: return "tuning";
    case RunPhase::sampling: return "sampling";
    case RunPhase::likelihoods: return "log likelihoods";
    case RunPhase::judging: return "judging";
    case RunPhase::done: return "done";
  }
  return "";
}

/// What the threads of a run tell the one that waits for it.
class Watch {
 public:
  void begin(RunPhase phase) {
    const std::lock_guard<std::mutex> own(mutex_);
    phase_ = phase;
    shares_.clear();
  }
  void note(const Progress& progress) {
    const std::lock_guard<std::mutex> own(mutex_);
    if (shares_.size() <= progress.chain) shares_.resize(progress.chain + 1, 0.0);
    shares_[progress.chain] =
        static_cast<double>(progress.iteration) / static_cast<double>(std::max<std::uint64_t>(1, progress.iterations));
  }
  void end() {
    const std::lock_guard<std::mutex> own(mutex_);
    ended_ = true;
    wake_.notify_all();
  }
  /// True once the run has ended.
  bool wait() {
    std::unique_lock<std::mutex> own(mutex_);
    wake_.wait_for(own, std::chrono::milliseconds(50), [&] { return ended_; });
    return ended_;
  }
  std::pair<std::string, double> state(std::size_t chains) {
    const std::lock_guard<std::mutex> own(mutex_);
    double sum = 0;
    for (const double share : shares_) sum += share;
    return {phase_name(phase_), sum / static_cast<double>(std::max<std::size_t>(1, chains))};
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  RunPhase phase_ = RunPhase::tuning;
  std::vector<double> shares_;
  bool ended_ = false;
};

/// Runs on a thread of its own; this one looks for signals, so that Ctrl-C ends the run with the draws there are.
std::shared_ptr<RunResult> sample_posterior(const Posterior& posterior,
                                            const std::vector<std::pair<std::string, std::string>>& given,
                                            std::map<std::string, std::vector<double>> initial, nb::object progress) {
  const RunSettings settings = settings_from(given, std::move(initial));
  std::atomic<bool> interrupt{false};
  Watch watch;
  RunHooks hooks;
  hooks.interrupt = &interrupt;
  hooks.phase = [&](RunPhase phase) { watch.begin(phase); };
  hooks.progress = [&](const Progress& state) { watch.note(state); };
  std::shared_ptr<RunResult> result;
  std::exception_ptr failure;
  {
    const nb::gil_scoped_release release;
    std::thread worker([&] {
      try {
        result = std::make_shared<RunResult>(posterior.sample(settings, hooks));
      } catch (...) {
        failure = std::current_exception();
      }
      watch.end();
    });
    while (!watch.wait()) {
      const nb::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() != 0) {
        PyErr_Clear();  // the caller hears of it by what the run returns
        interrupt = true;
      }
      if (!progress.is_none()) {
        const auto [phase, share] = watch.state(settings.chains);
        try {
          progress(phase, share);
        } catch (nb::python_error& error) {  // a terminal that is gone is no reason to lose a run
          error.discard_as_unraisable("progress of a run");
          progress = nb::none();
        }
      }
    }
    worker.join();
  }
  if (failure) std::rethrow_exception(failure);
  return result;
}

/// Chains, draws, columns; draws that not all chains have are left out.
nb::object draws_array(const MemoryDraws& draws) {
  std::size_t count = draws.chains() == 0 ? 0 : draws.draws(0);
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) count = std::min(count, draws.draws(chain));
  const std::size_t columns = draws.names().size();
  std::vector<double> numbers;
  numbers.reserve(draws.chains() * count * columns);
  for (std::size_t chain = 0; chain < draws.chains(); ++chain)
    for (std::size_t draw = 0; draw < count; ++draw) {
      const auto one = draws.draw(chain, draw);
      numbers.insert(numbers.end(), one.begin(), one.begin() + static_cast<std::ptrdiff_t>(columns));
    }
  return numpy_array(std::move(numbers), {draws.chains(), count, columns});
}

nb::list summary_of(const RunResult& run) {
  nb::list rows;
  for (const auto& row : summary_rows(run.draws)) {
    const auto& s = row.summary;
    rows.append(nb::make_tuple(row.name, s.mean, s.mcse_mean, s.standard_deviation, s.q5, s.q50, s.q95, s.ess_bulk,
                               s.ess_tail, s.rhat));
  }
  return rows;
}

nb::list warnings_of(const RunResult& run) {
  nb::list all;
  for (const auto& warning : run.warnings)
    all.append(warning.detail.empty() ? warning.text : warning.text + "\n" + warning.detail);
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
      .def_prop_ro("draws", [](const RunResult& r) { return draws_array(r.draws); })
      .def_prop_ro("statistic_names", [](const RunResult& r) { return r.sampler.names(); })
      .def_prop_ro("statistics", [](const RunResult& r) { return draws_array(r.sampler); })
      .def("summary", &summary_of)
      .def("table", &RunResult::table, nb::arg("most_rows") = 60);

  m.def("sample", &sample_posterior, nb::arg("posterior"), nb::arg("settings"), nb::arg("initial"),
        nb::arg("progress").none());
  m.def("settings", &described_settings);
}

}  // namespace sgmcmc::python
