// Fuzz target: any bytes are a Stan program or a StanError, never a crash.
#include "stan/parse.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sgmcmc::stan;
  const Source source("model.stan", std::string(reinterpret_cast<const char*>(data), size));
  try {
    const Program program = parse(source);
  } catch (const StanError&) {  // anything else that is thrown ends the run
  }
  return 0;
}
