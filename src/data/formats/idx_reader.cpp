// The header: two zero bytes, the type, the number of axes, then one 32-bit size per axis.
#include "data/formats/idx_reader.hpp"

#include "data/binary_array.hpp"

#include <sgmcmc/error.hpp>

#include <string>
#include <string_view>

namespace sgmcmc {

DataArray read_idx(Input& input, WantedKind kind) {
  const auto refuse = [&](const std::string& what) { throw DataError(input.name() + ": " + what); };
  std::string_view head = input.peek(4);
  if (head.size() < 4) refuse("the file ends inside its IDX header. Write it again");
  const auto axes = static_cast<std::size_t>(static_cast<unsigned char>(head[3]));
  const auto type = static_cast<unsigned char>(head[2]);
  BinaryLayout layout;
  layout.is_big_endian = true;
  switch (type) {
    case 0x08: layout.type = ElementType::uint8; break;
    case 0x09: layout.type = ElementType::int8; break;
    case 0x0B: layout.type = ElementType::int16; break;
    case 0x0C: layout.type = ElementType::int32; break;
    case 0x0D: layout.type = ElementType::float32; break;
    case 0x0E: layout.type = ElementType::float64; break;
    default: refuse("IDX has no element type " + std::to_string(type) + "; its types are 8, 9, 11, 12, 13 and 14");
  }
  const std::size_t header_bytes = 4 + 4 * axes;
  head = input.peek(header_bytes);
  if (head.size() < header_bytes) refuse("the file ends inside its IDX header. Write it again");
  std::vector<std::int64_t> dims;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::int64_t dim = 0;
    for (const char c : head.substr(4 + 4 * axis, 4)) dim = dim * 256 + static_cast<unsigned char>(c);
    dims.push_back(dim);
  }
  layout.shape = Shape(std::move(dims));
  input.skip(header_bytes);
  return read_binary_array(input, layout, kind);
}

}  // namespace sgmcmc
