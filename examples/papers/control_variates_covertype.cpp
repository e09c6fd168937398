// Control variates before and after sampling (Baker: thesis, section 3.5.1, figures 3.5.1 and 3.5.2): logistic
// regression on the forest cover data with sgld, sgld-cv and sgld-saga, and posterior means of sgld-cv with and without
// zero-variance post-processing.
//
//     control_variates_covertype [FOLDER] [--out FOLDER] [--quick] [--reference FILE] [--figure 1|2]
//
// FOLDER has covtype.binary.csv: a label of 0 or 1, then 54 whole numbers, 581,012 rows, no header. Without it made-up
// rows of the same kind are used. --reference: posterior means and standard deviations, "mean sd" in each line.

#include <sgmcmc/figure.hpp>
#include <sgmcmc/sgmcmc.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

constexpr std::size_t features = 54, columns = features + 1;  // the intercept comes last
constexpr std::int64_t batch_size = 500;

struct Arguments {
  std::filesystem::path data, out = "control-variates", reference;
  std::string figure;  // one of them only
  bool quick = false;
};

Arguments read_arguments(int count, char** words) {
  Arguments arguments;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    if (word == "--quick")
      arguments.quick = true;
    else if (word == "--figure" && k + 1 < count)
      arguments.figure = words[++k];
    else if ((word == "--out" || word == "--reference") && k + 1 < count)
      (word == "--out" ? arguments.out : arguments.reference) = words[++k];
    else if (!word.starts_with("--") && arguments.data.empty())
      arguments.data = word;
    else
      throw std::runtime_error(
          "usage: control_variates_covertype [FOLDER] [--out FOLDER] [--quick] [--reference FILE]");
  }
  return arguments;
}

struct Rows {
  std::vector<double> x;  // rows x columns, in [0, 1]
  std::vector<std::int32_t> y;

  std::size_t count() const { return y.size(); }
  Dataset dataset(std::size_t begin, std::size_t end) const {
    const auto first = static_cast<std::ptrdiff_t>(begin), last = static_cast<std::ptrdiff_t>(end);
    const auto width = static_cast<std::ptrdiff_t>(columns);
    return Dataset::Builder()
        .real("x", std::vector<double>(x.begin() + first * width, x.begin() + last * width),
              {static_cast<std::int64_t>(columns)})
        .integer("y", std::vector<std::int32_t>(y.begin() + first, y.begin() + last))
        .build();
  }
};

/// Every column is scaled to [0, 1] by its own range, as LIBSVM's version of the data is.
void scale(Rows& rows) {
  for (std::size_t j = 0; j < features; ++j) {
    double least = rows.x[j], most = rows.x[j];
    for (std::size_t i = 0; i < rows.count(); ++i) {
      least = std::min(least, rows.x[i * columns + j]);
      most = std::max(most, rows.x[i * columns + j]);
    }
    const double factor = most > least ? 1.0 / (most - least) : 1.0;
    for (std::size_t i = 0; i < rows.count(); ++i) {
      double& value = rows.x[i * columns + j];
      value = (value - least) * factor;
    }
  }
}

Rows read_rows(const std::filesystem::path& folder) {
  const auto path = folder / "covtype.binary.csv";
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + " cannot be read; unpack covtype.binary.csv there");
  Rows rows;
  std::string line;
  while (std::getline(file, line)) {
    const char* next = line.c_str();
    char* end = nullptr;
    for (std::size_t j = 0; j <= features; ++j) {
      const long value = std::strtol(next, &end, 10);
      if (end == next || (j < features && *end != ','))
        throw std::runtime_error(path.string() + ", line " + std::to_string(rows.count() + 1) + ": a label and " +
                                 std::to_string(features) + " whole numbers are expected");
      if (j == 0)
        rows.y.push_back(static_cast<std::int32_t>(value));
      else
        rows.x.push_back(static_cast<double>(value));
      next = end + 1;
    }
    rows.x.push_back(1.0);
  }
  return rows;
}

