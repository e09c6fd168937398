// Shared by all runs over documents: checks of options, the loop of iterations and evaluations, checkpoints and
// interrupts.
#pragma once

#include "base/checkpoint.hpp"
#include "base/state_bytes.hpp"
#include "base/text.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sgmcmc {

inline void check_positive(const char* name, double value) {
  if (!(value > 0.0 && std::isfinite(value)))
    throw OptionError(std::string(name) + " is " + formatted("%g", value) + "; it must be positive and finite");
}

/// Checks LdaOptions or DpmixOptions. Throws OptionError naming the option.
template <class Options>
void check_document_run(const Options& options) {
  options.schedule.validate();
  if (options.iterations == 0) throw OptionError("iterations is 0; it must be at least 1");
  if (options.batch_size == 0) throw OptionError("batch_size is 0; it must be at least 1");
  if (!(options.holdout >= 0.0 && options.holdout < 1.0))
    throw OptionError("holdout is " + formatted("%g", options.holdout) +
                      "; it must be a share of the documents, from 0 to below 1");
  if (!(options.warmup >= 0.0 && options.warmup < 1.0))
    throw OptionError("warmup is " + formatted("%g", options.warmup) +
                      "; it must be a share of the iterations, from 0 to below 1");
  if (options.threads < 0)
    throw OptionError("threads is " + std::to_string(options.threads) + "; it must not be negative");
}

/// Iterates, evaluates at regular intervals and at the end, and saves checkpoints. Averages evaluations after warm-up;
/// a run that ends earlier uses its last evaluation.
class DocumentRun {
 public:
  /// The options must outlive it. evaluations: default number of evaluations.
  template <class Options>
  DocumentRun(const Options& options, std::uint64_t evaluations)
      : checkpoints_(options.checkpoint),
        chain_(options.checkpoint, options.chain),
        interrupt_(options.interrupt),
        iterations_(options.iterations),
        every_(options.evaluate_every != 0 ? options.evaluate_every
                                           : std::max<std::uint64_t>(1, options.iterations / evaluations)),
        warm_(static_cast<std::uint64_t>(options.warmup * static_cast<double>(options.iterations))) {}

  struct Parts {
    std::function<void(std::uint64_t iteration)> iterate;  ///< iterations are counted from 0
    /// Evaluates after this many iterations. Called twice for the same number if the run is interrupted: the second
    /// counts.
    std::function<void(std::uint64_t done, bool averaged)> evaluate;
    std::function<void(StateVisitor&)> visit;  ///< all state that the two functions above change
  };
  /// Runs a search before the first iteration, or restores its saved result.
  using Findings = CheckpointFolder::Findings;
  void prepare(const std::function<Findings()>& look, const std::function<void(const Findings&)>& know);
  void go(const Parts& parts);

  bool interrupt_wanted() const { return interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed); }
  bool interrupted() const { return interrupted_; }
  std::uint64_t done() const { return done_; }
  double seconds() const;  ///< including those before it was resumed

 private:
  using Clock = std::chrono::steady_clock;

  CheckpointFolder checkpoints_;
  ChainCheckpoint chain_;
  const std::atomic<bool>* interrupt_;
  std::uint64_t iterations_, every_, warm_;
  std::uint64_t done_ = 0, averaged_ = 0;
  bool interrupted_ = false;
  bool saves_ = true;  // false if the search before the first iteration was interrupted
  Clock::time_point start_ = Clock::now();
  double earlier_seconds_ = 0;
};

/// Saves and restores a list of points; `fields` visits the fields of a point.
template <class Point, class Fields>
void visit_points(StateVisitor& visitor, std::string_view name, std::vector<Point>& points, const Fields& fields) {
  std::vector<double> numbers;
  for (Point& point : points) fields(point, [&](auto& field) { numbers.push_back(static_cast<double>(field)); });
  visitor.visit(name, numbers);
  Point any{};
  std::size_t each = 0, next = 0;
  fields(any, [&](auto&) { ++each; });
  if (numbers.size() % each != 0) refuse_state(name);
  points.resize(numbers.size() / each);
  for (Point& point : points)
    fields(point, [&](auto& field) { field = static_cast<std::remove_reference_t<decltype(field)>>(numbers[next++]); });
}

}  // namespace sgmcmc
