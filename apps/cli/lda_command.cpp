// sgmcmc lda: finds topics of documents, or applies the topics of a previous run to new documents.
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/printable.hpp"
#include "cli/runs.hpp"
#include "cli/terminal.hpp"
#include "report/finite.hpp"
#include "report/json_text.hpp"
#include "report/topic_table.hpp"
#include "report/words.hpp"
#include "service/topics_run.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A status line and the top words of the most common topics, rewritten in place.
class TopicDisplay {
 public:
  explicit TopicDisplay(const Corpus& corpus) : corpus_(corpus) {}

  void show(const LdaProgress& progress) {
    constexpr std::size_t most_topics = 8;
    const std::size_t width = terminal_width();
    std::string text = lines_ > 0 ? "\033[" + std::to_string(lines_) + "A" : "";
    lines_ = 0;
    const auto add = [&](const std::string& line) {
      text += "\r\033[K" + printable(line).substr(0, width > 1 ? width - 1 : 0) + "\n";
      ++lines_;
    };
    std::string status = std::to_string(progress.iteration) + " of " + std::to_string(progress.iterations) +
                         " iterations  " + fixed_text(progress.token_updates_per_second / 1e6, 1) + "M tokens/s";
    if (std::isfinite(progress.perplexity)) status += "  perplexity " + fixed_text(progress.perplexity, 1);
    add(status);
    const auto order = topics_by_share(progress.shares);
    for (std::size_t i = 0; i < std::min(most_topics, order.size()); ++i) {
      std::vector<std::string> names;
      for (const auto word : progress.top[order[i]]) names.push_back(corpus_.word(word));
      add(fixed_text(100 * progress.shares[order[i]], 1, 5) + "%  " + list_text(names, " "));
    }
    terminal_stream() << text << std::flush;
  }

 private:
  const Corpus& corpus_;
  std::size_t lines_ = 0;
};

Json topics_json(const TopicModel& model, std::size_t words) {
  Json topics = Json::array();
  for (std::uint32_t k = 0; k < model.topics(); ++k) topics.push_back(top_words(model, k, words));
  return topics;
}

Json json_of(const Corpus& corpus, const TopicsRun& run, std::size_t words) {
  const LdaResult& result = run.result;
  Json trace = Json::array();
  for (const auto& point : result.trace)
    trace.push_back({{"iteration", point.iteration},
                     {"perplexity", number_or_null(point.perplexity)},
                     {"averaged", number_or_null(point.averaged)},
                     {"seconds", point.seconds}});
  const double rate = result.token_updates_per_second();
  return {{"method", lda_method_name(run.options)},
          {"perplexity", number_or_null(result.perplexity)},
          {"last_perplexity", number_or_null(result.last_perplexity)},
          {"token_updates_per_second", rate},
          {"token_updates_per_second_per_core", rate / run.threads},
          {"token_updates", result.token_updates},
          {"gibbs_seconds", result.gibbs_seconds},
          {"seconds", result.seconds},
          {"iterations", result.iterations},
          {"interrupted", result.interrupted},
          {"failed_steps", result.failed_steps},
          {"documents", result.documents},
          {"held_out", result.held_out},
          {"skipped", corpus.skipped()},
          {"words", corpus.words()},
          {"tokens", corpus.tokens()},
          {"in_memory", corpus.in_memory()},
          {"topics", topics_json(result.model, words)},
          {"shares", result.shares},
          {"trace", trace}};
}

std::string documents_path(const OptionValues& values) {
  return only_operand(
      values, "name the documents: sgmcmc lda DOCS ...; a file of bags of words or text, or a folder of text files",
      "documents");
}

int apply_topics(const OptionValues& values, const std::string& path, RunFolder& folder) {
  const TopicApplication application(values, folder);
  const TopicModel& model = application.model();
  const Corpus corpus = application.read_documents(path);
  warn_of_skipped_documents(values, corpus);
  const auto [shares, perplexity] = application.run(corpus, folder);
  const auto words = static_cast<std::size_t>(values.count("top-words"));
  if (values.flag("json")) {
    const Json report = {{"perplexity", number_or_null(perplexity)},
                         {"documents", corpus.documents()},
                         {"skipped", corpus.skipped()},
                         {"tokens", corpus.tokens()},
                         {"topics", topics_json(model, words)},
                         {"shares", shares}};
    std::cout << json_text(report, 2) << "\n";
  } else if (!values.flag("quiet")) {
    std::cout << topic_table(model, shares, words) << "\nperplexity " << fixed_text(perplexity, 1) << " of "
              << corpus.documents() << " documents\n";
  }
  return 0;
}

}  // namespace

int run_lda(const OptionValues& values, RankJob* ranks) {
  RunFolder folder(values, documents_path(values));
  return lda_into(folder, values, ranks);
}

int lda_into(RunFolder& folder, const OptionValues& values, RankJob* ranks) {
  const std::string path = documents_path(values);
  if (values.given("apply")) {
    refuse_to_resume_application(folder, values);
    return apply_topics(values, path, folder);
  }
  const Corpus corpus = read_documents_for_topics(values, path);
  warn_of_skipped_documents(values, corpus);
  const InterruptWatch watch;
  TopicDisplay display(corpus);
  std::function<void(const LdaProgress&)> progress;
  if (stderr_is_terminal() && !values.flag("quiet")) {
    std::cerr << corpus.documents() << " documents, " << corpus.words() << " words, " << corpus.tokens() << " tokens"
              << (corpus.in_memory() ? "" : ", stored in a temporary file") << "\n";
    progress = [&](const LdaProgress& now) { display.show(now); };
  }
  const TopicsRun run = run_topics(values, corpus, folder, watch.flag(), progress, ranks);
  const LdaResult& result = run.result;
  const auto words = static_cast<std::size_t>(values.count("top-words"));
  if (values.flag("json")) {
    std::cout << json_text(json_of(corpus, run, words), 2) << "\n";
  } else if (!values.flag("quiet")) {
    std::cout << topic_table(result.model, result.shares, words);
    if (std::isfinite(result.perplexity))
      std::cout << "\nperplexity " << fixed_text(result.perplexity, 1) << " of " << result.held_out
                << " held-out documents\n";
  }
  warn_of_overflows(values, result.failed_steps, result.iterations);
  return status_at_end(folder, result.interrupted, result.iterations, run.options.iterations);
}

}  // namespace sgmcmc::cli
