// The routines that R calls through .Call.
#pragma once

#include "r_values.hpp"

namespace sgmcmc::r {

SEXP stan_model(SEXP source, SEXP is_code, SEXP include);
SEXP stan_start(SEXP model, SEXP variables, SEXP files, SEXP rows, SEXP precision, SEXP settings, SEXP initial);
SEXP run_wait(SEXP run, SEXP seconds);
SEXP run_abort(SEXP run);
SEXP run_result(SEXP run);
SEXP run_diagnose(SEXP run, SEXP settings);
SEXP run_log_lik(SEXP run, SEXP every);
SEXP settings_table();
SEXP run_report(SEXP run, SEXP folder, SEXP path, SEXP name);
SEXP folder_report(SEXP paths, SEXP out, SEXP diagnose);

SEXP data_missing(SEXP name, SEXP folder);
SEXP data_accept(SEXP name, SEXP file, SEXP partial);
SEXP data_read(SEXP name, SEXP folder);

SEXP traced_model(SEXP nodes, SEXP batch_rows, SEXP shapes, SEXP dataset, SEXP likelihood, SEXP prior);
SEXP traced_value(SEXP model, SEXP theta, SEXP rows, SEXP weight);
SEXP optimise_start(SEXP model, SEXP start, SEXP step_size, SEXP iterations, SEXP batch_rows, SEXP seed);
SEXP optimise_wait(SEXP search, SEXP seconds);
SEXP optimise_abort(SEXP search);
SEXP optimise_result(SEXP search);
SEXP chain_start(SEXP model, SEXP method, SEXP steps, SEXP friction, SEXP length, SEXP seed, SEXP batch_rows,
                 SEXP start, SEXP centre);
SEXP chain_keep(SEXP chain, SEXP iterations);
SEXP chain_run(SEXP chain, SEXP count, SEXP keep);
SEXP chain_position(SEXP chain);
SEXP chain_estimate(SEXP chain, SEXP batch_rows, SEXP weight);
SEXP chain_warning(SEXP chain);
SEXP chain_draws(SEXP chain, SEXP shapes);

}  // namespace sgmcmc::r
