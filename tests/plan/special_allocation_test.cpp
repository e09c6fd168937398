// Special functions and functions of matrices allocate nothing either, values and gradients, after the first run.
#include "allocations/allocation_count.hpp"
#include "plan/executor_backend.hpp"
#include "reference/check_gradient.hpp"
#include "reference/gradient_cases.hpp"

#include <gtest/gtest.h>

namespace sgmcmc::testing {
namespace {

using reference::Columns;
using reference::GradientCase;
using reference::Parameters;

TEST(Allocations, SpecialFunctionsAfterTheFirstRun_None) {
  if (!counts_malloc()) GTEST_SKIP() << "the allocator cannot be watched here";
  int tried = 0;
  for (const std::vector<GradientCase>& cases : {reference::special_cases(), reference::matrix_function_cases()}) {
    for (const auto& gradient_case : cases) {
      for (const auto& form : gradient_case.forms) {
        Parameters parameters;
        const auto f = form.function(parameters, Columns{});
        auto outputs = differentiate(f, reference::parameter_leaves(f));
        outputs.push_back(f);
        const TableData table(reference::shared_rows(), outputs);
        const auto executor = executor_for(outputs, table, parameters.point(), {});
        std::vector<double> values(static_cast<std::size_t>(executor->output_size()));
        const auto batch = table.batch();
        executor->run(batch, values);
        const auto first = allocation_count();
        executor->run(batch, values);
        EXPECT_EQ(allocation_count(), first) << gradient_case.name << ", " << form.name;
        EXPECT_TRUE(std::isfinite(values.back()));
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 100);
}

}  // namespace
}  // namespace sgmcmc::testing
