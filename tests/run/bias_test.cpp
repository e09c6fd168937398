// Diagnosis of whole runs: biased draws are detected, correct ones are not, costs are counted, and messages are exact.
#include "errors/message_of.hpp"
#include "judge/draw_gradients.hpp"
#include "judge/gradient_noise.hpp"
#include "model/log_posterior.hpp"
#include "run/models.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

using testing::logistic_regression;
using testing::LogisticData;
using testing::ManyRegressions;
using testing::message_of;
using testing::standard_normal;

SampleOptions options_for(const std::string& method, double step_size, std::uint64_t iterations) {
  SampleOptions options;
  options.method(method);
  if (step_shows(options.sampler)) options.step_size(step_size);
  options.gradient.minibatch.batch_size = 20;
  options.iterations = iterations;
  options.chains = 4;
  options.threads = 2;
  return options;
}

TEST(GradientNoise, AllRowsLookedAt_IsTheVarianceOverAllBatches) {
  const ManyRegressions regressions(2, true);
  const LogPosterior posterior(regressions.model());
  GradientOptions options;
  options.minibatch.batch_size = 5;
  const auto noise = gradient_noise(posterior, options, {{regressions.mean(), {}}}, 1);
  EXPECT_NEAR(noise.variance[0], regressions.noise_at_mean(5), 1e-10 * noise.variance[0]);
  EXPECT_NEAR(noise.covariance(1, 1), regressions.noise_at_mean(5), 1e-10 * noise.variance[0]);
  EXPECT_EQ(noise.rows_touched, 20.0);
  // With control variates centred at the mean, at a distance of 1 from it, only the noise that grows with the distance
  // remains.
  std::vector<double> away = regressions.mean();
  for (double& x : away) x += 1.0;
  const auto quiet = gradient_noise(posterior, options, {{away, regressions.mean()}}, 1);
  EXPECT_NEAR(quiet.variance[1], regressions.noise_per_square(5), 1e-10 * quiet.variance[1]);
  // Equal probabilities are uniform sampling, except that rows may repeat.
  options.minibatch.sampling = RowSampling::weighted;
  options.minibatch.row_probabilities.assign(20, 3.0);
  const auto weighted = gradient_noise(posterior, options, {{away, regressions.mean()}}, 1);
  EXPECT_NEAR(weighted.variance[1] * (1.0 - 5.0 / 20.0), quiet.variance[1], 1e-10 * quiet.variance[1]);
}

TEST(NoiseRatio, EachSampler_ComparesWithItsOwnNoise) {
  EXPECT_DOUBLE_EQ(noise_ratio(SgldOptions{}, 0.1, 8.0), 0.2);
  SghmcOptions single;
  single.trajectory_length = 1;  // the same chain as sgld
  EXPECT_DOUBLE_EQ(noise_ratio(single, 0.1, 8.0), 0.2);
  EXPECT_NEAR(noise_ratio(SgnhtOptions{}, 0.1, 8.0), 40.0, 1e-9);
  SghmcOptions plain;
  plain.form = SghmcForm::plain;
  plain.refresh_momentum = false;
  plain.friction = 0.1;
  EXPECT_NEAR(noise_ratio(plain, 0.1, 8.0), 4.0, 1e-9);
  EXPECT_EQ(noise_ratio(NutsOptions{}, 0.1, 8.0), 0.0);
  EXPECT_EQ(noise_ratio(HmcEcsOptions{}, 0.1, 8.0), 0.0);
  EXPECT_TRUE(std::isnan(noise_ratio(PsgldOptions{}, 0.1, 8.0)));
  EXPECT_TRUE(std::isnan(noise_ratio(MarginalSglmOptions{}, 0.1, 8.0)));
}

