// Synthetic data of the benchmarks, drawn from the models themselves.
#pragma once

#include <cstdint>
#include <vector>

namespace sgmcmc::bench {

struct LogisticProblem {
  std::int64_t rows = 0;
  int features = 0;
  std::vector<double> x;  ///< row-major
  std::vector<std::int32_t> y;
  std::vector<double> truth;
};

struct NetworkProblem {
  std::int64_t rows = 0;
  std::vector<float> x;  ///< row-major, 784 numbers in [0, 1] per row
  std::vector<std::int32_t> y;
  std::vector<double> start;  ///< where chains start: B (100 x 784), b, A (10 x 100), a, logarithms of their precisions
};

inline constexpr std::int64_t covertype_rows = 581012;
inline constexpr int covertype_features = 54;
inline constexpr std::int64_t network_rows = 60'000;
inline constexpr double network_step_size = 1e-7;
inline constexpr std::uint64_t data_seed = 20240917;

LogisticProblem make_logistic_problem(std::int64_t rows, int features);
NetworkProblem make_network_problem(std::int64_t rows);

}  // namespace sgmcmc::bench
