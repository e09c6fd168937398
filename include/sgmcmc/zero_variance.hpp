// Posterior means with most of their Monte Carlo error removed, from the gradients that sampling needs anyway.
//
// Under the posterior pi, E[ Laplacian Q + grad Q . grad log pi ] = 0 for any polynomial Q of the unconstrained
// parameters (integrate by parts): such functions z of a draw have a known mean, and what they are off by tells what a
// test function f is off by. The estimate of E f is mean(f) - b . mean(z), with b from a regression of f on z (Mira,
// Solgi, Imparato: "Zero variance Markov chain Monte Carlo for Bayesian estimators", 2013; Baker: "Large-scale Bayesian
// computation using stochastic gradient Markov chain Monte Carlo", thesis, section 3.4). Gradients may be unbiased
// estimates (Friel, Mira, Oates 2016): noise in them lessens the gain and adds no bias.
//
// Draws are gathered into batches, never kept: a draw costs as many additions as there are z and f. The regression is
// one of batch means, so b is that of the error of the mean, not that of a single draw: gradient noise averages out in
// a batch while the slow movements of a chain do not, and they are what makes means uncertain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sgmcmc {

class StateVisitor;

enum class ZeroVarianceForm : std::uint8_t {
  automatic,  ///< linear where that costs next to nothing, else none
  none,
  linear,     ///< z = gradient: D of them. Exact for means of a normal posterior
  quadratic,  ///< D (D + 3) / 2 of them. Exact for variances too
};
std::string_view zero_variance_name(ZeroVarianceForm form);  ///< "auto", "none", "linear", "quadratic"

/// What is said of one test function.
struct ZeroVarianceEstimate {
  double mean = 0;  ///< corrected; NaN with too few draws for the regression
  double mcse = 0;  ///< Monte Carlo standard error of it, autocorrelation accounted for
  double gain = 0;  ///< squared error of the plain mean over that of this one: as many times the draws would be needed
};

/// Test functions and gradients of one chain, draw by draw; then of several, merged.
class ZeroVariance {
 public:
  ZeroVariance() = default;  ///< of nothing: form none
  /// form: linear or quadratic, or none. chains: how many such will be merged. Throws OptionError where a regression
  /// would be too large to be done.
  ZeroVariance(ZeroVarianceForm form, std::size_t dimension, std::size_t functions, std::size_t chains = 1);
  /// Numbers kept at most, of all chains.
  static double numbers(ZeroVarianceForm form, std::size_t dimension, std::size_t functions, std::size_t chains = 1);

  ZeroVarianceForm form() const { return form_; }
  std::size_t regressors() const { return regressors_; }
  std::size_t functions() const { return functions_; }
  std::uint64_t draws() const { return draws_; }

  /// The next draw: its unconstrained position, an unbiased estimate of the gradient of the log posterior there (with
  /// log-Jacobians), and the test functions, of the constrained parameters or of anything else. Only the first so many
  /// draws allocate.
  void add(std::span<const double> position, std::span<const double> gradient, std::span<const double> values,
           double weight = 1.0);
  /// Another chain, beside this one. No draws can be added to either in this object afterwards.
  void merge(const ZeroVariance& other);

  /// One per test function. Empty for the form none.
  std::vector<ZeroVarianceEstimate> estimates() const;

  void visit_state(StateVisitor& visitor);

 private:
  std::size_t width() const { return regressors_ + functions_; }
  void halve();

  ZeroVarianceForm form_ = ZeroVarianceForm::none;
  std::size_t dimension_ = 0, regressors_ = 0, functions_ = 0;
  std::size_t most_batches_ = 0;
  std::uint64_t draws_ = 0;
  std::uint64_t batch_length_ = 1;  // draws of a full batch
  std::uint64_t last_length_ = 0;   // of the batch being filled
  std::vector<double> centre_;      // Q is a polynomial of position - centre: rounding, and nothing else, depends on it
  std::vector<double> means_;       // batches x width(): regressors, then functions
  std::vector<double> weights_;     // of each batch
  std::vector<double> lengths_;     // batches of each merged chain; empty: one chain
  std::vector<double> scratch_;
};

/// From stored draws: positions and gradients are points x dimension, values points x functions; `lengths`: points of
/// each chain, one after the other; no weights: all equal.
std::vector<ZeroVarianceEstimate> zero_variance(ZeroVarianceForm form, std::size_t dimension,
                                                std::span<const double> positions, std::span<const double> gradients,
                                                std::span<const double> values, std::span<const std::size_t> lengths,
                                                std::span<const double> weights = {});

}  // namespace sgmcmc
