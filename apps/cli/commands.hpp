// The commands of the program: each takes its options and returns the exit status.
#pragma once

#include "service/ranks/rank_job.hpp"
#include "settings/values.hpp"

#include <string>
#include <vector>

namespace sgmcmc::cli {

int run_sample(const OptionValues& values, RankJob* ranks);
int run_resume(const OptionValues& values, RankJob* ranks);
int run_optimize(const OptionValues& values);
int run_log_density(const OptionValues& values);
int run_check(const OptionValues& values);
int run_summary(const OptionValues& values);
int run_compare(const OptionValues& values);
int run_calibrate(const OptionValues& values);
int run_diagnose(const OptionValues& values);
int run_lda(const OptionValues& values, RankJob* ranks);
int run_dpmix(const OptionValues& values);
int run_factorize(const OptionValues& values, RankJob* ranks);
int run_combine(const OptionValues& values);
int run_report(const OptionValues& values);
int run_plot(const OptionValues& values);
int run_data(const OptionValues& values);
int run_pack(const OptionValues& values);

/// Runs the program with the given arguments. Prints, catches every error, returns the exit status.
int run_program(const std::vector<std::string>& words);

}  // namespace sgmcmc::cli
