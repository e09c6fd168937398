// The cost of a given accuracy against the number of rows: logistic regression with 10 coefficients, 10^4 to 10^7 rows,
// sglm-cv, sgld, sghmc, nuts, and consensus of 20 parts that are sampled by nuts.
//
// Accuracy: means within 0.1 posterior sd and sds within 10 % (root mean squares over coefficients), from then on.
// Cost: seconds of one processor core, including warm-up, the search for the mode and curvature, all parts and the
// combination. The reference is the normal approximation at the mode, whose own error is a few percent at 10^4 rows and
// vanishes with more. Costs of methods that would need more than `patience` seconds, going by the last number of rows,
// are extrapolated, if they reached the accuracy there.
#include "arguments.hpp"
#include "cpu_time.hpp"
#include "in_parallel.hpp"
#include "page.hpp"

#include <sgmcmc/combine.hpp>
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/figure.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/sample.hpp>
#include <sgmcmc/subposterior.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

constexpr std::size_t columns = 10;
constexpr std::int64_t batch = 500;
constexpr std::uint64_t parts = 20;
constexpr double tolerance = 0.1;
constexpr std::uint32_t leapfrogs = 5;  // of a trajectory of sghmc

Model regression(std::size_t rows) {
  std::vector<double> x(rows * columns), uniform(rows);
  std::vector<std::int32_t> y(rows);
  fill_normal({1, 0, 0, Purpose::data}, x);
  fill_uniform({2, 0, 0, Purpose::data}, uniform);
  for (std::size_t i = 0; i < rows; ++i) {
    double* row = x.data() + i * columns;
    row[0] = 1;
    for (std::size_t j = 2; j < columns; ++j) row[j] = 0.5 * row[j - 1] + std::sqrt(0.75) * row[j];
    double eta = -0.5;
    for (std::size_t j = 1; j < columns; ++j) eta += 0.5 * std::sin(2.0 * static_cast<double>(j)) * row[j];
    y[i] = uniform[i] < 1 / (1 + std::exp(-eta));
  }
  Model model(Dataset::Builder().real("x", x, {static_cast<std::int64_t>(columns)}).integer("y", y).build());
  const auto beta = model.parameter("beta", {static_cast<std::int64_t>(columns)});
  model.prior(normal_lpdf(beta, 0, 5));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  return model;
}

struct Moments {
  std::vector<double> mean, sd;
};

using Draws = std::vector<double>;  // one after another

Moments moments_of(const Draws& draws, std::size_t from, std::size_t to) {
  Moments found{std::vector<double>(columns), std::vector<double>(columns)};
  const auto count = static_cast<double>(to - from);
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t k = from; k < to; ++k) found.mean[j] += draws[k * columns + j] / count;
    for (std::size_t k = from; k < to; ++k) found.sd[j] += std::pow(draws[k * columns + j] - found.mean[j], 2) / count;
    found.sd[j] = std::sqrt(found.sd[j]);
  }
  return found;
}

/// Root mean squares over coefficients.
struct Errors {
  double mean = 0, sd = 0;
  double larger() const { return std::max(mean, sd); }
  std::string text() const { return "means " + digits(mean, 3) + ", sds " + digits(sd, 2); }
};

Errors errors_of(const Moments& found, const Moments& truth) {
  Errors errors;
  for (std::size_t j = 0; j < columns; ++j) {
    errors.mean += std::pow((found.mean[j] - truth.mean[j]) / truth.sd[j], 2) / columns;
    errors.sd += std::pow(found.sd[j] / truth.sd[j] - 1, 2) / columns;
  }
  return {std::sqrt(errors.mean), std::sqrt(errors.sd)};
}

Draws draws_of(const SampleResult& result) {
  Draws all;
  for (std::size_t k = 0; k < result.draws.draws(0); ++k) {
    const auto draw = result.draws.draw(0, k);
    all.insert(all.end(), draw.begin(), draw.end());
  }
  return all;
}

SampleOptions options_for(const std::string& method, std::int64_t rows, std::uint64_t iterations) {
  SampleOptions options;
  options.method(method == "consensus" ? "nuts" : method);
  options.threads = 1;
  options.zero_variance = ZeroVarianceForm::none;
  options.iterations = iterations;
  options.gradient.minibatch.batch_size = std::min<std::int64_t>(batch, rows);
  if (method == "nuts" || method == "consensus") {
    options.warmup = 200;
    return options;
  }
  // In coordinates in which the posterior is standard normal, gradients of a minibatch have variance N/n: the variance
  // of sgld is too large by about step N / (4 n), of which 10 % are allowed here.
  options.precondition = Precondition::dense;
  options.warmup = 0;
  if (method == "sglm-cv") {
    options.step_size(0.5);
  } else if (method == "sgld") {
    options.step_size(std::min(0.4, 0.4 * batch / static_cast<double>(rows)));
  } else {
    auto& sghmc = std::get<SghmcOptions>(options.sampler);
    sghmc.trajectory_length = leapfrogs;
    sghmc.friction = 0.1;
    options.step_size(std::min(0.1, 0.04 * batch / static_cast<double>(rows)));
  }
  return options;
}

