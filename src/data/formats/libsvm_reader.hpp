// LIBSVM's sparse text format: one row per line, a label and then index:value pairs.
#pragma once

#include "data/array.hpp"
#include "data/text/byte_source.hpp"
#include "data/variables.hpp"

namespace sgmcmc {

struct LibsvmData {
  DataArray features;  ///< sparse, rows x highest index
  DataArray labels;
};

/// Bytes read at a time; small in tests.
inline constexpr std::size_t libsvm_buffer_bytes = std::size_t{256} << 10;

/// Indices count from 1, or from 0 when the file has an index 0. Throws DataError.
LibsvmData read_libsvm(Input& input, WantedKind label_kind, std::size_t buffer_bytes = libsvm_buffer_bytes);

}  // namespace sgmcmc
