// The sink for the draws of a run. Adds transformed parameters, generated quantities and log densities, then writes all
// of them to the files of the run folder and to an unnamed temporary file, from which the summary is made. Columns that
// are not written are summarised during sampling.
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
  stan::BoundModel* bound = nullptr;  ///< its program runs at each draw; null: none
  ChosenOutputs outputs;
  std::shared_ptr<const LogPosterior> posterior;
  std::uint64_t seed = 1;
  bool log_density = false;  ///< compute lp__ at every draw, for samplers without their own statistics
  StanCsvSink* files = nullptr;
  std::function<void(std::size_t chain, double log_density)> note;  ///< if set, receives a log density now and then
  std::filesystem::path spool_folder;  ///< for the unnamed file; empty: the folder of temporary files
  /// Given the names of parameters and outputs, returns which are written; not set: all. The others are summarised.
  std::function<std::vector<bool>(const std::vector<std::string>& names)> choose_written;
  /// Maximum number per chain of draws with all parameters, which the verdict needs if not all of them are written.
  std::size_t most_complete_draws = 512;
};

/// The name under which the failure of a program without outputs is reported.
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
  void save_state(std::size_t chain, StateVisitor& visitor) override;  ///< requires files
  void restore_state(std::size_t chain, StateVisitor& visitor) override;

  /// Computes the log density at the last draw of a chain for the progress line, unless that would take more than 1 %
  /// of the time. Call it from the thread of the chain.
  void note_log_density(const Progress& progress);

  /// Call after the last draw: prepares the results below.
  void collect();
  /// The draws that are written: parameters, then outputs. All numbers are finite.
  const MemoryDraws& draws() const { return draws_; }
  MemoryDraws take_draws() { return std::move(draws_); }  ///< moves them out
  /// Parameters, then outputs, whether written or summarised, in their order.
  const std::vector<std::string>& names() const { return names_; }
  /// The variables that are not written.
  const std::vector<SummarisedVariable>& summarised() const { return summarised_; }
  bool writes_all_parameters() const { return all_parameters_written_; }
  /// Draws with all parameters: draws(), or every complete_stride()-th draw of the run.
  const MemoryDraws& complete_draws() const { return all_parameters_written_ ? draws_ : complete_draws_; }
  std::uint64_t complete_stride() const { return all_parameters_written_ ? 1 : complete_.stride(); }
  /// The statistics of an exact sampler (lp__, accept_stat__, ...); otherwise stepsize__, and lp__ if it is computed.
  const MemoryDraws& sampler() const { return sampler_; }
  bool any_draw() const;
  std::vector<LeftOut> left_out() const;

 private:
  /// Elements [begin, end) of a line that are left out together; an empty range for a program without outputs.
  struct Group {
    std::string name;
    std::size_t begin = 0, end = 0;
  };
  /// The failures of a group in one chain.
  struct Failure {
    std::uint64_t draws = 0, first_draw = 0;
    bool absent = false;  // left out of the file that is resumed, because of a later draw
    std::string reason;
  };
  struct ChainState {
    std::vector<double> line;  // statistics, parameters, outputs
    bool line_known = false;   // line holds the last draw; false right after the chain was resumed
    std::vector<double> written_line, summarised_line;  // the elements that are written, and the others
    std::vector<double> record;                         // record for the spool
    std::vector<double> outputs;                        // all outputs of the model
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
  /// Leaves out non-finite variables. failure: the reason why some variables are unknown.
  void check(ChainState& state, const std::set<std::string>& unknown, const std::string& failure);
  void visit_failures(ChainState& state, StateVisitor& visitor);
  void leave_out(const Group& group);

  RunSinkParts parts_;
  std::vector<std::string> statistics_;  // first in a line: the sampler's own, or lp__ if computed, and stepsize__
  bool own_statistics_ = false;
  bool runs_program_ = false;  // at each draw: to compute outputs, or for statements that print or reject
  std::size_t parameters_ = 0;
  std::vector<std::string> draw_names_;                     // all names
  std::vector<std::string> written_names_, sampler_names_;  // in the spool
  std::vector<std::size_t> written_, not_written_;          // positions among draw_names_
  std::vector<std::size_t> place_in_file_;                  // of each number of a line; `nowhere` where not written
  bool all_parameters_written_ = true;
  std::vector<Group> groups_;  // all elements except parameters
  std::vector<ChainState> chains_;
  SpooledDraws spool_;  // weight, sampler columns, draws
  MemoryDraws draws_, sampler_;
  // Used if not everything is written:
  ColumnSummaries summaries_;  // of not_written_
  ThinnedDraws complete_;      // parameters; empty where they are all written
  MemoryDraws complete_draws_;
  std::vector<std::string> names_;
  std::vector<SummarisedVariable> summarised_;
};

}  // namespace sgmcmc
