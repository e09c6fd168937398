// The linear Gaussian experiments of the hamcmc paper (section 4.1, figures 1 and 2): a posterior known in closed form,
// strongly correlated, in 2, 10 and 100 dimensions; sgld, psgld, sgrld and hamcmc, each tuned on the same grid.
//
//   theta ~ N(0, I),  x_n ~ N(a_n' theta, 10),  n = 1..N,  minibatches of N / 100 rows,  steps e (1 + t)^-0.51
//
// The paper does not say how its a_n were made to give correlated posteriors. Here their elements are positive (uniform
// on (0, 1)), so that they share a direction in which the data say far more than in all others: a condition number of
// 3 D + 1. Or they are normal with correlation 0.99 between any two: a condition number of 99 D + 1.
#include "arguments.hpp"
#include "page.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/figure.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/sample.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

constexpr double noise_variance = 10.0;
constexpr std::uint64_t data_seed = 2016;

/// Solves A x = b for a symmetric positive definite A; also gives the inverse where asked.
std::vector<double> cholesky(std::vector<double> A, std::size_t size) {
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = j; i < size; ++i) A[j * size + i] -= A[k * size + i] * A[k * size + j];
    const double root = std::sqrt(A[j * size + j]);
    for (std::size_t i = j; i < size; ++i) A[j * size + i] /= root;
  }
  return A;  // lower triangle, by column
}

std::vector<double> solve(const std::vector<double>& lower, std::vector<double> b) {
  const std::size_t size = b.size();
  for (std::size_t j = 0; j < size; ++j) {
    b[j] /= lower[j * size + j];
    for (std::size_t i = j + 1; i < size; ++i) b[i] -= lower[j * size + i] * b[j];
  }
  for (std::size_t j = size; j-- > 0;) {
    for (std::size_t i = j + 1; i < size; ++i) b[j] -= lower[j * size + i] * b[i];
    b[j] /= lower[j * size + j];
  }
  return b;
}

struct Problem {
  std::size_t dimension;
  std::int64_t rows;
  std::vector<double> precision, mean;  // of the posterior
  Model model;

  /// correlation: of any two elements of a; 0: they are uniform on (0, 1).
  Problem(std::size_t d, std::int64_t n, double correlation = 0) : dimension(d), rows(n), precision(d * d), mean(d) {
    const auto count = static_cast<std::size_t>(n);
    std::vector<double> a(count * d), x(count), truth(d), moment(d);
    if (correlation > 0) {
      std::vector<double> shared(count);
      fill_normal({data_seed, 0, d, Purpose::data}, a);
      fill_normal({data_seed, 3, d, Purpose::data}, shared);
      for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = std::sqrt(correlation) * shared[i / d] + std::sqrt(1 - correlation) * a[i];
    } else {
      fill_uniform({data_seed, 0, d, Purpose::data}, a);
    }
    fill_normal({data_seed, 1, d, Purpose::data}, truth);
    fill_normal({data_seed, 2, d, Purpose::data}, x);
    for (std::size_t j = 0; j < d; ++j) precision[j * (d + 1)] = 1.0;
    for (std::size_t i = 0; i < count; ++i) {
      x[i] *= std::sqrt(noise_variance);
      for (std::size_t j = 0; j < d; ++j) x[i] += a[i * d + j] * truth[j];
      for (std::size_t j = 0; j < d; ++j) {
        moment[j] += a[i * d + j] * x[i] / noise_variance;
        for (std::size_t k = 0; k < d; ++k) precision[j * d + k] += a[i * d + j] * a[i * d + k] / noise_variance;
      }
    }
    mean = solve(cholesky(precision, d), moment);
    model = Model(Dataset::Builder().real("a", a, {static_cast<std::int64_t>(d)}).real("x", x).build());
    const auto theta = model.parameter("theta", {static_cast<std::int64_t>(d)});
    model.prior(std_normal_lpdf(theta));
    model.likelihood(normal_lpdf(model.row("x"), dot(model.row("a"), theta), std::sqrt(noise_variance)));
  }

  std::vector<double> covariance() const {
    const auto lower = cholesky(precision, dimension);
    std::vector<double> result;
    for (std::size_t j = 0; j < dimension; ++j) {
      std::vector<double> unit(dimension, 0.0);
      unit[j] = 1.0;
      const auto column = solve(lower, unit);
      result.insert(result.end(), column.begin(), column.end());
    }
    return result;
  }
};

/// others: values tried of the second number a method has, lambda of psgld and gamma of hamcmc (0: found).
struct Method {
  std::string name, sampler;
  std::uint32_t history = 0;
  std::vector<double> others{0.0};
  HamcmcPairs pairs = HamcmcPairs::moves;
};

