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
  /// The first warning of its kind, naming the part. Never called by two threads at once.
  std::function<void(const std::string& text)> warning;
};

/// The parts of one call. Parts that a previous call finished are not sampled again, and parts that it began go on.
class PartsRun {
 public:
  /// call: the options of `sample`. Throws UsageError if there is no folder, or if it holds a part of another run.
  PartsRun(const OptionValues& call, const Subposterior& all);
  /// Some of the parts only.
  PartsRun(const OptionValues& call, const Subposterior& all, const std::vector<std::uint64_t>& numbers);

  bool is_finished() const;
  /// Samples the parts that are not finished. The threads of the call are divided among as many parts as there are
  /// threads; draws do not depend on that. Returns false if interrupted. If a part fails, ends the others, which can
  /// go on later, and rethrows its error. ranks: if set, every rank samples some of the parts, and writes their
  /// folders.
  bool sample(const StanPosterior& whole, const PartsHooks& hooks, RankLeader* ranks = nullptr);
  /// The parts that are finished or interrupted.
  std::vector<PartLine> lines() const;

 private:
  enum class State : char { open, finished_before, finished, interrupted };

  void check_remote(RankLeader& ranks, int rank, const std::vector<std::size_t>& share);

  const OptionValues& call_;
  std::vector<SampledPart> parts_;
  std::vector<State> states_;
};

/// On another rank: samples these of the parts that `call` names.
void sample_some_parts(const OptionValues& call, const StanPosterior& whole, const std::vector<std::uint64_t>& numbers,
                       const std::atomic<bool>& interrupt);

}  // namespace sgmcmc
