// Where the draws of a run go: transformed parameters, generated quantities and log densities are added, then all of it
// goes to files: those of the run folder, and a nameless one that the summary is made from.
#pragma once

#include "cli/model_input.hpp"
#include "cli/progress.hpp"
#include "draws/spooled_draws.hpp"
#include "draws/stan_csv.hpp"
#include "run/density_at_draws.hpp"
#include "stan/model_file.hpp"

#include <sgmcmc/draws.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sgmcmc::cli {

struct RunSinkParts {
  stan::BoundModel* bound = nullptr;
  ChosenOutputs outputs;
  std::shared_ptr<const LogPosterior> posterior;
  std::uint64_t seed = 1;
  bool log_density = false;  ///< computed at every draw, for samplers without statistics of their own
  StanCsvSink* files = nullptr;
  ProgressDisplay* display = nullptr;  ///< hears of a log density now and then
  std::filesystem::path spool_folder;  ///< where the nameless file lies; empty: where temporary files do
};

class RunSink final : public DrawsSink {
 public:
  explicit RunSink(RunSinkParts parts) : parts_(std::move(parts)), spool_(parts_.spool_folder) {}

  void name_statistics(std::span<const std::string> names) override { statistics_.assign(names.begin(), names.end()); }
  void begin(std::span<const std::string> names, std::size_t chains, std::size_t draws_per_chain) override;
  void write_statistics(std::size_t chain, std::span<const double> values) override;
  void write(std::size_t chain, std::span<const double> values, double weight) override;
  void save_state(std::size_t chain, StateVisitor& visitor) override;  ///< there must be files
  void restore_state(std::size_t chain, StateVisitor& visitor) override;

  /// Computes the log density at the last draw of a chain for the progress line, unless that takes more than a
  /// hundredth of the time. From the thread of the chain.
  void note_log_density(const Progress& progress);

  /// After the last draw: makes the two below.
  void collect();
  const MemoryDraws& draws() const { return draws_; }  ///< parameters, then outputs
  /// What an exact sampler records (lp__, accept_stat__, ...), else lp__ where it is computed, and stepsize__.
  const MemoryDraws& sampler() const { return sampler_; }
  bool any_draw() const;
  /// Draws at which transformed parameters and generated quantities could not be evaluated and are nan, and the first
  /// reason.
  std::uint64_t failed_outputs() const;
  std::string failure() const;

 private:
  struct ChainState {
    std::vector<double> line;     // statistics, parameters, outputs
    std::vector<double> record;   // of the spool
    std::vector<double> outputs;  // all that the model has
    std::unique_ptr<DensityAtDraws> density;
    std::uint64_t written = 0;
    std::uint64_t failed = 0;    // outputs that could not be evaluated
    std::string failure;         // why, the first time
    double density_seconds = 0;  // of the last evaluation
    double noted_at = -1e9;
  };
  double density_of(ChainState& state);
  void keep(std::size_t chain, double weight);  ///< the present line of the chain

  RunSinkParts parts_;
  std::vector<std::string> statistics_;  // that open a line: the sampler's own, or lp__ where it is computed, or none
  bool own_statistics_ = false;
  std::size_t parameters_ = 0;
  std::vector<std::string> draw_names_, sampler_names_;
  std::vector<ChainState> chains_;
  SpooledDraws spool_;  // weight, sampler columns, draws
  MemoryDraws draws_, sampler_;
};

}  // namespace sgmcmc::cli
