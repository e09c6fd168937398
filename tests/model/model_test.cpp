// Declaring models: names, sizes, initial values, and messages that say what is wrong and where.
#include "model/cases.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/model.hpp>

#include <gtest/gtest.h>

namespace sgmcmc::testing {
namespace {

using Strings = std::vector<std::string>;

/// The message of the error that the action throws; all the words must be in it.
template <class ErrorType, class Action>
void expect_error(Action action, const Strings& words) {
  try {
    action();
    FAIL() << "nothing was thrown";
  } catch (const ErrorType& error) {
    for (const auto& word : words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << "'" << word << "' is not in: " << error.what();
  }
}

Model with_table() { return Model(Table().data()); }

TEST(Model, Names_CountFromOneLastAxisFastest) {
  Model model;
  model.parameter("alpha");
  model.parameter("beta", Shape{2, 3});
  model.parameter("sigma", Shape{2}, Constraint::lower(0.0));
  model.parameter("weights", Shape{3}, Constraint::simplex());
  model.parameter("certain", Shape{1}, Constraint::simplex());
  EXPECT_EQ(model.dimension(), 1 + 6 + 2 + 2 + 0);
  EXPECT_EQ(model.constrained_names(),
            (Strings{"alpha", "beta[1,1]", "beta[1,2]", "beta[1,3]", "beta[2,1]", "beta[2,2]", "beta[2,3]", "sigma[1]",
                     "sigma[2]", "weights[1]", "weights[2]", "weights[3]", "certain[1]"}));
  EXPECT_EQ(model.unconstrained_names(),
            (Strings{"alpha", "beta[1,1]", "beta[1,2]", "beta[1,3]", "beta[2,1]", "beta[2,2]", "beta[2,3]", "sigma[1]",
                     "sigma[2]", "weights (unconstrained 1)", "weights (unconstrained 2)"}));
  EXPECT_EQ(model.unconstrained_names().size(), static_cast<std::size_t>(model.dimension()));
  EXPECT_EQ(model.parameters()[2].offset, 7);
  EXPECT_EQ(model.parameters()[3].unconstrained_size, 2);
}

TEST(Model, Parameter_HasTheDeclaredShape) {
  Model model;
  EXPECT_EQ(model.parameter("a", Shape{2, 2}, Constraint::covariance_matrix()).shape(), (Shape{2, 2}));
  EXPECT_EQ(model.parameter("b", Shape{}, Constraint::interval(0.0, 1.0)).shape(), Shape{});
  EXPECT_FALSE(model.parameter("c").per_row());
}

TEST(Model, BadParameters_AreRefused) {
  Model model;
  model.parameter("beta");
  expect_error<ModelError>([&] { model.parameter("beta", Shape{2}); }, {"beta", "twice"});
  expect_error<ModelError>([&] { model.parameter(""); }, {"name"});
  expect_error<ModelError>([&] { model.parameter("gamma", Shape{2, 0}); }, {"gamma", "[2, 0]"});
  expect_error<ShapeError>([&] { model.parameter("simplex", Shape{}, Constraint::simplex()); }, {"simplex"});
  EXPECT_EQ(model.dimension(), 1) << "a refused parameter leaves nothing behind";
  EXPECT_EQ(model.parameters().size(), 1U);
}

TEST(Model, Columns_KeepKindAndShape) {
  auto model = with_table();
  EXPECT_EQ(model.row("x").shape(), Shape{3});
  EXPECT_TRUE(model.row("x").per_row());
  EXPECT_EQ(model.row("group").type(), ElementType::integer);
  EXPECT_EQ(model.row("x").pointer(), model.row("x").pointer());
  EXPECT_EQ(model.rows(), Table::rows);
}

TEST(Model, UnknownColumn_NamesTheNearest) {
  auto model = with_table();
  expect_error<DataError>([&] { model.row("gruop"); }, {"gruop", "group"});
  expect_error<ModelError>([] { Model().row("x"); }, {"no data", "'x'"});
}

TEST(Model, LikelihoodWithoutRows_IsRefused) {
  auto model = with_table();
  const auto a = model.parameter("a");
  expect_error<ModelError>([&] { model.likelihood(-square(a)); }, {"likelihood", "prior()"});
  expect_error<ModelError>([&] { model.likelihood(Expression()); }, {"likelihood", "empty"});
}

TEST(Model, PriorWithRows_IsRefused) {
  auto model = with_table();
  const auto a = model.parameter("a");
  expect_error<ModelError>([&] { model.prior(a * model.row("y")); }, {"prior", "row data", "likelihood()"});
  expect_error<ModelError>([&] { model.prior(Expression()); }, {"prior", "empty"});
}

TEST(Model, GatherIndexOutOfRange_NamesColumnRowAndValue) {
  const std::vector<std::int32_t> group{1, 2, 3, 5, 2}, pair{0, 1, 1, 0, 2, 1, 0, 0, 1, -1};
  const auto data = Dataset::Builder().integer("group", group).integer("pair", pair, Shape{2}).build();
  Model model(data);
  const auto effect = model.parameter("effect", Shape{4});
  expect_error<DataError>([&] { model.likelihood(gather(effect, model.row("group"), 1)); },
                          {"'group'", "row 3", "index 5", "1 to 4", "effect"});
  expect_error<DataError>([&] { model.likelihood(gather(effect, model.row("group"))); },
                          {"'group'", "row 3", "0 to 3"});
  expect_error<DataError>([&] { model.likelihood(sum(gather(effect, model.row("pair")))); },
                          {"'pair'", "row 4", "index -1"});
  // Only the elements that are used count.
  EXPECT_NO_THROW(model.likelihood(gather(effect, model.row("pair")[0])));
  expect_error<DataError>([&] { model.likelihood(gather(effect, model.row("pair")[1])); },
                          {"'pair'", "row 4", "index -1"});
  const auto larger = model.parameter("larger", Shape{6});
  EXPECT_NO_THROW(model.likelihood(gather(larger, model.row("group"))));
}

TEST(Model, Unconstrain_TakesTheConstraintsBack) {
  Model model;
  const auto top = model.parameter("top", Shape{}, Constraint::lower(1.0));
  model.parameter("free", Shape{2});
  model.parameter("part", Shape{2}, Constraint::interval(0.0, top));
  model.parameter("weights", Shape{3}, Constraint::simplex());
  const auto theta = model.unconstrain({{"part", {1.0, 3.0}}, {"top", {4.0}}, {"weights", {0.2, 0.3, 0.5}}});
  ASSERT_EQ(theta.size(), 7U);
  EXPECT_NEAR(theta[0], std::log(3.0), 1e-15);
  EXPECT_EQ(theta[1], 0);  // not given
  EXPECT_EQ(theta[2], 0);
  EXPECT_NEAR(theta[3], std::log(1.0 / 3.0), 1e-15);  // the bound is the value given for top
  EXPECT_NEAR(theta[4], std::log(3.0), 1e-15);
  EXPECT_NEAR(theta[5], std::log(0.2 / 0.8) + std::log(2.0), 1e-15);
  EXPECT_NEAR(theta[6], std::log(0.3 / 0.5), 1e-14);
}

TEST(Model, UnconstrainMistakes_AreNamed) {
  Model model;
  model.parameter("sigma", Shape{2}, Constraint::lower(0.0));
  expect_error<DataError>([&] { model.unconstrain({{"sigmo", {1.0, 1.0}}}); }, {"sigmo", "sigma"});
  expect_error<DataError>([&] { model.unconstrain({{"sigma", {1.0}}}); }, {"sigma", "[2]", "1 numbers"});
  expect_error<DataError>([&] { model.unconstrain({{"sigma", {1.0, -2.0}}}); }, {"sigma", "-2"});
}

TEST(Model, ParameterOfAnotherModel_IsRefused) {
  Model other;
  other.parameter("first", {3});
  const auto foreign = other.parameter("foreign");
  Model model;
  model.parameter("alpha");
  expect_error<ModelError>([&] { model.prior(normal_lpdf(foreign, 0, 1)); }, {"prior", "foreign", "not a parameter"});
}

TEST(Model, ParameterOfAnotherModelWithTheSameName_IsRefused) {
  Model other,
      model;  // the same name, size and place; the density would use the bound of one, the draws that of the other
  const auto foreign = other.parameter("s", {}, Constraint::lower(0.0));
  model.parameter("s", {}, Constraint::lower(5.0));
  expect_error<ModelError>([&] { model.prior(normal_lpdf(foreign, 0, 1)); }, {"prior", "'s'", "not a parameter"});
}

TEST(Model, ColumnOfAnotherModel_IsRefused) {
  const std::vector<double> wide(10), narrow(4);
  const Model copied = Model(Dataset::Builder().real("x", narrow, {2}).build());
  Model other(Dataset::Builder().real("x", wide, {5}).build()), model = copied;
  const auto foreign = other.row("x");
  model.parameter("w");
  expect_error<ModelError>([&] { model.likelihood(sum(foreign)); }, {"likelihood", "'x'", "another model"});
  model.row("x");
  expect_error<ModelError>([&] { model.likelihood(sum(foreign)); }, {"likelihood", "'x'", "another model"});
  Model same = model;
  same.likelihood(sum(model.row("x")));  // a copy has the columns of the original
}

TEST(Model, MatrixByColumn_CoordinatesFollowColumnsAndValuesKeepTheirPlace) {
  const Shape shape{2, 3};
  const Expression bounds = constant({0.0, 1.0, 2.0, 3.0, 4.0, 5.0}, shape);
  Model by_row, by_column;
  by_row.prior(normal_lpdf(by_row.parameter("b", shape, Constraint::lower(bounds)), bounds, 2.0));
  by_column.prior(
      normal_lpdf(by_column.parameter("b", shape, Constraint::lower(bounds), MatrixOrder::by_column), bounds, 2.0));
  const std::map<std::string, std::vector<double>> values{{"b", {0.5, 1.25, 2.5, 4.0, 5.0, 7.0}}};
  const auto rows = by_row.unconstrain(values), columns = by_column.unconstrain(values);
  EXPECT_EQ(columns, (std::vector<double>{rows[0], rows[3], rows[1], rows[4], rows[2], rows[5]}));
  EXPECT_EQ(by_column.unconstrained_names(), (Strings{"b[1,1]", "b[2,1]", "b[1,2]", "b[2,2]", "b[1,3]", "b[2,3]"}));
  EXPECT_EQ(by_column.constrained_names(), by_row.constrained_names());
  // The value at those coordinates is what was given, and the log-Jacobians agree.
  LogPosterior first(by_row), second(by_column);
  std::vector<double> at_rows(6), at_columns(6), density_rows(7), density_columns(7);
  auto run = [](LogPosterior& posterior, ProgramKind kind, const std::vector<double>& theta, std::vector<double>& out) {
    auto executor = posterior.executor(kind, {});
    executor->set_point(Point::current, theta);
    executor->run(posterior.all_rows(), out);
  };
  run(first, ProgramKind::constrained, rows, at_rows);
  run(second, ProgramKind::constrained, columns, at_columns);
  run(first, ProgramKind::value_and_gradient, rows, density_rows);
  run(second, ProgramKind::value_and_gradient, columns, density_columns);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_DOUBLE_EQ(at_columns[i], values.at("b")[i]);
    EXPECT_DOUBLE_EQ(at_columns[i], at_rows[i]);
  }
  EXPECT_NEAR(density_columns[0], density_rows[0], 1e-12);
  expect_error<ModelError>(
      [&] {
        by_column.parameter("c", {2, 2}, Constraint::covariance_matrix(), MatrixOrder::by_column);
      },
      {"c", "order"});
}

}  // namespace
}  // namespace sgmcmc::testing
