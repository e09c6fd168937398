// Exercises on stochastic gradient Langevin dynamics (Welling and Teh 2011, sections 5.1 and 5.2, and a student's
// solution): the mixture of two normals with tied means and decreasing steps, and logistic regression on a9a with a
// Laplace prior.
//
//     sgld_exercises [FOLDER] [--out FOLDER] [--quick]
//
// FOLDER has a9a and a9a.t, unpacked. Without it made-up rows of the same size are used.
#include "arguments.hpp"
#include "page.hpp"

#include <sgmcmc/chain.hpp>
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/figure.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/sample.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

// The mixture: x ~ N(theta1, 2) / 2 + N(theta1 + theta2, 2) / 2, theta1 ~ N(0, 10), theta2 ~ N(0, 1); 100 rows from (0,
// 1)
// ----------------------------------------------------------------------------------------------------------------------

constexpr std::size_t rows = 100;
constexpr double step_a = 0.23, step_b = 231, step_gamma = 0.55;  // from 0.01 to 0.0001 in 10,000 passes, as the paper

std::vector<double> mixture_rows() {
  std::vector<double> x(rows), uniform(rows);
  fill_normal({2011, 0, 0, Purpose::data}, x);
  fill_uniform({2011, 1, 0, Purpose::data}, uniform);
  for (std::size_t i = 0; i < rows; ++i) x[i] = std::sqrt(2.0) * x[i] + (uniform[i] < 0.5 ? 0.0 : 1.0);
  return x;
}

double log_density(const std::vector<double>& x, double first, double second) {
  double sum = -first * first / 20 - second * second / 2;
  for (const double value : x)
    sum += std::log(0.5 * std::exp(-std::pow(value - first, 2) / 4) +
                    0.5 * std::exp(-std::pow(value - first - second, 2) / 4));
  return sum;
}

struct Grid {
  static constexpr std::size_t size = 60;
  static constexpr double least = -1.5, width = 4.0 / size, second_least = -3, second_width = 6.0 / size;
  std::vector<double> share = std::vector<double>(size * size);

  void add(double first, double second, double weight) {
    const double i = std::floor((first - least) / width), j = std::floor((second - second_least) / second_width);
    if (i >= 0 && i < size && j >= 0 && j < size)
      share[static_cast<std::size_t>(i) * size + static_cast<std::size_t>(j)] += weight;
  }
  void normalise() {
    double total = 0;
    for (const double one : share) total += one;
    for (double& one : share) one /= total;
  }
  double above_zero() const {  // the mode with theta2 > 0
    double sum = 0;
    for (std::size_t k = 0; k < share.size(); ++k) sum += k % size >= size / 2 ? share[k] : 0.0;
    return sum;
  }
  double distance(const Grid& other) const {  // total variation
    double sum = 0;
    for (std::size_t k = 0; k < share.size(); ++k) sum += std::abs(share[k] - other.share[k]);
    return 0.5 * sum;
  }
};

struct MixtureRun {
  Grid found;
  std::vector<figure::Point> shown;
  std::size_t changes = 0;  // of mode
};

MixtureRun run_mixture(const std::vector<double>& x, std::uint64_t passes, std::uint64_t seed) {
  Model model(Dataset::Builder().real("x", x).build());
  const auto first = model.parameter("theta1"), second = model.parameter("theta2");
  model.prior(normal_lpdf(first, 0, std::sqrt(10.0)));
  model.prior(normal_lpdf(second, 0, 1));
  const double sd = std::sqrt(2.0);
  model.likelihood(
      log_mix(0.5, normal_lpdf(model.row("x"), first, sd), normal_lpdf(model.row("x"), first + second, sd)));
  SampleOptions options;
  options.method("sgld");
  std::get<SgldOptions>(options.sampler).schedule = Schedule::polynomial(step_b, step_gamma);
  options.step_size(step_a);
  options.gradient.minibatch.batch_size = 1;
  options.initial = {{"theta1", {0.0}}, {"theta2", {1.0}}};
  options.seed = seed;
  Chain chain(model, options);
  MixtureRun run;
  const std::uint64_t iterations = passes * rows, every = std::max<std::uint64_t>(1, iterations / 1500);
  bool positive = true;
  for (std::uint64_t t = 0; t < iterations; ++t) {
    chain.step();
    const auto at = chain.position();
    run.found.add(at[0], at[1], chain.draw_weight());
    if (at[1] > 0.5 && !positive) positive = true, ++run.changes;
    if (at[1] < -0.5 && positive) positive = false, ++run.changes;
    if (t % every == 0) run.shown.push_back({at[0], at[1]});
  }
  run.found.normalise();
  return run;
}

