// Draws parameters from the prior and data from the model by running a program forwards.
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
  DataVariables data;              ///< drawn values, and the rest as given, to be bound like data from files
};

/// Draws parameters and data of a model repeatedly. Two ways:
///
/// From the model itself: every `x ~ distribution(...)` draws x, a parameter or data of the declared sizes; other data
/// keep their given values. Statements run in the order of their dependencies. A parameter with bounds is drawn from
/// its truncated distribution if that is the model's prior. Throws, with the place, for statements that cannot be drawn
/// from.
///
/// From another program with data, transformed data and generated quantities: its variables with the names of the
/// model's parameters and data are used.
class Simulator {
 public:
  Simulator(const ModelText& model, DataVariables data);  ///< from the model itself
  Simulator(const ModelText& model, const ModelText& simulator, DataVariables data);
  ~Simulator();
  Simulator(Simulator&&) noexcept;

  /// Depends on seed and replication only; thread-safe.
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
