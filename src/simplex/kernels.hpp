// One step of a kernel on blocks of probability vectors, vectorised over blocks; samplers of topics and mixtures call
// it with their pseudo-counts.
#pragma once

#include "base/memory.hpp"
#include "base/thread_pool.hpp"

#include <sgmcmc/random.hpp>
#include <sgmcmc/simplex.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sgmcmc {

struct SimplexShape {
  std::size_t components = 0;
  std::size_t blocks = 1;
  std::size_t size() const { return components * blocks; }
};

/// The arguments of a step. All spans have shape.size() elements; component j of block b is element j * blocks + b.
struct SimplexStep {
  std::span<double> log_theta;            ///< moved in place; unchanged if the step fails
  std::span<const double> pseudo_counts;  ///< prior + estimated counts of the whole data: positive
  double prior_total = 0;                 ///< sum over components of the prior, the same for every block
  double step_size = 0;
  StreamKey key;  ///< purpose noise: the step uses all of this stream
};

/// Scratch memory and the loops. The division of work depends on the shape only, so results do not depend on threads.
class SimplexKernel {
 public:
  SimplexKernel(SimplexMethod method, SimplexShape shape);

  SimplexMethod method() const { return method_; }
  SimplexShape shape() const { return shape_; }

  /// Returns false if a value overflowed; log_theta is then unchanged.
  bool step(const SimplexStep& step, ThreadPool& pool);

  /// log of sum(theta) of every block: blocks elements.
  void log_totals(std::span<const double> log_theta, std::span<double> totals, ThreadPool& pool);

 private:
  struct Piece {
    std::size_t begin, count;
  };
  std::size_t pieces() const;
  Piece piece(std::size_t index) const;
  void spread(std::vector<double>& periodic, std::span<const double> values) const;
  void sum_counts(const SimplexStep& step, ThreadPool& pool);
  void sum_noise(const SimplexStep& step, ThreadPool& pool);
  void scir(const SimplexStep& step, std::size_t begin, std::span<double> out) const;
  void langevin(const SimplexStep& step, std::size_t begin, std::span<double> out) const;

  SimplexMethod method_;
  SimplexShape shape_;
  std::size_t piece_components_;
  AlignedBuffer<double> proposal_;
  std::vector<double> partial_;         // per piece and block
  std::vector<double> sums_, highest_;  // per block
  // Per block, repeated so that a pack can be read at any position: element i belongs to block i mod blocks.
  std::vector<double> theta_total_, count_total_, noise_total_;
};

}  // namespace sgmcmc
