// Messages about invalid options of a run.
#include "run/models.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace sgmcmc::testing {
namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The message of sample() and Chain after `change` is applied to valid options.
std::string complaint(const std::function<void(SampleOptions&)>& change) {
  const Model model = logistic_regression(LogisticData(50, 2));
  SampleOptions options;
  options.method("sgld").step_size(1e-3);
  options.iterations = 5;
  change(options);
  std::string text = "no complaint";
  try {
    sample(model, options);
  } catch (const OptionError& error) {
    text = error.what();
  }
  try {
    Chain chain(model, options);
    EXPECT_EQ(text, "no complaint") << "Chain accepts what sample() refuses";
  } catch (const OptionError& error) {
    EXPECT_EQ(text, error.what()) << "Chain and sample() disagree";
  }
  return text;
}

TEST(SampleOptions, GoodOptions_AreAccepted) {
  EXPECT_EQ(complaint([](auto&) {}), "no complaint");
}

TEST(SampleOptions, WhatCannotBe_IsNamed) {
  const std::pair<const char*, std::function<void(SampleOptions&)>> cases[] = {
      {"iterations is 0", [](auto& o) { o.iterations = 0; }},
      {"thin is 0", [](auto& o) { o.thin = 0; }},
      {"thin is 6 but iterations is 5", [](auto& o) { o.thin = 6; }},
      {"chains is 0", [](auto& o) { o.chains = 0; }},
      {"annealing takes 100 iterations, and warmup 99",
       [](auto& o) {
         o.warmup = 99;
         std::get<SgldOptions>(o.sampler).schedule = Schedule::annealing(30, 100);
       }},
      {"threads is -1", [](auto& o) { o.threads = -1; }},
      {"initial_radius", [](auto& o) { o.initial_radius = -0.1; }},
      {"initial_radius", [](auto& o) { o.initial_radius = std::nan(""); }},
      {"progress_seconds", [](auto& o) { o.progress_seconds = -1; }},
      {"step_size has 3 values",
       [](auto& o) {
         o.step_size({1.0, 2.0, 3.0});
       }},
      {"step_size", [](auto& o) { o.step_size(-1.0); }},
      {"there is one row in it",
       [](auto& o) {
         o.method("sgfs-diagonal");
         o.gradient.minibatch.batch_size = 1;
       }},
      {"batch_size is 51", [](auto& o) { o.gradient.minibatch.batch_size = 51; }},
      {"row_probabilities", [](auto& o) { o.gradient.minibatch.sampling = RowSampling::weighted; }},
      {"tile_rows", [](auto& o) { o.gradient.tile_rows = -2; }},
      {"centre has 1 elements", [](auto& o) { o.gradient.centre = {1.0}; }},
      {"a test function needs a name",
       [](auto& o) {
         o.functions = {{"", Expression(1.0)}};
       }},
      {"test function 'f' is empty",
       [](auto& o) {
         o.functions = {{"f", Expression()}};
       }},
      {"test function 'beta'",
       [](auto& o) {
         o.functions = {{"beta", Expression(1.0)}};
       }},
      {"test function 'f'",
       [](auto& o) {
         o.functions = {{"f", Expression(1.0)}, {"f", Expression(2.0)}};
       }},
  };
  for (const auto& [part, change] : cases)
    EXPECT_TRUE(says(complaint(change), part)) << "expected '" << part << "', got: " << complaint(change);
}

TEST(SampleOptions, TestFunctionOfRowData_PointsToRowAverage) {
  const LogisticData data(50, 2);
  Model model = logistic_regression(data);
  SampleOptions options;
  options.method("sgld").step_size(1e-3);
  options.functions = {{"f", model.row("x")[0]}};
  try {
    options.validate(model);
    FAIL() << "no complaint";
  } catch (const OptionError& error) {
    EXPECT_TRUE(says(error.what(), "'f'") && says(error.what(), "RowAverage")) << error.what();
  }
}

TEST(SampleOptions, Method_SetsSamplerAndEstimatorAndKeepsTheRest) {
  SampleOptions options;
  options.step_size(0.25);
  std::get<SgldOptions>(options.sampler).schedule = Schedule::decay(100.0, 0.5);
  options.iterations = 77;
  options.gradient.minibatch.batch_size = 13;
  for (const char* sampler : {"sgld", "sghmc", "sgnht", "baoab", "psgld", "sgrld", "hamcmc"})
    for (const char* estimator : {"", "full", "minibatch", "cv", "saga", "svrg"}) {
      options.method(*estimator ? std::string(sampler) + "-" + estimator : sampler);
      EXPECT_EQ(sampler_name(options.sampler), sampler);
      EXPECT_EQ(estimator_name(options.gradient.estimator), *estimator ? estimator : "minibatch");
      EXPECT_EQ(step_size_of(options.sampler)->values, Vector{0.25});
      std::visit(
          [](const auto& o) {
            if constexpr (requires { o.schedule; })
              EXPECT_EQ(o.schedule.offset, 100.0);
            else
              FAIL() << o.name;
          },
          options.sampler);
    }
  EXPECT_EQ(options.iterations, 77u);
  EXPECT_EQ(options.gradient.minibatch.batch_size, 13);
}

