// Divide and conquer beside stochastic gradients: the comparison of the thesis, section 2.4.2, figures 2.4.1 to 2.4.4.
//
// Four targets, 20 parts, minibatches of 50, 10 repetitions on the same data; the Kullback-Leibler divergence of each
// method from exact draws, by nearest neighbours. The thesis leaves scales, degrees of freedom and lengths open: they
// are in targets() and printed. Step sizes of sgld and sghmc, and bandwidths of rules with kernels, are the best of a
// grid by the same divergence, as in the thesis; beside them, bandwidths as the rules choose them.
#include "arguments.hpp"
#include "in_parallel.hpp"
#include "neighbour_divergence.hpp"
#include "page.hpp"

#include <sgmcmc/combine.hpp>
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/figure.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/sample.hpp>
#include <sgmcmc/subposterior.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace sgmcmc;

namespace {

constexpr std::uint64_t parts = 20;
constexpr std::int64_t batch = 50;

struct Length {
  std::size_t draws = 1000;  // that are compared, of each method
  std::size_t repetitions = 10;
  std::uint64_t iterations = 20000;  // of sgld and sghmc; five times as many where there are two modes
};

struct Target {
  std::string name, words;
  Model model;
  std::size_t dimension;
  std::vector<double> steps;  // tried
  std::map<std::string, std::vector<double>> start;
  bool symmetric = false;  // labels of two locations can be exchanged: exact draws have both orders
};

std::vector<double> normals(std::size_t count, std::uint64_t which) {
  std::vector<double> z(count);
  fill_normal({2019, 0, which, Purpose::data}, z);
  return z;
}

/// Location of a bivariate t with 3 degrees of freedom, scale (1, 0.5; 0.5, 1), flat prior, 800 rows.
Target heavy_tails() {
  constexpr std::size_t rows = 800;
  auto x = normals(2 * rows, 1);
  const auto z = normals(3 * rows, 2);
  for (std::size_t i = 0; i < rows; ++i) {
    const double chi = (z[3 * i] * z[3 * i] + z[3 * i + 1] * z[3 * i + 1] + z[3 * i + 2] * z[3 * i + 2]) / 3;
    x[2 * i + 1] = (0.5 * x[2 * i] + std::sqrt(0.75) * x[2 * i + 1]) / std::sqrt(chi);
    x[2 * i] /= std::sqrt(chi);
  }
  Model model(Dataset::Builder().real("x", x, {2}).build());
  const auto theta = model.parameter("theta", {2});
  const auto r = model.row("x") - theta;
  const auto a = take(r, {0}, Shape{}), b = take(r, {1}, Shape{});
  model.likelihood(-2.5 * log1p((square(a) - a * b + square(b)) / (3 * 0.75)));
  return {"heavy tails",
          "location of a bivariate t, 3 degrees of freedom, 800 rows",
          model,
          2,
          {3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3},
          {}};
}

/// Locations of two bivariate normals of unit variance, (-0.1, -0.1) and (0.1, 0.1), N(0, 10^2) priors, 10,000 rows.
Target mixture(std::size_t rows) {
  constexpr double location = 0.1;
  auto x = normals(2 * rows, 3);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < 2; ++j) x[2 * i + j] += i % 2 == 0 ? location : -location;
  Model model(Dataset::Builder().real("x", x, {2}).build());
  const auto first = model.parameter("theta1", {2}), second = model.parameter("theta2", {2});
  model.prior(normal_lpdf(first, 0, 10));
  model.prior(normal_lpdf(second, 0, 10));
  model.likelihood(log_mix(0.5, normal_lpdf(model.row("x"), first, 1), normal_lpdf(model.row("x"), second, 1)));
  return {"two modes",
          "locations of two overlapping bivariate normals, " + std::to_string(rows) + " rows",
          model,
          4,
          {1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4},
          {{"theta1", {location, location}}, {"theta2", {-location, -location}}},
          true};
}

