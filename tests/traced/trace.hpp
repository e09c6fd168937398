// Records graphs as a front end does, for tests: operators and functions on arrays of a minibatch.
#pragma once

#include "traced/traced_model.hpp"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc::traced {

class Trace;

struct Tensor {
  Trace* trace = nullptr;
  std::size_t id = 0;
};

/// Rows of all columns, and the parameters that all cases have.
struct TestData {
  static constexpr std::int64_t rows = 17, batch = 5;
  std::vector<double> X, y, z, k, c, M;

  TestData();
  std::vector<TracedColumn> columns() const;
  static std::vector<TracedParameter> parameters();
  static std::vector<double> theta();
};

class Trace {
 public:
  Trace(std::int64_t batch = TestData::batch) { graph.batch_rows = batch; }
  TracedGraph graph;

  Tensor op(const std::string& name, const std::vector<Tensor>& inputs, std::vector<std::int64_t> integers = {},
            const std::string& text = {}) {
    TracedNode node;
    node.op = name;
    for (const auto& one : inputs) node.inputs.push_back(one.id);
    node.integers = std::move(integers);
    node.name = text;
    node.call = "tf$" + name;
    return {this, graph.add(node)};
  }
  Tensor parameter(const std::string& name) { return leaf("parameter", name); }
  Tensor data(const std::string& name) { return leaf("placeholder", name); }
  Tensor number(double value) { return array({value}, {}); }
  Tensor array(std::vector<double> values, const Shape& shape) {
    TracedNode node;
    node.op = "constant";
    node.values = std::move(values);
    node.shape = shape;
    return {this, graph.add(node)};
  }

 private:
  Tensor leaf(const std::string& op, const std::string& name) {
    TracedNode node;
    node.op = op;
    node.name = name;
    node.call = name;
    return {this, graph.add(node)};
  }
};

inline Tensor operator+(Tensor a, Tensor b) { return a.trace->op("add", {a, b}); }
inline Tensor operator-(Tensor a, Tensor b) { return a.trace->op("subtract", {a, b}); }
inline Tensor operator*(Tensor a, Tensor b) { return a.trace->op("multiply", {a, b}); }
inline Tensor operator/(Tensor a, Tensor b) { return a.trace->op("divide", {a, b}); }
inline Tensor operator-(Tensor a) { return a.trace->op("negative", {a}); }
inline Tensor operator+(double a, Tensor b) { return b.trace->number(a) + b; }
inline Tensor operator-(double a, Tensor b) { return b.trace->number(a) - b; }
inline Tensor operator*(double a, Tensor b) { return b.trace->number(a) * b; }
inline Tensor operator/(double a, Tensor b) { return b.trace->number(a) / b; }
inline Tensor apply(const std::string& op, Tensor a) { return a.trace->op(op, {a}); }
inline Tensor product(Tensor a, Tensor b, bool ta = false, bool tb = false) {
  return a.trace->op("matmul", {a, b}, {ta, tb});
}
inline Tensor total(Tensor a) { return a.trace->op("reduce_sum", {a}); }
inline Tensor reduce(const std::string& how, Tensor a, std::initializer_list<std::int64_t> axes, bool keep = false) {
  std::vector<std::int64_t> integers{keep};
  integers.insert(integers.end(), axes.begin(), axes.end());
  return a.trace->op("reduce_" + how, {a}, std::move(integers));
}

}  // namespace sgmcmc::traced
