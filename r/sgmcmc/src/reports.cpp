// Runs as HTML pages: those in memory are written to a folder first, as the program writes its runs.
#include "routines.hpp"
#include "stan_run.hpp"

#include "draws/stan_csv.hpp"
#include "service/diagnosis.hpp"
#include "service/record/model_record.hpp"
#include "service/record/run_folder.hpp"
#include "service/record/run_json.hpp"
#include "service/reports/run_report.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace sgmcmc::r {
namespace {

namespace fs = std::filesystem;

void write_json(const fs::path& path, const nlohmann::ordered_json& json) {
  std::ofstream file(path, std::ios::binary);
  file << json.dump(1);
  if (!file.flush()) throw FileError("cannot write '" + path.string() + "'");
}

void write_draws(const fs::path& folder, const RunResult& run) {
  StanCsvHeader header;
  header.method = run.method;
  header.seed = run.options.seed;
  std::vector<std::string> names = run.sampler.names();
  const std::size_t statistics = names.size();
  names.insert(names.end(), run.draws.names().begin(), run.draws.names().end());
  const std::size_t chains = run.draws.chains(), first = chains == 0 ? 0 : run.draws.draws(0);
  header.iterations = first;
  StanCsvSink sink(folder, header);
  sink.begin(names, chains, first);
  std::vector<double> line(names.size());
  for (std::size_t chain = 0; chain < chains; ++chain)
    for (std::size_t draw = 0; draw < run.draws.draws(chain); ++draw) {
      if (statistics > 0) std::ranges::copy(run.sampler.draw(chain, draw), line.begin());
      std::ranges::copy(run.draws.draw(chain, draw), line.begin() + static_cast<std::ptrdiff_t>(statistics));
      sink.write(chain, line, run.draws.equal_weights() ? 1.0 : run.draws.weights(chain)[draw]);
    }
  sink.finish(run.chains.seconds);
}

/// Writes the report on a folder or files. Returns warnings from reading them.
std::vector<std::string> write_page(const std::vector<std::string>& paths, const std::string& out,
                                    const std::string& label, bool diagnose) {
  RunReportOptions options;
  options.label = label;
  options.diagnose = diagnose;
  const RunReport page = report_on_run({paths.begin(), paths.end()}, options);
  write_report(out, page);
  return page.warnings;
}

}  // namespace

SEXP run_report(SEXP run, SEXP folder, SEXP path, SEXP name) {
  return guarded([&] {
    const auto& own = pointed<StanRun>(run, run_tag);
    const auto result = own->handle->result();
    const fs::path place = text(folder);
    fs::create_directories(place);
    write_draws(place, *result);
    std::vector<std::size_t> draws;
    for (std::size_t chain = 0; chain < result->draws.chains(); ++chain) draws.push_back(result->draws.draws(chain));
    std::vector<std::string> warnings;
    for (const auto& warning : result->warnings) warnings.push_back(warning.text);
    nlohmann::ordered_json record = {{"sgmcmc", "R"},
                                     {"command", "sample"},
                                     {"status", result->interrupted ? "interrupted" : "finished"},
                                     {"data", nlohmann::ordered_json::array()},
                                     {"options", {{"method", result->method}, {"seed", result->options.seed}}},
                                     {"seconds", result->chains.seconds},
                                     {"draws", draws},
                                     {"warnings", warnings}};
    if (result->tuning) record["tuning"] = tuning_json(*result->tuning);
    if (result->verdict) {
      record["verdict"] = verdict_json(*result->verdict);
      record["bound"] = described_model(*own->posterior, result->options);
      if (result->summarised.empty()) {
        const auto bias = diagnose_bias(own->posterior->model(), result->options, result->draws);
        write_json(place / diagnosis_file, saved_diagnosis_json(bias, result->draws.names()));
      }
    }
    write_json(place / "run.json", record);
    return to_r(write_page({place.string()}, text(path), text(name), false));
  });
}

SEXP folder_report(SEXP paths, SEXP out, SEXP diagnose) {
  return guarded([&] { return to_r(write_page(texts(paths), text(out), "", number(diagnose) != 0)); });
}

}  // namespace sgmcmc::r
