// Variables of a model: the data it declares, which of them are outcomes, and the names of elements.
#pragma once

#include "data/variables.hpp"
#include "stan/syntax/tree.hpp"

#include <sgmcmc/stan.hpp>

#include <string>
#include <vector>

namespace sgmcmc::stan {

/// Adds the variables of the data block that are not yet in the list, with their declared types.
void add_wanted(const Program& program, std::vector<WantedVariable>& wanted);

/// Copies of the data on the left side of sampling statements in the model block, except those with more than a million
/// values.
std::vector<StanValues> outcomes_in(const Program& program, const DataVariables& data);

/// "beta[1]", "Sigma[1,2]", ...: one name per element, row-major, counted from 1.
std::vector<std::string> element_names(const std::string& name, const Shape& shape);

}  // namespace sgmcmc::stan