/// x ~ N(theta1 + theta2^2, 2^2), theta ~ N(0, 1), 800 rows around 1.
Target warped() {
  constexpr std::size_t rows = 800;
  auto x = normals(rows, 4);
  for (double& value : x) value = 1 + 2 * value;
  Model model(Dataset::Builder().real("x", x).build());
  const auto first = model.parameter("theta1"), second = model.parameter("theta2");
  model.prior(normal_lpdf(first, 0, 1));
  model.prior(normal_lpdf(second, 0, 1));
  model.likelihood(normal_lpdf(model.row("x"), first + square(second), 2));
  return {"warped", "x ~ N(theta1 + theta2^2, 2), 800 rows", model,
          2,        {3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2},    {{"theta1", {1.0}}, {"theta2", {0.0}}}};
}

/// The mean of a normal with correlations 0.5^|i - j|, flat prior, 800 rows.
Target normal_mean(std::size_t d) {
  constexpr std::size_t rows = 800;
  auto x = normals(d * rows, 10 + d);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 1; j < d; ++j) x[i * d + j] = 0.5 * x[i * d + j - 1] + std::sqrt(0.75) * x[i * d + j];
  const auto size = static_cast<std::int64_t>(d);
  Model model(Dataset::Builder().real("x", x, {size}).build());
  const auto theta = model.parameter("theta", {size});
  const auto r = model.row("x") - theta;
  std::vector<std::int64_t> from, to;
  for (std::int64_t j = 0; j + 1 < size; ++j) {
    from.push_back(j);
    to.push_back(j + 1);
  }
  auto density = -0.5 * square(take(r, {0}, Shape{}));
  if (d > 1)
    density = density - 0.5 / 0.75 * sum(square(take(r, to, Shape{size - 1}) - 0.5 * take(r, from, Shape{size - 1})));
  model.likelihood(density);
  return {"normal " + std::to_string(d),
          "the mean of a normal in " + std::to_string(d) + " dimensions, 800 rows",
          model,
          d,
          {3e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4},
          {}};
}

/// Draws of all chains one after another, evenly thinned to so many.
std::vector<double> positions(const MemoryDraws& draws, std::size_t dimension, std::size_t count) {
  std::size_t total = 0;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) total += draws.draws(chain);
  std::vector<double> all;
  for (std::size_t k = 0; k < std::min(count, total); ++k) {
    std::size_t at = k * total / std::min(count, total), chain = 0;
    while (at >= draws.draws(chain)) at -= draws.draws(chain++);
    const auto draw = draws.draw(chain, at);
    all.insert(all.end(), draw.begin(), draw.begin() + static_cast<std::ptrdiff_t>(dimension));
  }
  return all;
}

SampleOptions exact_options(const Target& target, std::size_t draws, std::uint64_t seed) {
  SampleOptions options;
  options.method("nuts");
  options.chains = 2;
  options.iterations = draws / 2;
  options.warmup = 250;
  options.seed = seed;
  options.threads = 1;
  options.initial = target.start;
  options.zero_variance = ZeroVarianceForm::none;
  return options;
}

std::vector<double> exact_draws(const Target& target, std::size_t count, std::uint64_t seed) {
  SampleOptions options = exact_options(target, (target.symmetric ? 2 : 8) * count, seed);
  auto all = positions(sample(target.model, options).draws, target.dimension, count);
  if (target.symmetric)  // every other draw with the labels exchanged
    for (std::size_t i = 0; i < count; i += 2)
      std::swap_ranges(all.begin() + static_cast<std::ptrdiff_t>(4 * i),
                       all.begin() + static_cast<std::ptrdiff_t>(4 * i + 2),
                       all.begin() + static_cast<std::ptrdiff_t>(4 * i + 2));
  return all;
}

