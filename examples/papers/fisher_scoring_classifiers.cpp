// Fisher scoring as an optimiser and sampler of classifiers (Ahn, Korattikara and Welling 2012, sections 5.2.2
// and 5.3): a network on 20 random projections of the MNIST digits, and a discriminative restricted Boltzmann machine
// on KDD99; sgfs-full, sgfs-diagonal, sgld and sgd, each for the same time on one core, the predictions averaged over
// the draws.
//
//     fisher_scoring_classifiers [FOLDER] [--out FOLDER] [--quick]
//
// FOLDER has MNIST's four idx files and kddcup.data_10_percent, unpacked. Without it made-up rows are used.
#include "arguments.hpp"
#include "page.hpp"

#include <sgmcmc/chain.hpp>
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/figure.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/sample.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Rows {
  std::size_t columns = 0, classes = 0;
  std::vector<double> x;
  std::vector<std::int32_t> y;
  std::size_t count() const { return y.size(); }
};

std::vector<unsigned char> bytes_of(const std::filesystem::path& path, std::size_t header) {
  std::ifstream file(path, std::ios::binary);
  std::vector<unsigned char> bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.size() <= header) {
    std::fprintf(stderr, "%s cannot be read; unpack the data there\n", path.c_str());
    std::exit(1);
  }
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header));
  return bytes;
}

/// Pixels in [0, 1] times normals of variance 1 / 28.
Rows digits_of(const std::filesystem::path& folder, const std::string& prefix) {
  constexpr std::size_t pixels = 784, projections = 20;
  const auto images = bytes_of(folder / (prefix + "-images-idx3-ubyte"), 16),
             labels = bytes_of(folder / (prefix + "-labels-idx1-ubyte"), 8);
  std::vector<double> matrix(pixels * projections);
  fill_normal({1, 0, 0, Purpose::data}, matrix);
  Rows rows{projections, 10, {}, {}};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::vector<double> x(projections);
    for (std::size_t p = 0; p < pixels; ++p)
      if (const double ink = images[i * pixels + p] / 255.0 / std::sqrt(28.0); ink > 0)
        for (std::size_t j = 0; j < projections; ++j) x[j] += ink * matrix[p * projections + j];
    rows.x.insert(rows.x.end(), x.begin(), x.end());
    rows.y.push_back(labels[i]);
  }
  return rows;
}

/// The numbers of a line as they are, or their logarithms; names of protocols, services and flags as numbers. 40
/// features: the constant column num_outbound_cmds is left out. Scaled to mean 0 and sd 1; classes by their frequency.
Rows connections(const std::filesystem::path& path, std::size_t most) {
  std::ifstream file(path);
  if (!file) {
    std::fprintf(stderr, "%s cannot be read; unpack it there\n", path.c_str());
    std::exit(1);
  }
  Rows rows;
  std::map<std::string, double> names;
  std::map<std::string, std::int32_t> labels;
  std::string line, word;
  while (std::getline(file, line) && rows.count() < most) {
    std::istringstream words(line);
    std::vector<std::string> cells;
    while (std::getline(words, word, ',')) cells.push_back(word);
    if (cells.size() != 42) continue;
    for (std::size_t k = 0; k < 41; ++k) {
      if (k == 19) continue;
      char* end = nullptr;
      const double value = std::strtod(cells[k].c_str(), &end);
      rows.x.push_back(*end ? names.emplace(cells[k], static_cast<double>(names.size())).first->second
                            : std::log1p(value));
    }
    rows.y.push_back(labels.emplace(cells[41], static_cast<std::int32_t>(labels.size())).first->second);
  }
  rows.columns = 40;
  rows.classes = labels.size();
  for (std::size_t j = 0; j < rows.columns; ++j) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < rows.count(); ++i)
      mean += rows.x[i * rows.columns + j] / static_cast<double>(rows.count());
    for (std::size_t i = 0; i < rows.count(); ++i)
      square += std::pow(rows.x[i * rows.columns + j] - mean, 2) / static_cast<double>(rows.count());
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (std::size_t i = 0; i < rows.count(); ++i)
      rows.x[i * rows.columns + j] = std::clamp((rows.x[i * rows.columns + j] - mean) * scale, -5.0, 5.0);
  }
  return rows;
}

