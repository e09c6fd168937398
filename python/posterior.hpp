// A model bound to data, whatever language it was written in: its log density and gradient, and its parameters on both
// scales.
#pragma once

#include "arrays.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/run.hpp>
#include <sgmcmc/stan.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc::python {

Precision precision_called(const std::string& name);  ///< "double" or "float"; throws OptionError

class Posterior {
 public:
  /// interrupt: the flag the model was bound with.
  Posterior(StanPosterior bound, std::shared_ptr<const std::atomic<bool>> interrupt)
      : interrupt_(std::move(interrupt)),
        stan_(std::move(bound)),
        precision_(stan_->precision()),
        density_(stan_->model()) {}
  Posterior(Model model, Precision precision) : precision_(precision), density_(std::move(model)) {}

  const Model& model() const { return density_.model(); }
  const LogPosterior& density() const { return density_; }
  const std::optional<StanPosterior>& stan() const { return stan_; }  ///< if the model was written in that language
  Precision precision() const { return precision_; }
  std::int64_t rows() const;  ///< that minibatches are drawn from; 0: none

  /// The log density at unconstrained coordinates, then its gradient.
  std::vector<double> value_and_gradient(std::span<const double> theta) const;

  nb::list parameters() const;
  std::pair<double, nb::object> log_density(const RealArray& theta) const;
  nb::object constrain(const RealArray& theta) const;
  nb::object unconstrain(const std::map<std::string, std::vector<double>>& values) const;
  /// Throws ShapeError unless there is one number per coordinate of the model.
  std::span<const double> coordinates(const RealArray& theta) const;

  RunResult sample(const RunSettings& settings, const RunHooks& hooks) const;

 private:
  std::shared_ptr<const std::atomic<bool>> interrupt_;  // which the model looks at as long as it lives
  std::optional<StanPosterior> stan_;
  Precision precision_;
  LogPosterior density_;
};

}  // namespace sgmcmc::python
