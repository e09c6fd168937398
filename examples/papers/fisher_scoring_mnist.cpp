// Fisher scoring against Langevin dynamics (Ahn, Korattikara, Welling 2012, section 5.1, figures 1 and 2): logistic
// regression of the digits 7 and 9 on 50 random projections of their pixels, 10,000 rows, with sgfs-full, sgfs-diagonal
// and sgld, beside a long run of nuts.
//
//     fisher_scoring_mnist [FOLDER] [--out FOLDER] [--quick]
//
// FOLDER has train-images-idx3-ubyte and train-labels-idx1-ubyte, unpacked. Without it made-up rows are used.

#include "timed_runs.hpp"

#include <sgmcmc/figure.hpp>
#include <sgmcmc/sgmcmc.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace sgmcmc;

namespace {

constexpr std::size_t projections = 50, columns = projections + 1;  // the intercept comes last
constexpr std::int64_t batch_size = 500;

struct Arguments {
  std::filesystem::path data, out = "fisher-scoring";
  bool quick = false;
};

Arguments read_arguments(int count, char** words) {
  Arguments arguments;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    if (word == "--quick")
      arguments.quick = true;
    else if (word == "--out" && k + 1 < count)
      arguments.out = words[++k];
    else if (!word.starts_with("--") && arguments.data.empty())
      arguments.data = word;
    else
      throw std::runtime_error("usage: fisher_scoring_mnist [FOLDER] [--out FOLDER] [--quick]");
  }
  return arguments;
}

struct Rows {
  std::vector<double> x;  // rows x columns
  std::vector<std::int32_t> y;
};

std::vector<unsigned char> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + " cannot be read; unpack the MNIST files there");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Pixels in [0, 1] times a fixed matrix of independent normals, of variance 1 / pixels.
Rows read_rows(const std::filesystem::path& folder, std::size_t most) {
  constexpr std::size_t pixels = 784;
  const auto images = read_bytes(folder / "train-images-idx3-ubyte"),
             labels = read_bytes(folder / "train-labels-idx1-ubyte");
  if (labels.size() < 8 || images.size() != 16 + (labels.size() - 8) * pixels)
    throw std::runtime_error(folder.string() + " does not hold the images and labels of MNIST");
  std::vector<double> matrix(pixels * projections);
  fill_normal({1, 0, 0, Purpose::data}, matrix);
  Rows rows;
  for (std::size_t i = 0; i + 8 < labels.size() && rows.y.size() < most; ++i) {
    if (labels[8 + i] != 7 && labels[8 + i] != 9) continue;
    std::vector<double> x(columns, 0.0);
    for (std::size_t p = 0; p < pixels; ++p) {
      const double ink = images[16 + i * pixels + p] / 255.0 / std::sqrt(static_cast<double>(pixels));
      if (ink > 0)
        for (std::size_t j = 0; j < projections; ++j) x[j] += ink * matrix[p * projections + j];
    }
    x.back() = 1.0;
    rows.x.insert(rows.x.end(), x.begin(), x.end());
    rows.y.push_back(labels[8 + i] == 7 ? 1 : 0);
  }
  return rows;
}

/// Correlated columns of the same size, labels from fixed coefficients.
Rows made_up_rows(std::size_t count) {
  Rows rows;
  std::vector<double> z(projections + 5), uniform(1);
  for (std::size_t i = 0; i < count; ++i) {
    fill_normal({2, 0, i, Purpose::data}, z);
    fill_uniform({3, 0, i, Purpose::data}, uniform);
    double eta = 0;
    for (std::size_t j = 0; j < projections; ++j) {
      const double x = 0.15 * z[j] + 0.25 * z[projections + j % 5];
      rows.x.push_back(x);
      eta += 2.0 * std::sin(1.7 * static_cast<double>(j)) * x;
    }
    rows.x.push_back(1.0);
    rows.y.push_back(uniform[0] < 1.0 / (1.0 + std::exp(-eta)) ? 1 : 0);
  }
  return rows;
}

Model regression(const Rows& rows) {
  Model model(Dataset::Builder().real("x", rows.x, {static_cast<std::int64_t>(columns)}).integer("y", rows.y).build());
  const auto beta = model.parameter("beta", {static_cast<std::int64_t>(columns)});
  model.prior(normal_lpdf(beta, 0, 1));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  return model;
}

/// Figure 1: the pair of parameters whose marginal is nearest to that of the reference, and the farthest one.
void add_marginals(std::vector<figure::Panel>& panels, const TimedRun& run, const Moments& reference) {
  const DrawPoints points = run.points();
  const Moments found = moments_of(points);
  std::pair<std::size_t, std::size_t> near{0, 1}, far{0, 1};
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double here = difference(found, reference, i, j);
      if (here < difference(found, reference, near.first, near.second)) near = {i, j};
      if (here > difference(found, reference, far.first, far.second)) far = {i, j};
    }
  for (const auto& [pair, word] : {std::pair{near, "nearest"}, std::pair{far, "farthest"}}) {
    const auto [i, j] = pair;
    figure::Panel panel(run.method + ", " + word + " pair", {"beta[" + std::to_string(i + 1) + "]"},
                        {"beta[" + std::to_string(j + 1) + "]"});
    std::vector<figure::Point> scatter;
    const std::size_t step = points.count() / 500 | 1;  // odd: a chain may overshoot to and fro
    for (std::size_t k = 0; k < points.count(); k += step) scatter.push_back({points.point(k)[i], points.point(k)[j]});
    panel.points("draws", std::move(scatter));
    panel.ellipse("nuts", {reference.mean[i], reference.mean[j]}, reference.covariance_of(i, j));
    panel.ellipse("sgfs", {found.mean[i], found.mean[j]}, found.covariance_of(i, j));
    panels.push_back(std::move(panel));
  }
}

}  // namespace