/// Nothing where it diverges.
std::vector<double> gradient_draws(const Target& target, const std::string& method, double step, const Length& length,
                                   std::uint64_t seed) {
  SampleOptions options;
  options.method(method);
  options.step_size(step);
  if (auto* sghmc = std::get_if<SghmcOptions>(&options.sampler)) {
    sghmc->trajectory_length = 3;
    sghmc->friction = 0.1;
  }
  options.gradient.minibatch.batch_size = batch;
  options.iterations = (target.symmetric ? 5 : 1) * length.iterations;
  options.warmup = options.iterations / 10;
  options.seed = seed;
  options.threads = 1;
  options.initial = target.start;
  options.recoveries = 0;
  options.zero_variance = ZeroVarianceForm::none;
  try {
    return positions(sample(target.model, options).draws, target.dimension, length.draws);
  } catch (const DivergenceError&) {
    return {};
  }
}

const std::vector<double> bandwidths = {0.15, 0.3, 0.6, 1.2};  // tried

bool has_kernels(CombineMethod method) {
  return method == CombineMethod::nonparametric || method == CombineMethod::semiparametric ||
         method == CombineMethod::weierstrass;
}

struct Repeated {
  std::map<std::string, std::vector<double>> divergence;  // by method, one for each repetition
  std::map<std::string, std::vector<double>> shown;       // draws of the first repetition
  std::map<std::string, double> step;
  std::map<std::string, double> bandwidth;  // best of a grid; 0: as the rule chooses it
  double seconds = 0;
};

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::infinity();
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// Draws of every part, of one repetition.
std::vector<PartDraws> draws_of_parts(const Target& target, const std::vector<Model>& models, const Length& length,
                                      std::size_t repetition) {
  std::vector<PartDraws> draws(parts);
  for (std::uint64_t part = 0; part < parts; ++part) {
    const auto options = exact_options(target, length.draws, seed_of_part(1 + repetition, {part + 1, parts}));
    const auto made = sample(models[part], options).draws;
    for (std::size_t chain = 0; chain < made.chains(); ++chain) {
      auto& own = draws[part].chains.emplace_back();
      for (std::size_t k = 0; k < made.draws(chain); ++k) {
        const auto draw = made.draw(chain, k);
        own.insert(own.end(), draw.begin(), draw.begin() + static_cast<std::ptrdiff_t>(target.dimension));
      }
    }
  }
  return draws;
}

/// Nothing where parts do not overlap.
std::vector<double> combined(const Target& target, const std::vector<PartDraws>& draws, CombineMethod method,
                             double bandwidth, std::uint64_t seed) {
  CombineOptions options;
  options.method = method;
  options.bandwidth = bandwidth;
  options.seed = seed;
  std::vector<double> all;
  try {
    for (const auto& chain : combine_draws(target.dimension, draws, options).chains)
      all.insert(all.end(), chain.begin(), chain.end());
  } catch (const DataError&) {
    all.clear();
  }
  return all;
}

