// A run of `lda`: from options and documents to topics and output files; or known topics applied to documents.
#pragma once

#include "service/ranks/rank_job.hpp"
#include "service/record/run_folder.hpp"
#include "settings/values.hpp"

#include <sgmcmc/lda.hpp>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace sgmcmc {

/// Checks the options of the run, then reads its documents. Throws UsageError, OptionError and FileError.
Corpus read_documents_for_topics(const OptionValues& values, const std::string& path);

struct TopicsRun {
  LdaOptions options;
  int threads = 0;  ///< that the run used
  LdaResult result;
};
/// Samples topics, and writes files and record if there is a folder. interrupt: once set, the run ends with the results
/// so far. progress: called now and then from the caller's thread. ranks: those that share the work; null: this process
/// alone.
TopicsRun run_topics(const OptionValues& values, const Corpus& corpus, RunFolder& folder,
                     const std::atomic<bool>* interrupt = nullptr,
                     const std::function<void(const LdaProgress&)>& progress = {}, RankJob* ranks = nullptr);

/// Applies the topics of a previous run, in the folder of option `apply`, to new documents.
class TopicApplication {
 public:
  /// Reads the topics. Throws UsageError if `folder` is the one with the topics, and FileError if there are no topics.
  TopicApplication(const OptionValues& values, const RunFolder& folder);

  /// Uses the vocabulary of the topics, unless the options name another one.
  Corpus read_documents(const std::string& path) const;

  struct Result {
    std::vector<double> shares;  ///< of the topics, in all documents
    double perplexity = 0;
  };
  /// Writes the proportions of each document, and the record, where there is a folder.
  Result run(const Corpus& corpus, RunFolder& folder) const;

  const TopicModel& model() const { return model_; }

 private:
  OptionValues values_;
  TopicModel model_;
};

}  // namespace sgmcmc
