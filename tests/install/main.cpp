// A project that uses the installed library: samples the mean of ten numbers.
#include <sgmcmc/sgmcmc.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  sgmcmc::Model model(sgmcmc::Dataset::Builder().real("x", x).build());
  const auto mean = model.parameter("mean");
  model.likelihood(sgmcmc::normal_lpdf(model.row("x"), mean, 1.0));

  sgmcmc::SampleOptions options;
  options.method("sgld-full").step_size(0.05);
  options.iterations = 10'000;
  options.warmup = 100;
  const auto result = sgmcmc::sample(model, options);

  // Exact: mean 5.5, variance 0.1 / (1 - 0.05 * 10 / 4); the step decorrelates by a quarter, so six standard errors of
  // the mean are below 0.06.
  std::printf("mean %.3f sd %.3f\n", result.mean("mean"), result.standard_deviation("mean"));
  const bool right = std::abs(result.mean("mean") - 5.5) < 0.06 &&
                     std::abs(result.standard_deviation("mean") - std::sqrt(0.1 / 0.875)) < 0.03;
  return right ? 0 : 1;
}