/// Ten measurements, one of 4 areas and one of 40 soils, the later ones rare; labels from fixed coefficients.
Rows made_up_rows(std::size_t count) {
  Rows rows;
  std::vector<double> uniform(14);
  for (std::size_t i = 0; i < count; ++i) {
    fill_uniform({1, 0, i, Purpose::data}, uniform);
    std::vector<double> x(columns, 0.0);
    x.back() = 1.0;
    for (std::size_t j = 0; j < 10; ++j) x[j] = std::round(200.0 * (0.7 * uniform[j] + 0.3 * uniform[(j + 1) % 10]));
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

/// In an order that has nothing to do with that of the file.
void shuffle(Rows& rows) {
  std::vector<double> keys(rows.count());
  fill_uniform({2, 0, 0, Purpose::data}, keys);
  std::vector<std::size_t> order(rows.count());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  Rows result;
  result.x.reserve(rows.x.size());
  for (const std::size_t i : order) {
    const auto begin = rows.x.begin() + static_cast<std::ptrdiff_t>(i * columns);
    result.x.insert(result.x.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
    result.y.push_back(rows.y[i]);
  }
  rows = std::move(result);
}

/// Coordinates u in which the posterior is about N(0, I): beta = mode + factor u. The kink of the prior has no
/// curvature; that of a normal prior of the same variance stands in for it, and keeps apart coefficients that the data
/// do not (the four areas sum to the intercept, as do the soils).
struct Coordinates {
  std::vector<double> mode, factor;  // factor: columns x columns, by row

  Coordinates(const Rows& rows, std::vector<double> centre) : mode(std::move(centre)), factor(columns * columns) {
    std::vector<double> lower(columns * columns);  // of the curvature, then its Cholesky factor, then that's inverse
    const auto at = [&](std::size_t i, std::size_t j) -> double& { return lower[i * columns + j]; };
    for (std::size_t j = 0; j < columns; ++j) at(j, j) = 0.5;
    std::vector<std::size_t> used;
    for (std::size_t r = 0; r < rows.count(); ++r) {
      const double* x = rows.x.data() + r * columns;
      used.clear();
      double eta = 0;
      for (std::size_t j = 0; j < columns; ++j)
        if (x[j] != 0.0) {
          used.push_back(j);
          eta += x[j] * mode[j];
        }
      const double weight = 1.0 / (2.0 + std::exp(eta) + std::exp(-eta));
      for (const std::size_t i : used)
        for (const std::size_t j : used)
          if (j <= i) at(i, j) += weight * x[i] * x[j];
    }
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t i = j; i < columns; ++i) {
        for (std::size_t k = 0; k < j; ++k) at(i, j) -= at(i, k) * at(j, k);
        at(i, j) = i == j ? std::sqrt(at(i, j)) : at(i, j) / at(j, j);
      }
    for (std::size_t j = 0; j < columns; ++j)  // inverse, column by column; the factor is its transpose
      for (std::size_t i = j; i < columns; ++i) {
        double sum = i == j ? 1.0 : 0.0;
        for (std::size_t k = j; k < i; ++k) sum -= at(i, k) * factor[j * columns + k];
        factor[j * columns + i] = sum / at(i, i);
      }
  }
};

struct Regression {
  Model model;
  Expression beta;
  Expression log_predictive;  // of a row

  explicit Regression(const Dataset& data, const Coordinates* coordinates = nullptr) : model(data) {
    constexpr auto size = static_cast<std::int64_t>(columns);
    const auto parameter = model.parameter(coordinates ? "u" : "beta", {size});
    beta = coordinates ? constant(coordinates->mode) + matmul(constant(coordinates->factor, {size, size}), parameter)
                       : parameter;
    model.prior(laplace_lpdf(beta, 0, 1));
    log_predictive = bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta));
    model.likelihood(log_predictive);
  }
};

double variance(const std::vector<double>& values) {
  double mean = 0, sum = 0;
  for (const double x : values) mean += x / static_cast<double>(values.size());
  for (const double x : values) sum += (x - mean) * (x - mean);
  return sum / static_cast<double>(values.size() - 1);
}
double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Figure 3.5.1
// --------------------------------------------------------------------------------------------------------------

struct Method {
  const char* name;
  double step_size;  // on 1 % of the rows: of the thesis, table A.3.2; halved where chains diverge
};
constexpr Method methods[] = {{"sgld", 5e-4}, {"sgld-cv", 5e-4}, {"sgld-saga", 1e-3}};

struct Point {
  double passes = 0, mean = 0;
};

constexpr std::uint64_t mode_iterations = 2000;  // of Adam, before sgld-cv

