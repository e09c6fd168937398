// A model has the same density for every choice of rows: unrolled, with the detected rows, with any other rows, and one
// row at a time. Needs no external software, so it runs on every model.
#include "stan/binding/model_file.hpp"

#include "data/variables.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
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
  int compared = 0;
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
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "no rows";
}

// The tests of rows above skip models without rows: these must not become many.
TEST(LoweringOfAll, RowsAreFoundInMostModels) {
  int with_rows = 0;
  const auto names = model_names();
  for (const auto& name : names) with_rows += !bind(load(name), {}).row_axis().empty();
  EXPECT_GE(names.size(), 300u);
  EXPECT_GE(with_rows, 200);
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

/// The path of a model of these tests, without its extension; next to Stan's values if there are any.
std::string base_of(const std::string& name) {
  const fs::path folder = fs::path(SGMCMC_TEST_DATA) / "stan";
  const fs::path compared = folder / "fixtures" / ("wild_" + name);
  return fs::exists(compared.string() + ".stan") ? compared.string() : (folder / "lowering" / name).string();
}

BoundModel bind_as(const std::string& file_name, const std::string& model) {
  std::ifstream file(base_of(model) + ".stan");
  std::ostringstream content;
  content << file.rdbuf();
  const ModelText text = read_model_text(file_name, content.str());
  const DataVariables data = read_data({base_of(model) + ".json"}, declared_data(*text.program), nullptr);
  return BoundModel(text.source, text.program, data, {});
}

TEST(RowsFound, ModelsWhoseRowsAreIndependent_AreMinibatched) {
  const std::map<std::string, std::vector<std::string>> by_rows{
      {"12", {"ulam_style"}},
      {"20", {"literal_sizes_regression"}},
      {"G", {"groups_by_row", "ragged_start_end", "wide_groups"}},
      {"I", {"cjs_functions", "irt_wide", "irt_wide_vectorised"}},
      {"J", {"dina", "offset_multiplier_rows"}},
      {"M", {"closed_capture_augmented", "two_likelihoods"}},
      {"N",
       {"accumulators",
        "ar_two_lags",
        "ar_vectorised",
        "arm_electric",
        "arrays_of_vectors",
        "brms_car",
        "brms_categorical",
        "brms_censored",
        "brms_correlated",
        "brms_cumulative",
        "brms_distributional",
        "brms_gp_smooth",
        "brms_horseshoe",
        "brms_hurdle",
        "brms_intercepts",
        "brms_interval_censored",
        "brms_monotonic",
        "brms_ordinal_families",
        "brms_zero_inflated",
        "centred_rows",
        "columns_filled",
        "condition_on_parameters",
        "continue_rows",
        "cox_partial",
        "decov_glmer",
        "function_per_row_if",
        "glm_forms",
        "grm_ordered_array",
        "hierarchy_three_levels",
        "if_else_locals",
        "if_else_outer_local",
        "index_arrays_by_row",
        "irt_long",
        "lagged_mu",
        "lda_words",
        "log_lik_vector_target",
        "measurement_latent",
        "missing_regression",
        "mixture_locals",
        "multi_index_assign",
        "multi_normal_rows",
        "multivariate_probit",
        "nested_rows_in_groups",
        "ordered_beta",
        "ordinal_row_cutpoints",
        "outer_locals_old_style",
        "partial_credit",
        "profiles_prints",
        "rats_matrix",
        "row_forms",
        "rows_by_themselves",
        "rows_matrix_locals",
        "same_sizes",
        "short_circuit",
        "simplex_regression",
        "sizes_by_row",
        "slices",
        "softmax_rows",
        "softplus_neural",
        "sum_of_rows_uses",
        "survival_weibull_censored",
        "ternaries",
        "transposes",
        "truncated_rows",
        "two_loops_masks",
        "user_lpdf_vectors",
        "varying_slopes_nc",
        "while_and_break"}},
      {"N_back", {"brms_multivariate"}},  // three sizes that are one number
      {"N_obs", {"censoring_integrated"}},
      {"N_tg", {"brms_time_covariance"}},
      {"S", {"occupancy_rows"}},
      {"T", {"forecast_trend", "random_walk_parameter"}},
      {"n_dogs", {"dogs_history"}},
  };
  for (const auto& [rows, models] : by_rows)
    for (const auto& model : models) EXPECT_EQ(bind_as("m.stan", model).row_axis(), rows) << model;
}

TEST(RowsFound, ModelsThatTieRowsTogether_SayWhereAndWhy) {
  const std::map<std::string, std::string> reasons{
      {"brms_ar1",
       "m.stan:27:7: error: the rows counted by N cannot be minibatched: a row assigns 'Err' of other rows\n"
       "   |\n"
       "27 |       Err[n + 1, i] = err[n + 1 - i];\n"
       "   |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
       "help: use a method that visits all data, such as nuts"},
      {"carried_conditional",
       "m.stan:16:19: error: the rows counted by N cannot be minibatched: 'level' carries a value from one row to the "
       "next\n"
       "   |\n"
       "16 |     y[n] ~ normal(level, sigma);\n"
       "   |                   ^^^^^\n"
       "help: use a method that visits all data, such as nuts"},
      {"carried_elements",
       "m.stan:15:5: error: the rows counted by N cannot be minibatched: 's' carries a value from one row to the next\n"
       "   |\n"
       "15 |     s[1] += x[n] * a[1];\n"
       "   |     ^^^^^^^^^^^^^^^^^^^^\n"
       "help: use a method that visits all data, such as nuts"},
      {"carried_to_second_loop",
       "m.stan:16:32: error: the rows counted by N cannot be minibatched: a value of the last row is used after the "
       "loop over rows\n"
       "   |\n"
       "16 |   for (n in 1:N) z[n] ~ normal(m, 2);\n"
       "   |                                ^\n"
       "help: use a method that visits all data, such as nuts"},
      {"components_by_rows",
       "m.stan:16:18: error: the rows counted by N cannot be minibatched: containers of all rows become elements of "
       "'mu'\n"
       "   |\n"
       "16 |   for (k in 1:K) mu[k] = X * beta[k];\n"
       "   |                  ^^^^^^^^^^^^^^^^^^^^\n"
       "help: use a method that visits all data, such as nuts"},
      {"gp_by_loops",
       "m.stan:15:5: error: the rows counted by N cannot be minibatched: a loop over all rows is nested in a loop over "
       "rows\n"
       "   |\n"
       "15 |     for (j in (i + 1):N) {\n"
       "   |     ^^^^^^^^^^^^^^^^^^^^^^\n"
       "help: use a method that visits all data, such as nuts"},
      {"gp_latent",
       "m.stan:20:22: error: the rows counted by N cannot be minibatched: 'gp_exp_quad_cov' uses all rows at once\n"
       "   |\n"
       "20 |     matrix[N, N] K = gp_exp_quad_cov(x, alpha, rho); // 2.21:     matrix[N, N] K = cov_exp_quad(x, a...\n"
       "   |                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
       "help: use a method that visits all data, such as nuts"},
      {"hmm_loop",
       "m.stan:19:31: error: the rows counted by T cannot be minibatched: a row reads 'gamma' of another row, which "
       "the same loop assigns\n"
       "   |\n"
       "19 |       for (j in 1:K) acc[j] = gamma[t - 1, j] + log(theta[j, k]) + normal_lpdf(y[t] | mu[k], 1);\n"
       "   |                               ^^^^^^^^^^^^^^^\n"
       "help: use a method that visits all data, such as nuts"},
      {"ragged_segments",
       "m.stan:17:16: error: the rows counted by G cannot be minibatched: 'pos' carries a value from one row to the "
       "next\n"
       "   |\n"
       "17 |     segment(y, pos, s[g]) ~ normal(mu[g], 1);\n"
       "   |                ^^^\n"
       "help: use a method that visits all data, such as nuts"},
      {"random_walk_latent",
       "m.stan:13:26: error: the rows counted by T cannot be minibatched: a row reads 'mu' of another row, which the "
       "same loop assigns\n"
       "   |\n"
       "13 |   for (t in 2:T) mu[t] = mu[t - 1] + q * z[t];\n"
       "   |                          ^^^^^^^^^\n"
       "help: use a method that visits all data, such as nuts"},
      {"reverse_and_empty",
       "m.stan:17:18: error: the rows counted by N cannot be minibatched: a row assigns 'mu' of other rows\n"
       "   |\n"
       "17 |   for (n in 1:N) mu[N + 1 - n] += 0.1 * y[n];\n"
       "   |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
       "help: use a method that visits all data, such as nuts"},
      {"sum_not_linear",
       "m.stan:11:24: error: the rows counted by N cannot be minibatched: a sum over all rows is used for more than "
       "adding it to the log density\n"
       "   |\n"
       "11 |   target += -0.5 * N * log(dot_self(e));\n"
       "   |                        ^^^^^^^^^^^^^^^^\n"
       "help: use a method that visits all data, such as nuts"},
  };
  for (const auto& [model, reason] : reasons) {
    const BoundModel bound = bind_as("m.stan", model);
    EXPECT_EQ(bound.row_axis(), "") << model;
    EXPECT_EQ(bound.why_not_minibatched(), reason) << model;
  }
}

/// y, X and which rows count, with X sparse or dense.
DataVariables sparse_or_dense(bool sparse) {
  const std::vector<std::int64_t> start{0, 2, 2, 3, 5};
  const std::vector<std::int32_t> column{0, 2, 1, 0, 1};
  const std::vector<double> value{1.5, -2.0, 0.5, 3.0, 1.0};
  GrowingMemory<std::int64_t> row_start;
  GrowingMemory<std::int32_t> columns;
  GrowingMemory<double> values;
  for (auto each : start) row_start.push_back(each);
  for (auto each : column) columns.push_back(each);
  for (auto each : value) values.push_back(each);
  DataArray X(std::move(row_start), std::move(columns), std::move(values), 3);
  const std::vector<double> y{0.3, -1.0, 2.0, 0.7};
  const std::vector<std::int32_t> z{0, 1, 0, 1};
  DataVariables data;
  data.by_name["X"] = {sparse ? X : X.to_real(), "test"};
  data.by_name["y"] = {DataArray::copy_of(std::span<const double>(y), Shape{4}), "test"};
  data.by_name["z"] = {DataArray::copy_of(std::span<const std::int32_t>(z), Shape{4}), "test"};
  return data;
}

TEST(SparseMatrix, UnderConditionsAndLags_IsTheDenseOne) {
  const ModelText text = read_model_text("m.stan", R"(
data { int N; int K; matrix[N, K] X; vector[N] y; array[N] int z; }
parameters { vector[K] b; real a; }
model {
  vector[N] mu = a + X * b;
  y ~ normal(mu, 1);
  y[1] ~ normal(mu[1], 2);
  for (n in 1:N) if (z[n]) y[n] ~ normal(exp(mu[n]), 3);
  for (n in 2:N) y[n] ~ normal(mu[n - 1], 4);
}
)");
  BindOptions unrolled;
  unrolled.minibatched = false;
  BoundModel dense(text.source, text.program, sparse_or_dense(false), unrolled);
  BoundModel whole(text.source, text.program, sparse_or_dense(true), unrolled);
  BoundModel sparse(text.source, text.program, sparse_or_dense(true), {});
  EXPECT_EQ(sparse.row_axis(), "N");
  Evaluator reference(dense), by_rows(sparse), written_out(whole);
  for (const auto& theta : points(4)) {
    expect_equal(by_rows.at(theta), reference.at(theta), "sparse");
    expect_equal(written_out.at(theta), reference.at(theta), "sparse, without rows");
  }
}

TEST(SparseMatrix, OnlyTheModelReads_IsNeverWrittenOut) {
  constexpr std::int32_t size = 1'000'000;  // written out: 8 TB
  GrowingMemory<std::int64_t> row_start;
  GrowingMemory<std::int32_t> columns;
  GrowingMemory<double> values;
  row_start.push_back(0);
  for (std::int32_t i = 0; i < size; ++i) {
    columns.push_back(i);
    values.push_back(1.0);
    row_start.push_back(i + 1);
  }
  DataVariables data;
  data.by_name["X"] = {DataArray(std::move(row_start), std::move(columns), std::move(values), size), "test"};
  const std::vector<double> y(size, 0.5);
  data.by_name["y"] = {DataArray::copy_of(std::span<const double>(y), Shape{size}), "test"};
  const ModelText text = read_model_text("m.stan", R"(
data { int N; int K; matrix[N, K] X; vector[N] y; }
parameters { vector[K] b; real<lower=0> s; }
transformed parameters { real variance = s * s; }
model { b ~ normal(0, 1); s ~ normal(0, 1); y ~ normal(X * b, s); }
generated quantities { real precision = 1 / variance; }
)");
  BoundModel bound(text.source, text.program, data, {});
  EXPECT_EQ(bound.row_axis(), "N");
  std::vector<double> theta(size + 1, 2.0), outputs(bound.output_size());
  bound.evaluate_outputs(theta, 1, 0, 0, outputs);
  EXPECT_EQ(outputs, (std::vector<double>{4.0, 0.25}));
}

// Another size must not become the row axis because the actual rows are coupled.
TEST(RowsFound, FewerRowsThanThoseTiedTogether_AreTakenOnlyIfNothingElseIsLeft) {
  const char* text = R"(
data { int T; int K; vector[T] y; vector[K] guess; }
parameters { vector[K] mu; real phi; }
model {
  vector[T] m;
  m[1] = mu[1];
  for (t in 2:T) m[t] = phi * m[t - 1] + mu[2];
  y ~ normal(m, 1);
  guess ~ normal(mu, 1);
}
)";
  DataVariables data;
  const std::vector<double> y{0.3, -1.0, 2.0, 0.7}, guess{0.0, 1.0};
  data.by_name["y"] = {DataArray::copy_of(std::span<const double>(y), Shape{4}), "test"};
  data.by_name["guess"] = {DataArray::copy_of(std::span<const double>(guess), Shape{2}), "test"};
  const ModelText model = read_model_text("m.stan", text);
  const BoundModel found(model.source, model.program, data, {});
  EXPECT_EQ(found.row_axis(), "");
  EXPECT_NE(found.why_not_minibatched().find("a row reads 'm' of another row"), std::string::npos);
  BindOptions asked;
  asked.rows = "K";
  EXPECT_EQ(BoundModel(model.source, model.program, data, asked).row_axis(), "K");
}

