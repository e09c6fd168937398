// The error of a method relative to a reference posterior, and its time: logistic regression with Laplace priors on all
// rows of the forest cover data.
//
//     covertype_posterior [FILE REFERENCE] [--method NAME] [--step-size NUMBER] [--batch-size COUNT] [--iterations
//     COUNT]
//                         [--chains COUNT] [--threads COUNT] [--seed COUNT] [--precondition WORD] [--even-rows]
//
// FILE: covtype.binary.csv, a label of 0 or 1, then 54 whole numbers, no header. REFERENCE: JSON with "mean", "sd" and
// "covariance" of the 55 coefficients, the intercept last, of columns scaled to [0, 1]. Without them, rows are
// simulated, and the reference is a run of nuts.
#include <sgmcmc/sgmcmc.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

constexpr std::size_t features = 54, columns = features + 1;

struct Rows {
  std::vector<double> x;
  std::vector<std::int32_t> y;
};

Rows read_rows(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  Rows rows;
  std::string line;
  while (std::getline(file, line)) {
    const char* next = line.c_str();
    char* end = nullptr;
    for (std::size_t j = 0; j <= features; ++j, next = end + 1) {
      const long value = std::strtol(next, &end, 10);
      if (end == next) throw std::runtime_error(path + ": a label and 54 whole numbers are expected in every line");
      if (j == 0)
        rows.y.push_back(static_cast<std::int32_t>(value));
      else
        rows.x.push_back(static_cast<double>(value));
    }
    rows.x.push_back(1.0);
  }
  return rows;
}

/// Ten measurements, one of 4 areas and one of 40 soils, the later ones rare.
Rows made_up_rows(std::size_t count) {
  Rows rows;
  std::vector<double> uniform(13);
  for (std::size_t i = 0; i < count; ++i) {
    fill_uniform({1, 0, i, Purpose::data}, uniform);
    std::vector<double> x(columns, 0.0);
    x.back() = 1.0;
    for (std::size_t j = 0; j < 10; ++j) x[j] = std::round(200.0 * uniform[j]);
    x[10 + static_cast<std::size_t>(4.0 * uniform[10])] = 1.0;
    x[14 + static_cast<std::size_t>(40.0 * std::pow(uniform[11], 3.0))] = 1.0;
    double eta = -1.0;
    for (std::size_t j = 0; j < features; ++j)
      eta += std::sin(1.7 * static_cast<double>(j) + 0.5) * (j < 10 ? x[j] / 100.0 : x[j]);
    rows.y.push_back(uniform[12] < 1.0 / (1.0 + std::exp(-eta)) ? 1 : 0);
    rows.x.insert(rows.x.end(), x.begin(), x.end());
  }
  return rows;
}

void scale(Rows& rows) {
  for (std::size_t j = 0; j < features; ++j) {
    double least = rows.x[j], most = rows.x[j];
    for (std::size_t i = j; i < rows.x.size(); i += columns) {
      least = std::min(least, rows.x[i]);
      most = std::max(most, rows.x[i]);
    }
    const double factor = most > least ? 1.0 / (most - least) : 1.0;
    for (std::size_t i = j; i < rows.x.size(); i += columns) rows.x[i] = (rows.x[i] - least) * factor;
  }
}

struct Posterior {
  std::vector<double> mean, covariance;
  double sd(std::size_t j) const { return std::sqrt(covariance[j * columns + j]); }
};

Posterior read_reference(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto numbers = [&](const std::string& name, std::size_t count) {
    std::size_t at = text.find('"' + name + '"');
    if (at == std::string::npos) throw std::runtime_error(path + " has no \"" + name + "\"");
    at = text.find('[', at);
    std::vector<double> values;
    while (values.size() < count) {
      at = text.find_first_of("-0123456789", at);
      if (at == std::string::npos) throw std::runtime_error(path + ": \"" + name + "\" is too short");
      char* end = nullptr;
      values.push_back(std::strtod(text.c_str() + at, &end));
      at = static_cast<std::size_t>(end - text.c_str());
    }
    return values;
  };
  return {numbers("mean", columns), numbers("covariance", columns * columns)};
}

