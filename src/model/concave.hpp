// Checks from the expression graph whether a log density is concave.
#pragma once

#include <sgmcmc/model.hpp>

namespace sgmcmc {

/// True if a few composition rules prove that the log posterior is concave on the unconstrained scale, so that it has
/// at most one mode: logistic, Poisson and softmax regressions with normal priors, for example. False means "not
/// proved": the log posterior may still be concave.
bool is_concave(const Model& model);

}  // namespace sgmcmc
