// Logistic regression with a Laplace prior by sgld with control variates, on simulated data whose coefficients are
// known.
#include <sgmcmc/sgmcmc.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace sgmcmc;

int main() try {
  // 100,000 rows of 9 standard normal features and an intercept; labels from known coefficients.
  const int rows = 100'000, columns = 10;
  const std::vector<double> truth{1.0, -0.5, 0.25, 0.0, 2.0, -1.0, 0.1, 0.0, 0.75, -0.3};
  std::vector<double> x(rows * columns), uniform(rows);
  std::vector<int> y(rows);
  fill_normal({.seed = 1, .purpose = Purpose::data}, x);
  fill_uniform({.seed = 2, .purpose = Purpose::data}, uniform);
  for (int i = 0; i < rows; ++i) {
    x[i * columns + columns - 1] = 1.0;
    double eta = 0;
    for (int j = 0; j < columns; ++j) eta += x[i * columns + j] * truth[j];
    y[i] = uniform[i] < 1 / (1 + std::exp(-eta));
  }

  Model model(Dataset::Builder().real("x", x, {columns}).integer("y", y).build());
  auto beta = model.parameter("beta", {columns});
  model.prior(laplace_lpdf(beta, 0, 1));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));

  SampleOptions options;
  options.method("sgld-cv").step_size(5e-5);
  options.gradient.minibatch.batch_size = 500;
  options.iterations = 20'000;
  options.chains = 2;
  SampleResult result = sample(model, options);

  std::printf("%-10s %10s %10s %10s %8s\n", "parameter", "truth", "mean", "sd", "z");
  for (int j = 0; j < columns; ++j) {
    const std::string name = "beta[" + std::to_string(j + 1) + "]";
    const double mean = result.mean(name), sd = result.standard_deviation(name);
    std::printf("%-10s %10.4f %10.4f %10.4f %8.2f\n", name.c_str(), truth[j], mean, sd, (mean - truth[j]) / sd);
  }
  std::printf("%d rows, 2 chains of %d iterations with minibatches of 500: %.2f s\n", rows,
              static_cast<int>(options.iterations), result.seconds);
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