const std::vector<double> scales = {0.0, 0.0003, 0.001, 0.003, 0.01, 0.03};
const std::vector<double> wide_scales = {0.0, 0.003, 0.01, 0.03, 0.1, 0.3};
const std::vector<Method> methods = {{"SGLD", "sgld"},
                                     {"PSGLD", "psgld", 0, {1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0}},
                                     {"SGRLD", "sgrld"},
                                     {"HAMCMC M=2", "hamcmc", 2, scales},
                                     {"HAMCMC M=3", "hamcmc", 3, scales},
                                     {"HAMCMC M=3, stiffest", "hamcmc", 3, wide_scales, HamcmcPairs::stiffest}};

/// What a method is run with: the step size as the paper counts it, half of what sgld here calls one, and its second
/// number.
struct Setting {
  double step = 0, other = 0;
};

/// factor_once: sgrld asks for its metric once, which gives the same draws; else at every step, as where it depends on
/// theta.
SampleOptions options_for(const Problem& problem, const Method& method, const Setting& setting, std::uint64_t seed,
                          bool factor_once = true) {
  SampleOptions options;
  options.method(method.sampler);
  options.step_size(method.history ? setting.step : 2.0 * setting.step);
  std::visit(
      [&](auto& sampler) {
        if constexpr (requires { sampler.schedule; }) sampler.schedule = Schedule::polynomial(1.0, 0.51);
        if constexpr (requires { sampler.square_decay; }) sampler.regularisation = setting.other;
        if constexpr (requires { sampler.history; }) {
          sampler.history = method.history;
          sampler.initial_scale = setting.other;
          sampler.pairs = method.pairs;
        }
        if constexpr (requires { sampler.metric.value; }) {
          sampler.metric.dense = true;
          sampler.metric.constant = factor_once;
          sampler.metric.value = [G = problem.precision](std::span<const double>, std::span<double> out) {
            std::copy(G.begin(), G.end(), out.begin());
          };
          sampler.metric.correction = [](std::span<const double>, std::span<double> out) {
            std::fill(out.begin(), out.end(), 0.0);
          };
        }
      },
      options.sampler);
  options.gradient.minibatch.batch_size = problem.rows / 100;
  options.initial_radius = 0.1;
  options.threads = 1;
  options.seed = seed;
  return options;
}

/// Squared distances of the estimated from the posterior mean at some iterations, averaged over seeds. The estimate at
/// iteration t is the mean over (t / 2, t], weighted by step sizes.
struct Curve {
  std::vector<std::uint64_t> at;
  std::vector<double> error;
  Setting setting;

  double final() const { return error.empty() ? std::numeric_limits<double>::infinity() : error.back(); }
  /// The first iteration from which on the error stays below a bound.
  std::optional<double> reaches(double bound) const {
    std::size_t k = error.size();
    while (k > 0 && error[k - 1] <= bound) --k;
    if (k == error.size()) return std::nullopt;
    return static_cast<double>(at[k]);
  }
};

std::vector<std::uint64_t> checkpoints(std::uint64_t most) {
  std::vector<std::uint64_t> at;  // every second one is the double of the last but one
  for (double base : {1.0, std::sqrt(2.0)})
    for (double t = 16.0 * base; t <= static_cast<double>(most) * 1.0001; t *= 2.0)
      at.push_back(static_cast<std::uint64_t>(16.0 * base) * static_cast<std::uint64_t>(t / (16.0 * base) + 0.5));
  std::sort(at.begin(), at.end());
  return at;
}

/// Nothing where the chain runs away.
std::optional<Curve> run(const Problem& problem, const Method& method, const Setting& setting, std::uint64_t iterations,
                         int seeds) {
  const auto at = checkpoints(iterations);
  Curve curve;
  curve.setting = setting;
  const std::size_t d = problem.dimension;
  for (int seed = 1; seed <= seeds; ++seed) {
    try {
      Chain chain(problem.model, options_for(problem, method, setting, static_cast<std::uint64_t>(seed)), 0);
      std::vector<std::vector<double>> sums;
      std::vector<double> sum(d + 1, 0.0);
      std::size_t next = 0;
      for (std::uint64_t t = 1; next < at.size(); ++t) {
        chain.step();
        const double weight = chain.draw_weight();
        const auto position = chain.position();
        for (std::size_t j = 0; j < d; ++j) sum[j] += weight * position[j];
        sum[d] += weight;
        if (t != at[next]) continue;
        sums.push_back(sum);
        ++next;
      }
      curve.at.clear();
      std::vector<double> errors;
      for (std::size_t k = 2; k < at.size(); ++k) {
        if (at[k] != 2 * at[k - 2]) continue;
        double error = 0;
        for (std::size_t j = 0; j < d; ++j) {
          const double mean = (sums[k][j] - sums[k - 2][j]) / (sums[k][d] - sums[k - 2][d]);
          error += (mean - problem.mean[j]) * (mean - problem.mean[j]);
        }
        curve.at.push_back(at[k]);
        errors.push_back(error);
      }
      if (curve.error.empty()) curve.error.resize(errors.size());
      for (std::size_t k = 0; k < errors.size(); ++k) curve.error[k] += errors[k] / seeds;
    } catch (const DivergenceError&) {
      return std::nullopt;
    }
  }
  return curve;
}