/// Classes around fixed centres.
Rows made_up(std::size_t count, std::size_t columns, std::size_t classes, double spread, std::uint64_t seed) {
  Rows rows{columns, classes, std::vector<double>(count * columns), std::vector<std::int32_t>(count)};
  std::vector<double> centres(columns * classes);
  fill_normal({9, 0, 0, Purpose::data}, centres);
  fill_normal({seed, 0, 0, Purpose::data}, rows.x);
  for (std::size_t i = 0; i < count; ++i) {
    rows.y[i] = static_cast<std::int32_t>(i % classes);
    for (std::size_t j = 0; j < columns; ++j)
      rows.x[i * columns + j] = spread * rows.x[i * columns + j] + centres[(i % classes) * columns + j];
  }
  return rows;
}

/// Every tenth of the rows is tested.
std::pair<Rows, Rows> split(const Rows& all) {
  std::pair<Rows, Rows> parts{{all.columns, all.classes, {}, {}}, {all.columns, all.classes, {}, {}}};
  for (std::size_t i = 0; i < all.count(); ++i) {
    Rows& part = i % 10 == 0 ? parts.second : parts.first;
    part.x.insert(part.x.end(), all.x.begin() + static_cast<std::ptrdiff_t>(i * all.columns),
                  all.x.begin() + static_cast<std::ptrdiff_t>((i + 1) * all.columns));
    part.y.push_back(all.y[i]);
  }
  return parts;
}

struct Problem {
  std::string name;
  Rows train, test;
  std::size_t hidden;
  Model model;
  std::int64_t batch;
  bool boltzmann;
  double sgld_step, alpha;
};

Expression logits_of(Model& model, const Rows& rows, std::size_t hidden, bool boltzmann, double sd) {
  const auto H = static_cast<std::int64_t>(hidden), K = static_cast<std::int64_t>(rows.columns),
             C = static_cast<std::int64_t>(rows.classes);
  const auto W = model.parameter("W", {H, K}), b = model.parameter("b", {H}), U = model.parameter("U", {C, H}),
             a = model.parameter("a", {C});
  for (const auto& weights : {W, b, U, a}) model.prior(normal_lpdf(weights, 0, sd));
  const auto inner = matmul(W, model.row("x")) + b;
  // The machine: p(y | x) is proportional to exp(a_y + sum_j log(1 + exp(b_j + U_yj + W_j x))) (Larochelle and Bengio
  // 2008).
  return boltzmann ? a + sum(log1p_exp(U + inner), 1) : matmul(U, logistic(inner)) + a;
}

Problem problem_of(std::string name, Rows train, Rows test, std::size_t hidden, bool boltzmann, std::int64_t batch,
                   double prior_precision, double sgld_step, double alpha) {
  Model model(
      Dataset::Builder().real("x", train.x, {static_cast<std::int64_t>(train.columns)}).integer("y", train.y).build());
  const auto logits = logits_of(model, train, hidden, boltzmann, 1 / std::sqrt(prior_precision));
  model.likelihood(categorical_logit_lpmf(model.row("y"), logits));
  return {std::move(name), std::move(train), std::move(test), hidden, model, batch, boltzmann, sgld_step, alpha};
}