// If there happen to be as many groups as rows, the rows alone are the row axis, and the groups stay groups.
TEST(RowsFound, EqualSizes_AreTakenTogetherOnlyWhereOneLeavesSomethingInFull) {
  const char* text = R"(
data { int N; int J; array[N] int g; vector[N] y; vector[J] z; }
parameters { vector[J] a; real b; }
model {
  a ~ normal(0, 1);
  for (n in 1:N) y[n] ~ normal(a[g[n]], 1);
  MORE
}
)";
  DataVariables data;
  const std::vector<double> y{0.3, -1.0, 2.0}, z{0.0, 1.0, 0.5};
  const std::vector<std::int32_t> g{2, 1, 2};
  data.by_name["y"] = {DataArray::copy_of(std::span<const double>(y), Shape{3}), "test"};
  data.by_name["z"] = {DataArray::copy_of(std::span<const double>(z), Shape{3}), "test"};
  data.by_name["g"] = {DataArray::copy_of(std::span<const std::int32_t>(g), Shape{3}), "test"};
  const auto in_full = [&](const std::string& more) {
    std::string whole = text;
    whole.replace(whole.find("MORE"), 4, more);
    const ModelText model = read_model_text("m.stan", whole);
    const BoundModel bound(model.source, model.program, data, {});
    EXPECT_EQ(bound.row_axis(), "N");
    return std::count_if(bound.statements().begin(), bound.statements().end(),
                         [](const auto& report) { return report.kind == StatementReport::Kind::full; });
  };
  EXPECT_EQ(in_full(""), 0);
  EXPECT_EQ(in_full("z ~ normal(b, 1);"), 0);
  EXPECT_EQ(in_full("for (j in 2:J) z[j] ~ normal(b * a[j] + z[j - 1], 1);"), 0);
  EXPECT_EQ(in_full("{ real s = 0; for (j in 1:J) { s = b * s + a[j]; z[j] ~ normal(s, 1); } }"), 1);
}

INSTANTIATE_TEST_SUITE_P(Stan, Lowering, ::testing::ValuesIn(model_names()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

}  // namespace
}  // namespace sgmcmc::stan
