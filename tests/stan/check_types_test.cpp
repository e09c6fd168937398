// The types of expressions, and which of them depend on parameters.
#include "stan/builtins/signatures.hpp"
#include "stan/check/check.hpp"
#include "stan/check/check_operators.hpp"
#include "stan/syntax/parse.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc::stan::testing {
namespace {

/// The first argument of print(...), checked in generated quantities where variables of every kind are in scope.
struct Checked {
  explicit Checked(const std::string& expression)
      : source("model.stan", R"(
          functions {
            real twice(real x) { return 2 * x; }
            vector twice(vector x) { return 2 * x; }
            int twice(int x) { return 2 * x; }
            real wide(array[] real x, data matrix m) { return sum(x) * m[1, 1]; }
            real bump_lpdf(real x, real a) { return -a * x; }
          }
          data {
            int n; array[4] int ii; array[2, 3] int kk; real r; vector[3] v; row_vector[3] w; matrix[3, 3] m;
            array[4] real a; array[4] vector[3] av; array[2, 3] matrix[3, 3] am;
          }
          parameters { real x; vector[3] beta; array[2] vector[3] gamma; }
          generated quantities { print()" +
                                 expression + "); }"),
        program(parse(source)) {
    check(program, source);
  }
  const Tree& tree() const {
    return *std::get<Print>(program.generated_quantities.statements.at(0)->form).arguments.at(0);
  }

  Source source;
  Program program;
};

TEST(CheckTypes, Expressions_HaveTheTypesOfTheLanguage) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      // Literals.
      {"1", "int"},
      {"1.0", "real"},
      {"{1, 2}", "array[] int"},
      {"{1, 2.5}", "array[] real"},
      {"{2.5, 1}", "array[] real"},
      {"{{1, 2}, {3, 4}}", "array[,] int"},
      {"{v, beta}", "array[] vector"},
      {"[1, 2]", "row_vector"},
      {"[x, 2]", "row_vector"},
      {"[]", "row_vector"},
      {"[[1, 2], [3, 4]]", "matrix"},
      {"[w, v']", "matrix"},
      {"{[1, 2], w}", "array[] row_vector"},
      // Arithmetic.
      {"n + 1", "int"},
      {"n + 1.0", "real"},
      {"n * r", "real"},
      {"n / 2", "int"},
      {"n / 2.0", "real"},
      {"n %/% 2", "int"},
      {"n % 2", "int"},
      {"n ^ 2", "real"},
      {"-n", "int"},
      {"+v", "vector"},
      {"-m", "matrix"},
      {"v + v", "vector"},
      {"1 + v", "vector"},
      {"m - r", "matrix"},
      {"w + w", "row_vector"},
      {"w * v", "real"},
      {"v * w", "matrix"},
      {"m * v", "vector"},
      {"w * m", "row_vector"},
      {"m * m", "matrix"},
      {"2 * w", "row_vector"},
      {"v / 2", "vector"},
      {"w / m", "row_vector"},
      {"m / m", "matrix"},
      {"m \\ v", "vector"},
      {"m \\ m", "matrix"},
      {"v .* v", "vector"},
      {"m ./ m", "matrix"},
      {"1 ./ v", "vector"},
      {"v ./ 2", "vector"},
      {"v .^ 2", "vector"},
      {"2 .^ w", "row_vector"},
      {"a .^ 2", "array[] real"},
      {"ii ^ 2", "array[] real"},
      {"v'", "row_vector"},
      {"w'", "vector"},
      {"m'", "matrix"},
      {"v' * m * v", "real"},
      // Comparisons and logic.
      {"r > 1", "int"},
      {"n == r", "int"},
      {"n && r", "int"},
      {"n || 0", "int"},
      {"!r", "int"},
      // Choice.
      {"n ? 1 : 2", "int"},
      {"n ? 1 : r", "real"},
      {"n > 1 ? v : beta", "vector"},
      {"n ? ii : a", "array[] real"},
      // Indices.
      {"v[1]", "real"},
      {"v[1:2]", "vector"},
      {"v[:2]", "vector"},
      {"v[2:]", "vector"},
      {"v[:]", "vector"},
      {"v[ii]", "vector"},
      {"w[ii]", "row_vector"},
      {"w[n]", "real"},
      {"m[1]", "row_vector"},
      {"m[1, 2]", "real"},
      {"m[1, ]", "row_vector"},
      {"m[, 1]", "vector"},
      {"m[1:2]", "matrix"},
      {"m[1:2, 1]", "vector"},
      {"m[1, 1:2]", "row_vector"},
      {"m[ii, 1:2]", "matrix"},
      {"m[ii]", "matrix"},
      {"m[1][2]", "real"},
      {"ii[2]", "int"},
      {"ii[1:2]", "array[] int"},
      {"kk[1]", "array[] int"},
      {"kk[, 1]", "array[] int"},
      {"kk[1, 2]", "int"},
      {"a[ii]", "array[] real"},
      {"av[1]", "vector"},
      {"av[1, 2]", "real"},
      {"av[1:2, 2]", "array[] real"},
      {"av[ii, 1:2]", "array[] vector"},
      {"av[, 1]", "array[] real"},
      {"am[1]", "array[] matrix"},
      {"am[1, 2]", "matrix"},
      {"am[1, 2, 3]", "row_vector"},
      {"am[1, 2, 3, 1]", "real"},
      {"am[1, 2, , 1]", "vector"},
      {"am[1, , 3]", "array[] row_vector"},
      {"am[, , 1, 2]", "array[,] real"},
      {"am[ii]", "array[,] matrix"},
      {"{1, 2, 3}[2]", "int"},
      {"(v + 1)[2]", "real"},
      // Calls.
      {"exp(v)", "vector"},
      {"exp(n)", "real"},
      {"sum(v)", "real"},
      {"sum(ii)", "int"},
      {"twice(n)", "int"},
      {"twice(r)", "real"},
      {"twice(v)", "vector"},
      {"wide(a, m)", "real"},
      {"wide(ii, m)", "real"},
      {"normal_lpdf(v | 0, 1)", "real"},
      {"normal_rng(0, 1)", "real"},
      {"bump_lpdf(1 | 2)", "real"},
      {"size(a)", "int"},
      {"rep_vector(0, n)", "vector"},
      {"pi()", "real"},
  };
  for (const auto& [expression, type] : cases) {
    SCOPED_TRACE(expression);
    try {
      EXPECT_EQ(Checked(expression).tree().type.to_string(), type);
    } catch (const StanError& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(CheckTypes, InnerExpressions_AreTypedToo) {
  const Checked checked("m[1] * (2 * v)");
  const auto& product = std::get<Binary>(checked.tree().form);
  EXPECT_EQ(product.left->type.to_string(), "row_vector");
  EXPECT_EQ(product.right->type.to_string(), "vector");
  const auto& indexed = std::get<Indexed>(product.left->form);
  EXPECT_EQ(indexed.container->type.to_string(), "matrix");
  EXPECT_EQ(indexed.indices.at(0).single->type.to_string(), "int");
}

TEST(CheckTypes, DataOnly_IsWhatDependsOnNoParameter) {
  const std::vector<std::pair<const char*, bool>> cases = {
      {"1", true},         {"r + n", true},       {"x", false},         {"v * 2", true},
      {"v * x", false},    {"beta[n]", false},    {"v[n]", true},       {"{r, x}", false},
      {"exp(v)", true},    {"exp(beta)", false},  {"n ? r : x", false}, {"x > 0 ? 1 : 2", false},
      {"-x", false},       {"[r, n]", true},      {"twice(r)", true},   {"twice(x)", false},
      {"gamma[1]", false}, {"size(beta)", false}, {"v[ii]", true},      {"normal_rng(0, 1)", false},
  };
  for (const auto& [expression, data_only] : cases) {
    EXPECT_EQ(Checked(expression).tree().data_only, data_only) << expression;
  }
}

/// Whether variables, read at the end of the model block, depend on no parameter.
std::vector<bool> data_only_at_end(const std::string& text, const std::vector<std::string>& names) {
  std::string printed;
  for (const std::string& name : names) printed += (printed.empty() ? "" : ", ") + name;
  const Source source("model.stan",
                      "data { int N; real r; } parameters { real x; } model { " + text + " print(" + printed + "); }");
  Program program = parse(source);
  check(program, source);
  std::vector<bool> result;
  for (const auto& argument : std::get<Print>(program.model.statements.back()->form).arguments) {
    result.push_back(argument->data_only);
  }
  return result;
}

TEST(CheckTypes, DataOnlyOfLocals_FollowsAssignments) {
  using Flags = std::vector<bool>;
  EXPECT_EQ(data_only_at_end("real a = r; real b = x;", {"a", "b"}), (Flags{true, false}));
  EXPECT_EQ(data_only_at_end("vector[2] a; a[1] = r; a[2] = x;", {"a"}), (Flags{false}));
  EXPECT_EQ(data_only_at_end("int k = 0; if (x > 0) k = 1;", {"k"}), (Flags{false}));
  EXPECT_EQ(data_only_at_end("int k = 0; if (r > 0) k = 1;", {"k"}), (Flags{true}));
  EXPECT_EQ(data_only_at_end("int k = 0; while (k < x) k += 1;", {"k"}), (Flags{false}));
  EXPECT_EQ(data_only_at_end("real s = 0; for (n in 1:N) s += n;", {"s"}), (Flags{true}));
  EXPECT_EQ(data_only_at_end("real s = 0; { real t = x; s = t; }", {"s"}), (Flags{false}));
}

TEST(CheckTypes, DataOnlyInALoop_SeesTheAssignmentsBelow) {
  // The second iteration of the loop reads a value that the first one assigned from a parameter.
  EXPECT_EQ(data_only_at_end("real a = 0; real b = 0; for (n in 1:N) { b = a; a = x; }", {"a", "b"}),
            (std::vector<bool>{false, false}));
}

TEST(CheckTypes, Operators_HaveTheTypesOfTheirFunctions) {
  // The checker accepts exactly the calls that the table of functions supports.
  const std::vector<std::pair<Operator, const char*>> functions = {
      {Operator::add, "add"},
      {Operator::subtract, "subtract"},
      {Operator::multiply, "multiply"},
      {Operator::divide, "divide"},
      {Operator::elementwise_multiply, "elt_multiply"},
      {Operator::elementwise_divide, "elt_divide"},
      {Operator::power, "pow"},
      {Operator::elementwise_power, "pow"},
      {Operator::modulo, "modulus"},
      {Operator::left_divide, "mdivide_left"},
  };
  std::vector<Type> types;
  for (const int rank : {0, 1, 2}) {
    for (const Base base : {Base::integer, Base::real, Base::vector, Base::row_vector, Base::matrix}) {
      types.push_back({base, rank});
    }
  }
  for (const auto& [op, function] : functions) {
    for (const Type& left : types) {
      for (const Type& right : types) {
        const std::array<Type, 2> arguments = {left, right};
        const auto by_operator = binary_type(op, left, right);
        const auto by_function = result_type(function, arguments);
        EXPECT_EQ(by_operator, by_function) << function << '(' << left.to_string() << ", " << right.to_string() << ')';
      }
    }
  }
}

TEST(CheckTypes, FindFunction_PrefersFewestPromotionsAndDefinitions) {
  const Source source("model.stan", R"(functions {
    real f(real x);
    real f(real x) { return x; }
    real f(int x) { return 2 * x; }
    real g(array[] real x) { return 1; }
    real h_lpdf(real y, real a) { return a * y; }
  })");
  Program program = parse(source);
  check(program, source);
  const Type integer{Base::integer, 0}, real{Base::real, 0}, integers{Base::integer, 1}, vector{Base::vector, 0};
  const auto found = [&](const char* name, std::vector<Type> types) { return find_function(program, name, types); };
  EXPECT_EQ(found("f", {real}), &program.functions[1]);
  EXPECT_EQ(found("f", {integer}), &program.functions[2]);
  EXPECT_EQ(found("f", {vector}), nullptr);
  EXPECT_EQ(found("f", {real, real}), nullptr);
  EXPECT_EQ(found("g", {integers}), &program.functions[3]);
  EXPECT_EQ(found("h_lpdf", {real, integer}), &program.functions[4]);
  EXPECT_EQ(found("h_lupdf", {real, real}), &program.functions[4]);
  const std::array<Type, 2> types = {real, real};
  EXPECT_EQ(find_density(program, "h", types), &program.functions[4]);
  EXPECT_EQ(find_density(program, "f", types), nullptr);
}

}  // namespace
}  // namespace sgmcmc::stan::testing