/// Adds the probabilities of the classes of each test row.
void add_predictions(const Problem& problem, std::span<const double> theta, std::vector<double>& sums) {
  const Rows& rows = problem.test;
  const std::size_t H = problem.hidden, K = rows.columns, C = rows.classes;
  const double *W = theta.data(), *b = W + H * K, *U = b + H, *a = U + C * H;
  std::vector<double> inner(H), logits(C);
  for (std::size_t i = 0; i < rows.count(); ++i) {
    for (std::size_t h = 0; h < H; ++h) {
      inner[h] = b[h];
      for (std::size_t k = 0; k < K; ++k) inner[h] += W[h * K + k] * rows.x[i * K + k];
      if (!problem.boltzmann) inner[h] = 1 / (1 + std::exp(-inner[h]));
    }
    double most = -std::numeric_limits<double>::infinity(), total = 0;
    for (std::size_t c = 0; c < C; ++c) {
      logits[c] = a[c];
      for (std::size_t h = 0; h < H; ++h) {
        const double z = problem.boltzmann ? inner[h] + U[c * H + h] : U[c * H + h] * inner[h];
        logits[c] += !problem.boltzmann ? z : z > 30 ? z : std::log1p(std::exp(z));
      }
      most = std::max(most, logits[c]);
    }
    for (double& logit : logits) total += logit = std::exp(logit - most);
    for (std::size_t c = 0; c < C; ++c) sums[i * C + c] += logits[c] / total;
  }
}

double error_rate(const Rows& rows, const std::vector<double>& sums) {
  double wrong = 0;
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(i * rows.classes);
    wrong += std::max_element(begin, begin + static_cast<std::ptrdiff_t>(rows.classes)) - begin != rows.y[i];
  }
  return wrong / static_cast<double>(rows.count());
}

struct Course {
  std::vector<figure::Point> averaged;  // error against seconds
  double last = 1, single = 1;          // of the average, and of the last draw
  std::uint64_t iterations = 0;
  std::string end;  // why it ended early
};

