// More draws than the parts have: refused by rules that would repeat them.
#include "combine/normal_parts.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace sgmcmc {
namespace {

using namespace combine_test;

TEST(DrawsAsked, MoreThanThePartsHave_AreRefusedOrMadeAnew) {
  auto given = draws_of(normal_laws(3, 2), 2, 300);
  given[1].chains[1].resize(2 * 200);
  for (const auto& rule : combine_rules()) {
    CombineOptions options;
    options.method = rule.method;
    options.draws = 200;
    EXPECT_EQ(combine_draws(2, given, options).chains[0].size(), 400U) << rule.name;
    options.draws = 201;
    const bool repeats = rule.method == CombineMethod::consensus || rule.method == CombineMethod::swiss ||
                         rule.method == CombineMethod::barycentre;
    if (!repeats) {
      EXPECT_EQ(combine_draws(2, given, options).chains[0].size(), 402U) << rule.name;
      continue;
    }
    try {
      combine_draws(2, given, options);
      ADD_FAILURE() << rule.name;
    } catch (const OptionError& error) {
      EXPECT_NE(std::string(error.what()).find("at most 200 draws of each chain"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace sgmcmc
