// The program sgmcmc as a function: the package installs it as a command.
#include "module.hpp"

#include "cli/commands.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace sgmcmc::python {

void add_command(nb::module_& m) {
  m.def("run_program", &cli::run_program, nb::arg("words"), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace sgmcmc::python