Course run(const Problem& problem, const std::string& method, double seconds) {
  SampleOptions options;
  options.method(method);
  options.gradient.minibatch.batch_size = problem.batch;
  options.seed = 3;
  options.initial_radius = 0.3;
  options.zero_variance = ZeroVarianceForm::none;
  if (auto* sgld = std::get_if<SgldOptions>(&options.sampler)) {
    sgld->step_size = StepSize(problem.sgld_step);
    sgld->schedule = Schedule::decay(1000, 0.9);
  }
  if (auto* full = std::get_if<SgfsFullOptions>(&options.sampler)) full->alpha = problem.alpha;
  if (auto* diagonal = std::get_if<SgfsDiagonalOptions>(&options.sampler)) diagonal->alpha = problem.alpha;
  Course course;
  std::vector<double> sums(problem.test.count() * problem.test.classes), single(sums.size());
  try {
    Chain chain(problem.model, options);
    double used = 0, next = seconds / 40;
    std::size_t looks = 0;
    while (used < seconds) {
      const double start = cpu_seconds();
      chain.step();
      used += cpu_seconds() - start;
      if (used < next) continue;
      next += seconds / 40;
      if (++looks == 10) std::fill(sums.begin(), sums.end(), 0.0);  // the first quarter is burn-in
      add_predictions(problem, chain.position(), sums);
      std::fill(single.begin(), single.end(), 0.0);
      add_predictions(problem, chain.position(), single);
      course.averaged.push_back({used, error_rate(problem.test, sums)});
      course.last = course.averaged.back().y;
      course.single = error_rate(problem.test, single);
      course.iterations = chain.iteration();
    }
  } catch (const DivergenceError& error) {
    course.end = "diverged";
  }
  return course;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words, "fisher_scoring_classifiers", true);
  const bool real = !arguments.data.empty();
  const std::filesystem::path folder = arguments.data;
  const double seconds = arguments.quick ? 1 : 60;
  std::vector<Problem> problems;
  problems.push_back(problem_of(
      "network on digits", real ? digits_of(folder, "train") : made_up(arguments.quick ? 3000 : 20000, 20, 10, 2, 1),
      real ? digits_of(folder, "t10k") : made_up(1000, 20, 10, 2, 2), arguments.quick ? 10 : 30, false,
      arguments.quick ? 500 : 2000, 0.001, 1e-4, 2));
  auto [train, test] = split(real ? connections(folder / "kddcup.data_10_percent", 500000)
                                  : made_up(arguments.quick ? 4000 : 50000, 40, 8, 3, 3));
  problems.push_back(problem_of("Boltzmann machine on connections", std::move(train), std::move(test),
                                arguments.quick ? 4 : 10, true, 500, 10, 2e-5, 6));
  const std::vector<std::string> methods = {"sgld", "sgfs-diagonal", "sgfs-full"};
  std::vector<figure::Panel> panels;
  std::vector<std::vector<std::string>> lines;
  std::vector<std::map<std::string, Course>> found;
  for (const auto& problem : problems) {
    figure::Panel panel(problem.name, {"seconds"}, {"test error", figure::Scale::logarithmic});
    auto& own = found.emplace_back();
    for (const auto& method : methods) {
      const Course course = own[method] = run(problem, method, seconds);
      panel.line(method, course.averaged);
      std::printf("%s, %lld parameters: %s: test error %.5f averaged, %.5f of the last draw, %llu iterations %s\n",
                  problem.name.c_str(), static_cast<long long>(problem.model.dimension()), method.c_str(), course.last,
                  course.single, static_cast<unsigned long long>(course.iterations), course.end.c_str());
      std::fflush(stdout);
      lines.push_back({problem.name, method, std::to_string(course.iterations),
                       course.end.empty() ? digits(100 * course.last, 3) : course.end, digits(100 * course.single, 3)});
    }
    panels.push_back(panel);
  }
  figure::write_svg(arguments.out / "fisher-scoring-classifiers.svg", panels, 2);
  Page page(arguments.out, "fisher-scoring-classifiers", "Fisher scoring: classifiers");
  page.text("Ahn, Korattikara and Welling (2012), sections 5.2.2 and 5.3. A network with " +
            std::to_string(problems[0].hidden) + " hidden units on 20 random projections of " +
            std::string(real ? "the MNIST digits" : "made-up rows") + " (" + std::to_string(problems[0].train.count()) +
            " rows, minibatches of " + std::to_string(problems[0].batch) +
            "), and a discriminative restricted Boltzmann machine with " + std::to_string(problems[1].hidden) +
            " hidden units on " + std::string(real ? "the 10 % sample of KDD99" : "made-up rows") + " (" +
            std::to_string(problems[1].train.count()) +
            " rows), whose likelihood is an expression of one row: a_y + Σ_j log(1 + exp(b_j + U_yj + W_j x)), "
            "normalised over the classes y. Each method runs " +
            digits(seconds) +
            " s on one core; predictions are averaged over draws after a quarter. "
            "`examples/papers/fisher_scoring_classifiers.cpp` "
            "(`FOLDER --out DIR`) writes this page.");
  page.text(
      "**Differences from the paper.** It ran 100,000 iterations with 41 hidden units on 4.9 million connections, and "
      "picked settings by "
      "validation; here all methods have the same time, α is 2 and 6, and steps of `sgld` fall from 1e-4 and 2e-5 like "
      "(1 + t/1000)^-0.9.");
  page.figure("Test error against seconds", "fisher-scoring-classifiers.svg");
  page.table({"problem", "method", "iterations", "test error in %, averaged", "last draw"}, lines);
  const auto numbers = [&](std::size_t k) {
    std::string text;
    for (const auto& method : methods)
      text += (text.empty() ? "" : ", ") + method + " " + digits(100 * found[k][method].last, 3) + " %";
    return text;
  };
  const auto last = [&](std::size_t k, const char* method) {
    return found[k][method].end.empty() ? found[k][method].last : 1.0;
  };
  page.finding("network: Fisher scoring has the lower test error", numbers(0),
               std::min(last(0, "sgfs-full"), last(0, "sgfs-diagonal")) <= last(0, "sgld"));
  page.finding("machine: test error of SGFS-d and SGFS-f (4.2e-4, 4.4e-4) below that of SGLD (6.6e-4)", numbers(1),
               std::max(last(1, "sgfs-full"), last(1, "sgfs-diagonal")) <= last(1, "sgld"));
  page.write();
  return 0;
}
