// Side features: their files, the prior that they give, Geweke's joint-distribution test of the Gibbs sampler with
// them, and predictions for users without ratings.
#include "factors/ratings/side_features.hpp"
#include "factors/factor_chain.hpp"
#include "factors/feature_prior.hpp"

#include "statistics/geweke.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/factorize.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

SideFeatures features_in(const std::string& text) {
  Input input("users.csv", std::span<const char>(text.data(), text.size()));
  return read_side_features(input);
}

std::string complaint_of(const std::string& text) {
  try {
    features_in(text);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(SideFeatures, AFileWithNames_IsRead) {
  const SideFeatures features = features_in("id,age,\"is, f\"\n17,3.5,1\n# comment\n4,-1e3,0\n");
  EXPECT_EQ(features.rows(), 2U);
  EXPECT_EQ(features.names(), (std::vector<std::string>{"age", "is, f"}));
  ASSERT_TRUE(features.find("4"));
  EXPECT_EQ((*features.find("4"))[0], -1000.0);
  EXPECT_FALSE(features.find("5"));
}

TEST(SideFeatures, AFileWithoutNames_NumbersItsColumns) {
  const SideFeatures features = features_in("a::1::2\nb::3::4\n");
  EXPECT_EQ(features.names(), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ((*features.find("b"))[1], 4.0);
}

TEST(SideFeatures, AFirstLineWithAMissingNumber_IsNotAHeader) {
  EXPECT_EQ(complaint_of("7,1,NA\n8,2,3\n"),
            "users.csv:1: column '2' is 'NA', which is not a number. Give categories as columns of 0 and 1");
}

TEST(SideFeatures, NumbersOfAnySize_AreScaled) {
  Ratings::Builder builder(3, 1);
  for (std::uint32_t user = 0; user < 3; ++user) builder.add(user, 0, user);
  const Ratings ratings = builder.build();
  FeatureScale scale;
  const FeatureRows rows =
      feature_rows(features_in("id,a,b,c,d\n0,1,1e308,1e-300,5\n1,2,1.2e308,2e-300,5\n2,4,1.6e308,4e-300,5\n"), ratings,
                   ratings.entries(), true, scale);
  for (std::size_t user = 0; user < 3; ++user) {
    EXPECT_NEAR(rows.row(user)[2], rows.row(user)[0], 1e-12);
    EXPECT_NEAR(std::abs(rows.row(user)[1]), std::abs(std::array{-0.2666666, -0.0666666, 0.3333333}[user]) / 0.2494438,
                1e-5);
    EXPECT_EQ(rows.row(user)[3], 0.0);
  }
  EXPECT_EQ(scale.constant, std::vector<std::string>{"d"});
}

TEST(SideFeatures, ConstantColumns_HaveNoEffectOnNewUsersEither) {
  Ratings::Builder builder(6, 5);
  for (std::uint32_t user = 0; user < 6; ++user)
    for (std::uint32_t item = 0; item < 5; ++item) builder.add(user, item, 0.1 * user + (user + item) % 3);
  FactorOptions options;
  options.factors = 2;
  options.iterations = 40;
  FactorFeatures features;
  features.users = SideFeatures::from_rows({1, 5, 2, 5, 6, 5, 3, 5, 2, 5, 4, 5}, 2);
  const FactorModel model = factorize(builder.build(), options, nullptr, features).model;
  const auto folder = std::filesystem::temp_directory_path() / ("side_features." + std::to_string(::getpid()));
  model.save(folder.string());
  const FactorModel again = FactorModel::load(folder.string());
  std::filesystem::remove_all(folder);
  for (const FactorModel* each : {&model, &again}) {
    const double expected = each->predict(9, 1, std::vector<double>{3, 5}).mean;
    EXPECT_TRUE(std::isfinite(expected));
    for (const double number : {0.0, 1000.0, 1e308, -1e308})
      EXPECT_EQ(each->predict(9, 1, std::vector<double>{3, number}).mean, expected);
    EXPECT_NE(each->predict(9, 1, std::vector<double>{4, 5}).mean, expected);
  }
}

TEST(SideFeatures, LinesThatBeginLikeRemarks_AreNotLost) {
  for (const char* text : {"id,age\n1,2\n#b,3\n", "\n\n#b,3\n1,4\n"})
    EXPECT_EQ(complaint_of(text),
              "users.csv:3: the line begins with '#'; put the id in double quotes if it is one, or a blank behind the "
              "sign if it is a remark");
  EXPECT_EQ(complaint_of("#id,age\n# ages of users\n1,2\n#end\n\"#b\",3\n"),
            "users.csv:5: the id '#b' is not a whole number, as the ids before it are");
}

TEST(SideFeatures, MalformedFiles_AreRefusedWithTheirLine) {
  EXPECT_EQ(complaint_of(""), "users.csv:1: the file is empty");
  EXPECT_EQ(complaint_of("1,2\n3,4,5\n"),
            "users.csv:2: the line has 3 fields separated by ',', the first line has 2. If "
            "the file was cut short, copy it again");
  EXPECT_EQ(complaint_of("id,age\n1,2\n3,4\n1,5\n"),
            "users.csv:4: the id 1 is already on line 2. Keep one line for each id");
  EXPECT_EQ(complaint_of("id,sex\n1,F\n"),
            "users.csv:2: column 'sex' is 'F', which is not a number. Give categories as "
            "columns of 0 and 1");
  EXPECT_EQ(complaint_of("id,age\n1,nan\n"),
            "users.csv:2: column 'age' is 'nan'; features must be finite. Give a number, "
            "such as the column's mean");
  EXPECT_EQ(complaint_of("id,age\n"), "users.csv:1: there are no lines below the names of the columns");
  EXPECT_EQ(complaint_of("17\n"),
            "users.csv:1: the line is '17' where an id and numbers are expected, separated by ::, "
            "tabs, commas, ; or |");
  EXPECT_EQ(complaint_of("9223372036854775808,1\n"),
            "users.csv:1: the id 9223372036854775808 is too large: ids that are whole numbers are below 2^63");
}

TEST(SideFeatures, RowsOfAChain_HaveMeanZeroAndUnitSpread) {
  const SideFeatures features = SideFeatures::from_rows({1, 5, 2, 5, 6, 5}, 2);
  const Ratings ratings = Ratings::Builder(4, 1).add(0, 0, 1).add(2, 0, 2).build();
  const Ratings three = Ratings::Builder(3, 1).add(0, 0, 1).add(2, 0, 2).build();
  FeatureScale scale;
  const FeatureRows rows = feature_rows(features, three, three.entries(), true, scale);
  EXPECT_DOUBLE_EQ(scale.centre[0], 3.0);
  EXPECT_NEAR(rows.row(0)[0] + rows.row(1)[0] + rows.row(2)[0], 0.0, 1e-14);
  EXPECT_NEAR(std::pow(rows.row(0)[0], 2) + std::pow(rows.row(1)[0], 2) + std::pow(rows.row(2)[0], 2), 3.0, 1e-13);
  EXPECT_EQ(rows.row(1)[1], 0.0);  // of a constant column
  // A user without features is at the mean, unless there are ratings.
  EXPECT_EQ(feature_rows(features, ratings, ratings.entries(), true, scale).row(3)[0], 0.0);
  const Ratings fourth = Ratings::Builder(4, 1).add(3, 0, 1).build();
  EXPECT_THROW(feature_rows(features, fourth, fourth.entries(), true, scale), DataError);
}

// Geweke --------------------------------------------------------------------------------------------------------------

constexpr std::uint32_t users = 6, items = 4;
constexpr RowShape shape{1, true};
constexpr Eigen::Index size = 2;
constexpr std::uint64_t cycles = 3;
constexpr std::size_t functions = 11;
using Values = std::array<double, functions>;

enum class Mistake { none, no_features, other_rows, weight_precision, weights, precision };

struct Joint {
  FactorState state{users, items, shape};
  std::vector<Rating> ratings;
};

/// Two features of users, one of items; not centred, as chains do not need.
FeatureRows features_of(bool of_users) {
  FeatureRows rows{of_users ? 2U : 1U, {}};
  for (std::size_t i = 0; i < (of_users ? users : items); ++i) {
    rows.numbers.push_back(i % 2 == 0 ? 1.0 : -0.7);
    if (of_users) rows.numbers.push_back(0.5 * static_cast<double>(i) - 1.2);
  }
  return rows;
}

void draw_ratings(Joint& joint, const StreamKey& key) {
  std::array<double, users * items> noise;
  fill_normal(key, noise);
  joint.ratings.clear();
  for (std::uint32_t u = 0; u + 1 < users; ++u)
    for (std::uint32_t i = 0; i < items; ++i)
      if ((u + 2 * i) % 4 != 1)
        joint.ratings.push_back({u, i,
                                 static_cast<float>(joint.state.parameter(u, i) +
                                                    noise[u * items + i] / std::sqrt(joint.state.noise_precision))});
}

Joint from_the_model(std::uint64_t replicate) {
  Joint joint;
  std::uint64_t part = 0;
  const auto normals = [&](Eigen::Index rows, Eigen::Index columns) {
    Eigen::MatrixXd values(rows, columns);
    fill_normal({replicate, 1, part++, Purpose::data}, {values.data(), static_cast<std::size_t>(values.size())});
    return values;
  };
  const auto gamma = [&](double rate) {
    const double one = 1.0;
    double drawn = 0;
    fill_gamma({replicate, 1, 1000 + part++, Purpose::data}, {&one, 1}, {&drawn, 1});
    return drawn / rate;
  };
  joint.state.noise_precision = gamma(noise_rate);
  for (FactorSide* side : {&joint.state.users, &joint.state.items}) {
    const FeatureRows x = features_of(side == &joint.state.users);
    side->use_features(x.columns);
    const auto columns = static_cast<Eigen::Index>(x.columns);
    const Eigen::MatrixXd root = normals(size, size);
    side->prior.precision = root * root.transpose();
    const Eigen::LLT<Eigen::MatrixXd> llt(side->prior.precision);
    side->weight_precision = gamma(1.0 / static_cast<double>(x.columns));
    side->weights = llt.matrixU().solve(normals(size, columns)).transpose() / std::sqrt(side->weight_precision);
    side->prior.mean = llt.matrixU().solve(normals(size, 1)) / std::sqrt(2.0);
    for (std::size_t i = 0; i < side->count; ++i) {
      const Eigen::VectorXd row = side->prior.mean +
                                  side->weights.transpose() * Eigen::Map<const Eigen::VectorXd>(x.row(i), columns) +
                                  llt.matrixU().solve(normals(size, 1));
      std::copy(row.begin(), row.end(), side->row(i));
    }
  }
  draw_ratings(joint, {replicate, 1, 100000, Purpose::data});
  return joint;
}

Values values_of(const Joint& joint) {
  Values values{};
  const FactorState& state = joint.state;
  values[0] = std::log(state.noise_precision);
  values[1] = std::log(state.users.weight_precision);
  values[2] = std::log(state.items.weight_precision);
  values[3] = std::log(state.users.prior.precision.determinant());
  values[4] = std::log1p(state.users.weights.squaredNorm());
  values[5] = std::tanh(state.items.weights(0, 1) * state.items.row(0)[1]);
  values[6] = std::tanh(state.users.prior.mean.dot(state.users.weights.row(1)));
  for (const Rating& rating : joint.ratings) values[7] += std::log1p(std::abs(static_cast<double>(rating.value)));
  const FeatureRows x = features_of(true);
  for (std::size_t u = 0; u < users; ++u) {
    const Eigen::Map<const Eigen::VectorXd> row(state.users.row(u), size), own(x.row(u), 2);
    const Eigen::VectorXd difference = row - state.users.prior.mean - state.users.weights.transpose() * own;
    values[8] += std::tanh(difference.dot(state.users.prior.precision * difference));
    values[9] += std::log1p(row.squaredNorm());
    values[10] += std::tanh(row[1] * own[1]);
  }
  return values;
}

void iterate(GibbsFactors& chain, Mistake mistake, std::uint64_t t) {
  FactorState& state = chain.draw();
  for (const bool of_users : {true, false}) {
    FactorSide& side = of_users ? state.users : state.items;
    chain.draw_prior(of_users, t);
    if (mistake == Mistake::weight_precision) side.weight_precision *= 1.5;
    if (mistake == Mistake::precision && of_users) side.prior.precision *= 1.3;
    if (mistake == Mistake::weights) side.weights *= 1.2;
    if (mistake == Mistake::no_features)
      for (std::size_t i = 0; i < side.row_means.size(); ++i)
        side.row_means[i] = side.prior.mean[static_cast<Eigen::Index>(i % size)];
    if (mistake == Mistake::other_rows)
      std::rotate(side.row_means.begin(), side.row_means.begin() + size, side.row_means.end());
    const double errors = chain.draw_rows(of_users, t);
    if (!of_users) chain.draw_noise(errors, t);
  }
}

double worst_score(Mistake mistake, std::size_t replicates) {
  ThreadPool pool(1);
  return testing::worst_change<functions>(replicates, [&](std::uint64_t r) {
    Joint joint = from_the_model(r);
    const Values before = values_of(joint);
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
      FactorOptions options;
      options.factors = shape.factors;
      options.seed = r;
      FactorShare share = FactorShare::whole(joint.ratings, {users, items}, options);
      share.initial = std::move(joint.state);
      share.user_features = features_of(true);
      share.item_features = features_of(false);
      GibbsFactors chain(std::move(share), options, pool);
      iterate(chain, mistake, cycle);
      joint.state = std::move(chain.draw());
      draw_ratings(joint, {r, 2, cycle, Purpose::data});
    }
    return std::pair(before, values_of(joint));
  });
}

const double limit = testing::z_threshold(1e-4, functions);  // false alarms: 1 in 10,000
constexpr std::size_t enough = 3000;                         // to see a mistake

TEST(SideFeaturesGeweke, GibbsSampler_LeavesTheJointLawAsItIs) { EXPECT_LT(worst_score(Mistake::none, 10000), limit); }
TEST(SideFeaturesGeweke, MissingFeatures_AreRejected) { EXPECT_GT(worst_score(Mistake::no_features, enough), limit); }
TEST(SideFeaturesGeweke, FeaturesOfOtherRows_AreRejected) {
  EXPECT_GT(worst_score(Mistake::other_rows, enough), limit);
}
TEST(SideFeaturesGeweke, AMistakeInThePrecisionOfTheWeights_IsRejected) {
  EXPECT_GT(worst_score(Mistake::weight_precision, enough), limit);
}
TEST(SideFeaturesGeweke, AMistakeInTheWeights_IsRejected) { EXPECT_GT(worst_score(Mistake::weights, enough), limit); }
TEST(SideFeaturesGeweke, AMistakeInThePrecisionOfTheRows_IsRejected) {
  EXPECT_GT(worst_score(Mistake::precision, enough), limit);
}

// Cold start ----------------------------------------------------------------------------------------------------------

/// Items have one factor v; a user's factor is 1.5 x, with little noise around it, for a feature x.
struct World {
  static constexpr std::uint32_t known = 200, unknown = 40, all_items = 30;
  std::vector<double> x, v;
  double mean(std::uint32_t user, std::uint32_t item) const { return 3 + 1.5 * x[user] * v[item]; }
  World() : x(known + unknown), v(all_items) {
    fill_normal({3, 0, 0, Purpose::data}, x);
    fill_normal({3, 0, 1, Purpose::data}, v);
  }
  Ratings ratings() const {
    Ratings::Builder builder(known, all_items);
    std::vector<double> noise(known * all_items);
    fill_normal({3, 0, 2, Purpose::data}, noise);
    for (std::uint32_t u = 0; u < known; ++u)
      for (std::uint32_t i = 0; i < all_items; ++i)
        if (u * i % 5 < 2) builder.add(u, i, mean(u, i) + 0.3 * noise[u * all_items + i]);
    return builder.build();
  }
};

TEST(SideFeatures, NewUsers_ArePredictedFromTheirFeatures) {
  const World world;
  const std::vector<double> of_known(world.x.begin(), world.x.begin() + World::known);
  FactorOptions options;
  options.factors = 2;
  options.iterations = 100;
  const FactorFeatures features{SideFeatures::from_rows(of_known, 1), std::nullopt};
  const FactorResult result = factorize(world.ratings(), options, nullptr, features);
  const auto folder = std::filesystem::temp_directory_path() / ("side_features." + std::to_string(::getpid()));
  result.model.save(folder.string());
  const FactorModel loaded = FactorModel::load(folder.string());
  std::filesystem::remove_all(folder);
  double with = 0, without = 0;
  for (std::uint32_t u = World::known; u < World::known + World::unknown; ++u)
    for (std::uint32_t i = 0; i < World::all_items; ++i) {
      const FactorPrediction from_features = result.model.predict(u, i, {&world.x[u], 1});
      with += std::pow(from_features.mean - world.mean(u, i), 2);
      without += std::pow(result.model.predict(u, i).mean - world.mean(u, i), 2);
      EXPECT_EQ(loaded.predict(u, i, {&world.x[u], 1}).mean, from_features.mean);
    }
  EXPECT_LT(with, 0.05 * without);
  const auto best = result.model.recommend(World::known, 3, {}, {&world.x[World::known], 1});
  EXPECT_GT(world.mean(World::known, best[0].item), 3.0);
  EXPECT_THROW(result.model.predict(World::known, 0, std::vector<double>{1, 2}), DataError);
}

TEST(SideFeatures, Draws_DoNotDependOnBreaks) {
  const World world;
  const std::vector<double> of_known(world.x.begin(), world.x.begin() + World::known);
  const FactorFeatures features{SideFeatures::from_rows(of_known, 1), SideFeatures::from_rows(world.v, 1)};
  const auto folder = std::filesystem::temp_directory_path() / ("side_features." + std::to_string(::getpid()));
  FactorOptions options;
  options.factors = 2;
  options.iterations = 20;
  const FactorResult whole = factorize(world.ratings(), options, nullptr, features);
  std::atomic<bool> interrupt = false;
  options.threads = 2;
  options.checkpoint.folder = folder;
  options.interrupt = &interrupt;
  options.progress = [&](const FactorPoint& point) { interrupt = point.iteration >= 11; };
  EXPECT_TRUE(factorize(world.ratings(), options, nullptr, features).interrupted);
  options.interrupt = nullptr;
  options.checkpoint.resume = true;
  const FactorResult resumed = factorize(world.ratings(), options, nullptr, features);
  EXPECT_EQ(whole.scores.rmse, resumed.scores.rmse);
  const std::vector<double> own{0.7};
  EXPECT_EQ(whole.model.predict(World::known, 3, own).mean, resumed.model.predict(World::known, 3, own).mean);
  std::filesystem::remove_all(folder);
}

TEST(SideFeatures, WhatDoesNotUseThem_IsRefused) {
  const World world;
  const FactorFeatures features{std::nullopt, SideFeatures::from_rows(world.v, 1)};
  const auto refused = [&](auto change) {
    FactorOptions options;
    options.iterations = 2;
    change(options);
    EXPECT_THROW(factorize(world.ratings(), options, nullptr, features), OptionError);
  };
  refused([](FactorOptions& options) { options.method = FactorMethod::sgld; });
  refused([](FactorOptions& options) { options.prior_precision = 1; });
  refused([](FactorOptions& options) { options.observations = Observations::poisson; });
}

}  // namespace
}  // namespace sgmcmc