TEST(DrawGradients, ControlVariates_EstimateTheFullGradientForThePriceCounted) {
  const LogisticData data(2000, 3);
  const auto posterior = std::make_shared<const LogPosterior>(logistic_regression(data));
  std::vector<double> positions(3 * 200);
  fill_normal({1, 0, 0, Purpose::user}, positions);
  const double truth[] = {1.0, -0.5, 1.0};
  for (std::size_t k = 0; k < positions.size(); ++k) positions[k] = truth[k % 3] + 0.06 * positions[k];
  BiasOptions options;
  ThreadPool one(1), two(2);
  const auto full = gradients_at(posterior, positions, options, one);
  EXPECT_TRUE(full.full);
  EXPECT_EQ(full.rows_touched, 200.0 * 2000.0);
  options.gradients = DrawGradients::control_variate;
  const auto estimated = gradients_at(posterior, positions, options, one);
  ASSERT_FALSE(estimated.full);
  // The centre, eight pilot estimates from 256 rows at two points each, then one batch per draw.
  EXPECT_EQ(estimated.rows_touched, 2000.0 + 2.0 * 8.0 * 256.0 + 200.0 * static_cast<double>(estimated.batch_size));
  EXPECT_LT(estimated.rows_touched, 0.2 * full.rows_touched);
  double error = 0, size = 0;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    error += std::pow(estimated.gradients[k] - full.gradients[k], 2);
    size += std::pow(full.gradients[k], 2);
  }
  EXPECT_GT(error, 0.0);
  EXPECT_LT(error, 0.3 * size);  // the target is a tenth
  EXPECT_EQ(gradients_at(posterior, positions, options, two).gradients, estimated.gradients);
}

/// sgld with full gradients on a standard normal has variance 1 / (1 - step / 4).
TEST(DiagnoseBias, StepTooLargeOnANormal_IsMeasuredAndNotTrusted) {
  const Model model = standard_normal(3);
  const double step = 1.6, ratio = 1.0 / std::sqrt(1.0 - step / 4.0);
  const auto run = options_for("sgld-full", step, 2000);
  const auto result = sample(model, run);
  BiasOptions options;
  options.halving_iterations = 4000;
  options.threads = 1;
  const auto report = diagnose_bias(model, run, result.draws, options);
  EXPECT_EQ(report.verdict.trust, Trust::do_not_trust);
  EXPECT_LT(report.worst_rhat, 1.01);
  EXPECT_GT(report.least_ess, 1000.0);
  EXPECT_EQ(report.points, 2000u);
  EXPECT_EQ(report.rows_touched, 0.0);
  ASSERT_TRUE(report.halving);
  for (std::size_t d = 0; d < 3; ++d) {  // false-alarm rate below 1e-4 in each of six comparisons
    const auto& c = report.coordinates[d];
    EXPECT_LT(std::abs(std::log(c.moments.sd_ratio / ratio)), 4.0 * c.moments.log_sd_ratio_error);
    EXPECT_GT(std::log(c.moments.sd_ratio), 4.0 * c.moments.log_sd_ratio_error);  // significantly biased
    EXPECT_NEAR(c.predicted_sd_ratio, ratio, 1e-6);
    EXPECT_EQ(c.noise_ratio, 0.0);
    const auto& half = report.halving->coordinates[d];
    const double change = std::log(std::sqrt((1.0 - step / 4.0) / (1.0 - step / 8.0)));
    EXPECT_LT(std::abs(half.log_sd_change - change), 4.0 * half.log_sd_change_error);
    EXPECT_LT(half.log_sd_change_error, 0.04);
  }
  // The step at which the ratio is 1.05 is 4 (1 - 1 / 1.05^2).
  EXPECT_NEAR(*report.step_within_five_percent * step, 4.0 * (1.0 - 1.0 / (1.05 * 1.05)), 0.01);
  options.threads = 2;
  const auto again = diagnose_bias(model, run, result.draws, options);
  EXPECT_EQ(again.kernel.u_squared, report.kernel.u_squared);
  EXPECT_EQ(again.coordinates[1].moments.sd_ratio, report.coordinates[1].moments.sd_ratio);
  EXPECT_EQ(again.halving->coordinates[2].log_sd_change, report.halving->coordinates[2].log_sd_change);
}

