// Geweke's joint-distribution test of the Gibbs sampler: draw priors, noise, factors and ratings from the model, let
// the chain move all but the ratings, draw ratings again given the rest; after any number of such cycles the joint law
// must be the one it began with. Chains with a mistake in any one conditional are told apart. The comparison is a
// paired one.
#include "factors/factor_chain.hpp"

#include "statistics/geweke.hpp"
#include "statistics/significance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <array>
#include <cmath>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::uint32_t users = 5, items = 4;
constexpr RowShape shape{2, true};
constexpr Eigen::Index size = 3;
constexpr std::uint64_t cycles = 4;
constexpr std::size_t functions = 12;
using Values = std::array<double, functions>;

enum class Mistake {
  none,
  noise,           // of twice the squared errors
  noise_prior,     // another one: the draw is scaled by 1.3
  rows,            // users drawn under twice the precision of ratings
  biases,          // users drawn with the biases of items left out
  prior_mean,      // of items, a tenth off
  prior_precision  // of users, scaled by 1.2
};

struct Joint {
  FactorState state{users, items, shape};
  std::vector<Rating> ratings;
};

/// Some pairs only: the last user and the last item have no ratings.
bool is_rated(std::uint32_t user, std::uint32_t item) { return user < 4 && item < 3 && (user + 2 * item) % 4 != 1; }

void draw_ratings(Joint& joint, const StreamKey& key) {
  std::array<double, users * items> noise;
  fill_normal(key, noise);
  joint.ratings.clear();
  for (std::uint32_t u = 0; u < users; ++u)
    for (std::uint32_t i = 0; i < items; ++i)
      if (is_rated(u, i))
        joint.ratings.push_back({u, i,
                                 static_cast<float>(joint.state.parameter(u, i) +
                                                    noise[u * items + i] / std::sqrt(joint.state.noise_precision))});
}

/// With means of their own: a Wishart of as many degrees as dimensions is a sum of squares of normals.
Joint from_the_model(std::uint64_t replicate) {
  Joint joint;
  std::uint64_t part = 0;
  const auto normals = [&](std::size_t count) {
    std::vector<double> values(count);
    fill_normal({replicate, 1, part++, Purpose::data}, values);
    return values;
  };
  const double gamma_shape = noise_shape;
  fill_gamma({replicate, 1, 1000, Purpose::data}, {&gamma_shape, 1}, {&joint.state.noise_precision, 1});
  joint.state.noise_precision /= noise_rate;
  for (FactorSide* side : {&joint.state.users, &joint.state.items}) {
    const auto square = normals(size * size), centre = normals(size);
    const Eigen::Map<const Eigen::Matrix<double, size, size>> root(square.data());
    side->prior.precision = root * root.transpose();
    const Eigen::LLT<Eigen::MatrixXd> llt(side->prior.precision);
    const auto spread = [&](const std::vector<double>& z) -> Eigen::VectorXd {
      return llt.matrixU().solve(Eigen::Map<const Eigen::VectorXd>(z.data(), size));
    };
    side->prior.mean = spread(centre) / std::sqrt(2.0);
    for (std::size_t i = 0; i < side->count; ++i) {
      const Eigen::VectorXd row = side->prior.mean + spread(normals(size));
      std::copy(row.begin(), row.end(), side->row(i));
    }
  }
  draw_ratings(joint, {replicate, 1, 1001, Purpose::data});
  return joint;
}

Values values_of(const Joint& joint) {
  Values values{};
  const FactorState& state = joint.state;
  values[0] = std::log(state.noise_precision);
  values[1] =
      state.users.prior.mean[0] > 0 ? std::tanh(state.users.prior.mean[0]) : std::tanh(-state.users.prior.mean[0]);
  values[2] = std::log(state.users.prior.precision.determinant());
  values[3] = std::log(state.items.prior.precision(2, 2));
  values[4] = std::tanh(state.items.prior.mean[2]) * std::tanh(state.items.prior.mean[2]);
  values[5] = std::tanh(state.items.prior.mean.norm());
  for (const Rating& rating : joint.ratings) {
    const double mean = state.parameter(rating.user, rating.item);
    const double error = (static_cast<double>(rating.value) - mean) * std::sqrt(state.noise_precision);
    values[6] += std::tanh(error * error);
    values[7] += std::log1p(std::abs(static_cast<double>(rating.value)));
    values[8] += std::tanh(std::abs(mean));
  }
  for (std::size_t i = 0; i < items; ++i) values[9] += std::log1p(std::abs(state.items.row(i)[2]));
  for (std::size_t u = 0; u < users; ++u) {
    const Eigen::Map<const Eigen::VectorXd> row(state.users.row(u), size);
    const Eigen::VectorXd difference = row - state.users.prior.mean;
    values[10] += std::tanh(difference.dot(state.users.prior.precision * difference));
    values[11] += std::log1p(row.squaredNorm());
  }
  return values;
}

