// Whether a log density is concave, as far as its graph shows at once.
#pragma once

#include <sgmcmc/model.hpp>

namespace sgmcmc {

/// True where prior and likelihood are sums of concave functions of linear combinations of the parameters, all of them
/// unconstrained, such as logistic, Poisson and softmax regressions with normal priors: there is one mode then. False
/// where that does not follow from a few rules, concave or not.
bool is_concave(const Model& model);

}  // namespace sgmcmc
