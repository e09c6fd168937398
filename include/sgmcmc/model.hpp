// A model: parameters, a log prior, and the log likelihood of one row, bound to data.
#pragma once

#include <sgmcmc/constraint.hpp>
#include <sgmcmc/dataset.hpp>
#include <sgmcmc/expression.hpp>
#include <sgmcmc/shape.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// In which order the elements of a matrix (the last two axes) follow one another on the unconstrained scale.
enum class MatrixOrder : std::uint8_t { by_row, by_column };

struct ParameterInfo {
  std::string name;
  Shape shape;
  MatrixOrder order = MatrixOrder::by_row;
  Constraint constraint;
  std::int64_t offset = 0;  ///< first coordinate in the unconstrained vector
  std::int64_t unconstrained_size = 0;
  Expression value;  ///< on the constrained scale
};

/// Log posterior = prior + sum over rows of likelihood + log-Jacobians of the constraints, counted once.
class Model {
 public:
  explicit Model(Dataset data = {});

  /// Gives a model its data after parameters were declared. Throws ModelError when it has a likelihood already.
  void set_data(Dataset data);
  /// Declares a parameter and returns its value on the constrained scale. MatrixOrder::by_column is for elementwise
  /// constraints only: matrix constraints have an order of their own.
  Expression parameter(const std::string& name, const Shape& shape = {}, const Constraint& constraint = {},
                       MatrixOrder order = MatrixOrder::by_row);
  /// A column of the data, as it stands in one row.
  Expression row(const std::string& column);

  /// Adds to the log prior: a global expression; elements of an array are summed.
  void prior(const Expression& log_density);
  /// Adds to the log likelihood of one row: a per-row expression; elements of an array are summed.
  void likelihood(const Expression& log_density_of_one_row);

  /// The same parameters and data with another prior and another log likelihood of a row, either of them empty for
  /// none.
  Model with_densities(Expression log_prior, Expression row_log_likelihood) const;

  const Dataset& data() const { return data_; }
  std::int64_t rows() const { return data_.rows(); }
  std::int64_t dimension() const { return dimension_; }  ///< number of unconstrained coordinates
  const std::vector<ParameterInfo>& parameters() const { return parameters_; }
  const Expression& log_prior() const { return log_prior_; }                    ///< empty: flat
  const Expression& log_jacobian() const { return log_jacobian_; }              ///< empty: zero
  const Expression& row_log_likelihood() const { return row_log_likelihood_; }  ///< empty: none

  /// "beta[1]", "beta[2]", ...: one name per element on the constrained scale, counted from 1.
  std::vector<std::string> constrained_names() const;
  /// One name per unconstrained coordinate: "beta[3]", or "weights (unconstrained 2)" where coordinates are not
  /// elements.
  std::vector<std::string> unconstrained_names() const;

  /// Unconstrained coordinates of the given constrained values; parameters left out start at coordinate 0. Throws
  /// DataError for unknown names, wrong sizes and values that break a constraint.
  std::vector<double> unconstrain(const std::map<std::string, std::vector<double>>& values) const;

 private:
  void check_parameters(const char* what, const Expression& expression) const;

  Dataset data_;
  std::int64_t dimension_ = 0;
  std::vector<ParameterInfo> parameters_;
  std::map<std::string, Expression> rows_;
  Expression log_prior_;
  Expression log_jacobian_;
  Expression row_log_likelihood_;
};

}  // namespace sgmcmc
