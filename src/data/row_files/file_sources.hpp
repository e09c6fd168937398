// The rows of data files, as sources of a row file: CSV and NPY files as they are read, other files as arrays.
#pragma once

#include "data/data_stream.hpp"
#include "data/row_files/row_source.hpp"
#include "data/row_files/writer.hpp"
#include "data/variables.hpp"

#include <set>
#include <string>
#include <vector>

namespace sgmcmc {

/// row_names: variables whose first axis counts the rows; all others are constants. The arguments must live as long as
/// the result. Throws DataError.
PackInput input_from_files(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
                           const DataOutline& outline, const std::set<std::string>& row_names,
                           const PackOptions& options);

/// Packs the rows of data files.
PackedRows pack_rows(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
                     const DataOutline& outline, const std::set<std::string>& row_names, const PackOptions& options);

}  // namespace sgmcmc
