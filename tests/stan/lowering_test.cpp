// A model means the same whichever rows it is cut into: unrolled, by the rows that are found, by any other rows, and
// one row at a time. Needs no other software, so it is tried on every model at hand.
#include "stan/model_file.hpp"

#include "data/variables.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc::stan {
namespace {

namespace fs = std::filesystem;

constexpr double tolerance = 1e-10;

/// "fixtures/ar1", "lowering/ternaries", ...: every model with data.
std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const char* folder : {"fixtures", "lowering"})
    for (const auto& entry : fs::directory_iterator(fs::path(SGMCMC_TEST_DATA) / "stan" / folder)) {
      fs::path path = entry.path();
      if (path.extension() != ".stan") continue;
      if (fs::exists(path.replace_extension(".json"))) names.push_back(folder + ("/" + path.stem().string()));
    }
  std::sort(names.begin(), names.end());
  return names;
}

struct Loaded {
  ModelText text;
  DataVariables data;
};

Loaded load(const std::string& name) {
  const std::string base = (fs::path(SGMCMC_TEST_DATA) / "stan" / name).string();
  Loaded made;
  made.text = read_model(base + ".stan");
  made.data = read_data({base + ".json"}, declared_data(*made.text.program), nullptr);
  return made;
}

BoundModel bind(const Loaded& loaded, const BindOptions& options) {
  return BoundModel(loaded.text.source, loaded.text.program, loaded.data, options);
}

/// Points where models with scales and probabilities are well inside their supports.
std::vector<std::vector<double>> points(std::size_t dimension) {
  std::vector<std::vector<double>> made;
  for (std::size_t p = 0; p < 3; ++p) {
    std::vector<double> theta(dimension);
    for (std::size_t d = 0; d < dimension; ++d)
      theta[d] = 0.8 * std::sin(1.0 + 12.9898 * static_cast<double>(d + 1) + 78.233 * static_cast<double>(p + 1));
    made.push_back(std::move(theta));
  }
  return made;
}

/// The log density and its gradient, by batches.
class Evaluator {
 public:
  explicit Evaluator(const BoundModel& bound)
      : posterior_(bound.model()), executor_(posterior_.executor(ProgramKind::value_and_gradient, {})) {}

  std::vector<double> at(const std::vector<double>& theta) { return at(theta, posterior_.all_rows()); }
  std::vector<double> at(const std::vector<double>& theta, const RowBatch& batch) {
    std::vector<double> out(theta.size() + 1);
    executor_->set_point(Point::current, theta);
    executor_->run(batch, out);
    return out;
  }

 private:
  LogPosterior posterior_;
  std::unique_ptr<Executor> executor_;
};

double largest(const std::vector<double>& values) {
  double most = 1;
  for (double value : values)
    if (std::isfinite(value)) most = std::max(most, std::fabs(value));
  return most;
}

void expect_equal(const std::vector<double>& found, const std::vector<double>& expected, const std::string& where) {
  ASSERT_EQ(found.size(), expected.size());
  const double scale = largest(expected);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string what = where + (i == 0 ? ": log density" : ": derivative " + std::to_string(i));
    if (std::isfinite(expected[i]))
      EXPECT_NEAR(found[i], expected[i], tolerance * scale) << what;
    else
      EXPECT_FALSE(std::isfinite(found[i])) << what;
  }
}

/// Names of the sizes that could count the rows.
std::vector<std::string> sizes(const Program& program) {
  std::vector<std::string> names;
  for (const auto& statement : program.data.statements)
    if (const auto* declaration = std::get_if<Declaration>(&statement->form);
        declaration && declaration->type == Type{Base::integer, 0})
      names.push_back(declaration->name);
  return names;
}

class Lowering : public ::testing::TestWithParam<std::string> {};

TEST_P(Lowering, AnyRows_LogDensityAndGradientAreThoseOfTheUnrolledModel) {
  const Loaded loaded = load(GetParam());
  BindOptions unrolled;
  unrolled.minibatched = false;
  const BoundModel whole = bind(loaded, unrolled);
  EXPECT_EQ(whole.row_axis(), "");
  Evaluator reference(whole);
  std::vector<std::string> tried{""};
  for (const auto& name : sizes(*loaded.text.program)) tried.push_back(name);
  for (const auto& rows : tried) {
    BindOptions options;
    options.rows = rows;
    std::unique_ptr<BoundModel> bound;
    try {
      bound = std::make_unique<BoundModel>(loaded.text.source, loaded.text.program, loaded.data, options);
    } catch (const OptionError&) {
      continue;  // no data of that size
    }
    if (bound->row_axis().empty()) continue;
    Evaluator by_rows(*bound);
    for (const auto& theta : points(static_cast<std::size_t>(bound->model().dimension())))
      expect_equal(by_rows.at(theta), reference.at(theta), "rows " + bound->row_axis());
  }
}

// With v(B) = prior + the likelihood of the rows B: the sum of v over all single rows, less v(all), is (N - 1) priors,
// and so is N - 1 times v(first half) + v(second half) - v(all).
TEST_P(Lowering, SingleRows_AddUpToAll) {
  const Loaded loaded = load(GetParam());
  const BoundModel bound = bind(loaded, {});
  if (bound.row_axis().empty()) GTEST_SKIP() << "no rows";
  Evaluator evaluator(bound);
  const auto rows = static_cast<std::uint32_t>(bound.rows());
  const auto theta = points(static_cast<std::size_t>(bound.model().dimension()))[0];
  const auto all = evaluator.at(theta);
  const auto first = evaluator.at(theta, {.first = 0, .count = rows / 2});
  const auto second = evaluator.at(theta, {.first = rows / 2, .count = rows - rows / 2});
  std::vector<double> singles(all.size(), 0.0), scaled(all.size());
  double scale = 1;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const auto one = evaluator.at(theta, {.first = row, .count = 1});
    for (std::size_t i = 0; i < one.size(); ++i) singles[i] += one[i];
    scale = std::max(scale, largest(one));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double prior = first[i] + second[i] - all[i];
    ASSERT_TRUE(std::isfinite(all[i])) << i;
    EXPECT_NEAR(singles[i] - all[i], (rows - 1.0) * prior, tolerance * scale * rows) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Stan, Lowering, ::testing::ValuesIn(model_names()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

}  // namespace
}  // namespace sgmcmc::stan
