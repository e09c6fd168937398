// Values that all forward runs of a program share: data and transformed data.
#pragma once

#include "data/variables.hpp"
#include "stan/binding/model_file.hpp"
#include "stan/lowering/value.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc::stan {

/// Data and transformed data by name.
using Constants = std::vector<std::pair<std::string, Value>>;

/// Leaves matrices sparse. drawn: data that may be missing, because they will be drawn.
Constants constants_of(const ModelText& text, const DataVariables& data, const std::set<std::string>& drawn = {});
/// Converts sparse matrices to dense form, because programs that run forwards read single elements. Throws DataError if
/// they are too large for that.
void write_out_sparse(Constants& constants);

std::vector<const Declaration*> declarations_in(const ProgramBlock& block);

/// "beta[1,1]", "beta[1,2]", ...: row by row.
std::vector<std::string> element_names(const std::string& variable, const Dims& dims);

}  // namespace sgmcmc::stan