TEST(SampleOptions, NameOfASamplerWithADash_IsTheLongestThatFits) {
  for (const auto& [name, sampler, estimator] :
       {std::tuple("sgfs-full", "sgfs-full", "minibatch"), std::tuple("sgfs-full-full", "sgfs-full", "full"),
        std::tuple("sgfs-diagonal-cv", "sgfs-diagonal", "cv")}) {
    SampleOptions options;
    options.method(name);
    EXPECT_EQ(sampler_name(options.sampler), sampler);
    EXPECT_EQ(estimator_name(options.gradient.estimator), estimator);
  }
}

TEST(SampleOptions, MethodOfAnExactSampler_TakesAllRowsAndTheLengthsOfItsKind) {
  for (const char* name : {"nuts", "hmc", "mala", "nuts-full"}) {
    SampleOptions options;
    options.method(name);
    EXPECT_EQ(options.gradient.estimator, Estimator::full);
    EXPECT_TRUE(is_exact(options.sampler));
    EXPECT_EQ(options.iterations, 1000u);
    EXPECT_EQ(options.warmup, 1000u);
    EXPECT_EQ(options.initial_radius, 2.0);
    SampleOptions set;
    set.iterations = 77;
    set.warmup = 33;
    set.initial_radius = 0.5;
    set.step_size(0.25).method(name);
    EXPECT_EQ(set.iterations, 77u);
    EXPECT_EQ(set.warmup, 33u);
    EXPECT_EQ(set.initial_radius, 0.5);
    EXPECT_EQ(step_size_of(set.sampler)->values, Vector{0.25});
  }
}

TEST(SampleOptions, ExactSamplerWithPartOfTheRows_IsRefused) {
  const LogisticData data(50, 2);
  const Model model = logistic_regression(data);
  for (const char* name : {"nuts-cv", "hmc-minibatch", "mala-saga", "nuts-svrg"}) {
    try {
      SampleOptions().method(name);
      FAIL() << "no complaint about " << name;
    } catch (const OptionError& error) {
      EXPECT_TRUE(says(error.what(), "every row") && says(error.what(), name)) << error.what();
    }
  }
  SampleOptions options;
  options.sampler = NutsOptions{};  // the estimator still has its default
  try {
    options.validate(model);
    FAIL() << "no complaint";
  } catch (const OptionError& error) {
    EXPECT_TRUE(says(error.what(), "every row") && says(error.what(), "nuts-minibatch")) << error.what();
  }
  options.method("nuts").step_size({0.1, 0.2});
  try {
    options.validate(model);
    FAIL() << "no complaint";
  } catch (const OptionError& error) {
    EXPECT_TRUE(says(error.what(), "step_size") && says(error.what(), "metric")) << error.what();
  }
}

TEST(SampleOptions, MethodOfTheSameSampler_KeepsItsOptions) {
  SampleOptions options;
  options.sampler = SghmcOptions{.step_size = 0.1, .friction = 0.3, .trajectory_length = 9};
  options.method("sghmc-cv");
  EXPECT_EQ(std::get<SghmcOptions>(options.sampler).trajectory_length, 9u);
}

TEST(SampleOptions, UnknownMethod_IsAnsweredWithANearOneAndAllThereAre) {
  const auto answer = [](const std::string& name) -> std::string {
    SampleOptions options;
    try {
      options.method(name);
    } catch (const OptionError& error) {
      return error.what();
    }
    return "no complaint";
  };
  const std::pair<const char*, const char*> near[] = {
      {"sgdl-cv", "'sgld-cv'"}, {"sgld-vc", "'sgld-cv'"}, {"sghcm", "'sghmc'"}, {"SGNHT-saga", "'sgnht-saga'"}};
  for (const auto& [wrong, right] : near) {
    const std::string text = answer(wrong);
    EXPECT_TRUE(says(text, wrong)) << text;
    EXPECT_TRUE(says(text, std::string("Did you mean ") + right)) << text;
  }
  for (const std::string wrong : {"metropolis", "", "sgld-", "-cv", "sgld-cv-full"}) {
    const std::string text = answer(wrong);
    for (const char* name : {"sgld", "sghmc", "sgnht", "psgld", "sgfs-full", "sgfs-diagonal", "hamcmc", "full",
                             "minibatch", "cv", "saga", "svrg"})
      EXPECT_TRUE(says(text, name)) << text;
  }
}

}  // namespace
}  // namespace sgmcmc::testing
