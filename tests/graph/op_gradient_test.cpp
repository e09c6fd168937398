// The gradient of every op, against forward-mode duals and finite differences, once and twice differentiated.
#include "reference/check_gradient.hpp"
#include "reference/gradient_cases.hpp"

#include <gtest/gtest.h>

#include <set>

namespace sgmcmc::reference {
namespace {

class OpGradient : public testing::TestWithParam<GradientCase> {};

TEST_P(OpGradient, EveryForm_AgreesWithDualsAndDifferences) {
  const RowTable data = shared_rows();
  for (const auto& form : GetParam().forms) {
    SCOPED_TRACE(form.name);
    Parameters parameters;
    const auto f = form.function(parameters, Columns{});
    const auto report = check_gradient(f, data, parameters.point());
    EXPECT_TRUE(report.dual_agrees && (report.difference_agrees || !form.differences)) << report.failure;
  }
}

TEST_P(OpGradient, EveryFormTwice_AgreesWithDualsOfDuals) {
  if (!GetParam().twice) GTEST_SKIP() << "it has no second derivatives";
  const RowTable data = shared_rows();
  for (const auto& form : GetParam().forms) {
    SCOPED_TRACE(form.name);
    Parameters parameters;
    const auto f = form.function(parameters, Columns{});
    const auto report = check_hessian_vector(f, data, parameters.point());
    EXPECT_TRUE(report.agrees()) << report.failure;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpGradient, testing::ValuesIn(all_gradient_cases()),
                         [](const auto& tried) { return tried.param.name; });

/// The per-row summand of a form, where it is a plain sum over rows of something made from one row alone.
Expression summand(const Expression& f) {
  if (f.node().op != Op::row_sum) return {};
  for (const auto& node : nodes_of(f.node().inputs)) {
    if (is_row_sum(node.node().op)) return {};
  }
  return f.node().inputs[0];
}

TEST(PerRowGradient, EveryForm_AgreesRowByRow) {
  const RowTable data = shared_rows();
  int tried = 0;
  for (const auto& gradient_case : all_gradient_cases()) {
    for (const auto& form : gradient_case.forms) {
      SCOPED_TRACE(gradient_case.name + ", " + form.name);
      Parameters parameters;
      const auto one_row = summand(form.function(parameters, Columns{}));
      if (!one_row) continue;
      ++tried;
      const auto report = check_gradient(one_row, data, parameters.point());
      EXPECT_TRUE(report.dual_agrees && (report.difference_agrees || !form.differences)) << report.failure;
    }
  }
  EXPECT_GT(tried, 100);
}

TEST(OpCoverage, EveryOp_IsInSomeGraphThatIsChecked) {
  std::set<Op> met;
  const auto meet = [&](const std::vector<Expression>& roots) {
    for (const auto& node : nodes_of(roots)) met.insert(node.node().op);
  };
  for (const auto& gradient_case : all_gradient_cases()) {
    for (const auto& form : gradient_case.forms) {
      Parameters parameters;
      const auto f = form.function(parameters, Columns{});
      meet({f});
      meet(differentiate(f, parameter_leaves(f)));
      if (const auto one_row = summand(f)) {
        meet(differentiate(one_row, parameter_leaves(one_row), {.per_row = true, .redirect = {}}));
      }
    }
  }
  for (int op = 0; op <= static_cast<int>(Op::row_sum_sparse_outer); ++op) {
    EXPECT_TRUE(met.contains(static_cast<Op>(op))) << "no case has the op " << op_name(static_cast<Op>(op));
  }
}

}  // namespace
}  // namespace sgmcmc::reference