/// Two digits, without an exponent.
std::string rounded(double seconds) {
  const double unit = seconds < 100 ? 1 : std::pow(10.0, std::floor(std::log10(seconds)) - 1);
  return seconds < 100 ? digits(seconds, 2) : digits(unit * std::round(seconds / unit), 6);
}

struct Cost {
  double seconds = 0;  // to the accuracy; infinite: it was not reached
  double setup = 0;    // of these, before the first draw
  double spent = 0;
  Errors errors{};  // at the end
};

Draws consensus_draws(const Model& model, std::uint64_t count) {
  std::vector<PartDraws> made(parts);
  for (std::uint64_t part = 0; part < parts; ++part) {
    auto options = options_for("consensus", model.rows(), count);
    options.seed = seed_of_part(1, {part + 1, parts});
    made[part].chains.push_back(draws_of(sample(subposterior(model, {part + 1, parts}), options)));
  }
  return combine_draws(columns, made).chains.front();
}

/// Takes the processor time at the first draw after warm-up.
class FirstDraw final : public DrawsSink {
 public:
  void begin(std::span<const std::string>, std::size_t, std::size_t) override {}
  void write(std::size_t, std::span<const double>, double) override {
    if (!at_) at_ = cpu_seconds();
  }
  double at() const { return at_.value(); }

 private:
  std::optional<double> at_;
};

