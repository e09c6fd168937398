// Where draws go: a sink interface, a sink that keeps them in memory, and running moments that keep none.
//
// Every draw carries a weight, the step size it was made with (1 where the sampler is exact): posterior expectations
// are sum(w f) / sum(w). Means, standard deviations and quantiles here use the weights; with a constant step size they
// are the ordinary ones.
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

/// Receives draws. begin() comes once, before any draw; draws of one chain arrive in order from one thread at a time,
/// those of different chains possibly at once. Every number handed over is finite.
class DrawsSink {
 public:
  virtual ~DrawsSink() = default;
  virtual void begin(std::span<const std::string> names, std::size_t chains, std::size_t draws_per_chain) = 0;
  virtual void write(std::size_t chain, std::span<const double> values, double weight) = 0;

  /// Samplers that record statistics of every draw name them (lp__, accept_stat__, ...) before begin(), and hand them
  /// over before the write() of that draw. Not kept unless a sink wants them.
  virtual void name_statistics(std::span<const std::string> /*names*/) {}
  virtual void write_statistics(std::size_t /*chain*/, std::span<const double> /*values*/) {}
  /// The others hand over the step size that made a draw, before its write(): less than its weight where a chain has
  /// diverged and goes on with smaller steps.
  virtual void write_step_size(std::size_t /*chain*/, double /*step_size*/) {}

  /// A run saves itself in the middle of a chain: what that chain wrote must be safe when save_state() returns, and
  /// what it shows to the visitor is enough for restore_state() to find it again, drop what came after it, and go on.
  /// restore_state() comes after begin(), to a sink that was told that a run is resumed.
  virtual void save_state(std::size_t /*chain*/, StateVisitor& /*visitor*/) {}
  virtual void restore_state(std::size_t /*chain*/, StateVisitor& /*visitor*/) {}
};

/// Keeps every draw; room for all of them is made in begin(), so that write() allocates nothing.
class MemoryDraws final : public DrawsSink {
 public:
  /// Draws that lie elsewhere, in a mapped file say: of each chain so many, one every `stride` numbers.
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
  std::size_t draws(std::size_t chain) const;         ///< written so far: a chain may have been stopped early
  std::size_t index_of(std::string_view name) const;  ///< throws OptionError listing near misses

  double operator()(std::size_t chain, std::size_t draw, std::size_t parameter) const;
  std::span<const double> draw(std::size_t chain, std::size_t draw) const;  ///< all parameters of one draw
  std::span<const double> weights(std::size_t chain) const;
  bool equal_weights() const;

  // Over all draws of all chains. NaN when there are too few draws to tell.
  double mean(std::size_t parameter) const;
  double standard_deviation(std::size_t parameter) const;
  /// probability in [0, 1]. With equal weights: linear interpolation of order statistics, as R's and NumPy's default.
  double quantile(std::size_t parameter, double probability) const;
  std::vector<double> quantiles(std::size_t parameter, std::span<const double> probabilities) const;

  double mean(std::string_view name) const { return mean(index_of(name)); }
  double standard_deviation(std::string_view name) const { return standard_deviation(index_of(name)); }
  double quantile(std::string_view name, double probability) const { return quantile(index_of(name), probability); }

 private:
  // Each chain owns its memory, so that chains on different threads never write near each other.
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
  std::shared_ptr<const void> keeper_;  // of draws that lie elsewhere
};

/// Weighted mean and variance of a vector, updated value by value (Welford), storing no values.
class RunningMoments {
 public:
  explicit RunningMoments(std::size_t dimension = 0) : mean_(dimension), spread_(dimension) {}

  void add(std::span<const double> values, double weight = 1.0);  ///< values as many as dimension(), weight >= 0
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