/// The setting with the least error after a quarter of the iterations, over a few seeds; then its curve over more of
/// them. Where one of those runs away, the next best.
Curve tuned(const Problem& problem, const Method& method, const std::vector<double>& grid, std::uint64_t iterations,
            int seeds) {
  std::vector<std::pair<double, Setting>> tried;
  for (const double other : method.others)
    for (const double step : grid)
      if (const auto curve = run(problem, method, {step, other}, iterations / 4, std::max(1, seeds / 4)))
        if (std::isfinite(curve->final())) tried.emplace_back(curve->final(), Setting{step, other});
  std::sort(tried.begin(), tried.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [error, setting] : tried)
    if (auto curve = run(problem, method, setting, iterations, seeds); curve && std::isfinite(curve->final())) {
      std::fprintf(stderr, "D = %zu, %s: step %g, other %g, error %g\n", problem.dimension, method.name.c_str(),
                   setting.step, setting.other, curve->final());
      return *curve;
    }
  throw std::runtime_error("every setting of " + method.name + " runs away");
}

double seconds_per_iteration(const Problem& problem, const Method& method, const Setting& setting, bool factor_once) {
  Chain chain(problem.model, options_for(problem, method, setting, 1, factor_once), 0);
  for (int k = 0; k < 100; ++k) chain.step();
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 10; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < 200; ++k) chain.step();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 200);
  }
  return best;
}

std::string number(double value, const char* format = "%.3g") {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// Sds of the draws in the second half of chains, in the widest and the narrowest direction of a posterior of two
/// dimensions, over those of the posterior: one number for each chain.
struct Shape {
  std::vector<double> widest, narrowest;
  std::vector<figure::Point> points;  // of the first chain

  double error() const {
    return std::abs(std::log(average_of(widest).mean)) + std::abs(std::log(average_of(narrowest).mean));
  }
  std::string text() const {
    return spread_text(average_of(widest), 2) + " | " + spread_text(average_of(narrowest), 2);
  }
};

/// Nothing where a chain runs away.
std::optional<Shape> shape_of(const Problem& problem, const Method& method, const Setting& setting,
                              std::uint64_t iterations, std::uint64_t chains) {
  const auto covariance = problem.covariance();
  const double angle = 0.5 * std::atan2(2 * covariance[1], covariance[0] - covariance[3]);
  const double c = std::cos(angle), s = std::sin(angle), cross = 2 * s * c * covariance[1];
  const double widest = std::sqrt(c * c * covariance[0] + cross + s * s * covariance[3]),
               narrowest = std::sqrt(s * s * covariance[0] - cross + c * c * covariance[3]);
  Shape shape;
  try {
    for (std::uint64_t seed = 1; seed <= chains; ++seed) {
      Chain chain(problem.model, options_for(problem, method, setting, seed), 0);
      std::vector<double> along, across;
      for (std::uint64_t t = 0; t < iterations; ++t) {
        chain.step();
        if (t < iterations / 2) continue;
        const double x = chain.position()[0], y = chain.position()[1];
        along.push_back(c * x + s * y);
        across.push_back(c * y - s * x);
        if (seed == 1 && t % (iterations / 1000) == 0) shape.points.push_back({x, y});
      }
      shape.widest.push_back(average_of(along).sd / widest);
      shape.narrowest.push_back(average_of(across).sd / narrowest);
    }
  } catch (const DivergenceError&) {
    return std::nullopt;
  }
  return shape;
}

struct Scatter {
  figure::Panel panel;
  std::string line;  // of the table
};

/// At the setting with the least error of the mean, and at that with the best shape in two chains.
Scatter scatter(const Problem& problem, const Method& method, const std::vector<double>& grid,
                std::uint64_t iterations) {
  constexpr std::uint64_t chains = 8;
  const Curve best = tuned(problem, method, grid, iterations, 4);
  const auto shape = shape_of(problem, method, best.setting, iterations, chains);
  std::optional<Setting> other;
  double least = std::numeric_limits<double>::infinity();
  for (const double second : method.others)
    for (const double step : grid)
      if (const auto tried = shape_of(problem, method, {step, second}, iterations, 2); tried && tried->error() < least)
        least = tried->error(), other = Setting{step, second};
  const auto by_shape = other ? shape_of(problem, method, *other, iterations, chains) : std::nullopt;
  const auto covariance = problem.covariance();
  figure::Panel panel(method.name, {"theta 1"}, {"theta 2"});
  panel.points("draws", shape ? shape->points : std::vector<figure::Point>{})
      .ellipse("posterior, 2 sd", {problem.mean[0], problem.mean[1]}, {covariance[0], covariance[1], covariance[3]});
  const auto words = [](const Setting& setting) {
    return number(setting.step) + (setting.other > 0 ? ", " + number(setting.other) : "");
  };
  return {panel, "| " + method.name + " | " + words(best.setting) + " | " + (shape ? shape->text() : "diverged |") +
                     " | " + (other ? words(*other) : "") + " | " + (by_shape ? by_shape->text() : "diverged |") +
                     " |\n"};
}

}  // namespace

