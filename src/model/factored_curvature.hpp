// Factored second derivatives: if each row's gradient is scalars times data, its Hessian is scalars times outer
// products of data.
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
  std::shared_ptr<const Program> program;  ///< outputs value_kl for each row: (0, 0), (1, 0), (1, 1), (2, 0), ...
};

/// Empty if the gradients or second derivatives do not factor this way, or if there are too many parts.
std::optional<FactoredCurvature> factor_curvature(const LogPosterior& posterior);

}  // namespace sgmcmc
