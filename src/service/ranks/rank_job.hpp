// The MPI ranks of a program, for front ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc {

class OptionValues;
class RankLeader;
class StanPosterior;
struct RowShare;

/// Samples these parts of the rows, with the options of a call for all parts, until interrupted.
using ServeParts =
    std::function<void(const OptionValues& call, const StanPosterior& whole, const std::vector<std::uint64_t>& numbers,
                       const std::atomic<bool>& interrupt, const std::function<void(const std::string& text)>& warn)>;

/// Whether mpirun or srun started this process as one of several.
bool started_as_ranks();

class RankJob {
 public:
  /// lost: called with the reason before the process ends because another rank does not respond. Throws Error if MPI
  /// cannot be used.
  explicit RankJob(std::function<void(const std::string& why)> lost);
  ~RankJob();

  int rank() const;
  int size() const;
  std::string name() const;  ///< of this rank, for messages

  /// On ranks other than 0: works for rank 0 until it ends.
  void serve(const ServeParts& sample_parts);
  /// On rank 0: the leader of a run shared with the other ranks; null if there are none.
  RankLeader* leader();
  /// On rank 0, after success or failure: ends the other ranks. If they do not respond, aborts all ranks.
  void end(int status);
  /// Ends all ranks at once.
  [[noreturn]] void abort(int status);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The rows that this rank reads and keeps; null: all. ranks: null outside mpirun.
std::shared_ptr<const RowShare> own_share_of_rows(const OptionValues& values, const RankJob* ranks);

/// Tells the other ranks the model and data of a `sample` run, so that they read them at the same time as rank 0.
void tell_model(RankJob& ranks, const OptionValues& values, const std::string& model_path);

}  // namespace sgmcmc
