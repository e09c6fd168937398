// Method names: their sampler, their estimator, and lists of all methods.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// The sampler that a method name begins with, even if its suffix is unknown; empty if there is none.
std::string sampler_of(std::string_view method);
bool takes_every_row_method(std::string_view method);  ///< nuts, hmc, mala, laplace
/// The suffix of a method after the dash; "minibatch" if there is none.
std::string estimator_of(const std::string& method);

/// Every method of `sample`: samplers, alone or with a dash and an estimator.
std::vector<std::string> sample_methods();
/// How a sampler that takes no estimator uses rows: "uses all rows at every step".
std::string how_rows_are_taken(const std::string& sampler);
std::vector<std::string> optimize_methods();

}  // namespace sgmcmc
