// Samples probability vectors from minibatches of counts: the posterior Dirichlet(prior + counts) of categorical data,
// given estimates of the counts, such as N / n times the counts in n of N rows.
//
//   SimplexOptions options;                                   // scir, step size 0.5
//   SimplexSampler sampler(options, {0.1}, 10);               // Dirichlet(0.1, ..., 0.1) on ten components
//   for (std::uint64_t t = 0; t < 1000; ++t) {
//     sampler.step(estimated_counts(t), t);                   // counts of the whole data, from one minibatch
//     sampler.probabilities(omega);
//   }
#pragma once

#include <sgmcmc/dynamics.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// Every kernel moves theta > 0, with omega = theta / sum(theta), and stores log(theta): with a prior of 0.01, theta
/// underflows. docs/simplex.md states the updates and their sources.
enum class SimplexMethod : std::uint8_t {
  scir,                    ///< the Cox-Ingersoll-Ross process in steps of time step_size: no discretisation error
  sgrld,                   ///< Riemannian Langevin, expanded mean, mirrored at 0
  sgrld_reduced_mean,      ///< Riemannian Langevin on omega itself, mirrored at 0 and scaled back to sum 1
  sgrld_expanded_natural,  ///< Riemannian Langevin on log(theta); fails near the boundary
  sgld,                    ///< plain Langevin on log(theta)
};

std::vector<std::string> simplex_method_names();      ///< "scir", "sgrld", "sgrld-reduced-mean", ...
SimplexMethod simplex_method(std::string_view name);  ///< throws OptionError listing the valid names
std::string_view simplex_method_name(SimplexMethod method);

struct SimplexOptions {
  SimplexMethod method = SimplexMethod::scir;
  double step_size = 0.5;  ///< time between two estimates of the counts (scir), or epsilon (the others)
  Schedule schedule{};
  std::uint64_t seed = 1;
  std::uint32_t chain = 0;
  int threads = 1;  ///< 0: all processors. Does not affect results

  void validate() const;  ///< throws OptionError naming the option
};

/// One or several blocks, each a probability vector of `components` numbers with the same prior. Element j * blocks + b
/// of every array is component j of block b.
class SimplexSampler {
 public:
  /// prior: one positive number for all components, or one per component. The chain starts at a draw from the prior.
  SimplexSampler(const SimplexOptions& options, std::vector<double> prior, std::size_t components,
                 std::size_t blocks = 1);
  ~SimplexSampler();
  SimplexSampler(SimplexSampler&&) noexcept;
  SimplexSampler& operator=(SimplexSampler&&) noexcept;

  std::size_t components() const;
  std::size_t blocks() const;

  /// Moves every block by one step. counts: non-negative estimates of the counts in the whole data; 0 for unvisited
  /// components. The result depends on the position, the counts and (seed, chain, iteration) only. Returns false if the
  /// step overflowed (as sgld and sgrld_expanded_natural can with large steps); the position is then unchanged. Throws
  /// OptionError if a count is negative or not finite.
  bool step(std::span<const double> counts, std::uint64_t iteration);

  std::span<const double> log_theta() const;
  void set_log_theta(
      std::span<const double> log_theta);  ///< throws OptionError for non-finite values or a wrong number of them

  void probabilities(std::span<double> omega) const;
  void log_probabilities(std::span<double> log_omega) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sgmcmc
