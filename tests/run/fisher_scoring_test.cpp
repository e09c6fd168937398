// sgfs: on a normal posterior with the largest steps, the full form is correct and the diagonal form is too narrow.
#include "dynamics/dynamics.hpp"
#include "gradient/estimators.hpp"
#include "run/models.hpp"
#include "statistics/significance.hpp"

#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <cmath>
#include <numeric>

namespace sgmcmc::testing {
namespace {

/// x_i ~ N(theta, Sigma) with a flat prior. The sample covariance of the rows equals Sigma exactly, so N V is the
/// posterior precision.
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

SampleOptions scoring(const std::string& method, double alpha, RowSampling sampling) {
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
  options.iterations = 20'000;
  options.chains = 4;
  return options;
}

/// Ratio of the standard deviation of the first coordinate to that of the posterior, with its standard error.
Estimate sd_ratio(const std::string& method, double alpha, RowSampling sampling,
                  FisherBlocks blocks = FisherBlocks::one) {
  static const CorrelatedMeans problem;
  auto options = scoring(method, alpha, sampling);
  if (auto* full = std::get_if<SgfsFullOptions>(&options.sampler)) full->blocks = blocks;
  const auto result = sample(problem.model, options);
  const QuantityDraws draws(result.draws, 0);
  const double sd = 1.0 / std::sqrt(static_cast<double>(CorrelatedMeans::rows));
  return {result.draws.standard_deviation(std::size_t{0}) / sd, mcse_sd(draws) / sd};
}

/// The same ratio in closed form for any C, also one that differs from precision plus noise: solves
///   Sigma = (I - gain C^-1 A) Sigma (I - gain C^-1 A)' + gain^2 (C^-1 V C^-1 + alpha^2 C^-1)
double sd_ratio_with(const Eigen::Matrix2d& C, const Eigen::Matrix2d& A, const Eigen::Matrix2d& V, double alpha) {
  const double gain = 2.0 / (1.0 + alpha * alpha);
  const Eigen::Matrix2d inverse = C.inverse(), B = Eigen::Matrix2d::Identity() - gain * inverse * A;
  Eigen::Matrix2d sigma = gain * gain * (inverse * V * inverse + alpha * alpha * inverse), power = B;
  for (int k = 0; k < 60; ++k) {  // sums B^k noise B'^k, doubling the number of terms each time
    sigma = (sigma + power * sigma * power.transpose()).eval();
    power = (power * power).eval();
  }
  return std::sqrt(sigma(0, 0) * static_cast<double>(CorrelatedMeans::rows));
}

Eigen::Matrix2d precision() {
  Eigen::Matrix2d sigma;
  sigma << 1.0, CorrelatedMeans::correlation, CorrelatedMeans::correlation, 1.0;
  return static_cast<double>(CorrelatedMeans::rows) * sigma.inverse();
}

TEST(FisherScoring, AllPairs_AreRightAtEveryStep) {
  // Six comparisons within z_threshold(1e-4, 6). The error of the estimated information is far smaller than a standard
  // error.
  for (const double alpha : {0.0, 1.0, 3.0})
    for (const auto sampling : {RowSampling::with_replacement, RowSampling::without_replacement}) {
      const Estimate found = sd_ratio("sgfs-full", alpha, sampling);
      EXPECT_LT(found.standard_error, 0.02) << alpha;
      EXPECT_LT(std::abs(found.z_score(1.0)), z_threshold(1e-4, 6)) << alpha << ": " << found.value;
    }
}

TEST(FisherScoring, EveryEstimator_IsRightAtLargeSteps) {
  // With these estimators, gradients of this model have little or no noise: with alpha 0, none would be added and the
  // chain would not move. The formula of the paper puts the noise of plain minibatches into C, and is rejected.
  for (const char* method : {"sgfs-full-full", "sgfs-full-cv", "sgfs-full-saga", "sgfs-full-svrg"}) {
    const Estimate found = sd_ratio(method, 1.0, RowSampling::without_replacement);
    EXPECT_LT(found.standard_error, 0.02) << method;
    EXPECT_LT(std::abs(found.z_score(1.0)), z_threshold(1e-4, 4)) << method << ": " << found.value;
    const double published = sd_ratio_with(11.0 * precision(), precision(), Eigen::Matrix2d::Zero(), 1.0);
    EXPECT_LT(published, 0.8);
    EXPECT_GT(std::abs(found.z_score(published)), 10.0) << method;
  }
}

TEST(FisherScoring, OneByOne_IsTooNarrowByWhatTheTheorySays) {
  // C is the diagonal of precision plus noise; the noise is 9 times the precision without replacement, 10 times with.
  for (const double alpha : {0.0, 1.0}) {
    const Eigen::Matrix2d A = precision(), C = (11.0 * A).diagonal().asDiagonal();
    const double expected = sd_ratio_with(C, A, 10.0 * A, alpha);
    const Estimate found = sd_ratio("sgfs-diagonal", alpha, RowSampling::with_replacement);
    EXPECT_LT(found.standard_error, 0.02) << alpha;
    EXPECT_LT(std::abs(found.z_score(expected)), z_threshold(1e-4, 2))
        << alpha << ": " << found.value << " " << expected;
    EXPECT_LT(expected, 0.95) << "what the paper reports";
    EXPECT_GT(std::abs(found.z_score(1.0)), 10.0);
  }
  const Eigen::Matrix2d A = precision(), C = (11.0 * A).diagonal().asDiagonal();
  EXPECT_GT(sd_ratio_with(C, A, 10.0 * A, 100.0), 0.99) << "and small steps are right";
}

TEST(FisherScoring, OneBlockByParameter_IsAllPairsHere) {
  const Estimate whole = sd_ratio("sgfs-full", 0.0, RowSampling::with_replacement);
  const Estimate blocks = sd_ratio("sgfs-full", 0.0, RowSampling::with_replacement, FisherBlocks::parameters);
  EXPECT_EQ(whole.value, blocks.value);
}

TEST(FisherScoring, ScalarParametersAsBlocks_AreSgfsDiagonal) {
  Model model(Dataset::Builder().real("x", normals(300, 8)).build());
  const auto a = model.parameter("a"), b = model.parameter("b");
  model.prior(normal_lpdf(b, 0, 1));
  model.likelihood(normal_lpdf(model.row("x"), a + b, 1));
  auto options = scoring("sgfs-full", 1.0, RowSampling::without_replacement);
  options.iterations = 200;
  std::get<SgfsFullOptions>(options.sampler).blocks = FisherBlocks::parameters;
  const auto blocks = sample(model, options);
  options.sampler = SgfsDiagonalOptions{.alpha = 1.0};
  const auto diagonal = sample(model, options);
  for (std::size_t t = 0; t < 200; ++t) EXPECT_NEAR(blocks.draws(0, t, 0), diagonal.draws(0, t, 0), 1e-9);
}

/// Hides the prior of an estimator from the sampler, and its information factors unless `factors` is set.
class WithoutPrior final : public GradientEstimator {
 public:
  WithoutPrior(std::unique_ptr<GradientEstimator> inner, bool factors) : inner_(std::move(inner)), factors_(factors) {}
  std::size_t dimension() const override { return inner_->dimension(); }
  std::size_t batch_rows() const override { return inner_->batch_rows(); }
  void estimate(std::span<const double> theta, std::uint64_t k, std::span<double> g) override {
    inner_->estimate(theta, k, g);
  }
  void estimate_with_variance(std::span<const double> theta, std::uint64_t k, std::span<double> g,
                              std::span<double> v) override {
    inner_->estimate_with_variance(theta, k, g, v);
  }
  void estimate_with_information(std::span<const double> theta, std::uint64_t k, std::span<double> g,
                                 std::span<const std::size_t> blocks, std::span<double> information) override {
    inner_->estimate_with_information(theta, k, g, blocks, information);
  }
  std::size_t information_columns() const override { return factors_ ? inner_->information_columns() : 0; }
  void estimate_with_information_factor(std::span<const double> theta, std::uint64_t k, std::span<double> g,
                                        std::span<double> factor) override {
    inner_->estimate_with_information_factor(theta, k, g, factor);
  }

