// A run of `lda`, from its options and documents to topics and the files of its folder; and known topics in documents.
#pragma once

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
/// Samples topics, and writes files and record where there is a folder. interrupt: once set, the run ends with what
/// there is. progress: now and then, from the thread of the caller.
TopicsRun run_topics(const OptionValues& values, const Corpus& corpus, RunFolder& folder,
                     const std::atomic<bool>* interrupt = nullptr,
                     const std::function<void(const LdaProgress&)>& progress = {});

/// Finds the topics of a previous run, the folder of option `apply`, in new documents.
class TopicApplication {
 public:
  /// Reads the topics. Throws UsageError where `folder` is that of the topics, FileError where it has none.
  TopicApplication(const OptionValues& values, const RunFolder& folder);

  /// With the vocabulary of the topics, unless another is asked for.
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
