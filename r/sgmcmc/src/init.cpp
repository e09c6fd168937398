// Registers the routines that R calls.
#include "routines.hpp"

#include "service/lost_data.hpp"

#include <R_ext/Rdynload.h>

namespace {

#define SGMCMC_ROUTINE(name, arguments) \
  { #name, reinterpret_cast < DL_FUNC>(&sgmcmc::r::name), arguments }

const R_CallMethodDef routines[] = {
    SGMCMC_ROUTINE(stan_model, 3),     SGMCMC_ROUTINE(stan_start, 7),      SGMCMC_ROUTINE(run_wait, 2),
    SGMCMC_ROUTINE(run_abort, 1),      SGMCMC_ROUTINE(run_result, 1),      SGMCMC_ROUTINE(run_diagnose, 2),
    SGMCMC_ROUTINE(run_log_lik, 2),    SGMCMC_ROUTINE(settings_table, 0),  SGMCMC_ROUTINE(traced_model, 6),
    SGMCMC_ROUTINE(traced_value, 4),   SGMCMC_ROUTINE(optimise_start, 6),  SGMCMC_ROUTINE(optimise_wait, 2),
    SGMCMC_ROUTINE(optimise_abort, 1), SGMCMC_ROUTINE(optimise_result, 1), SGMCMC_ROUTINE(chain_start, 9),
    SGMCMC_ROUTINE(chain_keep, 2),     SGMCMC_ROUTINE(chain_run, 3),       SGMCMC_ROUTINE(chain_position, 1),
    SGMCMC_ROUTINE(chain_estimate, 3), SGMCMC_ROUTINE(chain_warning, 1),   SGMCMC_ROUTINE(chain_draws, 2),
    SGMCMC_ROUTINE(run_report, 4),     SGMCMC_ROUTINE(folder_report, 3),   SGMCMC_ROUTINE(data_missing, 2),
    SGMCMC_ROUTINE(data_accept, 3),    SGMCMC_ROUTINE(data_read, 2),       {nullptr, nullptr, 0},
};

}  // namespace

extern "C" void R_init_sgmcmc(DllInfo* info) {
  sgmcmc::name_data_that_are_lost();
  R_registerRoutines(info, nullptr, routines, nullptr, nullptr);
  R_useDynamicSymbols(info, FALSE);
  R_forceSymbols(info, TRUE);
}
