// The linear map of a preconditioner and its inverse, without allocations.
#pragma once

#include <sgmcmc/precondition.hpp>

#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

/// Not thread-safe.
class Whitening {
 public:
  explicit Whitening(std::shared_ptr<const Preconditioner> preconditioner);

  std::size_t dimension() const { return preconditioner_->dimension(); }
  const Preconditioner& preconditioner() const { return *preconditioner_; }

  void multiply(std::span<const double> u, std::span<double> out);             ///< L u
  void multiply_transposed(std::span<const double> g, std::span<double> out);  ///< L' g: a gradient in u
  void solve_transposed(std::span<const double> g, std::span<double> out);     ///< L'^-1 g: of u, a gradient in theta
  void position(std::span<const double> u, std::span<double> theta);           ///< centre + L u
  void coordinates(std::span<const double> theta, std::span<double> u);        ///< L^-1 (theta - centre)

 private:
  /// x += U diag(values) U' x, for low_rank.
  void stretch(std::span<double> x, bool back);

  std::shared_ptr<const Preconditioner> preconditioner_;
  std::vector<double> along_;  // U' x
};

}  // namespace sgmcmc
