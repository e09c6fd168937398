// sgmcmc dpmix: clusters of documents, as many as there are, by a Dirichlet process mixture.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/runs.hpp"
#include "cli/terminal.hpp"
#include "service/finite.hpp"
#include "service/run_failure.hpp"
#include "service/run_folder.hpp"
#include "settings/dpmix.hpp"
#include "settings/lda.hpp"
#include "settings/run_record.hpp"

#include <sgmcmc/dpmix.hpp>
#include <sgmcmc/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> top_names(const Corpus& corpus, const DpmixCluster& cluster, std::size_t count) {
  std::vector<std::string> names;
  for (const auto word : cluster.top_words(count)) names.push_back(corpus.word(word));
  return names;
}

std::string cluster_lines(const Corpus& corpus, const DpmixResult& result, std::size_t words, std::size_t most) {
  std::string text;
  const std::size_t count = most == 0 ? result.clusters.size() : std::min(most, result.clusters.size());
  for (std::size_t j = 0; j < count; ++j)
    text += formatted("%5zu  %5.1f%%  ", j + 1, 100 * result.clusters[j].weight) +
            joined(top_names(corpus, result.clusters[j], words), ", ") + "\n";
  if (count < result.clusters.size()) text += "... and " + std::to_string(result.clusters.size() - count) + " more\n";
  return text;
}

Json json_of(const Corpus& corpus, const DpmixOptions& options, const DpmixResult& result, std::size_t words) {
  Json clusters = Json::array(), trace = Json::array();
  for (const auto& cluster : result.clusters)
    clusters.push_back(
        {{"weight", cluster.weight}, {"documents", cluster.documents}, {"words", top_names(corpus, cluster, words)}});
  for (const auto& point : result.trace)
    trace.push_back({{"iteration", point.iteration},
                     {"log_predictive", number_or_null(point.log_predictive)},
                     {"averaged", number_or_null(point.averaged)},
                     {"clusters", point.clusters},
                     {"concentration", point.concentration},
                     {"seconds", point.seconds}});
  return {{"method", simplex_method_name(options.method)},
          {"log_predictive", number_or_null(result.log_predictive)},
          {"last_log_predictive", number_or_null(result.last_log_predictive)},
          {"clusters", result.clusters.size()},
          {"mean_clusters", result.mean_clusters},
          {"mean_concentration", result.mean_concentration},
          {"seconds", result.seconds},
          {"iterations", result.iterations},
          {"interrupted", result.interrupted},
          {"failed_steps", result.failed_steps},
          {"truncated_steps", result.truncated_steps},
          {"documents", result.documents},
          {"held_out", result.held_out},
          {"skipped", corpus.skipped()},
          {"words", corpus.words()},
          {"tokens", corpus.tokens()},
          {"found", clusters},
          {"trace", trace}};
}

/// As CSV has it: in quotes where it must be.
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
  write_whole(folder.path() / "clusters.txt", cluster_lines(corpus, result, words, 0));
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

std::string data_path(const OptionValues& values) {
  if (values.operands.empty())
    throw UsageError(
        "name the data: sgmcmc dpmix DATA ...; a file of bags of words, of cases or of text, or a folder of texts");
  if (values.operands.size() > 1)
    throw UsageError("one file of documents is expected, but '" + values.operands[0] + "' and '" + values.operands[1] +
                     "' are given");
  return values.operands.front();
}

void warn(const DpmixResult& result, const DpmixOptions& options) {
  if (result.failed_steps > 0)
    std::cerr << "sgmcmc: warning: " << result.failed_steps << " of " << result.iterations
              << " steps left the range of numbers and were not taken. Use a smaller --step-size\n";
  if (result.truncated_steps > 0)
    std::cerr << "sgmcmc: warning: " << result.truncated_steps << " of " << result.iterations
              << " iterations needed more than the " << options.most_clusters
              << " clusters of --most-clusters; their smallest weights were cut off. Allow more\n";
}

}  // namespace

int run_dpmix(const OptionValues& values) {
  RunFolder folder(values, data_path(values));
  return dpmix_into(folder, values);
}

int dpmix_into(RunFolder& folder, const OptionValues& values) {
  const std::string path = data_path(values);
  dpmix_options(values, 1).validate();  // mistakes are told before a long file is read
  const Corpus corpus = Corpus::read(path, corpus_options(values));
  const bool quiet = values.flag("quiet");
  if (corpus.skipped() > 0 && !quiet)
    std::cerr << "sgmcmc: warning: " << corpus.skipped() << " documents without words were left out\n";
  folder.start();
  DpmixOptions options = dpmix_options(values, corpus.documents());
  InterruptWatch watch;
  options.interrupt = watch.flag();
  options.checkpoint = folder.checkpoints(values);
  const bool shown = stderr_is_terminal() && !quiet;
  ProgressDisplay display(terminal_stream(), shown, 0, 0);  // its line goes away also where the run fails
  if (shown) {
    std::cerr << corpus.documents() << " documents, " << corpus.words() << " words, " << corpus.tokens() << " tokens\n";
    options.progress = [&](const DpmixPoint& point) {
      std::string line = std::to_string(point.iteration) + " of " + std::to_string(options.iterations) +
                         " iterations  " + std::to_string(point.clusters) + " clusters" +
                         formatted("  concentration %.2f", point.concentration);
      if (std::isfinite(point.log_predictive)) line += formatted("  log predictive %.3f", point.log_predictive);
      display.say(line);
    };
  }
  const auto words = static_cast<std::size_t>(values.count("top-words"));
  const DpmixResult result = recording_failure(folder, 1, nullptr, [&] {
    auto found = fit_dpmix(corpus, options);
    display.clear();
    if (folder.exists()) write_results(folder, corpus, found, words);
    return found;
  });
  if (values.flag("json")) {
    std::cout << json_of(corpus, options, result, words).dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  } else if (!quiet) {
    std::cout << cluster_lines(corpus, result, words, static_cast<std::size_t>(values.count("most-shown")))
              << formatted("\n%zu clusters (%.1f on average), concentration %.2f\n", result.clusters.size(),
                           result.mean_clusters, result.mean_concentration);
    if (std::isfinite(result.log_predictive))
      std::cout << formatted("log predictive %.4f", result.log_predictive) << " of " << result.held_out
                << " held-out documents\n";
  }
  if (!quiet) warn(result, options);
  if (!result.interrupted) return 0;
  std::cout.flush();
  std::cerr << "sgmcmc: interrupted after " << result.iterations << " of " << options.iterations << " iterations"
            << (folder.exists() ? ". To go on: " + folder.how_to_resume() : "") << "\n";
  return interrupted_status;
}

}  // namespace sgmcmc::cli
