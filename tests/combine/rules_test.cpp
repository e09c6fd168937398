// Every rule on normal subposteriors, whose combination is known in closed form.
//
// misfit() is the largest of d (d + 3) / 2 + d deviations in standard errors. Rules whose draws are independent and
// whose moments are estimated from as many draws are off by up to sqrt(2) standard errors more: with limit 6, that
// is 4.2 of them, a false alarm has a probability below 1e-3 for 14 deviations. Seeds are fixed.
#include "combine/normal_parts.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

namespace sgmcmc {
namespace {

using namespace combine_test;

constexpr double limit = 6;
constexpr std::size_t parts = 5, dimension = 3, draws = 8000;

CombinedDraws combined(CombineMethod method, const std::vector<PartDraws>& given, std::size_t d, double bandwidth = 0) {
  CombineOptions options;
  options.method = method;
  options.bandwidth = bandwidth;
  return combine_draws(d, given, options);
}

class ExactForNormalParts : public ::testing::TestWithParam<CombineMethod> {};

TEST_P(ExactForNormalParts, MomentsAreThoseOfTheProduct) {
  const auto laws = normal_laws(parts, dimension);
  const bool indices = GetParam() == CombineMethod::semiparametric;
  const auto made = combined(GetParam(), draws_of(laws, 2, draws), dimension, indices ? 0.5 : 0.0);
  ASSERT_EQ(made.chains.size(), 2U);
  ASSERT_EQ(made.chains[0].size(), draws * dimension);
  const auto all = pooled(made, dimension, indices ? 8 : 1);  // draws of the index sampler are autocorrelated
  EXPECT_LT(misfit(all, product(laws)), limit) << combine_method_name(GetParam());
  // Planted errors: two parts fewer, and covariances twice as large.
  EXPECT_GT(misfit(all, product({laws.begin() + 2, laws.end()})), limit);
  NormalLaw wider = product(laws);
  wider.covariance *= 2;
  EXPECT_GT(misfit(all, wider), limit);
}

INSTANTIATE_TEST_SUITE_P(Rules, ExactForNormalParts,
                         ::testing::Values(CombineMethod::consensus, CombineMethod::parametric,
                                           CombineMethod::semiparametric, CombineMethod::swiss),
                         [](const auto& each) { return std::string(combine_method_name(each.param)); });

TEST(Consensus, AverageWithoutWeights_IsRejected) {
  const auto laws = normal_laws(parts, dimension);
  const auto given = draws_of(laws, 1, draws);
  Eigen::MatrixXd average = Eigen::MatrixXd::Zero(dimension, draws);
  for (const auto& part : given)
    average += Eigen::Map<const Eigen::MatrixXd>(part.chains[0].data(), dimension, draws) / parts;
  EXPECT_GT(misfit(average, product(laws)), limit);
}

TEST(Consensus, PartsThatShareTheirNoise_AreRejected) {
  // The same random numbers in all parts: averages are as wide as single draws.
  const NormalLaw law{Eigen::VectorXd::Zero(1), Eigen::MatrixXd::Identity(1, 1)};
  const std::vector<NormalLaw> laws(4, law);
  const auto alike = draws_of(law, 1, draws, 7);
  const auto same = combined(CombineMethod::consensus, {alike, alike, alike, alike}, 1);
  EXPECT_GT(misfit(pooled(same, 1), product(laws)), limit);
  const auto own = combined(CombineMethod::consensus, draws_of(laws, 1, draws), 1);
  EXPECT_LT(misfit(pooled(own, 1), product(laws)), limit);
}

TEST(Nonparametric, FixedBandwidth_IsTheProductOfWidenedLaws) {
  auto laws = normal_laws(3, 2);
  for (std::size_t s = 0; s < 3; ++s)
    laws[s].covariance *= std::pow(5.0, s);  // if alike, the mean does not depend on h
  constexpr double h = 0.8;
  const auto made = combined(CombineMethod::nonparametric, draws_of(laws, 2, 30000), 2, h);
  const auto all = pooled(made, 2, 4);
  EXPECT_LT(misfit(all, product(laws, h * h, average_covariance(laws))), limit);
  EXPECT_GT(misfit(all, product(laws)), limit);  // planted error: kernels of width 0
  EXPECT_GT(misfit(all, product(laws, 3 * h * h, average_covariance(laws))), limit);
}

TEST(Nonparametric, Error_GrowsWithTheDimension) {
  const auto error = [](CombineMethod method, std::size_t d) {
    const auto laws = normal_laws(5, d, 3);
    const auto all = pooled(combined(method, draws_of(laws, 2, 1000), d), d);
    const NormalLaw target = product(laws);
    const Eigen::MatrixXd white = target.covariance.llt().matrixL().solve(all.colwise() - target.mean);
    return (white.rowwise().squaredNorm() / static_cast<double>(white.cols())).array().log().abs().sum();
  };
  const double at_1 = error(CombineMethod::nonparametric, 1), at_5 = error(CombineMethod::nonparametric, 5),
               at_15 = error(CombineMethod::nonparametric, 15);
  EXPECT_LT(at_1, at_5);
  EXPECT_LT(2 * at_5, at_15);
  EXPECT_LT(error(CombineMethod::consensus, 15), 0.15 * at_15);
}

TEST(Weierstrass, AnyBandwidth_IsTheProductOfNormalLaws) {
  const auto laws = normal_laws(5, 2);
  for (const double h : {0.5, 2.0}) {
    const auto all = pooled(combined(CombineMethod::weierstrass, draws_of(laws, 2, draws), 2, h), 2);
    EXPECT_LT(misfit(all, product(laws)), 1.5 * limit) << h;  // moments are estimated at each of three levels
    EXPECT_GT(misfit(all, product({laws.begin() + 1, laws.end()})), 1.5 * limit);
    EXPECT_GT(misfit(all, product(laws, h * h, average_covariance(laws))), 1.5 * limit);  // planted error: kernels add
                                                                                          // noise
  }
}

TEST(Weierstrass, AcceptanceOfNormalPairs_IsKnown) {
  // In coordinates in which the covariances have the average I, u - v ~ N(a, 2 I), and exp(-|u - v|^2 / (4 h^2)) has
  // the expectation (1 + 1 / h^2)^(-d / 2) exp(-|a|^2 / (4 (1 + h^2))).
  const auto laws = normal_laws(2, 3);
  const Eigen::VectorXd apart =
      average_covariance(laws).llt().matrixL().solve(Eigen::VectorXd(laws[0].mean - laws[1].mean));
  const auto expected = [&](double h2) {
    return std::pow(1 + 1 / h2, -1.5) * std::exp(-apart.squaredNorm() / (4 * (1 + h2)));
  };
  for (const double h : {0.5, 1.0, 2.0}) {
    const double found = combined(CombineMethod::weierstrass, draws_of(laws, 2, draws), 3, h).acceptance;
    EXPECT_NEAR(found / expected(h * h), 1.0, 0.05) << h;
    EXPECT_GT(std::abs(found / expected(2 * h * h) - 1.0), 0.05);  // planted error: exponents half as large
  }
}

TEST(Kernels, ManyPartsAndFewDraws_StillGiveTheProduct) {
  const auto laws = normal_laws(20, 2, 1, true);
  const auto given = draws_of(laws, 2, 500);
  const NormalLaw target = product(laws);
  const auto errors = [&](CombineMethod method, double bandwidth) {  // of the mean in sds, and of log variances
    const auto all = pooled(combined(method, given, 2, bandwidth), 2);
    const NormalLaw found = moments_of(target.covariance.llt().matrixL().solve(all.colwise() - target.mean));
    return Eigen::Vector2d(found.mean.norm(), found.covariance.diagonal().array().log().abs().maxCoeff());
  };
  for (const CombineMethod method : {CombineMethod::weierstrass, CombineMethod::semiparametric}) {
    EXPECT_LT(errors(method, 0)[0], 0.3) << combine_method_name(method);
    EXPECT_LT(errors(method, 0)[1], 0.3) << combine_method_name(method);
    EXPECT_GT(errors(method, 0.15)[0], 0.3) << combine_method_name(method);  // planted error: kernels follow single
                                                                             // draws
  }
}

/// Two uniform densities that overlap by half, whose product is uniform where they do.
std::vector<PartDraws> uniform_parts(std::size_t count) {
  std::vector<PartDraws> given(2);
  for (std::uint64_t s = 0; s < 2; ++s) {
    auto& chain = given[s].chains.emplace_back(count);
    fill_uniform({.seed = 50 + s, .purpose = Purpose::data}, chain);
    for (double& x : chain) x += 0.5 * static_cast<double>(s);
  }
  return given;
}

TEST(Kernels, SmallBandwidth_IsTheProductOfUniformDensities) {
  const auto given = uniform_parts(20000);
  const double sd = 0.5 / std::sqrt(12.0);
  const auto sd_of = [&](CombineMethod method, double h, std::size_t count = 0) {
    CombineOptions options;
    options.method = method;
    options.bandwidth = h;
    options.draws = count;
    return std::sqrt(moments_of(pooled(combine_draws(1, given, options), 1)).covariance(0, 0));
  };
  EXPECT_NEAR(sd_of(CombineMethod::weierstrass, 0.05) / sd, 1.0, 0.06);
  for (const CombineMethod method : {CombineMethod::nonparametric, CombineMethod::semiparametric})  // move slowly
    EXPECT_NEAR(sd_of(method, 0.2, 20000) / sd, 1.0, 0.15) << combine_method_name(method);
  EXPECT_GT(sd_of(CombineMethod::weierstrass, 10) / sd, 1.3);  // planted error: no pair is rejected
  EXPECT_GT(sd_of(CombineMethod::consensus, 0) / sd, 1.3);     // exact for normal densities only
}

TEST(Weierstrass, PartsFarApart_AreRefused) {
  const NormalLaw here{Eigen::VectorXd::Zero(1), Eigen::MatrixXd::Identity(1, 1)};
  const NormalLaw there{Eigen::VectorXd::Constant(1, 1e4), Eigen::MatrixXd::Identity(1, 1)};
  EXPECT_THROW(combined(CombineMethod::weierstrass, draws_of({here, there}, 1, 100), 1, 0.1), DataError);
}

TEST(Barycentre, CommutingCovariances_HaveAveragesOfStandardDeviations) {
  // V_s = Sigma_s / S of diagonal Sigma_s: the sd of the barycentre is the mean of the sds.
  std::vector<NormalLaw> laws;
  for (int s = 1; s <= 3; ++s)
    laws.push_back({Eigen::Vector2d(s, -s), Eigen::Vector2d(s * s, 1.0 / s).asDiagonal().toDenseMatrix()});
  const auto made = combined(CombineMethod::barycentre, draws_of(laws, 2, draws), 2);
  const double first = 2.0 / std::sqrt(3.0), second = (1 + std::sqrt(0.5) + std::sqrt(1.0 / 3)) / 3 / std::sqrt(3.0);
  const NormalLaw law{Eigen::Vector2d(2, -2), Eigen::Vector2d(first * first, second * second).asDiagonal()};
  const auto all = pooled(made, 2);
  EXPECT_LT(misfit(all, law), 2 * limit);  // the means are those of parts that are S times as wide
  NormalLaw averaged = law;                // planted error: the average of the covariances
  averaged.covariance = average_covariance(laws) / 3;
  EXPECT_GT(misfit(all, averaged), 2 * limit);
}

TEST(Transport, MapsOneCovarianceToTheOther) {
  const auto laws = normal_laws(2, 4);
  const Eigen::MatrixXd map = transport(laws[0].covariance, laws[1].covariance);
  EXPECT_LT((map * laws[0].covariance * map - laws[1].covariance).norm(), 1e-10 * laws[1].covariance.norm());
  EXPECT_LT((map - map.transpose()).norm(), 1e-10 * map.norm());
}

TEST(Combine, OnePart_StaysWhatItIs) {
  const auto laws = normal_laws(1, 2);
  const auto given = draws_of(laws, 2, 500);
  for (const CombineMethod method : {CombineMethod::consensus, CombineMethod::weierstrass}) {
    const auto made = combined(method, given, 2);
    for (std::size_t chain = 0; chain < 2; ++chain)
      for (std::size_t k = 0; k < made.chains[chain].size(); ++k)
        EXPECT_NEAR(made.chains[chain][k], given[0].chains[chain][k], 1e-9);
  }
}

TEST(Combine, SameSeed_GivesTheSameDraws) {
  const auto given = draws_of(normal_laws(3, 2), 2, 200);
  for (const auto& rule : combine_rules()) {
    CombineOptions options;
    options.method = rule.method;
    const auto once = combine_draws(2, given, options), again = combine_draws(2, given, options);
    EXPECT_EQ(once.chains, again.chains) << rule.name;
    options.seed = 2;
    const bool random = rule.method != CombineMethod::consensus && rule.method != CombineMethod::swiss &&
                        rule.method != CombineMethod::barycentre;
    EXPECT_EQ(combine_draws(2, given, options).chains != once.chains, random) << rule.name;
  }
}

TEST(Combine, WhatCannotBeCombined_IsRefused) {
  const auto given = draws_of(normal_laws(3, 2), 1, 100);
  EXPECT_THROW(combine_draws(2, {}), DataError);
  EXPECT_THROW(combine_draws(0, given), DataError);
  auto few = given;
  few[1].chains[0].resize(2 * 4);  // four draws of two coordinates
  EXPECT_THROW(combine_draws(2, few), DataError);
  auto constant = given;
  for (std::size_t k = 0; k < constant[2].chains[0].size(); k += 2) constant[2].chains[0][k] = 1.0;
  EXPECT_THROW(combine_draws(2, constant), DataError);
  auto infinite = given;
  infinite[0].chains[0][5] = std::nan("");
  EXPECT_THROW(combine_draws(2, infinite), DataError);
  CombineOptions options;
  options.bandwidth = -1;
  EXPECT_THROW(combine_draws(2, given, options), OptionError);
}

TEST(Combine, EveryRule_HasANameAndIsFoundByIt) {
  for (const auto& rule : combine_rules()) {
    EXPECT_EQ(combine_method_by_name(rule.name), rule.method);
    EXPECT_EQ(combine_method_name(rule.method), rule.name);
  }
  EXPECT_FALSE(combine_method_by_name("median"));
}

}  // namespace
}  // namespace sgmcmc
