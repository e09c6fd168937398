// Likelihoods written for a minibatch, in different styles, compared with models of one row: values and gradients
// agree.
#include "model/log_posterior.hpp"
#include "traced/trace.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace sgmcmc::traced {
namespace {

std::vector<double> value_and_gradient(const Model& model) {
  const LogPosterior density(model);
  auto executor = density.executor(ProgramKind::value_and_gradient, {});
  const auto theta = TestData::theta();
  executor->set_point(Point::current, theta);
  std::vector<double> both(theta.size() + 1);
  executor->run(density.all_rows(), both);
  return both;
}

/// Arguments of models of one row: parameters, then columns.
struct Row {
  Expression theta, beta, B, W, w, s, X, y, z, k, c, M, index;
};

Model model_of_row(const std::function<Expression(const Row&)>& density) {
  const TestData data;
  Dataset::Builder builder;
  std::vector<std::int32_t> index(data.k.begin(), data.k.end());
  for (const auto& one : data.columns()) builder.real(one.name, one.values, one.row_shape);
  builder.integer("index", std::span<const std::int32_t>(index));
  Model model(builder.build());
  std::map<std::string, Expression> p;
  for (const auto& one : TestData::parameters()) p[one.name] = model.parameter(one.name, one.shape);
  model.likelihood(density({p["theta"], p["beta"], p["B"], p["W"], p["w"], p["s"], model.row("X"), model.row("y"),
                            model.row("z"), model.row("k"), model.row("c"), model.row("M"), model.row("index")}));
  return model;
}

struct Case {
  const char* name;
  std::function<Tensor(Trace&)> traced;
  std::function<Expression(const Row&)> row;
};

Tensor logit_density(Tensor eta, Tensor y) {
  const Tensor p = 1.0 / (1.0 + apply("exp", -eta));
  return total(y * apply("log", p) + (1.0 - y) * apply("log", 1.0 - p));
}
Expression logit_row(const Expression& eta, const Expression& y) { return bernoulli_logit_lpmf(y, eta); }
Tensor squeezed(Tensor x) { return x.trace->op("squeeze", {x}); }
Tensor normal(Tensor loc, Tensor scale, Tensor x) { return x.trace->op("normal_lpdf", {loc, scale, x}); }

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases = {
      {"the paper's logistic regression",
       [](Trace& t) {
         return logit_density(squeezed(t.parameter("theta") + product(t.data("X"), t.parameter("B"))), t.data("y"));
       },
       [](const Row& r) { return logit_row(r.theta + dot(r.X, reshape(r.B, {3})), r.y); }},
      {"matmul with transpose_b",
       [](Trace& t) {
         const Tensor b = t.op("expand_dims", {t.parameter("beta")}, {0});
         return logit_density(squeezed(product(t.data("X"), b, false, true)), t.data("y"));
       },
       [](const Row& r) { return logit_row(dot(r.X, r.beta), r.y); }},
      {"global times transposed rows",
       [](Trace& t) {
         const Tensor b = t.op("expand_dims", {t.parameter("beta")}, {0});
         return logit_density(squeezed(product(b, t.data("X"), false, true)), t.data("y"));
       },
       [](const Row& r) { return logit_row(dot(r.X, r.beta), r.y); }},
      {"sum over axis 1 of a product",
       [](Trace& t) { return logit_density(reduce("sum", t.data("X") * t.parameter("beta"), {1}), t.data("y")); },
       [](const Row& r) { return logit_row(dot(r.X, r.beta), r.y); }},
      {"sum over axis -1, kept, then squeezed",
       [](Trace& t) {
         return logit_density(squeezed(reduce("sum", t.data("X") * t.parameter("beta"), {-1}, true)), t.data("y"));
       },
       [](const Row& r) { return logit_row(dot(r.X, r.beta), r.y); }},
      {"einsum that keeps rows",
       [](Trace& t) {
         return logit_density(t.op("einsum", {t.data("X"), t.parameter("beta")}, {}, "ij,j->i"), t.data("y"));
       },
       [](const Row& r) { return logit_row(dot(r.X, r.beta), r.y); }},
      {"einsum that adds rows up",
       [](Trace& t) {
         return t.op("einsum", {t.data("X"), t.parameter("beta")}, {}, "ij,j->");
       },
       [](const Row& r) { return dot(r.X, r.beta); }},
      {"einsum of two arrays of rows",
       [](Trace& t) {
         return total(
             apply("square", t.op("einsum", {t.data("X"), t.data("X") + t.parameter("beta")}, {}, "ij,ij->i")));
       },
       [](const Row& r) { return square(dot(r.X, r.X + r.beta)); }},
      {"sigmoid",
       [](Trace& t) {
         const Tensor p = apply("sigmoid", reduce("sum", t.data("X") * t.parameter("beta"), {1}));
         return total(t.data("y") * apply("log", p) + (1.0 - t.data("y")) * apply("log", 1.0 - p));
       },
       [](const Row& r) { return logit_row(dot(r.X, r.beta), r.y); }},
      {"softplus",
       [](Trace& t) {
         const Tensor eta = reduce("sum", t.data("X") * t.parameter("beta"), {1});
         return total(t.data("y") * eta - apply("softplus", eta));
       },
       [](const Row& r) { return logit_row(dot(r.X, r.beta), r.y); }},
      {"normal regression",
       [](Trace& t) {
         return total(
             normal(squeezed(product(t.data("X"), t.parameter("B"))), apply("exp", t.parameter("s")), t.data("z")));
       },
       [](const Row& r) { return normal_lpdf(r.z, dot(r.X, reshape(r.B, {3})), exp(r.s)); }},
      {"normal by hand",
       [](Trace& t) {
         const Tensor e = t.data("z") - t.parameter("theta");
         return total(-0.5 * (e * e));
       },
       [](const Row& r) { return -0.5 * square(r.z - r.theta); }},
      {"sums taken apart",
       [](Trace& t) {
         const Tensor z = t.data("z");
         return t.parameter("theta") * total(z) - total(0.5 * apply("square", z)) / t.number(3.0);
       },
       [](const Row& r) { return r.theta * r.z - square(r.z) / 6.0; }},
      {"sum with a global factor and sign",
       [](Trace& t) {
         return -(apply("exp", t.parameter("s")) * total(apply("square", t.data("z") - t.parameter("theta"))));
       },
       [](const Row& r) { return -exp(r.s) * square(r.z - r.theta); }},
      {"vector of sums, then one sum",
       [](Trace& t) { return total(t.parameter("beta") * reduce("sum", t.data("X"), {0})); },
       [](const Row& r) { return dot(r.beta, r.X); }},
      {"vector of sums, kept axis, reshaped",
       [](Trace& t) {
         return total(t.parameter("beta") * t.op("reshape", {reduce("sum", t.data("X"), {0}, true)}, {3}));
       },
       [](const Row& r) { return dot(r.beta, r.X); }},
      {"outer products of rows, added up",
       [](Trace& t) {
         const Tensor gram = product(t.data("X"), t.data("X"), true, false);
         return total(product(t.parameter("B"), t.parameter("B"), false, true) * gram);
       },
       [](const Row& r) { return square(dot(r.X, reshape(r.B, {3}))); }},
      {"softmax regression with one_hot",
       [](Trace& t) {
         const Tensor p = t.op("softmax", {product(t.data("X"), t.parameter("W")) + t.parameter("w")}, {-1});
         return total(t.op("one_hot", {t.data("k")}, {4}) * apply("log", p));
       },
       [](const Row& r) { return gather(log_softmax(matmul(r.X, r.W) + r.w), r.index); }},
      {"log_softmax along axis 1",
       [](Trace& t) {
         const Tensor logs = t.op("log_softmax", {product(t.data("X"), t.parameter("W"))}, {1});
         return total(reduce("sum", t.op("one_hot", {t.data("k")}, {4}) * logs, {1}));
       },
       [](const Row& r) { return gather(log_softmax(matmul(r.X, r.W)), r.index); }},
      {"softmax of transposed rows along axis 0",
       [](Trace& t) {
         const Tensor scores = product(t.parameter("W"), t.data("X"), true, true);  // 4 x n
         const Tensor logs = t.op("transpose", {t.op("log_softmax", {scores}, {0})}, {1, 0});
         return total(t.op("one_hot", {t.data("k")}, {4}) * logs);
       },
       [](const Row& r) { return gather(log_softmax(matmul(r.X, r.W)), r.index); }},
      {"cross entropy by logsumexp",
       [](Trace& t) {
         const Tensor scores = product(t.data("X"), t.parameter("W"));
         return total(reduce("sum", t.op("one_hot", {t.data("k")}, {4}) * scores, {1}) -
                      reduce("logsumexp", scores, {1}));
       },
       [](const Row& r) { return gather(log_softmax(matmul(r.X, r.W)), r.index); }},
      {"network with tanh",
       [](Trace& t) {
         const Tensor hidden = apply("tanh", product(t.data("X"), t.parameter("W")));
         const Tensor eta = reduce("sum", hidden * t.parameter("w"), {1}) + t.parameter("theta");
         return logit_density(eta, t.data("y"));
       },
       [](const Row& r) { return logit_row(dot(tanh(matmul(r.X, r.W)), r.w) + r.theta, r.y); }},
      {"gather of group effects",
       [](Trace& t) {
         return total(normal(t.op("gather", {t.parameter("w"), t.data("k")}, {0}), t.number(0.7), t.data("z")));
       },
       [](const Row& r) { return normal_lpdf(r.z, gather(r.w, r.index), 0.7); }},
      {"gather of matrix rows by a cast index",
       [](Trace& t) {
         const Tensor index = apply("trunc", t.data("k") + t.number(0.25));
         const Tensor rows = t.op("gather", {t.op("transpose", {t.parameter("W")}), index}, {0});  // n x 3
         return total(normal(reduce("sum", rows * t.data("X"), {1}), t.number(1.0), t.data("z")));
       },
       [](const Row& r) { return normal_lpdf(r.z, dot(gather(transpose(r.W), r.index), r.X), 1.0); }},
      {"two gathers of one index",
       [](Trace& t) {
         const Tensor k = t.data("k");
         return total(normal(t.op("gather", {t.parameter("w"), k}, {0}),
                             apply("exp", t.op("gather", {t.parameter("w"), k}, {0})), t.data("z")));
       },
       [](const Row& r) { return normal_lpdf(r.z, gather(r.w, r.index), exp(gather(r.w, r.index))); }},
      {"columns picked by slices",
       [](Trace& t) {
         const Tensor X = t.data("X");
         const Tensor first = t.op("slice", {X}, {0, TestData::batch, 0, 0, 1, 1});
         const Tensor last = t.op("slice", {X}, {0, TestData::batch, 0, 1, 2, 0});
         return total(first * t.parameter("theta") + reduce("sum", last, {1}) * t.parameter("s"));
       },
       [](const Row& r) { return r.X[0] * r.theta + (r.X[1] + r.X[2]) * r.s; }},
      {"elements of parameters",
       [](Trace& t) {
         const Tensor b = t.parameter("beta");
         return total(normal(t.op("slice", {b}, {1, 1, 1}), apply("exp", t.op("slice", {b}, {2, 1, 1})), t.data("z")));
       },
       [](const Row& r) { return normal_lpdf(r.z, r.beta[1], exp(r.beta[2])); }},
      {"expand_dims and broadcasting over components",
       [](Trace& t) {
         const Tensor z = t.op("expand_dims", {t.data("z")}, {1});  // n x 1
         return total(reduce("logsumexp", normal(t.parameter("w"), t.number(1.0), z), {1}));
       },
       [](const Row& r) { return log_sum_exp(normal_lpdf(r.z, r.w, 1.0)); }},
      {"mixture by stack and logsumexp",
       [](Trace& t) {
         const Tensor a = normal(t.parameter("theta"), t.number(1.0), t.data("z"));
         const Tensor b = normal(t.parameter("s"), t.number(2.0), t.data("z"));
         return total(
             reduce("logsumexp", t.op("stack", {a, b}, {-1}) + t.array({std::log(0.3), std::log(0.7)}, {2}), {-1}));
       },
       [](const Row& r) { return log_mix(0.3, normal_lpdf(r.z, r.theta, 1.0), normal_lpdf(r.z, r.s, 2.0)); }},
      {"mixture with components first",
       [](Trace& t) {
         const Tensor a = normal(t.parameter("theta"), t.number(1.0), t.data("z"));
         const Tensor b = normal(t.parameter("s"), t.number(2.0), t.data("z"));
         return total(reduce("logsumexp", t.op("stack", {a, b}, {0}), {0}));
       },
       [](const Row& r) { return log_add_exp(normal_lpdf(r.z, r.theta, 1.0), normal_lpdf(r.z, r.s, 2.0)); }},
      {"mixture of vectors",
       [](Trace& t) {
         const auto component = [&](Tensor loc) {
           return reduce("sum", normal(loc, t.array({1, 2, 3}, {3}), t.data("X")), {-1});
         };
         return total(reduce(
             "logsumexp",
             t.op("stack", {component(t.parameter("beta")), component(t.op("reshape", {t.parameter("B")}, {3}))}, {-1}),
             {-1}));
       },
       [](const Row& r) {
         const auto sd = constant({1, 2, 3});
         return log_add_exp(multi_normal_diagonal_lpdf(r.X, r.beta, sd),
                            multi_normal_diagonal_lpdf(r.X, reshape(r.B, {3}), sd));
       }},
      {"multivariate normal with a covariance matrix",
       [](Trace& t) {
         const Tensor cov = t.array({2, 0.3, 0, 0.3, 1, 0.1, 0, 0.1, 1.5}, {3, 3});
         return total(t.op("multi_normal_lpdf", {t.parameter("beta"), cov, t.data("X")}));
       },
       [](const Row& r) {
         return multi_normal_lpdf(r.X, r.beta, constant({2, 0.3, 0, 0.3, 1, 0.1, 0, 0.1, 1.5}, {3, 3}));
       }},
      {"a quadratic form by matmul",
       [](Trace& t) {
         const Tensor e = t.data("X") - t.parameter("beta");
         const Tensor precision = t.array({2, 0.3, 0, 0.3, 1, 0.1, 0, 0.1, 1.5}, {3, 3});
         return -0.5 * total(product(e, precision) * e);
       },
       [](const Row& r) {
         const auto e = r.X - r.beta;
         return -0.5 * quad_form(constant({2, 0.3, 0, 0.3, 1, 0.1, 0, 0.1, 1.5}, {3, 3}), e);
       }},
      {"Student's t",
       [](Trace& t) {
         return total(t.op("student_t_lpdf",
                           {t.number(4.0), t.parameter("theta"), apply("exp", t.parameter("s")), t.data("z")}));
       },
       [](const Row& r) { return student_t_lpdf(r.z, 4.0, r.theta, exp(r.s)); }},
      {"Poisson regression",
       [](Trace& t) {
         const Tensor eta = squeezed(product(t.data("X"), t.parameter("B")));
         return total(t.data("c") * eta - apply("exp", eta) - apply("lgamma", t.data("c") + t.number(1.0)));
       },
       [](const Row& r) { return poisson_log_lpmf(r.c, dot(r.X, reshape(r.B, {3}))); }},
      {"where",
       [](Trace& t) {
         const Tensor e = t.data("z") - t.parameter("theta");
         return -total(t.op("where", {t.op("less", {e, t.number(0.0)}), apply("square", e), apply("abs", e)}));
       },
       [](const Row& r) {
         const auto e = r.z - r.theta;
         return -select(e < 0.0, square(e), abs(e));
       }},
      {"a mask by comparison",
       [](Trace& t) {
         return total(t.op("greater", {t.data("z"), t.number(1.5)}) *
                      normal(t.parameter("theta"), t.number(1.0), t.data("z")));
       },
       [](const Row& r) { return (r.z > 1.5) * normal_lpdf(r.z, r.theta, 1.0); }},
      {"ones of the size of the minibatch",
       [](Trace& t) {
         const Tensor ones = t.array(std::vector<double>(5, 1.0), {5, 1});
         const Tensor all = t.op("concat", {ones, t.data("X")}, {1});
         return logit_density(reduce("sum", all * t.parameter("w"), {1}), t.data("y"));
       },
       [](const Row& r) { return logit_row(r.w[0] + r.X[0] * r.w[1] + r.X[1] * r.w[2] + r.X[2] * r.w[3], r.y); }},
      {"zeros of the size of the minibatch",
       [](Trace& t) {
         return total(
             normal(t.array(std::vector<double>(5, 0.0), {5}) + t.parameter("theta"), t.number(1.0), t.data("z")));
       },
       [](const Row& r) { return normal_lpdf(r.z, r.theta, 1.0); }},
      {"a matrix of each row times its vector",
       [](Trace& t) {
         const Tensor pair = t.op("expand_dims", {t.op("slice", {t.data("X")}, {0, 5, 0, 0, 2, 0})}, {2});  // n x 2 x 1
         return t.parameter("theta") * total(product(t.data("M"), pair));
       },
       [](const Row& r) { return r.theta * sum(matmul(r.M, slice(r.X, 0, 2))); }},
      {"rows at axis 1 of three",
       [](Trace& t) {
         const Tensor moved = t.op("transpose", {t.data("M")}, {1, 0, 2});  // 2 x n x 2
         return total(t.parameter("s") * apply("exp", reduce("sum", moved, {0, 2})));
       },
       [](const Row& r) { return r.s * exp(sum(r.M)); }},
      {"largest of a row", [](Trace& t) { return total(reduce("max", t.data("X") * t.parameter("beta"), {1})); },
       [](const Row& r) { return maximum(r.X * r.beta); }},
      {"mean over features",
       [](Trace& t) { return total(apply("square", reduce("mean", t.data("X") * t.parameter("beta"), {1}))); },
       [](const Row& r) { return square(sum(r.X * r.beta) / 3.0); }},
      {"reshape that keeps the rows first",
       [](Trace& t) {
         return total(t.parameter("w") * apply("exp", t.op("reshape", {t.data("M")}, {-1, 4})));
       },
       [](const Row& r) { return dot(r.w, exp(reshape(r.M, {4}))); }},
  };
  return cases;
}

