// Models written in Python: rows of data, parameters with their constraints, densities.
#include "arrays.hpp"
#include "base/interrupt.hpp"
#include "data/store.hpp"
#include "given_likelihood.hpp"
#include "interruptible.hpp"
#include "module.hpp"
#include "posterior.hpp"
#include "stan/builtins/builtins.hpp"
#include "stan/builtins/signatures.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/model.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace sgmcmc::python {
namespace {

template <class Array>
void add_reals(const Named<Array>& arrays, bool lend, Dataset::Builder& rows) {
  for (const auto& [name, array] : arrays) {
    if (lend && worth_lending(array))
      rows.borrow_real(name, values_of(array), shape_of(array, 1)).keep(owner_of(array));
    else
      rows.real(name, values_of(array), shape_of(array, 1));
  }
}

/// The first axis of every array counts rows.
Model model_of_rows(const Named<RealArray>& reals, const Named<FloatArray>& floats, const Named<IntegerArray>& integers,
                    const std::vector<SparseMatrix>& sparse, const std::string& precision) {
  if (reals.empty() && floats.empty() && integers.empty() && sparse.empty()) return Model();
  Dataset::Builder rows(precision_called(precision));
  add_reals(reals, precision == "double", rows);
  add_reals(floats, true, rows);
  for (const auto& [name, array] : integers) rows.integer(name, values_of(array), shape_of(array, 1));
  for (const auto& one : sparse)
    rows.sparse(one.name, {{one.row_start.data(), one.row_start.size()},
                           {one.column.data(), one.column.size()},
                           {one.values.data(), one.values.size()},
                           one.columns});
  return interruptible_or_raise([&](const std::atomic<bool>* interrupt) {
    rows.when_packed([interrupt](std::int64_t, std::int64_t) { throw_if_interrupted(interrupt); });
    Model model(rows.build());
    for (const auto& name : model.data().column_names()) model.row(name);  // so that it knows rows of other models
    return model;
  });
}

/// kind: as returned by Constraint::name().
Constraint constraint_called(const std::string& kind, const std::vector<Expression>& bounds) {
  if (kind == "lower") return Constraint::lower(bounds.at(0));
  if (kind == "upper") return Constraint::upper(bounds.at(0));
  if (kind == "interval") return Constraint::interval(bounds.at(0), bounds.at(1));
  if (kind == "offset_multiplier") return Constraint::offset_multiplier(bounds.at(0), bounds.at(1));
  for (auto make :
       {&Constraint::unconstrained, &Constraint::simplex, &Constraint::ordered, &Constraint::positive_ordered,
        &Constraint::unit_vector, &Constraint::cholesky_factor_correlation, &Constraint::cholesky_factor_covariance,
        &Constraint::correlation_matrix, &Constraint::covariance_matrix})
    if (make().name() == kind) return make();
  throw ModelError("there is no constraint '" + kind + "'");
}

std::vector<double> numbers_of_row(const ColumnView& column, std::uint32_t row) {
  std::vector<double> numbers(static_cast<std::size_t>(column.row_shape.size()));
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    switch (column.type) {
      case StorageType::float64: numbers[k] = reinterpret_cast<const double*>(column.row(row))[k]; break;
      case StorageType::float32: numbers[k] = reinterpret_cast<const float*>(column.row(row))[k]; break;
      default: numbers[k] = column.integer(row, static_cast<std::int64_t>(k));
    }
  }
  return numbers;
}

/// Throws for a row whose numbers are outside the domain of this argument of a density: outcomes that it cannot have,
/// scales that are not positive. Indices into vectors are checked elsewhere.
void check_column(const Model& model, const std::string& name, const std::string& density, std::size_t argument) {
  if (stan::is_index(density, argument)) return;
  const auto& columns = model.data().store().columns();
  const auto column = std::find_if(columns.begin(), columns.end(), [&](const auto& one) { return one.name == name; });
  if (column == columns.end() || column->type == StorageType::sparse) return;
  const std::vector<std::int64_t>& dims = column->row_shape.dims();
  const stan::Base base = dims.empty() ? stan::Base::real : dims.size() == 1 ? stan::Base::vector : stan::Base::matrix;
  interruptible_or_raise([&](const std::atomic<bool>* interrupt) {
    for (std::int64_t i = 0; i < model.rows(); ++i) {
      if (i % 4096 == 0) throw_if_interrupted(interrupt);
      stan::Operand numbers;
      numbers.type = {base, dims.size() > 2 ? static_cast<int>(dims.size()) - 2 : 0};
      numbers.dims = dims;
      numbers.numbers = numbers_of_row(*column, static_cast<std::uint32_t>(i));
      try {
        stan::check_data(density, argument, numbers);
      } catch (const stan::ArgumentError& error) {
        throw DataError("column '" + name + "', row " + std::to_string(i) + ": " + error.message);
      }
    }
  });
}

}  // namespace

void add_models(nb::module_& m) {
  nb::class_<Model>(m, "Model")
      .def_prop_ro("rows", &Model::rows)
      .def_prop_ro("columns", [](const Model& model) { return model.data().column_names(); })
      .def("row", &Model::row)
      .def("parameter",
           [](Model& model, const std::string& name, std::vector<std::int64_t> shape, const std::string& kind,
              const std::vector<Expression>& bounds) {
             return model.parameter(name, Shape(std::move(shape)), constraint_called(kind, bounds));
           })
      .def("prior", &Model::prior)
      .def("likelihood", [](Model& model, const Expression& log_density) { model.likelihood(log_density); })
      .def("given_likelihood", [](Model& model, nb::object sum, nb::object each, std::int64_t rows) {
        model.likelihood(given_likelihood(std::move(sum), std::move(each)), rows);
      });
  m.def("model_of_rows", &model_of_rows);
  m.def("check_column", &check_column);
}

}  // namespace sgmcmc::python