TEST(DiagnoseBias, NoisyGradients_AreBlamedAndControlVariatesAcquitted) {
  const LogisticData data(400, 2);
  const Model model = logistic_regression(data);
  const auto noisy = options_for("sgld", 0.01, 6000);
  const auto report = diagnose_bias(model, noisy, sample(model, noisy).draws);
  EXPECT_EQ(report.verdict.trust, Trust::do_not_trust);
  EXPECT_LT(report.worst_rhat, 1.02);
  EXPECT_NE(report.coordinates[0].advice.find("gradients too noisy for `beta[1]`: sd about "), std::string::npos)
      << report.coordinates[0].advice;
  const auto quiet = options_for("sgld-cv", 0.005, 6000);
  const auto right = diagnose_bias(model, quiet, sample(model, quiet).draws);
  EXPECT_EQ(right.verdict.trust, Trust::trust) << right.verdict.sentences.back();
  EXPECT_LT(right.coordinates[0].noise_ratio, 0.2 * report.coordinates[0].noise_ratio);
}

TEST(DiagnoseBias, ConstrainedParameters_AreDiagnosedByTheirUnconstrainedCoordinates) {
  Model model;
  const auto scale = model.parameter("scale", {}, Constraint::lower(0.0));
  model.prior(gamma_lpdf(scale, 20.0, 10.0));
  const auto run = options_for("sgld-full", 0.005, 8000);
  const auto report = diagnose_bias(model, run, sample(model, run).draws);
  EXPECT_EQ(report.coordinates[0].name, model.unconstrained_names()[0]);
  EXPECT_NEAR(report.coordinates[0].moments.mean, std::log(2.0), 0.1);
  EXPECT_NE(report.verdict.trust, Trust::do_not_trust);
}

TEST(DiagnoseBias, UnitVectors_AreJudgedByTheirDirections) {
  Model model;
  const auto x = model.parameter("x", {2, 3}, Constraint::unit_vector());
  model.prior(2.0 * x[0][0] - x[1][2]);
  auto run = options_for("nuts", 0.0, 1000);
  run.warmup = 500;
  const auto report = diagnose_bias(model, run, sample(model, run).draws);
  EXPECT_EQ(report.verdict.trust, Trust::trust) << report.verdict.sentences.back();
  for (const auto& c : report.coordinates) EXPECT_NEAR(c.moments.sd_ratio, 1.0, 0.15) << c.name;
}

TEST(DiagnoseBias, DrawsOfAnotherModel_AreRefused) {
  MemoryDraws draws;
  const std::vector<std::string> names{"y[1]"};
  draws.begin(names, 1, 1);
  const auto message =
      message_of<DataError>([&] { diagnose_bias(standard_normal(1), options_for("sgld-full", 1, 10), draws); });
  EXPECT_EQ(message, "the draws have no column 'x[1]', a parameter of the model: they are draws of another model");
}

// Messages to users ---------------------------------------------------------------------------------------------------

CoordinateBias coordinate(double sd_ratio, double error, double shift = 0.0, double shift_error = 0.02) {
  CoordinateBias c;
  c.name = "beta[3]";
  c.moments = {0.0, 1.0, sd_ratio, error, shift, shift_error};
  c.rhat = 1.0;
  c.ess = 1000;
  c.predicted_sd_ratio = c.predicted_from_step = NAN;
  return c;
}

BiasReport judged(CoordinateBias c, const std::string& method = "sgld") {
  BiasReport report;
  report.jointly = true;
  report.coordinates = {std::move(c)};
  judge(report, options_for(method, 1e-3, 100));
  return report;
}

TEST(Verdict, RightDraws_AreTrusted) {
  const auto report = judged(coordinate(1.03, 0.02));
  EXPECT_EQ(report.verdict.trust, Trust::trust);
  EXPECT_EQ(report.verdict.sentences,
            (std::vector<std::string>{
                "No problems found with these draws: by the gradients, every sd is within "
                "3.0 % of the posterior's (7.1 % including error) and every mean within 0 sd (0.039 sd)."}));
}

