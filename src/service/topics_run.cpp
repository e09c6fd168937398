// Samples topics, applies known ones, and writes the results.
#include "service/topics_run.hpp"

#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "report/finite.hpp"
#include "report/topic_table.hpp"
#include "service/ranks/rank_service.hpp"
#include "service/record/run_failure.hpp"
#include "settings/lda.hpp"
#include "settings/run_record.hpp"
#include "topics/document_ranks.hpp"

#include <sgmcmc/error.hpp>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace sgmcmc {
namespace {

namespace fs = std::filesystem;

/// Call before the folder of the run is cleared: the vocabulary may be in the run that is replaced.
Corpus read_corpus(const std::string& path, const CorpusOptions& how) {
  if (!how.folder.empty()) {
    std::error_code error;
    fs::create_directories(how.folder, error);
    if (error) throw FileError(how.folder + ": the folder cannot be made: " + error.message());
  }
  return Corpus::read(path, how);
}

void write_results(RunFolder& folder, const LdaResult& result, std::size_t words) {
  result.model.save(folder.path().string());
  write_whole(folder.path() / "topics.txt", topic_table(result.model, result.shares, words));
  std::string trace = "iteration,perplexity,averaged,seconds\n";
  for (const auto& point : result.trace)
    trace += std::to_string(point.iteration) + "," + number_or_nothing(point.perplexity) + "," +
             number_or_nothing(point.averaged) + formatted(",%.6g\n", point.seconds);
  write_whole(folder.path() / "perplexity.csv", trace);
  folder.record()["perplexity"] = number_or_null(result.perplexity);
  folder.record()["token_updates_per_second"] = result.token_updates_per_second();
  folder.finish(result.interrupted);
}

/// The topics that option `apply` names.
TopicModel topics_for(const OptionValues& values, const RunFolder& folder) {
  const std::string from = values.text("apply");
  std::error_code ignored;
  if (folder.exists() && fs::equivalent(from, folder.path(), ignored))
    throw UsageError(values.where("out") + ": '" + from + "' holds the topics to be applied; name another folder");
  return TopicModel::load(from);
}

/// Writes the topic proportions of documents, one line per document. Writes nothing if there is no folder.
class ProportionsFile {
 public:
  ProportionsFile(const RunFolder& folder, std::uint32_t topics) {
    if (!folder.exists()) return;
    path_ = folder.path() / "proportions.csv";
    file_.open(path_);
    for (std::uint32_t k = 0; k < topics; ++k) file_ << (k == 0 ? "" : ",") << "topic." << k + 1;
    file_ << '\n';
  }

  void write(std::span<const double> shares) {
    if (path_.empty()) return;
    std::string line;
    for (std::size_t k = 0; k < shares.size(); ++k) line += (k == 0 ? "" : ",") + formatted("%.6g", shares[k]);
    file_ << line << '\n';
  }

  void finish() {
    if (path_.empty()) return;
    file_.flush();
    if (!file_) throw FileError(path_.string() + ": cannot be written");
  }

 private:
  fs::path path_;
  std::ofstream file_;
};

}  // namespace

Corpus read_documents_for_topics(const OptionValues& values, const std::string& path) {
  lda_options(values, 1).validate();  // before reading, which may take long
  return read_corpus(path, corpus_options(values));
}

TopicsRun run_topics(const OptionValues& values, const Corpus& corpus, RunFolder& folder,
                     const std::atomic<bool>* interrupt, const std::function<void(const LdaProgress&)>& progress,
                     RankJob* ranks) {
  folder.start();
  LdaOptions options = lda_options(values, corpus.documents());
  options.interrupt = interrupt;
  options.checkpoint = folder.checkpoints(values);
  options.progress = progress;
  const auto words = static_cast<std::size_t>(values.count("top-words"));
  LdaResult result = recording_failure(folder, 1, nullptr, [&] {
    RankLeader* const leader = ranks ? ranks->leader() : nullptr;
    auto found = fit_lda_on_ranks(corpus, options, leader ? &leader->start_documents() : nullptr);
    if (folder.exists()) write_results(folder, found, words);
    return found;
  });
  const int threads = options.threads > 0 ? options.threads : hardware_threads();
  return {std::move(options), threads, std::move(result)};
}

TopicApplication::TopicApplication(const OptionValues& values, const RunFolder& folder)
    : values_(values), model_(topics_for(values, folder)) {}

Corpus TopicApplication::read_documents(const std::string& path) const {
  CorpusOptions how = corpus_options(values_);
  if (how.vocabulary.empty() && !model_.vocabulary().empty())
    how.vocabulary = (fs::path(values_.text("apply")) / "vocabulary.txt").string();
  return read_corpus(path, how);
}

TopicApplication::Result TopicApplication::run(const Corpus& corpus, RunFolder& folder) const {
  folder.start();
  TopicModel::ApplyOptions options;
  options.seed = values_.count("seed");
  options.threads = values_.threads();
  ProportionsFile file(folder, model_.topics());
  Result result;
  result.shares.resize(model_.topics());
  model_.apply(corpus, options, [&](std::uint64_t, std::span<const double> shares) {
    for (std::size_t k = 0; k < shares.size(); ++k)
      result.shares[k] += shares[k] / static_cast<double>(corpus.documents());
    file.write(shares);
  });
  result.perplexity = model_.perplexity(corpus, options);
  file.finish();
  if (folder.exists()) {
    folder.record()["perplexity"] = number_or_null(result.perplexity);
    folder.write_record("finished");
  }
  return result;
}

}  // namespace sgmcmc
