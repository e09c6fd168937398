// Fuzz target: any bytes are an NPY array or an error.
#include "data/formats/npy_reader.hpp"
#include "outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sgmcmc;
  const std::span<const char> content(reinterpret_cast<const char*>(data), size);
  for (const WantedKind kind : {WantedKind::either, WantedKind::real}) {
    fuzz::outcome_of([&] {
      Input input("array.npy", content);
      return fuzz::text_of(read_npy(input, kind));
    });
  }
  return 0;
}
