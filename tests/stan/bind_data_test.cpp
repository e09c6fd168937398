// Full messages about data that do not match the model's declarations.
#include "stan/binding/model_file.hpp"

#include "data/variables.hpp"
#include "errors/message_of.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace sgmcmc::stan {
namespace {

struct WrongData {
  const char* name;
  const char* declarations;  ///< of the data block; a second line is the transformed data block
  const char* json;
  const char* message;
};

BoundModel bind_text(const std::string& text, const std::string& json) {
  const ModelText model = read_model_text("m.stan", text);
  const auto path =
      std::filesystem::path(::testing::TempDir()) /
      (std::string("bind_data_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".json");
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << json;
  DataVariables data = read_data({path.string()}, declared_data(*model.program), nullptr);
  for (auto& [name, variable] : data.by_name) variable.source = "d.json";
  std::filesystem::remove(path);
  return BoundModel(model.source, model.program, data, {});
}

class BindData : public ::testing::TestWithParam<WrongData> {};

TEST_P(BindData, WrongData_AreRefusedWithPlaceAndValue) {
  const WrongData& given = GetParam();
  const std::string declarations = given.declarations;
  const auto line = declarations.find('\n');
  std::string text = "data {\n" + declarations.substr(0, line) + "\n}\n";
  if (line != std::string::npos) text += "transformed data {\n" + declarations.substr(line + 1) + "\n}\n";
  text += "parameters { real a; }\nmodel { a ~ normal(0, 1); }\n";
  EXPECT_EQ(sgmcmc::testing::message_of<Error>([&] { bind_text(text, given.json); }), given.message);
}

const WrongData wrong_data[] = {
    {"Missing", "int N; vector[N] y;", R"({"N": 3})",
     "data: variable 'y' is missing: the model declares it as vector of shape [N = 3] at m.stan:2:18; give it in a "
     "data file or as y=FILE"},
    {"MissingScalar", "real sigma;", R"({})",
     "data: variable 'sigma' is missing: the model declares it as real at m.stan:2:6; give it in a data file or as "
     "sigma=FILE"},
    {"MissingWithNearName", "int N; vector[N] weights;", R"({"N": 2, "weigths": [1, 2]})",
     "data: variable 'weights' is missing: the model declares it as vector of shape [N = 2] at m.stan:2:18; did you "
     "mean 'weigths' in the data?"},
    {"MissingWithItsSize", "int N; int K; matrix[N, K] X; vector[N] y;", R"({"y": [1, 2]})",
     "data: variable 'X' is missing: the model declares it as matrix of shape [N, K] at m.stan:2:28; give it in a data "
     "file or as X=FILE, and K is found from it"},
    {"MissingAltogether", "int N; int K; matrix[N, K] X; vector[N] y;", R"({})",
     "data: variables 'X', 'y' are missing: the model declares X as matrix of shape [N, K] at m.stan:2:28; give it in "
     "a "
     "data file or as X=FILE, and N is found from it"},
    {"MissingWithItsSizeAndNearName", "int N; vector[N] weights;", R"({"Weights": [1, 2]})",
     "data: variable 'weights' is missing: the model declares it as vector of shape [N] at m.stan:2:18; did you mean "
     "'Weights' in the data?"},
    {"MissingSizeOfParameters", "int N; int J; vector[N] y;", R"({"y": [1, 2]})",
     "data: variable 'J' is missing: the model declares it as int at m.stan:2:12; give it in a data file or as "
     "J=FILE"},
    {"TooShort", "int N; vector[N] y;", R"({"N": 3, "y": [1, 2]})",
     "data: variable 'y' (d.json): declared with shape [N = 3], found [2]; declared at m.stan:2:18"},
    {"WrongRank", "int N; int K; matrix[N, K] X;", R"({"N": 2, "K": 2, "X": [1, 2]})",
     "data: variable 'X' (d.json): declared with shape [N = 2, K = 2], found [2]; declared at m.stan:2:28"},
    {"Transposed", "int N; int K; matrix[N, K] X;", R"({"N": 3, "K": 2, "X": [[1, 2, 3], [4, 5, 6]]})",
     "data: variable 'X' (d.json): declared with shape [N = 3, K = 2], found [2, 3], which looks transposed; declared "
     "at m.stan:2:28"},
    {"ArrayForScalar", "real s;", R"({"s": [1, 2]})",
     "data: variable 's' (d.json): declared as a scalar, found [2]; declared at m.stan:2:6"},
    {"ScalarForArray", "int N; vector[N] y;", R"({"N": 3, "y": 1})",
     "data: variable 'y' (d.json): declared with shape [N = 3], found a scalar; declared at m.stan:2:18"},
    {"SizeByExpression", "int N; array[N - 1] real y;", R"({"N": 4, "y": [1, 2]})",
     "data: variable 'y' (d.json): declared with shape [N - 1 = 3], found [2]; declared at m.stan:2:26"},
    {"NotAnInteger", "int N; array[N] int y;", R"({"N": 3, "y": [1, 2.5, 3]})",
     "data: variable 'y' (d.json): element [2] is 2.5, must be an integer; declared at m.stan:2:21"},
    {"NotAnIntegerScalar", "int N;", R"({"N": 2.5})",
     "data: variable 'N' (d.json): it is 2.5, must be an integer; declared at m.stan:2:5"},
    {"NegativeSize", "int N; vector[N] y;", R"({"N": -1, "y": []})",
     "m.stan:2:15: error: the size of 'y' is -1, it must not be negative\n  |\n2 | int N; vector[N] y;\n  |            "
     "   ^"},
    {"BelowLower", "int N; vector<lower=0>[N] y;", R"({"N": 3, "y": [1, -0.5, 3]})",
     "data: variable 'y' (d.json): element [2] is -0.5, must be at least 0; declared at m.stan:2:27"},
    {"AboveUpper", "int N; array[N] int<lower=0, upper=1> y;", R"({"N": 3, "y": [0, 1, 2]})",
     "data: variable 'y' (d.json): element [3] is 2, must be at most 1; declared at m.stan:2:39"},
    {"ScalarBelowLower", "int<lower=1> N;", R"({"N": 0})",
     "data: variable 'N' (d.json): it is 0, must be at least 1; declared at m.stan:2:14"},
    {"BoundFromOtherData", "int N; int J; array[N] int<lower=1, upper=J> g;", R"({"N": 2, "J": 4, "g": [1, 5]})",
     "data: variable 'g' (d.json): element [2] is 5, must be at most 4; declared at m.stan:2:46"},
    {"BoundElementwise", "int N; vector[N] low; vector<lower=low>[N] y;", R"({"N": 2, "low": [0, 3], "y": [1, 2]})",
     "data: variable 'y' (d.json): element [2] is 2, must be at least 3; declared at m.stan:2:44"},
    {"MatrixElement", "int N; matrix<lower=0>[N, 2] X;", R"({"N": 2, "X": [[1, 2], [3, -4]]})",
     "data: variable 'X' (d.json): element [2,2] is -4, must be at least 0; declared at m.stan:2:30"},
    {"NotANumberBelowBound", "int N; vector<lower=0>[N] y;", R"({"N": 2, "y": [1, "NaN"]})",
     "data: variable 'y' (d.json): element [2] is nan, must be at least 0; declared at m.stan:2:27"},
    {"SimplexSum", "simplex[3] p;", R"({"p": [0.2, 0.3, 0.4]})",
     "data: variable 'p' (d.json): the elements sum to 0.9, but a simplex sums to 1; declared at m.stan:2:12"},
    {"SimplexNegative", "simplex[3] p;", R"({"p": [0.7, 0.5, -0.2]})",
     "data: variable 'p' (d.json): element 3 is -0.2, but elements of a simplex must not be negative; declared at "
     "m.stan:2:12"},
    {"SimplexOfArray", "int N; array[N] simplex[2] p;", R"({"N": 2, "p": [[0.5, 0.5], [0.5, 0.6]]})",
     "data: variable 'p' (d.json): entry [2]: the elements sum to 1.1, but a simplex sums to 1; declared at "
     "m.stan:2:28"},
    {"NotOrdered", "ordered[3] c;", R"({"c": [1, 3, 2]})",
     "data: variable 'c' (d.json): element 3 is 2, not above the 3 before it; declared at m.stan:2:12"},
    {"NotPositiveOrdered", "positive_ordered[2] c;", R"({"c": [-1, 3]})",
     "data: variable 'c' (d.json): element 1 is -1, it must not be negative; declared at m.stan:2:21"},
    {"NotUnit", "unit_vector[2] u;", R"({"u": [1, 1]})",
     "data: variable 'u' (d.json): its squared length is 2, must be 1; declared at m.stan:2:16"},
    {"NotSymmetric", "cov_matrix[2] S;", R"({"S": [[1, 0.5], [0.4, 1]]})",
     "data: variable 'S' (d.json): it is not symmetric: element [2,1] is 0.4, its mirror image 0.5; declared at "
     "m.stan:2:15"},
    {"NotPositiveDefinite", "cov_matrix[2] S;", R"({"S": [[1, 2], [2, 1]]})",
     "data: variable 'S' (d.json): it is not positive definite; declared at m.stan:2:15"},
    {"CorrelationDiagonal", "corr_matrix[2] S;", R"({"S": [[1, 0.5], [0.5, 2]]})",
     "data: variable 'S' (d.json): diagonal element 2 is 2, must be 1; declared at m.stan:2:16"},
    {"CholeskyUpper", "cholesky_factor_cov[2] L;", R"({"L": [[1, 0.5], [0.4, 1]]})",
     "data: variable 'L' (d.json): element [1,2] above the diagonal is not 0; declared at m.stan:2:24"},
    {"CholeskyCorrelationRow", "cholesky_factor_corr[2] L;", R"({"L": [[1, 0], [0.5, 0.5]]})",
     "data: variable 'L' (d.json): the squares of row 2 add up to 0.5, must be 1; declared at m.stan:2:25"},
    {"SizeFromArraysAgainstAnother", "int N; vector[N] x; vector[N] y;", R"({"x": [1, 2], "y": [1, 2, 3]})",
     "data: variable 'y' (d.json): declared with shape [N = 2], found [3]; declared at m.stan:2:31"},
    {"SizeFromArraysOutOfBounds", "int<lower=3> N; vector[N] x;", R"({"x": [1, 2]})",
     "data: size 'N', from the arrays: it is 2, must be at least 3; declared at m.stan:2:14"},
    {"TransformedData", "int N; vector[N] y;\nvector<lower=0>[N] z = log(y);", R"({"N": 2, "y": [2, 0.5]})",
     "transformed data: variable 'z': element [2] is -0.6931471805599453, must be at least 0; declared at m.stan:5:20"},
    {"TransformedDataIndex", "int N; vector[N] y;\nreal z = y[N + 1];", R"({"N": 2, "y": [2, 0.5]})",
     "m.stan:5:12: error: index 3 is outside 1..2, dimension 1 of 'y'\n  |\n5 | real z = y[N + 1];\n  |            "
     "^^^^^"},
    {"TransformedDataReject", "int N; vector[N] y;\nif (min(y) < 1) reject(\"y must be large, not \", min(y));",
     R"({"N": 2, "y": [2, 0.5]})",
     "m.stan:5:17: error: the model rejects: y must be large, not 0.5\n  |\n5 | if (min(y) < 1) reject(\"y must be "
     "large, not \", min(y));\n  |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"},
};

INSTANTIATE_TEST_SUITE_P(Stan, BindData, ::testing::ValuesIn(wrong_data),
                         [](const auto& each) { return each.param.name; });

// Rows are counted from 1, and columns have the names of the model's variables.
TEST(RowsOfALikelihood, NumbersThatAreNotFinite_AreToldByVariableAndRow) {
  const auto told = [](const std::string& statements, const std::string& json) {
    return sgmcmc::testing::message_of<DataError>(
        [&] { bind_text("data { int N; vector[N] x; matrix[N, 2] X; array[N] int k; }\n" + statements, json); });
  };
  const std::string start =
      "parameters { real a; matrix[2, 3] b; } model { a ~ normal(0, 1); to_vector(b) ~ normal(0, 1); ";
  const std::string remedy = "; the likelihood needs finite numbers: remove the row or replace the value";
  EXPECT_EQ(
      told(start + "x ~ exponential(exp(a)); }", R"({"x": [1, 2, "inf"], "X": [[1,2],[3,4],[5,6]], "k": [1, 2, 3]})"),
      "data: variable 'x': row 3 is inf" + remedy);
  EXPECT_EQ(told("transformed data { vector[N] z = log(x); } " + start + "k ~ poisson_log(a * z); }",
                 R"({"x": [1, 0, 2], "X": [[1,2],[3,4],[5,6]], "k": [1, 2, 3]})"),
            "transformed data: variable 'z': row 2 is -inf" + remedy);
  EXPECT_EQ(
      told(start + "k ~ poisson_log(a * log(x)); }", R"({"x": [1, 0, 2], "X": [[1,2],[3,4],[5,6]], "k": [1, 2, 3]})"),
      "row 2 of numbers computed from the data is -inf" + remedy);
  EXPECT_EQ(told(start + "for (n in 1:N) k[n] ~ categorical_logit((X[n] * b)'); }",
                 R"({"x": [1, 1, 2], "X": [[1,2],[3,4],[5,6]], "k": [1, 2, 4]})"),
            "data: variable 'k': row 3 is used as an index, and 4 is outside 1 to 3");
}

TEST(BindData, SizeThatNoFileHas_IsTakenFromTheArrays) {
  const BoundModel bound = bind_text(
      "data { int N; int K; matrix[N, K] X; vector[N] y; } parameters { vector[K] b; } model { y ~ normal(X * b, 1); }",
      R"({"X": [[1, 2], [3, 4], [5, 6]], "y": [1, 2, 3]})");
  EXPECT_EQ(bound.rows(), 3);
  EXPECT_EQ(bound.model().dimension(), 2);
}

TEST(BindData, IntegersForRealsAndASingleNumberForAnArrayOfOne_AreTaken) {
  const BoundModel bound = bind_text(
      "data { int N; vector[N] y; array[1] int k; real s; }"
      " parameters { vector[k[1]] b; } model { y ~ normal(b[1], s); }",
      R"({"N": 1, "y": 4, "k": 2, "s": 3, "more": [1, 2]})");
  EXPECT_EQ(bound.model().dimension(), 2);
}

TEST(BindData, EmptyArrays_NeedNotBeGiven) {
  const BoundModel bound = bind_text(
      "data { int N; int K; vector[N] y; matrix[N, K] X; array[K] int g; } parameters { real a; vector[K] b; }"
      " model { y ~ normal(a + X * b, 1); b ~ normal(0, 1); g ~ poisson(2); }",
      R"({"N": 2, "K": 0, "y": [1, 2], "X": [[], []]})");
  EXPECT_EQ(bound.model().dimension(), 1);
}

TEST(BindData, IntegersThatAreAlsoReadAsReals_SurviveBeingUsedUp) {
  // Enough rows for memory that can be given back.
  constexpr std::int64_t rows = 300'000;
  const ModelText text = read_model_text(
      "m.stan",
      "data { int N; array[N] int g; array[N] int k; vector[N] y; } parameters { vector[3] a; real b; }"
      " model { y ~ normal(a[g] + b * to_vector(k), 1); for (n in 1:N) k[n] ~ poisson_log(a[g[n]] + 0.001 * k[n]); }");
  std::vector<double> values;
  for (const bool consume : {false, true}) {
    std::vector<std::int32_t> g, k;
    std::vector<double> y;
    for (std::int32_t i = 0; i < rows; ++i) {
      g.push_back(1 + i % 3);
      k.push_back(i % 5);
      y.push_back(0.01 * (i % 101));
    }
    DataVariables data;
    data.by_name["N"] = {DataArray::scalar(static_cast<std::int32_t>(rows)), "d"};
    data.by_name["g"] = {DataArray::copy_of(std::span<const std::int32_t>(g), Shape{rows}), "d"};
    data.by_name["k"] = {DataArray::copy_of(std::span<const std::int32_t>(k), Shape{rows}), "d"};
    data.by_name["y"] = {DataArray::copy_of(std::span<const double>(y), Shape{rows}), "d"};
    BindOptions options;
    options.consume_data = consume;
    const BoundModel bound(text.source, text.program, data, options);
    ASSERT_EQ(bound.rows(), rows);
    const LogPosterior posterior(bound.model());
    const auto executor = posterior.executor(ProgramKind::value_and_gradient, {});
    executor->set_point(Point::current, std::vector<double>{0.1, -0.2, 0.3, 0.4});
    std::vector<double> outputs(5);
    executor->run(posterior.all_rows(), outputs);
    values.push_back(outputs[0]);
  }
  EXPECT_EQ(values[0], values[1]);
}

}  // namespace
}  // namespace sgmcmc::stan
