// Command lines and configuration files: valid input, and the full text of errors.
#include "cli/parse.hpp"
#include "cli/command_table.hpp"
#include "errors/message_of.hpp"
#include "settings/config.hpp"
#include "settings/methods.hpp"
#include "settings/table.hpp"

#include <sgmcmc/dynamics.hpp>

#include <gtest/gtest.h>

#include <set>

namespace sgmcmc::cli {
namespace {

OptionValues parsed(const std::vector<std::string>& words, Command command = Command::sample) {
  return parse_arguments(command, words);
}

std::string message(const std::vector<std::string>& words, Command command = Command::sample) {
  return testing::message_of<UsageError>([&] { parse_arguments(command, words); });
}

std::string config_message(const std::string& text) {
  return testing::message_of<UsageError>([&] { read_config_text(Command::sample, "run.toml", text); });
}

TEST(OptionTable, EveryOptionOfACommand_HasOneNameAndHelpAndAValidDefault) {
  for (const auto& command : command_table()) {
    std::set<std::string> names;
    for (const auto* option : options_of(command.command)) {
      EXPECT_TRUE(names.insert(option->name).second) << command.name << " " << option->name;
      EXPECT_FALSE(option->help.empty()) << option->name;
      EXPECT_FALSE(option->group.empty()) << option->name;
      EXPECT_EQ(option->placeholder.empty(), option->kind == ValueKind::flag) << option->name;
      if (option->default_text.empty()) continue;
      EXPECT_EQ(complaint_about(*option, option->default_text), "") << option->name;
    }
  }
}

TEST(OptionTable, EveryOptionOfEverySampler_IsThere) {
  for (const auto& sampler : sampler_names())
    for (const auto& described : describe_options(sampler_options(sampler)))
      EXPECT_NE(find_option(Command::sample, described.name), nullptr) << described.name;
}

TEST(OptionTable, Methods_AreEverySamplerWithEveryEstimator) {
  const auto methods = sample_methods();
  const std::set<std::string> known(methods.begin(), methods.end());
  std::size_t expected = 0;  // alone and with five estimators; those that take every row alone and with -full
  for (const auto& sampler : sampler_names()) expected += takes_every_row(sampler_options(sampler)) ? 2 : 6;
  EXPECT_EQ(known.size(), expected);
  for (const char* method : {"sgld", "sgld-cv", "sghmc-saga", "sgnht-svrg", "sgld-full", "sghmc-minibatch", "psgld-cv",
                             "sgfs-full", "sgfs-full-full", "sgfs-diagonal-saga", "sgrld-cv", "hamcmc-svrg"})
    EXPECT_EQ(known.count(method), 1u) << method;
}

TEST(CommandLine, ValuesAfterSpaceOrEquals_AreTheSame) {
  const auto values = parsed({"model.stan", "--iterations", "1e3", "--warmup=50", "--quiet"});
  EXPECT_EQ(values.operands, std::vector<std::string>{"model.stan"});
  EXPECT_EQ(values.count("iterations"), 1000u);
  EXPECT_EQ(values.count("warmup"), 50u);
  EXPECT_TRUE(values.flag("quiet"));
  EXPECT_FALSE(values.flag("json"));
}

TEST(CommandLine, OptionsNotGiven_HaveTheirDefaults) {
  const auto values = parsed({});
  EXPECT_EQ(values.count("thin"), 1u);
  EXPECT_EQ(values.text("precision"), "double");
  EXPECT_FALSE(values.given("batch-size"));
  EXPECT_EQ(parsed({}, Command::optimize).text("method"), "lbfgs");
}

TEST(CommandLine, RepeatableOption_KeepsEveryValueInOrder) {
  const auto values = parsed({"--data", "a.json", "-d", "X=b.npy"});
  EXPECT_EQ(values.texts("data"), (std::vector<std::string>{"a.json", "X=b.npy"}));
}

TEST(CommandLine, LastValueOfAnOption_Holds) { EXPECT_EQ(parsed({"--seed", "1", "--seed", "2"}).count("seed"), 2u); }

TEST(CommandLine, AfterTwoDashes_EverythingIsAnOperand) {
  EXPECT_EQ(parsed({"--", "-model.stan"}).operands, std::vector<std::string>{"-model.stan"});
}

TEST(CommandLine, LargestSeed_IsKept) {
  EXPECT_EQ(parsed({"--seed", "18446744073709551615"}).count("seed"), 18446744073709551615u);
}

TEST(CommandLine, Mistakes_AreToldInFull) {
  EXPECT_EQ(message({"--iteration", "5"}), "--iteration: sample has no such option. Did you mean --iterations?");
  EXPECT_EQ(message({"--gain-tolerance", "1"}),
            "--gain-tolerance: sample has no such option. It is an option of optimize. See sgmcmc sample --help");
  EXPECT_EQ(message({"--zzz"}), "--zzz: sample has no such option. See sgmcmc sample --help");
  EXPECT_EQ(message({"-x"}), "-x: sample has no such option. See sgmcmc sample --help");
  EXPECT_EQ(message({"--seed"}), "--seed: missing value: expected --seed COUNT, but nothing follows");
  EXPECT_EQ(message({"--seed", "--quiet"}), "--seed: missing value: expected --seed COUNT, but '--quiet' follows");
  EXPECT_EQ(message({"--batch-size", "5oo"}), "--batch-size: '5oo' is not a count or a fraction");
  EXPECT_EQ(message({"--batch-size", "0"}), "--batch-size: '0' is not a count or a fraction");
  EXPECT_EQ(message({"--batch-size", "2.5"}), "--batch-size: '2.5' is not a count or a fraction");
  EXPECT_EQ(message({"--iterations", "-5"}), "--iterations: '-5' is not a non-negative whole number");
  EXPECT_EQ(message({"--iterations", "1.5"}), "--iterations: '1.5' is not a non-negative whole number");
  EXPECT_EQ(message({"--initial-radius", "wide"}), "--initial-radius: 'wide' is not a number");
  EXPECT_EQ(message({"--quiet=maybe"}), "--quiet: 'maybe' is not true or false");
  EXPECT_EQ(message({"--out", ""}), "--out: the value is empty");
  EXPECT_EQ(message({"--precision", "single"}),
            "--precision: 'single' is not a valid value. Expected one of 'double', 'float'");
  EXPECT_EQ(message({"--precision", "doubel"}),
            "--precision: 'doubel' is not a valid value. Did you mean 'double'? Expected one of 'double', 'float'");
  EXPECT_EQ(message({"--step-size", "beta:1e-5"}),
            "--step-size: 'beta:1e-5' is not a positive number, nor name=number pairs separated by commas, nor one "
            "number per coordinate");
  EXPECT_EQ(
      message({"--method", "sgdl-cv"}),
      "--method: there is no method 'sgdl-cv'. Did you mean 'sgld-cv'? A method is one of 'sgld', 'sglm', 'sghmc', "
      "'sgnht', 'baoab', 'psgld', 'sgfs-full', 'sgfs-diagonal', 'sgrld', 'hamcmc', alone or followed by one of "
      "'-full', "
      "'-minibatch', '-cv', '-saga', '-svrg', or one of 'auto', 'nuts', 'hmc', 'mala', 'laplace', "
      "'marginal-nuts', 'marginal-metropolis', 'marginal-sglm', 'hmc-ecs'");
  EXPECT_EQ(message({"--method", "nuts-cv"}),
            "--method: there is no method 'nuts-cv': nuts uses all rows at every step. Use nuts");
  EXPECT_EQ(message({"--friction", "much"}), "--friction: 'much' is not a number");
  EXPECT_EQ(message({"--schedule", "falling"}),
            "--schedule: 'falling' is not constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t)");
  EXPECT_EQ(message({"--config", "/no/such/file.toml"}), "config: cannot read '/no/such/file.toml'");
}

TEST(BatchSizes, CountsAndFractions_AreToldApart) {
  EXPECT_EQ(batch_size_from("500")->of(1000), 500);
  EXPECT_EQ(batch_size_from("1")->of(1000), 1);
  EXPECT_EQ(batch_size_from("1e3")->of(5000), 1000);
  EXPECT_EQ(batch_size_from("0.01")->of(581012), 5810);
  EXPECT_EQ(batch_size_from("1e-2")->of(1000), 10);
  EXPECT_EQ(batch_size_from("1.0")->of(1000), 1000);
  EXPECT_EQ(batch_size_from("0.0001")->of(10), 1);
  for (const char* text : {"", "0", "-1", "1.5", "nan", "inf", "5 ", "1e400", "0x10"})
    EXPECT_FALSE(batch_size_from(text)) << text;
}

TEST(StepSizes, NumbersAndNames_AreRead) {
  EXPECT_EQ(step_sizes_from("1e-5")->numbers, std::vector<double>{1e-5});
  EXPECT_EQ(step_sizes_from("0.1,0.2")->numbers, (std::vector<double>{0.1, 0.2}));
  const auto mixed = step_sizes_from("1e-5,sigma=1e-4,beta=2");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->numbers, std::vector<double>{1e-5});
  EXPECT_EQ(mixed->by_name, (std::vector<std::pair<std::string, double>>{{"sigma", 1e-4}, {"beta", 2.0}}));
  for (const char* text : {"", "0", "-1", "a", "=1", "a=", "a=-1", "1,", "1,2,a=3"})
    EXPECT_FALSE(step_sizes_from(text)) << text;
}

TEST(ConfigFile, TomlAndJson_GiveTheSameValues) {
  const auto toml =
      read_config_text(Command::sample, "run.toml",
                       "# a run\n\nmodel = 'm.stan'\nbatch_size = 0.01   # a fraction\n"
                       "data = [\"a.json\",\n  'X=b.npy',  # two\n]\nstep-size = {beta = 1e-5, sigma = 1e-4}\n"
                       "quiet = true\niterations = 1_000\nseed = 18446744073709551615\n");
  const auto json = read_config_text(Command::sample, "run.json",
                                     R"({"model": "m.stan", "batch_size": 0.01, "data": ["a.json", "X=b.npy"],
                           "step_size": {"beta": 1e-5, "sigma": 1e-4}, "quiet": true, "iterations": 1000,
                           "seed": 18446744073709551615})");
  for (const auto* values : {&toml, &json}) {
    EXPECT_EQ(values->operands, std::vector<std::string>{"m.stan"});
    EXPECT_EQ(batch_size_from(values->text("batch-size"))->fraction, 0.01);
    EXPECT_EQ(values->texts("data"), (std::vector<std::string>{"a.json", "X=b.npy"}));
    EXPECT_EQ(step_sizes_from(values->text("step-size"))->by_name.size(), 2u);
    EXPECT_TRUE(values->flag("quiet"));
    EXPECT_EQ(values->count("iterations"), 1000u);
    EXPECT_EQ(values->count("seed"), 18446744073709551615u);
  }
}