int main(int count, char** words) try {
  const Arguments arguments = read_arguments(count, words);
  std::filesystem::create_directories(arguments.out);
  const std::size_t rows = arguments.quick ? 1000 : 10'000;
  const Model model = regression(arguments.data.empty() ? made_up_rows(rows) : read_rows(arguments.data, rows));
  const double seconds = arguments.quick ? 0.15 : 5.0;

  SampleOptions exact;
  exact.method("nuts");
  if (!arguments.quick) std::get<NutsOptions>(exact.sampler).metric = Metric::dense;
  exact.chains = 2;
  exact.warmup = arguments.quick ? 150 : 500;
  exact.iterations = arguments.quick ? 300 : 3'000;
  exact.initial_radius = 0.1;
  const auto nuts = sample(model, exact);
  std::vector<std::size_t> all(columns);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const DrawPoints reference = draw_points(nuts.draws, all);
  const Moments target = moments_of(reference);
  const RelativeErrors floor = relative_errors(draw_points(nuts.draws, all, 0, ChainPart::first_half),
                                               draw_points(nuts.draws, all, 0, ChainPart::second_half), 1);
  std::printf("nuts: %zu draws in %.0f s; between its halves E1 %.4f, E2 %.4f\n", reference.count(), nuts.seconds,
              floor.mean, floor.covariance);
  std::fflush(stdout);

  std::vector<TimedRun> runs;
  const auto mode = find_mode(model).theta;
  const auto add = [&](const std::string& method, const std::string& setting, SampleOptions options) {
    options.gradient.minibatch.batch_size = arguments.quick ? batch_size / 5 : batch_size;
    options.zero_variance = ZeroVarianceForm::none;
    options.initial = {{"beta", mode}};
    options.threads = 1;
    try {
      runs.push_back(run_for(model, options, reference, arguments.quick ? 200 : 3000, seconds, 400'000));
    } catch (const DivergenceError&) {
      std::printf("%-14s %-10s diverged\n", method.c_str(), setting.c_str());
      return;
    }
    TimedRun& run = runs.back();
    run.method = method;
    run.setting = setting;
    std::printf("%-14s %-10s %6.1f us per draw, 1/ATUC %9.3g, E1 %.4f, E2 %.4f, sds %.3f of those of nuts\n",
                method.c_str(), setting.c_str(), 1e6 * run.seconds_per_iteration, run.mixing, run.late.mean,
                run.late.covariance, mean_sd_ratio(run, target));
    std::fflush(stdout);
  };
  for (const double alpha : {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0}) {
    const std::string setting = "alpha " + std::to_string(static_cast<int>(alpha));
    SampleOptions options;
    options.sampler = SgfsFullOptions{.alpha = alpha};
    add("sgfs-full", setting, options);
    options.sampler = SgfsDiagonalOptions{.alpha = alpha};
    add("sgfs-diagonal", setting, options);
  }
  for (const double step : {3e-3, 2e-3, 1e-3, 5e-4, 1e-4, 5e-5, 1e-5, 5e-6, 1e-6}) {
    char setting[32];
    std::snprintf(setting, sizeof setting, "%.0e", step);
    SampleOptions options;
    options.method("sgld").step_size(step);
    add("sgld", setting, options);
  }

  std::ofstream table(arguments.out / "errors.csv");
  table << "method,setting,seconds_per_draw,mixing,E1_early,E2_early,E1,E2,sd_ratio\n";
  for (const TimedRun& run : runs)
    table << run.method << ',' << run.setting << ',' << run.seconds_per_iteration << ',' << run.mixing << ','
          << run.early.mean << ',' << run.early.covariance << ',' << run.late.mean << ',' << run.late.covariance << ','
          << mean_sd_ratio(run, target) << '\n';

  std::vector<figure::Panel> panels;
  for (const char* method : {"sgfs-full", "sgfs-diagonal"})
    for (const TimedRun& run : runs)
      if (run.method == method && run.setting == "alpha 0") add_marginals(panels, run, target);
  figure::write_svg(arguments.out / "marginals.svg", panels, 2);

  panels.clear();
  char early[48], late[48];
  std::snprintf(early, sizeof early, "after %g s", seconds / 10);
  std::snprintf(late, sizeof late, "after %g s", seconds);
  for (const bool mean : {true, false})
    for (const bool final : {false, true}) {
      panels.push_back(error_panel(std::string(mean ? "means, " : "covariances, ") + (final ? late : early), runs,
                                   {"sgfs-full", "sgfs-diagonal", "sgld"}, mean, final));
    }
  figure::write_svg(arguments.out / "errors.svg", panels, 2);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
