// Likelihoods that have no density of one row are refused, and the message says what to do.
#include "traced/trace.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace sgmcmc::traced {
namespace {

struct Refusal {
  const char* text;
  std::function<Tensor(Trace&)> traced;
};

constexpr std::int64_t n = TestData::batch;

const std::vector<Refusal>& all_refusals() {
  const auto column = [](Trace& t) { return product(t.data("X"), t.parameter("B")); };  // n x 1
  const auto sum_of_z = [](Trace& t) { return total(t.data("z") * t.parameter("theta")); };
  static const std::vector<Refusal> refusals = {
      // [n, 1] combined with [n].
      {"tf$squeeze", [=](Trace& t) { return total(column(t) * t.data("y")); }},
      {"tf$squeeze", [=](Trace& t) { return total(t.data("y") - column(t)); }},
      {"pairs",
       [=](Trace& t) {
         return total(t.op("normal_lpdf", {column(t), t.number(1.0), t.data("z")}));
       }},
      {"pairs",
       [=](Trace& t) {
         return total(t.op("expand_dims", {t.data("z")}, {0}) - t.op("expand_dims", {t.data("z")}, {1}));
       }},
      {"different axes",
       [=](Trace& t) {
         return total(t.op("stack", {t.data("X"), t.op("transpose", {t.data("X")})}, {0}));
       }},
      // Gram matrices.
      {"paired with every other", [](Trace& t) { return total(product(t.data("X"), t.data("X"), false, true)); }},
      {"paired with every other",
       [](Trace& t) {
         return total(t.op("einsum", {t.data("X"), t.data("X")}, {}, "ij,kj->ik"));
       }},
      // Only sums are allowed over rows.
      {"share a minibatch", [](Trace& t) { return reduce("max", t.data("z") * t.parameter("theta"), {0}); }},
      {"share a minibatch", [](Trace& t) { return reduce("min", t.data("z") * t.parameter("theta"), {-1}); }},
      {"share a minibatch", [](Trace& t) { return reduce("logsumexp", t.data("z") * t.parameter("theta"), {0}); }},
      {"share a minibatch",
       [](Trace& t) { return t.op("reduce_logsumexp", {t.data("X") * t.parameter("beta")}, {0}); }},
      {"along the rows", [](Trace& t) { return total(t.op("softmax", {t.data("z") * t.parameter("theta")}, {0})); }},
      {"along the rows", [](Trace& t) { return total(t.op("log_softmax", {t.data("X") * t.parameter("beta")}, {0})); }},
      {"along the rows", [](Trace& t) { return total(t.op("cumsum", {t.data("z") * t.parameter("theta")}, {0})); }},
      // Sums over rows may only be added.
      {"more than adding it up", [=](Trace& t) { return apply("log", sum_of_z(t)); }},
      {"more than adding it up", [=](Trace& t) { return apply("exp", sum_of_z(t)); }},
      {"more than adding it up", [=](Trace& t) { return sum_of_z(t) * sum_of_z(t); }},
      {"more than adding it up", [=](Trace& t) { return t.parameter("theta") / sum_of_z(t); }},
      {"more than adding it up", [=](Trace& t) { return total(t.data("z") - sum_of_z(t)); }},
      {"more than adding it up", [=](Trace& t) { return total(t.data("z") * total(t.data("z"))); }},
      {"more than adding it up",
       [](Trace& t) { return total(product(product(t.data("X"), t.data("X"), true, false), t.parameter("B"))); }},
      {"more than adding it up",
       [](Trace& t) { return apply("square", reduce("mean", t.data("z") * t.parameter("theta"), {0})); }},
      // Constants and parameters with one entry per position in the minibatch.
      {"put it into `dataset`",
       [](Trace& t) {
         return total(t.data("z") * t.array({1, 2, 3, 4, 5}, {n}) * t.parameter("theta"));
       }},
      {"put it into `dataset`",
       [](Trace& t) {
         return total(t.op("concat", {t.array({1, 2, 3, 4, 5}, {n, 1}), t.data("X")}, {1}));
       }},
      {"index it by a column",
       [](Trace& t) {
         return total(t.data("z") * t.op("concat", {t.parameter("w"), t.op("reshape", {t.parameter("s")}, {1})}, {0}));
       }},
      // Rows selected by position, mixed or dropped.
      {"rows change every step",
       [](Trace& t) {
         return total(t.op("slice", {t.data("z") * t.parameter("theta")}, {0, 2, 0}));
       }},
      {"rows change every step",
       [](Trace& t) {
         return total(t.op("gather", {t.data("z") * t.parameter("theta"), t.array({0, 2}, {2})}, {0}));
       }},
      {"rows cannot be appended",
       [](Trace& t) {
         return total(t.parameter("theta") * t.op("concat", {t.data("z"), t.data("y")}, {0}));
       }},
      {"axis of its own", [](Trace& t) { return total(t.op("reshape", {t.data("X") * t.parameter("theta")}, {-1})); }},
      {"axis of its own",
       [](Trace& t) {
         return total(t.op("reshape", {t.data("X") * t.parameter("theta")}, {3, -1}));
       }},
      {"cannot be dropped", [](Trace& t) { return total(t.op("squeeze", {t.data("z") * t.parameter("theta")}, {0})); }},
      // Indices.
      {"depends on parameters",
       [](Trace& t) {
         return total(t.op("gather", {t.parameter("w"), t.data("z") * t.parameter("theta")}, {0}));
       }},
      {"is not one of 0 to 2",
       [](Trace& t) {
         return total(t.op("gather", {t.parameter("beta"), t.data("k")}, {0}));
       }},
      {"is not a whole number",
       [](Trace& t) {
         return total(t.op("gather", {t.parameter("w"), t.data("z")}, {0}));
       }},
      // Others.
      {"does not depend on the data", [](Trace& t) { return apply("square", t.parameter("theta")); }},
      {"no density of one row", [](Trace& t) { return total(apply("unique", t.data("z"))); }},
      {"not part of the dataset", [](Trace& t) { return total(t.data("Z") * t.parameter("theta")); }},
      {"no parameter of this model", [](Trace& t) { return total(t.data("z") * t.parameter("gamma")); }},
      {"takes matrices", [](Trace& t) { return total(product(t.data("X"), t.parameter("beta"))); }},
      {"do not fit together", [](Trace& t) { return total(product(t.data("X"), t.parameter("W"), false, true)); }},
  };
  return refusals;
}

TEST(Refusal, GraphsWithoutADensityOfOneRow_ThrowWhatToDo) {
  EXPECT_GE(all_refusals().size(), 30u);
  const TestData data;
  for (std::size_t k = 0; k < all_refusals().size(); ++k) {
    SCOPED_TRACE(std::to_string(k) + ": " + all_refusals()[k].text);
    Trace trace;
    const Tensor made = all_refusals()[k].traced(trace);
    try {
      traced_model(trace.graph, TestData::parameters(), data.columns(), made.id, std::nullopt);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(all_refusals()[k].text), std::string::npos) << error.what();
    }
  }
}

TEST(Refusal, PriorThatDependsOnData_IsNamed) {
  Trace t;
  const Tensor likelihood = total(t.data("z") * t.parameter("theta"));
  const Tensor prior = total(t.data("z"));
  EXPECT_THROW(traced_model(t.graph, TestData::parameters(), TestData().columns(), likelihood.id, prior.id),
               ModelError);
}

}  // namespace
}  // namespace sgmcmc::traced
