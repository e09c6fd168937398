// A run of `factorize`: from options and ratings to predictions and output files.
#pragma once

#include "service/ranks/rank_job.hpp"
#include "service/record/run_folder.hpp"
#include "settings/values.hpp"

#include <sgmcmc/factorize.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

/// The input of a run, read completely before the folder is cleared.
struct FactorInput {
  Ratings ratings;
  std::optional<Ratings> test;   ///< ids of the ratings come first, then new ones
  std::optional<Ratings> pairs;  ///< to predict: ids as those of test
  FactorFeatures features;
};
/// Checks the options of the run, reads its files, and checks that they fit. Throws UsageError, OptionError, DataError
/// and FileError.
FactorInput read_ratings_for_run(const OptionValues& values, const std::string& path);

/// The number of iterations of a run with these options.
std::uint64_t run_length(const OptionValues& values);

struct FactorizeRun {
  FactorOptions options;
  int threads = 1;
  FactorResult result;
  std::vector<std::string> warnings;
  std::uint64_t predicted = 0;    ///< lines of predictions.csv
  std::uint64_t recommended = 0;  ///< lines of recommendations.csv
};
/// Samples, and writes files and record if there is a folder. interrupt: once set, the run ends with the draws made so
/// far. progress: called now and then from the caller's thread. ranks: those that share the work; null: this process
/// alone.
FactorizeRun run_factorization(const OptionValues& values, const FactorInput& input, RunFolder& folder,
                               const std::atomic<bool>* interrupt = nullptr,
                               const std::function<void(const FactorPoint&)>& progress = {}, RankJob* ranks = nullptr);

/// Predicts pairs from the draws of a previous run, named by option `apply`.
class FactorApplication {
 public:
  FactorApplication(const OptionValues& values, const RunFolder& folder, const std::string& path);
  const Ratings& pairs() const { return pairs_; }
  const FactorModel& model() const { return model_; }
  FactorPrediction predict(std::uint64_t pair) const;
  /// Writes predictions.csv and the record.
  void write(RunFolder& folder) const;

 private:
  const OptionValues& values_;
  FactorModel model_;
  Ratings pairs_;
  FactorFeatures features_;
};

}  // namespace sgmcmc
