// Run folders like those of the program: sampling into a folder, resuming, loading, and saving draws to one.
#include "background.hpp"
#include "base/text.hpp"
#include "draws/netcdf.hpp"
#include "draws/stan_csv.hpp"
#include "module.hpp"
#include "posterior.hpp"
#include "service/given/given_settings.hpp"
#include "service/given/option_settings.hpp"
#include "service/reports/run_report.hpp"
#include "service/record/resume.hpp"
#include "service/sample_run.hpp"
#include "service/sampling/draw_warnings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

namespace sgmcmc::python {
namespace {

constexpr const char* fingerprint_key = "density";

const StanPosterior& stan_of(const Posterior& posterior) {
  if (!posterior.stan())
    throw UsageError("out: runs of models written in Python are saved when they end, with fit.save()");
  return *posterior.stan();
}

/// Log density and gradient at a fixed point, which identify model and data, whatever their source.
std::string fingerprint(const Posterior& posterior) {
  const auto both =
      posterior.value_and_gradient(std::vector<double>(static_cast<std::size_t>(posterior.model().dimension()), 0.1));
  double slope = 0;
  for (std::size_t k = 1; k < both.size(); ++k) slope += static_cast<double>(k) * both[k];
  return formatted("%.12g %.12g", both[0], slope);
}

RunResult in_folder(const Posterior& posterior, RunFolder& folder, const OptionValues& values, RunHooks hooks) {
  RunResult result;
  std::mutex mutex;
  hooks.tuned = [&](const TuningReport& report) { result.tuning = report; };
  hooks.warning = [&](const RunWarning& warning) {
    const std::lock_guard<std::mutex> own(mutex);
    result.warnings.push_back(warning);
  };
  for (const auto& text : stan_of(posterior).warnings()) result.warnings.push_back({text, "", false});
  SampleRun run = run_sample(values, stan_of(posterior), folder, hooks);
  result.options = run.options;
  result.method = run.method;
  result.interrupted = run.interrupted_in_tuning || run.result.interrupted;
  if (run.interrupted_in_tuning) return result;
  const bool some_groups = run.names.size() < posterior.model().constrained_names().size();
  for (auto& warning : warnings_about_draws(run.result, run.left_out, some_groups, run_settings(values)))
    result.warnings.push_back(std::move(warning));
  result.draws = std::move(run.draws);
  for (auto& row : run.summarised) result.summarised.push_back({std::move(row.name), row.summary});
  result.sampler = std::move(run.statistics);
  result.left_out = std::move(run.left_out);
  result.report = std::move(run.sampler);
  result.verdict = std::move(run.verdict);
  result.chains = std::move(run.result);
  return result;
}

/// model_path and files: the files that the record of the run names.
std::shared_ptr<RunHandle> start_in_folder(std::shared_ptr<const Posterior> posterior, const GivenSettings& given,
                                           const std::string& out, const std::string& model_path,
                                           const GivenSettings& about_data) {
  stan_of(*posterior);
  OptionValues values = option_values(Command::sample, given, true);
  values.set(*find_option(Command::sample, "out"), out, "out");
  for (const auto& [name, text] : about_data) values.set(*find_option(Command::sample, name), text, name);
  auto folder = std::make_shared<RunFolder>(values, model_path);
  folder->record()[fingerprint_key] = fingerprint(*posterior);
  return run_in_background(values.count("chains"), [posterior, folder, values](const RunHooks& hooks) mutable {
    const auto own = std::move(folder);  // no longer locked once the run has ended
    return in_folder(*posterior, *own, values, hooks);
  });
}

/// Throws UsageError if the run is finished, or belongs to another model or other data.
std::shared_ptr<RunHandle> resume(std::shared_ptr<const Posterior> posterior, const std::string& path,
                                  const GivenSettings& given) {
  stan_of(*posterior);
  auto folder = std::make_shared<RunFolder>(std::filesystem::path(path));
  const Resumption resumption = resume_run(*folder, option_values(Command::resume, given, true));
  if (resumption.finished) throw UsageError("the run in '" + path + "' is finished: " + resumption.status);
  const auto& record = folder->record();
  if (record.contains(fingerprint_key) && record[fingerprint_key] != fingerprint(*posterior))
    throw UsageError("the run in '" + path + "' was made with another model or other data");
  const OptionValues values = resumption.values;
  return run_in_background(values.count("chains"), [posterior, folder, values](const RunHooks& hooks) mutable {
    const auto own = std::move(folder);  // no longer locked once the run has ended
    return in_folder(*posterior, *own, values, hooks);
  });
}

/// Name, mean, mcse_mean, sd, q5, q50, q95, ess and rhat, as in summary.csv.
using SavedSummary = std::tuple<std::string, double, double, double, double, double, double, double, double>;

/// summaries: of all variables; those without draws are used.
std::shared_ptr<RunResult> load(const std::vector<std::string>& paths, const std::vector<SavedSummary>& summaries) {
  auto result = std::make_shared<RunResult>();
  StanCsvDraws read = read_draws({paths.begin(), paths.end()});
  result->draws = std::move(read.draws);
  result->sampler = std::move(read.sampler);
  result->chains.seconds = read.seconds;
  for (auto& text : read.warnings) result->warnings.push_back({std::move(text), "", false});
  const auto& names = result->draws.names();
  const std::set<std::string> drawn(names.begin(), names.end());
  for (const auto& [name, mean, mcse, sd, q5, q50, q95, ess, rhat] : summaries) {
    if (drawn.contains(name)) continue;
    QuantitySummary summary;
    summary.mean = mean;
    summary.mcse_mean = mcse;
    summary.standard_deviation = sd;
    summary.q5 = q5;
    summary.q50 = q50;
    summary.q95 = q95;
    summary.ess_bulk = ess;
    summary.ess_tail = std::numeric_limits<double>::quiet_NaN();  // not in the file
    summary.rhat = rhat;
    result->summarised.push_back({name, summary});
  }
  return result;
}

/// Writes the CSV files of a run. draws: chains, draws, columns; statistics likewise.
void save(const std::string& folder, const std::string& model, const std::string& method, double seconds,
          std::vector<std::string> names, const RealArray& draws, const std::vector<std::string>& statistic_names,
          const RealArray& statistics, const std::optional<RealArray>& weights) {
  StanCsvHeader header;
  header.model = model;
  header.method = method;
  header.iterations = draws.shape(1);
  const std::size_t columns = names.size(), extra = statistic_names.size();
  names.insert(names.begin(), statistic_names.begin(), statistic_names.end());
  StanCsvSink sink(folder, header);
  sink.begin(names, draws.shape(0), draws.shape(1));
  std::vector<double> line(names.size());
  for (std::size_t at = 0; at < draws.shape(0) * draws.shape(1); ++at) {
    std::copy_n(statistics.data() + at * extra, extra, line.begin());
    std::copy_n(draws.data() + at * columns, columns, line.begin() + static_cast<std::ptrdiff_t>(extra));
    sink.write(at / draws.shape(1), line, weights ? weights->data()[at] : 1.0);
  }
  sink.finish(seconds);
}

/// Writes the HTML report of a run. Returns warnings from reading the run.
std::vector<std::string> report(const std::vector<std::string>& paths, const std::string& out, const std::string& label,
                                bool diagnose) {
  RunReportOptions options;
  options.label = label;
  options.diagnose = diagnose;
  const RunReport page = report_on_run({paths.begin(), paths.end()}, options);
  write_report(out, page);
  return page.warnings;
}

}  // namespace

void add_run_folders(nb::module_& m) {
  m.def("start_in_folder", &start_in_folder);
  m.def("resume", &resume);
  m.def("load", &load, nb::call_guard<nb::gil_scoped_release>());
  m.def("save", &save);
  m.def("report", &report, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace sgmcmc::python
