// Samplers in preconditioned coordinates u: the map and its inverse, agreement with a chain written in u, and an
// interface in terms of theta.
#include "dynamics/whitened.hpp"

#include "dynamics/chains.hpp"
#include "dynamics/targets.hpp"
#include "dynamics/whitening.hpp"
#include "errors/message_of.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc::testing {
namespace {

void expect_mentions(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

std::shared_ptr<const Preconditioner> preconditioner_of(Precondition kind) {
  auto p = std::make_shared<Preconditioner>();
  p->kind = kind;
  p->centre = {1.0, -2.0, 0.5, 3.0};
  if (kind == Precondition::dense) {
    p->factor = {2.0, 0.3, -0.4, 0.1, 0, 0.5, 0.2, -0.1, 0, 0, 1.5, 0.7, 0, 0, 0, 0.25};
    return p;
  }
  p->scale = {2.0, 0.5, 1.5, 0.25};
  if (kind == Precondition::low_rank) {
    p->factor = {0.6, 0.8, 0, 0, 0, 0, 0.8, -0.6};
    p->stretch = {3.0, 0.2};
  }
  return p;
}

Eigen::Matrix4d matrix_of(const std::shared_ptr<const Preconditioner>& p) {
  Whitening map(p);
  Eigen::Matrix4d L;
  for (int j = 0; j < 4; ++j) {
    const Eigen::Vector4d unit = Eigen::Vector4d::Unit(j);
    Eigen::Vector4d column;
    map.multiply({unit.data(), 4}, {column.data(), 4});
    L.col(j) = column;
  }
  return L;
}

class EveryKind : public ::testing::TestWithParam<Precondition> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind,
                         ::testing::Values(Precondition::diagonal, Precondition::dense, Precondition::low_rank));

TEST_P(EveryKind, Map_IsLinearAndInvertibleAndTransposed) {
  const auto p = preconditioner_of(GetParam());
  const Eigen::Matrix4d L = matrix_of(p);
  Whitening map(p);
  const std::vector<double> u{0.3, -1.0, 2.0, 0.7};
  const Eigen::Vector4d v = Eigen::Map<const Eigen::Vector4d>(u.data());
  std::vector<double> theta(4), back(4), turned(4);
  map.position(u, theta);
  map.coordinates(theta, back);
  map.multiply_transposed(u, turned);
  std::vector<double> turned_back(4);
  map.solve_transposed(turned, turned_back);
  for (int j = 0; j < 4; ++j) {
    EXPECT_NEAR(theta[j], p->centre[j] + L.row(j).dot(v), 1e-14);
    EXPECT_NEAR(back[j], u[j], 1e-13);
    EXPECT_NEAR(turned[j], L.col(j).dot(v), 1e-14);
    EXPECT_NEAR(turned_back[j], u[j], 1e-13);
    EXPECT_NEAR(p->standard_deviations()[j], L.row(j).norm(), 1e-14);
  }
}

/// The same target as a function of u, computed with matrices.
class InU final : public GradientEstimator {
 public:
  InU(GradientEstimator& inner, const std::shared_ptr<const Preconditioner>& p)
      : inner_(inner), L_(matrix_of(p)), centre_(Eigen::Map<const Eigen::Vector4d>(p->centre.data())) {}
  std::size_t dimension() const override { return 4; }
  void estimate(std::span<const double> u, std::uint64_t evaluation, std::span<double> gradient) override {
    const Eigen::Vector4d theta = centre_ + L_ * Eigen::Map<const Eigen::Vector4d>(u.data());
    Eigen::Vector4d g;
    inner_.estimate({theta.data(), 4}, evaluation, {g.data(), 4});
    Eigen::Map<Eigen::Vector4d>(gradient.data()) = L_.transpose() * g;
  }
  void estimate_with_variance(std::span<const double> u, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override {
    estimate(u, evaluation, gradient);
    for (double& v : variance) v = 0;
  }
  Eigen::Vector4d theta(std::span<const double> u) const {
    return centre_ + L_ * Eigen::Map<const Eigen::Vector4d>(u.data());
  }

 private:
  GradientEstimator& inner_;
  Eigen::Matrix4d L_;
  Eigen::Vector4d centre_;
};

TEST_P(EveryKind, Chain_IsThatOfTheSamplerInU) {
  const auto p = preconditioner_of(GetParam());
  const std::vector<SamplerOptions> samplers = {SgldOptions{.step_size = 0.1},
                                                SglmOptions{.step_size = 0.3},
                                                SghmcOptions{.step_size = 0.05},
                                                SgnhtOptions{.step_size = 0.05},
                                                PsgldOptions{.step_size = 0.1, .correction = true},
                                                HamcmcOptions{.step_size = 0.05}};
  for (const auto& sampler : samplers) {
    GaussianTarget target({1.0, 0.5, 2.0, 0.2}, 0.5), same({1.0, 0.5, 2.0, 0.2}, 0.5);
    InU in_u(same, p);
    const auto whitened = make_whitened(make_dynamics(sampler, 4), p);
    const auto plain = make_dynamics(sampler, 4);
    whitened->initialise(p->centre, {7, 1});
    plain->initialise(std::vector<double>(4, 0.0), {7, 1});
    for (std::uint64_t t = 0; t < 20; ++t) {
      ASSERT_TRUE(whitened->step(target, t).ok());
      ASSERT_TRUE(plain->step(in_u, t).ok());
      const Eigen::Vector4d expected = in_u.theta(plain->position());
      for (std::size_t j = 0; j < 4; ++j)
        ASSERT_NEAR(whitened->position()[j], expected[static_cast<Eigen::Index>(j)], 1e-9)
            << sampler_name(sampler) << " at " << t;
    }
    EXPECT_EQ(whitened->last_step_size(), plain->last_step_size());
  }
}

/// Remembers the position of the last gradient.
class Witness final : public GradientEstimator {
 public:
  std::size_t dimension() const override { return 4; }
  void estimate(std::span<const double> theta, std::uint64_t, std::span<double> gradient) override {
    at.assign(theta.begin(), theta.end());
    for (std::size_t j = 0; j < 4; ++j) gradient[j] = last[j] = -theta[j] + 0.1 * static_cast<double>(j);
  }
  void estimate_with_variance(std::span<const double> theta, std::uint64_t evaluation, std::span<double> gradient,
                              std::span<double> variance) override {
    estimate(theta, evaluation, gradient);
    for (double& v : variance) v = 1.0;
  }
  double log_density(std::span<const double> theta, std::span<double> gradient) override {
    estimate(theta, 0, gradient);
    double value = 0;
    for (std::size_t j = 0; j < 4; ++j) value += theta[j] * (0.1 * static_cast<double>(j) - 0.5 * theta[j]);
    return value;
  }
  std::vector<double> at, last = std::vector<double>(4);
};

TEST_P(EveryKind, GradientsAreTakenAtThePositionToTheLastBit) {
  const auto p = preconditioner_of(GetParam());
  const auto sglm = make_whitened(make_dynamics(SglmOptions{}, 4), p);
  sglm->initialise(std::vector<double>{0.1, 0.2, 0.3, 0.4}, {7, 1});
  Witness witness;
  for (std::uint64_t t = 0; t < 10; ++t) {
    const std::vector<double> before(sglm->position().begin(), sglm->position().end());
    ASSERT_TRUE(sglm->step(witness, t).ok());
    EXPECT_EQ(witness.at, before);
  }
  const auto sgnht = make_whitened(make_dynamics(SgnhtOptions{.step_size = 0.1}, 4), p);
  sgnht->initialise(p->centre, {7, 1});
  for (std::uint64_t t = 0; t < 5; ++t) ASSERT_TRUE(sgnht->step(witness, t).ok());
  const auto here = sgnht->gradient_here();
  ASSERT_EQ(here.size(), 4u);
  EXPECT_EQ(std::vector<double>(here.begin(), here.end()), witness.last) << "in theta, not in u";
  EXPECT_EQ(std::vector<double>(sgnht->position().begin(), sgnht->position().end()), witness.at);
}

TEST_P(EveryKind, GradientOfADraw_IsThatOfTheDrawNotOfTheLastPointTried) {
  const auto p = preconditioner_of(GetParam());
  for (const SamplerOptions& exact :
       {SamplerOptions(NutsOptions{}), SamplerOptions(HmcOptions{}), SamplerOptions(MalaOptions{})}) {
    auto dynamics = make_whitened(make_dynamics(exact, 4), p);
    dynamics->initialise(p->centre, {7, 1});
    dynamics->plan_warmup(0);
    Witness witness;
    bool tried_others = false;
    for (std::uint64_t t = 0; t < 40; ++t) {
      ASSERT_TRUE(dynamics->step(witness, t).ok());
      const auto here = dynamics->gradient_here();
      ASSERT_EQ(here.size(), 4u);
      const auto theta = dynamics->position();
      tried_others = tried_others || !std::equal(theta.begin(), theta.end(), witness.at.begin());
      for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(here[j], -theta[j] + 0.1 * static_cast<double>(j), 1e-10) << j;
    }
    EXPECT_TRUE(tried_others) << sampler_name(exact);  // otherwise the test is vacuous
  }
}

TEST_P(EveryKind, Interrupt_ReachesTrajectories) {
  const auto p = preconditioner_of(GetParam());
  NutsOptions nuts;
  nuts.step_size = 1e-9;
  nuts.adapt = false;
  nuts.max_tree_depth = 20;
  auto dynamics = make_whitened(make_dynamics(nuts, 4), p);
  dynamics->initialise(p->centre, {7, 1});
  const std::atomic<bool> interrupt{true};
  dynamics->set_interrupt(&interrupt);
  Witness witness;
  EXPECT_EQ(dynamics->step(witness, 0).failure, StepFailure::interrupted);
}

class Saved final : public StateVisitor {
 public:
  bool restoring = false;
  void visit(std::string_view, double& value) override { move(numbers, value, next_number); }
  void visit(std::string_view, std::uint64_t& value) override { move(counts, value, next_count); }
  void visit(std::string_view, std::vector<double>& values) override { move(vectors, values, next_vector); }
  std::vector<double> numbers;
  std::vector<std::uint64_t> counts;
  std::vector<std::vector<double>> vectors;

