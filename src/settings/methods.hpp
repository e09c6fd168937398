// The names of methods: what they begin with, what follows the dash, and all there are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// The sampler that a method begins with, whether or not what follows is known; empty: none.
std::string sampler_of(std::string_view method);
bool takes_every_row_method(std::string_view method);  ///< nuts, hmc, mala, laplace
/// What follows the dash of a method; "minibatch" where there is none.
std::string estimator_of(const std::string& method);

/// Every method of `sample`: samplers, alone or with a dash and an estimator.
std::vector<std::string> sample_methods();
/// How a sampler without minibatches of rows uses them: "takes every row".
std::string how_rows_are_taken(const std::string& sampler);
std::vector<std::string> optimize_methods();

}  // namespace sgmcmc
