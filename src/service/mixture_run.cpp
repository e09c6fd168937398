// Samples clusters, and writes them.
#include "service/mixture_run.hpp"

#include "base/text.hpp"
#include "report/finite.hpp"
#include "report/topic_table.hpp"
#include "service/record/run_failure.hpp"
#include "settings/dpmix.hpp"
#include "settings/lda.hpp"
#include "settings/run_record.hpp"

namespace sgmcmc {
namespace {

/// Quotes the field if CSV requires it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

void write_results(RunFolder& folder, const Corpus& corpus, const DpmixResult& result, std::size_t words) {
  std::string table = "weight,documents";
  for (std::uint32_t w = 0; w < corpus.words(); ++w) table += ',' + csv_field(corpus.word(w));
  table += '\n';
  for (const auto& cluster : result.clusters) {
    table += formatted("%.8g,", cluster.weight) + std::to_string(cluster.documents);
    for (const float p : cluster.probabilities) table += formatted(",%.6g", static_cast<double>(p));
    table += '\n';
  }
  write_whole(folder.path() / "clusters.csv", table);
  write_whole(folder.path() / "clusters.txt", cluster_table(corpus, result, words));
  std::string trace = "iteration,log_predictive,averaged,clusters,concentration,seconds\n";
  for (const auto& point : result.trace)
    trace += std::to_string(point.iteration) + "," + number_or_nothing(point.log_predictive) + "," +
             number_or_nothing(point.averaged) +
             formatted(",%u,%.6g,%.6g\n", point.clusters, point.concentration, point.seconds);
  write_whole(folder.path() / "trace.csv", trace);
  folder.record()["log_predictive"] = number_or_null(result.log_predictive);
  folder.record()["clusters"] = result.clusters.size();
  folder.finish(result.interrupted);
}

}  // namespace

Corpus read_documents_for_mixture(const OptionValues& values, const std::string& path) {
  dpmix_options(values, 1).validate();  // before reading, which may take long
  return Corpus::read(path, corpus_options(values));
}

MixtureRun run_mixture(const OptionValues& values, const Corpus& corpus, RunFolder& folder,
                       const std::atomic<bool>* interrupt, const std::function<void(const DpmixPoint&)>& progress) {
  folder.start();
  DpmixOptions options = dpmix_options(values, corpus.documents());
  options.interrupt = interrupt;
  options.checkpoint = folder.checkpoints(values);
  options.progress = progress;
  const auto words = static_cast<std::size_t>(values.count("top-words"));
  DpmixResult result = recording_failure(folder, 1, nullptr, [&] {
    auto found = fit_dpmix(corpus, options);
    if (folder.exists()) write_results(folder, corpus, found, words);
    return found;
  });
  return {std::move(options), std::move(result)};
}

}  // namespace sgmcmc
