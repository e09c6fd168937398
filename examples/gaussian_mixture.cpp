// A mixture of two Gaussians: the assignment of each row is summed out with log_sum_exp; the means are ordered so that
// the components keep their names.
#include <sgmcmc/sgmcmc.hpp>

#include <cstdio>
#include <vector>

using namespace sgmcmc;

int main() try {
  const int rows = 20'000;
  std::vector<double> x(rows), uniform(rows);
  fill_normal({.seed = 1, .purpose = Purpose::data}, x);
  fill_uniform({.seed = 2, .purpose = Purpose::data}, uniform);
  for (int i = 0; i < rows; ++i) x[i] = uniform[i] < 0.3 ? -1.0 + 0.5 * x[i] : 2.0 + 1.0 * x[i];

  Model model(Dataset::Builder().real("x", x).build());
  auto weight = model.parameter("weight", {2}, Constraint::simplex());
  auto mean = model.parameter("mean", {2}, Constraint::ordered());
  auto sd = model.parameter("sd", {2}, Constraint::lower(0));
  model.prior(normal_lpdf(mean, 0, 5));
  model.prior(normal_lpdf(sd, 0, 2));
  model.likelihood(log_sum_exp(log(weight) + normal_lpdf(model.row("x"), mean, sd)));

  SampleOptions options;
  options.method("sghmc-cv").step_size(1e-5);
  options.gradient.minibatch.batch_size = 200;
  options.iterations = 4'000;
  options.warmup = 500;
  options.initial = {{"mean", {-0.5, 1.0}}, {"sd", {1.0, 1.0}}, {"weight", {0.5, 0.5}}};
  options.functions.push_back({"separation", (mean[1] - mean[0]) / sqrt(sum(square(sd)))});
  std::printf("%struth: weights 0.3 0.7, means -1 2, sds 0.5 1\n", sample(model, options).table().c_str());
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
