// Fuzz target: any bytes are LIBSVM rows or an error, the same whatever the size of the buffer; entries are in range.
#include "data/formats/libsvm_reader.hpp"
#include "data/text/unpack.hpp"
#include "outcome.hpp"

namespace sgmcmc::fuzz {

std::string read(std::span<const char> text, std::size_t buffer_bytes) {
  return outcome_of([&] {
    Input input("rows", text);
    const LibsvmData data = read_libsvm(input, WantedKind::either, buffer_bytes);
    for (const std::int32_t column : data.features.sparse().column) {
      if (column < 0 || column >= data.features.sparse().columns) std::abort();
    }
    return text_of(data.features) + text_of(data.labels);
  });
}

}  // namespace sgmcmc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sgmcmc::fuzz;
  if (size == 0) return 0;
  const std::span<const char> text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (sgmcmc::is_packed({text.data(), text.size()}))
    return 0;  // where damage is detected depends on how much is decompressed at a time
  expect_same(read(text, data[0]), read(text, 1 << 16));
  return 0;
}
