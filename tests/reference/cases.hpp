// A gradient test case: a function of its own parameters and of one small table of rows that all cases share.
#pragma once

#include "graph/leaves.hpp"
#include "reference/row_table.hpp"

#include <sgmcmc/expression.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace sgmcmc::reference {

/// Makes parameter leaves and keeps their values: theta in the order in which they were asked for.
class Parameters {
 public:
  Expression scalar(double value) { return make({value}, Shape{}); }
  Expression vector(std::vector<double> values) {
    const Shape shape{static_cast<std::int64_t>(values.size())};
    return make(std::move(values), shape);
  }
  Expression make(std::vector<double> values, const Shape& shape) {
    const auto offset = static_cast<std::int64_t>(theta_.size());
    theta_.insert(theta_.end(), values.begin(), values.end());
    return parameter_leaf(std::string("p").append(std::to_string(offset)), shape, offset);
  }
  /// Fixed values spread over (-1, 1), none of them round.
  Expression spread(const Shape& shape) {
    std::vector<double> values(static_cast<std::size_t>(shape.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::sin(1.3 + 2.1 * static_cast<double>(i + theta_.size()));
    }
    return make(std::move(values), shape);
  }

  /// theta, a centre near it and some direction.
  ParameterVectors<double> point() const {
    ParameterVectors<double> made{theta_, theta_, theta_};
    for (std::size_t i = 0; i < theta_.size(); ++i) {
      made.centre[i] += 0.01 * std::cos(3.7 * static_cast<double>(i));
      made.direction[i] = std::sin(0.9 + 1.7 * static_cast<double>(i));
    }
    return made;
  }

 private:
  std::vector<double> theta_;
};

/// Columns of the shared table as leaves.
struct Columns {
  Expression x = row_real("x", Shape{});                ///< in (-1, 1)
  Expression z = row_real("z", Shape{3});               ///< in (-1, 1)
  Expression d = row_real("d", Shape{2, 3});            ///< in (-1, 1)
  Expression y = row_integer("y", Shape{});             ///< 0 or 1
  Expression group = row_integer("group", Shape{});     ///< 1 to 4
  Expression pair = row_integer("pair", Shape{2});      ///< 0 to 3, in some rows twice the same
  Expression counts = row_integer("counts", Shape{3});  ///< 0 to 5
  Expression u = row_sparse("u", 4);
};

inline RowTable shared_rows() {
  RowTable table;
  table.rows = 5;
  table.weights = {0.7, 1.9, 0.4, 1.1, 2.3};
  const auto wave = [](std::size_t count, double phase) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = std::cos(phase + 1.9 * static_cast<double>(i));
    return values;
  };
  table.reals = {{"x", wave(5, 0.4)}, {"z", wave(15, 1.1)}, {"d", wave(30, 2.3)}};
  table.integers = {{"y", {1, 0, 0, 1, 1}},
                    {"group", {2, 4, 1, 2, 3}},
                    {"pair", {0, 3, 1, 1, 2, 0, 3, 3, 2, 1}},
                    {"counts", {0, 2, 5, 1, 0, 0, 3, 4, 1, 0, 0, 2, 2, 1, 1}}};
  table.sparse = {{"u", {0, 1.5, 0, -0.4, 0, 0, 0, 0, 0.8, 0, 0, 0, -1.2, 0.3, 2.1, 0.9, 0, 0, -0.6, 0}}};
  return table;
}

/// A scalar that depends on every element of e and on every row, on each in a different way.
inline Expression probe(const Expression& e) {
  std::vector<double> coefficients(static_cast<std::size_t>(e.shape().size()));
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    coefficients[i] = (i % 2 == 0 ? 1.0 : -1.0) * (0.7 + 0.3 * static_cast<double>(i));
  }
  const Expression combined = sum(e * constant(std::move(coefficients), e.shape()));
  return e.per_row() ? row_sum(row_weight() * combined) : combined;
}

/// A matrix that is far from singular and symmetric only if made so: identity times `diagonal` plus small parameters.
inline Expression well_conditioned(Parameters& p, double diagonal) {
  return 0.4 * p.spread(Shape{3, 3}) + diagonal * diagonal_matrix(constant({1.0, 1.0, 1.0}));
}

/// One function to differentiate. `function` is called once per check with fresh parameters.
struct GradientForm {
  std::string name;
  std::function<Expression(Parameters&, const Columns&)> function;
  bool differences = true;  ///< whether finite differences work; not at points too extreme for any step size
};

/// All forms in which one operation is tried.
struct GradientCase {
  std::string name;
  std::vector<GradientForm> forms;
  bool twice = true;  ///< whether second derivatives exist in the graph
};

}  // namespace sgmcmc::reference
