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

/// Order of the elements of a matrix (the last two axes) on the unconstrained scale.
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

/// A log likelihood of rows and its gradient, computed by the caller, for example by an external automatic
/// differentiation library. Called concurrently. Exceptions end the run.
class GivenLikelihood {
 public:
  virtual ~GivenLikelihood() = default;
  /// The sum of log p_i over some rows, counted from 0; adds its gradient to `gradient`. values: the parameters on the
  /// constrained scale, one after another, each row by row; the gradient is with respect to these.
  virtual double add(std::span<const double> values, std::span<const std::uint32_t> rows,
                     std::span<double> gradient) const = 0;
  /// log p_i and its gradient for each of the rows. The default calls add() for one row at a time; override it for
  /// speed with saga, sgfs, sglm and preconditioners, which use gradients of single rows.
  virtual void each(std::span<const double> values, std::span<const std::uint32_t> rows,
                    std::span<double> log_likelihoods, std::span<double> gradients) const;
};

/// Log posterior = prior + sum over rows of likelihood + log-Jacobians of the constraints, counted once.
class Model {
 public:
  explicit Model(Dataset data = {});

  /// Sets the data after parameters were declared. Throws ModelError if the model already has a likelihood.
  void set_data(Dataset data);
  /// Declares a parameter and returns its value on the constrained scale. MatrixOrder::by_column is for elementwise
  /// constraints only: matrix constraints define their own order.
  Expression parameter(const std::string& name, const Shape& shape = {}, const Constraint& constraint = {},
                       MatrixOrder order = MatrixOrder::by_row);
  /// The value of a data column in one row.
  Expression row(const std::string& column);

  /// Adds to the log prior: a global expression; elements of an array are summed.
  void prior(const Expression& log_density);
  /// Adds to the log likelihood of one row: a per-row expression; elements of an array are summed.
  void likelihood(const Expression& log_density_of_one_row);

  /// Sets a log likelihood of `rows` rows computed by the caller. The model then takes no other likelihood and needs no
  /// data.
  void likelihood(std::shared_ptr<const GivenLikelihood> given, std::int64_t rows);

  /// The same model without the log-Jacobians of constraints: a density of the constrained parameters, whose mode
  /// depends on their declared scale.
  Model without_jacobian() const;
  /// The same parameters and data with another prior and another log likelihood per row; either may be empty.
  Model with_densities(Expression log_prior, Expression row_log_likelihood) const;

  const Dataset& data() const { return data_; }
  std::int64_t rows() const { return given_ ? given_rows_ : data_.rows(); }
  std::int64_t dimension() const { return dimension_; }  ///< number of unconstrained coordinates
  const std::vector<ParameterInfo>& parameters() const { return parameters_; }
  const Expression& log_prior() const { return log_prior_; }        ///< empty: flat
  const Expression& log_jacobian() const { return log_jacobian_; }  ///< empty: zero
  /// Empty: no likelihood. A constant if the caller computes it.
  const Expression& row_log_likelihood() const { return row_log_likelihood_; }
  const std::shared_ptr<const GivenLikelihood>& given_likelihood() const { return given_; }  ///< null: none

  /// "beta[1]", "beta[2]", ...: one name per element on the constrained scale, counted from 1.
  std::vector<std::string> constrained_names() const;
  /// One name per unconstrained coordinate: "beta[3]", or "weights (unconstrained 2)" if coordinates are not elements.
  std::vector<std::string> unconstrained_names() const;

  /// Unconstrained coordinates of the given constrained values; coordinates of other parameters are 0. Throws DataError
  /// for unknown names, wrong sizes and values that violate a constraint.
  std::vector<double> unconstrain(const std::map<std::string, std::vector<double>>& values) const;

 private:
  void check_leaves(const char* what, const Expression& expression) const;

  Dataset data_;
  std::int64_t dimension_ = 0;
  std::vector<ParameterInfo> parameters_;
  std::map<std::string, Expression> rows_;
  std::vector<Expression> leaves_;  ///< unconstrained coordinates of the parameters that have any
  Expression log_prior_;
  Expression log_jacobian_;
  Expression row_log_likelihood_;
  std::shared_ptr<const GivenLikelihood> given_;
  std::int64_t given_rows_ = 0;
};

}  // namespace sgmcmc
