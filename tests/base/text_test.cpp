// Suggestions for mistyped names: similar names are found, and unrelated words are not.
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sgmcmc {
namespace {

TEST(EditDistance, KnownPairs_AreCounted) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("sgdl", "sgld"), 1U) << "two neighbours swapped are one slip";
  EXPECT_EQ(edit_distance("abc", "cab"), 2U);
}

TEST(NearestName, Slip_FindsTheName) {
  const std::vector<std::string> names = {"sgld", "sghmc", "sgnht", "step_size", "batch_size"};
  EXPECT_EQ(nearest_name("sgdl", names), "sgld");
  EXPECT_EQ(nearest_name("SGHMC", names), "sghmc");
  EXPECT_EQ(nearest_name("stepsize", names), "step_size");
  EXPECT_EQ(nearest_name("bach_size", names), "batch_size");
}

TEST(NearestName, AnotherWord_FindsNone) {
  const std::vector<std::string> names = {"alpha", "beta", "x"};
  EXPECT_EQ(nearest_name("temperature", names), "");
  EXPECT_EQ(nearest_name("y", names), "") << "one letter for another is no slip";
  EXPECT_EQ(nearest_name("alpha", std::vector<std::string>{}), "");
}

TEST(DidYouMean, Message_NamesTheNearestOrAll) {
  const std::vector<std::string> names = {"alpha", "beta"};
  EXPECT_EQ(did_you_mean("alhpa", names), " Did you mean 'alpha'?");
  EXPECT_EQ(did_you_mean("temperature", names), " There are: 'alpha', 'beta'.");
  EXPECT_EQ(did_you_mean("alpha", std::vector<std::string>{}), "");
}

}  // namespace
}  // namespace sgmcmc
