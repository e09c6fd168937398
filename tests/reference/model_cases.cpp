// Gradient cases of whole models and of interactions between ops: per-row with global values, values used in several
// places.
#include "reference/gradient_cases.hpp"

namespace sgmcmc::reference {

std::vector<GradientCase> mixed_cases() {
  using P = Parameters&;
  using C = const Columns&;
  const Shape v{3};
  return {
      {"rows_and_globals",
       {{"likelihood and prior on one parameter",
         [=](P p, C c) {
           const auto b = p.spread(v);
           return row_sum(row_weight() * log_logistic(dot(b, c.z))) - 0.5 * dot(b, b);
         }},
        {"prior first",
         [=](P p, C c) {
           const auto b = p.spread(v);
           return -sum(abs(b)) + row_sum(row_weight() * square(c.x - dot(c.z, b)));
         }},
        {"a parameter that every row adds alike", [=](P p, C c) { return row_sum(p.scalar(0.4) + c.x); }},
        {"a vector that every row adds alike", [=](P p, C c) { return probe(row_sum(p.spread(v) + c.z)); }},
        {"a global function added in every row", [=](P p, C c) { return row_sum(log(square(p.scalar(0.4))) - c.x); }},
        {"a global scalar against a row vector", [=](P p, C c) { return sum(row_sum(p.scalar(0.4) - c.z)); }},
        {"global, per-row and summed uses",
         [=](P p, C c) {
           const auto a = p.scalar(0.8);
           return a * row_sum(exp(a * c.x)) + square(a) + sum(row_sum(a * c.z + a));
         }},
        {"a function of a sum over rows",
         [=](P p, C c) {
           const auto b = p.spread(v);
           return log(row_sum(exp(dot(b, c.z)))) + probe(square(row_sum(c.z * exp(b))));
         }},
        {"a sum over rows used in every row",
         [=](P p, C c) {
           const auto b = p.spread(v);
           return row_sum(row_weight() * square(dot(b, c.z) - 0.2 * row_sum(dot(b, c.z))));
         }},
        {"weights inside", [=](P p, C) { return row_sum(exp(p.scalar(0.3) * row_weight())); }},
        {"a constant times a negated sum", [=](P p, C c) { return row_sum(-(2.5 * (p.spread(v) * c.z))[1]); }}}},
      {"one_parameter_in_many_places",
       {{"deep chain",
         [=](P p, C) {
           auto x = p.scalar(0.1);
           for (int i = 0; i < 60; ++i) x = sin(x) + 0.1 * x;
           return x;
         }},
        {"shared subexpression",
         [=](P p, C c) {
           const auto e = exp(p.spread(v) * c.z);
           return probe(e * e + e / (1.0 + e));
         }},
        {"row data shared by two parameters",
         [=](P p, C c) {
           const auto a = dot(p.spread(v), c.z);
           const auto b = dot(p.spread(v), c.z);
           return probe(a * exp(b));
         }},
        {"row data shared by several uses of one parameter",
         [=](P p, C c) {
           const auto b = p.spread(v);
           return probe(dot(b, c.z) * sin(dot(b, c.z)) + sum(c.x * b) + sum((c.x * c.x) * b));
         }},
        {"a scalar times row data, twice",
         [=](P p, C c) {
           const auto a = p.scalar(0.3);
           const auto b = p.scalar(0.9);
           return probe(square(c.x * (c.z * a)) + (b * c.x) * c.z + (a * b) * c.z);
         }},
        {"one leaf made twice",
         [=](P p, C c) {
           const auto a = p.spread(v);
           const auto again = parameter_leaf("p0", v, 0);
           return probe(exp(a) * again * c.z);
         }},
        {"a parameter that does not matter",
         [=](P p, C c) { return probe(sign(p.scalar(0.5)) + c.x * p.scalar(0.2)); }}}},
  };
}

std::vector<GradientCase> model_cases() {
  using P = Parameters&;
  using C = const Columns&;
  const Shape v{3};
  return {
      {"models",
       {{"logistic regression, label beside the features",
         [=](P p, C c) {
           const auto beta = p.spread(v);
           const auto eta = p.scalar(0.1) + dot(c.z, beta);
           return row_sum(row_weight() * (c.y * log_logistic(eta) + (1 - c.y) * log_logistic(-eta))) - sum(abs(beta));
         }},
        {"mixture of two normals",
         [=](P p, C c) {
           const auto location = p.spread(Shape{2});
           const auto scale = exp(p.spread(Shape{2}));
           const auto terms = log_softmax(p.spread(Shape{2})) - log(scale) - 0.5 * square((c.x - location) / scale);
           return row_sum(row_weight() * log_sum_exp(terms));
         }},
        {"network with one hidden layer",
         [=](P p, C c) {
           const auto hidden = tanh(matmul(p.spread(Shape{4, 3}), c.z) + p.spread(Shape{4}));
           const auto out = log_softmax(matmul(p.spread(Shape{2, 4}), hidden) + p.spread(Shape{2}));
           return row_sum(row_weight() * gather(out, c.y));
         }},
        {"multivariate normal by its Cholesky factor",
         [=](P p, C c) {
           const auto factor = cholesky(well_conditioned(p, 2.0));
           const auto white = solve_triangular(factor, c.z - p.spread(v));
           return row_sum(row_weight() * (-0.5 * dot(white, white) - sum(log(diagonal(factor)))));
         }},
        {"random effects",
         [=](P p, C c) {
           const auto effect = p.spread(Shape{4});
           const auto scale = exp(p.scalar(-0.2));
           const auto residual = (c.x - gather(effect, c.group, 1)) / scale;
           return row_sum(row_weight() * (-0.5 * square(residual) - log(scale))) - 0.5 * dot(effect, effect);
         }},
        {"matrix factorisation",
         [=](P p, C c) {
           const auto table = p.spread(Shape{4, 2});
           const auto residual = c.x - dot(gather(table, c.pair[0]), gather(table, c.pair[1]));
           return row_sum(row_weight() * square(residual)) + 0.1 * sum(square(table));
         }},
        {"negative binomial",
         [=](P p, C c) {
           const auto size = exp(p.scalar(0.3));
           const auto eta = c.z * p.spread(v);
           const auto terms = lgamma(c.counts + size) - lgamma(size) +
                              size * (log(size) - log_add_exp(eta, log(size))) +
                              c.counts * (eta - log_add_exp(eta, log(size)));
           return row_sum(row_weight() * sum(terms));
         }},
        {"beta-binomial-like, with zero counts",
         [=](P p, C c) {
           const auto share = softmax(p.spread(v));
           return row_sum(row_weight() * sum(multiply_log(c.counts, share)));
         }},
        {"sparse logistic regression",
         [=](P p, C c) {
           const auto beta = p.spread(Shape{4});
           const auto eta = dot(c.u, beta) + p.scalar(0.2);
           return row_sum(row_weight() * log_logistic((2 * c.y - 1) * eta)) - 0.5 * dot(beta, beta);
         }},
        {"probit with censoring",
         [=](P p, C c) {
           const auto location = dot(p.spread(v), c.z);
           const auto scale = exp(p.scalar(0.1));
           const auto standard = (c.x - location) / scale;
           return row_sum(row_weight() *
                          select(equal(c.y, 1), log_Phi(standard), -0.5 * square(standard) - log(scale)));
         }},
        {"Student t",
         [=](P p, C c) {
           const auto freedom = exp(p.scalar(1.1));
           const auto standard = c.x - dot(p.spread(v), c.z);
           return row_sum(row_weight() * (lgamma(0.5 * (freedom + 1)) - lgamma(0.5 * freedom) - 0.5 * log(freedom) -
                                          0.5 * (freedom + 1) * log1p(square(standard) / freedom)));
         }}}},
  };
}

std::vector<GradientCase> all_gradient_cases() {
  std::vector<GradientCase> all;
  for (const auto& cases : {unary_cases(), binary_cases(), special_cases(), reduction_cases(), linear_algebra_cases(),
                            matrix_function_cases(), arranging_cases(), mixed_cases(), model_cases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace sgmcmc::reference
