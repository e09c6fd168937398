// Names of elements in both spellings, their order, and the variables they make up.
#include "draws/variable_names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sgmcmc {
namespace {

using Names = std::vector<std::string>;
using Positions = std::vector<std::size_t>;

TEST(VariableNames, BothSpellings_AreTurnedIntoEachOther) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"mu", "mu"}, {"beta[1]", "beta.1"}, {"Sigma[1,2]", "Sigma.1.2"}, {"z[10,2,300]", "z.10.2.300"}};
  for (const auto& [ours, theirs] : pairs) {
    EXPECT_EQ(to_csv_name(ours), theirs);
    EXPECT_EQ(from_csv_name(theirs), ours);
  }
  EXPECT_EQ(from_csv_name("pair:1"), "pair:1");
  EXPECT_EQ(from_csv_name("pair.3:1.2.4"), "pair[3]:1[2,4]");
}

TEST(VariableNames, OtherBracketsAndDots_BelongToTheName) {
  for (const std::string name : {"f[x]", "f[0]", "f[1", "[1]", "f[]", "f[1,]", "f[-1]", "f[1.5]"}) {
    EXPECT_EQ(parse_element_name(name).variable, name);
    EXPECT_EQ(to_csv_name(name), name);
  }
  for (const std::string name : {"a.b", "version.1x", "a.", "a.1."}) EXPECT_EQ(from_csv_name(name), name);
}

TEST(VariableNames, SamplerNames_EndInTwoUnderscores) {
  EXPECT_TRUE(is_sampler_name("lp__"));
  EXPECT_FALSE(is_sampler_name("lp_"));
  EXPECT_FALSE(is_sampler_name("__"));
  EXPECT_FALSE(is_sampler_name("a__[1]"));
}

TEST(VariableNames, Orders_AreInversesOfEachOther) {
  const Names by_rows = {"m", "S[1,1]", "S[1,2]", "S[1,3]", "S[2,1]", "S[2,2]", "S[2,3]", "v[1]", "v[2]"};
  const Names by_columns = {"m", "S[1,1]", "S[2,1]", "S[1,2]", "S[2,2]", "S[1,3]", "S[2,3]", "v[1]", "v[2]"};
  EXPECT_EQ(first_index_fastest(by_rows), (Positions{0, 1, 4, 2, 5, 3, 6, 7, 8}));
  EXPECT_EQ(first_index_fastest(by_columns), (Positions{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  Names back;
  for (const std::size_t k : last_index_fastest(by_columns)) back.push_back(by_columns[k]);
  EXPECT_EQ(back, by_rows);
}

TEST(VariableNames, IndicesAboveNine_AreOrderedAsNumbers) {
  Names names;
  for (int k = 1; k <= 12; ++k) names.push_back("b[" + std::to_string(k) + "]");
  Positions expected;
  for (std::size_t k = 0; k < 12; ++k) expected.push_back(k);
  EXPECT_EQ(last_index_fastest(names), expected);
}

TEST(Variables, ElementsOfOneVariable_ShareAShape) {
  const auto variables = variables_of(Names{"S[1,1]", "S[2,1]", "m", "S[1,2]", "S[2,2]", "v[3]", "v[1]"});
  ASSERT_EQ(variables.size(), 3u);
  EXPECT_EQ(variables[0].name, "S");
  EXPECT_EQ(variables[0].shape, (Shape{2, 2}));
  EXPECT_EQ(variables[0].positions, (Positions{0, 3, 1, 4}));
  EXPECT_EQ(variables[1].name, "m");
  EXPECT_TRUE(variables[1].shape.is_scalar());
  EXPECT_EQ(variables[1].positions, (Positions{2}));
  EXPECT_EQ(variables[2].shape, (Shape{3}));
  EXPECT_EQ(variables[2].positions, (Positions{6, Variable::absent, 5}));
}

TEST(Variables, NamesThatDoNotFitTogether_StandAlone) {
  const auto variables = variables_of(Names{"a", "a[1]", "b", "c[1]", "c[1]"});
  ASSERT_EQ(variables.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(variables[k].name, (Names{"a", "a[1]", "b", "c[1]", "c[1]"})[k]);
    EXPECT_EQ(variables[k].positions, Positions{k});
  }
}

}  // namespace
}  // namespace sgmcmc
