// The settings of sample(), for Python.
#include "module.hpp"
#include "service/given/given_settings.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace sgmcmc::python {
namespace {

nb::list described_settings() {
  nb::list all;
  for (const auto* option : settings_of_sample())
    all.append(nb::make_tuple(option->key(), option->default_text, option->help, option->choices));
  return all;
}

}  // namespace

void add_settings(nb::module_& m) { m.def("settings", &described_settings); }

}  // namespace sgmcmc::python
