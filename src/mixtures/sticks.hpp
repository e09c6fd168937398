// The weights of a Dirichlet process by stick breaking, v_j ~ Beta(1, concentration), represented up to a last cluster;
// those beyond follow the prior.
#pragma once

#include <sgmcmc/state.hpp>
#include "base/thread_pool.hpp"
#include "simplex/kernels.hpp"

#include <sgmcmc/random.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

/// v_j = a_j / (a_j + b_j), with two positive numbers that a simplex kernel moves, stored as logs.
class Sticks {
 public:
  explicit Sticks(SimplexMethod method) : method_(method) {}

  std::size_t size() const { return log_weights_.size(); }
  std::span<const double> log_weights() const { return log_weights_; }
  double log_rest() const { return log_rest_; }  ///< log total weight of clusters beyond size()
  double log_taken(std::size_t j) const { return log_a_[j]; }
  double log_left(std::size_t j) const { return log_b_[j]; }
  double log_complement(std::size_t j) const;  ///< log(1 - v_j)

  void add(double log_a, double log_b);
  /// Breaks one more stick from the prior; `which` is its index in this stream.
  void add_from_prior(double concentration, const StreamKey& key, std::uint64_t which);
  void shorten(std::size_t size);  ///< drops sticks beyond size
  void swap(std::size_t j);        ///< swaps v_j and v_{j+1}

  /// One step of the kernel on every stick: target v_j ~ Beta(1 + n_j, concentration + sum over l > j of n_l). scir
  /// first redraws a_j + b_j, from `totals`, because its distribution depends on the changed counts. Returns false if
  /// the step overflowed; nothing has then moved.
  bool step(std::span<const double> counts, double concentration, double step_size, const StreamKey& totals,
            const StreamKey& noise, ThreadPool& pool);

  void visit_state(StateVisitor& visitor);  ///< all of it

 private:
  void update_weights();

  SimplexMethod method_;
  std::vector<double> log_a_, log_b_, log_weights_;
  double log_rest_ = 0;
  std::unique_ptr<SimplexKernel> kernel_;
  std::vector<double> pseudo_counts_, moved_, shapes_, log_totals_;
};

/// log(exp(x) + exp(y)).
double log_sum(double x, double y);

}  // namespace sgmcmc