// The settings of the exercise's code: rows that are means of two normals, 10,000 steps 0.015 (1 + t)^-0.55 with the
// gradient of the first row only, times 100; its gradient of the prior divides by sds, not variances
// ----------------------------------------------------------------------------------------------------------------------

struct ExerciseRun {
  std::size_t changes = 0;       // of mode
  double first = 0, second = 0;  // means of theta1 - (the first row) and of theta2
  double sd_first = 0, sd_second = 0;
  std::size_t modes = 0;  // of the posterior of all rows, on a grid
};

ExerciseRun run_exercise(std::uint64_t seed) {
  std::vector<double> x(rows), other(rows), noise(2);
  fill_normal({seed, 2, 0, Purpose::data}, x);
  fill_normal({seed, 3, 0, Purpose::data}, other);
  for (std::size_t i = 0; i < rows; ++i) x[i] = 0.5 * std::sqrt(2.0) * x[i] + 0.5 * (1 + std::sqrt(2.0) * other[i]);
  ExerciseRun run;
  constexpr int width = 60;
  std::vector<double> density;
  for (int i = 0; i <= width; ++i)
    for (int j = 0; j <= width; ++j) density.push_back(log_density(x, -1.5 + 4.0 * i / width, -3 + 6.0 * j / width));
  for (int i = 1; i < width; ++i)
    for (int j = 1; j < width; ++j) {
      const auto at = [&](int p, int q) { return density[static_cast<std::size_t>(p * (width + 1) + q)]; };
      bool highest = true;
      for (int p = i - 1; p <= i + 1; ++p)
        for (int q = j - 1; q <= j + 1; ++q) highest = highest && ((p == i && q == j) || at(p, q) < at(i, j));
      run.modes += highest;
    }
  double first = 0, second = 1, first_square = 0, second_square = 0;
  bool positive = true;
  constexpr std::uint64_t iterations = 10'000;
  for (std::uint64_t t = 1; t <= iterations; ++t) {
    const double step = 0.015 * std::pow(1 + static_cast<double>(t), -step_gamma);
    const double a = x[0] - first, b = x[0] - first - second;
    const double share = 1 / (1 + std::exp((b * b - a * a) / 4));  // of the second component
    fill_normal({seed, 4, t, Purpose::noise}, noise);
    const double for_first = -first / std::sqrt(10.0) + rows * ((1 - share) * a + share * b) / 2;
    const double for_second = -second + rows * share * b / 2;
    first += step / 2 * for_first + std::sqrt(step) * noise[0];
    second += step / 2 * for_second + std::sqrt(step) * noise[1];
    if (second > 0.5 && !positive) positive = true, ++run.changes;
    if (second < -0.5 && positive) positive = false, ++run.changes;
    run.first += (first - x[0]) / iterations;
    run.second += second / iterations;
    first_square += std::pow(first - x[0], 2) / iterations;
    second_square += second * second / iterations;
  }
  run.sd_first = std::sqrt(first_square - run.first * run.first);
  run.sd_second = std::sqrt(second_square - run.second * run.second);
  return run;
}

// Logistic regression on a9a: 32,561 rows, 123 features and an intercept, Laplace(0, 1) priors, minibatches of 10
// ----------------------------------------------------------------------------------------------------------------------

constexpr std::size_t columns = 124;  // the intercept comes last

struct Rows {
  std::vector<double> x;
  std::vector<std::int32_t> y;
};

Rows read_libsvm(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) {
    std::fprintf(stderr, "%s cannot be read; unpack a9a and a9a.t there\n", path.c_str());
    std::exit(1);
  }
  Rows made;
  std::string line, word;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    if (!(words >> word)) continue;
    made.y.push_back(std::atof(word.c_str()) > 0 ? 1 : 0);
    made.x.resize(made.x.size() + columns);
    double* row = made.x.data() + made.x.size() - columns;
    row[columns - 1] = 1;
    while (words >> word) {
      const auto colon = word.find(':');
      const auto column = static_cast<std::size_t>(std::atoi(word.c_str()));
      if (column >= 1 && column < columns) row[column - 1] = std::atof(word.c_str() + colon + 1);
    }
  }
  return made;
}

