// sgmcmc lda: topics of documents, or the topics of a previous run in new documents.
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/printable.hpp"
#include "cli/runs.hpp"
#include "cli/terminal.hpp"
#include "service/finite.hpp"
#include "service/run_failure.hpp"
#include "service/run_folder.hpp"
#include "settings/lda.hpp"
#include "settings/run_record.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/lda.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <numeric>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Topics from the most common to the rarest.
std::vector<std::uint32_t> by_share(const std::vector<double>& shares) {
  std::vector<std::uint32_t> order(shares.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return shares[a] > shares[b]; });
  return order;
}

/// A status line and the top words of the most common topics, rewritten in place.
class TopicDisplay {
 public:
  TopicDisplay(const Corpus& corpus, bool shown) : corpus_(corpus), shown_(shown) {}

  void show(const LdaProgress& progress) {
    if (!shown_) return;
    constexpr std::size_t most_topics = 8;
    const std::size_t width = terminal_width();
    std::string text = lines_ > 0 ? "\033[" + std::to_string(lines_) + "A" : "";
    lines_ = 0;
    const auto add = [&](const std::string& line) {
      text += "\r\033[K" + printable(line).substr(0, width > 1 ? width - 1 : 0) + "\n";
      ++lines_;
    };
    std::string status = std::to_string(progress.iteration) + " of " + std::to_string(progress.iterations) +
                         " iterations  " + formatted("%.1fM tokens/s", progress.token_updates_per_second / 1e6);
    if (std::isfinite(progress.perplexity)) status += formatted("  perplexity %.1f", progress.perplexity);
    add(status);
    const auto order = by_share(progress.shares);
    for (std::size_t i = 0; i < std::min(most_topics, order.size()); ++i) {
      std::vector<std::string> names;
      for (const auto word : progress.top[order[i]]) names.push_back(corpus_.word(word));
      add(formatted("%5.1f%%  ", 100 * progress.shares[order[i]]) + joined(names, " "));
    }
    terminal_stream() << text << std::flush;
  }

 private:
  const Corpus& corpus_;
  const bool shown_;
  std::size_t lines_ = 0;
};

std::vector<std::string> top_names(const TopicModel& model, std::uint32_t topic, std::size_t count) {
  std::vector<std::string> names;
  for (const auto& top : model.top_words(topic, count)) names.push_back(model.word(top.word));
  return names;
}

std::string topic_lines(const LdaResult& result, std::size_t words) {
  std::string text;
  for (const std::uint32_t k : by_share(result.shares))
    text += formatted("%5u  %5.1f%%  ", k + 1, 100 * result.shares[k]) +
            joined(top_names(result.model, k, words), " ") + "\n";
  return text;
}

Json json_of(const Corpus& corpus, const LdaOptions& options, const LdaResult& result, std::size_t words) {
  Json topics = Json::array(), trace = Json::array();
  for (std::uint32_t k = 0; k < result.model.topics(); ++k) topics.push_back(top_names(result.model, k, words));
  for (const auto& point : result.trace)
    trace.push_back({{"iteration", point.iteration},
                     {"perplexity", number_or_null(point.perplexity)},
                     {"averaged", number_or_null(point.averaged)},
                     {"seconds", point.seconds}});
  const double rate = result.token_updates_per_second();
  const int threads = options.threads > 0 ? options.threads : hardware_threads();
  return {{"method", lda_method_name(options)},
          {"perplexity", number_or_null(result.perplexity)},
          {"last_perplexity", number_or_null(result.last_perplexity)},
          {"token_updates_per_second", rate},
          {"token_updates_per_second_per_core", rate / threads},
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
          {"topics", topics},
          {"shares", result.shares},
          {"trace", trace}};
}

std::string documents_path(const OptionValues& values) {
  if (values.operands.empty())
    throw UsageError("name the documents: sgmcmc lda DOCS ...; a file of bags of words or text, or a folder of texts");
  if (values.operands.size() > 1)
    throw UsageError("one file of documents is expected, but '" + values.operands[0] + "' and '" + values.operands[1] +
                     "' are given");
  return values.operands.front();
}

/// Before the folder of --out is cleared: the vocabulary may be that of the run that is replaced.
Corpus read_corpus(const OptionValues& values, const std::string& path, const CorpusOptions& how) {
  if (!how.folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(how.folder, error);
    if (error) throw FileError(how.folder + ": the folder cannot be made: " + error.message());
  }
  Corpus corpus = Corpus::read(path, how);
  if (corpus.skipped() > 0 && !values.flag("quiet"))
    std::cerr << "sgmcmc: warning: " << corpus.skipped() << " documents without words were left out\n";
  return corpus;
}

