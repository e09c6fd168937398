// Fuzz target: any bytes are a Stan program, checked types included, or a StanError, never a crash.
#include "stan/check/check.hpp"
#include "stan/syntax/parse.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sgmcmc::stan;
  const Source source("model.stan", std::string(reinterpret_cast<const char*>(data), size));
  try {
    Program program = parse(source);
    for (const Warning& warning : check(program, source)) render(source, warning);
  } catch (const StanError&) {  // any other exception ends the run
  }
  return 0;
}
