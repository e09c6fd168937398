// Sinks for draws: the interface, a sink that keeps them in memory, and running moments that store no draws.
//
// Every draw has a weight, the step size it was made with (1 for exact samplers): posterior expectations are sum(w f) /
// sum(w). Means, standard deviations and quantiles here use the weights; with a constant step size they are the
// ordinary ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

class StateVisitor;

/// Receives draws. begin() is called once, before any draw; draws of one chain arrive in order from one thread at a
/// time, those of different chains possibly concurrently. All numbers are finite.
class DrawsSink {
 public:
  virtual ~DrawsSink() = default;
  virtual void begin(std::span<const std::string> names, std::size_t chains, std::size_t draws_per_chain) = 0;
  virtual void write(std::size_t chain, std::span<const double> values, double weight) = 0;

  /// For samplers that record statistics of every draw (lp__, accept_stat__, ...): their names, before begin(), and
  /// their values, before write() of that draw. Ignored by default.
  virtual void name_statistics(std::span<const std::string> /*names*/) {}
  virtual void write_statistics(std::size_t /*chain*/, std::span<const double> /*values*/) {}
  /// For other samplers: the step size that made a draw, before its write(). Smaller than its weight if a chain
  /// diverged and continues with smaller steps.
  virtual void write_step_size(std::size_t /*chain*/, double /*step_size*/) {}

  /// Checkpoints during a chain: draws written by the chain must be on disk when save_state() returns, and
  /// restore_state() must be able to find them from the visited state, drop later ones and continue. restore_state() is
  /// called after begin(), on a sink that was told that the run is resumed.
  virtual void save_state(std::size_t /*chain*/, StateVisitor& /*visitor*/) {}
  virtual void restore_state(std::size_t /*chain*/, StateVisitor& /*visitor*/) {}
};

/// Keeps every draw; begin() reserves memory for all of them, so that write() allocates nothing.
class MemoryDraws final : public DrawsSink {
 public:
  /// Refers to draws stored elsewhere, such as in a mapped file: the number of draws per chain, one draw every `stride`
  /// numbers.
  struct Elsewhere {
    const double* first = nullptr;
    std::size_t draws = 0;
    std::vector<double> weights;
  };
  static MemoryDraws over(std::vector<std::string> names, std::size_t stride, std::vector<Elsewhere> chains,
                          std::shared_ptr<const void> keeper);

  void begin(std::span<const std::string> names, std::size_t chains, std::size_t draws_per_chain) override;
  void write(std::size_t chain, std::span<const double> values, double weight) override;
  void save_state(std::size_t chain, StateVisitor& visitor) override;
  void restore_state(std::size_t chain, StateVisitor& visitor) override;

  const std::vector<std::string>& names() const { return names_; }
  std::size_t chains() const { return chains_.size(); }
  std::size_t parameters() const { return names_.size(); }
  std::size_t draws(std::size_t chain) const;         ///< written so far; a chain may have stopped early
  std::size_t index_of(std::string_view name) const;  ///< throws OptionError suggesting similar names

  double operator()(std::size_t chain, std::size_t draw, std::size_t parameter) const;
  std::span<const double> draw(std::size_t chain, std::size_t draw) const;  ///< all parameters of one draw
  std::span<const double> weights(std::size_t chain) const;
  bool equal_weights() const;

  // Over all draws of all chains. NaN if there are too few draws.
  double mean(std::size_t parameter) const;
  double standard_deviation(std::size_t parameter) const;
  /// probability in [0, 1]. With equal weights: linear interpolation of order statistics, as R's and NumPy's default.
  double quantile(std::size_t parameter, double probability) const;
  std::vector<double> quantiles(std::size_t parameter, std::span<const double> probabilities) const;

  double mean(std::string_view name) const { return mean(index_of(name)); }
  double standard_deviation(std::string_view name) const { return standard_deviation(index_of(name)); }
  double quantile(std::string_view name, double probability) const { return quantile(index_of(name), probability); }

 private:
  // Each chain has its own memory, to avoid false sharing between threads.
  struct Chain {
    std::vector<double> values;
    std::vector<double> weights;
    std::size_t written = 0;
    const double* elsewhere = nullptr;
    const double* draw(std::size_t index, std::size_t stride) const {
      return (elsewhere ? elsewhere : values.data()) + index * stride;
    }
  };
  const Chain& chain_at(std::size_t chain) const;

  std::vector<std::string> names_;
  std::size_t capacity_ = 0;
  std::size_t stride_ = 0;
  std::vector<Chain> chains_;
  std::shared_ptr<const void> keeper_;  // owner of draws stored elsewhere
};

/// Weighted mean and variance of a vector, updated value by value (Welford).
class RunningMoments {
 public:
  explicit RunningMoments(std::size_t dimension = 0) : mean_(dimension), spread_(dimension) {}

  void add(std::span<const double> values, double weight = 1.0);  ///< dimension() values, weight >= 0
  void merge(const RunningMoments& other);                        ///< as if the other's values had been added here

  std::size_t dimension() const { return mean_.size(); }
  std::uint64_t count() const { return count_; }
  double total_weight() const { return weight_; }
  std::span<const double> mean() const { return mean_; }
  /// Unbiased for equal weights (divides by count - 1); NaN with fewer than two values.
  double variance(std::size_t element) const;
  double standard_deviation(std::size_t element) const;

  void visit_state(StateVisitor& visitor);

 private:
  std::uint64_t count_ = 0;
  double weight_ = 0.0;
  double squared_weight_ = 0.0;
  std::vector<double> mean_;
  std::vector<double> spread_;  // sum of weight * (value - mean)^2
};

}  // namespace sgmcmc