int apply_topics(const OptionValues& values, const std::string& path, RunFolder& folder) {
  const std::string from = values.text("apply");
  std::error_code ignored;
  if (folder.exists() && std::filesystem::equivalent(from, folder.path(), ignored))
    throw UsageError(values.where("out") + ": '" + from + "' holds the topics to be applied; name another folder");
  const TopicModel model = TopicModel::load(from);
  CorpusOptions how = corpus_options(values);
  if (how.vocabulary.empty() && !model.vocabulary().empty())
    how.vocabulary = (std::filesystem::path(from) / "vocabulary.txt").string();
  const Corpus corpus = read_corpus(values, path, how);
  folder.start();
  TopicModel::ApplyOptions options;
  options.seed = values.count("seed");
  options.threads = values.threads();
  std::ofstream file;
  if (folder.exists()) {
    file.open(folder.path() / "proportions.csv");
    for (std::uint32_t k = 0; k < model.topics(); ++k) file << (k == 0 ? "" : ",") << "topic." << k + 1;
    file << '\n';
  }
  std::vector<double> mean(model.topics());
  model.apply(corpus, options, [&](std::uint64_t, std::span<const double> shares) {
    std::string line;
    for (std::size_t k = 0; k < shares.size(); ++k) {
      mean[k] += shares[k] / static_cast<double>(corpus.documents());
      if (file.is_open()) line += (k == 0 ? "" : ",") + formatted("%.6g", shares[k]);
    }
    if (file.is_open()) file << line << '\n';
  });
  const double perplexity = model.perplexity(corpus, options);
  if (folder.exists()) {
    file.flush();
    if (!file) throw FileError((folder.path() / "proportions.csv").string() + ": cannot be written");
    folder.record()["perplexity"] = number_or_null(perplexity);
    folder.write_record("finished");
  }
  const auto words = static_cast<std::size_t>(values.count("top-words"));
  if (values.flag("json")) {
    Json topics = Json::array();
    for (std::uint32_t k = 0; k < model.topics(); ++k) topics.push_back(top_names(model, k, words));
    const Json report = {{"perplexity", number_or_null(perplexity)},
                         {"documents", corpus.documents()},
                         {"skipped", corpus.skipped()},
                         {"tokens", corpus.tokens()},
                         {"topics", topics},
                         {"shares", mean}};
    std::cout << report.dump(2) << "\n";
  } else if (!values.flag("quiet")) {
    for (const std::uint32_t k : by_share(mean))
      std::cout << formatted("%5u  %5.1f%%  ", k + 1, 100 * mean[k]) << joined(top_names(model, k, words), " ") << "\n";
    std::cout << formatted("\nperplexity %.1f", perplexity) << " of " << corpus.documents() << " documents\n";
  }
  return 0;
}

void write_results(RunFolder& folder, const LdaResult& result, std::size_t words) {
  result.model.save(folder.path().string());
  write_whole(folder.path() / "topics.txt", topic_lines(result, words));
  std::string trace = "iteration,perplexity,averaged,seconds\n";
  for (const auto& point : result.trace)
    trace += std::to_string(point.iteration) + "," + number_or_nothing(point.perplexity) + "," +
             number_or_nothing(point.averaged) + formatted(",%.6g\n", point.seconds);
  write_whole(folder.path() / "perplexity.csv", trace);
  folder.record()["perplexity"] = number_or_null(result.perplexity);
  folder.record()["token_updates_per_second"] = result.token_updates_per_second();
  folder.finish(result.interrupted);
}

}  // namespace

int run_lda(const OptionValues& values) {
  RunFolder folder(values, documents_path(values));
  return lda_into(folder, values);
}

int lda_into(RunFolder& folder, const OptionValues& values) {
  const std::string path = documents_path(values);
  if (values.given("apply")) {
    if (!folder.resumes()) return apply_topics(values, path, folder);
    throw FileError("'" + folder.path().string() +
                    "' was to hold the shares of known topics in documents, which has no stages to go on from; find "
                    "them anew with sgmcmc lda --apply");
  }
  lda_options(values, 1).validate();  // mistakes are told before a long file is read
  const Corpus corpus = read_corpus(values, path, corpus_options(values));
  folder.start();
  LdaOptions options = lda_options(values, corpus.documents());
  InterruptWatch watch;
  options.interrupt = watch.flag();
  options.checkpoint = folder.checkpoints(values);
  const bool shown = stderr_is_terminal() && !values.flag("quiet");
  TopicDisplay display(corpus, shown);
  if (shown) {
    std::cerr << corpus.documents() << " documents, " << corpus.words() << " words, " << corpus.tokens() << " tokens"
              << (corpus.in_memory() ? "" : ", kept in a file") << "\n";
    options.progress = [&](const LdaProgress& progress) { display.show(progress); };
  }
  const auto words = static_cast<std::size_t>(values.count("top-words"));
  const LdaResult result = recording_failure(folder, 1, nullptr, [&] {
    auto found = fit_lda(corpus, options);
    if (folder.exists()) write_results(folder, found, words);
    return found;
  });
  if (values.flag("json")) {
    std::cout << json_of(corpus, options, result, words).dump(2) << "\n";
  } else if (!values.flag("quiet")) {
    std::cout << topic_lines(result, words);
    if (std::isfinite(result.perplexity))
      std::cout << formatted("\nperplexity %.1f", result.perplexity) << " of " << result.held_out
                << " held-out documents\n";
  }
  if (result.failed_steps > 0 && !values.flag("quiet"))
    std::cerr << "sgmcmc: warning: " << result.failed_steps << " of " << result.iterations
              << " steps left the range of numbers and were not taken. Use a smaller --step-size\n";
  if (!result.interrupted) return 0;
  std::cout.flush();
  std::cerr << "sgmcmc: interrupted after " << result.iterations << " of " << options.iterations << " iterations"
            << (folder.exists() ? ". To go on: " + folder.how_to_resume() : "") << "\n";
  return interrupted_status;
}

}  // namespace sgmcmc::cli
