// What stays the same however often a program is run forwards: data and transformed data, as values.
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

/// Sparse matrices as they are. drawn: data that may be missing, because they will be drawn.
Constants constants_of(const ModelText& text, const DataVariables& data, const std::set<std::string>& drawn = {});
/// Writes out sparse matrices: programs that are run forwards read them number by number. Throws DataError where they
/// are too large for that.
void write_out_sparse(Constants& constants);

std::vector<const Declaration*> declarations_in(const ProgramBlock& block);

/// "beta[1,1]", "beta[1,2]", ...: row by row.
std::vector<std::string> element_names(const std::string& variable, const Dims& dims);

}  // namespace sgmcmc::stan