TEST(Verdict, ErrorsDecide_BetweenWrongRightAndUndecided) {
  EXPECT_EQ(judged(coordinate(1.30, 0.02)).verdict.trust, Trust::do_not_trust);
  EXPECT_EQ(judged(coordinate(0.70, 0.02)).verdict.trust, Trust::do_not_trust);
  EXPECT_EQ(judged(coordinate(1.15, 0.02)).verdict.trust, Trust::caution);
  EXPECT_EQ(judged(coordinate(1.30, 0.20)).verdict.trust, Trust::cannot_tell);  // might be 1
  EXPECT_EQ(judged(coordinate(1.00, 0.15)).verdict.trust, Trust::cannot_tell);  // might be 1.3
  EXPECT_EQ(judged(coordinate(1.10, 0.02)).verdict.trust, Trust::trust);
  EXPECT_EQ(judged(coordinate(NAN, NAN)).verdict.trust, Trust::cannot_tell);
  EXPECT_EQ(judged(coordinate(1.00, 0.02, 0.5)).verdict.trust, Trust::do_not_trust);
  EXPECT_EQ(judged(coordinate(1.00, 0.02, 0.3)).verdict.trust, Trust::caution);
}

TEST(Verdict, StepTooLarge_IsSaidWithWhatToDo) {
  auto c = coordinate(1.09, 0.01);
  c.moments.sd_ratio = 1.18;
  c.noise_ratio = 0.3;
  auto report = judged(c);
  EXPECT_EQ(report.verdict.sentences[0], "Use these draws with caution: 1 of 1 coordinate is somewhat off.");
  EXPECT_EQ(report.verdict.sentences[1],
            "step too large for `beta[3]`: sd inflated about 18 % (+- 1.2 %), variance about 39 %; halve it, or use "
            "control variates (-cv) or a larger batch.");
  c.predicted_sd_ratio = 1.2;
  c.predicted_from_step = 1.18;
  EXPECT_EQ(judged(c).verdict.sentences[1],
            "step too large for `beta[3]`: sd inflated about 18 % (+- 1.2 %), variance about 39 %; halve it.");
  c.predicted_from_step = 1.02;
  EXPECT_EQ(judged(c).verdict.sentences[1],
            "gradients too noisy for `beta[3]`: sd inflated about 18 % (+- 1.2 %), variance about 39 %; use control "
            "variates (-cv) or a larger batch, or halve the step.");
  c.predicted_from_step = 1.10;
  EXPECT_EQ(judged(c, "sgld-cv").verdict.sentences[1],
            "step too large for `beta[3]`: sd inflated about 18 % (+- 1.2 %), variance about 39 %, by the step and by "
            "gradient noise; halve it, or use a larger batch.");
  BiasReport with_step;
  with_step.jointly = true;
  with_step.coordinates = {c};
  with_step.step_within_five_percent = 0.25;
  judge(with_step, options_for("sgld", 1e-3, 100));
  EXPECT_EQ(with_step.verdict.sentences.back(),
            "All else unchanged, sds would be within 5 % at a step size of about 0.00025.");
}

TEST(Verdict, UndecidedCoordinate_IsNamedWithItsError) {
  EXPECT_EQ(judged(coordinate(1.0, 0.15)).verdict.sentences[1],
            "`beta[3]`: sd ratio 1.00 (+- 0.15) leaves open whether it is right; run longer.");
  EXPECT_EQ(judged(coordinate(1.0, 0.02, 0.2, 0.15)).verdict.sentences[1],
            "`beta[3]`: mean shift 0.20 (+- 0.15) posterior sd leaves open whether it is right; run longer.");
}

TEST(Verdict, SdFarTooLarge_IsNotToBeHealedByHalving) {
  auto c = coordinate(6.42, 0.02);
  c.noise_ratio = 0.3;
  EXPECT_EQ(judged(c, "sghmc-cv").verdict.sentences[1],
            "step too large for `beta[3]`: sd about 6.4 times too large; make it much smaller, or use a larger batch.");
}

TEST(Verdict, SmallSdAndMeansOff_AreSaidWithWhatToDo) {
  EXPECT_EQ(
      judged(coordinate(0.7, 0.02)).verdict.sentences[1],
      "`beta[3]`: sd too small by about 30 % (+- 1.4 %); the chains miss part of the posterior: run longer, with a "
      "larger step if the summary allows it.");
  EXPECT_EQ(
      judged(coordinate(0.7, 0.02), "sgnht").verdict.sentences[1],
      "`beta[3]`: sd too small by about 30 % (+- 1.4 %); use a smaller diffusion, or less gradient noise (a larger "
      "batch, -cv).");
  EXPECT_EQ(
      judged(coordinate(1.0, 0.02, -0.45)).verdict.sentences[1],
      "`beta[3]`: mean off by about 0.45 (+- 0.02) posterior sd; discard more warm-up or run longer, and if that does "
      "not help, halve the step.");
}

