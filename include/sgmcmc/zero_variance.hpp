// Zero-variance control variates: reduce the Monte Carlo error of posterior means by the gradients at the draws.
//
// Under the posterior pi, E[ Laplacian Q + grad Q . grad log pi ] = 0 for any polynomial Q of the unconstrained
// parameters (integrate by parts): such functions z of a draw have mean 0, and their sample mean predicts the error of
// the sample mean of a test function f. The estimate of E f is mean(f) - b . mean(z), with b from a regression of f on
// z (Mira, Solgi, Imparato: "Zero variance Markov chain Monte Carlo for Bayesian estimators", 2013; Baker: "Large-scale
// Bayesian computation using stochastic gradient Markov chain Monte Carlo", thesis, section 3.4). Gradients may be
// unbiased estimates (Friel, Mira, Oates 2016): their noise reduces the gain but adds no bias.
//
// Draws are summed into batches and not stored: a draw costs one addition per z and f. The regression is on batch
// means, so b is optimal for the error of the mean, not for single draws: gradient noise averages out within a batch,
// but slow movements of the chain, which dominate the error of means, do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sgmcmc {

class StateVisitor;

enum class ZeroVarianceForm : std::uint8_t {
  automatic,  ///< linear if that costs almost nothing, else none
  none,
  linear,     ///< z = gradient: D regressors. Exact for means of a normal posterior
  quadratic,  ///< D (D + 3) / 2 regressors. Also exact for variances
};
std::string_view zero_variance_name(ZeroVarianceForm form);  ///< "auto", "none", "linear", "quadratic"

/// The result for one test function.
struct ZeroVarianceEstimate {
  double mean = 0;  ///< corrected; NaN if there are too few draws for the regression
  double mcse = 0;  ///< its Monte Carlo standard error, including autocorrelation
  /// Squared error of the plain mean / that of this one: how many times more draws the plain mean needs.
  double gain = 0;
};

/// Collects test functions and gradients of one chain, draw by draw; chains can be merged.
class ZeroVariance {
 public:
  ZeroVariance() = default;  ///< empty: form none
  /// form: linear or quadratic, or none. chains: number of chains to be merged. Throws OptionError if the regression
  /// would be too large.
  ZeroVariance(ZeroVarianceForm form, std::size_t dimension, std::size_t functions, std::size_t chains = 1);
  /// Maximum number of stored numbers, over all chains.
  static double numbers(ZeroVarianceForm form, std::size_t dimension, std::size_t functions, std::size_t chains = 1);

  ZeroVarianceForm form() const { return form_; }
  std::size_t regressors() const { return regressors_; }
  std::size_t functions() const { return functions_; }
  std::uint64_t draws() const { return draws_; }

  /// The next draw: its unconstrained position, an unbiased estimate of the gradient of the log posterior there (with
  /// log-Jacobians), and the test functions, of the constrained parameters or of anything else. Allocates memory only
  /// during the first draws.
  void add(std::span<const double> position, std::span<const double> gradient, std::span<const double> values,
           double weight = 1.0);
  /// Appends another chain. No more draws can be added to this object afterwards.
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
  std::vector<double> centre_;      // Q is a polynomial of position - centre, to reduce rounding errors
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
