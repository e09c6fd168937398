// Repeating a run because its steps were too large for the error that tuning predicted.
#include "service/sampling/repeat.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sgmcmc {
namespace {

SampleOptions with_steps(std::vector<double> steps) {
  SampleOptions options;
  options.method("sgld-cv").step_size(StepSize(std::move(steps)));
  return options;
}

std::optional<Verdict> too_large() {
  Verdict verdict;
  verdict.trust = Trust::do_not_trust;
  verdict.smaller_step = true;
  return verdict;
}

TEST(Repetition, OfABrokenPromise_HalvesEveryStep) {
  const auto repetition = repetition_of(with_steps({0.2, 0.4}), SampleResult(), too_large(), 0.1, RunSettings());
  ASSERT_TRUE(repetition.step);
  EXPECT_EQ(repetition.step->values, (std::vector<double>{0.1, 0.2}));
  EXPECT_EQ(
      repetition.text,
      "tuning expected an error of 0.10 posterior sds, and steps were still too large: the run is made once more, "
      "with half the step");
}

TEST(Repetition, OfALongRun_IsLeftToTheUser) {
  SampleResult result;
  result.seconds = 1000;
  const auto repetition = repetition_of(with_steps({0.2}), result, too_large(), 0.1, RunSettings());
  EXPECT_FALSE(repetition.step);
  EXPECT_EQ(repetition.text,
            "tuning expected an error of 0.10 posterior sds, and steps were still too large: run again with step_size "
            "set to half of it");
}

TEST(Repetition, WithoutAPromiseOrWithoutLargeSteps_DoesNotHappen) {
  EXPECT_TRUE(repetition_of(with_steps({0.2}), SampleResult(), too_large(), std::nullopt, RunSettings()).text.empty());
  EXPECT_TRUE(repetition_of(with_steps({0.2}), SampleResult(), too_large(), 0.5, RunSettings()).text.empty());
  EXPECT_TRUE(repetition_of(with_steps({0.2}), SampleResult(), std::nullopt, 0.1, RunSettings()).text.empty());
  auto slow_chains = too_large();
  slow_chains->smaller_step = false;
  EXPECT_TRUE(repetition_of(with_steps({0.2}), SampleResult(), slow_chains, 0.1, RunSettings()).text.empty());
}

}  // namespace
}  // namespace sgmcmc
