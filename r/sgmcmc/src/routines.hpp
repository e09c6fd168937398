// What R calls, by the names of .Call.
#pragma once

#include "r_values.hpp"

namespace sgmcmc::r {

SEXP stan_model(SEXP source, SEXP is_code, SEXP include);
SEXP stan_start(SEXP model, SEXP variables, SEXP files, SEXP rows, SEXP precision, SEXP settings, SEXP initial);
SEXP run_wait(SEXP run, SEXP seconds);
SEXP run_abort(SEXP run);
SEXP run_result(SEXP run);
SEXP run_diagnose(SEXP run, SEXP settings);
SEXP settings_table();

}  // namespace sgmcmc::r
