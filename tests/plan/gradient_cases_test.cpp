// Every gradient case through the executor: values, gradients and Hessian-vector products, at every edge of a tile.
#include "reference/gradient_cases.hpp"
#include "plan/executor_backend.hpp"
#include "reference/check_gradient.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

namespace sgmcmc::testing {
namespace {

using reference::all_gradient_cases;
using reference::CheckOptions;
using reference::Columns;
using reference::evaluate_naively;
using reference::GradientCase;
using reference::GradientForm;
using reference::Parameters;

reference::Backend executor_backend(BackendOptions options = {}) {
  return [options](const auto& outputs, const auto& rows, const auto& point) {
    return evaluate_planned(outputs, rows, point, options);
  };
}

class PlannedGradient : public ::testing::TestWithParam<GradientCase> {};

TEST_P(PlannedGradient, EveryForm_AgreesWithDualsAndDifferences) {
  const RowTable rows = reference::shared_rows();
  CheckOptions options;
  options.backend = executor_backend();
  for (const auto& form : GetParam().forms) {
    SCOPED_TRACE(form.name);
    Parameters parameters;
    const auto f = form.function(parameters, Columns{});
    if (needs_two_passes(differentiate(f, reference::parameter_leaves(f)))) {
      EXPECT_THROW(check_gradient(f, rows, parameters.point(), options), ModelError);
      continue;
    }
    const auto report = check_gradient(f, rows, parameters.point(), options);
    EXPECT_TRUE(report.dual_agrees && (report.difference_agrees || !form.differences)) << report.failure;
  }
}

TEST_P(PlannedGradient, EveryFormTwice_AgreesWithDualsOfDuals) {
  if (!GetParam().twice) GTEST_SKIP() << "it has no second derivatives";
  const RowTable rows = reference::shared_rows();
  CheckOptions options;
  options.backend = executor_backend();
  for (const auto& form : GetParam().forms) {
    SCOPED_TRACE(form.name);
    Parameters parameters;
    const auto f = form.function(parameters, Columns{});
    if (needs_two_passes(hessian_vector_graph(f, reference::parameter_leaves(f), options))) {
      EXPECT_THROW(check_hessian_vector(f, rows, parameters.point(), options), ModelError);
      continue;
    }
    const auto report = check_hessian_vector(f, rows, parameters.point(), options);
    EXPECT_TRUE(report.agrees()) << report.failure;
  }
}

/// The function, its gradient and its Hessian-vector product and, for a sum over rows, its summand and the gradient of
/// that; only those that one pass can compute.
std::vector<Expression> everything_about(const Expression& f, bool twice) {
  const auto leaves = reference::parameter_leaves(f);
  std::vector<Expression> outputs{f};
  const auto add = [&outputs](const std::vector<Expression>& more) {
    if (!needs_two_passes(more)) outputs.insert(outputs.end(), more.begin(), more.end());
  };
  add(differentiate(f, leaves));
  if (twice) add(hessian_vector_graph(f, leaves, CheckOptions{}));
  if (f.node().op == Op::row_sum && !needs_two_passes({f})) {
    const auto& summand = f.node().inputs[0];
    add({summand});
    add(differentiate(summand, leaves, {.per_row = true, .redirect = {}}));
  }
  return outputs;
}

TEST_P(PlannedGradient, AnyNumberOfRowsInAnyOrder_AgreesWithTheReference) {
  int tried = 0;
  for (const auto& form : GetParam().forms) {
    Parameters parameters;
    const auto f = form.function(parameters, Columns{});
    if (needs_two_passes({f})) continue;
    ++tried;
    const auto outputs = everything_about(f, GetParam().twice);
    const auto point = parameters.point();
    for (const std::int64_t rows : {1, 15, 16, 17, 100, 700}) {
      auto table = table_of(rows);
      if (rows == 15 || rows == 100) table.weights.clear();
      const auto expected = evaluate_naively(outputs, table, point);
      for (const auto order : {RowOrder::consecutive, RowOrder::after_others, RowOrder::by_indices}) {
        SCOPED_TRACE(form.name + ", " + std::to_string(rows) + " rows, order " +
                     std::to_string(static_cast<int>(order)));
        BackendOptions options;
        options.order = order;
        EXPECT_LE(worst_difference(evaluate_planned(outputs, table, point, options), expected), 1e-11);
      }
    }
  }
  if (tried == 0) GTEST_SKIP() << "every form takes two passes";
}

TEST_P(PlannedGradient, FloatArithmetic_AgreesToFloatPrecision) {
  int tried = 0;
  for (const auto& form : GetParam().forms) {
    if (!form.differences) continue;  // at points beyond the range of floats
    Parameters parameters;
    const auto f = form.function(parameters, Columns{});
    if (needs_two_passes({f})) continue;
    ++tried;
    const auto outputs = everything_about(f, false);
    const auto point = parameters.point();
    for (const std::int64_t rows : {17, 100}) {
      SCOPED_TRACE(form.name + ", " + std::to_string(rows) + " rows");
      const auto table = table_of(rows);
      BackendOptions options;
      options.executor.precision = Precision::float32;
      EXPECT_LE(
          worst_difference(evaluate_planned(outputs, table, point, options), evaluate_naively(outputs, table, point)),
          1e-4);
    }
  }
  if (tried == 0) GTEST_SKIP() << "every form takes two passes, or numbers beyond those of floats";
}

INSTANTIATE_TEST_SUITE_P(All, PlannedGradient, ::testing::ValuesIn(all_gradient_cases()),
                         [](const auto& tried) { return tried.param.name; });

TEST(PlannedGradients, Refusals_AreFewAndMostFormsRun) {
  int refused = 0, run = 0;
  for (const auto& gradient_case : all_gradient_cases()) {
    for (const auto& form : gradient_case.forms) {
      Parameters parameters;
      const auto f = form.function(parameters, Columns{});
      const bool needs_two = needs_two_passes(differentiate(f, reference::parameter_leaves(f)));
      ++(needs_two ? refused : run);
    }
  }
  EXPECT_GE(refused, 1);
  EXPECT_LE(refused, 5);
  EXPECT_GE(run, 200);
}

}  // namespace
}  // namespace sgmcmc::testing