TEST(Lowering, LikelihoodsInFortyStyles_AgreeWithModelsOfOneRow) {
  EXPECT_GE(all_cases().size(), 40u);
  const TestData data;
  for (const auto& one : all_cases()) {
    SCOPED_TRACE(one.name);
    Trace trace;
    const Tensor made = one.traced(trace);
    const auto lowered = traced_model(trace.graph, TestData::parameters(), data.columns(), made.id, std::nullopt);
    EXPECT_TRUE(lowered.warnings.empty()) << lowered.warnings.front();
    const auto found = value_and_gradient(lowered.model), expected = value_and_gradient(model_of_row(one.row));
    for (std::size_t j = 0; j < found.size(); ++j)
      EXPECT_NEAR(found[j], expected[j], 1e-10 * (1 + std::abs(expected[j]))) << "element " << j;
  }
}

TEST(Lowering, AnotherLikelihood_IsSeenToDiffer) {
  Trace trace;
  const Tensor made = all_cases()[0].traced(trace);
  const auto lowered = traced_model(trace.graph, TestData::parameters(), TestData().columns(), made.id, std::nullopt);
  const auto found = value_and_gradient(lowered.model), other = value_and_gradient(model_of_row(all_cases()[1].row));
  EXPECT_GT(std::abs(found[0] - other[0]), 1e-3);
}

