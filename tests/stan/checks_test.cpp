// Truncation and declared constraints against Stan's: which data are errors, which points are rejected, which outputs
// are omitted, and log densities and gradients elsewhere (see checks/README.md).
#include "stan/binding/model_file.hpp"

#include "data/variables.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace sgmcmc::stan {
namespace {

/// Stan's results for a model: each column holds all cases, one after another.
class Cases {
 public:
  explicit Cases(const std::string& name) {
    const std::string base = (std::filesystem::path(SGMCMC_TEST_DATA) / "stan" / "checks" / name).string();
    text_ = read_model(base + ".stan");
    names_ = declared_data(*text_.program);
    std::vector<std::string> wanted = names_;
    for (const char* own : {"point", "refused", "rejected", "unwritten", "log_density", "gradient", "gradient_error"})
      wanted.emplace_back(own);
    columns_ = read_data({base + ".expected.json"}, wanted, nullptr);
  }

  const ModelText& text() const { return text_; }
  std::int64_t size() const { return column("refused").shape()[0]; }
  bool is(const std::string& name, std::int64_t c) const { return column(name)[c] != 0; }
  double log_density(std::int64_t c) const { return column("log_density")[c]; }
  double gradient_error(std::int64_t c) const { return column("gradient_error")[c]; }

  std::vector<double> numbers(const std::string& name, std::int64_t c) const {
    const DataArray& all = column(name);
    const std::int64_t each = all.size() / size();
    std::vector<double> own;
    for (std::int64_t i = 0; i < each; ++i) own.push_back(all[c * each + i]);
    return own;
  }

  DataVariables data(std::int64_t c) const {
    DataVariables made;
    for (const auto& name : names_) {
      const auto& dims = column(name).shape().dims();
      const std::vector<double> own = numbers(name, c);
      made.by_name[name] = {DataArray::copy_of(std::span<const double>(own),
                                               Shape(std::vector<std::int64_t>(dims.begin() + 1, dims.end()))),
                            "test"};
    }
    return made;
  }

  std::string describe(std::int64_t c) const {
    std::ostringstream out;
    out.precision(17);
    out << "case " << c << ":";
    std::vector<std::string> shown = names_;
    shown.emplace_back("point");
    for (const auto& name : shown) {
      out << " " << name << " =";
      for (double each : numbers(name, c)) out << " " << each;
    }
    return out.str();
  }

 private:
  const DataArray& column(const std::string& name) const { return columns_.find(name)->array; }

  ModelText text_;
  std::vector<std::string> names_;
  DataVariables columns_;
};

void expect_log_density(const BoundModel& bound, const Cases& cases, std::int64_t c) {
  const std::vector<double> point = cases.numbers("point", c);
  const LogPosterior posterior(bound.model());
  const auto executor = posterior.executor(ProgramKind::value_and_gradient, {});
  std::vector<double> out(point.size() + 1);
  executor->set_point(Point::current, point);
  executor->run(posterior.all_rows(), out);
  if (cases.is("rejected", c)) {
    EXPECT_EQ(out[0], -std::numeric_limits<double>::infinity());
    return;
  }
  EXPECT_NEAR(out[0], cases.log_density(c), 1e-8 * std::max(1.0, std::fabs(cases.log_density(c))));
  const std::vector<double> gradient = cases.numbers("gradient", c);
  for (std::size_t d = 0; d < gradient.size(); ++d)
    EXPECT_NEAR(out[d + 1], gradient[d], cases.gradient_error(c) * std::max(1.0, std::fabs(gradient[d])))
        << "derivative " << d;
}

void expect_outputs(BoundModel& bound, const Cases& cases, std::int64_t c) {
  if (bound.output_size() == 0) return;
  std::vector<double> values(bound.output_size());
  // The models with outputs have parameters without constraints.
  const auto evaluate = [&] { bound.evaluate_outputs(cases.numbers("point", c), 1, 0, 0, values); };
  if (cases.is("unwritten", c))
    EXPECT_THROW(evaluate(), DataError);
  else
    EXPECT_NO_THROW(evaluate());
}

/// Returns how many cases were compared.
std::int64_t expect_as_stan(const std::string& name, bool minibatched) {
  const Cases cases(name);
  for (std::int64_t c = 0; c < cases.size(); ++c) {
    SCOPED_TRACE(cases.describe(c));
    BindOptions options;
    options.minibatched = minibatched;
    std::unique_ptr<BoundModel> bound;
    try {
      bound = std::make_unique<BoundModel>(cases.text().source, cases.text().program, cases.data(c), options);
    } catch (const DataError& error) {
      EXPECT_TRUE(cases.is("refused", c)) << error.what();
      continue;
    } catch (const StanError& error) {  // an error before the first point, which Stan reports at every point
      EXPECT_TRUE(cases.is("rejected", c)) << error.what();
      continue;
    }
    EXPECT_FALSE(cases.is("refused", c));
    if (cases.is("refused", c)) continue;
    expect_log_density(*bound, cases, c);
    expect_outputs(*bound, cases, c);
  }
  return cases.size();
}

struct Checked {
  const char* name;
  std::int64_t cases;
};

void PrintTo(const Checked& checked, std::ostream* out) { *out << checked.name; }

class StanChecks : public ::testing::TestWithParam<Checked> {};

TEST_P(StanChecks, RowByRow_AreStans) { EXPECT_EQ(expect_as_stan(GetParam().name, true), GetParam().cases); }

TEST_P(StanChecks, AllAtOnce_AreStans) { EXPECT_EQ(expect_as_stan(GetParam().name, false), GetParam().cases); }

INSTANTIATE_TEST_SUITE_P(
    Stan, StanChecks,
    ::testing::Values(Checked{"constraints_data", 44}, Checked{"constraints_generated_quantities", 141},
                      Checked{"constraints_rows", 32}, Checked{"constraints_transformed_data", 141},
                      Checked{"constraints_transformed_parameters", 141}, Checked{"truncated_between_parameters", 168},
                      Checked{"truncated_counts", 135}, Checked{"truncated_data", 420},
                      Checked{"truncated_parameters", 720}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace sgmcmc::stan
