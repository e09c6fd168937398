// Fisher scoring as an optimiser and sampler of classifiers (Ahn, Korattikara and Welling 2012, sections 5.2.2
// and 5.3): a network on 20 random projections of the MNIST digits, and a discriminative restricted Boltzmann machine
// on KDD99; sgfs-full, sgfs-diagonal, sgld and sgd, each for the same time on one core, with settings that were chosen
// on validation rows, and predictions that are averaged over the draws.
//
//     fisher_scoring_classifiers [FOLDER] [--out FOLDER] [--quick]
//
// FOLDER has MNIST's four idx files and kddcup.data_10_percent, unpacked. Without it made-up rows are used.
#include "arguments.hpp"
#include "cpu_time.hpp"
#include "in_parallel.hpp"
#include "page.hpp"

#include <sgmcmc/chain.hpp>
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/figure.hpp>
#include <sgmcmc/mode.hpp>
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
#include <optional>
#include <sstream>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

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
    rows.y[i] = static_cast<std::int32_t>((i * 2654435761U >> 16) % classes);
    for (std::size_t j = 0; j < columns; ++j)
      rows.x[i * columns + j] =
          spread * rows.x[i * columns + j] + centres[static_cast<std::size_t>(rows.y[i]) * columns + j];
  }
  return rows;
}

/// Moves every `period`th row, from `first` on, to a set of its own.
Rows take_every(Rows& from, std::size_t period, std::size_t first) {
  Rows kept{from.columns, from.classes, {}, {}}, taken = kept;
  for (std::size_t i = 0; i < from.count(); ++i) {
    Rows& part = i % period == first ? taken : kept;
    part.x.insert(part.x.end(), from.x.begin() + static_cast<std::ptrdiff_t>(i * from.columns),
                  from.x.begin() + static_cast<std::ptrdiff_t>((i + 1) * from.columns));
    part.y.push_back(from.y[i]);
  }
  from = std::move(kept);
  return taken;
}

struct Problem {
  std::string name;
  Rows train, validation, test;
  std::size_t hidden;
  bool boltzmann;
  std::int64_t batch;
  Model model;
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

Problem problem_of(std::string name, Rows train, Rows validation, Rows test, std::size_t hidden, bool boltzmann,
                   std::int64_t batch, double prior_precision) {
  Model model(
      Dataset::Builder().real("x", train.x, {static_cast<std::int64_t>(train.columns)}).integer("y", train.y).build());
  const auto logits = logits_of(model, train, hidden, boltzmann, 1 / std::sqrt(prior_precision));
  model.likelihood(categorical_logit_lpmf(model.row("y"), logits));
  return {std::move(name), std::move(train), std::move(validation), std::move(test), hidden, boltzmann, batch, model};
}

/// The probabilities of the classes of each row.
std::vector<double> predictions(const Problem& problem, const Rows& rows, std::span<const double> theta) {
  const std::size_t H = problem.hidden, K = rows.columns, C = rows.classes;
  const double *W = theta.data(), *b = W + H * K, *U = b + H, *a = U + C * H;
  std::vector<double> inner(H), logits(C), all(rows.count() * C);
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
    for (std::size_t c = 0; c < C; ++c) all[i * C + c] = logits[c] / total;
  }
  return all;
}

double error_rate(const Rows& rows, const std::vector<double>& sums) {
  double wrong = 0;
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(i * rows.classes);
    wrong += std::max_element(begin, begin + static_cast<std::ptrdiff_t>(rows.classes)) - begin != rows.y[i];
  }
  return wrong / static_cast<double>(rows.count());
}

struct Setting {
  std::string method;
  double value = 0;  // step of sgd and sgld, alpha of the others
  double delay = 0;  // steps fall like (1 + t / delay)^-power
  double power = 0;

  Schedule schedule() const { return Schedule::decay(delay, power); }
  std::string text() const {
    return delay > 0 ? "step " + digits(value, 1) + " (1 + t/" + digits(delay, 6) + ")^-" + digits(power, 2)
                     : "α = " + digits(value, 3);
  }
};

/// The paper: at least five settings of sgd and sgld, with its schedules; several values of alpha.
std::vector<Setting> settings_of(const std::string& method, bool boltzmann, bool quick) {
  std::vector<Setting> all;
  if (method.starts_with("sgfs")) {
    for (const double alpha : {1.0, 2.0, 4.0, 8.95}) all.push_back({method, alpha});
  } else {
    for (const double step : {1e-6, 3e-6, 1e-5, 3e-5, 1e-4})
      all.push_back({method, step, boltzmann ? 100000.0 : 1000.0, boltzmann ? 0.9 : 1.0});
  }
  if (quick) all.erase(all.begin(), all.end() - 2);
  return all;
}

