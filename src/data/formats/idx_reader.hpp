// IDX files, the format of the MNIST images: a type, sizes, then the elements, all big-endian.
#pragma once

#include "data/array.hpp"
#include "data/text/byte_source.hpp"
#include "data/variables.hpp"

namespace sgmcmc {

/// Throws DataError.
DataArray read_idx(Input& input, WantedKind kind);

}  // namespace sgmcmc
