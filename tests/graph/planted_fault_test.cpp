// Tests of the derivative checker: it must reject wrong gradients of many kinds.
#include "graph/leaves.hpp"
#include "reference/cases.hpp"
#include "reference/check_gradient.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace sgmcmc::reference {
namespace {

/// A log posterior with a matrix, a vector and a scalar parameter.
struct Posterior {
  Parameters parameters;
  Columns columns;
  Expression weights = parameters.spread(Shape{3, 3});
  Expression beta = parameters.spread(Shape{3});
  Expression log_scale = parameters.scalar(0.3);
  Expression prior = -0.5 * sum(square(weights)) - sum(abs(beta)) - square(log_scale);
  Expression residual = columns.x - dot(beta, tanh(matmul(weights, columns.z)));
  Expression one_row = -0.5 * square(residual / exp(log_scale)) - log_scale;
  Expression value = row_sum(row_weight() * one_row) + prior;
  RowTable rows = shared_rows();
  ParameterVectors<double> point = parameters.point();
};

using Fault = std::function<Expression(const Expression& gradient, const Expression& leaf)>;

/// The library's gradient with a planted error in the part of every leaf.
CheckOptions with_fault(Fault fault) {
  CheckOptions options;
  options.differentiator = [fault](const Expression& f, const std::vector<Expression>& leaves) {
    auto gradients = differentiate(f, leaves);
    for (std::size_t i = 0; i < leaves.size(); ++i) gradients[i] = fault(gradients[i], leaves[i]);
    return gradients;
  };
  return options;
}

/// The planted error in one leaf only.
Fault only_in(const Expression& where, Fault fault) {
  return [where, fault](const Expression& gradient, const Expression& leaf) {
    return &leaf.node() == &where.node() ? fault(gradient, leaf) : gradient;
  };
}

void expect_caught_by_both(const Posterior& posterior, const CheckOptions& options) {
  const auto report = check_gradient(posterior.value, posterior.rows, posterior.point, options);
  EXPECT_FALSE(report.dual_agrees);
  EXPECT_FALSE(report.difference_agrees);
  EXPECT_FALSE(report.agrees());
}

TEST(PlantedFault, None_PassesWithRoomToSpare) {
  const Posterior posterior;
  const auto report = check_gradient(posterior.value, posterior.rows, posterior.point);
  EXPECT_TRUE(report.agrees()) << report.failure;
  EXPECT_EQ(report.failure, "");
  EXPECT_LT(report.dual.relative, 1e-12);
  EXPECT_LT(report.difference.relative, 1e-8);
}

TEST(PlantedFault, SignFlipped_IsCaught) {
  const Posterior posterior;
  expect_caught_by_both(posterior, with_fault([](const auto& g, const auto&) { return -g; }));
}

TEST(PlantedFault, SignFlippedInOneScalar_IsCaughtThere) {
  const Posterior posterior;
  const auto options = with_fault(only_in(posterior.log_scale, [](const auto& g, const auto&) { return -g; }));
  expect_caught_by_both(posterior, options);
  const auto report = check_gradient(posterior.value, posterior.rows, posterior.point, options);
  EXPECT_EQ(report.dual.parameter, 12u);
  EXPECT_NE(report.failure.find("theta[12]"), std::string::npos) << report.failure;
  EXPECT_NE(report.failure.find("forward-mode duals"), std::string::npos) << report.failure;
  EXPECT_NE(report.failure.find("finite differences"), std::string::npos) << report.failure;
}

TEST(PlantedFault, FactorTwo_IsCaught) {
  const Posterior posterior;
  expect_caught_by_both(posterior, with_fault([](const auto& g, const auto&) { return 2.0 * g; }));
}

TEST(PlantedFault, MissingPrior_IsCaught) {
  const Posterior posterior;
  CheckOptions options;
  options.differentiator = [&](const Expression&, const std::vector<Expression>& leaves) {
    return differentiate(posterior.value - posterior.prior, leaves);
  };
  expect_caught_by_both(posterior, options);
}

TEST(PlantedFault, MissingLikelihood_IsCaught) {
  const Posterior posterior;
  CheckOptions options;
  options.differentiator = [&](const Expression&, const std::vector<Expression>& leaves) {
    return differentiate(posterior.prior, leaves);
  };
  expect_caught_by_both(posterior, options);
}

TEST(PlantedFault, PriorCountedInEveryRow_IsCaught) {
  const Posterior posterior;
  CheckOptions options;
  options.differentiator = [&](const Expression&, const std::vector<Expression>& leaves) {
    return differentiate(row_sum(row_weight() * posterior.one_row + posterior.prior), leaves);
  };
  expect_caught_by_both(posterior, options);
}

TEST(PlantedFault, RowWeightsForgotten_IsCaught) {
  const Posterior posterior;
  CheckOptions options;
  options.differentiator = [&](const Expression&, const std::vector<Expression>& leaves) {
    return differentiate(row_sum(posterior.one_row) + posterior.prior, leaves);
  };
  expect_caught_by_both(posterior, options);
}

TEST(PlantedFault, Transposed_IsCaught) {
  const Posterior posterior;
  expect_caught_by_both(
      posterior, with_fault(only_in(posterior.weights, [](const auto& g, const auto&) { return transpose(g); })));
}

TEST(PlantedFault, OffByOneTenThousandth_IsCaught) {
  const Posterior posterior;
  expect_caught_by_both(posterior, with_fault([](const auto& g, const auto&) { return (1 + 1e-4) * g; }));
}

TEST(PlantedFault, OneElementOffByOneTenThousandth_IsCaughtThere) {
  const Posterior posterior;
  const auto options = with_fault(only_in(posterior.beta, [](const auto& g, const auto&) {
    return g * constant({1.0, 1.0 + 1e-4, 1.0});
  }));
  expect_caught_by_both(posterior, options);
  const auto report = check_gradient(posterior.value, posterior.rows, posterior.point, options);
  EXPECT_EQ(report.dual.parameter, 10u);
  EXPECT_EQ(report.difference.parameter, 10u);
}

TEST(PlantedFault, OffByOneHundredMillionth_IsCaughtByDualsOnly) {
  const Posterior posterior;
  const auto options = with_fault([](const auto& g, const auto&) { return (1 + 1e-8) * g; });
  const auto report = check_gradient(posterior.value, posterior.rows, posterior.point, options);
  EXPECT_FALSE(report.dual_agrees);
  EXPECT_TRUE(report.difference_agrees);
  EXPECT_FALSE(report.agrees());
}

TEST(PlantedFault, ZeroAndNotANumber_AreCaught) {
  const Posterior posterior;
  expect_caught_by_both(posterior, with_fault([](const auto& g, const auto&) { return 0.0 * g; }));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_caught_by_both(posterior, with_fault([=](const auto& g, const auto&) { return nan * g; }));
}

TEST(PlantedFault, WrongShape_Throws) {
  const Posterior posterior;
  const auto options = with_fault(only_in(posterior.beta, [](const auto& g, const auto&) { return sum(g); }));
  EXPECT_THROW(check_gradient(posterior.value, posterior.rows, posterior.point, options), std::logic_error);
}

TEST(PlantedFault, BackendThatSkipsTheLastRow_IsCaught) {
  const Posterior posterior;
  CheckOptions options;
  options.backend = [](const std::vector<Expression>& outputs, const RowTable& data, const auto& point) {
    auto fewer = data;
    fewer.rows -= 1;
    return evaluate_naively(outputs, fewer, point);
  };
  expect_caught_by_both(posterior, options);
}

TEST(PlantedFault, RowsOfPerRowGradientsExchanged_IsCaught) {
  const Posterior posterior;
  const auto right = check_gradient(posterior.one_row, posterior.rows, posterior.point);
  EXPECT_TRUE(right.agrees()) << right.failure;
  CheckOptions options;
  options.backend = [](const std::vector<Expression>& outputs, const RowTable& data, const auto& point) {
    auto values = evaluate_naively(outputs, data, point);
    for (auto& value : values) {
      const auto size = static_cast<std::ptrdiff_t>(value.size()) / data.rows;
      std::swap_ranges(value.begin(), value.begin() + size, value.begin() + size);
    }
    return values;
  };
  const auto report = check_gradient(posterior.one_row, posterior.rows, posterior.point, options);
  EXPECT_FALSE(report.dual_agrees);
  EXPECT_FALSE(report.difference_agrees);
  EXPECT_LE(report.dual.output, 1u);
}

TEST(PlantedFault, InSecondDerivative_IsCaught) {
  const Posterior posterior;
  const auto right = check_hessian_vector(posterior.value, posterior.rows, posterior.point);
  EXPECT_TRUE(right.agrees()) << right.failure;
  // The planted error is in the second differentiation only; the first one is called with the posterior itself.
  for (const double factor : {-1.0, 2.0, 1.0 + 1e-8}) {
    CheckOptions options;
    options.differentiator = [&](const Expression& f, const std::vector<Expression>& leaves) {
      auto gradients = differentiate(f, leaves);
      if (&f.node() == &posterior.value.node()) return gradients;
      for (auto& gradient : gradients) gradient = factor * gradient;
      return gradients;
    };
    const auto report = check_hessian_vector(posterior.value, posterior.rows, posterior.point, options);
    EXPECT_FALSE(report.dual_agrees);
    EXPECT_FALSE(report.difference_agrees);
  }
}

TEST(PlantedFault, InFirstDerivativeOfTwo_IsCaughtByDualsOfDuals) {
  const Posterior posterior;
  const auto options = with_fault([](const auto& g, const auto&) { return g * g; });
  EXPECT_FALSE(check_hessian_vector(posterior.value, posterior.rows, posterior.point, options).dual_agrees);
}

}  // namespace
}  // namespace sgmcmc::reference
