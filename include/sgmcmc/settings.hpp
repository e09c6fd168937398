// The settings of a run on a model in the Stan language.
#pragma once

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>
#include <sgmcmc/subposterior.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sgmcmc {

/// An invalid setting. Front ends name it in their own terms.
class SettingError : public OptionError {
 public:
  SettingError(std::string setting, const std::string& problem)
      : OptionError(setting + ": " + problem), setting_(std::move(setting)), problem_(problem) {}
  const std::string& setting() const { return setting_; }  ///< member of RunSettings: "batch_size"
  const std::string& problem() const { return problem_; }

 private:
  std::string setting_, problem_;
};

/// Rows of a minibatch: a count, or a fraction of the rows.
struct BatchSize {
  std::int64_t count = 0;
  double fraction = 0;  ///< used if count is 0
  std::int64_t of(std::int64_t rows) const;
};

struct NamedStepSizes {
  std::vector<double> numbers;  ///< one number: for all parameters not named; several: one per unconstrained coordinate
  std::vector<std::pair<std::string, double>> by_name;
};

enum class LogDensityAtDraws : std::uint8_t { automatic, always, never };
enum class KeptOutputs : std::uint8_t { automatic, all, none };
enum class Judging : std::uint8_t { quick, full, none };

/// Settings that are not set are chosen to suit the model.
struct RunSettings {
  std::optional<std::string> method;        ///< "nuts", "sgld-cv", ...: sampler, or sampler and estimator; or "auto"
  std::optional<NamedStepSizes> step_size;  ///< not set: tuned by short runs
  double tune_seconds = 0;  ///< approximate time for tuning; 0: limited by row counts, so that results are reproducible
  std::optional<BatchSize> batch_size;
  std::optional<Precondition> precondition;
  std::optional<RowSampling> row_sampling;
  std::uint64_t refresh_every = GradientOptions{}.refresh_every;
  std::uint64_t table_bytes_limit = GradientOptions{}.table_bytes_limit;
  std::map<std::string, std::string> sampler;  ///< options of the sampler, as set_option() reads them

  std::optional<Subposterior> subposterior;  ///< draw from the posterior given one part of the rows; not set: all rows

  std::optional<std::uint64_t> iterations;  ///< after warm-up
  std::optional<std::uint64_t> warmup;
  std::optional<std::uint64_t> thin;
  std::uint64_t chains = 4;

  std::uint64_t seed = 1;
  std::map<std::string, std::vector<double>> initial;  ///< constrained values by parameter
  std::optional<double> initial_radius;
  std::optional<bool> start_at_modes;
  std::uint64_t recoveries = SampleOptions{}.recoveries;
  int threads = 0;

  /// Whether to compute lp__ at every draw; automatic: if a pass over all rows costs no more than the iterations
  /// between two draws.
  LogDensityAtDraws log_density = LogDensityAtDraws::automatic;
  /// Transformed parameters and generated quantities to keep; automatic: all, but above 1000 rows none with one value
  /// per row.
  KeptOutputs outputs = KeptOutputs::automatic;
  /// Parameters and outputs whose draws are kept: variables, elements such as "beta[3]" and ranges such as
  /// "beta[1:10]"; or "none". The others are summarised during the run. Not set: all are kept.
  std::optional<std::vector<std::string>> keep;
  std::string groups = SampleOptions{}.groups;
  ZeroVarianceForm zero_variance = ZeroVarianceForm::automatic;
  Judging diagnose = Judging::quick;  ///< quick: adds about a tenth to the time of the run

  /// How messages write a setting, alone or with a value; if not set: "step_size = 0.1".
  std::function<std::string(std::string_view setting, std::string_view value)> writer;
  std::string written(std::string_view setting, std::string_view value = "") const;
};

}  // namespace sgmcmc
