// Numbers of 64 bits, and their checksum.
#include "data/row_files/pack_state.hpp"

#include "base/atomic_file.hpp"
#include "data/row_files/format.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

namespace sgmcmc {

namespace {

constexpr std::size_t plain_numbers = 4;  // before the ranges

}  // namespace

void PackState::save(const std::string& path) const {
  std::vector<std::uint64_t> numbers = {identity, source, rows, blocks};
  for (const IntegerRange& range : ranges)
    for (const std::int64_t number : {range.least, range.most}) numbers.push_back(static_cast<std::uint64_t>(number));
  numbers.push_back(row_checksum(std::as_bytes(std::span(numbers))));
  replace_file(path, std::string_view(reinterpret_cast<const char*>(numbers.data()), 8 * numbers.size()));
}

std::optional<PackState> saved_pack_state(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (bytes.size() % 8 != 0 || bytes.size() / 8 < plain_numbers + 1) return std::nullopt;
  std::vector<std::uint64_t> numbers(bytes.size() / 8);
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  const std::uint64_t checksum = numbers.back();
  numbers.pop_back();
  if (numbers.size() % 2 != 0 || checksum != row_checksum(std::as_bytes(std::span(numbers)))) return std::nullopt;
  PackState state{numbers[0], numbers[1], numbers[2], numbers[3], {}};
  for (std::size_t k = plain_numbers; k < numbers.size(); k += 2)
    state.ranges.push_back({static_cast<std::int64_t>(numbers[k]), static_cast<std::int64_t>(numbers[k + 1])});
  return state;
}

}  // namespace sgmcmc
