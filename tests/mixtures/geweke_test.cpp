// Geweke's joint-distribution test of the Dirichlet process mixture with all documents in every batch: draw
// concentration, sticks, clusters, assignments and words from the model, let the chain move all but the words, redraw
// the words given the rest; after any number of such cycles the joint distribution must be unchanged. The test must
// reject chains with an error in any one conditional. As in tests/topics/geweke_test.cpp the comparison is a paired
// one.
#include "mixtures/dpmix_chain.hpp"

#include "statistics/geweke.hpp"
#include "statistics/significance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::size_t documents = 6, length = 3, words = 4;
constexpr double beta = 0.6, shape = 2.0, rate = 1.5;
constexpr std::uint64_t cycles = 4;
constexpr std::size_t functions = 10;
using Values = std::array<double, functions>;

struct State {
  DpmixChain::State chain;
  std::array<std::uint32_t, documents * length> w{};
};

enum class Mistake {
  none,
  slices,         // drawn below the square root of a uniform times the weight
  assignments,    // that use the weights only, not the words
  sticks,         // under twice the concentration
  clusters,       // under twice the prior
  concentration,  // one more in its shape
  tail,           // clusters beyond the slices are not added
  labels,         // the first cluster goes to the end, likely or not
};

double log_total(std::span<const double> logs) {
  double sum = 0;
  for (const double x : logs) sum += std::exp(x);
  return std::log(sum);
}

std::span<const double> cluster(const State& state, std::size_t j) {
  return std::span(state.chain.log_theta).subspan(j * words, words);
}

void draw_words(State& state, const StreamKey& key) {
  std::array<double, documents * length> uniforms;
  fill_uniform(key, uniforms);
  for (std::size_t i = 0; i < uniforms.size(); ++i) {
    const auto log_theta = cluster(state, state.chain.assignments[i / length]);
    double rest = uniforms[i] * std::exp(log_total(log_theta));
    std::uint32_t w = 0;
    while (w + 1 < words && (rest -= std::exp(log_theta[w])) >= 0) ++w;
    state.w[i] = w;
  }
}

State from_the_model(std::uint64_t replicate) {
  State state;
  const auto key = [&](std::uint64_t part) { return StreamKey{replicate, 1, part, Purpose::data}; };
  double log_gamma = 0;
  fill_log_gamma(key(0), std::span(&shape, 1), {&log_gamma, 1});
  state.chain.concentration = std::exp(log_gamma) / rate;
  std::array<double, documents> uniforms;
  fill_uniform(key(1), uniforms);
  std::array<double, documents> left = uniforms;  // of the weights, for each document on its way to its cluster
  state.chain.assignments.assign(documents, DpmixChain::no_cluster);
  const std::vector<double> prior(words, beta);
  double rest = 1;
  for (std::uint64_t j = 0; j < 500; ++j) {
    const double shapes[2] = {1.0, state.chain.concentration};
    double drawn[2];
    fill_log_gamma(key(2), shapes, drawn, 2 * j);
    const double v = 1.0 / (1.0 + std::exp(drawn[1] - drawn[0]));
    bool all = true;
    for (std::size_t i = 0; i < documents; ++i) {
      if (state.chain.assignments[i] != DpmixChain::no_cluster) continue;
      if ((left[i] -= rest * v) < 0)
        state.chain.assignments[i] = static_cast<std::uint32_t>(j);
      else
        all = false;
    }
    rest *= 1.0 - v;
    state.chain.log_sticks.insert(state.chain.log_sticks.end(), {drawn[0], drawn[1]});
    std::vector<double> log_theta(words);
    fill_log_gamma(key(3), prior, log_theta, j * words);
    state.chain.log_theta.insert(state.chain.log_theta.end(), log_theta.begin(), log_theta.end());
    if (all) break;
  }
  for (auto& z : state.chain.assignments)
    if (z == DpmixChain::no_cluster) z = static_cast<std::uint32_t>(state.chain.log_sticks.size() / 2 - 1);
  draw_words(state, key(4));
  return state;
}

Values values_of(const State& state) {
  Values values{};
  const auto& z = state.chain.assignments;
  const double alpha = state.chain.concentration;
  values[0] = alpha / (1 + alpha);
  values[1] = std::log(alpha);
  values[2] = std::log1p(static_cast<double>(*std::max_element(z.begin(), z.end())));
  std::array<std::array<double, words>, documents> counts{};
  for (std::size_t i = 0; i < state.w.size(); ++i) ++counts[i / length][state.w[i]];
  for (std::size_t i = 0; i < documents; ++i) {
    const auto log_theta = cluster(state, z[i]);
    const double total = log_total(log_theta);
    for (std::size_t w = 0; w < words; ++w) {
      const double log_phi = log_theta[w] - total, phi = std::exp(log_phi);
      values[3] += phi * phi;
      values[4] += counts[i][w] * std::max(-20.0, log_phi);
      values[5] += counts[i][w] * counts[i][w];
    }
    double log_weight = 0;
    for (std::size_t j = 0; j <= z[i]; ++j) {
      const double a = state.chain.log_sticks[2 * j], b = state.chain.log_sticks[2 * j + 1];
      log_weight += (j == z[i] ? a : b) - log_sum(a, b);
    }
    values[6] += std::max(-20.0, log_weight);
    for (std::size_t k = 0; k < i; ++k) {
      if (z[k] != z[i]) continue;
      ++values[7];
      for (std::size_t w = 0; w < words; ++w) values[8] += counts[i][w] * counts[k][w];
    }
  }
  values[9] = 1.0 / (1.0 + std::exp(state.chain.log_sticks[1] - state.chain.log_sticks[0]));  // the first stick
  return values;
}