int main(int count, char** words) try {
  const Arguments arguments(count, words, "hamcmc_linear_gaussian", false);
  const bool quick = arguments.quick;
  const auto& out = arguments.out;
  const std::uint64_t iterations = quick ? 512 : 16'384;
  const int seeds = quick ? 2 : 8;
  std::vector<double> grid;
  for (double power = -6.0; power <= 1.51; power += quick ? 1.0 : 0.5) grid.push_back(std::pow(10.0, power));

  std::vector<figure::Panel> first;
  std::ofstream table(out / "table.md");
  table << "D = 2: sds of draws / sds of the posterior\n\n"
        << "| method | setting of least error | widest direction | narrowest | setting of best shape | widest | "
           "narrowest "
           "|\n|---|---|---|---|---|---|---|\n";
  for (const auto& method : methods) {
    const auto [panel, line] = scatter(Problem(2, 1000), method, grid, quick ? 2000 : 20'000);
    first.push_back(panel);
    table << line;
  }
  write_svg(out / "draws.svg", first, 3);

  std::vector<figure::Panel> second;
  struct Design {
    std::size_t dimension;
    std::int64_t rows;
    double correlation;
  };
  for (const auto& [d, rows, correlation] : {Design{10, 10'000, 0}, Design{100, 10'000, 0}, Design{100, 5000, 0.99}}) {
    const Problem problem(d, quick ? 1000 : rows, correlation);
    const std::string title = "D = " + std::to_string(d) + (correlation > 0 ? ", correlation 0.99" : "");
    figure::Panel by_iteration(title, {"iterations", figure::Scale::logarithmic},
                               {"squared error of the mean", figure::Scale::logarithmic});
    figure::Panel by_time(title, {"seconds", figure::Scale::logarithmic},
                          {"squared error of the mean", figure::Scale::logarithmic});
    std::vector<Curve> curves;
    for (const auto& method : methods) curves.push_back(tuned(problem, method, grid, iterations, seeds));
    // What sgrld has at an eighth of the run, the others have eight times as long to reach.
    const Curve& riemannian = curves[2];
    const std::size_t place = riemannian.error.size() > 6 ? riemannian.error.size() - 7 : 0;
    const double bound = riemannian.error.empty() ? 0.0 : riemannian.error[place];
    table << "\n"
          << title << ": until the squared error is " << number(bound) << "\n\n"
          << "| method | step | other | error at the end | iterations | us per iteration | seconds |\n"
          << "|---|---|---|---|---|---|---|\n";
    const auto add = [&](const std::string& name, const Curve& curve, double seconds) {
      std::vector<figure::Point> over_time, over_iterations;
      for (std::size_t k = 0; k < curve.error.size(); ++k) {
        over_iterations.push_back({static_cast<double>(curve.at[k]), curve.error[k]});
        over_time.push_back({static_cast<double>(curve.at[k]) * seconds, curve.error[k]});
      }
      by_time.line(name, over_time);
      if (name.find("once") == std::string::npos) by_iteration.line(name, over_iterations);
      const auto reached = curve.reaches(bound);
      table << "| " << name << " | " << number(curve.setting.step) << " | "
            << (curve.setting.other > 0 ? number(curve.setting.other) : "") << " | " << number(curve.final()) << " | "
            << (reached ? number(*reached, "%.0f") : "more than " + std::to_string(iterations)) << " | "
            << number(1e6 * seconds) << " | " << (reached ? number(*reached * seconds) : "") << " |\n";
    };
    for (std::size_t k = 0; k < methods.size(); ++k)
      add(methods[k].name, curves[k], seconds_per_iteration(problem, methods[k], curves[k].setting, false));
    add("SGRLD, metric factored once", riemannian,
        seconds_per_iteration(problem, methods[2], riemannian.setting, true));
    second.push_back(by_iteration);
    second.push_back(by_time);
  }
  write_svg(out / "error.svg", second, 2);
  table.close();
  std::ifstream again(out / "table.md");
  std::string line;
  while (std::getline(again, line)) std::printf("%s\n", line.c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
