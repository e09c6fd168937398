// Geweke's joint-distribution test of the LDA chain with all documents in every batch: draw topics, assignments and
// words from the model, let the chain move topics and assignments, and redraw the words given them; after any number of
// such cycles the joint distribution must be unchanged. The test must reject chains with an error in either
// conditional.
//
// J. Geweke, Getting it right: joint distribution tests of posterior simulators, 2004. Every replicate starts from the
// model itself, so replicates are independent and the comparison before / after is a paired one.
#include "topics/lda_chain.hpp"

#include "statistics/geweke.hpp"
#include "statistics/significance.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::size_t documents = 4, length = 6, words = 5, topics = 3, tokens = documents * length;
constexpr double alpha = 0.7, beta = 0.4;
constexpr std::uint64_t cycles = 5;
constexpr std::size_t functions = 7;
using Values = std::array<double, functions>;

struct State {
  std::vector<double> log_theta = std::vector<double>(words * topics);  // w * topics + k
  std::array<Assignment, tokens> z{};
  std::array<std::uint32_t, tokens> w{};
};

/// What a mistake changes.
struct Plan {
  LdaOptions options;
  std::size_t word_topic_shift = 0;  // words drawn from another topic than their own
};

Plan right_plan() {
  Plan plan;
  plan.options.topics = topics;
  plan.options.alpha = alpha;
  plan.options.beta = beta;
  plan.options.batch_size = documents;
  plan.options.sweeps = 1;
  plan.options.keep_assignments = true;
  plan.options.step_size = 1.0;
  return plan;
}

double log_sum(const std::vector<double>& values, std::size_t first, std::size_t stride) {
  double sum = 0;
  for (std::size_t i = first; i < values.size(); i += stride) sum += std::exp(values[i]);
  return std::log(sum);
}

std::size_t choose(const std::function<double(std::size_t)>& weight, std::size_t count, double u) {
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) total += weight(i);
  double rest = u * total;
  for (std::size_t i = 0; i + 1 < count; ++i)
    if ((rest -= weight(i)) < 0) return i;
  return count - 1;
}

void draw_words(State& state, const StreamKey& key, std::size_t topic_shift) {
  std::array<double, tokens> uniforms;
  fill_uniform(key, uniforms);
  for (std::size_t i = 0; i < tokens; ++i) {
    const std::size_t k = (state.z[i] + topic_shift) % topics;
    state.w[i] = static_cast<std::uint32_t>(
        choose([&](std::size_t w) { return std::exp(state.log_theta[w * topics + k]); }, words, uniforms[i]));
  }
}

State from_the_model(std::uint64_t replicate) {
  State state;
  const auto key = [&](std::uint64_t part) { return StreamKey{replicate, 1, part, Purpose::data}; };
  fill_log_gamma(key(0), std::vector<double>(words * topics, beta), state.log_theta);
  std::vector<double> eta(documents * topics);
  fill_log_gamma(key(1), std::vector<double>(documents * topics, alpha), eta);
  std::array<double, tokens> uniforms;
  fill_uniform(key(2), uniforms);
  for (std::size_t i = 0; i < tokens; ++i) {
    const std::size_t d = i / length;
    state.z[i] = static_cast<Assignment>(
        choose([&](std::size_t k) { return std::exp(eta[d * topics + k]); }, topics, uniforms[i]));
  }
  draw_words(state, key(3), 0);
  return state;
}

Values values_of(const State& state) {
  Values values{};
  std::array<double, topics> totals, of_topic{};
  std::array<double, documents * topics> of_document{};
  std::array<double, words * topics> of_word{};
  for (std::size_t k = 0; k < topics; ++k) totals[k] = log_sum(state.log_theta, k, topics);
  for (std::size_t i = 0; i < tokens; ++i) {
    ++of_topic[state.z[i]];
    ++of_document[i / length * topics + state.z[i]];
    ++of_word[state.w[i] * topics + state.z[i]];
    values[0] += std::max(-30.0, state.log_theta[state.w[i] * topics + state.z[i]] - totals[state.z[i]]);
  }
  for (std::size_t i = 0; i < words * topics; ++i) {
    const double phi = std::exp(state.log_theta[i] - totals[i % topics]);
    values[1] += phi * phi;
    values[2] += std::max(-30.0, std::log(phi));
    values[3] += of_word[i] * of_word[i];
    values[4] += of_word[i] * phi;
  }
  for (const double n : of_document) values[5] += n * n;
  for (const double n : of_topic) values[6] += n * n;
  return values;
}

State moved(const State& before, const Plan& plan, std::uint64_t replicate) {
  State state = before;
  ThreadPool pool(1);
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    DocumentStoreBuilder builder(0, "");
    for (std::size_t i = 0; i < tokens; ++i) {
      builder.add({state.w[i], 1});
      if ((i + 1) % length == 0) builder.end_document();
    }
    const auto store = builder.finish();
    LdaOptions options = plan.options;
    options.seed = replicate;
    LdaChain chain(*store, words, options, 0, pool);
    chain.set_log_theta(state.log_theta);
    if (options.keep_assignments) {
      for (std::size_t i = 0; i < tokens; ++i)
        chain.gibbs().kept(static_cast<std::uint32_t>(i / length))[i % length] = state.z[i];
    }
    EXPECT_TRUE(chain.iterate(cycle));
    if (options.keep_assignments) {
      for (std::size_t i = 0; i < tokens; ++i)
        state.z[i] = chain.gibbs().kept(static_cast<std::uint32_t>(i / length))[i % length];
    }
    state.log_theta.assign(chain.log_theta().begin(), chain.log_theta().end());
    draw_words(state, {replicate, 2, cycle, Purpose::data}, plan.word_topic_shift);
  }
  return state;
}

double worst_score(const Plan& plan, std::size_t replicates) {
  return testing::worst_change<functions>(replicates, [&](std::uint64_t r) {
    const State before = from_the_model(r);
    return std::pair(values_of(before), values_of(moved(before, plan, r)));
  });
}

const double limit = testing::z_threshold(1e-4, functions);  // false alarms: 1 in 10,000

TEST(LdaGeweke, ScirWithAllDocuments_LeavesTheJointLawAsItIs) {
  EXPECT_LT(worst_score(right_plan(), 2500), limit);
  Plan short_steps = right_plan();
  short_steps.options.step_size = 0.1;
  EXPECT_LT(worst_score(short_steps, 1500), limit);
}

TEST(LdaGeweke, MistakesInTheAssignments_AreRejected) {
  Plan wrong_prior = right_plan();
  wrong_prior.options.alpha = 2 * alpha;
  EXPECT_GT(worst_score(wrong_prior, 500), limit);
}

TEST(LdaGeweke, MistakesInTheTopics_AreRejected) {
  Plan wrong_prior = right_plan();
  wrong_prior.options.beta = 2 * beta;
  EXPECT_GT(worst_score(wrong_prior, 500), limit) << "prior";
  Plan averaged = right_plan();
  averaged.options.sweeps = 4;
  EXPECT_GT(worst_score(averaged, 500), limit) << "counts averaged over sweeps instead of one draw of them";
  Plan mirrored = right_plan();
  mirrored.options.method = SimplexMethod::sgrld;
  mirrored.options.step_size = 0.5;
  EXPECT_GT(worst_score(mirrored, 500), limit) << "a Langevin step of this size has an error of its own";
}

TEST(LdaGeweke, MistakesInTheWords_AreRejected) {
  Plan shifted = right_plan();
  shifted.word_topic_shift = 1;
  EXPECT_GT(worst_score(shifted, 500), limit);
}

}  // namespace
}  // namespace sgmcmc
