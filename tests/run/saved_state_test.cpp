// A chain restored in another object continues bit for bit, for every sampler and estimator.
#include "run/models.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

namespace sgmcmc::testing {
namespace {

const LogisticData& data() {
  static const LogisticData made(120, 3);
  return made;
}

SampleOptions options_for(const std::string& method) {
  SampleOptions options;
  options.method(method).step_size(1e-3);
  options.gradient.minibatch.batch_size = 20;
  options.gradient.refresh_every = 7;
  options.warmup = 40;  // saved at 33, while exact samplers are still adapting
  options.zero_variance =
      method == "laplace" || method == "hmc-ecs" ? ZeroVarianceForm::none : ZeroVarianceForm::linear;
  options.threads = 1;
  options.seed = 5;
  return options;
}

std::vector<std::string> every_method() {
  std::vector<std::string> methods;
  for (const auto& sampler : sampler_names()) {
    if (is_marginal(sampler_options(sampler))) continue;  // tested in hierarchical_test.cpp, on a suitable model
    if (takes_every_row(sampler_options(sampler))) {
      methods.push_back(sampler);
      continue;
    }
    for (const char* estimator : {"full", "minibatch", "cv", "saga", "svrg"})
      methods.push_back(sampler + "-" + estimator);
  }
  return methods;
}

/// Everything that a run takes from a chain: draws, weights, statistics and accumulated estimates.
std::vector<double> go_on(Chain& chain, int iterations) {
  std::vector<double> seen;
  for (int i = 0; i < iterations; ++i) {
    chain.step();
    chain.keep_draw();
    const auto values = chain.values();
    seen.insert(seen.end(), values.begin(), values.end());
    const auto statistics = chain.statistics();
    seen.insert(seen.end(), statistics.begin(), statistics.end());
    seen.push_back(chain.draw_weight());
    seen.push_back(chain.last_step_size());
  }
  seen.push_back(static_cast<double>(chain.zero_variance().draws()));
  for (const auto& estimate : chain.zero_variance().estimates()) {
    seen.push_back(std::isnan(estimate.mean) ? 0.0 : estimate.mean);  // NaN: too few draws
    seen.push_back(std::isnan(estimate.mcse) ? 0.0 : estimate.mcse);
  }
  return seen;
}

void expect_exact_continuation(const Model& model, const SampleOptions& options, const std::string& what) {
  Chain chain(model, options, 1);
  go_on(chain, 33);
  const std::string state = chain.save();
  const auto expected = go_on(chain, 30);
  const std::string end = chain.save();

  Chain resumed(model, options, 1);
  resumed.restore(state);
  EXPECT_EQ(resumed.iteration(), 33u) << what;
  EXPECT_EQ(resumed.save(), state) << what;
  EXPECT_EQ(go_on(resumed, 30), expected) << what;
  EXPECT_EQ(resumed.save(), end) << what;

  chain.restore(state);  // rolls back the same object
  EXPECT_EQ(go_on(chain, 30), expected) << what << ", rolled back";
}

TEST(SavedState, EverySamplerAndEstimator_ContinuesBitForBit) {
  const Model model = logistic_regression(data());
  for (const auto& method : every_method()) expect_exact_continuation(model, options_for(method), method);
}

TEST(SavedState, VariantsOfSamplers_ContinueBitForBit) {
  const Model model = logistic_regression(data());
  const std::vector<std::pair<std::string, std::pair<std::string, std::string>>> variants = {
      {"sghmc", {"refresh_momentum", "false"}}, {"sghmc", {"noise_correction", "fisher"}},
      {"sgld", {"schedule", "decay(10,0.6)"}},  {"nuts", {"metric", "dense"}},
      {"sgfs-full", {"blocks", "parameters"}},  {"psgld", {"correction", "true"}}};
  for (const auto& [method, option] : variants) {
    auto options = options_for(method);
    set_option(options.sampler, option.first, option.second);
    expect_exact_continuation(model, options, method + " " + option.first);
  }
  for (const auto sampling :
       {RowSampling::with_replacement, RowSampling::shuffled_epochs, RowSampling::weighted, RowSampling::slices}) {
    auto options = options_for("sgld-saga");
    options.gradient.minibatch.sampling = sampling;
    if (sampling == RowSampling::weighted)
      for (std::size_t i = 0; i < data().rows; ++i)
        options.gradient.minibatch.row_probabilities.push_back(1.0 + double(i % 3));
    expect_exact_continuation(model, options, "rows chosen otherwise");
  }
  auto options = options_for("sgnht-cv");
  options.gradient.precision = Precision::float32;
  expect_exact_continuation(model, options, "single precision");
}

TEST(SavedState, FisherScoringOfManyCoordinates_KeepsItsCholeskyFactor) {
  const LogisticData wide(60, 40);
  auto options = options_for("sgfs-full");
  options.gradient.minibatch.batch_size = 4;
  expect_exact_continuation(logistic_regression(wide), options, "sgfs-full, rows update the factor");
}

TEST(SavedState, OfAnotherSampler_IsRefused) {
  const Model model = logistic_regression(data());
  Chain sgld(model, options_for("sgld"), 0), sgnht(model, options_for("sgnht"), 0);
  sgld.step();
  sgnht.step();
  EXPECT_THROW(sgld.restore(sgnht.save()), FileError);
  const std::string state = sgnht.save();
  for (const std::size_t cut : {std::size_t{0}, std::size_t{5}, state.size() / 2, state.size() - 1})
    EXPECT_THROW(sgnht.restore(state.substr(0, cut)), FileError) << cut;
  EXPECT_THROW(sgnht.restore(state + "x"), FileError);
}

}  // namespace
}  // namespace sgmcmc::testing
