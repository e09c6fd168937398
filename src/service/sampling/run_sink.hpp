// Where the draws of a run go: transformed parameters, generated quantities and log densities are added, then all of it
// goes to files: those of the run folder, and a nameless one that the summary is made from. Columns that are not
// written are summarised on the way.
#pragma once

#include "chains/density_at_draws.hpp"
#include "draws/spooled_draws.hpp"
#include "draws/stan_csv.hpp"
#include "draws/thinned_draws.hpp"
#include "service/sampling/column_summaries.hpp"
#include "service/sampling/outputs.hpp"
#include "stan/binding/model_file.hpp"

#include <sgmcmc/draws.hpp>
#include <sgmcmc/run.hpp>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace sgmcmc {

struct RunSinkParts {
  stan::BoundModel* bound = nullptr;  ///< whose program runs at each draw; null: none
  ChosenOutputs outputs;
  std::shared_ptr<const LogPosterior> posterior;
  std::uint64_t seed = 1;
  bool log_density = false;  ///< computed at every draw, for samplers without statistics of their own
  StanCsvSink* files = nullptr;
  std::function<void(std::size_t chain, double log_density)> note;  ///< if set, hears of a log density now and then
  std::filesystem::path spool_folder;  ///< where the nameless file lies; empty: where temporary files do
  /// Which of the parameters and outputs are written, given their names; not set: all. The others are summarised.
  std::function<std::vector<bool>(const std::vector<std::string>& names)> choose_written;
  /// Per chain, of draws with all parameters: the verdict needs some where not all of them are written.
  std::size_t most_complete_draws = 512;
};

/// What is "left out" where a program without outputs fails.
inline constexpr const char* program_outputs = "generated quantities";

class RunSink final : public DrawsSink {
 public:
  explicit RunSink(RunSinkParts parts)
      : parts_(std::move(parts)), spool_(parts_.spool_folder), complete_(parts_.spool_folder) {}

  void name_statistics(std::span<const std::string> names) override { statistics_.assign(names.begin(), names.end()); }
  void begin(std::span<const std::string> names, std::size_t chains, std::size_t draws_per_chain) override;
  void write_statistics(std::size_t chain, std::span<const double> values) override;
  void write_step_size(std::size_t chain, double step_size) override;
  void write(std::size_t chain, std::span<const double> values, double weight) override;
  void save_state(std::size_t chain, StateVisitor& visitor) override;  ///< there must be files
  void restore_state(std::size_t chain, StateVisitor& visitor) override;

  /// Computes the log density at the last draw of a chain for the progress line, unless that takes more than a
  /// hundredth of the time. From the thread of the chain.
  void note_log_density(const Progress& progress);

  /// After the last draw: makes what is below.
  void collect();
  /// Parameters, then outputs, those that are written; every number is finite.
  const MemoryDraws& draws() const { return draws_; }
  MemoryDraws take_draws() { return std::move(draws_); }  ///< the same; none are left
  /// Parameters, then outputs, written or summarised, in their order.
  const std::vector<std::string>& names() const { return names_; }
  /// Those that are not written.
  const std::vector<SummarisedVariable>& summarised() const { return summarised_; }
  bool writes_all_parameters() const { return all_parameters_written_; }
  /// Draws with all parameters: those above, or one in complete_stride() of them.
  const MemoryDraws& complete_draws() const { return all_parameters_written_ ? draws_ : complete_draws_; }
  std::uint64_t complete_stride() const { return all_parameters_written_ ? 1 : complete_.stride(); }
  /// What an exact sampler records (lp__, accept_stat__, ...), else lp__ where it is computed, and stepsize__.
  const MemoryDraws& sampler() const { return sampler_; }
  bool any_draw() const;
  std::vector<LeftOut> left_out() const;

 private:
  /// What is left out together: elements [begin, end) of a line; none for a program that has no outputs.
  struct Group {
    std::string name;
    std::size_t begin = 0, end = 0;
  };
  /// Of a group in one chain.
  struct Failure {
    std::uint64_t draws = 0, first_draw = 0;
    bool absent = false;  // from the file of a run that is resumed, for what it met later
    std::string reason;
  };
  struct ChainState {
    std::vector<double> line;  // statistics, parameters, outputs
    bool line_known = false;   // that of the last draw; not so right after the chain was resumed
    std::vector<double> written_line, summarised_line;  // what of it is written, and what is not
    std::vector<double> record;                         // of the spool
    std::vector<double> outputs;                        // all that the model has
    std::unique_ptr<DensityAtDraws> density;
    std::uint64_t written = 0;
    std::vector<Failure> failures;  // for each group
    double density_seconds = 0;     // of the last evaluation
    double noted_at = -1e9;
  };
  double density_of(ChainState& state);
  void choose_columns(std::size_t chains);
  std::span<const double> written_part(ChainState& state) const;  ///< of its line
  void spool(std::size_t chain, std::span<const double> written, double weight);
  void summarise(std::size_t chain, double weight);  ///< the columns of the line that are not written
  /// Leaves out what is not finite; failure: why some variables are unknown.
  void check(ChainState& state, const std::set<std::string>& unknown, const std::string& failure);
  void visit_failures(ChainState& state, StateVisitor& visitor);
  void leave_out(const Group& group);

  RunSinkParts parts_;
  std::vector<std::string> statistics_;  // that open a line: the sampler's own, or lp__ if computed, and stepsize__
  bool own_statistics_ = false;
  bool runs_program_ = false;  // at each draw: there are outputs to compute, or statements that print or reject
  std::size_t parameters_ = 0;
  std::vector<std::string> draw_names_;                     // all
  std::vector<std::string> written_names_, sampler_names_;  // in the spool
  std::vector<std::size_t> written_, not_written_;          // positions among draw_names_
  std::vector<std::size_t> place_in_file_;                  // of each number of a line; `nowhere` where not written
  bool all_parameters_written_ = true;
  std::vector<Group> groups_;  // everything but parameters
  std::vector<ChainState> chains_;
  SpooledDraws spool_;  // weight, sampler columns, draws
  MemoryDraws draws_, sampler_;
  // Where not everything is written:
  ColumnSummaries summaries_;  // of not_written_
  ThinnedDraws complete_;      // parameters; empty where they are all written
  MemoryDraws complete_draws_;
  std::vector<std::string> names_;
  std::vector<SummarisedVariable> summarised_;
};

}  // namespace sgmcmc
