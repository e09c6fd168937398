// A run of `factorize`, from its options and ratings to predictions and the files of its folder.
#pragma once

#include "service/record/run_folder.hpp"
#include "settings/values.hpp"

#include <sgmcmc/factorize.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace sgmcmc {

/// What a run reads: all of it before the folder is cleared.
struct FactorInput {
  Ratings ratings;
  std::optional<Ratings> test;   ///< ids are those of the ratings, then others
  std::optional<Ratings> pairs;  ///< to predict: ids as those of test
};
/// Checks the options of the run, then reads its files. Throws UsageError, OptionError, DataError and FileError.
FactorInput read_ratings_for_run(const OptionValues& values, const std::string& path);

/// Iterations of a run with these options.
std::uint64_t run_length(const OptionValues& values);

struct FactorizeRun {
  FactorOptions options;
  int threads = 1;
  FactorResult result;
  std::uint64_t predicted = 0;    ///< lines of predictions.csv
  std::uint64_t recommended = 0;  ///< lines of recommendations.csv
};
/// Samples, and writes files and record where there is a folder. interrupt: once set, the run ends with what there is.
/// progress: now and then, from the thread of the caller.
FactorizeRun run_factorization(const OptionValues& values, const FactorInput& input, RunFolder& folder,
                               const std::atomic<bool>* interrupt = nullptr,
                               const std::function<void(const FactorPoint&)>& progress = {});

/// Predictions of pairs from the draws of a previous run, which option `apply` names.
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
};

}  // namespace sgmcmc
