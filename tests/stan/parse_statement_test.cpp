// Statements of every kind, and functions in both spellings of their types.
#include "stan/parse_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sgmcmc::stan::testing {
namespace {

std::string function(const std::string& text) {
  return print(parse_text("functions { " + text + " }").functions.at(0));
}

TEST(ParseStatement, Assignments_KeepTargetAndOperator) {
  EXPECT_EQ(statements("x = 1;"), "(= x 1)");
  EXPECT_EQ(statements("x[n, 1:2] = y;"), "(= (at x n (: 1 2)) y)");
  EXPECT_EQ(statements("x[1][2] = y;"), "(= (at (at x 1) 2) y)");
  EXPECT_EQ(statements("x += 1; x -= 2; x *= 3; x /= 4; x .*= y; x ./= y;"),
            "(+= x 1) (-= x 2) (*= x 3) (/= x 4) (.*= x y) (./= x y)");
}

TEST(ParseStatement, TargetIncrements_AreTheirOwnStatement) {
  EXPECT_EQ(statements("target += normal_lpdf(y | 0, 1) + a;"), "(target (+ (normal_lpdf| y 0 1) a))");
}

TEST(ParseStatement, Sampling_TakesAnyExpressionAndTruncation) {
  EXPECT_EQ(statements("y ~ normal(0, 1);"), "(~ y (normal 0 1))");
  EXPECT_EQ(statements("y ~ std_normal();"), "(~ y (std_normal))");
  EXPECT_EQ(statements("y[n] - 1 ~ normal(0, 1);"), "(~ (- (at y n) 1) (normal 0 1))");
  EXPECT_EQ(statements("log(y) ~ normal(0, 1);"), "(~ (log y) (normal 0 1))");
  EXPECT_EQ(statements("(a + b) / 2 ~ normal(0, 1);"), "(~ (/ (+ a b) 2) (normal 0 1))");
  EXPECT_EQ(statements("-y ~ normal(0, 1);"), "(~ (- y) (normal 0 1))");
  EXPECT_EQ(statements("[a, b]' ~ normal(0, 1);"), "(~ (' (row a b)) (normal 0 1))");
  EXPECT_EQ(statements("1 ~ bernoulli(p);"), "(~ 1 (bernoulli p))");
  EXPECT_EQ(statements("y ~ normal(0, 1) T[a, b];"), "(~ y (normal 0 1) (T a b))");
  EXPECT_EQ(statements("y ~ normal(0, 1) T[a, ];"), "(~ y (normal 0 1) (T a _))");
  EXPECT_EQ(statements("y ~ normal(0, 1) T[, b];"), "(~ y (normal 0 1) (T _ b))");
  EXPECT_EQ(statements("y ~ normal(0, 1) T[,];"), "(~ y (normal 0 1) (T _ _))");
  EXPECT_EQ(statements("y ~ normal(0, 1)T[0,T[1]];"), "(~ y (normal 0 1) (T 0 (at T 1)))");
}

TEST(ParseStatement, Calls_CanStandAlone) { EXPECT_EQ(statements("f(a, b);"), "(call (f a b))"); }

TEST(ParseStatement, Loops_RunOverRangesAndContainers) {
  EXPECT_EQ(statements("for (n in 1:N) x = n;"), "(for n 1 N (= x n))");
  EXPECT_EQ(statements("for (n in (a + 1):size(x) - 1) { x = n; y = n; }"),
            "(for n (+ a 1) (- (size x) 1) {(= x n) (= y n)})");
  EXPECT_EQ(statements("for (v in values) x = v;"), "(each v values (= x v))");
  EXPECT_EQ(statements("for (v in {1, 2}) x = v;"), "(each v (array 1 2) (= x v))");
  EXPECT_EQ(statements("while (x < 3) x += 1;"), "(while (< x 3) (+= x 1))");
  EXPECT_EQ(statements("while (1) { break; continue; }"), "(while 1 {(break) (continue)})");
}

TEST(ParseStatement, Else_BelongsToTheNearestIf) {
  EXPECT_EQ(statements("if (a) x = 1;"), "(if a (= x 1) _)");
  EXPECT_EQ(statements("if (a) x = 1; else x = 2;"), "(if a (= x 1) (= x 2))");
  EXPECT_EQ(statements("if (a) if (b) x = 1; else x = 2;"), "(if a (if b (= x 1) (= x 2)) _)");
  EXPECT_EQ(statements("if (a) { if (b) x = 1; } else x = 2;"), "(if a {(if b (= x 1) _)} (= x 2))");
  EXPECT_EQ(statements("if (a) x = 1; else if (b) x = 2; else x = 3;"), "(if a (= x 1) (if b (= x 2) (= x 3)))");
}

TEST(ParseStatement, EmptyStatements_DoNothing) {
  EXPECT_EQ(statements(";; x = 1; ;"), "(= x 1)");
  EXPECT_EQ(statements("if (a) ; else ;"), "(if a {} {})");
  EXPECT_EQ(statements("{}"), "{}");
}

TEST(ParseStatement, PrintRejectProfile_TakeTexts) {
  EXPECT_EQ(statements("print(\"x = \", x, \" // no comment\");"), "(print \"x = \" x \" // no comment\")");
  EXPECT_EQ(statements("reject(\"negative: \", x);"), "(reject \"negative: \" x)");
  EXPECT_EQ(statements("print(x);"), "(print x)");
  EXPECT_EQ(statements("profile(\"likelihood\") { real a; a = 1; }"),
            "(profile \"likelihood\" {(declare a 'real') (= a 1)})");
}

TEST(ParseStatement, Declarations_MayFollowStatements) {
  EXPECT_EQ(statements("x = 1; real y = 2; { int z; }"), "(= x 1) (declare y 'real' = 2) {(declare z 'int')}");
}

TEST(ParseStatement, Comments_AreLeftOut) {
  EXPECT_EQ(statements("x = 1; // one\n/* two\n * three */ y /* four */ = 2; // five"), "(= x 1) (= y 2)");
  EXPECT_EQ(statements("x = 1 /* // */ + 2; /**/ // */"), "(= x (+ 1 2))");
}

TEST(ParseStatement, Functions_TakeTypesInBothSpellings) {
  EXPECT_EQ(function("real f(real x) { return x; }"), "(function f 'real' (x 'real') {(return x)})");
  EXPECT_EQ(function("void f() { }"), "(function f 'void' {})");
  EXPECT_EQ(function("void f() { return; }"), "(function f 'void' {(return _)})");
  EXPECT_EQ(function("real[] f(int[,] a, vector[] b, data matrix c, row_vector[,,] d) { return a; }"),
            "(function f 'array[] real' (a 'array[,] int') (b 'array[] vector') (c 'matrix' data) "
            "(d 'array[,,] row_vector') {(return a)})");
  EXPECT_EQ(function("array[] real f(array[,] int a, data array[] vector b) { return a; }"),
            "(function f 'array[] real' (a 'array[,] int') (b 'array[] vector' data) {(return a)})");
  EXPECT_EQ(function("real f(real x);"), "(function f 'real' (x 'real') _)");
}

TEST(ParseStatement, Functions_StandInTheirOrder) {
  const Program program =
      parse_text("functions { real f(real x); real g(real x) { return f(x); } real f(real x) { return x; } }");
  ASSERT_EQ(program.functions.size(), 3u);
  EXPECT_EQ(program.functions[0].body, nullptr);
  EXPECT_EQ(program.functions[1].name, "g");
  EXPECT_NE(program.functions[2].body, nullptr);
}

}  // namespace
}  // namespace sgmcmc::stan::testing
