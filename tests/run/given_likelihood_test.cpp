// A likelihood that the caller computes gives the same draws as the model written as a graph.
#include "run/models.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

namespace sgmcmc::testing {
namespace {

class Logistic final : public GivenLikelihood {
 public:
  explicit Logistic(const LogisticData& data) : data_(data) {}
  double add(std::span<const double> beta, std::span<const std::uint32_t> rows,
             std::span<double> gradient) const override {
    double sum = 0;
    for (const auto i : rows) {
      const double* x = data_.x.data() + i * beta.size();
      const double eta = std::inner_product(beta.begin(), beta.end(), x, 0.0);
      sum += data_.y[i] * eta - (eta > 0 ? eta + std::log1p(std::exp(-eta)) : std::log1p(std::exp(eta)));
      for (std::size_t k = 0; k < beta.size(); ++k) gradient[k] += (data_.y[i] - 1 / (1 + std::exp(-eta))) * x[k];
    }
    return sum;
  }

 private:
  const LogisticData& data_;
};

const LogisticData& some_data() {
  static const LogisticData made(600, 3);
  return made;
}

Model given_logistic() {
  Model model;
  const auto beta = model.parameter("beta", {3});
  model.prior(normal_lpdf(beta, 0, 1));
  model.likelihood(std::make_shared<const Logistic>(some_data()), static_cast<std::int64_t>(some_data().rows));
  return model;
}

class GivenRows : public ::testing::TestWithParam<std::string> {};

TEST_P(GivenRows, DrawsAreThoseOfTheGraph) {
  SampleOptions options;
  options.method(GetParam());
  if (!is_exact(options.sampler) && !GetParam().starts_with("sgfs")) options.step_size(1e-4);
  options.gradient.minibatch.batch_size = takes_every_row(options.sampler) ? 0 : 50;
  if (auto* hmc = std::get_if<HmcOptions>(&options.sampler)) hmc->leapfrog_steps = 3;  // limits rounding errors
  options.iterations = 30;
  options.warmup = is_exact(options.sampler) ? 30 : 5;
  options.chains = 2;
  options.threads = 2;
  const auto expected = sample(logistic_regression(some_data()), options);
  const auto found = sample(given_logistic(), options);
  for (std::size_t chain = 0; chain < 2; ++chain)
    for (std::size_t draw = 0; draw < 30; ++draw)
      for (std::size_t k = 0; k < 3; ++k)
        ASSERT_NEAR(found.draws(chain, draw, k), expected.draws(chain, draw, k), 1e-6) << chain << " " << draw;
}

INSTANTIATE_TEST_SUITE_P(Methods, GivenRows,
                         ::testing::Values("sgld", "sgld-cv", "sghmc-saga", "sgnht-svrg", "baoab-full", "psgld",
                                           "sgfs-full", "sgfs-diagonal", "hamcmc", "sglm", "sgrld", "mala", "hmc"),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(GivenLikelihoods, ExpandedByHmcEcs_AreRefused) {
  SampleOptions options;
  options.method("hmc-ecs");
  EXPECT_THROW(sample(given_logistic(), options), OptionError);
}

TEST(GivenLikelihoods, WhatTheyThrow_EndsTheRun) {
  struct Failing final : GivenLikelihood {
    double add(std::span<const double>, std::span<const std::uint32_t>, std::span<double>) const override {
      throw DataError("no such file");
    }
  };
  Model model;
  model.parameter("a");
  model.likelihood(std::make_shared<const Failing>(), 10);
  SampleOptions options;
  options.method("sgld").step_size(0.1);
  EXPECT_THROW(sample(model, options), DataError);
}

}  // namespace
}  // namespace sgmcmc::testing
