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

/// Some rows as one array.
stan::Operand numbers_of_rows(const ColumnView& column, std::uint32_t first, std::uint32_t count) {
  stan::Operand some;
  some.dims = column.row_shape.dims();
  const std::size_t rank = some.dims.size();
  some.type = {rank == 0 ? stan::Base::real : rank == 1 ? stan::Base::vector : stan::Base::matrix,
               rank <= 2 ? 1 : static_cast<int>(rank) - 1};
  if (count == 1)
    some.type.array_rank -= 1;
  else
    some.dims.insert(some.dims.begin(), count);
  const std::int64_t size = column.row_shape.size();
  some.numbers.reserve(static_cast<std::size_t>(count * size));
  for (std::uint32_t row = first; row < first + count; ++row) {
    for (std::int64_t k = 0; k < size; ++k) {
      switch (column.type) {
        case StorageType::float64: some.numbers.push_back(reinterpret_cast<const double*>(column.row(row))[k]); break;
        case StorageType::float32: some.numbers.push_back(reinterpret_cast<const float*>(column.row(row))[k]); break;
        default: some.numbers.push_back(column.integer(row, k));
      }
    }
  }
  return some;
}

/// Throws for a row whose numbers are outside the domain of this argument of a density: outcomes that it cannot have,
/// scales that are not positive. Indices into vectors are checked elsewhere.
void check_column(const Model& model, const std::string& name, const std::string& density, std::size_t argument) {
  if (stan::is_index(density, argument)) return;
  const auto& columns = model.data().store().columns();
  const auto column = std::find_if(columns.begin(), columns.end(), [&](const auto& one) { return one.name == name; });
  if (column == columns.end() || column->type == StorageType::sparse) return;
  const auto outside = [&](std::uint32_t first, std::uint32_t count) -> std::string {
    try {
      stan::check_data(density, argument, numbers_of_rows(*column, first, count));
    } catch (const stan::ArgumentError& error) {
      return error.message;
    }
    return {};
  };
  const auto rows = static_cast<std::uint32_t>(model.rows());
  interruptible_or_raise([&](const std::atomic<bool>* interrupt) {
    for (std::uint32_t first = 0; first < rows; first += std::min(rows - first, 4096u)) {
      throw_if_interrupted(interrupt);
      const std::uint32_t count = std::min(rows - first, 4096u);
      if (outside(first, count).empty()) continue;
      for (std::uint32_t row = first; row < first + count; ++row)
        if (const std::string why = outside(row, 1); !why.empty())
          throw DataError("column '" + name + "', row " + std::to_string(row) + " (rows count from 0): " + why);
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
