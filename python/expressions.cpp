// Expressions for Python: leaves, the table of functions, and functions with other kinds of arguments.
#include "arrays.hpp"
#include "graph/node.hpp"
#include "module.hpp"
#include "stan/builtins/builtins.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/expression.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <span>

namespace sgmcmc::python {
namespace {

using Arguments = std::span<const Expression>;

struct Function {
  const char* name;
  const char* arguments;
  const char* doc;
  Expression (*call)(Arguments);
};

// clang-format off
constexpr Function functions[] = {
    {"add", "a b", "", [](Arguments a) { return a[0] + a[1]; }},
    {"subtract", "a b", "", [](Arguments a) { return a[0] - a[1]; }},
    {"multiply", "a b", "", [](Arguments a) { return a[0] * a[1]; }},
    {"divide", "a b", "", [](Arguments a) { return a[0] / a[1]; }},
    {"negative", "x", "", [](Arguments a) { return -a[0]; }},
    {"less", "a b", "", [](Arguments a) { return a[0] < a[1]; }},
    {"less_equal", "a b", "", [](Arguments a) { return a[0] <= a[1]; }},
    {"greater", "a b", "", [](Arguments a) { return a[0] > a[1]; }},
    {"greater_equal", "a b", "", [](Arguments a) { return a[0] >= a[1]; }},
#include "functions.inc"
};
// clang-format on

/// The function at an index of the table; Python checks the number of arguments.
Expression call(std::size_t index, const std::vector<Expression>& arguments) {
  return functions[index].call(arguments);
}

nb::list described_functions() {
  nb::list all;
  for (const auto& function : functions) all.append(nb::make_tuple(function.name, function.arguments, function.doc));
  return all;
}

Expression along_axis(const std::string& name, const Expression& x, std::int64_t axis) {
  if (name == "sum") return sum(x, axis);
  if (name == "maximum") return maximum(x, axis);
  if (name == "log_sum_exp") return log_sum_exp(x, axis);
  throw ShapeError(name + ": not along one axis");
}

/// The values of an expression without parameters and rows.
nb::object numbers_of(const Expression& x) {
  std::vector<std::size_t> shape(x.shape().dims().begin(), x.shape().dims().end());
  return numpy_array(stan::evaluate_constant(x), shape);
}

}  // namespace

void add_expressions(nb::module_& m) {
  nb::class_<Expression>(m, "Expression")
      .def_prop_ro("shape", [](const Expression& x) { return x.shape().dims(); })
      .def_prop_ro("per_row", &Expression::per_row)
      .def_prop_ro("is_integer", [](const Expression& x) { return x.type() == ElementType::integer; })
      .def_prop_ro("is_sparse", [](const Expression& x) { return x.node().op == Op::row_sparse; })
      .def("describe", &Expression::describe)
      .def("numbers", &numbers_of);
  m.def("constant", [](const RealArray& numbers) {
    return constant(std::vector<double>(numbers.data(), numbers.data() + numbers.size()), shape_of(numbers));
  });
  m.def("functions", &described_functions);
  m.def("call", &call);
  m.def("along_axis", &along_axis);
  m.def("element", [](const Expression& x, std::int64_t index) { return x[index]; });
  m.def("slice", &slice);
  m.def("take", [](const Expression& x, std::vector<std::int64_t> positions, std::vector<std::int64_t> shape) {
    return take(x, std::move(positions), Shape(std::move(shape)));
  });
  m.def("reshape",
        [](const Expression& x, std::vector<std::int64_t> shape) { return reshape(x, Shape(std::move(shape))); });
  m.def("broadcast_to",
        [](const Expression& x, std::vector<std::int64_t> shape) { return broadcast_to(x, Shape(std::move(shape))); });
  m.def("concatenate", [](const std::vector<Expression>& parts) { return concatenate(parts); });
  m.def("stack", [](const std::vector<Expression>& parts) { return stack(parts); });
  m.def("log_mix", [](const Expression& weights, const std::vector<Expression>& components) {
    return log_mix(weights, components);
  });
  m.def("solve_lower_transposed", [](const Expression& lower, const Expression& b) {
    return solve_triangular(lower, b, Triangle::lower_transposed);
  });
  m.def("lmgamma", [](std::int64_t dimension, const Expression& x) { return lmgamma(dimension, x); });
}

}  // namespace sgmcmc::python
