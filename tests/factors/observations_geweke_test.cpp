// Geweke's joint-distribution test of the samplers for bernoulli, poisson and stable observations: draw priors, factors
// and ratings from the model, let the chain move all but the ratings, draw ratings again; the joint law must not
// change. Chains with a mistake in a conditional are told apart.
#include "factors/factor_chain.hpp"
#include "factors/non_negative_factors.hpp"
#include "factors/normal_wishart.hpp"
#include "factors/observation_law.hpp"

#include "statistics/geweke.hpp"
#include "statistics/significance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::uint32_t users = 4, items = 3;
constexpr RowShape shape{2, true};
constexpr std::size_t size = 3;
constexpr std::uint64_t cycles = 3;
constexpr std::size_t functions = 8;
constexpr double alpha = 1.3, offset = 0.2, scale = 0.8;
using Values = std::array<double, functions>;

enum class Mistake { none, prior, other_offset, other_alpha, flipped, old_latents };

struct Joint {
  FactorState state{users, items, shape};
  std::vector<Rating> ratings;
};

/// The last user has no ratings.
bool is_rated(std::uint32_t user, std::uint32_t item) { return user < 3 && (user + 2 * item) % 4 != 1; }

/// By inversion, bisection for the stable law.
double draw_rating(const ObservationLaw& law, double x, double uniform) {
  const ObservationLaw::Uncertain part{x, 0};
  return law.quantile({&part, 1}, uniform);
}

void draw_ratings(Joint& joint, const ObservationLaw& law, const StreamKey& key) {
  std::array<double, users * items> uniforms;
  fill_uniform(key, uniforms);
  joint.ratings.clear();
  for (std::uint32_t u = 0; u < users; ++u)
    for (std::uint32_t i = 0; i < items; ++i)
      if (is_rated(u, i))
        joint.ratings.push_back(
            {u, i, static_cast<float>(draw_rating(law, joint.state.parameter(u, i), uniforms[u * items + i]))});
}

Joint from_the_model(const ObservationLaw& law, std::uint64_t replicate) {
  Joint joint;
  joint.state.observations = law.kind();
  joint.state.alpha = alpha;
  joint.state.offset = offset;
  joint.state.scale = law.kind() == Observations::bernoulli ? 1.0 : scale;
  std::uint64_t part = 0;
  const auto stream = [&] { return StreamKey{replicate, 1, 10 * part++, Purpose::data}; };
  for (FactorSide* side : {&joint.state.users, &joint.state.items}) {
    if (law.kind() == Observations::bernoulli) {
      side->prior = NormalWishart::draw(size, stream());
      const Eigen::LLT<Eigen::MatrixXd> llt(side->prior.precision);
      for (std::size_t i = 0; i < side->count; ++i) {
        Eigen::VectorXd z(size);
        fill_normal(stream(), {z.data(), size});
        const Eigen::VectorXd row = side->prior.mean + llt.matrixU().solve(z);
        std::copy(row.begin(), row.end(), side->row(i));
      }
      continue;
    }
    std::array<double, size> rates, shapes;
    shapes.fill(rate_shape);
    fill_gamma(stream(), shapes, rates);
    for (std::size_t k = 0; k < size; ++k) {
      const double rate = rates[k] / rate_rate;
      side->prior.mean[static_cast<Eigen::Index>(k)] = 1 / rate;
      side->prior.precision(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(k)) = rate * rate;
      std::vector<double> numbers(side->count);
      fill_exponential(stream(), numbers);
      for (std::size_t i = 0; i < side->count; ++i) side->row(i)[k] = numbers[i] / rate;
    }
  }
  draw_ratings(joint, law, {replicate, 1, 100000, Purpose::data});
  return joint;
}

Values values_of(const Joint& joint) {
  Values values{};
  const FactorState& state = joint.state;
  values[0] = std::log(state.users.prior.precision(0, 0));
  values[1] = std::log(state.items.prior.precision(2, 2));
  values[2] = std::tanh(std::abs(state.items.prior.mean[1]));
  for (const Rating& rating : joint.ratings) {
    const double x = state.parameter(rating.user, rating.item);
    values[3] += std::log1p(static_cast<double>(rating.value));
    values[4] += std::tanh(x);
    values[5] += std::tanh(x) * std::tanh(static_cast<double>(rating.value));
  }
  for (std::size_t i = 0; i < items; ++i) values[6] += std::log1p(std::abs(state.items.row(i)[0]));
  for (std::size_t u = 0; u < users; ++u) values[7] += std::log1p(std::abs(state.users.row(u)[2]));
  return values;
}

