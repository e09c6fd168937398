// The metric of Hamiltonian samplers: momentum p ~ N(0, M), with the inverse of M estimated by the covariance of draws.
#pragma once

#include <sgmcmc/state.hpp>

#include <sgmcmc/dynamics.hpp>
#include <sgmcmc/random.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sgmcmc {

class MassMatrix {
 public:
  MassMatrix(Metric metric, std::size_t dimension);

  /// p = M^(1/2) z, z standard normal: elements [offset, offset + dimension) of the stream.
  void draw_momentum(const StreamKey& key, std::uint64_t offset, std::span<double> momentum);
  /// Writes the velocity M^-1 p and returns the kinetic energy p' M^-1 p / 2.
  double velocity(std::span<const double> momentum, std::span<double> velocity) const;

  bool adapts() const { return metric_ != Metric::unit; }
  void collect(std::span<const double> position);  ///< adds a draw to the next estimate
  /// M^-1 becomes the covariance of the n draws collected since the last time, shrunk towards a small multiple of the
  /// identity: n/(n+5) covariance + 5/(n+5) 0.001.
  void update();

  /// Sets M^-1: its diagonal, or all of it, row by row.
  void set_inverse(std::span<const double> inverse);
  std::span<const double> inverse() const { return inverse_; }  ///< empty for unit

  void visit_state(StateVisitor& visitor);

 private:
  bool factor();

  Metric metric_;
  std::size_t dimension_;
  std::vector<double> inverse_;  // of M: nothing, its diagonal, or the whole matrix
  std::vector<double> factor_;   // square roots of the diagonal, or lower Cholesky factor L of M^-1 = L L'
  std::vector<double> mean_, spread_, deviation_;  // Welford's sums over the draws collected
  std::uint64_t collected_ = 0;
};

}  // namespace sgmcmc