TEST(Verdict, CoordinatesThatDisagree_AreNotGivenLargerAndSmallerSteps) {
  auto slow = coordinate(0.7, 0.02), wide = coordinate(1.3, 0.02), waiting = coordinate(1.0, 0.02);
  slow.name = "slow";
  wide.name = "wide";
  waiting.ess = 12.4;
  BiasReport report;
  report.jointly = true;
  report.coordinates = {slow, waiting, wide};
  judge(report, options_for("sgld", 1e-3, 100));
  EXPECT_EQ(report.coordinates[0].advice,
            "`slow`: sd too small by about 30 % (+- 1.4 %); the chains miss part of the posterior: run longer");
  EXPECT_TRUE(report.coordinates[1].advice.ends_with("the chains have not explored the posterior yet; run longer"));
  EXPECT_EQ(report.coordinates[2].advice,
            "step too large for `wide`: sd inflated about 30 % (+- 2.6 %), variance about 69 %; halve it");
  report.coordinates = {slow, waiting};
  judge(report, options_for("sgld", 1e-3, 100));
  EXPECT_TRUE(report.coordinates[0].advice.ends_with("run longer, with a larger step if the summary allows it"));
}

TEST(Verdict, SamplersWithoutStep_AreAdvisedOtherwise) {
  EXPECT_EQ(judged(coordinate(1.3, 0.02), "nuts").verdict.sentences[1],
            "`beta[3]`: sd inflated about 30 % (+- 2.6 %), variance about 69 %; discard more warm-up and run longer.");
  EXPECT_EQ(
      judged(coordinate(0.7, 0.02), "laplace").verdict.sentences[1],
      "`beta[3]`: sd too small by about 30 % (+- 1.4 %); the posterior is not normal enough: use nuts, or sgld-cv.");
}

TEST(Verdict, FewIndependentDraws_MakeItImpossibleToTell) {
  auto c = coordinate(1.0, 0.02);
  c.ess = 12.4;
  c.rhat = 1.3;
  const auto report = judged(c);
  EXPECT_EQ(report.verdict.trust, Trust::cannot_tell);
  EXPECT_EQ(
      report.verdict.sentences,
      (std::vector<std::string>{"Too few independent draws to tell whether its parameter is right: run longer, with "
                                "a larger step if the summary allows it.",
                                "`beta[3]`: effective sample size 12, R-hat 1.30: the chains disagree; run "
                                "longer, with a larger step if the summary allows it."}));
  c.moments.sd_ratio = 0.2;  // far beyond any doubt
  EXPECT_EQ(judged(c).verdict.trust, Trust::do_not_trust);
}

TEST(Verdict, ChainsThatDisagree_AreNotTrusted) {
  BiasReport report;
  auto c = coordinate(2.0, 0.02);
  c.rhat = 1.3;
  report.coordinates = {c};
  report.points = 400;
  report.chains = 4;
  judge(report, options_for("nuts", 1, 100));
  EXPECT_EQ(report.verdict.trust, Trust::do_not_trust);
  report.points = 40;  // too few for R-hat to be reliable
  judge(report, options_for("nuts", 1, 100));
  EXPECT_EQ(report.verdict.trust, Trust::cannot_tell);
  report.points = 400;  // gradients find no bias, perhaps by luck
  report.jointly = true;
  report.coordinates[0].moments.sd_ratio = 1.02;
  judge(report, options_for("nuts", 1, 100));
  EXPECT_EQ(report.verdict.trust, Trust::cannot_tell);
}

