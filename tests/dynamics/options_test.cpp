// Options, schedules, and the registry of samplers by name.
#include "dynamics/schedule.hpp"

#include "dynamics/chains.hpp"
#include "dynamics/targets.hpp"
#include "errors/message_of.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sgmcmc::testing {
namespace {

void expect_mentions(const std::string& message, const std::string& word) {
  EXPECT_NE(message.find(word), std::string::npos) << message;
}

TEST(Schedule, EachForm_IsThePublishedFormula) {
  for (const std::uint64_t t : {0ull, 1ull, 10ull, 123456ull}) {
    const double time = static_cast<double>(t);
    EXPECT_EQ(Schedule::constant().multiplier(t), 1.0);
    EXPECT_DOUBLE_EQ(Schedule::polynomial(2.5, 0.55).multiplier(t), std::pow(2.5 + time, -0.55));
    EXPECT_DOUBLE_EQ(Schedule::decay(30.0, 0.33).multiplier(t), std::pow(1.0 + time / 30.0, -0.33));
  }
}

TEST(Schedule, Annealing_FallsByTheSameFactorToOneAndStaysThere) {
  const auto schedule = Schedule::annealing(100.0, 20.0);
  EXPECT_DOUBLE_EQ(schedule.multiplier(0), 100.0);
  EXPECT_DOUBLE_EQ(schedule.multiplier(10), 10.0);
  for (std::uint64_t t = 0; t < 20; ++t)
    EXPECT_DOUBLE_EQ(schedule.multiplier(t) / schedule.multiplier(t + 1), std::pow(100.0, 0.05)) << t;
  EXPECT_EQ(schedule.multiplier(20), 1.0);
  EXPECT_EQ(schedule.multiplier(1'000'000), 1.0);
  EXPECT_EQ(Schedule::annealing(1.0, 5.0).multiplier(2), 1.0);
}

TEST(Schedule, OutOfRange_ThrowsNamingTheNumber) {
  expect_mentions(message_of<OptionError>([] { Schedule::polynomial(0.0, 0.5).validate(); }), "b is");
  expect_mentions(message_of<OptionError>([] { Schedule::polynomial(1.0, 1.5).validate(); }), "gamma");
  expect_mentions(message_of<OptionError>([] { Schedule::decay(-1.0, 0.5).validate(); }), "tau");
  expect_mentions(message_of<OptionError>([] { Schedule::decay(1.0, 0.0).validate(); }), "kappa");
  expect_mentions(message_of<OptionError>([] { Schedule::decay(std::nan(""), 0.5).validate(); }), "tau");
  expect_mentions(message_of<OptionError>([] { Schedule::annealing(0.5, 10.0).validate(); }), "r is");
  expect_mentions(message_of<OptionError>([] { Schedule::annealing(30.0, 0.0).validate(); }), "t is");
}

TEST(StepSizes, PerParameterTimesSchedule_GivesEachItsStep) {
  StepSizes steps({0.1, 0.4}, Schedule::polynomial(1.0, 0.5), 2);
  steps.set_iteration(3);
  EXPECT_DOUBLE_EQ(steps.step()[0], 0.05);
  EXPECT_DOUBLE_EQ(steps.step()[1], 0.2);
  EXPECT_DOUBLE_EQ(steps.root()[1], std::sqrt(0.2));
  EXPECT_DOUBLE_EQ(steps.mean(), 0.125);
  steps.set_iteration(0);
  EXPECT_DOUBLE_EQ(steps.step()[1], 0.4) << "iterations may go back, as when a chain is resumed";
}

TEST(Dynamics, DecreasingSchedule_StepSizeIsReportedForTheWeights) {
  GaussianTarget target({1.0, 1.0}, 0.0);
  const auto sgld = make_dynamics(SgldOptions{.step_size = 0.1, .schedule = Schedule::decay(1.0, 1.0)}, 2);
  sgld->initialise(std::vector<double>{0.0, 0.0}, {1, 0});
  for (std::uint64_t t = 0; t < 4; ++t) {
    ASSERT_TRUE(sgld->step(target, t).ok());
    EXPECT_DOUBLE_EQ(sgld->last_step_size(), 0.1 / (1.0 + static_cast<double>(t)));
  }
}

TEST(StepSize, Unusable_Throws) {
  expect_mentions(message_of<OptionError>([] { SgldOptions{}.validate(3); }), "step_size is not set");
  expect_mentions(message_of<OptionError>([] { SgldOptions{.step_size = {0.1, 0.2}}.validate(3); }), "3 unconstrained");
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    expect_mentions(message_of<OptionError>([&] { SgldOptions{.step_size = bad}.validate(3); }), "positive");
  EXPECT_NO_THROW((SgldOptions{.step_size = {0.1, 0.2, 0.3}}.validate(3)));
}

TEST(SamplerOptions, OutOfRange_ThrowsNamingTheOption) {
  expect_mentions(message_of<OptionError>([] { SghmcOptions{.step_size = 0.1, .friction = -0.1}.validate(1); }),
                  "friction");
  expect_mentions(message_of<OptionError>([] { SghmcOptions{.step_size = 0.1, .trajectory_length = 0}.validate(1); }),
                  "trajectory_length");
  expect_mentions(message_of<OptionError>(
                      [] { SghmcOptions{.step_size = 0.1, .friction = 1.0, .form = SghmcForm::plain}.validate(1); }),
                  "friction");
  expect_mentions(message_of<OptionError>(
                      [] { SghmcOptions{.step_size = 0.1, .friction = 0.0, .refresh_momentum = false}.validate(1); }),
                  "refresh_momentum");
  expect_mentions(message_of<OptionError>([] {
                    SghmcOptions{.step_size = 0.1, .trajectory_length = 1, .form = SghmcForm::plain}.validate(1);
                  }),
                  "splitting");
  expect_mentions(message_of<OptionError>([] { SgnhtOptions{.step_size = 0.1, .diffusion = 0.0}.validate(1); }),
                  "diffusion");
}

TEST(Registry, EverySampler_CanBeMadeByName) {
  EXPECT_EQ(sampler_names(),
            (std::vector<std::string>{"sgld", "sglm", "sghmc", "sgnht", "baoab", "psgld", "sgfs-full", "sgfs-diagonal",
                                      "sgrld", "hamcmc", "nuts", "hmc", "mala", "laplace", "marginal-nuts",
                                      "marginal-metropolis", "marginal-sglm", "hmc-ecs"}));
  for (const std::string& name : sampler_names()) {
    SamplerOptions options = sampler_options(name);
    EXPECT_EQ(sampler_name(options), name);
    if (step_size_of(options)) set_option(options, "step_size", "0.01");
    EXPECT_EQ(make_dynamics(options, 4)->dimension(), 4u);
  }
  expect_mentions(message_of<OptionError>([] { sampler_options("sgdl"); }), "sgld, sglm, sghmc, sgnht");
}

TEST(Registry, OptionsFromText_AreSet) {
  SamplerOptions options = sampler_options("sghmc");
  set_option(options, "step_size", "0.5, 1e-3,2");
  set_option(options, "schedule", "decay(100, 0.5)");
  set_option(options, "friction", "0.25");
  set_option(options, "trajectory_length", "7");
  set_option(options, "refresh_momentum", "false");
  set_option(options, "form", "plain");
  set_option(options, "noise_correction", "fisher");
  const auto& sghmc = std::get<SghmcOptions>(options);
  EXPECT_EQ(sghmc.step_size.values, (std::vector<double>{0.5, 1e-3, 2.0}));
  EXPECT_EQ(sghmc.schedule.kind, Schedule::Kind::decay);
  EXPECT_EQ(sghmc.schedule.offset, 100.0);
  EXPECT_EQ(sghmc.schedule.exponent, 0.5);
  EXPECT_EQ(sghmc.friction, 0.25);
  EXPECT_EQ(sghmc.trajectory_length, 7u);
  EXPECT_FALSE(sghmc.refresh_momentum);
  EXPECT_EQ(sghmc.form, SghmcForm::plain);
  EXPECT_EQ(sghmc.noise_correction, NoiseCorrection::fisher);
}

TEST(Registry, Schedules_AreReadAsTheyAreWritten) {
  for (const std::string text : {"constant", "polynomial(1,0.5)", "decay(100,0.5)", "annealing(30,20000)"}) {
    SamplerOptions options = sampler_options("sghmc");
    set_option(options, "schedule", text);
    for (const auto& option : describe_options(options)) {
      if (option.name == "schedule") {
        EXPECT_EQ(option.default_text, text);
      }
    }
  }
}

TEST(Registry, TextThatDoesNotFit_ThrowsAndSaysWhatWouldFit) {
  SamplerOptions options = sampler_options("sghmc");
  expect_mentions(message_of<OptionError>([&] { set_option(options, "frictoin", "1"); }),
                  "friction, trajectory_length");
  expect_mentions(message_of<OptionError>([&] { set_option(options, "friction", "high"); }), "a number");
  expect_mentions(message_of<OptionError>([&] { set_option(options, "friction", "0.1x"); }), "a number");
  expect_mentions(message_of<OptionError>([&] { set_option(options, "trajectory_length", "2.5"); }), "a whole number");
  expect_mentions(message_of<OptionError>([&] { set_option(options, "trajectory_length", "-1"); }), "a whole number");
  expect_mentions(message_of<OptionError>([&] { set_option(options, "refresh_momentum", "yes"); }), "true or false");
  expect_mentions(message_of<OptionError>([&] { set_option(options, "form", "symmetric"); }), "splitting or plain");
  for (const char* text : {"decay", "decay(1)", "decay(1,2", "constant(1,2)", "linear(1,2)", "", "polynomial(1,x)"})
    expect_mentions(message_of<OptionError>([&] { set_option(options, "schedule", text); }), "polynomial(b,gamma)");
  for (const char* text : {"", "0.1,", "0.1;0.2"})
    expect_mentions(message_of<OptionError>([&] { set_option(options, "step_size", text); }), "commas");
}

TEST(Registry, Descriptions_GiveDefaultsThatReadBack) {
  for (const std::string& name : sampler_names()) {
    SamplerOptions options = sampler_options(name);
    for (const OptionDescription& option : describe_options(options)) {
      EXPECT_FALSE(option.help.empty()) << option.name;
      if (option.name != "step_size") set_option(options, option.name, option.default_text);
    }
    const auto before = describe_options(sampler_options(name)), after = describe_options(options);
    for (std::size_t k = 0; k < before.size(); ++k) EXPECT_EQ(before[k].default_text, after[k].default_text);
  }
}

}  // namespace
}  // namespace sgmcmc::testing
