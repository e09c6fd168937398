// Instruction levels: that of the processor, and those set by the environment variable.
#include "base/levels.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

TEST(Levels, WithoutARequest_AreThoseOfTheProcessor) {
#if defined(SGMCMC_LEVELS)
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  EXPECT_EQ(processor_level() != Level::baseline, has_avx2);
#else
  EXPECT_EQ(processor_level(), Level::baseline);  // a build for one kind of processor has no other
#endif
}

// In separate processes, because the level is read only once.
TEST(LevelsDeathTest, UnknownName_IsRefused) {
  const auto ask = [](const char* name) {
    ::setenv("SGMCMC_LEVEL", name, 1);
    try {
      processor_level();
    } catch (const OptionError& error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::exit(2);
    }
    std::exit(0);
  };
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(ask("sse9"), ::testing::ExitedWithCode(2), "SGMCMC_LEVEL is 'sse9': it must be baseline, avx2 or avx512");
  EXPECT_EXIT(ask("baseline"), ::testing::ExitedWithCode(0), "");
#if !defined(SGMCMC_LEVELS)
  EXPECT_EXIT(ask("avx512"), ::testing::ExitedWithCode(2), "has kernels up to baseline");
#endif
}

}  // namespace
}  // namespace sgmcmc
