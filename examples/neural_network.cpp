// The Bayesian neural network of Baker et al. (2019, section 6.3): 784-100-10 with softmax in both layers, normal
// priors whose precisions have gamma hyper-priors. The chain is too large to store, so it is stepped and monitored
// during the run.
//
// usage: neural_network [folder with MNIST's four idx files, unpacked] [iterations]; without data, digits are
// simulated.
#include <sgmcmc/sgmcmc.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

struct Digits {
  std::vector<float> pixels;  // 784 per digit, in [0, 1]
  std::vector<int> labels;
};

std::vector<unsigned char> read_idx(const std::string& path, std::size_t header) {
  std::ifstream file(path, std::ios::binary);
  std::vector<unsigned char> bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.size() <= header) {
    std::fprintf(stderr, "cannot read %s; unpack MNIST's idx files into that folder\n", path.c_str());
    std::exit(1);
  }
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header));
  return bytes;
}

Digits read_digits(const std::string& folder, const std::string& prefix) {
  Digits digits;
  for (auto byte : read_idx(folder + "/" + prefix + "-images-idx3-ubyte", 16))
    digits.pixels.push_back(static_cast<float>(byte) / 255);
  for (auto byte : read_idx(folder + "/" + prefix + "-labels-idx1-ubyte", 8)) digits.labels.push_back(byte);
  return digits;
}

/// Ten fixed blurry patterns with noise: as hard as telling ten shapes apart.
Digits make_digits(std::uint64_t seed, std::size_t count) {
  std::vector<double> pattern(10 * 784), noise(count * 784);
  fill_uniform({.seed = 99, .purpose = Purpose::data}, pattern);
  fill_normal({.seed = seed, .purpose = Purpose::data}, noise);
  Digits digits;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t label = i % 10;
    digits.labels.push_back(static_cast<int>(label));
    for (std::size_t k = 0; k < 784; ++k) {
      const double ink = pattern[label * 784 + k] > 0.8 ? 0.9 : 0.1;
      digits.pixels.push_back(static_cast<float>(std::fmin(std::fmax(ink + 0.3 * noise[i * 784 + k], 0), 1)));
    }
  }
  return digits;
}

Dataset pack(const Digits& digits) {
  return Dataset::Builder(Precision::float32).real("x", digits.pixels, {784}).integer("y", digits.labels).build();
}

}  // namespace

int main(int argument_count, char** arguments) try {
  const bool real = argument_count > 1;
  const Digits train = real ? read_digits(arguments[1], "train") : make_digits(1, 5'000);
  const Digits test = real ? read_digits(arguments[1], "t10k") : make_digits(2, 1'000);
  const int iterations = argument_count > 2 ? std::atoi(arguments[2]) : 300;

  Model model(pack(train));
  auto B = model.parameter("B", {100, 784}), b = model.parameter("b", {100});
  auto A = model.parameter("A", {10, 100}), a = model.parameter("a", {10});
  for (auto [name, weights] : {std::pair{"lambda_B", B}, {"lambda_b", b}, {"lambda_A", A}, {"lambda_a", a}}) {
    auto precision = model.parameter(name, {}, Constraint::lower(0));
    model.prior(gamma_lpdf(precision, 1, 1));
    model.prior(normal_lpdf(weights, 0, 1 / sqrt(precision)));
  }
  auto hidden = softmax(matmul(B, model.row("x")) + b);
  auto log_likelihood = categorical_logit_lpmf(model.row("y"), matmul(A, hidden) + a);
  model.likelihood(log_likelihood);

  SampleOptions options;
  // The posterior of the precisions is far narrower than that of single weights, so they need smaller steps.
  options.method("sgld").step_size(
      model, {{"lambda_B", 1e-6}, {"lambda_A", 1e-5}, {"lambda_b", 1e-4}, {"lambda_a", 1e-3}}, real ? 1e-4 : 1e-3);
  options.gradient.minibatch.batch_size = 500;
  options.gradient.precision = Precision::float32;
  options.initial_radius = 1.0;
  Chain chain(model, options);
  RowAverage log_loss(model, -log_likelihood, pack(test));
  double first = 0, last = 0;
  for (int i = 1; i <= iterations; ++i) {
    chain.step();
    if (i % (iterations / 10 > 0 ? iterations / 10 : 1) == 0) {
      last = log_loss.at(chain.position());
      if (first == 0) first = last;
      std::printf("iteration %5d   held-out log loss %.4f\n", i, last);
      std::fflush(stdout);
    }
  }
  return last <= first ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
