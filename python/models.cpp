// Models written in Python: rows of data, parameters with their constraints, densities.
#include "arrays.hpp"
#include "base/interrupt.hpp"
#include "given_likelihood.hpp"
#include "interruptible.hpp"
#include "module.hpp"
#include "posterior.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/model.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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
    return Model(rows.build());
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
}

}  // namespace sgmcmc::python
