// Arrays that a file holds as the bytes of their elements: the common part of NPY and IDX.
#pragma once

#include "data/array.hpp"
#include "data/text/byte_source.hpp"
#include "data/variables.hpp"

#include <cstdint>

namespace sgmcmc {

enum class ElementType : std::uint8_t { int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64 };

struct BinaryLayout {
  ElementType type = ElementType::float64;
  bool is_big_endian = false;
  bool first_axis_fastest = false;  ///< Fortran's order
  Shape shape;
};

/// Reads the elements, which must be all that is left of the input. Integers that fit in 32 bits stay integers, unless
/// reals are wanted. Throws DataError.
DataArray read_binary_array(Input& input, const BinaryLayout& layout, WantedKind kind);

}  // namespace sgmcmc