/// The log predictive density of held-out rows along a chain, at iterations evenly spaced on a logarithmic scale.
std::vector<Point> follow(const Regression& regression, const Dataset& test, const char* method, double step_size,
                          double rows, const std::vector<double>& mode, std::uint64_t iterations, std::uint64_t seed) {
  SampleOptions options;
  options.method(method).step_size(step_size);
  options.gradient.minibatch.batch_size = std::min<std::int64_t>(batch_size, static_cast<std::int64_t>(rows));
  options.seed = seed;
  options.zero_variance = ZeroVarianceForm::none;
  // What was spent before the first iteration: the search for the mode and the gradient there, or a table of gradients.
  double spent = 0;
  if (options.gradient.estimator == Estimator::control_variate) {
    options.gradient.centre = mode;
    spent = static_cast<double>(mode_iterations * options.gradient.minibatch.batch_size) / rows + 1.0;
  } else if (options.gradient.estimator == Estimator::saga) {
    spent = 1.0;
  }
  Chain chain(regression.model, options);
  RowAverage log_predictive(regression.model, regression.log_predictive, test);
  std::vector<Point> points;
  double next = 1;
  for (std::uint64_t t = 0; t <= iterations; ++t) {
    if (t > 0) chain.step();
    if (t > 0 && static_cast<double>(t) < next) continue;
    next = std::max(next * 1.15, static_cast<double>(t) + 1.0);
    const double passes =
        spent + static_cast<double>(t) * static_cast<double>(options.gradient.minibatch.batch_size) / rows;
    points.push_back({passes, log_predictive.at(chain.position())});
  }
  return points;
}

void figure_of_convergence(const Rows& rows, const Arguments& arguments) {
  const std::size_t test_rows = std::min<std::size_t>(10'000, rows.count() / 5), training = rows.count() - test_rows;
  const Dataset test = rows.dataset(training, rows.count());
  const std::uint64_t iterations = arguments.quick ? 300 : 10'000, seeds = arguments.quick ? 2 : 3;
  std::vector<figure::Panel> panels;
  std::ofstream table(arguments.out / "log-predictive.csv");
  table << "share,method,passes,log_predictive\n";
  for (const double share : {0.01, 0.1, 1.0}) {
    const auto count = std::max<std::size_t>(500, static_cast<std::size_t>(share * static_cast<double>(training)));
    const Regression regression(rows.dataset(0, count));
    GradientOptions minibatches;
    minibatches.minibatch.batch_size = batch_size;
    const AdamOptions adam{.step_size = 0.05, .iterations = mode_iterations};
    const auto mode = find_mode(regression.model, adam, minibatches).theta;
    std::printf("%zu rows\n", count);
    char title[64];
    std::snprintf(title, sizeof title, "%g %% of the rows", 100 * share);
    figure::Panel panel(title, {"passes through the data", figure::Scale::logarithmic}, {"log predictive density"});
    std::vector<double> of_sgld;  // at the end, by seed
    for (const Method& method : methods) {
      std::vector<Point> mean;
      std::vector<double> ends;  // by seed
      double step = method.step_size * 0.01 * static_cast<double>(training) / static_cast<double>(count);
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        std::vector<Point> points;
        while (points.empty()) try {
            points = follow(regression, test, method.name, step, static_cast<double>(count), mode, iterations, seed);
          } catch (const DivergenceError& error) {  // begin again, all seeds with the same step
            std::printf("  %s\n", error.what());
            step /= 2;
            seed = 1;
            mean.clear();
            ends.clear();
          }
        ends.push_back(points.back().mean);
        mean.resize(points.size());
        for (std::size_t k = 0; k < points.size(); ++k) {
          mean[k].passes = points[k].passes;
          mean[k].mean += points[k].mean / static_cast<double>(seeds);
        }
      }
      std::vector<figure::Point> line;
      for (const auto& point : mean) {
        line.push_back({point.passes, point.mean});
        table << share << ',' << method.name << ',' << point.passes << ',' << point.mean << '\n';
      }
      if (of_sgld.empty()) of_sgld = ends;
      std::vector<double> gains;
      for (std::size_t k = 0; k < ends.size(); ++k) gains.push_back(ends[k] - of_sgld[k]);
      std::printf(
          "  %-10s step %.3g: log predictive density %.4f (sd over seeds %.1g) after %.3g passes; less that of sgld "
          "%.5f (%.1g)\n",
          method.name, step, mean.back().mean, std::sqrt(variance(ends)), mean.back().passes, mean_of(gains),
          std::sqrt(variance(gains)));
      std::fflush(stdout);
      panel.line(method.name, std::move(line));
    }
    panels.push_back(std::move(panel));
  }
  figure::write_svg(arguments.out / "log-predictive.svg", panels, 3);
}