/// Fourteen features of each row are 1, as in a9a.
Rows made_up_rows(std::size_t count, std::uint64_t seed) {
  Rows made;
  std::vector<double> uniform(15), coefficient(columns);
  fill_normal({77, 0, 0, Purpose::data}, coefficient);
  for (std::size_t i = 0; i < count; ++i) {
    fill_uniform({seed, 0, i, Purpose::data}, uniform);
    made.x.resize(made.x.size() + columns);
    double* row = made.x.data() + made.x.size() - columns;
    row[columns - 1] = 1;
    double eta = -2;
    for (std::size_t k = 0; k < 14; ++k) {
      const std::size_t column = 8 * k + static_cast<std::size_t>(8 * uniform[k] * uniform[k]);
      row[column] = 1;
      eta += coefficient[column];
    }
    made.y.push_back(uniform[14] < 1 / (1 + std::exp(-eta)) ? 1 : 0);
  }
  return made;
}

struct Accuracy {
  double passes = 0, of_draw = 0, of_average = 0, log_joint = 0;
};

std::vector<Accuracy> run_regression(const Rows& train, const Rows& test, double passes, std::uint64_t seed) {
  Model model(
      Dataset::Builder().real("x", train.x, {static_cast<std::int64_t>(columns)}).integer("y", train.y).build());
  const auto beta = model.parameter("beta", {static_cast<std::int64_t>(columns)});
  model.prior(laplace_lpdf(beta, 0, 1));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  constexpr std::int64_t batch = 10;
  const double iterations_of_pass = static_cast<double>(train.y.size()) / batch;
  SampleOptions options;
  options.method("sgld");
  options.step_size(4e-5);
  std::get<SgldOptions>(options.sampler).schedule = Schedule::decay(iterations_of_pass, 0.55);
  options.gradient.minibatch.batch_size = batch;
  options.initial = {{"beta", std::vector<double>(columns, 0.0)}};
  options.seed = seed;
  Chain chain(model, options);
  std::vector<double> average(test.y.size());
  double weight = 0;
  std::vector<Accuracy> course;
  double next = 0.05;
  const auto look = [&] {
    const auto theta = chain.position();
    Accuracy now{static_cast<double>(chain.iteration()) / iterations_of_pass, 0, 0, 0};
    weight += chain.draw_weight();
    for (std::size_t i = 0; i < test.y.size(); ++i) {
      double eta = 0;
      for (std::size_t k = 0; k < columns; ++k) eta += test.x[i * columns + k] * theta[k];
      const double p = 1 / (1 + std::exp(-eta));
      average[i] += chain.draw_weight() * (p - average[i]) / weight;
      now.of_draw += (p > 0.5) == (test.y[i] == 1);
      now.of_average += (average[i] > 0.5) == (test.y[i] == 1);
    }
    now.of_draw /= static_cast<double>(test.y.size());
    now.of_average /= static_cast<double>(test.y.size());
    now.log_joint = chain.log_posterior() / static_cast<double>(train.y.size());
    course.push_back(now);
  };
  while (course.empty() || course.back().passes < passes - 1e-9) {
    while (static_cast<double>(chain.iteration()) < next * iterations_of_pass - 0.5) chain.step();
    look();
    next = std::abs(next - 0.95) < 1e-9 ? 1 : next < 1 ? next + 0.05 : next + 0.25;
  }
  return course;
}