/// passes: through the rows, of sgld and sghmc.
Cost cost_of(const std::string& method, const Model& model, const Moments& truth, double passes, std::uint64_t seed) {
  const double start = cpu_seconds();
  Draws draws;
  double setup = 0;
  if (method == "consensus") {
    draws = consensus_draws(model, 400);
    setup = cpu_seconds() - start;  // all of it: nothing is known before all parts are done
  } else {
    const double per_pass = static_cast<double>(model.rows()) / static_cast<double>(batch);
    const std::uint64_t iterations =
        method == "nuts" ? 400
        : method == "sglm-cv"
            ? 4000
            : static_cast<std::uint64_t>(std::max(4000.0, passes * per_pass / (method == "sghmc" ? leapfrogs : 1)));
    auto options = options_for(method, model.rows(), 1);
    options.seed = seed;
    options.iterations = iterations;
    options.thin = std::max<std::uint64_t>(1, iterations / 4000);
    FirstDraw first;
    options.sink = &first;
    draws = draws_of(sample(model, options));
    setup = first.at() - start;
  }
  const double all = cpu_seconds() - start;
  const std::size_t count = draws.size() / columns;
  Cost cost{std::numeric_limits<double>::infinity(), setup, all, errors_of(moments_of(draws, 0, count), truth)};
  for (std::size_t length = count; length >= 32; length = length * 3 / 4) {
    if (errors_of(moments_of(draws, 0, length), truth).larger() > tolerance) break;
    cost.seconds = setup + (all - setup) * static_cast<double>(length) / static_cast<double>(count);
  }
  return cost;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words, "scaling", false);
  std::vector<std::size_t> sizes = arguments.quick ? std::vector<std::size_t>{1000, 3000}
                                                   : std::vector<std::size_t>{10'000, 100'000, 1'000'000, 10'000'000};
  if (arguments.rows > 0) std::erase_if(sizes, [&](std::size_t rows) { return rows > arguments.rows; });
  if (sizes.empty()) {
    std::fprintf(stderr, "scaling: --rows must be at least %d\n", arguments.quick ? 1000 : 10000);
    return 2;
  }
  const double patience = arguments.quick ? 20 : 100, passes = arguments.quick ? 300 : 3000;
  const std::vector<std::string> methods = {"sglm-cv", "sgld", "sghmc", "nuts", "consensus"};
  std::map<std::string, std::vector<std::optional<Cost>>> found;
  std::vector<std::vector<std::string>> lengths;  // of sgld
  Errors short_parts, long_parts;                 // of consensus
  for (std::size_t place = 0; place < sizes.size(); ++place) {
    const std::size_t rows = sizes[place];
    const Model model = regression(rows);
    SampleOptions options;
    options.method("laplace");
    options.iterations = 40000;
    options.threads = 1;
    const auto reference = draws_of(sample(model, options));
    const Moments truth = moments_of(reference, 0, reference.size() / columns);
    for (const auto& method : methods) found[method].resize(sizes.size());
    in_parallel(methods.size(), [&](std::size_t k) {
      const std::string& method = methods[methods.size() - 1 - k];  // the slowest first
      auto& costs = found.at(method);
      if (place > 0) {
        const double growth =
            method == "sglm-cv" ? 2.0 : static_cast<double>(rows) / static_cast<double>(sizes[place - 1]);
        if (!costs[place - 1] || costs[place - 1]->spent * growth > patience) return;
      }
      costs[place] = cost_of(method, model, truth, passes, 1);
    });
    for (const auto& method : methods)
      if (const auto& cost = found[method][place])
        std::printf("%9zu rows  %-10s %8.3f s to the accuracy; %s after %.1f s\n", rows, method.c_str(), cost->seconds,
                    cost->errors.text().c_str(), cost->spent);
      else
        std::printf("%9zu rows  %-10s left out\n", rows, method.c_str());
    std::fflush(stdout);
    if (place > 0) continue;
    // Is it bias or length? Seeds and lengths of sgld; longer chains of the parts.
    const std::size_t seeds = arguments.quick ? 2 : 4;
    for (const double share : {0.4, 1.0}) {
      std::vector<Cost> runs(seeds);
      in_parallel(seeds, [&](std::size_t k) { runs[k] = cost_of("sgld", model, truth, share * passes, 2 + k); });
      double least = runs[0].errors.mean, most = least, sd = 0;
      for (const Cost& one : runs) {
        least = std::min(least, one.errors.mean);
        most = std::max(most, one.errors.mean);
        sd += one.errors.sd / static_cast<double>(seeds);
      }
      lengths.push_back({std::to_string(rows), digits(share * passes, 4), digits(least, 2) + " to " + digits(most, 2),
                         digits(sd, 2)});
    }
    if (place == 0) {
      short_parts = found["consensus"][0]->errors;
      const Draws draws = consensus_draws(model, arguments.quick ? 400 : 4000);
      long_parts = errors_of(moments_of(draws, 0, draws.size() / columns), truth);
    }
  }
  figure::Panel panel("cost of means within 0.1 sd and sds within 10 %", {"rows", figure::Scale::logarithmic},
                      {"seconds of one core", figure::Scale::logarithmic});
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> measured;  // up to how many rows
  for (const auto& method : methods) {
    std::vector<figure::Point> points;
    std::vector<std::string> line = {method};
    double known = std::numeric_limits<double>::infinity(), known_rows = 1;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const auto& cost = found[method][k];
      const auto rows = static_cast<double>(sizes[k]);
      if (cost && std::isfinite(cost->seconds)) {
        points.push_back({rows, cost->seconds});
        known = cost->seconds;
        known_rows = rows;
        line.push_back(digits(cost->seconds, 2));
      } else if (cost) {
        line.push_back("not reached (" + cost->errors.text() + ")");
        known = std::numeric_limits<double>::infinity();
      } else {
        line.push_back(std::isfinite(known) ? rounded(known * rows / known_rows) + " (extrapolated)" : "left out");
      }
    }
    if (!points.empty()) panel.line(method, points).points(method, points);
    lines.push_back(line);
    std::size_t run = 0;
    while (run + 1 < sizes.size() && found[method][run + 1]) ++run;
    measured.push_back(method + " to " + std::to_string(sizes[run]));
  }
  figure::write_svg(arguments.out / "scaling.svg", {panel}, 1);
  Page page(arguments.out, "scaling", "Cost against the number of rows");
  page.text(
      "Logistic regression with 10 coefficients on simulated rows; seconds of one processor core until means are "
      "within 0.1 posterior sd and sds within 10 % of those of the posterior (root mean squares over coefficients), "
      "including warm-up, the search for the mode, all parts and their combination. `sgld`, `sghmc` and `sglm-cv` have "
      "minibatches of " +
      std::to_string(batch) +
      " and coordinates in which the posterior is about standard normal; "
      "steps of the first two shrink with the number of rows, as their gradient noise demands, and they run for " +
      digits(passes, 4) +
      " passes through the rows. `consensus` has 20 parts, each sampled by `nuts`: on 20 machines it "
      "takes a twentieth of the time. Methods whose run would take more than " +
      digits(patience) +
      " s are not run: where they reached the accuracy with the largest number of rows that was measured, their costs "
      "are extrapolated from that, in proportion to the rows; otherwise they are left out. One run each, two of them "
      "at a time. `examples/papers/scaling.cpp` (`--out DIR`, `--rows MOST`) writes this page.");
  page.figure("Cost against the number of rows", "scaling.svg");
  std::vector<std::string> head = {"seconds"};
  for (const std::size_t rows : sizes) head.push_back(std::to_string(rows) + " rows");
  page.table(head, lines);
  std::string list;
  for (const auto& one : measured) list += (list.empty() ? "" : ", ") + one;
  page.text("**Measured, and not.** Runs were made up to these numbers of rows: " + list +
            ". The figure shows the costs of runs that reached the accuracy. Numbers marked \"extrapolated\" are not "
            "measurements; they assume that the same passes through the rows are enough.");
  std::vector<std::vector<std::string>> parts_of_cost;
  double least_draws = std::numeric_limits<double>::infinity(), most_draws = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (const auto& cost = found["sglm-cv"][k]; cost && std::isfinite(cost->seconds)) {
      const double draws = cost->seconds - cost->setup;
      least_draws = std::min(least_draws, draws);
      most_draws = std::max(most_draws, draws);
      parts_of_cost.push_back({std::to_string(sizes[k]), digits(cost->setup, 2), digits(draws, 2),
                               digits(1e9 * cost->setup / static_cast<double>(sizes[k]), 3)});
    }
  page.text("**Where sglm-cv spends its time.** Set-up: the passes that find the mode and the curvature there.");
  page.table({"rows", "set-up, s", "draws until the accuracy, s", "set-up, ns per row"}, parts_of_cost);
  page.text(
      "**What limits sgld.** In these coordinates a minibatch of n of N rows gives gradients with variance N/n, so a "
      "step "
      "h inflates variances by h N / (4n): with h = 0.4 n/N by 10 %, sds by 5 %. That is its floor at every N, and it "
      "is within the accuracy. An independent draw takes about 4/h iterations, or 10 passes. Means within 0.1 sd need "
      "100 such draws: 1,000 passes. Whether 1,000 passes suffice depends on the seed. Errors over " +
      std::string(arguments.quick ? "two" : "four") + " seeds:");
  page.table({"rows", "passes of sgld", "error of means, sd", "error of sds"}, lengths);
  page.text("**What limits consensus.** With " + std::to_string(sizes[0]) +
            " rows, chains of 400 draws for each part give "
            "errors of " +
            short_parts.text() + "; chains ten times as long " + long_parts.text() +
            ". What remains is bias: each part has " + std::to_string(sizes[0] / parts) + " rows for " +
            std::to_string(columns) +
            " coefficients, so its posterior is skewed. All parts are skewed in the same direction, and averaging does "
            "not remove that.");
  const auto seconds = [&](const std::string& method, std::size_t k) {
    return found[method][k] ? found[method][k]->seconds : std::numeric_limits<double>::infinity();
  };
  std::size_t last = 0;  // largest size at which both reached the accuracy
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (std::isfinite(seconds("nuts", k)) && std::isfinite(seconds("sglm-cv", k))) last = k;
  page.finding("control variates: the cost hardly grows with N beyond the passes that find the mode",
               "draws of sglm-cv until the accuracy: " + digits(least_draws, 2) + " to " + digits(most_draws, 2) +
                   " s at all numbers of rows; with set-up " + digits(seconds("sglm-cv", 0), 2) + " s with " +
                   std::to_string(sizes[0]) + ", " + digits(seconds("sglm-cv", last), 2) + " s with " +
                   std::to_string(sizes[last]) + ", where nuts takes " + digits(seconds("nuts", 0), 2) + " and " +
                   digits(seconds("nuts", last), 2) + " s (one run each)",
               most_draws < 3 * least_draws);
  std::size_t both = sizes.size();
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (std::isfinite(seconds("sgld", k)) && std::isfinite(seconds("nuts", k))) both = k;
  const bool reached = both < sizes.size();
  page.finding(
      "without control variates, stochastic gradients cost as many passes as exact methods do, up to a factor of 3",
      reached ? "sgld " + digits(seconds("sgld", both), 2) + " s, nuts " + digits(seconds("nuts", both), 2) +
                    " s with " + std::to_string(sizes[both]) + " rows (one run each)"
              : "sgld did not reach the accuracy at any number of rows where nuts did",
      reached && seconds("sgld", both) > seconds("nuts", both) / 3 &&
          seconds("sgld", both) < 3 * seconds("nuts", both));
  page.write();
  return 0;
}
