// Log densities and gradients of models against those of Stan, at the same unconstrained points (see
// fixtures/README.md).
#include "stan/binding/model_file.hpp"

#include "data/variables.hpp"
#include "model/log_posterior.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc::stan {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> fixture_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(SGMCMC_TEST_DATA) / "stan" / "fixtures")) {
    const std::string name = entry.path().filename().string();
    const std::string ending = ".expected.json";
    if (name.ends_with(ending)) names.push_back(name.substr(0, name.size() - ending.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct Evaluated {
  std::vector<double> log_density;
  std::vector<std::vector<double>> gradient;
};

Evaluated evaluate(const BoundModel& bound, const DataArray& points) {
  LogPosterior posterior(bound.model());
  auto executor = posterior.executor(ProgramKind::value_and_gradient, {});
  const auto dimension = static_cast<std::size_t>(bound.model().dimension());
  const std::size_t count = dimension == 0 ? 0 : static_cast<std::size_t>(points.size()) / dimension;
  Evaluated made;
  for (std::size_t p = 0; p < count; ++p) {
    std::vector<double> theta(dimension), out(dimension + 1);
    for (std::size_t d = 0; d < dimension; ++d) theta[d] = points[static_cast<std::int64_t>(p * dimension + d)];
    executor->set_point(Point::current, theta);
    executor->run(posterior.all_rows(), out);
    made.log_density.push_back(out[0]);
    made.gradient.emplace_back(out.begin() + 1, out.end());
  }
  return made;
}

/// Whether this fixture uses differences of Stan's values instead of its derivatives.
bool by_differences(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str().find("\"gradient_by_differences\": true") != std::string::npos;
}

/// Fixtures with functions whose names end in _lp: there, Stan drops the constants of `~` even if requested to keep
/// them.
constexpr std::array<std::string_view, 2> drop_constants = {"user_functions", "wild_own_densities"};

class Fixture : public ::testing::TestWithParam<std::string> {};

void expect_as_stan(const std::string& name, bool minibatched) {
  const std::string base = (fs::path(SGMCMC_TEST_DATA) / "stan" / "fixtures" / name).string();
  ModelText text = read_model(base + ".stan");
  std::vector<std::string> files;
  if (fs::exists(base + ".json")) files.push_back(base + ".json");
  const DataVariables data = read_data(files, declared_data(*text.program), nullptr);
  BindOptions options;
  options.minibatched = minibatched;
  BoundModel bound(text.source, text.program, data, options);
  const DataVariables expected = read_data(
      {base + ".expected.json"}, std::vector<std::string>{"points", "log_density_with_constants", "gradient"}, nullptr);
  const DataArray& points = expected.find("points")->array;
  const DataArray& density = expected.find("log_density_with_constants")->array;
  const DataArray& gradient = expected.find("gradient")->array;
  ASSERT_EQ(points.shape().rank(), 2u);
  ASSERT_EQ(points.shape()[1], bound.model().dimension());
  const Evaluated found = evaluate(bound, points);
  // If Stan's derivatives are inexact, uses differences of its values instead.
  const double tolerance = by_differences(base + ".expected.json") ? 1e-5 : 1e-8;
  ASSERT_EQ(density.size(), 4);
  double dropped = 0;
  if (std::find(drop_constants.begin(), drop_constants.end(), name) != drop_constants.end()) {
    dropped = density[0] - found.log_density[0];
    EXPECT_GT(dropped, 0.5) << "Stan keeps all constants";
  }
  for (std::int64_t p = 0; p < density.size(); ++p) {
    const auto i = static_cast<std::size_t>(p);
    EXPECT_NEAR(found.log_density[i] + dropped, density[p], 1e-8 * std::max(1.0, std::fabs(density[p])))
        << "point " << p;
    double largest = 1;
    for (std::int64_t d = 0; d < points.shape()[1]; ++d)
      largest = std::max(largest, std::fabs(gradient[p * points.shape()[1] + d]));
    for (std::int64_t d = 0; d < points.shape()[1]; ++d)
      EXPECT_NEAR(found.gradient[i][static_cast<std::size_t>(d)], gradient[p * points.shape()[1] + d],
                  tolerance * largest)
          << "point " << p << ", " << bound.model().unconstrained_names()[static_cast<std::size_t>(d)];
  }
}

TEST(Fixtures, EveryModel_HasStansValues) {
  std::size_t models = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(SGMCMC_TEST_DATA) / "stan" / "fixtures"))
    models += entry.path().extension() == ".stan";
  EXPECT_EQ(models, fixture_names().size());
  EXPECT_GE(models, 239u);
}

TEST_P(Fixture, RowByRow_LogDensityAndGradientAreStans) { expect_as_stan(GetParam(), true); }
TEST_P(Fixture, AllAtOnce_LogDensityAndGradientAreStans) { expect_as_stan(GetParam(), false); }

INSTANTIATE_TEST_SUITE_P(Stan, Fixture, ::testing::ValuesIn(fixture_names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace sgmcmc::stan