struct Look {
  double seconds;
  std::uint64_t iteration;
  double averaged, single;  // errors: of the average of predictions since burn-in, and of the last draw
};

struct Course {
  std::vector<Look> looks;
  bool diverged = false;

  double last() const { return looks.empty() || diverged ? 1.0 : looks.back().averaged; }
  /// The last look before this iteration.
  double at(std::uint64_t iteration) const {
    double found = 1;
    for (const Look& look : looks)
      if (look.iteration <= iteration || &look == &looks.front()) found = look.averaged;
    return found;
  }
};

/// Moves by steps of one method, a few at a time.
class Steps {
 public:
  Steps(const Problem& problem, const Setting& setting) : problem_(problem), setting_(setting) {
    SampleOptions options;
    options.method(setting.method == "sgd" ? "sgld" : setting.method);
    options.gradient.minibatch.batch_size = problem.batch;
    options.seed = 3;
    options.threads = 1;
    options.initial_radius = 0.3;
    options.zero_variance = ZeroVarianceForm::none;
    options.watch_divergence = false;  // a network leaves its start quickly
    if (auto* sgld = std::get_if<SgldOptions>(&options.sampler)) {
      sgld->step_size = StepSize(setting.value);
      sgld->schedule = setting.schedule();
    }
    if (auto* full = std::get_if<SgfsFullOptions>(&options.sampler)) full->alpha = setting.value;
    if (auto* diagonal = std::get_if<SgfsDiagonalOptions>(&options.sampler)) diagonal->alpha = setting.value;
    chain_.emplace(problem.model, options);
    theta_.assign(chain_->position().begin(), chain_->position().end());
    gradient_ = options.gradient;
  }

  void go_on() {
    if (setting_.method != "sgd") {
      chain_->step();
      iteration_ = chain_->iteration();
      theta_.assign(chain_->position().begin(), chain_->position().end());
      return;
    }
    constexpr std::uint64_t together = 200;  // with one step size
    SgdOptions options;
    options.iterations = together;
    options.averaged_share = 0;
    options.step_size = StepSize(0.5 * setting_.value *
                                 std::pow(1 + static_cast<double>(iteration_) / setting_.delay, -setting_.power));
    const auto found = find_mode(problem_.model, options, gradient_, theta_, 7 + iteration_);
    if (found.report.reason == StopReason::gradient_not_finite) throw DivergenceError("sgd: steps are too large");
    theta_ = found.theta;
    iteration_ += together;
  }

  const std::vector<double>& theta() const { return theta_; }
  std::uint64_t iteration() const { return iteration_; }

 private:
  const Problem& problem_;
  Setting setting_;
  GradientOptions gradient_;
  std::optional<Chain> chain_;
  std::vector<double> theta_;
  std::uint64_t iteration_ = 0;
};

