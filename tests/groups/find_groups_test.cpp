// Detection of parameters that belong to groups, from the graph.
#include "groups/group_models.hpp"

#include "groups/group_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace sgmcmc::testing {
namespace {

using Names = std::vector<std::string>;

std::string reasons_of(const Model& model) {
  const auto finding = find_groups(model);
  EXPECT_FALSE(finding.model);
  std::string all;
  for (const auto& reason : finding.reasons) all += reason + "\n";
  return all;
}

TEST(FindGroups, CentredAndNonCentred_AreFound) {
  const GroupData data(5, 30, 1);
  for (const bool centred : {true, false}) {
    const auto finding = find_groups(gaussian_intercepts(data, 5, centred));
    ASSERT_TRUE(finding.model);
    EXPECT_EQ(finding.model->groups, 5);
    EXPECT_EQ(finding.model->width, 1u);
    EXPECT_EQ(finding.model->column, "g");
    EXPECT_EQ(finding.model->local_parameters, Names{centred ? "theta" : "z"});
    EXPECT_EQ(finding.model->global, (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(finding.model->local, (std::vector<std::int64_t>{2, 3, 4, 5, 6}));
  }
}

TEST(FindGroups, SeveralArraysOverTheSameGroups_AreLocalTogether) {
  const auto finding = find_groups(logistic_effects(GroupData(4, 40, 2), 4, true));
  ASSERT_TRUE(finding.model);
  EXPECT_EQ(finding.model->width, 2u);
  EXPECT_EQ(finding.model->local_parameters, (Names{"theta", "z"}));
  EXPECT_EQ(finding.model->local, (std::vector<std::int64_t>{4, 8, 5, 9, 6, 10, 7, 11}));
}

TEST(FindGroups, MatrixTimesMatrixWithAColumnPerGroup_IsFound) {
  // As brms writes correlated effects: r = (L z)', one column of z for each group.
  const GroupData data(6, 40, 3);
  Model model(data.dataset());
  const auto l = model.parameter("l", {2, 2});
  const auto z = model.parameter("z", {2, 6}, {}, MatrixOrder::by_column);
  const auto r = transpose(matmul(l, z));
  model.prior(normal_lpdf(l, 0.0, 1.0));
  model.prior(std_normal_lpdf(z));
  const auto g = model.row("g");
  model.likelihood(
      normal_lpdf(model.row("y"), gather(column(r, 0), g, 1) + gather(column(r, 1), g, 1) * model.row("x"), 1.0));
  const auto finding = find_groups(model);
  ASSERT_TRUE(finding.model);
  EXPECT_EQ(finding.model->width, 2u);
  EXPECT_EQ(finding.model->global.size(), 4u);
}

TEST(FindGroups, LoopOverGroups_IsMergedIntoOneTerm) {
  const GroupData data(5, 30, 4);
  Model model(data.dataset());
  const auto mu = model.parameter("mu");
  const auto theta = model.parameter("theta", {5});
  model.prior(normal_lpdf(mu, 0.0, 1.0));
  for (std::int64_t j = 0; j < 5; ++j) model.prior(normal_lpdf(theta[j], mu, 0.5 + static_cast<double>(j)));
  model.likelihood(normal_lpdf(model.row("y"), gather(theta, model.row("g"), 1), 1.0));
  const auto finding = find_groups(model);
  ASSERT_TRUE(finding.model);
  EXPECT_EQ(finding.model->width, 1u);
  EXPECT_FALSE(finding.model->group_columns.empty());  // the scales that differ
}

TEST(FindGroups, GroupsOfGroups_ReadGlobalParametersByGroup) {
  const GroupData data(6, 40, 5);
  Model model(data.dataset());
  const auto school = model.parameter("school", {2});
  const auto classes = model.parameter("classes", {6});
  model.prior(normal_lpdf(school, 0.0, 1.0));
  model.prior(normal_lpdf(classes, take(school, {0, 0, 1, 1, 1, 0}, {6}), 0.5));
  model.likelihood(normal_lpdf(model.row("y"), gather(classes, model.row("g"), 1), 1.0));
  const auto finding = find_groups(model);
  ASSERT_TRUE(finding.model);
  EXPECT_EQ(finding.model->local_parameters, Names{"classes"});
  EXPECT_EQ(finding.model->global, (std::vector<std::int64_t>{0, 1}));
}

TEST(FindGroups, TiesBetweenGroups_AreRefusedWithTheReason) {
  const GroupData data(5, 30, 6);
  Model model(data.dataset());
  const auto theta = model.parameter("theta", {5});
  model.prior(normal_lpdf(slice(theta, 1, 4), slice(theta, 0, 4), 1.0));  // a random walk
  model.likelihood(normal_lpdf(model.row("y"), gather(theta, model.row("g"), 1), 1.0));
  EXPECT_NE(reasons_of(model).find("ties elements of 'theta'"), std::string::npos);
}

TEST(FindGroups, AParameterUsedInTwoWays_IsRefusedWithTheReason) {
  const GroupData data(5, 30, 7);
  Model model(data.dataset());
  const auto mu = model.parameter("mu");
  const auto theta = model.parameter("theta", {5});
  model.prior(normal_lpdf(theta, mu, 1.0));
  model.likelihood(normal_lpdf(model.row("y"), gather(theta, model.row("g"), 1) + theta[0], 1.0));
  EXPECT_NE(reasons_of(model).find("'theta' is also used"), std::string::npos);
}

TEST(FindGroups, ARegressionWithoutGroups_HasNone) {
  const GroupData data(5, 30, 8);
  Model model(data.dataset());
  const auto b = model.parameter("b");
  model.likelihood(normal_lpdf(model.row("y"), b * model.row("x"), 1.0));
  EXPECT_TRUE(reasons_of(model).empty());
}

}  // namespace
}  // namespace sgmcmc::testing
