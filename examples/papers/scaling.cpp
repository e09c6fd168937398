// The cost of a given accuracy against the number of rows: logistic regression with 10 coefficients, 10^4 to 10^7 rows,
// sglm-cv, sgld, sghmc, nuts, and consensus of 20 parts that are sampled by nuts.
//
// Accuracy: means within 0.1 posterior sd and sds within 10 % (root mean squares over coefficients), from then on.
// Cost: seconds of one processor core, including warm-up, the search for the mode and curvature, all parts and the
// combination. The reference is the normal approximation at the mode, whose own error is a few percent at 10^4 rows and
// vanishes with more. Methods that would need more than `patience` seconds, going by the last number of rows, are left
// out.
#include "arguments.hpp"
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

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

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

double error_of(const Moments& found, const Moments& truth) {
  double mean = 0, sd = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    mean += std::pow((found.mean[j] - truth.mean[j]) / truth.sd[j], 2) / columns;
    sd += std::pow(found.sd[j] / truth.sd[j] - 1, 2) / columns;
  }
  return std::sqrt(std::max(mean, sd));
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
    sghmc.trajectory_length = 5;
    sghmc.friction = 0.1;
    options.step_size(std::min(0.1, 0.04 * batch / static_cast<double>(rows)));
  }
  return options;
}

struct Cost {
  double seconds = 0;  // to the accuracy; infinite: it was not reached
  double spent = 0;
  double error = 0;  // at the end
};

