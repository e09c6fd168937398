// Replicated data, drawn from a model given draws of its parameters, for posterior predictive checks.
#pragma once

#include "data/variables.hpp"
#include "stan/binding/model_file.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc::stan {

/// One variable on the left of `~` that is data.
struct ObservedOutcome {
  std::string name;
  bool integer = false;
  std::size_t elements = 0;      ///< of the variable, with all rows
  std::vector<double> observed;  ///< those that are replicated
};

/// The values of these elements of parameters in some draw.
using DrawOf = std::function<std::vector<double>(const std::vector<std::string>& names)>;

class Replicator {
 public:
  /// first: a draw to try the model on. rows: the size that counts independent rows, or empty. If there are more than
  /// `most_rows`, replicates that many, chosen at random, if the model allows it. Throws StanError at a statement that
  /// cannot be drawn from, and DataError if more than `most_elements` would be needed.
  Replicator(const ModelText& model, const DataVariables& data, const DrawOf& first, const std::string& rows = "",
             std::size_t most_rows = 3000, std::size_t most_elements = 100'000);
  ~Replicator();
  Replicator(Replicator&&) noexcept;

  /// Elements of all parameters, by name.
  const std::vector<std::string>& parameters() const;
  const std::vector<ObservedOutcome>& outcomes() const;

  /// For each outcome, as many numbers as are observed. parameters: a draw, in the order of parameters(). Thread-safe;
  /// depends on seed and replication only.
  std::vector<std::vector<double>> draw(const std::vector<double>& parameters, std::uint64_t seed,
                                        std::uint64_t replication) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sgmcmc::stan
