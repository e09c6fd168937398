// Fuzz target: any bytes are JSON data or an error, the same whatever the size of the buffer.
#include "data/formats/json_reader.hpp"
#include "data/text/unpack.hpp"
#include "outcome.hpp"

#include <optional>

namespace sgmcmc::fuzz {

std::string read(std::span<const char> text, std::size_t buffer_bytes) {
  return outcome_of([&] {
    std::string all;
    Input input("data.json", text);
    // Keys that begin with s are skipped, those that begin with i are integers.
    read_json_object(input,
                     {[](const std::string& key) -> std::optional<WantedKind> {
                        if (key.starts_with('s')) return std::nullopt;
                        return key.starts_with('i') ? WantedKind::integer : WantedKind::either;
                      },
                      [&](const std::string& key, const DataArray& array) { all += key + text_of(array); }},
                     buffer_bytes);
    return all;
  });
}

std::string read_array(std::span<const char> text, std::size_t buffer_bytes) {
  return outcome_of([&] {
    Input input("data.json", text);
    return text_of(read_json_array(input, WantedKind::either, buffer_bytes));
  });
}

}  // namespace sgmcmc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sgmcmc::fuzz;
  if (size == 0) return 0;
  const std::span<const char> text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (sgmcmc::is_packed({text.data(), text.size()}))
    return 0;  // where damage is detected depends on how much is decompressed at a time
  const std::size_t buffer_bytes = data[0];
  expect_same(read(text, buffer_bytes), read(text, 1 << 16));
  expect_same(read_array(text, buffer_bytes), read_array(text, 1 << 16));
  return 0;
}
