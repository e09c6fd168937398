// After its first steps a chain allocates nothing.
#include "allocations/allocation_count.hpp"

#include "run/models.hpp"

#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace sgmcmc::testing {
namespace {

TEST(AllocationCount, VectorsOfAllKinds_AreSeen) {
  const auto before = allocation_count();
  const auto plain = std::make_unique<Vector>(10, 1.0);
  EXPECT_GT(allocation_count(), before);
  const auto between = allocation_count();
  volatile Eigen::Index size = 100;
  const Eigen::VectorXd vector = Eigen::VectorXd::Constant(size, 1.0);
  EXPECT_EQ(allocation_count() > between, counts_malloc());
  EXPECT_EQ(vector[99] + (*plain)[0], 2.0);
}

class Allocation : public ::testing::TestWithParam<std::string> {};

std::uint64_t allocations_of_steps(const Model& model, SampleOptions options) {
  Chain chain(model, options);
  for (int t = 0; t < 12; ++t) {
    chain.step();
    chain.values();
    chain.keep_draw();
    chain.log_posterior();
  }
  const auto before = allocation_count();
  for (int t = 0; t < 40; ++t) {
    chain.step();
    chain.values();
    chain.keep_draw();
    chain.log_posterior();
  }
  return allocation_count() - before;
}

SampleOptions options_for(const std::string& method) {
  SampleOptions options;
  options.method(method).step_size(1e-5);
  std::visit(
      [](auto& sampler) {
        if constexpr (requires { sampler.alpha; }) sampler.alpha = 1000.0;
        if constexpr (requires { sampler.square_decay; }) sampler.step_size = 1e-9;
      },
      options.sampler);
  options.gradient.minibatch.batch_size = 100;
  options.gradient.refresh_every = 5;
  options.iterations = 1000;
  options.threads = 2;
  return options;
}

TEST_P(Allocation, StepsOfLogisticRegression_AllocateNothing) {
  // Enough rows for full passes to use several chunks and both threads.
  const Model model = logistic_regression(LogisticData(5000, 8));
  for (const auto sampling : {RowSampling::without_replacement, RowSampling::with_replacement,
                              RowSampling::shuffled_epochs, RowSampling::weighted, RowSampling::slices}) {
    auto options = options_for(GetParam());
    options.gradient.minibatch.sampling = sampling;
    if (sampling == RowSampling::weighted) options.gradient.minibatch.row_probabilities.assign(5000, 1.0);
    options.functions = {{"norm", sum(square(model.parameters()[0].value))}};
    EXPECT_EQ(allocations_of_steps(model, options), 0u) << "sampling " << static_cast<int>(sampling);
  }
}

TEST_P(Allocation, StepsWithMatricesAndConstraints_AllocateNothing) {
  // A hidden layer, correlated weights and a simplex use other kinds of kernels.
  const LogisticData data(800, 8);
  Model model(data.dataset());
  const auto hidden = model.parameter("hidden", {4, 8});
  const auto out = model.parameter("out", {4});
  const auto scale = model.parameter("scale", {4}, Constraint::lower(0));
  const auto share = model.parameter("share", {4}, Constraint::simplex());
  const auto factor = model.parameter("factor", {4, 4}, Constraint::cholesky_factor_correlation());
  model.prior(std_normal_lpdf(hidden));
  model.prior(gamma_lpdf(scale, 3, 1));
  model.prior(lkj_corr_cholesky_lpdf(factor, 2));
  model.prior(multi_normal_cholesky_lpdf(out, constant(Vector(4, 0.0)), matmul(diagonal_matrix(scale), factor)));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(out * share, tanh(matmul(hidden, model.row("x"))))));
  EXPECT_EQ(allocations_of_steps(model, options_for(GetParam())), 0u);
}

INSTANTIATE_TEST_SUITE_P(Methods, Allocation,
                         ::testing::Values("sgld", "sgld-full", "sgld-cv", "sgld-saga", "sgld-svrg", "sghmc",
                                           "sghmc-cv", "sghmc-saga", "sghmc-svrg", "sgnht", "sgnht-cv", "sgnht-saga",
                                           "sgnht-svrg", "baoab", "baoab-cv", "baoab-saga", "baoab-svrg", "psgld",
                                           "psgld-cv", "sgfs-full", "sgfs-full-cv", "sgfs-full-saga", "sgfs-diagonal",
                                           "sgfs-diagonal-svrg", "sgrld", "hamcmc", "hamcmc-cv", "hamcmc-saga", "sglm",
                                           "sglm-cv", "sglm-svrg", "mala"),
                         [](const auto& which) {
                           std::string name = which.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Allocation, NoiseCorrection_AllocatesNothing) {
  const Model model = logistic_regression(LogisticData(1000, 3));
  for (const char* method : {"sghmc", "sghmc-cv", "sghmc-saga", "sghmc-svrg"}) {
    auto options = options_for(method);
    std::get<SghmcOptions>(options.sampler).noise_correction = NoiseCorrection::fisher;
    EXPECT_EQ(allocations_of_steps(model, options), 0u) << method;
  }
}

TEST(Allocation, LongerRunOfSample_AllocatesNoMoreOften) {
  const Model model = logistic_regression(LogisticData(1000, 3));
  const auto allocations_of = [&](std::uint64_t iterations) {
    auto options = options_for("sgld-svrg");
    options.threads = 1;
    options.iterations = iterations;
    const auto before = allocation_count();
    sample(model, options);
    return allocation_count() - before;
  };
  allocations_of(10);  // one-time allocations of the program
  // Both lengths give the same number of zero-variance batches, on which the final allocations depend.
  EXPECT_EQ(allocations_of(1024), allocations_of(2048));
}

}  // namespace
}  // namespace sgmcmc::testing
