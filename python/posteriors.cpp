// Stan models, their binding to data, and the functions of bound models.
#include "posterior.hpp"

#include "interruptible.hpp"
#include "model/constrained_values.hpp"
#include "module.hpp"

#include <sgmcmc/error.hpp>

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sgmcmc::python {

Precision precision_called(const std::string& name) {
  if (name != "double" && name != "float") throw OptionError("precision: '" + name + "' is not double or float");
  return name == "float" ? Precision::float32 : Precision::float64;
}

std::int64_t Posterior::rows() const {
  if (stan_) return stan_->row_axis().empty() ? 0 : stan_->rows();
  return model().row_log_likelihood() ? model().rows() : 0;
}

nb::list Posterior::parameters() const {
  nb::list all;
  for (const auto& info : model().parameters())
    all.append(nb::make_tuple(info.name, info.shape.dims(), info.constraint.name(), info.unconstrained_size));
  return all;
}

std::vector<double> Posterior::value_and_gradient(std::span<const double> theta) const {
  std::vector<double> both(theta.size() + 1);
  auto executor = density_.executor(ProgramKind::value_and_gradient, {});
  executor->set_point(Point::current, theta);
  executor->run(density_.all_rows(), both);
  return both;
}

std::pair<double, nb::object> Posterior::log_density(const RealArray& theta) const {
  const auto point = coordinates(theta);
  auto both = [&] {
    const nb::gil_scoped_release release;
    return value_and_gradient(point);
  }();
  const double value = both[0];
  both.erase(both.begin());
  return {value, numpy_vector(std::move(both))};
}

nb::object Posterior::constrain(const RealArray& theta) const {
  return numpy_vector(constrained_values(density_, coordinates(theta)));
}

nb::object Posterior::unconstrain(const std::map<std::string, std::vector<double>>& values) const {
  return numpy_vector(model().unconstrain(values));
}

std::span<const double> Posterior::coordinates(const RealArray& theta) const {
  if (static_cast<std::int64_t>(theta.size()) != model().dimension())
    throw ShapeError("the point has " + std::to_string(theta.size()) + " coordinates; the model has " +
                     std::to_string(model().dimension()) + " unconstrained parameters");
  return {theta.data(), theta.size()};
}

RunResult Posterior::sample(const RunSettings& settings, const RunHooks& hooks) const {
  return stan_ ? sgmcmc::sample(*stan_, settings, hooks) : run_model(model(), settings, hooks, precision_);
}

namespace {

std::shared_ptr<Posterior> bind(const StanModel& model, const Named<RealArray>& reals, const Named<FloatArray>& floats,
                                const Named<IntegerArray>& integers, const std::vector<SparseMatrix>& sparse,
                                const std::vector<std::string>& files, const std::string& rows,
                                const std::string& precision) {
  // The arrays are read without the interpreter lock; the caller keeps their owners alive.
  const auto interrupt = std::make_shared<std::atomic<bool>>(false);
  return interruptible_or_raise(*interrupt, [&](const std::atomic<bool>* flag) {
    StanData data;
    for (const auto& [name, array] : reals) {
      if (worth_lending(array))
        data.lend(name, values_of(array), shape_of(array), owner_of(array));
      else
        data.real(name, values_of(array), shape_of(array));
    }
    for (const auto& [name, array] : floats) {
      if (worth_lending(array))
        data.lend(name, values_of(array), shape_of(array), owner_of(array));
      else
        data.real(name, std::vector<double>(array.data(), array.data() + array.size()), shape_of(array));
    }
    for (const auto& [name, array] : integers) data.integer(name, values_of(array), shape_of(array));
    for (const auto& one : sparse)
      data.sparse(one.name, one.columns, {one.row_start.data(), one.row_start.size()},
                  {one.column.data(), one.column.size()}, {one.values.data(), one.values.size()});
    for (const auto& file : files) data.file(file);
    StanBindOptions options;
    options.rows = rows;
    options.precision = precision_called(precision);
    options.keep_outcomes = true;
    options.interrupt = flag;
    return std::make_shared<Posterior>(model.bind(data, options), interrupt);
  });
}

template <class Value, class Of>
auto of_stan(Of of) {
  return [of](const Posterior& posterior) { return posterior.stan() ? Value((*posterior.stan().*of)()) : Value(); };
}

}  // namespace

void add_posteriors(nb::module_& m) {
  nb::class_<SparseMatrix>(m, "SparseMatrix")
      .def("__init__", [](SparseMatrix* self, std::string name, std::int64_t columns, StartArray row_start,
                          IntegerArray column, RealArray values) {
        new (self) SparseMatrix{std::move(name), columns, std::move(row_start), std::move(column), std::move(values)};
      });
  nb::class_<StanModel>(m, "StanModel")
      .def_static("from_file", &StanModel::from_file, nb::arg("path"), nb::arg("include"))
      .def_static("from_text", &StanModel::from_text, nb::arg("text"), nb::arg("name"), nb::arg("include"))
      .def_prop_ro("name", &StanModel::name)
      .def_prop_ro("data_names", &StanModel::data_names)
      .def_prop_ro("warnings", &StanModel::warnings)
      .def("bind", &bind);
  nb::class_<Posterior>(m, "Posterior")
      .def("__init__", [](Posterior* self, const Model& model,
                          const std::string& precision) { new (self) Posterior(model, precision_called(precision)); })
      .def_prop_ro("names", [](const Posterior& p) { return p.model().constrained_names(); })
      .def_prop_ro("unconstrained_names", [](const Posterior& p) { return p.model().unconstrained_names(); })
      .def_prop_ro("dimension", [](const Posterior& p) { return p.model().dimension(); })
      .def_prop_ro("parameters", &Posterior::parameters)
      .def_prop_ro("rows", &Posterior::rows)
      .def_prop_ro("why_not_minibatched", of_stan<std::string>(&StanPosterior::why_not_minibatched))
      .def_prop_ro("output_names", of_stan<std::vector<std::string>>(&StanPosterior::output_names))
      .def_prop_ro("warnings", of_stan<std::vector<std::string>>(&StanPosterior::warnings))
      .def("log_density", &Posterior::log_density)
      .def("constrain", &Posterior::constrain)
      .def("unconstrain", &Posterior::unconstrain);
}

}  // namespace sgmcmc::python
