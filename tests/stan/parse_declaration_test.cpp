// Declarations: every type, both spellings of arrays, bounds, several names at once, and their blocks.
#include "stan/parse_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sgmcmc::stan::testing {
namespace {

TEST(ParseDeclaration, Types_HaveTheirSizes) {
  EXPECT_EQ(statements("int n;"), "(declare n 'int')");
  EXPECT_EQ(statements("real x;"), "(declare x 'real')");
  EXPECT_EQ(statements("vector[K] x;"), "(declare x 'vector' K)");
  EXPECT_EQ(statements("row_vector[K + 1] x;"), "(declare x 'row_vector' (+ K 1))");
  EXPECT_EQ(statements("matrix[N, M] x;"), "(declare x 'matrix' N M)");
  EXPECT_EQ(statements("simplex[K] x;"), "(declare x 'vector' K simplex)");
  EXPECT_EQ(statements("ordered[K] x;"), "(declare x 'vector' K ordered)");
  EXPECT_EQ(statements("positive_ordered[K] x;"), "(declare x 'vector' K positive_ordered)");
  EXPECT_EQ(statements("unit_vector[K] x;"), "(declare x 'vector' K unit_vector)");
  EXPECT_EQ(statements("corr_matrix[K] x;"), "(declare x 'matrix' K K corr_matrix)");
  EXPECT_EQ(statements("cov_matrix[K] x;"), "(declare x 'matrix' K K cov_matrix)");
  EXPECT_EQ(statements("cholesky_factor_corr[K] x;"), "(declare x 'matrix' K K cholesky_factor_corr)");
  EXPECT_EQ(statements("cholesky_factor_cov[K] x;"), "(declare x 'matrix' K K cholesky_factor_cov)");
  EXPECT_EQ(statements("cholesky_factor_cov[M, N] x;"), "(declare x 'matrix' M N cholesky_factor_cov)");
}

TEST(ParseDeclaration, Arrays_MeanTheSameInBothSpellings) {
  EXPECT_EQ(statements("real x[N];"), "(declare x 'array[] real' N)");
  EXPECT_EQ(statements("array[N] real x;"), statements("real x[N];"));
  EXPECT_EQ(statements("array[N, M] real<lower=0> x;"), statements("real<lower=0> x[N, M];"));
  EXPECT_EQ(statements("array[J] vector[K] x;"), "(declare x 'array[] vector' J K)");
  EXPECT_EQ(statements("vector[K] x[J];"), statements("array[J] vector[K] x;"));
  EXPECT_EQ(statements("matrix<lower=0>[K, L] x[I, J];"), "(declare x 'array[,] matrix' I J K L <lower 0>)");
  EXPECT_EQ(statements("array[J] cov_matrix[K] x;"), "(declare x 'array[] matrix' J K K cov_matrix)");
  EXPECT_EQ(statements("int x[2] = {1, 2};"), "(declare x 'array[] int' 2 = (array 1 2))");
}

TEST(ParseDeclaration, Bounds_StandInAnyOrderAndEndAtTheirBracket) {
  EXPECT_EQ(statements("real<lower=0, upper=1> x;"), "(declare x 'real' <lower 0><upper 1>)");
  EXPECT_EQ(statements("real<upper=1,lower=0>x;"), statements("real<lower=0, upper=1> x;"));
  EXPECT_EQ(statements("vector<offset=mu, multiplier=sigma>[K] x;"),
            "(declare x 'vector' K <offset mu><multiplier sigma>)");
  EXPECT_EQ(statements("real<multiplier=s> x;"), "(declare x 'real' <multiplier s>)");
  EXPECT_EQ(statements("real<lower=-1> x;"), "(declare x 'real' <lower (- 1)>)");
  EXPECT_EQ(statements("real<lower=a + b * -c ^ 2> x;"), "(declare x 'real' <lower (+ a (* b (- (^ c 2))))>)");
  EXPECT_EQ(statements("real<lower=(a > b)> x;"), "(declare x 'real' <lower (> a b)>)");
  EXPECT_EQ(statements("real<lower=f(a > b), upper=(a ? b : c)> x;"),
            "(declare x 'real' <lower (f (> a b))><upper (? a b c)>)");
  EXPECT_EQ(statements("vector<lower=l[1], upper=u'>[K] x;"), "(declare x 'vector' K <lower (at l 1)><upper (' u)>)");
  EXPECT_EQ(statements("int<lower=1,upper=N> group[N];"), "(declare group 'array[] int' N <lower 1><upper N>)");
  EXPECT_EQ(statements("real<lower=lower, upper=upper> x;"), "(declare x 'real' <lower lower><upper upper>)");
}

TEST(ParseDeclaration, SeveralNames_ShareTypeAndBounds) {
  EXPECT_EQ(statements("real a, b = 2, c[N];"),
            "(declare a 'real') (declare b 'real' = 2) (declare c 'array[] real' N)");
  EXPECT_EQ(statements("array[N] vector<lower=0>[K] a, b;"),
            "(declare a 'array[] vector' N K <lower 0>) (declare b 'array[] vector' N K <lower 0>)");
}

TEST(ParseDeclaration, Spans_OfNamesAndStatementsAreExact) {
  const Source source("model.stan", "x\n  model {  real<lower=0> a , b[2] = c;}");
  const Source good("model.stan", std::string(source.text().substr(2)));
  const Program program = parse(good);
  ASSERT_EQ(program.model.statements.size(), 2u);
  const Statement& first = *program.model.statements[0];
  const Statement& second = *program.model.statements[1];
  EXPECT_EQ(good.text(first.span), "real<lower=0> a");
  EXPECT_EQ(good.text(second.span), "b[2] = c;");
  EXPECT_EQ(good.text(std::get<Declaration>(first.form).name_span), "a");
  EXPECT_EQ(good.text(std::get<Declaration>(second.form).name_span), "b");
  EXPECT_EQ(good.text(program.model.span), "model {  real<lower=0> a , b[2] = c;}");
  EXPECT_EQ(good.where(std::get<Declaration>(second.form).name_span), "model.stan:1:30");
}

TEST(ParseDeclaration, Blocks_AreAllOptionalAndKeepTheirStatements) {
  const Program program = parse_text(
      "functions { real f(real x) { return x; } }\ndata { int N; array[N] real y; }\ntransformed data { real a = 1; }\n"
      "parameters { real b; }\ntransformed parameters { real c; c = b; }\nmodel { c ~ normal(0, 1); }\n"
      "generated quantities { real d = normal_rng(0, 1); }\n");
  EXPECT_EQ(program.functions.size(), 1u);
  EXPECT_EQ(print(program.data.statements), "(declare N 'int') (declare y 'array[] real' N)");
  EXPECT_EQ(print(program.transformed_data.statements), "(declare a 'real' = 1)");
  EXPECT_EQ(print(program.parameters.statements), "(declare b 'real')");
  EXPECT_EQ(print(program.transformed_parameters.statements), "(declare c 'real') (= c b)");
  EXPECT_EQ(print(program.model.statements), "(~ c (normal 0 1))");
  EXPECT_EQ(print(program.generated_quantities.statements), "(declare d 'real' = (normal_rng 0 1))");
  const Program empty = parse_text(" // nothing\n");
  EXPECT_FALSE(empty.data.present || empty.model.present || empty.generated_quantities.present);
  EXPECT_TRUE(parse_text("model {}").model.present);
}

}  // namespace
}  // namespace sgmcmc::stan::testing
