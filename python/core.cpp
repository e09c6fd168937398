// The extension module: errors, then the parts.
#include "module.hpp"
#include "service/lost_data.hpp"
#include "settings/values.hpp"

#include <sgmcmc/error.hpp>

namespace nb = nanobind;

NB_MODULE(_core, m) {
  using namespace sgmcmc;
  using namespace sgmcmc::python;

  auto error = nb::exception<Error>(m, "Error", PyExc_ValueError);
  nb::exception<ShapeError>(m, "ShapeError", error.ptr());
  nb::exception<DataError>(m, "DataError", error.ptr());
  nb::exception<ModelError>(m, "ModelError", error.ptr());
  nb::exception<OptionError>(m, "OptionError", error.ptr());
  nb::exception<UsageError>(m, "UsageError", error.ptr());
  nb::exception<DivergenceError>(m, "DivergenceError", error.ptr());
  nb::exception<FileError>(m, "FileError", error.ptr());

  name_data_that_are_lost();
  add_expressions(m);
  add_models(m);
  add_pickled_models(m);
  add_posteriors(m);
  add_settings(m);
  add_runs(m);
  add_run_folders(m);
  add_modes(m);
  add_chains(m);
  add_topics(m);
  add_factors(m);
  add_pack(m);
  add_command(m);
  m.attr("version") = SGMCMC_VERSION;
}