// Figure 3.5.2
// --------------------------------------------------------------------------------------------------------------

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Reference {
  std::vector<double> mean, sd;
};

Reference reference_for(const Regression& regression, const Arguments& arguments) {
  Reference reference;
  if (!arguments.reference.empty()) {
    std::ifstream file(arguments.reference);
    double mean = 0, sd = 0;
    while (file >> mean >> sd) {
      reference.mean.push_back(mean);
      reference.sd.push_back(sd);
    }
    if (reference.mean.size() != columns)
      throw std::runtime_error(arguments.reference.string() + " must have 55 lines of a mean and an sd");
    return reference;
  }
  SampleOptions options;
  options.method("nuts");
  options.iterations = arguments.quick ? 300 : 1000;
  options.warmup = arguments.quick ? 200 : 500;
  options.initial_radius = 0.1;
  const auto result = sample(regression.model, options);
  for (std::size_t j = 0; j < columns; ++j) {
    reference.mean.push_back(result.zero_variance[j].mean);
    reference.sd.push_back(result.moments.standard_deviation(j));
  }
  return reference;
}

/// Rows are drawn in proportion to how much their gradients vary over the posterior, w |L' x|^2 for logistic
/// regression, mixed with a tenth of uniform sampling: the noise of control variates is then about the same in all
/// coordinates.
std::vector<double> preferences(const Rows& rows, const Coordinates& coordinates) {
  std::vector<double> sizes(rows.count());
  double total = 0;
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const double* x = rows.x.data() + i * columns;
    double eta = 0, square = 0;
    std::vector<double> turned(columns, 0.0);
    for (std::size_t j = 0; j < columns; ++j) {
      if (x[j] == 0.0) continue;
      eta += x[j] * coordinates.mode[j];
      for (std::size_t k = j; k < columns; ++k) turned[k] += x[j] * coordinates.factor[j * columns + k];
    }
    for (const double t : turned) square += t * t;
    sizes[i] = square / (2.0 + std::exp(eta) + std::exp(-eta));
    total += sizes[i];
  }
  for (double& size : sizes) size = 0.9 * size / total + 0.1 / static_cast<double>(rows.count());
  return sizes;
}

/// By coefficient, over seeds, less the reference and in posterior standard deviations.
struct Estimates {
  std::string name;
  std::vector<std::vector<double>> plain{columns}, corrected{columns}, claimed{columns};
  double seconds = 0;  // of all runs

  double ratio(std::size_t j) const { return variance(plain[j]) / variance(corrected[j]); }
};

Estimates repeat(std::string name, const Regression& regression, SampleOptions options, const Reference& reference,
                 std::uint64_t seeds) {
  Estimates estimates;
  estimates.name = std::move(name);
  const std::size_t first = options.functions.empty() ? 0 : columns;  // beta comes after the parameters
  options.store_draws = false;
  options.zero_variance = ZeroVarianceForm::linear;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    options.seed = seed;
    const auto result = sample(regression.model, options);
    estimates.seconds += result.seconds;
    for (std::size_t j = 0; j < columns; ++j) {
      const double mean = reference.mean[j], sd = reference.sd[j];
      estimates.plain[j].push_back((result.moments.mean()[first + j] - mean) / sd);
      estimates.corrected[j].push_back((result.zero_variance[first + j].mean - mean) / sd);
      estimates.claimed[j].push_back(result.zero_variance[first + j].mcse / sd);
    }
  }
  return estimates;
}

