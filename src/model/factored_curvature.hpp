// Second derivatives of models whose rows' gradients are numbers times data: numbers times products of data.
#pragma once

#include "model/factored_rows.hpp"
#include "model/log_posterior.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace sgmcmc {

/// Minus the Hessian of row i's log likelihood is made of blocks value_kl column_k column_l'.
struct FactoredCurvature {
  std::vector<FactoredRows::Part> parts;
  std::shared_ptr<const Program> program;  ///< whose outputs are value_kl by row: (0, 0), (1, 0), (1, 1), (2, 0), ...
};

/// Nothing where gradients or second derivatives are of another kind, or where there are many parts.
std::optional<FactoredCurvature> factor_curvature(const LogPosterior& posterior);

}  // namespace sgmcmc
