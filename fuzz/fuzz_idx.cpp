// Fuzz target: any bytes are an IDX array or an error.
#include "data/formats/idx_reader.hpp"
#include "outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sgmcmc;
  const std::span<const char> content(reinterpret_cast<const char*>(data), size);
  for (const WantedKind kind : {WantedKind::either, WantedKind::real}) {
    fuzz::outcome_of([&] {
      Input input("array.idx", content);
      return fuzz::text_of(read_idx(input, kind));
    });
  }
  return 0;
}