void iterate(GibbsFactors& chain, Mistake mistake, std::uint64_t t) {
  FactorState& state = chain.draw();
  chain.draw_prior(true, t);
  if (mistake == Mistake::prior_precision) state.users.prior.precision *= 1.2;
  const double tau = state.noise_precision;
  if (mistake == Mistake::rows) state.noise_precision = 2 * tau;
  std::array<double, items> biases{};
  if (mistake == Mistake::biases)
    for (std::size_t i = 0; i < items; ++i) std::swap(biases[i], state.items.row(i)[2]);
  chain.draw_rows(true, t);
  if (mistake == Mistake::biases)
    for (std::size_t i = 0; i < items; ++i) std::swap(biases[i], state.items.row(i)[2]);
  state.noise_precision = tau;
  chain.draw_prior(false, t);
  if (mistake == Mistake::prior_mean) state.items.prior.mean.array() += 0.2;
  const double errors = chain.draw_rows(false, t);
  chain.draw_noise(mistake == Mistake::noise ? 2 * errors : errors, t);
  if (mistake == Mistake::noise_prior) state.noise_precision *= 1.3;
}

Joint moved(const Joint& before, Mistake mistake, std::uint64_t replicate, ThreadPool& pool) {
  Joint joint;
  joint.ratings = before.ratings;
  const FactorState* from = &before.state;
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    FactorOptions options;
    options.factors = shape.factors;
    options.seed = replicate;
    GibbsFactors chain(joint.ratings, {users, items}, options, pool);
    const auto copy = [](const FactorState& source, FactorState& to) {
      to.noise_precision = source.noise_precision;
      to.offset = 0;
      to.scale = 1;
      for (const auto& [a, b] : {std::pair(&source.users, &to.users), std::pair(&source.items, &to.items)}) {
        std::copy(a->numbers.begin(), a->numbers.end(), b->numbers.begin());
        b->prior = a->prior;
      }
    };
    copy(*from, chain.draw());
    iterate(chain, mistake, cycle);
    copy(chain.draw(), joint.state);
    from = &joint.state;
    draw_ratings(joint, {replicate, 2, cycle, Purpose::data});
  }
  return joint;
}

double worst_score(Mistake mistake, std::size_t replicates) {
  ThreadPool pool(1);
  return testing::worst_change<functions>(replicates, [&](std::uint64_t r) {
    const Joint before = from_the_model(r);
    return std::pair(values_of(before), values_of(moved(before, mistake, r, pool)));
  });
}

const double limit = testing::z_threshold(1e-4, functions);  // false alarms: 1 in 10,000
constexpr std::size_t enough = 2000;                         // to see a mistake

TEST(FactorGeweke, GibbsSampler_LeavesTheJointLawAsItIs) { EXPECT_LT(worst_score(Mistake::none, 8000), limit); }
TEST(FactorGeweke, AMistakeInTheNoise_IsRejected) { EXPECT_GT(worst_score(Mistake::noise, enough), limit); }
TEST(FactorGeweke, AMistakeInThePriorOfTheNoise_IsRejected) {
  EXPECT_GT(worst_score(Mistake::noise_prior, enough), limit);
}
TEST(FactorGeweke, AMistakeInTheRows_IsRejected) { EXPECT_GT(worst_score(Mistake::rows, enough), limit); }
TEST(FactorGeweke, MissingBiases_AreRejected) { EXPECT_GT(worst_score(Mistake::biases, enough), limit); }
TEST(FactorGeweke, AMistakeInTheMeanOfThePrior_IsRejected) {
  EXPECT_GT(worst_score(Mistake::prior_mean, enough), limit);
}
TEST(FactorGeweke, AMistakeInThePrecisionOfThePrior_IsRejected) {
  EXPECT_GT(worst_score(Mistake::prior_precision, enough), limit);
}

}  // namespace
}  // namespace sgmcmc