 private:
  std::unique_ptr<GradientEstimator> inner_;
  bool factors_;
};

TEST(FisherScoring, BatchesMuchSmallerThanTheDimension_GiveTheDrawsOfTheMatrix) {
  constexpr std::size_t size = 60;
  const ManyRegressions problem(size, true);
  const auto posterior = std::make_shared<const LogPosterior>(problem.model());
  for (const auto estimator : {Estimator::minibatch, Estimator::control_variate, Estimator::saga, Estimator::svrg}) {
    GradientOptions options;
    options.estimator = estimator;
    options.minibatch.batch_size = 3;
    const auto centre = make_centre(*posterior, problem.mean(), {});
    WithoutPrior small(make_estimator(posterior, options, 1, 0, centre, nullptr), true);
    EXPECT_LT(8 * small.information_columns(), size + 1) << "or the matrix is taken in both cases";
    WithoutPrior large(make_estimator(posterior, options, 1, 0, centre, nullptr), false);
    auto one = make_dynamics(SgfsFullOptions{.alpha = 30.0}, size),
         other = make_dynamics(SgfsFullOptions{.alpha = 30.0}, size);
    one->initialise(problem.mean(), {1, 0});
    other->initialise(problem.mean(), {1, 0});
    // Until the batches have shown all directions, the information is nearly singular and moves chains far off, so
    // errors are measured by the largest coordinate there was. Seen: 3e-11 to 3e-10 of it.
    double largest = 1.0;
    for (std::uint64_t t = 0; t < 200; ++t) {
      ASSERT_TRUE(one->step(small, t).ok() && other->step(large, t).ok());
      for (double value : one->position()) largest = std::max(largest, std::abs(value));
      for (std::size_t j = 0; j < size; ++j) ASSERT_NEAR(one->position()[j], other->position()[j], 2e-9 * largest) << t;
    }
  }
}

TEST(FisherScoring, CoordinatesOfFewRows_AreRight) {
  // Means of 50 groups of 20 rows: most batches of 50 rows contain no row of a given group. The precision is 20, and N
  // V is 20 (1 - 1/50). One comparison of the mean sd of 50 independent coordinates, false-alarm rate below 1e-4.
  constexpr std::int64_t groups = 50, each = 20;
  std::vector<std::int32_t> group;
  Vector y;
  const Vector drawn = normals(groups * each, 6);
  for (std::int64_t g = 0; g < groups; ++g) {
    // Residuals have mean 0 and variance 1 in each group, so that the empirical information equals the model's.
    Vector rest(drawn.begin() + g * each, drawn.begin() + (g + 1) * each);
    const double mean = std::accumulate(rest.begin(), rest.end(), 0.0) / each;
    double square = 0.0;
    for (double& r : rest) {
      r -= mean;
      square += r * r;
    }
    for (const double r : rest) {
      group.push_back(static_cast<std::int32_t>(g));
      y.push_back(r / std::sqrt(square / each));
    }
  }
  Model model(Dataset::Builder().real("y", y).integer("group", group).build());
  const auto theta = model.parameter("theta", {groups});
  model.likelihood(normal_lpdf(model.row("y"), gather(theta, model.row("group")), 1));
  auto options = scoring("sgfs-diagonal", 1.0, RowSampling::without_replacement);
  options.gradient.minibatch.batch_size = 50;
  options.iterations = 5000;
  const auto result = sample(model, options);
  double mean = 0.0, error = 0.0;
  for (std::size_t j = 0; j < groups; ++j) {
    const QuantityDraws draws(result.draws, j);
    mean += result.draws.standard_deviation(j) * std::sqrt(20.0) / groups;
    error += std::pow(mcse_sd(draws) * std::sqrt(20.0) / groups, 2);
  }
  // If batches without a group were left out of its average, the ratio would be 0.90. The average is noisy if few
  // batches contain a group; the resulting variation of step sizes adds up to 3 %.
  EXPECT_LT(std::sqrt(error), 0.01);
  EXPECT_NEAR(mean, 1.0, 0.03 + 4.0 * std::sqrt(error));
}

TEST(FisherScoring, DirectionsThatOnlyThePriorKnows_StayWhereItSays) {
  // The rows determine only the sum of the parameters. The C of the rows vanishes in all other directions.
  for (const std::int64_t size : {2, 40}) {
    Model model(Dataset::Builder().real("x", normals(100, 8)).build());
    const auto theta = model.parameter("theta", {size});
    model.prior(normal_lpdf(theta, 0, 1));
    model.likelihood(normal_lpdf(model.row("x"), sum(theta), 1));
    auto options = scoring("sgfs-full-cv", 1.0, RowSampling::without_replacement);
    options.gradient.minibatch.batch_size = size == 2 ? 10 : 2;
    options.warmup = options.iterations = 10'000;  // the initial C, about 100 here, fades as 1 / batches
    const auto result = sample(model, options);
    // The prior alone determines the difference of two parameters: variance 2. False-alarm rate 1e-4.
    QuantityDraws difference;
    for (std::size_t c = 0; c < 4; ++c) {
      auto& chain = difference.chains.emplace_back();
      for (std::size_t t = 0; t < 10'000; ++t) chain.push_back(result.draws(c, t, 0) - result.draws(c, t, 1));
    }
    double square = 0.0;
    for (const auto& chain : difference.chains)
      for (const double d : chain) square += d * d / 40'000.0;
    const double error = mcse_sd(difference);
    EXPECT_LT(error, 0.1) << size;
    EXPECT_NEAR(std::sqrt(square), std::sqrt(2.0), 4.0 * error + 0.02) << size;
  }
}

}  // namespace
}  // namespace sgmcmc::testing