TEST(Lowering, GlobalTermInLikelihood_CountsOncePerMinibatchWithAWarning) {
  Trace t;
  const Tensor made =
      total(normal(t.parameter("theta"), t.number(1.0), t.data("z"))) + apply("square", t.parameter("s"));
  const auto lowered = traced_model(t.graph, TestData::parameters(), TestData().columns(), made.id, std::nullopt);
  ASSERT_EQ(lowered.warnings.size(), 1u);
  EXPECT_NE(lowered.warnings[0].find("logPrior"), std::string::npos);
  const auto expected =
      value_and_gradient(model_of_row([](const Row& r) { return normal_lpdf(r.z, r.theta, 1.0) + square(r.s) / 5.0; }));
  EXPECT_NEAR(value_and_gradient(lowered.model)[0], expected[0], 1e-10);
}

TEST(Lowering, MeanOverRows_IsAnNthOfTheSumWithAWarning) {
  Trace t;
  const Tensor made = reduce("mean", normal(t.parameter("theta"), t.number(1.0), t.data("z")), {0});
  const auto lowered = traced_model(t.graph, TestData::parameters(), TestData().columns(), made.id, std::nullopt);
  ASSERT_EQ(lowered.warnings.size(), 1u);
  const auto expected =
      value_and_gradient(model_of_row([](const Row& r) { return normal_lpdf(r.z, r.theta, 1.0) / 5.0; }));
  EXPECT_NEAR(value_and_gradient(lowered.model)[0], expected[0], 1e-10);
}

