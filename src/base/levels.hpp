// Kernels compiled for several instruction levels in one portable build, chosen at run time.
//
// A portable build for x86-64 (SGMCMC_NATIVE=OFF) compiles the files with numeric loops three times: for every
// processor with the rest of the library, and for AVX2 and AVX-512 into separate objects (cmake/levels.cmake). Inline
// functions and templates compiled for AVX-512 must never be linked into code that runs without it: in those objects
// all symbols are made local except those of their namespace, sgmcmc::avx2 or sgmcmc::avx512 (scripts/check_levels.py).
// Numbers pass between levels by pointer. Matrices of Eigen do not: they are aligned as the level's vectors are.
// On arm64 every processor has NEON, so there is only one level.
#pragma once

namespace sgmcmc {

enum class Level { baseline, avx2, avx512 };

/// The highest level of this processor, or the level in the environment variable SGMCMC_LEVEL if supported. Read once:
/// all kernels of a process use one level.
Level processor_level();
const char* level_name(Level level);

}  // namespace sgmcmc

// Defines `result name parameters` as a call of name_here(arguments), defined above it, compiled for the processor's
// level.
#if defined(SGMCMC_LEVEL)  // in the object of a level
#define SGMCMC_DISPATCHED(result, name, parameters, arguments) \
  namespace SGMCMC_LEVEL {                                     \
  result name parameters;                                      \
  result name parameters { return name##_here arguments; }     \
  }
#elif defined(SGMCMC_LEVELS)  // beside such objects
#define SGMCMC_DISPATCHED(result, name, parameters, arguments) \
  namespace avx2 {                                             \
  result name parameters;                                      \
  }                                                            \
  namespace avx512 {                                           \
  result name parameters;                                      \
  }                                                            \
  result name parameters {                                     \
    switch (processor_level()) {                               \
      case Level::avx512: return avx512::name arguments;       \
      case Level::avx2: return avx2::name arguments;           \
      case Level::baseline: break;                             \
    }                                                          \
    return name##_here arguments;                              \
  }
#else
#define SGMCMC_DISPATCHED(result, name, parameters, arguments) \
  result name parameters { return name##_here arguments; }
#endif
