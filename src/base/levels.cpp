// Detects the instruction level of the processor, once.
#include "base/levels.hpp"

#include <sgmcmc/error.hpp>

#include <cstdlib>
#include <string>
#include <string_view>

namespace sgmcmc {
namespace {

Level highest_level() {
#if defined(SGMCMC_LEVELS)
  // The instructions that -march=x86-64-v3 and -march=x86-64-v4 may use, as far as processors differ in them.
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl");
  if (has_avx2 && has_avx512) return Level::avx512;
  if (has_avx2) return Level::avx2;
#endif
  return Level::baseline;
}

Level chosen_level() {
  const Level highest = highest_level();
  const char* wanted = std::getenv("SGMCMC_LEVEL");
  if (wanted == nullptr || *wanted == '\0') return highest;
  for (const Level level : {Level::baseline, Level::avx2, Level::avx512}) {
    if (std::string_view(wanted) != level_name(level)) continue;
    if (level <= highest) return level;
    throw OptionError(std::string("SGMCMC_LEVEL is ") + wanted + ", but " +
                      "this build on this processor has kernels up to " + level_name(highest) +
                      ": unset it, or choose a lower level");
  }
  throw OptionError(std::string("SGMCMC_LEVEL is '") + wanted + "': it must be baseline, avx2 or avx512");
}

}  // namespace

Level processor_level() {
  static const Level level = chosen_level();
  return level;
}

const char* level_name(Level level) {
  switch (level) {
    case Level::baseline: return "baseline";
    case Level::avx2: return "avx2";
    case Level::avx512: return "avx512";
  }
  return "baseline";
}

}  // namespace sgmcmc