struct Plan {
  Mistake mistake = Mistake::none;
  SimplexMethod method = SimplexMethod::scir;
  double step_size = 1.0;
};

/// The iteration of the chain, with a mistake between its stages.
void iterate(DpmixChain& chain, Mistake mistake, std::uint64_t t, ThreadPool& pool) {
  chain.choose_batch(t);
  chain.draw_slices(t);
  if (mistake == Mistake::slices)
    for (std::size_t i = 0; i < documents; ++i) {
      const double log_weight = chain.sticks().log_weights()[chain.assignment(static_cast<std::uint32_t>(i))];
      chain.log_slices()[i] = 0.5 * (chain.log_slices()[i] + log_weight);
    }
  if (mistake != Mistake::tail) chain.extend(t);
  if (mistake == Mistake::assignments) chain.table().temper(0.0);
  chain.assign(t);
  if (mistake == Mistake::assignments) chain.table().normalise(pool);
  chain.relabel(t);
  if (mistake == Mistake::labels)
    for (std::size_t j = 0; j + 1 < chain.sticks().size(); ++j) chain.swap(j);
  const double concentration = chain.concentration();
  if (mistake == Mistake::sticks) chain.set_concentration(2 * concentration);
  EXPECT_TRUE(chain.move_sticks(t));
  chain.set_concentration(concentration);
  EXPECT_TRUE(chain.move_clusters(t));
  chain.draw_concentration(t);
}

State moved(const State& before, const Plan& plan, std::uint64_t replicate, ThreadPool& pool) {
  State state = before;
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    DocumentStoreBuilder builder(0, "");
    for (std::size_t i = 0; i < state.w.size(); ++i) {
      builder.add({state.w[i], 1});
      if ((i + 1) % length == 0) builder.end_document();
    }
    const auto store = builder.finish();
    DpmixOptions options;
    options.method = plan.method;
    options.beta = plan.mistake == Mistake::clusters ? 2 * beta : beta;
    options.concentration_shape = plan.mistake == Mistake::concentration ? shape + 1 : shape;
    options.concentration_rate = rate;
    options.step_size = options.stick_step_size = plan.step_size;
    options.batch_size = documents;
    options.initial_clusters = 1;
    options.seed = replicate;
    DpmixChain chain(*store, words, options, 0, pool);
    chain.set_state(state.chain);
    iterate(chain, plan.mistake, cycle, pool);
    EXPECT_EQ(chain.truncated(), 0U);
    state.chain = chain.state();
    draw_words(state, {replicate, 2, cycle, Purpose::data});
  }
  return state;
}

double worst_score(const Plan& plan, std::size_t replicates) {
  ThreadPool pool(1);
  return testing::worst_change<functions>(replicates, [&](std::uint64_t r) {
    const State before = from_the_model(r);
    return std::pair(values_of(before), values_of(moved(before, plan, r, pool)));
  });
}

const double limit = testing::z_threshold(1e-4, functions);  // false alarms: 1 in 10,000
constexpr std::size_t enough = 800;                          // to see a mistake

TEST(DpmixGeweke, ScirWithAllDocuments_LeavesTheJointLawAsItIs) {
  EXPECT_LT(worst_score({}, 2500), limit);
  Plan short_steps;
  short_steps.step_size = 0.1;
  EXPECT_LT(worst_score(short_steps, 1000), limit);
}

TEST(DpmixGeweke, AMistakeInTheSlices_IsRejected) { EXPECT_GT(worst_score({Mistake::slices}, enough), limit); }
TEST(DpmixGeweke, NoClustersBeyondTheSlices_IsRejected) { EXPECT_GT(worst_score({Mistake::tail}, enough), limit); }
TEST(DpmixGeweke, AMistakeInTheAssignments_IsRejected) {
  EXPECT_GT(worst_score({Mistake::assignments}, enough), limit);
}
TEST(DpmixGeweke, AMistakeInTheSticks_IsRejected) { EXPECT_GT(worst_score({Mistake::sticks}, enough), limit); }
TEST(DpmixGeweke, AMistakeInTheLabels_IsRejected) { EXPECT_GT(worst_score({Mistake::labels}, enough), limit); }
TEST(DpmixGeweke, AMistakeInTheClusters_IsRejected) { EXPECT_GT(worst_score({Mistake::clusters}, enough), limit); }
TEST(DpmixGeweke, AMistakeInTheConcentration_IsRejected) {
  EXPECT_GT(worst_score({Mistake::concentration}, enough), limit);
}
TEST(DpmixGeweke, ALangevinStepOfThisSize_HasAnErrorOfItsOwn) {
  EXPECT_GT(worst_score({Mistake::none, SimplexMethod::sgrld, 0.5}, enough), limit);
}

}  // namespace
}  // namespace sgmcmc
