// Fuzz target: any bytes are a CSV table or an error, the same whatever the size of the pieces.
#include "data/formats/csv_reader.hpp"
#include "data/text/unpack.hpp"
#include "outcome.hpp"

#include <optional>

namespace sgmcmc::fuzz {

std::string read(std::span<const char> text, const CsvSizes& sizes, bool with_columns) {
  return outcome_of([&] {
    Input input("table.csv", text);
    CsvRequests requests;
    if (with_columns) {
      requests.arrays = {{"first", "1", WantedKind::integer}};
      requests.kind_of_column = [](const std::string& name) -> std::optional<WantedKind> {
        if (name.starts_with('s')) return std::nullopt;
        return name.starts_with('i') ? WantedKind::integer : WantedKind::either;
      };
    } else {
      requests.arrays = {{"all", "", WantedKind::real}, {"first", "1", WantedKind::either}};
    }
    std::string all;
    for (const auto& [name, variable] : read_csv(input, requests, nullptr, sizes).arrays) {
      all += name + variable.source + text_of(variable.array);
    }
    return all;
  });
}

}  // namespace sgmcmc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sgmcmc::fuzz;
  if (size == 0) return 0;
  const std::span<const char> text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (sgmcmc::is_packed({text.data(), text.size()}))
    return 0;  // where damage is detected depends on how much is decompressed at a time
  const sgmcmc::CsvSizes small{data[0] % 64U, 1U + data[0] / 64U}, large{1 << 16, 2};
  for (const bool with_columns : {false, true})
    expect_same(read(text, small, with_columns), read(text, large, with_columns));
  return 0;
}