TEST(ConfigFile, OptionsOfOtherCommands_AreLeftOut) {
  const auto values = read_config_text(Command::check, "run.toml", "iterations = 5\ndata = 'a.json'\n");
  EXPECT_FALSE(values.given("iterations"));
  EXPECT_EQ(values.texts("data"), std::vector<std::string>{"a.json"});
}

TEST(ConfigFile, CommandLine_GoesBeforeTheFile) {
  auto values = parsed({"--seed", "7"});
  values.fill_from(read_config_text(Command::sample, "run.toml", "seed = 1\nthin = 3\nmodel = 'm.stan'\n"));
  EXPECT_EQ(values.count("seed"), 7u);
  EXPECT_EQ(values.count("thin"), 3u);
  EXPECT_EQ(values.operands, std::vector<std::string>{"m.stan"});
}

TEST(ConfigFile, Mistakes_AreToldInFullWithTheirPlace) {
  EXPECT_EQ(config_message("seed = 1\nbatchsize = 5\n"),
            "run.toml:2: batchsize: unknown option. Did you mean 'batch_size'?");
  EXPECT_EQ(config_message("batch_size = '5oo'\n"), "run.toml:1: batch_size: '5oo' is not a count or a fraction");
  EXPECT_EQ(config_message("seed 1\n"), "run.toml:1:6: expected '=' after 'seed'");
  EXPECT_EQ(config_message("\n  = 1\n"), "run.toml:2:3: expected the name of an option");
  EXPECT_EQ(config_message("method = sgld\n"),
            "run.toml:1:10: 'sgld' is not a number, true or false; put text in quotes");
  EXPECT_EQ(config_message("seed =\n"), "run.toml:1:7: expected a value");
  EXPECT_EQ(config_message("seed = 1 2\n"), "run.toml:1:10: expected the end of the line after the value of 'seed'");
  EXPECT_EQ(config_message("seed = 1\nseed = 2\n"), "run.toml:2:5: 'seed' is given twice, first in line 1");
  EXPECT_EQ(config_message("[sampler]\n"),
            "run.toml:1:1: TOML tables are not supported here; write every option as key = value");
  EXPECT_EQ(config_message("out = \"run\n"), "run.toml:1:11: unterminated string: expected \"");
  EXPECT_EQ(config_message("data = ['a' 'b']\n"), "run.toml:1:13: expected ',' or ']' in the array");
  EXPECT_EQ(config_message("data = ['a',\n"), "run.toml:2:1: expected a value");
  EXPECT_EQ(config_message("config = 'b.toml'\n"), "run.toml:1: config: allowed on the command line only");
  EXPECT_EQ(config_message("{\"seed\": 1,\n \"thin\": }\n"),
            "run.toml:2:10: not JSON: unexpected '}'; expected '[', '{', or a literal");
  EXPECT_EQ(config_message("{\"model\": 5}"), "run.toml: model: expected the name of a file");
  EXPECT_EQ(config_message("data = " + std::string(60, '[')), "run.toml:1:58: brackets are nested too deeply");
}

}  // namespace
}  // namespace sgmcmc::cli
