// The parts of the module: each adds its classes and functions.
#pragma once

#include <nanobind/nanobind.h>

namespace sgmcmc::python {

void add_expressions(nanobind::module_& m);
void add_models(nanobind::module_& m);
void add_pickled_models(nanobind::module_& m);
void add_posteriors(nanobind::module_& m);
void add_settings(nanobind::module_& m);
void add_runs(nanobind::module_& m);
void add_run_folders(nanobind::module_& m);
void add_modes(nanobind::module_& m);
void add_chains(nanobind::module_& m);
void add_topics(nanobind::module_& m);
void add_factors(nanobind::module_& m);
void add_pack(nanobind::module_& m);
void add_command(nanobind::module_& m);

}  // namespace sgmcmc::python
