// Options and run settings: every option that is a setting sets its own setting, and nothing else.
#include "service/given/option_settings.hpp"
#include "errors/message_of.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace sgmcmc {
namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

OptionValues values_of(Command command, const Given& given) {
  OptionValues values(command);
  for (const auto& [name, text] : given) values.set(*find_option(command, name), text, name);
  return values;
}

RunSettings settings_of(const Given& given, Command command = Command::sample) {
  return run_settings(values_of(command, given));
}

TEST(RunSettings, NothingGiven_AreTheDefaultsOfTheLibrary) {
  const RunSettings settings = settings_of({}), usual;
  EXPECT_FALSE(settings.method || settings.step_size || settings.batch_size || settings.precondition);
  EXPECT_FALSE(settings.row_sampling || settings.iterations || settings.warmup || settings.thin);
  EXPECT_FALSE(settings.initial_radius || settings.start_at_modes || settings.keep || settings.subposterior);
  EXPECT_TRUE(settings.sampler.empty());
  EXPECT_EQ(settings.tune_seconds, usual.tune_seconds);
  EXPECT_EQ(settings.refresh_every, usual.refresh_every);
  EXPECT_EQ(settings.table_bytes_limit, usual.table_bytes_limit);
  EXPECT_EQ(settings.chains, usual.chains);
  EXPECT_EQ(settings.seed, usual.seed);
  EXPECT_EQ(settings.recoveries, usual.recoveries);
  EXPECT_EQ(settings.threads, usual.threads);
  EXPECT_EQ(settings.log_density, usual.log_density);
  EXPECT_EQ(settings.outputs, usual.outputs);
  EXPECT_EQ(settings.groups, usual.groups);
  EXPECT_EQ(settings.zero_variance, usual.zero_variance);
  EXPECT_EQ(settings.diagnose, usual.diagnose);
}

TEST(RunSettings, OptionsGiven_AreSet) {
  const RunSettings settings = settings_of({{"method", "sghmc-cv"},
                                            {"step-size", "1e-5,sigma=1e-4"},
                                            {"tune-seconds", "2.5"},
                                            {"batch-size", "0.25"},
                                            {"precondition", "low-rank"},
                                            {"row-sampling", "shuffled-epochs"},
                                            {"friction", "3"},
                                            {"subposterior", "3/20"},
                                            {"thin", "1"},
                                            {"chains", "7"},
                                            {"starts", "modes"},
                                            {"threads", "5000000000"},
                                            {"log-density", "never"},
                                            {"outputs", "none"},
                                            {"keep", "mu,beta[1:3]"},
                                            {"keep", "sigma"},
                                            {"zero-variance", "quadratic"},
                                            {"diagnose", "full"}});
  EXPECT_EQ(settings.method, "sghmc-cv");
  EXPECT_EQ(settings.step_size->numbers, std::vector<double>{1e-5});
  EXPECT_EQ(settings.step_size->by_name.front().first, "sigma");
  EXPECT_EQ(settings.tune_seconds, 2.5);
  EXPECT_EQ(settings.batch_size->fraction, 0.25);
  EXPECT_EQ(settings.precondition, Precondition::low_rank);
  EXPECT_EQ(settings.row_sampling, RowSampling::shuffled_epochs);
  EXPECT_EQ(settings.sampler.at("friction"), "3");
  EXPECT_EQ(settings.subposterior, (Subposterior{3, 20}));
  EXPECT_EQ(settings.thin, 1u);
  EXPECT_EQ(settings.chains, 7u);
  EXPECT_EQ(settings.start_at_modes, true);
  EXPECT_EQ(settings.threads, 1'000'000'000);
  EXPECT_EQ(settings.log_density, LogDensityAtDraws::never);
  EXPECT_EQ(settings.outputs, KeptOutputs::none);
  EXPECT_EQ(settings.keep, (std::vector<std::string>{"mu,beta[1:3]", "sigma"}));
  EXPECT_EQ(settings.zero_variance, ZeroVarianceForm::quadratic);
  EXPECT_EQ(settings.diagnose, Judging::full);
}

TEST(RunSettings, Auto_IsTheSameAsNotGiven) {
  const RunSettings settings = settings_of({{"step-size", "auto"}, {"warmup", "auto"}});
  EXPECT_FALSE(settings.step_size);
  EXPECT_FALSE(settings.warmup);
  EXPECT_EQ(settings_of({{"warmup", "0"}}).warmup, 0u);
  EXPECT_EQ(testing::message_of<UsageError>([] {
              settings_of({{"warmup", "automatic"}});
            }),
            "warmup: 'automatic' is not a non-negative whole number or auto");
}

TEST(RunSettings, OtherCommands_HaveTheirOwnDefaults) {
  EXPECT_EQ(settings_of({}, Command::calibrate).method, "nuts");
  EXPECT_EQ(settings_of({}, Command::calibrate).chains, 1u);
  EXPECT_EQ(settings_of({}, Command::calibrate).zero_variance, ZeroVarianceForm::none);
  EXPECT_EQ(settings_of({}, Command::optimize).method, "lbfgs");
  EXPECT_EQ(settings_of({{"schedule", "decay(10,0.5)"}}, Command::optimize).sampler.at("schedule"), "decay(10,0.5)");
}

TEST(RunSettings, SettingThatCannotBeUsed_IsNamedAsItWasGiven) {
  OptionValues values = values_of(Command::sample, {});
  values.set(*find_option(Command::sample, "batch-size"), "10", "run.toml:3: batch_size");
  EXPECT_EQ(testing::message_of<UsageError>(
                [&] { naming_options(values, []() -> int { throw SettingError("batch_size", "too large"); }); }),
            "run.toml:3: batch_size: too large");
}

}  // namespace
}  // namespace sgmcmc