TEST(Lowering, ValueForEachRow_IsSummedWithAWarning) {
  Trace t;
  const Tensor made = normal(t.parameter("theta"), t.number(1.0), t.data("z"));
  const auto lowered = traced_model(t.graph, TestData::parameters(), TestData().columns(), made.id, std::nullopt);
  EXPECT_EQ(lowered.warnings.size(), 1u);
}

TEST(Lowering, Prior_IsAddedOnce) {
  Trace t;
  const Tensor likelihood = total(normal(t.parameter("theta"), t.number(1.0), t.data("z")));
  const Tensor prior = total(normal(t.number(0.0), t.number(2.0), t.parameter("beta")));
  const auto lowered = traced_model(t.graph, TestData::parameters(), TestData().columns(), likelihood.id, prior.id);
  auto expected = model_of_row([](const Row& r) { return normal_lpdf(r.z, r.theta, 1.0); });
  expected.prior(normal_lpdf(expected.parameters()[1].value, 0.0, 2.0));
  EXPECT_NEAR(value_and_gradient(lowered.model)[0], value_and_gradient(expected)[0], 1e-10);
}

TEST(Lowering, MinibatchOfAllRows_MayDependOnAllRowsAtOnce) {
  Trace t(TestData::rows);
  const Tensor made = reduce("max", t.data("z") * t.parameter("theta"), {0});
  EXPECT_THROW(traced_model(t.graph, TestData::parameters(), TestData().columns(), made.id, std::nullopt), ModelError);
  const auto whole = whole_traced_model(t.graph, TestData::parameters(), TestData().columns(), made.id, std::nullopt);
  const TestData data;
  double largest = -1e300;
  for (const double z : data.z) largest = std::max(largest, z * TestData::theta()[0]);
  EXPECT_NEAR(value_and_gradient(whole.model)[0], largest, 1e-12);
}

}  // namespace
}  // namespace sgmcmc::traced
