// Parameters from the prior and data from the model given these: a program run forwards.
#pragma once

#include "data/variables.hpp"
#include "stan/binding/model_file.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc::stan {

/// One simulation.
struct Simulated {
  std::vector<double> parameters;  ///< in the order of Model::constrained_names()
  DataVariables data;              ///< what was drawn, and the rest as given: to be bound as if read from files
};

/// Draws the parameters and the data of a model, again and again. Two ways:
///
/// From the model itself: every `x ~ law(...)` draws x, a parameter or data of the declared sizes; what is not drawn is
/// kept as given. Statements are run in the order in which they depend on each other. A parameter with bounds is drawn
/// from its law cut off at them where that is the model's prior. What cannot be drawn is refused, with the place.
///
/// From another program that has data, transformed data and generated quantities: those of them that are named as
/// parameters or data of the model are its.
class Simulator {
 public:
  Simulator(const ModelText& model, DataVariables data);  ///< from the model itself
  Simulator(const ModelText& model, const ModelText& simulator, DataVariables data);
  ~Simulator();
  Simulator(Simulator&&) noexcept;

  /// Depends on seed and replication alone; from any thread.
  Simulated draw(std::uint64_t seed, std::uint64_t replication) const;
  /// Names of the data it draws; empty: only parameters.
  const std::vector<std::string>& drawn_data() const;

 private:
  struct Parts;
  struct Forwards;
  struct Generated;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sgmcmc::stan
