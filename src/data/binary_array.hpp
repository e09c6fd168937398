// Arrays that a file holds as the bytes of their elements: the common part of NPY and IDX.
#pragma once

#include "data/array.hpp"
#include "data/text/byte_source.hpp"
#include "data/variables.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace sgmcmc {

enum class ElementType : std::uint8_t { int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64 };

struct BinaryLayout {
  ElementType type = ElementType::float64;
  bool is_big_endian = false;
  bool first_axis_fastest = false;  ///< Fortran's order
  Shape shape;
};

/// Arrays of so many bytes and more stay in single precision where the file has it, and in the file where they can be
/// read in place; smaller ones are read as doubles, to be packed into rows for speed.
inline constexpr std::uint64_t large_array_bytes = std::uint64_t{64} << 20;

/// Reads the elements, which must be all that is left of the input. Integers that fit in 32 bits stay integers, unless
/// reals are wanted. `path`: the file that the input is, unpacked or not, or empty. Throws DataError.
DataArray read_binary_array(Input& input, const BinaryLayout& layout, WantedKind kind, const std::string& path = {});

/// Integers in the order of rows: their rows can be handed on as they are read.
bool can_stream(const BinaryLayout& layout);
/// An array of this shape and kind, all zero: pages that nobody writes take no memory. Throws DataError where the input
/// has another length.
DataArray outline_of(const Input& input, const BinaryLayout& layout, WantedKind kind);
/// Hands on rows of 32-bit integers, or of doubles if reals are wanted, in fixed memory. Throws DataError.
void stream_binary_rows(Input& input, const BinaryLayout& layout, WantedKind kind,
                        const std::function<void(std::int64_t first, std::int64_t count, const std::byte* rows)>& take);

}  // namespace sgmcmc