template <class Chain>
void iterate(Chain& chain, Mistake mistake, std::uint64_t t) {
  FactorState& state = chain.draw();
  for (const bool of_users : {true, false}) {
    chain.draw_prior(of_users, t);
    if (mistake == Mistake::prior && of_users) {
      state.users.prior.mean *= 1.3;
      state.users.prior.precision /= 1.69;
    }
    if (mistake == Mistake::other_offset) state.offset += 0.5;
    if constexpr (std::is_same_v<Chain, GibbsFactors>)
      if (mistake != Mistake::old_latents || of_users) chain.draw_latents(of_users, t);
    if (mistake == Mistake::other_offset) state.offset -= 0.5;
    if (mistake == Mistake::other_offset && !std::is_same_v<Chain, GibbsFactors>) state.offset += 0.5;
    chain.draw_rows(of_users, t);
    if (mistake == Mistake::other_offset && !std::is_same_v<Chain, GibbsFactors>) state.offset -= 0.5;
  }
}

template <class Chain>
Joint moved(Joint joint, const ObservationLaw& law, const ObservationLaw& other, Mistake mistake,
            std::uint64_t replicate, ThreadPool& pool) {
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    FactorOptions options;
    options.observations = law.kind();
    options.alpha = alpha;
    options.factors = shape.factors;
    options.seed = replicate;
    std::vector<Rating> ratings = joint.ratings;
    if (mistake == Mistake::flipped)
      for (Rating& rating : ratings) rating.value = 1 - rating.value;
    FactorShare share = FactorShare::whole(ratings, {users, items}, options);
    share.initial = std::move(joint.state);
    const auto run = [&](auto&& chain) {
      iterate(chain, mistake, cycle);
      joint.state = std::move(chain.draw());
    };
    if constexpr (std::is_same_v<Chain, GibbsFactors>) {
      run(GibbsFactors(std::move(share), options, pool));
    } else {
      run(NonNegativeFactors(std::move(share), options, mistake == Mistake::other_alpha ? other : law, pool));
    }
    draw_ratings(joint, law, {replicate, 2, cycle, Purpose::data});
  }
  return joint;
}

template <class Chain>
double worst_score(Observations observations, Mistake mistake, std::size_t replicates) {
  const ObservationLaw law(observations, alpha), other(observations, 1.8);
  ThreadPool pool(1);
  return testing::worst_change<functions>(replicates, [&](std::uint64_t r) {
    Joint joint = from_the_model(law, r);
    const Values before = values_of(joint);
    return std::pair(before, values_of(moved<Chain>(std::move(joint), law, other, mistake, r, pool)));
  });
}

const double limit = testing::z_threshold(1e-4, functions);  // false alarms: 1 in 10,000

TEST(ObservationsGeweke, Bernoulli_LeavesTheJointLawAsItIs) {
  EXPECT_LT(worst_score<GibbsFactors>(Observations::bernoulli, Mistake::none, 6000), limit);
}
TEST(ObservationsGeweke, FlippedSigns_AreRejected) {
  EXPECT_GT(worst_score<GibbsFactors>(Observations::bernoulli, Mistake::flipped, 2000), limit);
}
TEST(ObservationsGeweke, LatentsOfAnotherMean_AreRejected) {
  EXPECT_GT(worst_score<GibbsFactors>(Observations::bernoulli, Mistake::other_offset, 4000), limit);
}
TEST(ObservationsGeweke, LatentsThatAreNotDrawn_AreRejected) {
  EXPECT_GT(worst_score<GibbsFactors>(Observations::bernoulli, Mistake::old_latents, 4000), limit);
}
TEST(ObservationsGeweke, Poisson_LeavesTheJointLawAsItIs) {
  EXPECT_LT(worst_score<NonNegativeFactors>(Observations::poisson, Mistake::none, 10000), limit);
}
TEST(ObservationsGeweke, AMistakeInThePriorOfCounts_IsRejected) {
  EXPECT_GT(worst_score<NonNegativeFactors>(Observations::poisson, Mistake::prior, 4000), limit);
}
TEST(ObservationsGeweke, AMistakeInTheTermsOfCounts_IsRejected) {
  EXPECT_GT(worst_score<NonNegativeFactors>(Observations::poisson, Mistake::other_offset, 4000), limit);
}

TEST(ObservationsGeweke, Stable_LeavesTheJointLawAsItIs) {
  EXPECT_LT(worst_score<NonNegativeFactors>(Observations::stable, Mistake::none, 2000), limit);
}
TEST(ObservationsGeweke, AnotherExponent_IsRejected) {
  EXPECT_GT(worst_score<NonNegativeFactors>(Observations::stable, Mistake::other_alpha, 1000), limit);
}
TEST(ObservationsGeweke, AMistakeInThePriorOfStableFactors_IsRejected) {
  EXPECT_GT(worst_score<NonNegativeFactors>(Observations::stable, Mistake::prior, 1000), limit);
}

}  // namespace
}  // namespace sgmcmc