Course run(const Problem& problem, const Setting& setting, const Rows& rows, double seconds, bool few) {
  std::vector<double> times;
  if (!few)
    for (int k = 0; k < 12; ++k) times.push_back(seconds / 100 * std::pow(25.0, k / 12.0));
  for (int k = 0; k < (few ? 5 : 31); ++k) times.push_back(seconds * (0.25 + 0.75 * k / (few ? 4.0 : 30.0)));
  Course course;
  std::vector<double> sums(rows.count() * rows.classes);
  try {
    Steps steps(problem, setting);
    double used = 0, burn_in = seconds / 64;
    for (const double time : times) {
      while (used < time) {
        const double start = cpu_seconds();
        steps.go_on();
        used += cpu_seconds() - start;
      }
      if (time >= burn_in && burn_in < 0.3 * seconds) {  // the first quarter of what has been run is burn-in
        std::fill(sums.begin(), sums.end(), 0.0);
        while (burn_in <= time) burn_in *= 4;
      }
      const auto single = predictions(problem, rows, steps.theta());
      if (!std::isfinite(single.front())) throw DivergenceError("not finite");
      for (std::size_t k = 0; k < sums.size(); ++k)
        sums[k] = setting.method == "sgd" ? single[k] : sums[k] + single[k];  // an optimiser has one answer
      course.looks.push_back({used, steps.iteration(), error_rate(rows, sums), error_rate(rows, single)});
    }
  } catch (const DivergenceError&) {
    course.diverged = true;
  }
  return course;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words, "fisher_scoring_classifiers", true);
  const bool real = !arguments.data.empty(), quick = arguments.quick;
  const std::filesystem::path folder = arguments.data;
  const double seconds = quick ? 0.3 : 24, trial_seconds = seconds / 8;
  std::vector<Problem> problems;
  {
    Rows train = real ? digits_of(folder, "train") : made_up(quick ? 3000 : 20000, 20, 10, 2, 1);
    Rows validation = take_every(train, 20, 10);
    problems.push_back(problem_of("network on digits", std::move(train), std::move(validation),
                                  real ? digits_of(folder, "t10k") : made_up(1000, 20, 10, 2, 2), quick ? 5 : 30, false,
                                  quick ? 500 : 2000, 0.001));
  }
  {
    Rows train =
        real ? connections(folder / "kddcup.data_10_percent", 500000) : made_up(quick ? 4000 : 50000, 40, 8, 3, 3);
    Rows test = take_every(train, 20, 0), validation = take_every(train, 19, 9);
    problems.push_back(problem_of("Boltzmann machine on connections", std::move(train), std::move(validation),
                                  std::move(test), quick ? 2 : 10, true, 500, 10));
  }
  const std::vector<std::string> methods = {"sgd", "sgld", "sgfs-diagonal", "sgfs-full"};
  std::vector<figure::Panel> panels;
  std::vector<std::vector<std::string>> lines;
  std::vector<std::map<std::string, Course>> found;
  std::vector<std::uint64_t> common;  // iterations that all methods completed
  for (const auto& problem : problems) {
    std::vector<Setting> tried;
    for (const auto& method : {"sgfs-full", "sgfs-diagonal", "sgld", "sgd"})
      for (const auto& setting : settings_of(method, problem.boltzmann, quick)) tried.push_back(setting);
    std::vector<double> errors(tried.size());
    in_parallel(tried.size(), [&](std::size_t k) {
      errors[k] = run(problem, tried[k], problem.validation, trial_seconds, true).last();
    });
    std::map<std::string, std::size_t> best;
    for (std::size_t k = 0; k < tried.size(); ++k) {
      std::printf("%s: %s, %s: validation error %.5f\n", problem.name.c_str(), tried[k].method.c_str(),
                  tried[k].text().c_str(), errors[k]);
      if (!best.contains(tried[k].method) || errors[k] < errors[best[tried[k].method]]) best[tried[k].method] = k;
    }
    std::vector<Course> courses(methods.size());
    in_parallel(methods.size(), [&](std::size_t k) {
      const std::size_t from_slowest = methods.size() - 1 - k;
      courses[from_slowest] = run(problem, tried[best[methods[from_slowest]]], problem.test, seconds, false);
    });
    common.push_back(std::numeric_limits<std::uint64_t>::max());
    for (const auto& course : courses)
      if (!course.looks.empty()) common.back() = std::min(common.back(), course.looks.back().iteration);
    figure::Panel panel(problem.name, {"seconds of one core", figure::Scale::logarithmic},
                        {"test error", figure::Scale::logarithmic});
    auto& own = found.emplace_back();
    for (std::size_t k = 0; k < methods.size(); ++k) {
      const Course& course = own[methods[k]] = courses[k];
      std::vector<figure::Point> points;
      for (const Look& look : course.looks) points.push_back({look.seconds, look.averaged});
      panel.line(methods[k], points);
      const Look end = course.looks.empty() ? Look{0, 0, 1, 1} : course.looks.back();
      std::printf("%s, %lld parameters: %s: test error %.5f averaged, %.5f of the last draw, %llu iterations%s\n",
                  problem.name.c_str(), static_cast<long long>(problem.model.dimension()), methods[k].c_str(),
                  end.averaged, end.single, static_cast<unsigned long long>(end.iteration),
                  course.diverged ? ", diverged" : "");
      lines.push_back({problem.name, methods[k], tried[best[methods[k]]].text(), std::to_string(end.iteration),
                       course.diverged ? "diverged" : digits(100 * end.averaged, 3), digits(100 * end.single, 3),
                       digits(100 * course.at(common.back()), 3)});
    }
    std::fflush(stdout);
    panels.push_back(panel);
  }
  figure::write_svg(arguments.out / "fisher-scoring-classifiers.svg", panels, 2);
  Page page(arguments.out, "fisher-scoring-classifiers", "Fisher scoring: classifiers");
  page.text("Ahn, Korattikara and Welling (2012), sections 5.2.2 and 5.3. A network with " +
            std::to_string(problems[0].hidden) + " hidden units on 20 random projections of " +
            std::string(real ? "the MNIST digits" : "made-up rows") + " (" + std::to_string(problems[0].train.count()) +
            " rows to learn from, " + std::to_string(problems[0].test.count()) + " to test, minibatches of " +
            std::to_string(problems[0].batch) + ", priors of precision 0.001; " +
            std::to_string(problems[0].model.dimension()) +
            " parameters), and a discriminative restricted Boltzmann machine with " +
            std::to_string(problems[1].hidden) + " hidden units on " +
            std::string(real ? "the 10 % sample of KDD99" : "made-up rows") + " (" +
            std::to_string(problems[1].train.count()) + " rows, " + std::to_string(problems[1].test.count()) +
            " to test, 40 features, " + std::to_string(problems[1].train.classes) +
            " classes, minibatches of 500, priors of precision 10; " + std::to_string(problems[1].model.dimension()) +
            " parameters). The likelihood of the machine is an expression of one row: a_y + Σ_j log(1 + exp(b_j + U_yj "
            "+ W_j x)), normalised over the classes y. `examples/papers/fisher_scoring_classifiers.cpp` (`FOLDER --out "
            "DIR`) writes this page.");
  page.text("Each method runs " + digits(seconds) +
            " s on one core. As in the paper, settings are those with the least error on validation rows, after " +
            digits(trial_seconds, 2) +
            " s each: steps of 1e-6 to 1e-4 with the paper's schedules for `sgld` and `sgd`, α of 1, "
            "2, 4 and 8.95 for Fisher scoring. Predictions are averaged over draws after a quarter of the time; those "
            "of `sgd` are of its last iterate. The last column compares equal numbers of iterations: those that all "
            "methods completed, " +
            std::to_string(common[0]) + " and " + std::to_string(common[1]) + ".");
  page.text(
      "**Differences from the paper.** For the machine it has 41 hidden units (2647 parameters) and 4.4 million rows "
      "to "
      "learn from, and 100,000 iterations of each method; the 2647 x 2647 matrix of `sgfs-full` is factored at every "
      "iteration. The comparison with HMC of a machine with two hidden units (figures 4 and 5), and the Heritage "
      "Health "
      "Prize (5.2.1), whose data are no longer available, are left out.");
  page.figure("Test error against seconds", "fisher-scoring-classifiers.svg");
  page.table({"problem", "method", "setting", "iterations", "test error in %", "of the last draw alone",
              "at equal iterations"},
             lines);
  if (!quick)
    page.text(
        "**Why.** Runs of this length are too short for the paper's ordering on the machine: errors still fall at the "
        "end. "
        "The paper has 100,000 iterations of each method. Validation runs of seconds choose settings that move quickly "
        "at "
        "first.");
  const auto numbers = [&](std::size_t k, bool equal) {
    std::string text;
    for (const auto& method : methods)
      text += (text.empty() ? "" : ", ") + method + " " +
              digits(100 * (equal ? found[k][method].at(common[k]) : found[k][method].last()), 3) + " %";
    return text;
  };
  const auto last = [&](std::size_t k, const char* method) { return found[k][method].last(); };
  const auto early = [&](std::size_t k, const char* method) { return found[k][method].at(common[k]); };
  // Errors are proportions: differences below two standard errors are not counted.
  const auto beyond = [&](double more, double less, const Rows& rows) {
    return more - less > 2 * std::sqrt(2 * std::max(less, 1e-6) / static_cast<double>(rows.count()));
  };
  page.finding("network (figure 3): test errors of SGFS are not above those of SGLD and SGD, by time",
               numbers(0, false),
               !beyond(std::min(last(0, "sgfs-full"), last(0, "sgfs-diagonal")),
                       std::min(last(0, "sgld"), last(0, "sgd")), problems[0].test));
  page.finding(
      "machine (table 1): after equal iterations SGFS-d and SGFS-f (4.2e-4, 4.4e-4) have less error than SGLD "
      "(6.6e-4)",
      numbers(1, true), std::max(early(1, "sgfs-full"), early(1, "sgfs-diagonal")) < early(1, "sgld"));
  page.finding("machine (table 1): SGLD (6.6e-4) has less error than SGD (8.0e-4)", numbers(1, false),
               last(1, "sgld") < last(1, "sgd"));
  page.finding("machine: the same ordering, by time", numbers(1, false),
               std::max(last(1, "sgfs-full"), last(1, "sgfs-diagonal")) < last(1, "sgld"));
  page.write();
  return 0;
}
