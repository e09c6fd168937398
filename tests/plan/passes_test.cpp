// Passes: each can be omitted without changing results, and each improves a program made for it.
#include "plan/elementwise.hpp"
#include "plan/executor_backend.hpp"
#include "plan/models.hpp"
#include "reference/gradient_cases.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace sgmcmc::testing {
namespace {

using reference::Columns;
using reference::Parameters;

Program compiled(const std::vector<Expression>& outputs, std::set<std::string> disabled = {}) {
  PlanOptions options;
  options.disabled_passes = std::move(disabled);
  return compile_program(outputs, options);
}

std::int64_t count_op(const Program& program, Op op) {
  return std::count_if(program.values.begin(), program.values.end(), [op](const Value& v) { return v.op() == op; });
}

TEST(Passes, EachLeftOut_ResultsAgreeToRounding) {
  const auto table = table_of(17);
  std::vector<std::set<std::string>> choices;
  for (const auto& pass : plan_passes()) choices.push_back({pass});
  choices.emplace_back(plan_passes().begin(), plan_passes().end());
  int tried = 0;
  for (const auto& gradient_case : reference::all_gradient_cases()) {
    for (const auto& form : gradient_case.forms) {
      Parameters parameters;
      const auto f = form.function(parameters, Columns{});
      auto outputs = differentiate(f, reference::parameter_leaves(f));
      outputs.push_back(f);
      if (needs_two_passes(outputs)) continue;
      ++tried;
      const auto expected = evaluate_planned(outputs, table, parameters.point());
      for (const auto& disabled : choices) {
        SCOPED_TRACE(gradient_case.name + ", " + form.name + ", without " + *disabled.begin());
        BackendOptions options;
        options.plan.disabled_passes = disabled;
        EXPECT_LE(worst_difference(evaluate_planned(outputs, table, parameters.point(), options), expected), 1e-12);
      }
    }
  }
  EXPECT_GT(tried, 100);
}

TEST(Passes, EachLeftOutOfModels_ResultsAgreeToRounding) {
  for (const auto& model : {logistic_regression(300), network(300), random_effects(300), sparse_regression(300)}) {
    const auto outputs = model.outputs();
    auto run_without = [&](std::set<std::string> disabled) {
      const auto program = std::make_shared<const Program>(compiled(outputs, std::move(disabled)));
      const auto executor = make_executor(program, model.data, model.dimension());
      executor->set_point(Point::current, model.theta);
      std::vector<double> values(static_cast<std::size_t>(executor->output_size()));
      RowBatch batch;
      batch.count = 300;
      executor->run(batch, values);
      return std::vector<std::vector<double>>{values};
    };
    const auto expected = run_without({});
    for (const auto& pass : plan_passes())
      EXPECT_LE(worst_difference(run_without({pass}), expected), 1e-13) << model.name << " without " << pass;
    const std::set<std::string> all(plan_passes().begin(), plan_passes().end());
    EXPECT_LE(worst_difference(run_without(all), expected), 1e-13) << model.name << " without any pass";
  }
}

TEST(Passes, Times_AreTakenOfEveryPassInOrder) {
  const auto program = compiled(logistic_regression(10).outputs());
  std::vector<std::string> timed;
  for (const auto& time : program.pass_times) timed.push_back(time.name);
  EXPECT_EQ(timed, plan_passes());
}

TEST(Passes, UnknownName_IsRefusedWithANearMiss) {
  try {
    compiled({Expression(1.0)}, {"constant_foldin"});
    FAIL() << "no error";
  } catch (const OptionError& error) {
    EXPECT_NE(std::string(error.what()).find("constant_folding"), std::string::npos) << error.what();
  }
}

TEST(ConstantFolding, ConstantsOnly_BecomeOneConstant) {
  const auto x = row_real("x", Shape{});
  const auto coefficient = exp(constant({0.5, 0.25})) * log(constant({2.0, 3.0}));
  const std::vector<Expression> outputs{row_sum(x * sum(coefficient))};
  const auto folded = compiled(outputs), unfolded = compiled(outputs, {"constant_folding"});
  EXPECT_LT(folded.values.size(), unfolded.values.size());
  EXPECT_TRUE(folded.centre.empty() && folded.before.empty());
  EXPECT_EQ(count_op(folded, Op::exp), 0);
  EXPECT_EQ(count_op(unfolded, Op::exp), 1);
}

TEST(GlobalDivisors, RowDividedByGlobal_MultipliesByAReciprocal) {
  const auto x = row_real("x", Shape{});
  const std::vector<Expression> outputs{row_sum(square(x / parameter_leaf("scale", Shape{}, 0)))};
  const auto inverted = compiled(outputs), divided = compiled(outputs, {"global_divisors"});
  EXPECT_EQ(count_op(inverted, Op::divide), 0);
  EXPECT_EQ(inverted.before.size(), 1U);
  EXPECT_EQ(count_op(divided, Op::divide), 1);
}

TEST(CommonSubexpressions, SameExpressionTwice_IsComputedOnce) {
  const auto x = row_real("x", Shape{});
  const auto a = parameter_leaf("a", Shape{}, 0);
  const std::vector<Expression> outputs{row_sum(exp(a * x) + square(exp(a * x)))};
  const auto shared = compiled(outputs), repeated = compiled(outputs, {"common_subexpressions"});
  EXPECT_EQ(count_op(shared, Op::exp), 1);
  EXPECT_EQ(count_op(repeated, Op::exp), 2);
}

TEST(CommonSubexpressions, ThatDifferInOneAttribute_StayApart) {
  const auto x = row_real("x", Shape{2, 2});
  const auto a = parameter_leaf("a", Shape{2}, 0), b = parameter_leaf("a", Shape{2}, 2);
  const auto centre = parameter_leaf("a", Shape{2}, 0, Point::centre);
  const auto index = row_integer("i", Shape{});
  const auto table = parameter_leaf("t", Shape{3}, 4);
  const std::vector<Expression> outputs{row_sum(sum(sum(x, 0)) + sum(sum(x, 1)) + sum(matmul(x, a)) +
                                                sum(matmul(a, x)) + sum(matmul(x, b)) + sum(matmul(x, centre)) +
                                                gather(table, index, 0) + gather(table, index, 1) + x[0][0] + x[0][1])};
  const auto shared = compiled(outputs);
  EXPECT_EQ(count_op(shared, Op::matvec), 4);
  EXPECT_EQ(count_op(shared, Op::gather), 2);
  EXPECT_EQ(count_op(shared, Op::parameter), 4);
}

TEST(ElementwiseFusion, Chain_IsOneInstructionThatKeepsNothing) {
  const auto x = row_real("x", Shape{3});
  const auto a = parameter_leaf("a", Shape{3}, 0);
  const std::vector<Expression> outputs{row_sum(exp(tanh(square(a * x) + 1.0)))};
  const auto fused = compiled(outputs), single = compiled(outputs, {"elementwise_fusion"});
  EXPECT_LT(fused.rows.size(), single.rows.size());
  std::size_t largest_group = 0;
  for (const auto& instruction : fused.rows) largest_group = std::max(largest_group, instruction.values.size());
  EXPECT_EQ(largest_group, 5U);
  EXPECT_EQ(
      std::count_if(fused.values.begin(), fused.values.end(), [](const Value& v) { return v.place == Place::scratch; }),
      4);
}

TEST(ElementwiseFusion, ValueAndSlopeOfALogit_AreTheSameBitsTogetherAndApart) {
  ASSERT_NE(pair_function<double>(Op::log1p_exp, Op::logistic), nullptr);
  const std::int64_t rows = 300;
  const auto model = logistic_regression(rows);
  const auto x = sum(row_real("x", Shape{21})), p = model.leaves[0];
  // In both orders, by row and global, kept and used up inside the group.
  const std::vector<Expression> outputs{
      row_sum(log1p_exp(x)),          row_sum(logistic(x)), row_sum(square(logistic(-x))),
      row_sum(square(log1p_exp(-x))), sum(logistic(p)),     log1p_exp(p)};
  const auto run = [&](std::set<std::string> disabled, Precision precision) {
    ExecutorOptions options;
    options.precision = precision;
    const auto program = std::make_shared<const Program>(compiled(outputs, std::move(disabled)));
    const auto executor = make_executor(program, model.data, model.dimension(), options);
    executor->set_point(Point::current, model.theta);
    std::vector<double> values(static_cast<std::size_t>(executor->output_size()));
    RowBatch batch;
    batch.count = static_cast<std::uint32_t>(rows);
    executor->run(batch, values);
    return values;
  };
  for (const auto precision : {Precision::float64, Precision::float32})
    EXPECT_EQ(run({}, precision), run({"elementwise_fusion"}, precision));
}

TEST(GatherElimination, ColumnsReadInPlace_AreNotLoaded) {
  auto loaded = [](const Program& program, const std::string& name) {
    return std::any_of(program.values.begin(), program.values.end(),
                       [&](const Value& v) { return v.node().attributes.name == name && v.loaded; });
  };
  const auto logistic = logistic_regression(10).outputs();
  EXPECT_FALSE(loaded(compiled(logistic), "x"));
  EXPECT_TRUE(loaded(compiled(logistic, {"gather_elimination"}), "x"));
  EXPECT_LT(compiled(logistic).tile_components, compiled(logistic, {"gather_elimination"}).tile_components - 20);
  EXPECT_FALSE(loaded(compiled(network(10).outputs()), "x"));
  EXPECT_TRUE(loaded(compiled(network(10).outputs(), {"gather_elimination"}), "x"));
  EXPECT_FALSE(loaded(compiled(random_effects(10).outputs()), "group"));
  EXPECT_TRUE(loaded(compiled(random_effects(10).outputs(), {"gather_elimination"}), "group"));
}

TEST(MemoryPlanning, LongChain_ReusesTileMemory) {
  auto x = row_real("x", Shape{5});
  for (int i = 0; i < 10; ++i) x = cumulative_sum(x);
  const auto planned = compiled({row_sum(x)}), unplanned = compiled({row_sum(x)}, {"memory_planning"});
  EXPECT_LE(planned.tile_components, 15);
  EXPECT_EQ(unplanned.tile_components, 55);
}

TEST(Stages, Values_AreComputedAsSeldomAsTheyCan) {
  const auto x = row_real("x", Shape{});
  const auto theta = parameter_leaf("a", Shape{}, 0), centre = parameter_leaf("a", Shape{}, 0, Point::centre);
  const auto program = compiled({sqrt(row_sum(exp(x * tanh(theta)) + x * cosh(centre)))});
  auto stage_of = [&](Op op) {
    return std::find_if(program.values.begin(), program.values.end(), [op](const Value& v) { return v.op() == op; })
        ->stage;
  };
  EXPECT_EQ(stage_of(Op::tanh), Stage::before);
  EXPECT_EQ(stage_of(Op::cosh), Stage::centre);
  EXPECT_EQ(stage_of(Op::exp), Stage::rows);
  EXPECT_EQ(stage_of(Op::sqrt), Stage::after);
}

TEST(Compile, RowValueOfASumOverRows_IsRefused) {
  const auto x = row_real("x", Shape{});
  const auto mean = row_sum(x);
  EXPECT_THROW(compiled({x - mean}), ModelError);
  EXPECT_THROW(compiled({row_sum(square(x - mean))}), ModelError);
  EXPECT_NO_THROW(compiled({mean * row_sum(square(x))}));
}

}  // namespace
}  // namespace sgmcmc::testing
