// NumPy's NPY files: one array with a header.
#pragma once

#include "data/array.hpp"
#include "data/binary_array.hpp"
#include "data/text/byte_source.hpp"
#include "data/variables.hpp"

#include <string>

namespace sgmcmc {

/// Versions 1 to 3; integers, floats and booleans of either byte order; C and Fortran order. The elements follow.
/// Throws DataError.
BinaryLayout read_npy_header(Input& input);
/// The whole file. `path`: the file, where large arrays may stay in it. Throws DataError.
DataArray read_npy(Input& input, WantedKind kind, const std::string& path = {});

}  // namespace sgmcmc
