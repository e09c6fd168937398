// The run service for Python: models bound to arrays, runs that can be interrupted, draws as arrays.
#include "model/constrained_values.hpp"
#include "report/summary_table.hpp"
#include "service/option_settings.hpp"
#include "settings/table.hpp"
#include "settings/values.hpp"

#include "base/text.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/run.hpp>
#include <sgmcmc/stan.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
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
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace sgmcmc::python {
namespace {

using RealArray = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using IntegerArray = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;
using StartArray = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;

/// A matrix in compressed rows.
struct SparseMatrix {
  std::string name;
  std::int64_t columns = 0;
  StartArray row_start;
  IntegerArray column;
  RealArray values;
};

template <class Array>
Shape shape_of(const Array& array) {
  std::vector<std::int64_t> dims;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) dims.push_back(static_cast<std::int64_t>(array.shape(axis)));
  return Shape(dims);
}

/// An array of Python that owns these numbers.
nb::object numpy_array(std::vector<double> numbers, const std::vector<std::size_t>& shape) {
  auto* owned = new std::vector<double>(std::move(numbers));
  nb::capsule owner(owned, [](void* held) noexcept { delete static_cast<std::vector<double>*>(held); });
  return nb::ndarray<nb::numpy, double>(owned->data(), shape.size(), shape.data(), owner).cast();
}

// Settings
// --------------------------------------------------------------------------------------------------------

/// Options that are arguments of functions here, or words for a terminal.
bool is_setting(const OptionDeclaration& option) {
  static const std::vector<std::string> others = {
      "data",   "include", "rows", "precision", "initial", "out",         "overwrite", "checkpoint-every", "draws-limit", "keep",
      "compress", "log-likelihood", "only", "all", "columns", "json", "quiet", "config", "help", "exit-status"};
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
    if (!option || !is_setting(*option)) throw OptionError("there is no setting '" + name + "'." + did_you_mean(name, known));
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

// Models
// --------------------------------------------------------------------------------------------------------

class Posterior {
 public:
  explicit Posterior(StanPosterior bound) : bound_(std::move(bound)), density_(bound_.model()) {}

  const StanPosterior& bound() const { return bound_; }
  const Model& model() const { return bound_.model(); }

  nb::list parameters() const {
    nb::list all;
    for (const auto& info : model().parameters())
      all.append(nb::make_tuple(info.name, info.shape.dims(), info.constraint.name(), info.unconstrained_size));
    return all;
  }

  std::pair<double, nb::object> log_density(const RealArray& theta) const {
    auto executor = density_.executor(ProgramKind::value_and_gradient, {});
    std::vector<double> both(static_cast<std::size_t>(model().dimension()) + 1);
    executor->set_point(Point::current, numbers_of(theta));
    {
      const nb::gil_scoped_release release;
      executor->run(density_.all_rows(), both);
    }
    const double value = both[0];
    both.erase(both.begin());
    const std::size_t size = both.size();
    return {value, numpy_array(std::move(both), {size})};
  }

  nb::object constrain(const RealArray& theta) const {
    auto values = constrained_values(density_, numbers_of(theta));
    const std::size_t size = values.size();
    return numpy_array(std::move(values), {size});
  }

  nb::object unconstrain(const std::map<std::string, std::vector<double>>& values) const {
    auto theta = model().unconstrain(values);
    const std::size_t size = theta.size();
    return numpy_array(std::move(theta), {size});
  }

 private:
  std::span<const double> numbers_of(const RealArray& theta) const {
    if (static_cast<std::int64_t>(theta.size()) != model().dimension())
      throw ShapeError("the point has " + std::to_string(theta.size()) + " coordinates; the model has " +
                       std::to_string(model().dimension()) + " unconstrained parameters");
    return {theta.data(), theta.size()};
  }

  StanPosterior bound_;
  LogPosterior density_;
};

std::shared_ptr<Posterior> bind(const StanModel& model, const std::vector<std::pair<std::string, RealArray>>& reals,
                                const std::vector<std::pair<std::string, IntegerArray>>& integers,
                                const std::vector<SparseMatrix>& sparse, const std::vector<std::string>& files, const std::string& rows,
                                const std::string& precision) {
  StanData data;
  for (const auto& [name, array] : reals) data.real(name, {array.data(), array.size()}, shape_of(array));
  for (const auto& [name, array] : integers) data.integer(name, {array.data(), array.size()}, shape_of(array));
  for (const auto& one : sparse)
    data.sparse(one.name, one.columns, {one.row_start.data(), one.row_start.size()},
                {one.column.data(), one.column.size()}, {one.values.data(), one.values.size()});
  for (const auto& file : files) data.file(file);
  StanBindOptions options;
  options.rows = rows;
  if (precision != "double" && precision != "float") throw OptionError("precision: '" + precision + "' is not double or float");
  options.precision = precision == "float" ? Precision::float32 : Precision::float64;
  options.keep_outcomes = true;
  const nb::gil_scoped_release release;
  return std::make_shared<Posterior>(model.bind(data, options));
}

// Runs
// --------------------------------------------------------------------------------------------------------

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
        result = std::make_shared<RunResult>(sample(posterior.bound(), settings, hooks));
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
}  // namespace sgmcmc::python

NB_MODULE(_core, m) {
  using namespace sgmcmc;
  using namespace sgmcmc::python;

  auto error = nb::exception<Error>(m, "Error", PyExc_ValueError);
  nb::exception<ShapeError>(m, "ShapeError", error.ptr());
  nb::exception<DataError>(m, "DataError", error.ptr());
  nb::exception<ModelError>(m, "ModelError", error.ptr());
  nb::exception<OptionError>(m, "OptionError", error.ptr());
  nb::exception<UsageError>(m, "UsageError", error.ptr());
  nb::exception<DivergenceError>(m, "DivergenceError", error.ptr());
  nb::exception<FileError>(m, "FileError", error.ptr());

  nb::class_<SparseMatrix>(m, "SparseMatrix")
      .def("__init__",
           [](SparseMatrix* self, std::string name, std::int64_t columns, StartArray row_start, IntegerArray column,
              RealArray values) {
             new (self) SparseMatrix{std::move(name), columns, std::move(row_start), std::move(column), std::move(values)};
           });
  nb::class_<StanModel>(m, "Model")
      .def_static("from_file", &StanModel::from_file, nb::arg("path"), nb::arg("include"))
      .def_static("from_text", &StanModel::from_text, nb::arg("text"), nb::arg("name"), nb::arg("include"))
      .def_prop_ro("name", &StanModel::name)
      .def_prop_ro("data_names", &StanModel::data_names)
      .def_prop_ro("warnings", &StanModel::warnings);
  nb::class_<Posterior>(m, "Posterior")
      .def_prop_ro("names", [](const Posterior& p) { return p.model().constrained_names(); })
      .def_prop_ro("unconstrained_names", [](const Posterior& p) { return p.model().unconstrained_names(); })
      .def_prop_ro("dimension", [](const Posterior& p) { return p.model().dimension(); })
      .def_prop_ro("parameters", &Posterior::parameters)
      .def_prop_ro("rows", [](const Posterior& p) { return p.bound().rows(); })
      .def_prop_ro("row_axis", [](const Posterior& p) { return p.bound().row_axis(); })
      .def_prop_ro("why_not_minibatched", [](const Posterior& p) { return p.bound().why_not_minibatched(); })
      .def_prop_ro("output_names", [](const Posterior& p) { return p.bound().output_names(); })
      .def_prop_ro("warnings", [](const Posterior& p) { return p.bound().warnings(); })
      .def("log_density", &Posterior::log_density, nb::arg("theta"))
      .def("constrain", &Posterior::constrain, nb::arg("theta"))
      .def("unconstrain", &Posterior::unconstrain, nb::arg("values"));
  nb::class_<RunResult>(m, "Run")
      .def_prop_ro("method", [](const RunResult& r) { return r.method; })
      .def_prop_ro("seconds", [](const RunResult& r) { return r.chains.seconds; })
      .def_prop_ro("tuning_seconds", [](const RunResult& r) { return r.tuning ? r.tuning->seconds : 0.0; })
      .def_prop_ro("why", [](const RunResult& r) { return r.tuning ? r.tuning->why : std::string(); })
      .def_prop_ro("interrupted", [](const RunResult& r) { return r.interrupted; })
      .def_prop_ro("trust", [](const RunResult& r) { return r.verdict ? std::string(trust_words(r.verdict->trust)) : ""; })
      .def_prop_ro("sentences",
                   [](const RunResult& r) { return r.verdict ? r.verdict->sentences : std::vector<std::string>(); })
      .def_prop_ro("warnings", &warnings_of)
      .def_prop_ro("names", [](const RunResult& r) { return r.draws.names(); })
      .def_prop_ro("draws", [](const RunResult& r) { return draws_array(r.draws); })
      .def_prop_ro("statistic_names", [](const RunResult& r) { return r.sampler.names(); })
      .def_prop_ro("statistics", [](const RunResult& r) { return draws_array(r.sampler); })
      .def("summary", &summary_of)
      .def("table", &RunResult::table, nb::arg("most_rows") = 60);

  m.def("bind", &sgmcmc::python::bind, nb::arg("model"), nb::arg("reals"), nb::arg("integers"), nb::arg("sparse"), nb::arg("files"), nb::arg("rows"),
        nb::arg("precision"));
  m.def("sample", &sample_posterior, nb::arg("posterior"), nb::arg("settings"), nb::arg("initial"),
        nb::arg("progress").none());
  m.def("settings", &described_settings);
  m.attr("version") = SGMCMC_VERSION;
}
