// A short run of one candidate, which predicts the error of a long run.
#pragma once

#include "chains/gradient_recorder.hpp"
#include "chains/setup.hpp"

#include <sgmcmc/tuning.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sgmcmc {

class Pilot {
 public:
  /// rows: budget of the whole run, which determines its number of iterations with this candidate.
  Pilot(std::shared_ptr<RunSetup> setup, std::string method, double run_rows);

  void set_run_rows(double rows) { run_rows_ = rows; }
  double rows_per_iteration() const { return rows_per_iteration_; }
  double rows_touched() const { return rows_per_iteration_ * static_cast<double>(candidate_.iterations); }
  /// Continues for this many iterations and updates the score. Does nothing after a divergence.
  void run(std::uint64_t iterations);
  /// Computes the kernel Stein discrepancy of the points so far.
  void measure_discrepancy();

  TuningCandidate& candidate() { return candidate_; }
  const TuningCandidate& candidate() const { return candidate_; }
  const SampleOptions& options() const { return setup_->options(); }
  const std::string& failure() const { return failure_; }

 private:
  void judge();

  std::shared_ptr<RunSetup> setup_;
  double run_rows_, rows_per_iteration_;
  std::unique_ptr<RecordedGradients> recorded_;
  std::optional<Chain> chain_;
  TuningCandidate candidate_;
  std::string failure_;
};

}  // namespace sgmcmc
