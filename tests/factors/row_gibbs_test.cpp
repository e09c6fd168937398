// The conditionals of rows and priors against closed forms computed by other means.
#include "factors/row_gibbs.hpp"
#include "factors/factor_chain.hpp"
#include "factors/normal_wishart.hpp"
#include "factors/ratings/rating_rows.hpp"

#include "statistics/significance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <cmath>
#include <vector>

namespace sgmcmc {
namespace {

std::vector<Rating> some_ratings(std::uint32_t users, std::uint32_t items, double share) {
  std::vector<double> uniforms(users * items), values(users * items);
  fill_uniform({5, 0, 0, Purpose::data}, uniforms);
  fill_normal({5, 0, 1, Purpose::data}, values);
  std::vector<Rating> ratings;
  for (std::uint32_t u = 0; u < users; ++u)
    for (std::uint32_t i = 0; i < items; ++i)
      if (uniforms[u * items + i] < share && u != 3)  // user 3 has none
        ratings.push_back({u, i, static_cast<float>(3 + values[u * items + i])});
  return ratings;
}

void fill_rows(FactorSide& side, std::uint64_t seed) {
  std::vector<double> values(side.shape.size());
  for (std::size_t i = 0; i < side.count; ++i) {
    fill_normal({seed, 0, i, Purpose::data}, values);
    std::copy(values.begin(), values.end(), side.row(i));
  }
}

class RowShapes : public ::testing::TestWithParam<RowShape> {};

TEST_P(RowShapes, ADraw_IsMeanPlusCholeskyTimesNormals) {
  const RowShape shape = GetParam();
  constexpr std::uint32_t users = 21, items = 150;
  const auto ratings = some_ratings(users, items, 0.6);
  const RatingRows rows = RatingRows::by_user(ratings, users);
  FactorState state(users, items, shape);
  fill_rows(state.users, 1);
  fill_rows(state.items, 2);
  const auto size = static_cast<Eigen::Index>(shape.size());
  state.users.prior = NormalWishart::draw(size, {9, 0, 0, Purpose::data});
  const RowGibbs::Target target{1.7, 2.5, 1.3};
  const StreamKey key{4, 2, 7, Purpose::latent};
  ThreadPool pool(2);
  RowGibbs gibbs(shape, pool);
  const double errors = gibbs.draw(rows, state.users, state.items, target, key);
  double expected_errors = 0;
  for (std::uint32_t u = 0; u < users; ++u) {
    Eigen::MatrixXd precision = state.users.prior.precision;
    Eigen::VectorXd linear = precision * state.users.prior.mean;
    const auto regressor = [&](std::uint32_t item, double& offset) {
      const double* from = state.items.row(item);
      Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(from, size);
      offset = shape.biases ? x[size - 1] : 0.0;
      if (shape.biases) x[size - 1] = 1.0;
      return x;
    };
    for (const Rating& rating : ratings) {
      if (rating.user != u) continue;
      double offset = 0;
      const Eigen::VectorXd x = regressor(rating.item, offset);
      precision += 1.7 * x * x.transpose();
      linear += 1.7 * x * ((static_cast<double>(rating.value) - 2.5) / 1.3 - offset);
    }
    std::vector<double> z(shape.size() * 8);
    fill_normal(key, z, u / 8 * 8 * shape.size());
    Eigen::VectorXd noise(size);
    for (Eigen::Index k = 0; k < size; ++k) noise[k] = z[static_cast<std::size_t>(8 * k + u % 8)];
    const Eigen::LLT<Eigen::MatrixXd> llt(precision);
    const Eigen::VectorXd expected = llt.solve(linear) + Eigen::VectorXd(llt.matrixU().solve(noise));
    for (Eigen::Index k = 0; k < size; ++k) EXPECT_NEAR(state.users.row(u)[k], expected[k], 1e-9) << u << " " << k;
    EXPECT_EQ(state.users.row(u)[size], 1.0);
    for (const Rating& rating : ratings) {
      if (rating.user != u) continue;
      double offset = 0;
      const Eigen::VectorXd x = regressor(rating.item, offset);
      const double error = (static_cast<double>(rating.value) - 2.5) / 1.3 - offset - x.dot(expected);
      expected_errors += error * error;
    }
  }
  EXPECT_NEAR(errors, expected_errors, 1e-8 * expected_errors);
}

INSTANTIATE_TEST_SUITE_P(RowGibbs, RowShapes,
                         ::testing::Values(RowShape{1, false}, RowShape{1, true}, RowShape{6, true}, RowShape{7, false},
                                           RowShape{10, true}, RowShape{16, true}, RowShape{33, false}));

TEST(RowGibbs, Products_AreSumsOverAllRows) {
  const RowShape shape{5, true};
  FactorSide side(1300, shape);
  fill_rows(side, 3);
  ThreadPool pool(2);
  const Eigen::MatrixXd found = RowGibbs(shape, pool).products(side);
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(7, 7);
  for (std::size_t i = 0; i < side.count; ++i) {
    const Eigen::Map<const Eigen::VectorXd> row(side.row(i), 7);
    expected += row * row.transpose();
  }
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(NormalWishart, Moments_AreThoseOfTheClosedForm) {
  // E Lambda = degrees * scale, E mu = sum / (count + weight), and mu' given Lambda has precision weight * Lambda.
  constexpr Eigen::Index size = 3;
  constexpr std::size_t count = 12, draws = 4000;
  std::vector<double> values(count * size);
  fill_normal({1, 0, 0, Purpose::data}, values);
  Eigen::MatrixXd rows(count, size + 1);
  for (std::size_t i = 0; i < count; ++i)
    for (Eigen::Index k = 0; k <= size; ++k)
      rows(static_cast<Eigen::Index>(i), k) =
          k == size ? 1.0 : values[i * size + static_cast<std::size_t>(k)] + 0.5 * k;
  const Eigen::MatrixXd products = rows.transpose() * rows;
  const double weight = NormalWishart::mean_weight + count;
  const Eigen::VectorXd mean = products.col(size).head(size) / weight;
  const Eigen::VectorXd average = products.col(size).head(size) / count;
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(size, size);
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::VectorXd difference = rows.row(static_cast<Eigen::Index>(i)).head(size).transpose() - average;
    inverse += difference * difference.transpose();
  }
  inverse += NormalWishart::mean_weight * count / weight * average * average.transpose();
  const Eigen::MatrixXd expected = (size + static_cast<double>(count)) * inverse.inverse();
  std::vector<std::vector<double>> found(size * size + size + 1);
  for (std::uint64_t d = 0; d < draws; ++d) {
    const NormalPrior prior = NormalWishart::draw_given(products, {7, 0, 2 * d, Purpose::latent});
    for (Eigen::Index k = 0; k < size * size; ++k)
      found[static_cast<std::size_t>(k)].push_back(prior.precision.data()[k] - expected.data()[k]);
    for (Eigen::Index k = 0; k < size; ++k)
      found[static_cast<std::size_t>(size * size + k)].push_back(prior.mean[k] - mean[k]);
    const Eigen::VectorXd difference = prior.mean - mean;
    found.back().push_back(weight * difference.dot(prior.precision * difference) - size);
  }
  const double limit = testing::z_threshold(1e-4, found.size());  // false alarms: 1 in 10,000
  for (const auto& each : found) EXPECT_LT(std::abs(testing::mean_of_replicates(each).z_score(0.0)), limit);
}

TEST(RatingSplit, AShare_IsHeldOutBySeed) {
  const auto ratings = some_ratings(40, 50, 0.7);
  const RatingSplit split = split_ratings(ratings, 0.25, 3);
  EXPECT_EQ(split.held_out.size(), static_cast<std::size_t>(std::llround(0.25 * static_cast<double>(ratings.size()))));
  EXPECT_EQ(split.held_out.size() + split.training.size(), ratings.size());
  const RatingSplit again = split_ratings(ratings, 0.25, 3), other = split_ratings(ratings, 0.25, 4);
  const auto same = [](const std::vector<Rating>& a, const std::vector<Rating>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i].user != b[i].user || a[i].item != b[i].item) return false;
    return a.size() == b.size();
  };
  EXPECT_TRUE(same(split.held_out, again.held_out));
  EXPECT_FALSE(same(split.held_out, other.held_out));
  EXPECT_EQ(split_ratings(ratings, 0.0, 1).held_out.size(), 0U);
  EXPECT_EQ(split_ratings(std::span(ratings).first(1), 0.9, 1).training.size(), 1U);
}

TEST(RatingRows, BothSides_HoldTheSameRatings) {
  const auto ratings = some_ratings(9, 7, 0.5);
  const RatingRows users = RatingRows::by_user(ratings, 9), items = RatingRows::by_item(ratings, 7);
  EXPECT_EQ(users.rows(), 9U);
  EXPECT_EQ(users.start[4] - users.start[3], 0U);
  double sum = 0, other = 0;
  for (std::size_t u = 0; u < 9; ++u)
    for (auto at = users.start[u]; at < users.start[u + 1]; ++at)
      sum += static_cast<double>(users.value[at]) * static_cast<double>(10 * u + users.other[at]);
  for (std::size_t i = 0; i < 7; ++i)
    for (auto at = items.start[i]; at < items.start[i + 1]; ++at)
      other += static_cast<double>(items.value[at]) * static_cast<double>(10 * items.other[at] + i);
  EXPECT_NEAR(sum, other, 1e-9 * std::abs(sum));
}

}  // namespace
}  // namespace sgmcmc
