// Varying intercepts: each row belongs to one of 200 groups, whose effects are gathered by the row's group number.
#include <sgmcmc/sgmcmc.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace sgmcmc;

int main() try {
  const int rows = 50'000, groups = 200;
  std::vector<double> x(rows), noise(rows), effects(groups), uniform(rows), y(rows);
  std::vector<int> group(rows);
  fill_normal({.seed = 1, .purpose = Purpose::data}, x);
  fill_normal({.seed = 2, .purpose = Purpose::data}, noise);
  fill_normal({.seed = 3, .purpose = Purpose::data}, effects);
  fill_uniform({.seed = 4, .purpose = Purpose::data}, uniform);
  for (int i = 0; i < rows; ++i) {
    group[i] = static_cast<int>(uniform[i] * groups);
    y[i] = 1.0 + 0.7 * effects[group[i]] + 0.5 * x[i] + 0.8 * noise[i];
  }

  Model model(Dataset::Builder().real("x", x).real("y", y).integer("group", group).build());
  auto intercept = model.parameter("intercept");
  auto slope = model.parameter("slope");
  auto scale = model.parameter("scale", {}, Constraint::lower(0));  // of the group effects
  auto sd = model.parameter("sd", {}, Constraint::lower(0));        // of the rows
  auto effect = model.parameter("effect", {groups});
  model.prior(normal_lpdf(intercept, 0, 5) + normal_lpdf(slope, 0, 5));
  model.prior(normal_lpdf(scale, 0, 1) + normal_lpdf(sd, 0, 1));
  model.prior(normal_lpdf(effect, 0, scale));
  auto fitted = intercept + gather(effect, model.row("group")) + slope * model.row("x");
  model.likelihood(normal_lpdf(model.row("y"), fitted, sd));

  SampleOptions options;
  // All rows inform the slope and the standard deviation, but only 250 a group's effect: step sizes differ accordingly.
  options.method("sghmc-svrg").step_size(model, {{"effect", 1e-4}, {"intercept", 1e-5}, {"scale", 1e-4}}, 1e-6);
  options.gradient.minibatch.batch_size = 1000;
  options.iterations = 5'000;
  options.warmup = 1'000;
  options.initial = {{"scale", {1.0}}, {"sd", {1.0}}};
  SampleResult result = sample(model, options);
  double error = 0;
  for (int g = 0; g < groups; ++g) {
    const double found = result.mean("effect[" + std::to_string(g + 1) + "]");
    error += (found + result.mean("intercept") - 1.0 - 0.7 * effects[g]) *
             (found + result.mean("intercept") - 1.0 - 0.7 * effects[g]);
  }
  std::printf("%struth: slope 0.5, scale 0.7, sd 0.8\n", result.table(4).c_str());
  std::printf("root mean squared error of the %d group means: %.3f\n", groups, std::sqrt(error / groups));
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
