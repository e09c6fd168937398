// The ranks of a program that mpirun has started, for front ends.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace sgmcmc {

class OptionValues;
class RankLeader;

/// Whether mpirun, or srun, has started this process as one of several.
bool started_as_ranks();

class RankJob {
 public:
  /// lost: told why, before the process ends, where another rank does not answer. Throws Error where MPI cannot be
  /// used.
  explicit RankJob(std::function<void(const std::string& why)> lost);
  ~RankJob();

  int rank() const;
  int size() const;
  std::string name() const;  ///< of this rank, for messages

  /// On ranks other than 0: works for rank 0 until that ends.
  void serve();
  /// On rank 0: of a run that the others take part in.
  RankLeader* leader();
  /// On rank 0, when all is done or has failed: the others end. Ends them and this process, too, where they do not.
  void end(int status);
  /// Ends all ranks at once.
  [[noreturn]] void abort(int status);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Tells the other ranks which model and data a run of sample has, so that they read them while rank 0 does.
void tell_model(RankJob& ranks, const OptionValues& values, const std::string& model_path);

}  // namespace sgmcmc