void show(const Estimates& estimates, std::ofstream& table, std::vector<figure::Panel>& panels) {
  std::vector<double> ratios;
  std::size_t tenfold = 0;
  double plain = 0, corrected = 0, honest = 0;
  figure::Panel boxes(estimates.name, {"coefficient"}, {"mean less reference / sd"});
  std::vector<figure::Point> points;
  for (std::size_t j = 0; j < columns; ++j) {
    const double ratio = estimates.ratio(j);
    ratios.push_back(ratio);
    tenfold += ratio >= 10.0 ? 1 : 0;
    plain += std::pow(mean_of(estimates.plain[j]), 2) / columns;
    corrected += std::pow(mean_of(estimates.corrected[j]), 2) / columns;
    honest += variance(estimates.corrected[j]) / std::pow(mean_of(estimates.claimed[j]), 2) / columns;
    table << estimates.name << ',' << j + 1 << ',' << mean_of(estimates.plain[j]) << ','
          << mean_of(estimates.corrected[j]) << ',' << std::sqrt(variance(estimates.plain[j])) << ','
          << std::sqrt(variance(estimates.corrected[j])) << ',' << mean_of(estimates.claimed[j]) << ',' << ratio
          << '\n';
    points.push_back({static_cast<double>(j + 1), ratio});
    if (j % 5 == 0 && j < 50) {
      boxes.box("plain mean", std::to_string(j + 1), estimates.plain[j]);
      boxes.box("with zero-variance control variates", std::to_string(j + 1), estimates.corrected[j]);
    }
  }
  figure::Panel gains(estimates.name, {"coefficient"}, {"variance, plain / corrected", figure::Scale::logarithmic});
  gains.points("variance ratio", std::move(points)).reference("10 times", 10.0);
  panels.push_back(std::move(boxes));
  panels.push_back(std::move(gains));
  std::printf("%s: %.1f s\n", estimates.name.c_str(), estimates.seconds);
  std::printf(
      "  variance of posterior means at least 10 times smaller for %zu of %zu coefficients; median ratio %.3g\n",
      tenfold, columns, median(ratios));
  std::printf(
      "  distance of the mean over seeds from the reference, root mean square in sds: %.4f plain, %.4f corrected\n",
      std::sqrt(plain), std::sqrt(corrected));
  std::printf("  standard deviation over seeds / estimated Monte Carlo error: %.2f\n", std::sqrt(honest));
}

void figure_of_means(const Rows& rows, const Arguments& arguments) {
  const Dataset data = rows.dataset(0, rows.count());
  const Regression regression(data);
  const auto reference = reference_for(regression, arguments);
  const Coordinates coordinates(rows, find_mode(regression.model).theta);
  const Regression turned(data, &coordinates);
  const std::uint64_t seeds = arguments.quick ? 5 : 20;
  std::ofstream table(arguments.out / "posterior-means.csv");
  table << "run,coefficient,bias_plain,bias_zv,sd_plain,sd_zv,mcse_zv,variance_ratio\n";
  std::vector<figure::Panel> panels;

  SampleOptions options;
  options.method("sgld-cv").step_size(5e-6 * 581'012.0 / static_cast<double>(rows.count()));
  options.gradient.minibatch.batch_size = std::min<std::int64_t>(batch_size, static_cast<std::int64_t>(rows.count()));
  options.iterations = arguments.quick ? 1000 : 20'000;
  options.gradient.centre = coordinates.mode;
  show(repeat("one step size for all coefficients", regression, options, reference, seeds), table, panels);

  options.step_size(0.1);
  options.gradient.centre.assign(columns, 0.0);
  options.functions = {{"beta", turned.beta}};
  options.warmup = options.iterations / 10;
  show(repeat("whitened coordinates", turned, options, reference, seeds), table, panels);

  options.gradient.minibatch.sampling = RowSampling::weighted;
  options.gradient.minibatch.row_probabilities = preferences(rows, coordinates);
  show(repeat("whitened coordinates and preferred rows", turned, options, reference, seeds), table, panels);
  figure::write_svg(arguments.out / "posterior-means.svg", panels, 2);
}

}  // namespace

int main(int count, char** words) try {
  const Arguments arguments = read_arguments(count, words);
  std::filesystem::create_directories(arguments.out);
  Rows rows = arguments.data.empty() ? made_up_rows(arguments.quick ? 4'000 : 100'000) : read_rows(arguments.data);
  scale(rows);
  shuffle(rows);
  if (arguments.figure != "2") figure_of_convergence(rows, arguments);
  if (arguments.figure != "1") figure_of_means(rows, arguments);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