TEST(Verdict, ExactSamplersThatMixed_AreBelievedWhereGradientsLeaveItOpen) {
  const auto verdict = [](double ratio, double error, double rhat) {
    BiasReport report;
    report.coordinates = {coordinate(ratio, error)};
    report.worst_rhat = rhat;
    report.least_ess = 800.7;
    judge(report, options_for("nuts", 1, 100));
    return report.verdict;
  };
  EXPECT_EQ(verdict(1.3, 0.5, 1.01).trust, Trust::trust);
  EXPECT_EQ(verdict(1.3, 0.5, 1.01).sentences,
            (std::vector<std::string>{"No problems found with these draws: the chains agree (R-hat at most 1.01, "
                                      "effective sample sizes at least 800), and gradients agree."}));
  EXPECT_EQ(verdict(1.3, 0.5, 1.05).trust, Trust::cannot_tell);
  EXPECT_EQ(verdict(1.9, 0.05, 1.01).trust, Trust::do_not_trust);
}

TEST(Verdict, WhatTheDensityDoesElsewhere_ComesFirst) {
  BiasReport report;
  report.jointly = true;
  report.coordinates = {coordinate(1.0, 0.02)};
  report.slow = SlowDirection{SlowTail::flat, {"a", "b"}};
  const auto sentence = [&] {
    judge(report, options_for("nuts", 1, 100));
    EXPECT_EQ(report.verdict.trust, Trust::do_not_trust);
    return report.verdict.sentences.at(0);
  };
  EXPECT_EQ(sentence(),
            "Do not trust these draws: the posterior is improper: its log density does not decrease along `a`, `b`. "
            "Give them proper priors, or remove parameters that the data do not identify.");
  report.slow->kind = SlowTail::no_mean;
  EXPECT_EQ(sentence(),
            "Do not trust these draws: the posterior has no mean and no standard deviation: its density decreases too "
            "slowly along `a`, `b`. Use medians and quantiles instead.");
  report.jump = Jump{131.0, {"tau"}};
  EXPECT_EQ(
      sentence(),
      "Do not trust these draws: the log density jumps where `tau` changes, by about 130 between two draws, which "
      "gradients do not show. Write the model without thresholds that depend on parameters, or sum over what is "
      "discrete.");
  report.impossible = 0.35;
  EXPECT_EQ(sentence(),
            "Do not trust these draws: 35 % of the draws are where the density is zero, which gradients do not show. "
            "Declare parameters with their bounds, as in real<lower=0>, or use nuts.");
  report.impossible = 0.001;
  report.jump.reset();
  report.slow.reset();
  report.other_mode = OtherMode{0.7, 0.0, true, false};
  EXPECT_EQ(sentence(),
            "Do not trust these draws: the chains have hardly visited another mode, which holds about 70 % of the "
            "posterior. Also start chains there, or use a prior that favours one mode.");
  report.other_mode = OtherMode{0.5, 0.0, true, true};
  EXPECT_EQ(sentence(),
            "Do not trust these draws: the posterior has an equivalent second mode that the chains have hardly "
            "visited: labels or signs can be exchanged. Order the parameters or fix their signs by constraints, or use "
            "only invariant quantities.");
  report.other_mode = OtherMode{0.7, 0.25, false, false};
  report.worst_rhat = 3.0;
  EXPECT_EQ(sentence(),
            "Do not trust these draws: the chains stay in separate modes. One holds about 70 % of the posterior by its "
            "height and width, and 25 % of the draws. Summarise the chains of each mode separately, or use a prior "
            "that favours one mode.");
  report.other_mode->exchanged = true;
  EXPECT_EQ(sentence(),
            "Do not trust these draws: the chains stay in equivalent modes: labels or signs can be exchanged. Order "
            "the parameters or fix their signs by constraints, or use only invariant quantities.");
  report.exchangeable = Exchangeable{{"a", "b"}, false};
  EXPECT_EQ(sentence(),
            "Do not trust these draws: the chains are in different modes, and the likelihood does not change when "
            "elements of `a`, `b` are exchanged together: single elements are not identified. Use predictions and "
            "other invariant quantities, or order the elements by a constraint.");
  report.exchangeable.reset();
  report.worst_rhat = 1.0;  // chains go from one mode to the other
  judge(report, options_for("nuts", 1, 100));
  EXPECT_NE(report.verdict.trust, Trust::do_not_trust);
}

}  // namespace
}  // namespace sgmcmc
