// Means over the rows of a data set.
#pragma once

#include <sgmcmc/model.hpp>

#include <memory>
#include <span>

namespace sgmcmc {

/// The mean of a per-row expression of the model over the rows of `data`, such as log loss or accuracy on held-out
/// rows. Looks up the columns of the expression by name in `data`.
class RowAverage {
 public:
  RowAverage(const Model& model, const Expression& per_row, const Dataset& data);
  ~RowAverage();
  double at(std::span<const double> position);  ///< unconstrained

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sgmcmc
