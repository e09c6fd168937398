// sgfs: on a normal posterior the largest steps are right with all pairs of parameters, and too narrow one by one.
#include "run/models.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>
#include <Eigen/Dense>

namespace sgmcmc::testing {
namespace {

/// x_i ~ N(theta, Sigma), flat prior, the rows' sample covariance being Sigma exactly: N V is the posterior's
/// precision.
struct CorrelatedMeans {
  static constexpr std::size_t rows = 1000;
  static constexpr double correlation = 0.9;
  Model model;

  CorrelatedMeans() {
    Eigen::MatrixXd z(rows, 2);
    const Vector drawn = normals(2 * rows, 40);
    for (std::size_t i = 0; i < rows; ++i) z.row(static_cast<Eigen::Index>(i)) << drawn[2 * i], drawn[2 * i + 1];
    z.rowwise() -= z.colwise().mean().eval();
    const Eigen::MatrixXd sample = z.transpose() * z / (static_cast<double>(rows) - 1.0);
    Eigen::Matrix2d wanted;
    wanted << 1.0, correlation, correlation, 1.0;
    const Eigen::Matrix2d from = sample.llt().matrixL(), to = wanted.llt().matrixL();
    z = (to * from.inverse() * z.transpose()).transpose().eval();
    Vector x(2 * rows);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t d = 0; d < 2; ++d) x[2 * i + d] = z(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(d));
    model = Model(Dataset::Builder().real("x", x, {2}).build());
    const auto theta = model.parameter("theta", {2});
    const auto rest = model.row("x") - theta;
    const double scale = 1.0 / (1.0 - correlation * correlation);
    model.likelihood(-0.5 * scale * (rest[0] * rest[0] + rest[1] * rest[1]) + scale * correlation * rest[0] * rest[1]);
  }
};

/// Standard deviation of the first coordinate over that of the posterior, and its error.
Estimate sd_ratio(const std::string& method, double alpha, RowSampling sampling) {
  const CorrelatedMeans problem;
  SampleOptions options;
  options.method(method);
  std::visit(
      [&](auto& sampler) {
        if constexpr (requires { sampler.alpha; }) sampler.alpha = alpha;
      },
      options.sampler);
  options.gradient.minibatch.batch_size = 100;
  options.gradient.minibatch.sampling = sampling;
  options.warmup = 1000;
  options.iterations = 30'000;
  options.chains = 4;
  const auto result = sample(problem.model, options);
  const QuantityDraws draws(result.draws, 0);
  const double sd = 1.0 / std::sqrt(static_cast<double>(CorrelatedMeans::rows));
  return {result.draws.standard_deviation(std::size_t{0}) / sd, mcse_sd(draws) / sd};
}

TEST(FisherScoring, AllPairs_AreRightAtEveryStep) {
  // Six comparisons within z_threshold(1e-4, 6); the information is itself estimated, which adds far less than an
  // error.
  for (const double alpha : {0.0, 1.0, 3.0})
    for (const auto sampling : {RowSampling::with_replacement, RowSampling::without_replacement}) {
      const Estimate found = sd_ratio("sgfs-full", alpha, sampling);
      EXPECT_LT(found.standard_error, 0.02) << alpha;
      EXPECT_LT(std::abs(found.z_score(1.0)), z_threshold(1e-4, 6)) << alpha << ": " << found.value;
    }
}

TEST(FisherScoring, ControlVariates_AreRightAtEveryStep) {
  // Gradients of this model have no noise with control variates: alpha 0 would add none at all and stand still.
  const Estimate found = sd_ratio("sgfs-full-cv", 1.0, RowSampling::without_replacement);
  EXPECT_LT(std::abs(found.z_score(1.0)), z_threshold(1e-4)) << found.value;
}

TEST(FisherScoring, OneByOne_IsTooNarrowWithLargeSteps) {
  const Estimate wide = sd_ratio("sgfs-diagonal", 0.0, RowSampling::with_replacement);
  EXPECT_LT(wide.value + 4.0 * wide.standard_error, 0.9) << wide.value;
}

}  // namespace
}  // namespace sgmcmc::testing
