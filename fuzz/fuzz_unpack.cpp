// Fuzz target: any bytes after the magic number of a compressed format can be decompressed, or are refused.
#include "data/text/byte_source.hpp"
#include "outcome.hpp"

#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sgmcmc;
  fuzz::outcome_of([&] {
    Input input("packed", std::span(reinterpret_cast<const char*>(data), size));
    std::vector<char> buffer(4096);
    for (int reads = 0; reads < 1000 && input.read(buffer) > 0; ++reads) {
    }
    return std::string();
  });
  return 0;
}