 private:
  template <class T>
  void move(std::vector<T>& kept, T& value, std::size_t& next) {
    if (restoring)
      value = kept.at(next++);
    else
      kept.push_back(value);
  }
  std::size_t next_number = 0, next_count = 0, next_vector = 0;
};

TEST_P(EveryKind, RestoredChain_GoesOnBitForBit) {
  const auto p = preconditioner_of(GetParam());
  for (const SamplerOptions& sampler : {SamplerOptions(SglmOptions{}), SamplerOptions(SgnhtOptions{.step_size = 0.1}),
                                        SamplerOptions(SghmcOptions{.step_size = 0.1, .refresh_momentum = false})}) {
    Witness witness;
    const auto first = make_whitened(make_dynamics(sampler, 4), p),
               second = make_whitened(make_dynamics(sampler, 4), p);
    first->initialise(p->centre, {7, 1});
    for (std::uint64_t t = 0; t < 7; ++t) ASSERT_TRUE(first->step(witness, t).ok());
    Saved saved;
    first->visit_state(saved);
    second->initialise(std::vector<double>(4, 0.0), {7, 1});
    saved.restoring = true;
    second->visit_state(saved);
    for (std::uint64_t t = 7; t < 12; ++t) {
      for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(first->position()[j], second->position()[j]) << t;
      ASSERT_TRUE(first->step(witness, t).ok());
      ASSERT_TRUE(second->step(witness, t).ok());
    }
  }
}

TEST(Whitened, SamplersWithScalesOfTheirOwn_AreRefused) {
  EXPECT_NO_THROW(check_whitened(NutsOptions{}, Precondition::diagonal));
  for (const SamplerOptions& sampler :
       {SamplerOptions(SgfsFullOptions{}), SamplerOptions(SgrldOptions{.step_size = 0.1})})
    expect_mentions(message_of<OptionError>([&] { check_whitened(sampler, Precondition::automatic); }),
                    std::string(sampler_name(sampler)) + " has scales of its own");
  expect_mentions(message_of<OptionError>([] {
                    check_whitened(SgldOptions{.step_size = {0.1, 0.2}}, Precondition::dense);
                  }),
                  "there are 2 step sizes");
  expect_mentions(message_of<OptionError>([] {
                    check_whitened(SghmcOptions{.step_size = 0.1, .noise_correction = NoiseCorrection::fisher},
                                   Precondition::dense);
                  }),
                  "use precondition diagonal");
}

}  // namespace
}  // namespace sgmcmc::testing