Cost cost_of(const std::string& method, const Model& model, const Moments& truth, bool quick) {
  const double start = cpu_seconds();
  Draws draws;
  double setup = 0;
  if (method == "consensus") {
    const std::uint64_t count = 400;
    std::vector<PartDraws> made(parts);
    for (std::uint64_t part = 0; part < parts; ++part) {
      auto options = options_for(method, model.rows(), count);
      options.seed = seed_of_part(1, {part + 1, parts});
      made[part].chains.push_back(draws_of(sample(subposterior(model, {part + 1, parts}), options)));
    }
    draws = combine_draws(columns, made).chains.front();
    setup = cpu_seconds() - start;  // all of it: nothing is known before all parts are done
  } else {
    const bool exact = method == "nuts";
    const double per_pass = static_cast<double>(model.rows()) / static_cast<double>(batch);
    std::uint64_t iterations = exact                 ? 400
                               : method == "sglm-cv" ? 4000
                                                     : static_cast<std::uint64_t>(std::max(4000.0, 1200 * per_pass));
    if (quick) iterations = std::min<std::uint64_t>(iterations, 4000);
    auto options = options_for(method, model.rows(), 1);
    sample(model, options);
    setup = cpu_seconds() - start;
    options = options_for(method, model.rows(), iterations);
    options.thin = std::max<std::uint64_t>(1, iterations / 4000);
    draws = draws_of(sample(model, options));
  }
  const double all = cpu_seconds() - start - (method == "consensus" ? 0.0 : setup);  // set-up was done twice
  const std::size_t count = draws.size() / columns;
  Cost cost{std::numeric_limits<double>::infinity(), cpu_seconds() - start,
            error_of(moments_of(draws, 0, count), truth)};
  for (std::size_t length = count; length >= 32; length = length * 3 / 4) {
    if (error_of(moments_of(draws, 0, length), truth) > tolerance) break;
    cost.seconds = setup + (all - setup) * static_cast<double>(length) / static_cast<double>(count);
  }
  return cost;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words, "scaling", false);
  std::vector<std::size_t> sizes = arguments.quick ? std::vector<std::size_t>{2000, 8000}
                                                   : std::vector<std::size_t>{10'000, 100'000, 1'000'000, 10'000'000};
  if (arguments.rows > 0) std::erase_if(sizes, [&](std::size_t rows) { return rows > arguments.rows; });
  if (sizes.empty()) {
    std::fprintf(stderr, "scaling: --rows must be at least %d\n", arguments.quick ? 2000 : 10000);
    return 2;
  }
  const double patience = arguments.quick ? 20 : 400;
  const std::vector<std::string> methods = {"sglm-cv", "sgld", "sghmc", "nuts", "consensus"};
  std::map<std::string, std::vector<std::optional<Cost>>> found;
  for (const std::size_t rows : sizes) {
    const Model model = regression(rows);
    SampleOptions options;
    options.method("laplace");
    options.iterations = 40000;
    options.threads = 1;
    const auto reference = draws_of(sample(model, options));
    const Moments truth = moments_of(reference, 0, reference.size() / columns);
    for (const auto& method : methods) {
      auto& costs = found[method];
      const double growth = costs.empty() || !costs.back() ? 0.0
                            : method == "sglm-cv"
                                ? 2.0
                                : static_cast<double>(rows) / static_cast<double>(sizes[costs.size() - 1]);
      if (!costs.empty() && (!costs.back() || costs.back()->spent * growth > patience)) {
        costs.emplace_back();
        std::printf("%9zu rows  %-10s left out\n", rows, method.c_str());
        continue;
      }
      costs.push_back(cost_of(method, model, truth, arguments.quick));
      std::printf("%9zu rows  %-10s %8.3f s to the accuracy; error %.3f after %.1f s\n", rows, method.c_str(),
                  costs.back()->seconds, costs.back()->error, costs.back()->spent);
      std::fflush(stdout);
    }
  }
  figure::Panel panel("cost of means within 0.1 sd and sds within 10 %", {"rows", figure::Scale::logarithmic},
                      {"seconds of one core", figure::Scale::logarithmic});
  std::vector<std::vector<std::string>> lines;
  for (const auto& method : methods) {
    std::vector<figure::Point> points;
    std::vector<std::string> line = {method};
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const auto& cost = found[method][k];
      if (cost && std::isfinite(cost->seconds)) points.push_back({static_cast<double>(sizes[k]), cost->seconds});
      line.push_back(!cost                          ? "left out"
                     : std::isfinite(cost->seconds) ? digits(cost->seconds, 2)
                                                    : "not reached (" + digits(cost->error, 2) + ")");
    }
    panel.line(method, points);
    lines.push_back(line);
  }
  figure::write_svg(arguments.out / "scaling.svg", {panel}, 1);
  Page page(arguments.out, "scaling", "Cost against the number of rows");
  page.text(
      "Logistic regression with 10 coefficients on simulated rows; seconds of one processor core until means are "
      "within 0.1 posterior "
      "sd and sds within 10 % of those of the posterior (root mean squares over coefficients), including warm-up, the "
      "search for the mode, "
      "all parts and their combination. `sgld`, `sghmc` and `sglm-cv` have minibatches of 500 and coordinates in which "
      "the posterior is about "
      "standard normal; steps of the first two shrink with the number of rows, as their gradient noise demands. "
      "`consensus` has 20 parts, each "
      "sampled by `nuts`: on 20 machines it takes a twentieth of the time. Methods that would take more than " +
      digits(patience) +
      " s are left out. `examples/papers/scaling.cpp` (`--out DIR`, `--rows MOST`) "
      "writes this page.");
  page.figure("Cost against the number of rows", "scaling.svg");
  std::vector<std::string> head = {"seconds"};
  for (const std::size_t rows : sizes) head.push_back(std::to_string(rows) + " rows");
  page.table(head, lines);
  const auto seconds = [&](const std::string& method, std::size_t k) {
    return found[method][k] ? found[method][k]->seconds : std::numeric_limits<double>::infinity();
  };
  std::size_t last = 0;  // largest size at which all that visit all rows were run
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (std::isfinite(seconds("nuts", k)) && std::isfinite(seconds("sglm-cv", k))) last = k;
  page.finding("control variates: the cost hardly grows with N beyond the passes that find the mode",
               "sglm-cv " + digits(seconds("sglm-cv", 0), 2) + " s with " + std::to_string(sizes[0]) + " rows, " +
                   digits(seconds("sglm-cv", last), 2) + " s with " + std::to_string(sizes[last]) + "; nuts " +
                   digits(seconds("nuts", 0), 2) + " and " + digits(seconds("nuts", last), 2) + " s",
               seconds("sglm-cv", last) / seconds("sglm-cv", 0) < 0.5 * seconds("nuts", last) / seconds("nuts", 0));
  std::size_t both = sizes.size();  // largest size at which both reached the accuracy
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (std::isfinite(seconds("sgld", k)) && std::isfinite(seconds("nuts", k))) both = k;
  const bool reached = both < sizes.size();
  page.finding("without control variates, stochastic gradients cost as many passes as exact methods do, up to a factor",
               reached ? "sgld " + digits(seconds("sgld", both), 2) + " s, nuts " + digits(seconds("nuts", both), 2) +
                             " s with " + std::to_string(sizes[both]) + " rows"
                       : "sgld did not reach the accuracy at any number of rows where nuts did",
               reached && seconds("sgld", both) > 0.3 * seconds("nuts", both));
  page.write();
  return 0;
}
