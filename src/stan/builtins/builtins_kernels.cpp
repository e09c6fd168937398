// Covariance functions of Gaussian processes.
#include "stan/builtins/operands.hpp"

#include <sgmcmc/expression.hpp>

#include <cmath>
#include <numbers>

namespace sgmcmc::stan {
namespace {

/// Points as an array [n, dimensions].
Expression points(const Operand& x) {
  if (x.dims.size() == 2) return as_expression(x);
  return reshape(as_expression(x), Shape{x.dims[0], 1});
}

/// Positions of the arguments: one or two sets of points, then the parameters.
struct Kernel {
  Expression first, second;
  std::vector<Expression> parameters;
  Dimensions dims;
  bool data = false;  ///< all points are data
};

Kernel kernel_of(const BuiltinCall& call, std::size_t parameters) {
  const std::size_t sets = call.size() - parameters;
  const Operand& a = call[0];
  const Operand& b = call[sets - 1];
  if (a.dims.size() == 2 && a.dims[0] > 0 && b.dims[0] > 0 && a.dims[1] != b.dims[1])
    refuse(call, "the points differ in dimension: " + shape_text(a) + " and " + shape_text(b));
  Kernel kernel;
  kernel.first = points(a);
  kernel.second = sets == 1 ? kernel.first : points(b);
  for (std::size_t i = sets; i < call.size(); ++i) {
    kernel.parameters.push_back(as_expression(call[i]));
    if (call[i].dims.empty() || call[i].dims[0] == kernel.first.shape()[1]) continue;
    refuse(call, "the length scales are " + std::to_string(call[i].dims[0]) + ", the points have " +
                     std::to_string(kernel.first.shape()[1]) + " dimensions");
  }
  kernel.dims = {a.dims[0], b.dims[0]};
  kernel.data = a.is_data() && b.is_data();
  return kernel;
}

/// Squared distances of all pairs [n, m] of points divided by their length scales.
Expression squared_distances(const Expression& first, const Expression& second) {
  const Expression rows = reshape(first, Shape{first.shape()[0], 1, first.shape()[1]});
  const Expression columns = reshape(second, Shape{1, second.shape()[0], second.shape()[1]});
  const Shape all{first.shape()[0], second.shape()[0], first.shape()[1]};
  return sum(square(broadcast_to(rows, all) - broadcast_to(columns, all)), 2);
}

/// As numbers if the points are data.
Expression settled(const Kernel& kernel, const Expression& x) {
  return kernel.data ? constant(evaluate_constant(x), x.shape()) : x;
}

/// Squared distances divided by the squared length scale: for data points and one scale, the distances are numbers and
/// only the division is symbolic.
Expression scaled_squares(const Kernel& kernel, const Expression& scale) {
  if (scale.shape().is_scalar()) return settled(kernel, squared_distances(kernel.first, kernel.second)) / square(scale);
  return squared_distances(kernel.first / scale, kernel.second / scale);
}

/// The square root with derivative 0 at 0 instead of infinity.
Expression root(const Expression& squares) {
  const Expression positive = squares > 0.0;
  return select(positive, sqrt(select(positive, squares, 1.0)), 0.0);
}

using Shape1 = Expression (*)(const Expression& squares);  ///< correlation from scaled squared distances

void add_stationary(Table& table, const char* name, Shape1 correlation) {
  const std::initializer_list<std::string_view> signatures{
      "(array[] real points, real deviation, real length): matrix",
      "(array[] real, array[] real, real, real): matrix",
      "(array[] vector, real, real): matrix",
      "(array[] vector, array[] vector, real, real): matrix",
      "(array[] row_vector, real, real): matrix",
      "(array[] row_vector, array[] row_vector, real, real): matrix",
      "(array[] vector, real, array[] real): matrix",
      "(array[] vector, array[] vector, real, array[] real): matrix",
      "(array[] row_vector, real, array[] real): matrix",
      "(array[] row_vector, array[] row_vector, real, array[] real): matrix",
  };
  table.add(name, signatures, [correlation](const BuiltinCall& call) {
    if (call[0].dims[0] == 0 || call[call.size() - 3].dims[0] == 0)
      return numbers_operand(matrix_type, {call[0].dims[0], call[call.size() - 3].dims[0]}, {});
    const Kernel kernel = kernel_of(call, 2);
    const Expression squares = scaled_squares(kernel, kernel.parameters[1]);
    return symbol_operand(matrix_type, kernel.dims, square(kernel.parameters[0]) * correlation(squares));
  });
}

Operand periodic(const BuiltinCall& call) {
  const Kernel kernel = kernel_of(call, 3);
  const Expression distance = settled(kernel, root(squared_distances(kernel.first, kernel.second)));
  const Expression wave = sin(distance * (std::numbers::pi / kernel.parameters[2]));
  return symbol_operand(matrix_type, kernel.dims,
                        square(kernel.parameters[0]) * exp(-2.0 * square(wave) / square(kernel.parameters[1])));
}

Operand dot_products(const BuiltinCall& call) {
  const Kernel kernel = kernel_of(call, 1);
  const Expression products = settled(kernel, matmul(kernel.first, transpose(kernel.second)));
  return symbol_operand(matrix_type, kernel.dims, square(kernel.parameters[0]) + products);
}

}  // namespace

void add_kernels(Table& table) {
  add_stationary(table, "gp_exp_quad_cov", [](const Expression& squares) { return exp(-0.5 * squares); });
  table.alias("cov_exp_quad", "gp_exp_quad_cov");
  add_stationary(table, "gp_exponential_cov", [](const Expression& squares) { return exp(-root(squares)); });
  add_stationary(table, "gp_matern32_cov", [](const Expression& squares) {
    const Expression distance = std::numbers::sqrt3 * root(squares);
    return (1.0 + distance) * exp(-distance);
  });
  add_stationary(table, "gp_matern52_cov", [](const Expression& squares) {
    const Expression distance = std::sqrt(5.0) * root(squares);
    return (1.0 + distance + square(distance) / 3.0) * exp(-distance);
  });
  table.add("gp_periodic_cov",
            {"(array[] real, real, real, real): matrix", "(array[] real, array[] real, real, real, real): matrix",
             "(array[] vector, real, real, real): matrix", "(array[] vector, array[] vector, real, real, real): matrix",
             "(array[] row_vector, real, real, real): matrix",
             "(array[] row_vector, array[] row_vector, real, real, real): matrix"},
            periodic);
  table.add("gp_dot_prod_cov",
            {"(array[] real, real): matrix", "(array[] real, array[] real, real): matrix",
             "(array[] vector, real): matrix", "(array[] vector, array[] vector, real): matrix",
             "(array[] row_vector, real): matrix", "(array[] row_vector, array[] row_vector, real): matrix"},
            dot_products);
}

}  // namespace sgmcmc::stan
