// Five numbers and their checksum.
#include "data/row_files/pack_state.hpp"

#include "base/atomic_file.hpp"
#include "data/row_files/format.hpp"

#include <array>
#include <cstring>
#include <fstream>
#include <span>

namespace sgmcmc {

namespace {

using Numbers = std::array<std::uint64_t, 5>;

}  // namespace

void PackState::save(const std::string& path) const {
  Numbers numbers = {identity, source, rows, blocks, 0};
  numbers[4] = row_checksum(std::as_bytes(std::span(numbers).first(4)));
  replace_file(path, std::string_view(reinterpret_cast<const char*>(numbers.data()), sizeof numbers));
}

std::optional<PackState> saved_pack_state(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Numbers numbers{};
  if (!file.read(reinterpret_cast<char*>(numbers.data()), sizeof numbers)) return std::nullopt;
  if (numbers[4] != row_checksum(std::as_bytes(std::span(numbers).first(4)))) return std::nullopt;
  return PackState{numbers[0], numbers[1], numbers[2], numbers[3]};
}

}  // namespace sgmcmc
