// The benchmarks, by name.
#pragma once

#include "results.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sgmcmc::bench {

struct Effort {
  int rounds = 240;  ///< rounds per contender
};

struct Benchmark {
  std::string name;
  std::function<void(Results&, const Effort&)> run;
};

/// In the order they are run.
std::vector<Benchmark> benchmarks();

/// The library's step of a benchmark, for timing it beside other programs; empty when the name has none.
std::function<void()> step_of(const std::string& name);

void run_logistic_double(Results& results, const Effort& effort);
void run_logistic_float(Results& results, const Effort& effort);
void run_network(Results& results, const Effort& effort);
void run_full_gradient(Results& results, const Effort& effort);
void run_nuts(Results& results, const Effort& effort);
void run_first_step(Results& results, const Effort& effort);
void run_row_count(Results& results, const Effort& effort);
void run_stan_logistic(Results& results, const Effort& effort);
void run_traced_logistic(Results& results, const Effort& effort);
void run_csv(Results& results, const Effort& effort);
void run_stein(Results& results, const Effort& effort);
void run_preconditioned(Results& results, const Effort& effort);
void run_lda(Results& results, const Effort& effort);
void run_factors(Results& results, const Effort& effort);
void run_disk(Results& results, const Effort& effort);

}  // namespace sgmcmc::bench
