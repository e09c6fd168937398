// Samples all parts of a posterior, several at a time, each into its own folder.
#pragma once

#include "service/parts/sampled_part.hpp"
#include "settings/values.hpp"

#include <sgmcmc/run.hpp>
#include <sgmcmc/stan.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sgmcmc {

class RankLeader;

struct PartsProgress {
  std::size_t finished = 0, parts = 0;
  double share = 0;  ///< of the iterations of all parts
};

struct PartsHooks {
  const std::atomic<bool>* interrupt = nullptr;        ///< when set, all parts end and keep their draws so far
  std::function<void(const PartsProgress&)> progress;  ///< called a few times a second, by the thread that samples
  /// The first warning of its kind, which begins with its part. Never called by two threads at once. Those of other
  /// ranks come once all parts of the rank have ended.
  std::function<void(const std::string& text)> warning;
};

/// The parts of one call. Parts that a previous call finished are not sampled again, and parts that it began go on.
class PartsRun {
 public:
  /// call: the options of `sample`. Throws UsageError if there is no folder, or if it holds a part of another run or
  /// of another division.
  PartsRun(const OptionValues& call, const Subposterior& all);
  /// Some of the parts only.
  PartsRun(const OptionValues& call, const Subposterior& all, const std::vector<std::uint64_t>& numbers);

  bool is_finished() const;
  /// Samples the parts that are not finished. The threads of the call are divided among as many parts as there are
  /// threads; draws do not depend on that. Returns false if interrupted. If a part fails, ends the others, which can
  /// go on later, and throws its error, with its name. ranks: if set, every rank samples some of the parts, and writes
  /// their folders. If parts are to be overwritten, removes the previous ones first, so that a call that continues this
  /// one cannot take them for its own.
  bool sample(const StanPosterior& whole, const PartsHooks& hooks, RankLeader* ranks = nullptr);
  /// The parts that are finished or interrupted.
  std::vector<PartLine> lines() const;

 private:
  enum class State : char { open, finished_before, finished, interrupted };

  void open_parts(std::uint64_t parts, const std::vector<std::uint64_t>& numbers);
  void remove_previous() const;
  void check_remote(RankLeader& ranks, int rank, const std::vector<std::size_t>& share, bool stopped);

  const OptionValues& call_;
  std::vector<FoundPart> others_;  // of other divisions, to be replaced
  std::vector<SampledPart> parts_;
  std::vector<State> states_;
};

/// On another rank: samples these of the parts that `call` names. warn: as in PartsHooks.
void sample_some_parts(const OptionValues& call, const StanPosterior& whole, const std::vector<std::uint64_t>& numbers,
                       const std::atomic<bool>& interrupt, const std::function<void(const std::string& text)>& warn);

}  // namespace sgmcmc
