// Expressions follow Stan's reference manual: precedence, associativity, literals, indices and calls.
#include "errors/message_of.hpp"
#include "stan/parse_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

namespace sgmcmc::stan::testing {
namespace {

// Operators from the weakest to the strongest; those of one row are equally strong and associate to the left.
const std::vector<std::vector<std::string>> left_associative = {
    {"||"}, {"&&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%", ".*", "./"}, {"\\", "%/%"}};

TEST(ParseExpression, EqualOperators_AssociateToTheLeft) {
  for (const auto& row : left_associative) {
    for (const std::string& first : row) {
      for (const std::string& second : row) {
        EXPECT_EQ(expression("a " + first + " b " + second + " c"), "(" + second + " (" + first + " a b) c)");
      }
    }
  }
}

TEST(ParseExpression, StrongerOperators_BindFirstOnEitherSide) {
  for (std::size_t weak = 0; weak < left_associative.size(); ++weak) {
    for (std::size_t strong = weak + 1; strong < left_associative.size(); ++strong) {
      for (const std::string& w : left_associative[weak]) {
        for (const std::string& s : left_associative[strong]) {
          EXPECT_EQ(expression("a " + w + " b " + s + " c"), "(" + w + " a (" + s + " b c))");
          EXPECT_EQ(expression("a " + s + " b " + w + " c"), "(" + w + " (" + s + " a b) c)");
        }
      }
    }
  }
}

TEST(ParseExpression, Powers_AssociateToTheRightAndBindTighterThanPrefixes) {
  EXPECT_EQ(expression("a ^ b ^ c"), "(^ a (^ b c))");
  EXPECT_EQ(expression("a .^ b ^ c"), "(.^ a (^ b c))");
  EXPECT_EQ(expression("-a ^ 2"), "(- (^ a 2))");
  EXPECT_EQ(expression("2 ^ -a"), "(^ 2 (- a))");
  EXPECT_EQ(expression("2 ^ -a ^ b * c"), "(* (^ 2 (- (^ a b))) c)");
  EXPECT_EQ(expression("!a ^ b"), "(! (^ a b))");
  EXPECT_EQ(expression("a ^ b'"), "(^ a (' b))");
  EXPECT_EQ(expression("a' ^ b"), "(^ (' a) b)");
}

TEST(ParseExpression, Prefixes_BindTighterThanBinaryOperators) {
  EXPECT_EQ(expression("-a * b"), "(* (- a) b)");
  EXPECT_EQ(expression("a * -b"), "(* a (- b))");
  EXPECT_EQ(expression("-a \\ b"), "(\\ (- a) b)");
  EXPECT_EQ(expression("!a == b"), "(== (! a) b)");
  EXPECT_EQ(expression("!a && !b"), "(&& (! a) (! b))");
  EXPECT_EQ(expression("- - a"), "(- (- a))");
  EXPECT_EQ(expression("a - -b"), "(- a (- b))");
  EXPECT_EQ(expression("a--b"), "(- a (- b))");
  EXPECT_EQ(expression("+a - +b"), "(- (+ a) (+ b))");
}

TEST(ParseExpression, WhatStandsBehindAValue_BindsTightest) {
  EXPECT_EQ(expression("-a'"), "(- (' a))");
  EXPECT_EQ(expression("a''"), "(' (' a))");
  EXPECT_EQ(expression("a' * b"), "(* (' a) b)");
  EXPECT_EQ(expression("a'[1]"), "(at (' a) 1)");
  EXPECT_EQ(expression("a[1]'"), "(' (at a 1))");
  EXPECT_EQ(expression("a[1][2, 3]"), "(at (at a 1) 2 3)");
  EXPECT_EQ(expression("f(a)[1]"), "(at (f a) 1)");
  EXPECT_EQ(expression("(a + b)[1]"), "(at (+ a b) 1)");
  EXPECT_EQ(expression("{a, b}[1]"), "(at (array a b) 1)");
  EXPECT_EQ(expression("[a, b]'"), "(' (row a b))");
}

TEST(ParseExpression, Conditionals_AreWeakestAndAssociateToTheRight) {
  EXPECT_EQ(expression("a || b ? c + 1 : d"), "(? (|| a b) (+ c 1) d)");
  EXPECT_EQ(expression("a ? b : c ? d : e"), "(? a b (? c d e))");
  EXPECT_EQ(expression("a ? b ? c : d : e"), "(? a (? b c d) e)");
  EXPECT_EQ(expression("(a ? b : c) ? d : e"), "(? (? a b c) d e)");
}

TEST(ParseExpression, LessThanNegative_IsAComparisonInsideExpressions) {
  EXPECT_EQ(expression("a <-1"), "(< a (- 1))");
  EXPECT_EQ(statements("if (a<-b) x = 1;"), "(if (< a (- b)) (= x 1) _)");
}

TEST(ParseExpression, Numbers_KeepTheirKindAndValue) {
  EXPECT_EQ(expression("0"), "0");
  EXPECT_EQ(expression("2147483647"), "2147483647");
  EXPECT_EQ(expression("007"), "7");
  EXPECT_EQ(expression("1e3"), "1000r");
  EXPECT_EQ(expression("1E+3"), "1000r");
  EXPECT_EQ(expression("25e-2"), "0.25r");
  EXPECT_EQ(expression(".5"), "0.5r");
  EXPECT_EQ(expression("1."), "1r");
  EXPECT_EQ(expression("1.e2"), "100r");
  EXPECT_EQ(expression("1.5e1"), "15r");
  EXPECT_EQ(expression("-3"), "(- 3)");
  EXPECT_EQ(expression("3000000000.0"), "3000000000r");
  EXPECT_EQ(expression("1.7976931348623157e308"), "1.7976931348623157e+308r");
}

TEST(ParseExpression, TinyNumbers_BecomeZero) {
  EXPECT_EQ(expression("1e-400"), "0r");
  EXPECT_EQ(expression("0e999"), "0r");
  EXPECT_EQ(expression("0." + std::string(400, '0') + "1"), "0r");
  EXPECT_EQ(expression("0." + std::string(400, '0') + "1e5"), "0r");
  EXPECT_EQ(expression("1e-99999999999999999999"), "0r");
}

TEST(ParseExpression, PointBeforeOperator_BelongsToTheNumber) {
  EXPECT_EQ(expression("1./x"), "(/ 1r x)");
  EXPECT_EQ(expression("2.*x"), "(* 2r x)");
  EXPECT_EQ(expression("2 .* x"), "(.* 2 x)");
  EXPECT_EQ(expression("x.*y"), "(.* x y)");
  EXPECT_EQ(expression("x./2"), "(./ x 2)");
}

TEST(ParseExpression, Indices_AreSinglesRangesOrEverything) {
  EXPECT_EQ(expression("x[i]"), "(at x i)");
  EXPECT_EQ(expression("x[]"), "(at x :)");
  EXPECT_EQ(expression("x[:]"), "(at x :)");
  EXPECT_EQ(expression("x[, 2]"), "(at x : 2)");
  EXPECT_EQ(expression("x[2, ]"), "(at x 2 :)");
  EXPECT_EQ(expression("x[,]"), "(at x : :)");
  EXPECT_EQ(expression("x[a:b]"), "(at x (: a b))");
  EXPECT_EQ(expression("x[a:]"), "(at x (: a _))");
  EXPECT_EQ(expression("x[:b]"), "(at x (: _ b))");
  EXPECT_EQ(expression("x[a + 1 : b - 1, {1, 2}]"), "(at x (: (+ a 1) (- b 1)) (array 1 2))");
  EXPECT_EQ(expression("x[a ? b : c : d]"), "(at x (: (? a b c) d))");
}

TEST(ParseExpression, CallsAndLiterals_KeepTheirElements) {
  EXPECT_EQ(expression("f()"), "(f)");
  EXPECT_EQ(expression("f(a, g(b))"), "(f a (g b))");
  EXPECT_EQ(expression("normal_lpdf(y | mu, sigma)"), "(normal_lpdf| y mu sigma)");
  EXPECT_EQ(expression("std_normal_lpdf(y | )"), "(std_normal_lpdf| y)");
  EXPECT_EQ(expression("std_normal_lpdf(y)"), "(std_normal_lpdf y)");
  EXPECT_EQ(expression("normal_cdf(y, mu, sigma)"), "(normal_cdf y mu sigma)");
  EXPECT_EQ(expression("normal_cdf(y | mu, sigma)"), "(normal_cdf| y mu sigma)");
  EXPECT_EQ(expression("my_log(y)"), "(my_log y)");
  EXPECT_EQ(expression("target()"), "(target)");
  EXPECT_EQ(expression("[]"), "(row)");
  EXPECT_EQ(expression("[[1, 2], [3, 4]]"), "(row (row 1 2) (row 3 4))");
  EXPECT_EQ(expression("{{1}, {2}}"), "(array (array 1) (array 2))");
}

TEST(ParseExpression, WordsOfBoundsAndCpp_CanBeNames) {
  EXPECT_EQ(expression("lower + upper * offset - multiplier / T"), "(- (+ lower (* upper offset)) (/ multiplier T))");
  EXPECT_EQ(expression("class + double"), "(+ class double)");
}

TEST(ParseExpression, Spans_CoverTheWholeExpression) {
  const std::string text = "model { x = -(a + b)[1] * f(y); }";
  const Source source("model.stan", text);
  const Program program = parse(source);
  const auto& value = std::get<Assignment>(program.model.statements.at(0)->form).value;
  const auto& product = std::get<Binary>(value->form);
  const auto& indexed = std::get<Unary>(product.left->form).operand;
  EXPECT_EQ(source.text(program.model.statements[0]->span), "x = -(a + b)[1] * f(y);");
  EXPECT_EQ(source.text(value->span), "-(a + b)[1] * f(y)");
  EXPECT_EQ(source.text(product.left->span), "-(a + b)[1]");
  EXPECT_EQ(source.text(std::get<Indexed>(indexed->form).container->span), "(a + b)");
  EXPECT_EQ(source.text(std::get<Indexed>(indexed->form).indices[0].span), "1");
  EXPECT_EQ(source.text(std::get<Call>(product.right->form).name_span), "f");
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int k = 0; k < times; ++k) result += text;
  return result;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(ParseExpression, DeepNesting_IsAnErrorAndNotACrash) {
  const std::array<std::array<std::string, 2>, 7> deep = {
      {{"(", ")"}, {"[", "]"}, {"{", "}"}, {"f(", ")"}, {"-", ""}, {"x[", "]"}, {"1 ? 1 : ", ""}}};
  for (const auto& [open, close] : deep) {
    const std::string good = repeated(open, 400) + "1" + repeated(close, 400);
    EXPECT_FALSE(expression(good).empty()) << open;
    const std::string bad = repeated(open, 10000) + "1" + repeated(close, 10000);
    const std::string message = sgmcmc::testing::message_of<StanError>([&] { expression(bad); });
    EXPECT_NE(first_line(message).find("error: nested more than 500 levels deep"), std::string::npos) << open;
  }
}

TEST(ParseExpression, LongChains_AreAnErrorBeforeTheTreeIsTooHigh) {
  for (const std::string link : {" + 1", "'", "[1]", " ^ 1"}) {
    EXPECT_FALSE(expression("x" + repeated(link, 400)).empty()) << link;
    const std::string message =
        sgmcmc::testing::message_of<StanError>([&] { expression("x" + repeated(link, 10000)); });
    EXPECT_NE(first_line(message).find(link == " ^ 1" ? "nested more than 500 levels"
                                                      : "this expression has more than 1000 levels of operations"),
              std::string::npos)
        << link << message;
  }
}

TEST(ParseExpression, Copies_PrintAsTheOriginalAndShareNothing) {
  const Program program = parse_text("model { x = f(a[1:, {2}], -b ? [c] : 1.5) + g_lpdf(y | 2); }");
  const auto& original = std::get<Assignment>(program.model.statements.at(0)->form).value;
  const TreePointer duplicate = copy(original);
  EXPECT_EQ(print(*duplicate), print(*original));
  EXPECT_EQ(duplicate->height, original->height);
  EXPECT_NE(std::get<Binary>(duplicate->form).left.get(), std::get<Binary>(original->form).left.get());
  EXPECT_EQ(copy(TreePointer()), nullptr);
}

}  // namespace
}  // namespace sgmcmc::stan::testing
