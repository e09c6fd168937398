// sgmcmc_bench: compares the engine with hand-written loops for the same models, data and random numbers, interleaved.
#include "benchmarks.hpp"
#include "timing.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>

namespace sgmcmc::bench {

std::vector<Benchmark> benchmarks() {
  return {{"sgld_logistic_double", run_logistic_double},
          {"sgld_logistic_float", run_logistic_float},
          {"network_float", run_network},
          {"full_gradient_bandwidth", run_full_gradient},
          {"nuts_gradient_speed", run_nuts},
          {"model_to_first_step_ms", run_first_step},
          {"step_1e7_over_1e4_rows", run_row_count},
          {"stan_over_cpp", run_stan_logistic},
          {"traced_over_cpp", run_traced_logistic},
          {"csv_mb_per_s_per_core", run_csv},
          {"stein_passes", run_stein},
          {"preconditioned_steps", run_preconditioned},
          {"lda_million_tokens_per_s_per_core", run_lda},
          {"factors", run_factors},
          {"step_from_disk", run_disk}};
}

namespace {

constexpr const char* usage =
    "sgmcmc_bench [--json FILE] [--only NAME]... [--rounds N]   time everything, or the named benchmarks\n"
    "sgmcmc_bench --serve NAME     for every line on standard input run about that many seconds of steps of the "
    "library\n"
    "                              and answer with microseconds per step\n";

int serve(const std::string& name) {
  const auto step = step_of(name);
  if (!step) {
    std::cerr << "no step is called '" << name << "'\n";
    return 2;
  }
  for (int i = 0; i < 10; ++i) step();
  std::cout << "ready" << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
    const double budget = std::strtod(line.c_str(), nullptr) * 1e6;
    double total = 0;
    int steps = 0;
    for (int block = 1; total < budget; steps += block) {
      total += microseconds_of([&] {
        for (int i = 0; i < block; ++i) step();
      });
      block = total < budget / 10 ? 2 * block : block;
    }
    std::cout << total / steps << std::endl;
  }
  return 0;
}

int run(int count, char** arguments) {
  std::string json_path;
  std::vector<std::string> only;
  Effort effort;
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    const char* value = i + 1 < count ? arguments[++i] : nullptr;
    if (option == "--json" && value) {
      json_path = value;
    } else if (option == "--only" && value) {
      only.emplace_back(value);
    } else if (option == "--rounds" && value && std::atoi(value) > 0) {
      effort.rounds = std::atoi(value);
    } else if (option == "--serve" && value) {
      return serve(value);
    } else {
      std::cerr << usage;
      return 2;
    }
  }
  Results results;
  bool any = false;
  for (const Benchmark& benchmark : benchmarks()) {
    if (!only.empty() && std::find(only.begin(), only.end(), benchmark.name) == only.end()) continue;
    any = true;
    std::cerr << "timing " << benchmark.name << " ...\n";
    benchmark.run(results, effort);
  }
  if (!any) {
    std::cerr << usage << "names:\n";
    for (const Benchmark& benchmark : benchmarks()) std::cerr << "  " << benchmark.name << "\n";
    return 2;
  }
  std::cout << results.table();
  if (!json_path.empty()) {
    std::ofstream file(json_path);
    file << results.json();
    if (!file.flush()) {
      std::cerr << "cannot write " << json_path << "\n";
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace sgmcmc::bench

int main(int count, char** arguments) {
  try {
    return sgmcmc::bench::run(count, arguments);
  } catch (const std::exception& error) {
    std::cerr << "sgmcmc_bench: " << error.what() << "\n";
    return 1;
  }
}