Repeated compare(const Target& target, const Length& length) {
  const auto start = std::chrono::steady_clock::now();
  Repeated result;
  const auto exact = exact_draws(target, length.draws, 1000);
  const auto from_exact = [&](const std::vector<double>& draws) {
    if (draws.size() < 20 * target.dimension) return std::numeric_limits<double>::infinity();
    return neighbour_divergence(exact, draws, target.dimension);
  };
  std::vector<Model> models;
  for (std::uint64_t part = 1; part <= parts; ++part) models.push_back(subposterior(target.model, {part, parts}));

  // The step by one run each, as in the thesis; and the parts of the first repetition, which choose the bandwidth.
  struct Trial {
    std::string method;
    double step, found;
  };
  std::vector<Trial> trials;
  for (const std::string method : {"sghmc", "sgld"})
    for (const double step : target.steps) trials.push_back({method, step, 0});
  std::vector<PartDraws> first;
  in_parallel(trials.size() + 1, [&](std::size_t k) {
    if (k == 0) {
      first = draws_of_parts(target, models, length, 0);
      return;
    }
    Trial& trial = trials[k - 1];
    trial.found = from_exact(gradient_draws(target, trial.method, trial.step, length, 500));
  });
  std::map<std::string, double> best;
  for (const auto& [method, step, found] : trials)
    if (std::isfinite(found) && (!best.contains(method) || found < best[method])) {
      best[method] = found;
      result.step[method] = step;
    }
  std::vector<CombineMethod> with_kernels;
  for (const auto& rule : combine_rules())
    if (has_kernels(rule.method)) with_kernels.push_back(rule.method);
  std::vector<double> tried = {0};
  tried.insert(tried.end(), bandwidths.begin(), bandwidths.end());
  std::vector<double> divergences(with_kernels.size() * tried.size());
  in_parallel(divergences.size(), [&](std::size_t k) {
    divergences[k] = from_exact(combined(target, first, with_kernels[k / tried.size()], tried[k % tried.size()], 1));
  });
  for (const auto& rule : combine_rules())
    for (std::size_t k = 0; k < with_kernels.size(); ++k)
      if (rule.method == with_kernels[k]) {
        const auto from = divergences.begin() + static_cast<std::ptrdiff_t>(k * tried.size());
        const auto least = std::min_element(from, from + static_cast<std::ptrdiff_t>(tried.size()));
        result.bandwidth[std::string(rule.name)] = tried[static_cast<std::size_t>(least - from)];
      }

  std::vector<std::map<std::string, std::vector<double>>> made(length.repetitions);
  std::vector<std::map<std::string, double>> divergence(length.repetitions);
  in_parallel(length.repetitions, [&](std::size_t repetition) {
    const auto note = [&](const std::string& method, std::vector<double> draws) {
      divergence[repetition][method] = from_exact(draws);
      if (repetition == 0) made[repetition][method] = std::move(draws);
    };
    if (repetition < 3) note("exact", exact_draws(target, length.draws, 2000 + repetition));
    for (const auto& [method, step] : result.step)
      note(method, gradient_draws(target, method, step, length, 100 + repetition));
    const auto draws = repetition == 0 ? first : draws_of_parts(target, models, length, repetition);
    for (const auto& rule : combine_rules()) {
      const std::string name(rule.name);
      note(name, combined(target, draws, rule.method, 0, 1 + repetition));
      if (has_kernels(rule.method))
        note(name + ", tuned", combined(target, draws, rule.method, result.bandwidth.at(name), 1 + repetition));
    }
  });
  for (const auto& own : divergence)
    for (const auto& [method, found] : own) result.divergence[method].push_back(found);
  result.shown = std::move(made.front());
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

const std::vector<std::string> methods = {"exact",
                                          "sgld",
                                          "sghmc",
                                          "consensus",
                                          "parametric",
                                          "swiss",
                                          "barycentre",
                                          "nonparametric",
                                          "nonparametric, tuned",
                                          "semiparametric",
                                          "semiparametric, tuned",
                                          "weierstrass",
                                          "weierstrass, tuned"};

figure::Panel scatter(const Target& target, const Repeated& found, const std::vector<std::string>& shown) {
  const std::size_t first = 0, second = target.dimension == 4 ? 2 : 1;
  const std::string labels[] = {"theta 1", target.dimension == 4 ? "theta 3" : "theta 2"};
  figure::Panel panel(target.name, {labels[0]}, {labels[1]});
  for (const auto& method : shown) {
    const auto draws = found.shown.find(method);
    if (draws == found.shown.end()) continue;
    std::vector<figure::Point> points;
    const std::size_t count = draws->second.size() / target.dimension, every = std::max<std::size_t>(1, count / 250);
    for (std::size_t k = 0; k < count; k += every)
      points.push_back({draws->second[k * target.dimension + first], draws->second[k * target.dimension + second]});
    panel.points(method, points);
  }
  return panel;
}

/// Shares of the draws in the figure near each of the modes: those whose first coordinates differ by more than 0.1.
std::pair<double, double> near_modes(const std::vector<double>& draws) {
  const std::size_t count = draws.size() / 4, every = std::max<std::size_t>(1, count / 250);
  double first = 0, second = 0, all = 0;
  for (std::size_t k = 0; k < count; k += every, ++all) {
    first += draws[4 * k] - draws[4 * k + 2] > 0.1;
    second += draws[4 * k + 2] - draws[4 * k] > 0.1;
  }
  return {first / all, second / all};
}

/// The share of draws whose locations are closer to each other than half the distance of the modes.
double between_modes(const std::vector<double>& draws) {
  double inside = 0;
  for (std::size_t k = 0; k + 4 <= draws.size(); k += 4)
    inside += std::hypot(draws[k] - draws[k + 2], draws[k + 1] - draws[k + 3]) < 0.14;
  return inside / (static_cast<double>(draws.size()) / 4);
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words, "divide_and_conquer", false);
  Length length;
  if (arguments.quick) length = {100, 1, 500};
  if (arguments.iterations > 0) length.iterations = arguments.iterations;
  if (arguments.repetitions > 0) length.repetitions = arguments.repetitions;
  const std::vector<std::size_t> dimensions =
      arguments.quick ? std::vector<std::size_t>{2, 6} : std::vector<std::size_t>{2, 4, 8, 16};
  std::vector<Target> targets = {heavy_tails(), mixture(arguments.quick ? 1000 : 10000), warped()};
  for (const std::size_t d : dimensions) targets.push_back(normal_mean(d));

  std::vector<Repeated> found;
  std::vector<std::vector<std::string>> lines;
  for (const auto& method : methods) lines.push_back({method == "exact" ? "nuts, other seeds" : method});
  std::vector<std::string> head = {"method"};
  for (const auto& target : targets) {
    found.push_back(compare(target, length));
    const Repeated& own = found.back();
    std::printf("%s: %s; %.1f s\n", target.name.c_str(), target.words.c_str(), own.seconds);
    for (const auto& [method, step] : own.step) std::printf("  step of %s: %g\n", method.c_str(), step);
    for (const auto& [method, h] : own.bandwidth) std::printf("  bandwidth of %s: %g\n", method.c_str(), h);
    head.push_back(target.name);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const auto values = own.divergence.find(methods[m]);
      const double middle =
          values == own.divergence.end() ? std::numeric_limits<double>::infinity() : median(values->second);
      std::printf("  %-22s %8.3f\n", methods[m].c_str(), middle);
      lines[m].push_back(std::isfinite(middle) ? digits(middle, 2) : "diverged");
    }
    std::fflush(stdout);
  }

  const std::vector<std::string> in_thesis = {"sgld", "sghmc", "consensus", "nonparametric, tuned",
                                              "weierstrass, tuned"};
  std::vector<figure::Panel> panels;
  for (std::size_t k = 0; k < 3; ++k) {
    panels.push_back(
        scatter(targets[k], found[k], {"exact", "consensus", "nonparametric, tuned", "weierstrass, tuned", "sgld"}));
    figure::Panel boxes(targets[k].name, {""}, {"KL divergence"});
    for (const auto& [method, label] : std::vector<std::pair<std::string, std::string>>{{"sgld", "sgld"},
                                                                                        {"sghmc", "sghmc"},
                                                                                        {"consensus", "cons."},
                                                                                        {"nonparametric, tuned", "KDE"},
                                                                                        {"weierstrass, tuned", "W."}})
      if (const auto values = found[k].divergence.find(method); values != found[k].divergence.end())
        boxes.box(method, label, values->second);
    panels.push_back(boxes);
  }
  figure::write_svg(arguments.out / "divide-and-conquer-targets.svg", panels, 2);
  figure::Panel growth("normal mean", {"dimension"}, {"KL divergence"});
  for (const std::string method :
       {"sgld", "sghmc", "consensus", "semiparametric", "nonparametric, tuned", "weierstrass, tuned"}) {
    std::vector<figure::Point> points;
    for (std::size_t k = 3; k < targets.size(); ++k)
      if (const auto values = found[k].divergence.find(method); values != found[k].divergence.end())
        points.push_back({static_cast<double>(targets[k].dimension), median(values->second)});
    growth.line(method, points);
  }
  figure::write_svg(arguments.out / "divide-and-conquer-dimension.svg", {growth}, 1);

  Page page(arguments.out, "divide-and-conquer", "Divide and conquer beside stochastic gradients");
  page.text(
      "Baker (2019), section 2.4.2: rows are dealt into 20 parts, each part is sampled by NUTS with the prior to the "
      "power "
      "1/20, and the draws are [combined](../divide-and-conquer.md); beside it `sgld` and `sghmc` (three steps to a "
      "trajectory) on all rows with minibatches of 50. `examples/papers/divide_and_conquer.cpp` (`--out DIR`) writes "
      "this "
      "page and its figures.");
  page.text(
      "**Differences from the thesis.** It leaves scales, degrees of freedom and lengths open. Here: a t with 3 "
      "degrees of "
      "freedom and correlation 0.5; normals of unit variance at (-0.1, -0.1) and (0.1, 0.1), whose posterior has two "
      "modes "
      "that overlap; x ~ N(θ1 + θ2², 2) with N(0, 1) priors; means of normals with correlations 0.5^|i-j|. Each method "
      "gives " +
      std::to_string(length.draws) + " draws, `sgld` and `sghmc` from " + std::to_string(length.iterations) +
      " iterations, and is repeated " + std::to_string(length.repetitions) +
      " times on the same data. Where there are two modes, `sgld` and `sghmc` have five times as many iterations. "
      "Their step "
      "sizes are the best of six by the same divergence, as in the thesis; so are bandwidths of rules with kernels "
      "where the table says \"tuned\" (of 0.15, 0.3, 0.6, 1.2 sd of a part, and what the rule chooses). The divergence "
      "is KL(exact ‖ "
      "method) by "
      "tenth neighbours. Exact draws of the mixture have the labels of every other draw exchanged.");
  page.figure("Draws and divergences for three targets", "divide-and-conquer-targets.svg");
  page.text("Medians over repetitions; 0 is exact, and the first line shows the error of the estimate itself.");
  page.table(head, lines);
  page.figure("Divergence by dimension", "divide-and-conquer-dimension.svg");

  page.text(
      "**Kernels.** Rules that multiply kernel estimates of 20 parts need wide kernels, or they follow the noise of "
      "single draws: with 20 normal parts of 1,000 draws in two dimensions, whose product is known, kernels of 0.3, 1 "
      "and 3 sd have divergences of 0.44, 0.013 and 0 with `semiparametric`, of 0.45, 0.014 and 0 with `weierstrass`. "
      "Curved posteriors and those with several modes need narrow ones: hence the difference between the lines with "
      "and without \"tuned\" for the second and the third target. Numbers below 0 come from draws that are closer "
      "together than exact ones, as those of `semiparametric` are in 16 dimensions.");
  page.text("**Two modes.** Where the draws in the figure are, in % (exact ones: half near each mode):");
  std::vector<std::vector<std::string>> places;
  for (const std::string method : {"sgld", "consensus", "nonparametric, tuned", "weierstrass, tuned"}) {
    const auto [first, second] = near_modes(found[1].shown[method]);
    places.push_back({method, digits(100 * first, 2), digits(100 * (1 - first - second), 2), digits(100 * second, 2)});
  }
  page.table({"method", "one mode", "between", "the other"}, places);
  page.text(
      "Parts of 500 rows cannot tell apart two locations this close: each subposterior covers both modes and the "
      "region "
      "between, so the product of their kernel estimates keeps both modes, with too many draws between them. `sgld` "
      "crosses from one mode to the other rarely: the shares of the modes are off, and its draws are wider than exact "
      "ones. `sghmc`, with five times as many iterations as elsewhere, crosses more often.");
  page.text(
      "**Other differences.** For heavy tails all of sgld, sghmc, consensus and Weierstrass are within the spread of "
      "their repetitions of 0, so that only KDE stands out. On the warped target the medians of sgld, KDE and "
      "Weierstrass differ by less than their repetitions do; sghmc is best.");
  const auto at = [&](std::size_t target, const std::string& method) {
    const auto values = found[target].divergence.find(method);
    return values == found[target].divergence.end() ? std::numeric_limits<double>::infinity() : median(values->second);
  };
  const auto numbers = [&](std::size_t target, const std::vector<std::string>& some) {
    std::string text;
    for (const auto& method : some) text += (text.empty() ? "" : ", ") + method + " " + digits(at(target, method), 2);
    return text;
  };
  const auto best_of = [&](std::size_t target) {
    return *std::min_element(in_thesis.begin(), in_thesis.end(),
                             [&](const auto& a, const auto& b) { return at(target, a) < at(target, b); });
  };
  constexpr double alike = 0.03;  // of divergences, given their error
  page.finding("heavy tails: sghmc is best", numbers(0, in_thesis), at(0, "sghmc") <= at(0, best_of(0)) + alike);
  page.finding("heavy tails: consensus and Weierstrass follow closely",
               numbers(0, {"sghmc", "consensus", "weierstrass, tuned"}),
               std::max(at(0, "consensus"), at(0, "weierstrass, tuned")) < at(0, "sghmc") + 0.1);
  page.finding("heavy tails: KDE and sgld are worst",
               numbers(0, {"nonparametric, tuned", "sgld", "consensus", "weierstrass, tuned"}),
               std::min(at(0, "nonparametric, tuned"), at(0, "sgld")) >
                   std::max({at(0, "consensus"), at(0, "weierstrass, tuned"), at(0, "sghmc")}));
  const double share = between_modes(found[1].shown["consensus"]), share_exact = between_modes(found[1].shown["exact"]);
  page.finding("two modes: consensus has one mode, between the two",
               digits(100 * share, 2) + " % of its draws have nearly equal locations, of exact ones " +
                   digits(100 * share_exact, 2) + " %",
               share > 2 * share_exact && share > 0.3);
  page.finding("two modes: KDE and Weierstrass do not find both modes either, and are hardly better",
               numbers(1, {"consensus", "nonparametric, tuned", "weierstrass, tuned"}),
               std::min(at(1, "nonparametric, tuned"), at(1, "weierstrass, tuned")) > 0.5 * at(1, "consensus"));
  page.finding("two modes: sgld is best", numbers(1, in_thesis), at(1, "sgld") <= at(1, best_of(1)) + alike);
  page.finding("warped: stochastic gradients are best", numbers(2, in_thesis),
               std::max(at(2, "sgld"), at(2, "sghmc")) <
                   std::min({at(2, "consensus"), at(2, "nonparametric, tuned"), at(2, "weierstrass, tuned")}));
  page.finding("warped: Weierstrass is better than KDE, and KDE than consensus",
               numbers(2, {"weierstrass, tuned", "nonparametric, tuned", "consensus"}),
               at(2, "weierstrass, tuned") < at(2, "nonparametric, tuned") &&
                   at(2, "nonparametric, tuned") < at(2, "consensus"));
  const std::size_t low = 3, high = targets.size() - 1;
  page.finding("normal: consensus is best in all dimensions", numbers(high, in_thesis),
               at(high, "consensus") <= at(high, best_of(high)) + alike &&
                   at(low, "consensus") <= at(low, best_of(low)) + alike);
  page.finding("normal: KDE collapses as the dimension grows",
               numbers(low, {"nonparametric, tuned"}) + " in " + std::to_string(targets[low].dimension) +
                   " dimensions, " + digits(at(high, "nonparametric, tuned"), 2) + " in " +
                   std::to_string(targets[high].dimension),
               at(high, "nonparametric, tuned") > 5 * std::max(0.05, at(low, "nonparametric, tuned")));
  page.finding("normal: Weierstrass scales much better than KDE",
               numbers(high, {"weierstrass, tuned", "nonparametric, tuned"}),
               at(high, "weierstrass, tuned") < 0.3 * at(high, "nonparametric, tuned"));
  page.write();
  return 0;
}
