// sgmcmc dpmix: clusters documents by a Dirichlet process mixture, which infers the number of clusters.
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/runs.hpp"
#include "cli/terminal.hpp"
#include "report/finite.hpp"
#include "report/json_text.hpp"
#include "report/topic_table.hpp"
#include "report/words.hpp"
#include "service/mixture_run.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Corpus& corpus, const MixtureRun& run, std::size_t words) {
  const DpmixResult& result = run.result;
  Json clusters = Json::array(), trace = Json::array();
  for (const auto& cluster : result.clusters)
    clusters.push_back(
        {{"weight", cluster.weight}, {"documents", cluster.documents}, {"words", top_words(corpus, cluster, words)}});
  for (const auto& point : result.trace)
    trace.push_back({{"iteration", point.iteration},
                     {"log_predictive", number_or_null(point.log_predictive)},
                     {"averaged", number_or_null(point.averaged)},
                     {"clusters", point.clusters},
                     {"concentration", point.concentration},
                     {"seconds", point.seconds}});
  return {{"method", simplex_method_name(run.options.method)},
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

std::string data_path(const OptionValues& values) {
  return only_operand(
      values, "name the data: sgmcmc dpmix DATA ...; a file of bags of words, cases or text, or a folder of text files",
      "documents");
}

void warn(const OptionValues& values, const MixtureRun& run) {
  const DpmixResult& result = run.result;
  warn_of_overflows(values, result.failed_steps, result.iterations);
  if (result.truncated_steps > 0 && !values.flag("quiet"))
    std::cerr << "sgmcmc: warning: " << result.truncated_steps << " of " << result.iterations
              << " iterations needed more clusters than --most-clusters (" << run.options.most_clusters
              << ") and dropped those with the smallest weights. Use a larger --most-clusters\n";
}

}  // namespace

int run_dpmix(const OptionValues& values) {
  RunFolder folder(values, data_path(values));
  return dpmix_into(folder, values);
}

int dpmix_into(RunFolder& folder, const OptionValues& values) {
  const std::string path = data_path(values);
  const Corpus corpus = read_documents_for_mixture(values, path);
  const bool quiet = values.flag("quiet");
  warn_of_skipped_documents(values, corpus);
  const InterruptWatch watch;
  const bool shown = stderr_is_terminal() && !quiet;
  ProgressDisplay display(terminal_stream(), shown, 0, 0);  // removes its line also if the run fails
  if (shown)
    std::cerr << corpus.documents() << " documents, " << corpus.words() << " words, " << corpus.tokens() << " tokens\n";
  const std::string iterations = std::to_string(values.count("iterations"));
  const MixtureRun run = run_mixture(values, corpus, folder, watch.flag(), [&](const DpmixPoint& point) {
    std::string line = std::to_string(point.iteration) + " of " + iterations + " iterations  " +
                       std::to_string(point.clusters) + " clusters  concentration " +
                       fixed_text(point.concentration, 2);
    if (std::isfinite(point.log_predictive)) line += "  log predictive " + fixed_text(point.log_predictive, 3);
    display.say(line);
  });
  display.clear();
  const DpmixResult& result = run.result;
  const auto words = static_cast<std::size_t>(values.count("top-words"));
  if (values.flag("json")) {
    std::cout << json_text(json_of(corpus, run, words), 2) << "\n";
  } else if (!quiet) {
    std::cout << cluster_table(corpus, result, words, static_cast<std::size_t>(values.count("most-shown"))) << "\n"
              << result.clusters.size() << " clusters (" << fixed_text(result.mean_clusters, 1)
              << " on average), concentration " << fixed_text(result.mean_concentration, 2) << "\n";
    if (std::isfinite(result.log_predictive))
      std::cout << "log predictive " << fixed_text(result.log_predictive, 4) << " of " << result.held_out
                << " held-out documents\n";
  }
  warn(values, run);
  return status_at_end(folder, result.interrupted, result.iterations, run.options.iterations);
}

}  // namespace sgmcmc::cli
