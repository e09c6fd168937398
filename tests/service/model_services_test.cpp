// What front ends request of a model: a report, densities at points, and the mode.
#include "service/density.hpp"
#include "service/errors.hpp"
#include "service/model_report.hpp"
#include "service/optimum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

const std::string text = R"(data { int N; vector[N] y; }
parameters {
  real
    mu;
}
model { mu ~ normal(0, 1); y ~ normal(mu, 1); }
generated quantities { real twice = 2 * mu; }
)";

StanPosterior bound_to(const StanModel& model, const std::vector<double>& y) {
  return model.bind(StanData().integer("N", static_cast<std::int32_t>(y.size())).real("y", y));
}

TEST(ModelReport, OfAModel_HasDeclarationsInOneLine) {
  const ModelReport report = report_on(StanModel::from_text(text, "normal.stan"));
  EXPECT_EQ(report.name, "normal.stan");
  ASSERT_EQ(report.data.size(), 2u);
  EXPECT_EQ(report.data[1].name, "y");
  ASSERT_EQ(report.parameters.size(), 1u);
  EXPECT_EQ(report.parameters[0].declaration.text, "real mu;");
  EXPECT_EQ(report.parameters[0].declaration.line, 3u);
  EXPECT_TRUE(report.warnings.empty());
}

TEST(ModelReport, OfAPosterior_HasPriorAndLikelihood) {
  const StanModel model = StanModel::from_text(text);
  const PosteriorReport report = report_on(model, bound_to(model, {1, 2, 3}));
  ASSERT_EQ(report.statements.size(), 2u);
  EXPECT_EQ(report.statements[0].kind, ModelStatement::Kind::prior);
  EXPECT_EQ(report.statements[1].kind, ModelStatement::Kind::likelihood);
  EXPECT_EQ(report.statements[1].place.line, 6u);
  EXPECT_FALSE(report.groups);
  EXPECT_EQ(report.few_rows, "");
  EXPECT_NE(report_on(model, bound_to(model, {1})).few_rows, "");
}

TEST(DensityAt, NormalModel_HasItsDifferencesAndGradients) {
  const StanModel model = StanModel::from_text(text);
  const StanPosterior posterior = bound_to(model, {1, 2, 3});
  const std::vector<std::vector<double>> points = {{0.0}, {1.5}};
  const auto found = density_at(posterior.model(), points, 1);
  ASSERT_EQ(found.size(), 2u);  // log density: -2 (mu - 1.5)^2 plus a constant
  EXPECT_NEAR(found[1].log_density - found[0].log_density, 4.5, 1e-12);
  EXPECT_NEAR(found[0].gradient.at(0), 6.0, 1e-12);
  EXPECT_NEAR(found[1].gradient.at(0), 0.0, 1e-12);
}

TEST(Optimum, OfANormalModel_IsItsModeWithOutputsThere) {
  const StanModel model = StanModel::from_text(text);
  const Optimum optimum = find_optimum(bound_to(model, {1, 2, 3}), {});
  EXPECT_EQ(optimum.method, "lbfgs");
  EXPECT_TRUE(optimum.mode.report.converged());
  EXPECT_EQ(optimum.names, (std::vector<std::string>{"mu", "twice"}));
  EXPECT_NEAR(optimum.values.at(0), 1.5, 1e-4);
  EXPECT_EQ(optimum.values.at(1), 2 * optimum.values.at(0));
  EXPECT_EQ(optimum.outputs_problem, "");
}

TEST(Optimum, WithoutJacobian_IsThatOfTheDeclaredParameters) {
  // sigma ~ gamma(3, 2): the mode of sigma is (3 - 1) / 2, and that of log(sigma) is log(3 / 2).
  const StanModel model = StanModel::from_text("parameters { real<lower=0> sigma; } model { sigma ~ gamma(3, 2); }");
  RunSettings settings;
  settings.initial = {{"sigma", {0.7}}};
  for (const std::string method : {"lbfgs", "adam"}) {
    settings.method = method;
    EXPECT_NEAR(find_optimum(model.bind(), settings).values.at(0), 1.5, 1e-3) << method;
    EXPECT_NEAR(find_optimum(model.bind(), settings, {.jacobian = false}).values.at(0), 1.0, 1e-3) << method;
  }
}

TEST(Optimum, OutputsThatCannotBeComputed_AreTold) {
  const StanModel model = StanModel::from_text(
      "parameters { real mu; } model { mu ~ normal(0, 1); } generated quantities { real x; reject(\"never\"); }");
  const Optimum optimum = find_optimum(model.bind(), {});
  EXPECT_NEAR(optimum.values.at(0), 0.0, 1e-4);
  EXPECT_TRUE(std::isnan(optimum.values.at(1)));
  EXPECT_NE(optimum.outputs_problem.find("never"), std::string::npos);
}

TEST(Optimum, SgdWithoutStepSize_IsRefused) {
  const StanModel model = StanModel::from_text(text);
  RunSettings settings;
  settings.method = "sgd";
  try {
    find_optimum(bound_to(model, {1, 2, 3}), settings);
    ADD_FAILURE() << "no error";
  } catch (const SettingError& error) {
    EXPECT_EQ(error.setting(), "step_size");
  }
}

TEST(Errors, OfAModelText_BeginWithTheirPlace) {
  try {
    StanModel::from_text("parameters { real mu }");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_TRUE(begins_with_place(error));
    EXPECT_FALSE(is_interruption(error));
  }
  EXPECT_FALSE(begins_with_place(FileError("x: cannot be read")));
}

}  // namespace
}  // namespace sgmcmc
