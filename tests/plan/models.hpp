// Models with synthetic data, large enough for several chunks of rows: value and gradient of each as a program.
#pragma once

#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"
#include "plan/executor.hpp"

#include <sgmcmc/dataset.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc::testing {

struct TestModel {
  std::string name;
  Dataset data;
  std::vector<Expression> leaves;
  Expression row;  ///< log likelihood of one row
  std::vector<double> theta;

  std::int64_t dimension() const { return static_cast<std::int64_t>(theta.size()); }
  /// [value, gradient].
  std::vector<Expression> outputs() const {
    const auto value = row_sum(row_weight() * row);
    auto all = differentiate(value, leaves);
    all.insert(all.begin(), value);
    return all;
  }
  std::vector<Expression> row_outputs() const {
    auto all = differentiate(row, leaves, {.per_row = true, .redirect = {}});
    all.insert(all.begin(), row);
    return all;
  }
};

/// Numbers in (-1, 1) without pattern, the same every time.
inline std::vector<double> scattered(std::int64_t count, double phase) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = std::sin(phase + 12.9898 * static_cast<double>(i)) * 43758.5453;
    values[i] = 2 * (x - std::floor(x)) - 1;
  }
  return values;
}

inline std::vector<std::int32_t> scattered_integers(std::int64_t count, int choices, double phase) {
  std::vector<std::int32_t> values;
  for (const double x : scattered(count, phase)) values.push_back(static_cast<std::int32_t>((x + 1) / 2 * choices));
  return values;
}

class ModelMaker {
 public:
  ModelMaker(std::string name, std::int64_t rows, Precision storage) : rows_(rows), builder_(storage) {
    model_.name = std::move(name);
  }
  Expression parameter(const Shape& shape, double scale = 1) {
    const auto offset = static_cast<std::int64_t>(model_.theta.size());
    for (const double x : scattered(shape.size(), 0.3 + static_cast<double>(offset))) model_.theta.push_back(scale * x);
    model_.leaves.push_back(parameter_leaf(std::string("p").append(std::to_string(offset)), shape, offset));
    return model_.leaves.back();
  }
  Expression real(const std::string& name, const Shape& shape) {
    reals_.push_back(
        std::make_unique<std::vector<double>>(scattered(rows_ * shape.size(), 7.0 + static_cast<double>(name[0]))));
    builder_.real(name, *reals_.back(), shape);
    return row_real(name, shape);
  }
  Expression integer(const std::string& name, int choices, const Shape& shape = {}) {
    integers_.push_back(std::make_unique<std::vector<std::int32_t>>(
        scattered_integers(rows_ * shape.size(), choices, 3.0 + static_cast<double>(name[0]))));
    builder_.integer(name, *integers_.back(), shape);
    return row_integer(name, shape);
  }
  /// About one entry in three, none in some rows.
  Expression sparse(const std::string& name, std::int64_t columns) {
    const auto dense = scattered(rows_ * columns, 2.0);
    for (std::size_t i = 0; i < dense.size(); ++i) {
      const bool empty_row = (i / static_cast<std::size_t>(columns)) % 11 == 3;
      if (dense[i] > 0.3 && !empty_row) {
        column_.push_back(static_cast<std::int32_t>(i % static_cast<std::size_t>(columns)));
        value_.push_back(dense[i]);
      }
      if ((i + 1) % static_cast<std::size_t>(columns) == 0)
        row_start_.push_back(static_cast<std::int64_t>(value_.size()));
    }
    builder_.sparse(name, {row_start_, column_, value_, columns});
    return row_sparse(name, columns);
  }
  TestModel finish(const Expression& row) {
    model_.row = row;
    model_.data = builder_.build();
    return std::move(model_);
  }

 private:
  std::int64_t rows_;
  TestModel model_;
  Dataset::Builder builder_;
  std::vector<std::unique_ptr<std::vector<double>>> reals_;
  std::vector<std::unique_ptr<std::vector<std::int32_t>>> integers_;
  std::vector<std::int64_t> row_start_{0};
  std::vector<std::int32_t> column_;
  std::vector<double> value_;
};

inline TestModel logistic_regression(std::int64_t rows, Precision storage = Precision::float64) {
  ModelMaker make("logistic_regression", rows, storage);
  const auto beta = make.parameter(Shape{21});
  const auto eta = make.parameter(Shape{}) + dot(make.real("x", Shape{21}), beta);
  return make.finish(log_logistic((2 * make.integer("y", 2) - 1) * eta));
}

/// All products over a tile have more than 64 multiplications per row.
inline TestModel network(std::int64_t rows, std::int64_t inputs = 20, std::int64_t hidden = 12,
                         std::int64_t classes = 8, Precision storage = Precision::float64) {
  ModelMaker make("network", rows, storage);
  const auto x = make.real("x", Shape{inputs});
  const auto first = make.parameter(Shape{hidden, inputs}, 0.3), first_bias = make.parameter(Shape{hidden});
  const auto second = make.parameter(Shape{classes, hidden}, 0.3), second_bias = make.parameter(Shape{classes});
  const auto middle = tanh(matmul(first, x) + first_bias);
  const auto last = log_softmax(matmul(second, middle) + second_bias);
  return make.finish(gather(last, make.integer("y", static_cast<int>(classes))));
}

inline TestModel random_effects(std::int64_t rows) {
  ModelMaker make("random_effects", rows, Precision::float64);
  const auto table = make.parameter(Shape{37, 3});
  const auto pair = make.integer("pair", 37, Shape{2});
  const auto group = make.integer("group", 11);
  const auto scale = exp(make.parameter(Shape{}));
  const auto effect = gather(make.parameter(Shape{11}), group);
  const auto location = effect + dot(gather(table, pair[0]), gather(table, pair[1])) + sum(gather(table, pair));
  return make.finish(-0.5 * square((make.real("x", Shape{}) - location) / scale) - log(scale));
}

inline TestModel sparse_regression(std::int64_t rows) {
  ModelMaker make("sparse_regression", rows, Precision::float64);
  const auto u = make.sparse("u", 30);
  const auto scores = log_softmax(matmul(make.parameter(Shape{3, 30}), u));
  const auto eta = dot(u, make.parameter(Shape{30}));
  return make.finish(gather(scores, make.integer("k", 3)) + log_logistic((2 * make.integer("y", 2) - 1) * eta));
}

inline TestModel mixture(std::int64_t rows) {
  ModelMaker make("mixture", rows, Precision::float64);
  const auto scale = exp(make.parameter(Shape{3}));
  const auto standard = (make.real("x", Shape{}) - make.parameter(Shape{3})) / scale;
  return make.finish(log_sum_exp(log_softmax(make.parameter(Shape{3})) - log(scale) - 0.5 * square(standard)));
}

/// A dense covariance of global parameters: Cholesky factor, solves and products that are not over rows.
inline TestModel multivariate_normal(std::int64_t rows, std::int64_t size) {
  ModelMaker make("multivariate_normal", rows, Precision::float64);
  const auto square_root = make.parameter(Shape{size, size}, 0.1);
  const auto identity = diagonal_matrix(constant(std::vector<double>(static_cast<std::size_t>(size), 1.0)));
  const auto factor = cholesky(matmul(square_root, transpose(square_root)) + identity);
  const auto inverse = solve_triangular(factor, identity);
  const auto white = matmul(inverse, make.real("x", Shape{size}) - make.parameter(Shape{size}));
  return make.finish(-0.5 * dot(white, white) - sum(log(diagonal(factor))));
}

}  // namespace sgmcmc::testing