Posterior moments_of(const MemoryDraws& draws) {
  Posterior found{std::vector<double>(columns), std::vector<double>(columns * columns)};
  std::vector<double> value(columns);
  double total = 0;
  for (const bool second : {false, true}) {
    for (std::size_t chain = 0; chain < draws.chains(); ++chain)
      for (std::size_t i = 0; i < draws.draws(chain); ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          value[j] = draws(chain, i, j) - (second ? found.mean[j] : 0.0);
          if (!second) found.mean[j] += value[j];
        }
        if (!second) total += 1;
        for (std::size_t j = 0; second && j < columns; ++j)
          for (std::size_t k = 0; k < columns; ++k) found.covariance[j * columns + k] += value[j] * value[k] / total;
      }
    if (!second)
      for (double& m : found.mean) m /= total;
  }
  return found;
}

void compare(const Posterior& found, const Posterior& reference) {
  double difference = 0, size = 0, worst_mean = 0, least = 1e300, most = 0;
  for (std::size_t k = 0; k < columns * columns; ++k) {
    difference += std::abs(found.covariance[k] - reference.covariance[k]);
    size += std::abs(reference.covariance[k]);
  }
  for (std::size_t j = 0; j < columns; ++j) {
    worst_mean = std::max(worst_mean, std::abs(found.mean[j] - reference.mean[j]) / reference.sd(j));
    least = std::min(least, found.sd(j) / reference.sd(j));
    most = std::max(most, found.sd(j) / reference.sd(j));
  }
  std::printf("E2 %.4f, worst mean %.3f sd off, sds %.3f to %.3f of the reference's\n", difference / size, worst_mean,
              least, most);
}

}  // namespace

int main(int count, char** words) try {
  SampleOptions options;
  std::string method = "sglm-cv", file, reference_file;
  bool even_rows = false;
  options.iterations = 40'000;
  std::vector<std::pair<std::string, std::string>> given;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    if (word == "--even-rows")
      even_rows = true;
    else if (word.starts_with("--") && k + 1 < count)
      given.emplace_back(word, words[++k]);
    else
      (file.empty() ? file : reference_file) = word;
  }
  for (const auto& [name, value] : given)
    if (name == "--method") method = value;
  options.method(method);
  for (const auto& [name, value] : given) {
    if (name == "--step-size") options.step_size(std::stod(value));
    if (name == "--batch-size") options.gradient.minibatch.batch_size = std::stol(value);
    if (name == "--iterations") options.iterations = std::stoul(value);
    if (name == "--warmup") options.warmup = std::stoul(value);
    if (name == "--chains") options.chains = static_cast<std::uint32_t>(std::stoul(value));
    if (name == "--threads") options.threads = std::stoi(value);
    if (name == "--seed") options.seed = std::stoul(value);
    if (name == "--precondition") options.precondition = precondition_by_name(value);
  }
  if (even_rows) options.gradient.minibatch.sampling = RowSampling::without_replacement;
  if (file.empty()) options.iterations = std::min<std::uint64_t>(options.iterations, 5'000);

  Rows rows = file.empty() ? made_up_rows(3'000) : read_rows(file);
  scale(rows);
  Model model(Dataset::Builder()
                  .real("x", std::move(rows.x), {static_cast<std::int64_t>(columns)})
                  .integer("y", std::move(rows.y))
                  .build());
  const auto beta = model.parameter("beta", {static_cast<std::int64_t>(columns)});
  model.prior(laplace_lpdf(beta, 0, 1));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));

  Posterior reference;
  if (reference_file.empty()) {
    SampleOptions exact;
    exact.method("nuts");
    exact.warmup = exact.iterations = 300;
    reference = moments_of(sample(model, exact).draws);
  } else {
    reference = read_reference(reference_file);
  }
  const auto result = sample(model, options);
  const auto& setup = result.setup;
  if (result.mode_report) std::printf("mode: %s\n", result.mode_report->describe().c_str());
  std::printf("%s: mode %.2f s, curvature %.2f s, row probabilities %.2f s, sampling %.2f s, in all %.2f s\n",
              method.c_str(), setup.mode, setup.curvature, setup.row_probabilities,
              result.seconds - setup.mode - setup.curvature - setup.row_probabilities, result.seconds);
  compare(moments_of(result.draws), reference);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
