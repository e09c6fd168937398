// Programs that never end or need too much memory stop with an error that gives the place in the model, in every block.
#include "stan/lowering/limits.hpp"
#include "stan/binding/model_file.hpp"

#include "errors/message_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <sstream>
#include <string>
#include <vector>

namespace sgmcmc::stan {
namespace {

/// The block that a statement is put into; "functions": into a function that transformed data call.
std::string model_with(const std::string& block, const std::string& statement) {
  const auto in = [&](const std::string& name) { return block == name ? statement + "\n" : ""; };
  return "functions {\nreal f(real x) {\n" + in("functions") + "return x;\n}\n}\n" +
         "data {\nint N;\nvector[N] y;\n}\n"
         "transformed data {\nreal called = " +
         (block == "functions" ? "f(1.0)" : "1") + ";\n" + in("transformed data") +
         "}\n"
         "parameters {\nreal mu;\n" +
         in("parameters") + "}\ntransformed parameters {\n" + in("transformed parameters") + "}\nmodel {\n" +
         in("model") + "y ~ normal(mu, 1);\n}\ngenerated quantities {\n" + in("generated quantities") + "}\n";
}

DataVariables three_numbers() {
  DataVariables data;
  data.by_name["N"] = {DataArray::scalar(std::int32_t{3}), "test"};
  const std::vector<double> y{1.0, 2.0, 4.0};
  data.by_name["y"] = {DataArray::copy_of(std::span<const double>(y), Shape{3}), "test"};
  return data;
}

/// Binds the model and computes the outputs of one draw.
void run(const std::string& text, const std::atomic<bool>* interrupt = nullptr) {
  const ModelText model = read_model_text("m.stan", text);
  BindOptions options;
  options.interrupt = interrupt;
  BoundModel bound(model.source, model.program, three_numbers(), options);
  std::vector<double> values(bound.output_size());
  bound.evaluate_outputs(std::array{0.5}, 1, 0, 0, values);
}

template <class Thrown = LimitError>
std::string message(const std::string& text, const std::atomic<bool>* interrupt = nullptr) {
  return sgmcmc::testing::message_of<Thrown>([&] { run(text, interrupt); });
}

/// "m.stan:LINE:" of the only line of the model that has the text.
std::string line_of(const std::string& model, const std::string& text) {
  const auto at = model.find(text);
  return "m.stan:" + std::to_string(1 + std::count(model.begin(), model.begin() + static_cast<long>(at), '\n')) + ":";
}

const std::vector<std::string> blocks_with_statements = {"functions", "transformed data", "transformed parameters",
                                                         "model", "generated quantities"};

void expect_place(const std::string& message, const std::string& model, const std::string& statement,
                  const std::string& says) {
  EXPECT_TRUE(message.starts_with(line_of(model, statement))) << message;
  EXPECT_NE(message.find(says), std::string::npos) << message;
}

TEST(Limits, WhileLoopThatChangesNothing_IsRefusedAtItsFirstTurnInEveryBlock) {
  for (const auto& block : blocks_with_statements) {
    SCOPED_TRACE(block);
    const std::string statement = "while (1) {}";
    const std::string model = model_with(block, statement);
    expect_place(message(model), model, statement, "this while loop never ends: its iterations change nothing");
  }
}

TEST(Limits, WhileLoopWhoseConditionStays_EndsAfterSomeStatements) {
  for (const auto& block : {"functions", "generated quantities"}) {  // once for the data, and for each draw
    SCOPED_TRACE(block);
    const std::string statement = "{ int turns = 0; while (turns >= 0) turns = 1 - turns; }";
    const std::string model = model_with(block, statement);
    expect_place(message(model), model, statement,
                 "this while loop has run 5000000 statements and its condition still holds");
  }
}

TEST(Limits, ForLoopOfTooManyTurns_IsRefusedBeforeItStarts) {
  for (const auto& block : blocks_with_statements) {
    SCOPED_TRACE(block);
    const std::string statement = "for (i in 1:2000000000) { }";
    const std::string model = model_with(block, statement);
    expect_place(message(model), model, statement,
                 "this loop has 2000000000 iterations; a program may run 200000000 statements");
  }
}

TEST(Limits, ForLoopOfManyTurns_MayBeLeft) {
  EXPECT_NO_THROW(run(model_with("transformed data", "for (i in 1:2000000000) { if (i > 3) break; }")));
}

TEST(Limits, WhileLoops_ThatEndAreFine) {
  for (const auto& block : {"transformed data", "generated quantities"}) {
    SCOPED_TRACE(block);
    EXPECT_NO_THROW(run(model_with(block, "{ real x = 1; while (x < 100) x *= 2; }")));
    // Random numbers change without an assignment.
    EXPECT_NO_THROW(run(model_with(block, "while (uniform_rng(0, 1) < 0.5) {}")));
  }
}

TEST(Limits, ContainerLargerThanMemory_IsRefusedInEveryBlock) {
  auto blocks = blocks_with_statements;
  blocks.emplace_back("parameters");
  for (const auto& block : blocks) {
    SCOPED_TRACE(block);
    const std::string statement = "array[1000000] vector[1000000] v;";
    const std::string model = model_with(block, statement);
    expect_place(message(model), model, statement, "'v' would have 1000000000000 elements and take 8000 GB");
  }
}

TEST(Limits, ContainerLargerThanMemory_IsRefusedWhereItIsMade) {
  const std::vector<std::pair<std::string, std::string>> made = {
      {"rep_matrix(0.0, 2000000, 2000000)[1, 1]", "the result of rep_matrix"},
      {"identity_matrix(2000000)[1, 1]", "the result of identity_matrix"},
      {"sum(rep_array(mu, 2000000, 2000000)[1])", "the result of rep_array"},
  };
  for (const auto& [expression, says] : made) {
    SCOPED_TRACE(expression);
    const std::string model = model_with("model", "{ real z = " + expression + "; target += z; }");
    expect_place(message(model), model, expression, says + " would have 4000000000000 elements and take 32000 GB");
  }
}

TEST(Limits, MemoryIsShort_WhenHardlyAnyIsLeft) {
  const auto is_short = [](const std::string& text) {
    std::istringstream meminfo(text);
    return memory_is_short(meminfo);
  };
  EXPECT_FALSE(is_short("MemTotal:       1000000 kB\nMemFree:  100 kB\nMemAvailable:  500000 kB\nSwapFree: 0 kB\n"));
  EXPECT_TRUE(is_short("MemTotal:       1000000 kB\nMemFree:  100 kB\nMemAvailable:  5000 kB\nSwapFree: 0 kB\n"));
  EXPECT_FALSE(is_short("MemTotal:       1000000 kB\nMemFree:  100 kB\nMemAvailable:  5000 kB\nSwapFree: 90000 kB\n"));
  EXPECT_FALSE(is_short(""));
}

TEST(Limits, InterruptFlag_EndsWhatRunsWithItsPlace) {
  const std::atomic<bool> interrupt{true};
  for (const auto& block : blocks_with_statements) {
    SCOPED_TRACE(block);
    const std::string statement = "for (i in 1:150000000) { }";
    const std::string model = model_with(block, statement);
    expect_place(message<InterruptedError>(model, &interrupt), model, statement, "interrupted here");
  }
}

TEST(Limits, InterruptFlag_LeavesTimeForTheOutputsOfOneDraw) {
  const std::atomic<bool> interrupt{true};
  EXPECT_NO_THROW(run(model_with("generated quantities", "for (i in 1:100000) { }"), &interrupt));
}

}  // namespace
}  // namespace sgmcmc::stan
