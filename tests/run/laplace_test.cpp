// laplace_approximation: exact if the posterior is normal, an error if there is no mode.
#include "errors/message_of.hpp"
#include "run/models.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <numbers>

namespace sgmcmc::testing {
namespace {

/// y_i ~ N(a + b x_i, 1), (a, b) ~ N(0, 1), with x on a very different scale.
struct Line {
  Vector x{1e3, 2e3, 4e3, 7e3}, y{0.5, 1.5, -0.5, 2.0};

  Model model() const {
    Model made(Dataset::Builder().real("x", x).real("y", y).build());
    const auto a = made.parameter("a");
    const auto b = made.parameter("b");
    made.prior(normal_lpdf(a, 0, 1) + normal_lpdf(b, 0, 1));
    made.likelihood(normal_lpdf(made.row("y"), a + b * made.row("x"), 1));
    return made;
  }
  /// Precision of (a, b): 1 + n, sum x, 1 + sum x^2.
  double aa = 5, ab = 14e3, bb = 1 + 70e6;
  double determinant() const { return aa * bb - ab * ab; }
};

TEST(Laplace, NormalPosterior_HasItsCovariance) {
  const Line line;
  const auto normal = laplace_approximation(line.model());
  const auto covariance = normal.covariance();
  EXPECT_NEAR(covariance[0], line.bb / line.determinant(), 1e-12 * covariance[0]);
  EXPECT_NEAR(covariance[3], line.aa / line.determinant(), 1e-12 * covariance[3]);
  EXPECT_NEAR(covariance[1], -line.ab / line.determinant(), 1e-12 * -covariance[1]);
  EXPECT_DOUBLE_EQ(covariance[1], covariance[2]);
  EXPECT_NEAR(normal.standard_deviations()[1], std::sqrt(covariance[3]), 1e-15);
}

TEST(Laplace, NormalPosterior_HasItsEvidence) {
  const Line line;
  // Marginally, y ~ N(0, I + 1 1' + x x'): uses the matrix determinant lemma and the Woodbury identity.
  double sum_y = 0, sum_xy = 0, sum_yy = 0;
  for (std::size_t i = 0; i < line.y.size(); ++i) {
    sum_y += line.y[i];
    sum_xy += line.x[i] * line.y[i];
    sum_yy += line.y[i] * line.y[i];
  }
  const double explained =
      (line.bb * sum_y * sum_y - 2 * line.ab * sum_y * sum_xy + line.aa * sum_xy * sum_xy) / line.determinant();
  const double exact = -0.5 * (4 * std::log(2 * std::numbers::pi) + std::log(line.determinant()) + sum_yy - explained);
  EXPECT_NEAR(laplace_approximation(line.model()).log_evidence(), exact, 1e-7);
}

TEST(Laplace, Draws_HaveMeanAndCovariance) {
  // 20,000 independent draws; five numbers within 4.5 standard errors each: false-alarm rate below 4e-5.
  const Line line;
  const auto normal = laplace_approximation(line.model());
  const auto covariance = normal.covariance();
  const auto deviation = normal.standard_deviations();
  constexpr int count = 20'000;
  double mean[2] = {}, square[2] = {}, product = 0;
  Vector theta(2);
  for (int i = 0; i < count; ++i) {
    normal.draw({.seed = 3, .iteration = static_cast<std::uint64_t>(i), .purpose = Purpose::noise}, theta);
    double z[2];
    for (int j = 0; j < 2; ++j) {
      z[j] = (theta[static_cast<std::size_t>(j)] - normal.mode()[static_cast<std::size_t>(j)]) /
             deviation[static_cast<std::size_t>(j)];
      mean[j] += z[j] / count;
      square[j] += z[j] * z[j] / count;
    }
    product += z[0] * z[1] / count;
  }
  const double correlation = covariance[1] / (deviation[0] * deviation[1]);
  for (int j = 0; j < 2; ++j) {
    EXPECT_NEAR(mean[j], 0, 4.5 / std::sqrt(count));
    EXPECT_NEAR(square[j], 1, 4.5 * std::sqrt(2.0 / count));
  }
  EXPECT_NEAR(product, correlation, 4.5 * std::sqrt((1 + correlation * correlation) / count));
  EXPECT_GT(std::abs(correlation), 0.5);  // otherwise the product would test nothing
}

TEST(Laplace, Threads_ChangeNothing) {
  const Model model = logistic_regression(LogisticData(500, 4));
  const auto one = laplace_approximation(model, {}, {}, 1);
  const auto two = laplace_approximation(model, {}, {}, 2);
  EXPECT_EQ(one.covariance(), two.covariance());
  for (const double deviation : one.standard_deviations()) EXPECT_TRUE(deviation > 0.01 && deviation < 1) << deviation;
}

TEST(Laplace, FlatDirection_IsNamed) {
  Model model(Dataset::Builder().real("y", Vector{1, 2, 3}).build());
  const auto a = model.parameter("a");
  const auto b = model.parameter("b", {}, {});
  const auto c = model.parameter("c");
  model.prior(normal_lpdf(c, 0, 1));
  model.likelihood(normal_lpdf(model.row("y"), a + 2 * b, 1));
  EXPECT_EQ(message_of<ModelError>([&] { laplace_approximation(model); }),
            "there is no normal approximation at this point: the log posterior is flat in a direction that is mostly "
            "a. Give that parameter a proper prior, or use nuts");
}

TEST(Laplace, Saddle_IsNamed) {
  const std::vector<double> hessian{1, 0, 0, -1};
  EXPECT_EQ(message_of<ModelError>([&] {
              LaplaceApproximation({0, 0}, hessian, 0, {"a", "b"});
            }),
            "there is no normal approximation at this point: the log posterior curves upwards in a direction that is "
            "mostly b. The search did not find a mode: give initial values nearer to it, or use nuts");
}

TEST(Laplace, MethodOfSample_DrawsFromTheApproximation) {
  // 4 x 1000 independent draws; four z-scores below 4.5: false-alarm rate below 4e-5.
  const Line line;
  const Model model = line.model();
  const auto normal = laplace_approximation(model);
  SampleOptions options;
  options.method("laplace");
  options.chains = 4;
  const auto result = sample(model, options);
  ASSERT_EQ(result.draws.draws(0), 1000u);
  ASSERT_TRUE(result.mode_report.has_value());
  EXPECT_TRUE(result.draws.equal_weights());
  for (std::size_t j = 0; j < 2; ++j) {
    const double sd = normal.standard_deviations()[j];
    EXPECT_NEAR(result.draws.mean(j), normal.mode()[j], 4.5 * sd / std::sqrt(4000));
    EXPECT_NEAR(result.draws.standard_deviation(j), sd, 4.5 * sd / std::sqrt(8000));
  }
}

TEST(Laplace, MethodWithPartOfTheRows_IsRefused) {
  EXPECT_EQ(message_of<OptionError>([] { SampleOptions().method("laplace-cv"); }),
            "laplace is made from every row: there is no laplace-cv. Use the method laplace, or sgld, sghmc, sgnht or "
            "hamcmc for "
            "gradients from part of the rows");
}

}  // namespace
}  // namespace sgmcmc::testing