const Accuracy& at(const std::vector<Accuracy>& course, double passes) {
  return *std::min_element(course.begin(), course.end(), [&](const auto& a, const auto& b) {
    return std::abs(a.passes - passes) < std::abs(b.passes - passes);
  });
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words, "sgld_exercises", true);
  const std::uint64_t passes = arguments.quick ? 300 : 10000;
  const auto x = mixture_rows();
  Grid exact;
  for (std::size_t i = 0; i < Grid::size; ++i)
    for (std::size_t j = 0; j < Grid::size; ++j) {
      const double first = Grid::least + (static_cast<double>(i) + 0.5) * Grid::width,
                   second = Grid::second_least + (static_cast<double>(j) + 0.5) * Grid::second_width;
      exact.share[i * Grid::size + j] = std::exp(log_density(x, first, second) - log_density(x, 0, 1));
    }
  exact.normalise();
  const MixtureRun run = run_mixture(x, passes, 1), brief = run_mixture(x, std::min<std::uint64_t>(passes, 100), 1);
  std::printf(
      "mixture: share of the mode with theta2 > 0: exact %.3f, sgld %.3f; total variation %.3f; %zu changes of mode in "
      "%llu passes, %zu in the first 100\n",
      exact.above_zero(), run.found.above_zero(), exact.distance(run.found), run.changes,
      static_cast<unsigned long long>(passes), brief.changes);
  figure::Panel plane("sgld, draws", {"theta 1"}, {"theta 2"});
  plane.points("draws", run.shown);
  figure::Panel marginal("marginal of theta 2", {"theta 2"}, {"density"});
  const auto marginal_of = [](const Grid& grid) {
    std::vector<figure::Point> points;
    for (std::size_t j = 0; j < Grid::size; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < Grid::size; ++i) sum += grid.share[i * Grid::size + j];
      points.push_back(
          {Grid::second_least + (static_cast<double>(j) + 0.5) * Grid::second_width, sum / Grid::second_width});
    }
    return points;
  };
  marginal.line("exact", marginal_of(exact)).line("sgld", marginal_of(run.found));
  figure::write_svg(arguments.out / "sgld-exercises-mixture.svg", {plane, marginal}, 2);

  std::vector<ExerciseRun> exercise;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) exercise.push_back(run_exercise(seed));

  const bool real = !arguments.data.empty();
  const Rows train = real ? read_libsvm(std::filesystem::path(arguments.data) / "a9a")
                          : made_up_rows(arguments.quick ? 5000 : 32561, 1);
  const Rows test = real ? read_libsvm(std::filesystem::path(arguments.data) / "a9a.t")
                         : made_up_rows(arguments.quick ? 2000 : 16281, 2);
  std::vector<std::vector<Accuracy>> courses;
  for (std::uint64_t seed = 1; seed <= (arguments.quick ? 1U : 5U); ++seed)
    courses.push_back(run_regression(train, test, arguments.quick ? 2 : 10, seed));
  const double last = courses[0].back().passes;
  const auto mean_at = [&](double when, double Accuracy::*what) {
    double sum = 0;
    for (const auto& course : courses) sum += at(course, when).*what / static_cast<double>(courses.size());
    return sum;
  };
  const double first_pass = mean_at(1, &Accuracy::of_average), tenth = mean_at(last, &Accuracy::of_average);
  const double first_joint = mean_at(1, &Accuracy::log_joint), last_joint = mean_at(last, &Accuracy::log_joint),
               start_joint = std::log(0.5);  // all coefficients are 0
  std::printf("a9a: test accuracy after 1 pass %.4f (draw %.4f), after %g passes %.4f (draw %.4f)\n", first_pass,
              mean_at(1, &Accuracy::of_draw), last, tenth, mean_at(last, &Accuracy::of_draw));
  figure::Panel accuracy("test accuracy", {"passes"}, {"accuracy"}),
      joint("log joint probability of a row", {"passes"}, {"log joint"});
  std::vector<figure::Point> draw, average, log_joint;
  for (const auto& point : courses[0]) {
    draw.push_back({point.passes, point.of_draw});
    average.push_back({point.passes, point.of_average});
    log_joint.push_back({point.passes, point.log_joint});
  }
  accuracy.line("one draw", draw).line("average of draws", average);
  joint.line("one draw", log_joint);
  figure::write_svg(arguments.out / "sgld-exercises-a9a.svg", {accuracy, joint}, 2);

  const auto range = [&](auto member) {
    const auto [least, most] = std::minmax_element(exercise.begin(), exercise.end(),
                                                   [&](const auto& a, const auto& b) { return a.*member < b.*member; });
    return std::pair{(*least).*member, (*most).*member};
  };
  const auto range_text = [&](auto member) {
    const auto [least, most] = range(member);
    return digits(static_cast<double>(least), 2) + " to " + digits(static_cast<double>(most), 2);
  };
  Page page(arguments.out, "sgld-exercises", "Exercises on stochastic gradient Langevin dynamics");
  page.text(
      "Welling and Teh (2011), sections 5.1 and 5.2, and a student's solution of the exercises made from them. "
      "`examples/papers/sgld_exercises.cpp` (`FOLDER --out DIR`, FOLDER with a9a and a9a.t, unpacked) writes this page "
      "and its "
      "figures; the third exercise, [counts of animals](binomial-n.md), has its own page.");
  page.text(
      "## The mixture\n\nx ~ ½ N(θ1, 2) + ½ N(θ1 + θ2, 2) with θ1 ~ N(0, 10), θ2 ~ N(0, 1); 100 rows simulated with θ "
      "= (0, 1), so that the "
      "posterior has a second mode near (1, -1). Minibatches of one row, steps 0.23 (231 + t)^-0.55, which fall from "
      "0.01 to 0.0001 in " +
      std::to_string(passes) + " passes; draws are weighted by their steps.");
  page.figure("Draws of the mixture, and the marginal of theta 2", "sgld-exercises-mixture.svg");
  const auto [fewest_modes, most_modes] = range(&ExerciseRun::modes);
  page.text(
      "**The settings of the exercise** are others: each of its 100 rows is a mean of two normals, so that they have "
      "variance 1 instead of 2.25; "
      "steps are 0.015 (1 + t)^-0.55, for 10,000 iterations from (0, 1); and each iteration uses the first row, x1, "
      "whose gradient counts 100 times. With 20 seeds for rows and chains, the posterior of all rows has " +
      (fewest_modes == most_modes ? std::to_string(most_modes)
                                  : std::to_string(fewest_modes) + " to " + std::to_string(most_modes)) +
      (most_modes == 1 ? " mode" : " modes") + ". The chain stays around (x1, 0): the mean of θ1 is x1 + (" +
      range_text(&ExerciseRun::first) + ") with sds of " + range_text(&ExerciseRun::sd_first) + ", that of θ2 is " +
      range_text(&ExerciseRun::second) + " with sds of " + range_text(&ExerciseRun::sd_second) + ".");
  page.text("## a9a\n\nLogistic regression on " + std::string(real ? "a9a" : "made-up rows like those of a9a") + ": " +
            std::to_string(train.y.size()) +
            " rows, 123 features and an intercept, Laplace(0, 1) priors, minibatches of 10 rows, steps 4e-5 (1 + t / "
            "3256)^-0.55, tested on " +
            std::to_string(test.y.size()) + " rows; means of " + std::to_string(courses.size()) + " seeds.");
  page.figure("Test accuracy and log joint probability by passes", "sgld-exercises-a9a.svg");
  page.table({"", "1 pass", digits(last, 2) + " passes"},
             {{"test accuracy, average of draws", digits(first_pass, 4), digits(tenth, 4)},
              {"test accuracy, the last draw", digits(mean_at(1, &Accuracy::of_draw), 4),
               digits(mean_at(last, &Accuracy::of_draw), 4)},
              {"log joint probability of a row, the last draw", digits(first_joint, 4), digits(last_joint, 4)}});
  page.finding("the paper: the draws are those of the posterior, with both modes",
               digits(100 * run.found.above_zero(), 3) + " % of the weight at θ2 > 0, exactly " +
                   digits(100 * exact.above_zero(), 3) + " %; total variation of the histograms " +
                   digits(exact.distance(run.found), 2) + "; " + std::to_string(run.changes) +
                   " changes of mode (one run)",
               std::abs(run.found.above_zero() - exact.above_zero()) < 0.1 && run.changes > 10);
  page.finding("the exercise: the chain stays around one of the modes, (0, 1)",
               "with the exercise's settings, means of θ1 - x1 are " + range_text(&ExerciseRun::first) +
                   " and those of θ2 " + range_text(&ExerciseRun::second) +
                   ": around (x1, 0), neither of the modes; with ours, " + std::to_string(brief.changes) +
                   " changes of mode in 10,000 iterations",
               range(&ExerciseRun::second).first > 0.5 && brief.changes <= 1);
  const double risen = (first_joint - start_joint) / (last_joint - start_joint);
  page.finding("log joint probability and test accuracy converge within few passes",
               "log joint probability of a row " + digits(start_joint, 4) + " at the start, " + digits(first_joint, 4) +
                   " after one pass (" + digits(100 * risen, 2) + " % of the rise), " + digits(last_joint, 4) +
                   " after " + digits(last, 2) + "; test accuracy " + digits(first_pass, 4) + " and " +
                   digits(tenth, 4) +
                   " (the exercise gives no number, and its code visits the first ten "
                   "rows only)",
               std::abs(first_pass - tenth) < 0.005 && risen > 0.95);
  page.write();
  return 0;
}
