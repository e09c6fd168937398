// Runs of classifiers: one method with one setting, its errors on validation and test rows as it goes on, and files in
// which finished runs are saved.
#pragma once

#include "classifier_rows.hpp"
#include "cpu_time.hpp"
#include "page.hpp"

#include <sgmcmc/chain.hpp>
#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/mode.hpp>
#include <sgmcmc/sample.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace sgmcmc {

/// Runs end after so many iterations or seconds of computation, whichever comes first.
struct Limit {
  std::uint64_t iterations = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();

  bool operator==(const Limit&) const = default;

  double share(std::uint64_t iteration, double used) const {
    return std::max(static_cast<double>(iteration) / static_cast<double>(iterations), used / seconds);
  }
  /// A part of it.
  Limit part(double share) const {
    Limit own = *this;
    if (std::isfinite(seconds))
      own.seconds *= share;
    else
      own.iterations = static_cast<std::uint64_t>(share * static_cast<double>(iterations));
    return own;
  }
  std::string text() const {
    return std::isfinite(seconds) ? digits(seconds) + " s" : std::to_string(iterations) + " iterations";
  }
};

struct Problem {
  std::string name;
  Rows train, validation, test;
  std::size_t hidden;
  bool boltzmann;
  std::int64_t batch;
  Limit limit;
  Model model;
};

inline Problem problem_of(std::string name, Rows train, Rows validation, Rows test, std::size_t hidden, bool boltzmann,
                          std::int64_t batch, double prior_precision, const Limit& limit) {
  Model model(
      Dataset::Builder().real("x", train.x, {static_cast<std::int64_t>(train.columns)}).integer("y", train.y).build());
  const auto logits = logits_of(model, train, hidden, boltzmann, 1 / std::sqrt(prior_precision));
  model.likelihood(categorical_logit_lpmf(model.row("y"), logits));
  return {std::move(name),
          std::move(train),
          std::move(validation),
          std::move(test),
          hidden,
          boltzmann,
          batch,
          limit,
          model};
}

/// The probabilities of the classes of each row.
inline std::vector<double> predictions(const Problem& problem, const Rows& rows, std::span<const double> theta) {
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

inline double error_rate(const Rows& rows, const std::vector<double>& sums) {
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
  std::string short_text() const { return delay > 0 ? digits(value, 1) : digits(value, 3); }
  std::string text() const {
    return delay > 0 ? "step " + digits(value, 1) + " (1 + t/" + digits(delay, 6) + ")^-" + digits(power, 2)
                     : "α = " + digits(value, 3);
  }
};

/// Moves by steps of one method, a few at a time.
class Steps {
 public:
  Steps(const Problem& problem, const Limit& limit, const Setting& setting, std::uint64_t seed)
      : problem_(problem),
        setting_(setting),
        seed_(seed),
        together_(std::clamp<std::uint64_t>(limit.iterations / 100, 10, 200)) {
    SampleOptions options;
    options.method(setting.method == "sgd" ? "sgld" : setting.method);
    options.gradient.minibatch.batch_size = problem.batch;
    options.seed = seed;
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
      return;
    }
    SgdOptions options;  // for some iterations, with one step size
    options.iterations = together_;
    options.averaged_share = 0;
    options.step_size = StepSize(0.5 * setting_.value *
                                 std::pow(1 + static_cast<double>(iteration_) / setting_.delay, -setting_.power));
    const auto found = find_mode(problem_.model, options, gradient_, theta_, 1000000 * seed_ + iteration_);
    if (found.report.reason == StopReason::gradient_not_finite) throw DivergenceError("sgd: steps are too large");
    theta_ = found.theta;
    iteration_ += together_;
  }

  std::span<const double> theta() const { return setting_.method == "sgd" ? theta_ : chain_->position(); }
  std::uint64_t iteration() const { return iteration_; }

 private:
  const Problem& problem_;
  Setting setting_;
  std::uint64_t seed_, together_;
  GradientOptions gradient_;
  std::optional<Chain> chain_;
  std::vector<double> theta_;  // of sgd
  std::uint64_t iteration_ = 0;
};

struct Look {
  double seconds;
  std::uint64_t iteration;
  double validation, test, single;  // errors: of predictions averaged since burn-in; of the last draw, on test rows
};

struct Course {
  std::vector<Look> looks;
  bool diverged = false;

  double validation() const { return looks.empty() || diverged ? 1.0 : looks.back().validation; }
  Look end() const { return looks.empty() || diverged ? Look{0, 0, 1, 1, 1} : looks.back(); }
  /// The test error at the last look within these iterations and seconds.
  double at(std::uint64_t iteration, double seconds) const {
    double found = 1;
    if (diverged) return found;
    for (const Look& look : looks)
      if ((look.iteration <= iteration && look.seconds <= seconds * (1 + 1e-9)) || &look == &looks.front())
        found = look.test;
    return found;
  }
};

inline Course run_course(const Problem& problem, const Limit& limit, const Setting& setting, std::uint64_t seed) {
  std::vector<double> shares;  // of the run, at which to look
  for (int k = 0; k < 10; ++k) shares.push_back(0.01 * std::pow(25.0, k / 10.0));
  for (int k = 0; k <= 15; ++k) shares.push_back(0.25 + 0.05 * k);
  Course course;
  const Rows *validation = &problem.validation, *test = &problem.test;
  std::vector<double> validation_sums(validation->count() * validation->classes),
      test_sums(test->count() * test->classes);
  try {
    Steps steps(problem, limit, setting, seed);
    double used = 0, burn_in = 1.0 / 64;
    for (const double share : shares) {
      const double start = cpu_seconds();
      double now = used;
      while (limit.share(steps.iteration(), now) < share) {
        steps.go_on();
        now = used + cpu_seconds() - start;
      }
      used = now;
      if (share >= burn_in && burn_in < 0.3) {  // the first quarter of what has been run is burn-in
        std::fill(validation_sums.begin(), validation_sums.end(), 0.0);
        std::fill(test_sums.begin(), test_sums.end(), 0.0);
        while (burn_in <= share) burn_in *= 4;
      }
      const auto add = [&](const Rows& rows, std::vector<double>& sums) {
        const auto single = predictions(problem, rows, steps.theta());
        if (!std::isfinite(single.front())) throw DivergenceError("not finite");
        for (std::size_t k = 0; k < sums.size(); ++k)
          sums[k] = setting.method == "sgd" ? single[k] : sums[k] + single[k];  // an optimiser has one answer
        return error_rate(rows, single);
      };
      add(*validation, validation_sums);
      const double single = add(*test, test_sums);
      course.looks.push_back(
          {used, steps.iteration(), error_rate(*validation, validation_sums), error_rate(*test, test_sums), single});
    }
  } catch (const DivergenceError&) {
    course.diverged = true;
  }
  return course;
}

/// A finished run in a file of its own. A file of another experiment, or of other rows, is not read.
class SavedCourse {
 public:
  SavedCourse(const std::filesystem::path& folder, const Problem& problem, const Limit& limit, const Setting& setting,
              std::uint64_t seed)
      : path_(folder / ((problem.boltzmann ? "machine-" : "network-") + setting.method + "-" + setting.short_text() +
                        "-" + (limit == problem.limit ? std::to_string(seed) : "trial") + ".csv")),
        words_("# " + problem.name + ": " + std::to_string(problem.train.count()) + " rows, " +
               std::to_string(problem.hidden) + " hidden units, batches of " + std::to_string(problem.batch) + ", " +
               setting.method + ", " + setting.text() + ", " + limit.text() + ", seed " + std::to_string(seed)) {}

  std::optional<Course> read() const {
    std::ifstream file(path_);
    std::string line;
    if (!std::getline(file, line) || line != words_ || !std::getline(file, line)) return std::nullopt;
    Course course;
    while (std::getline(file, line)) {
      if (line == "end") return course;
      if (line == "diverged") {
        course.diverged = true;
        continue;
      }
      std::istringstream words(line);
      Look look{};
      char comma = 0;
      words >> look.seconds >> comma >> look.iteration >> comma >> look.validation >> comma >> look.test >> comma >>
          look.single;
      course.looks.push_back(look);
    }
    return std::nullopt;  // cut short
  }

  void write(const Course& course) const {
    std::filesystem::create_directories(path_.parent_path());
    const std::filesystem::path partial = path_.string() + ".partial";
    {
      std::ofstream file(partial);
      file << words_ << "\nseconds,iteration,validation error,test error,of the last draw\n";
      file.precision(9);
      for (const Look& look : course.looks)
        file << look.seconds << "," << look.iteration << "," << look.validation << "," << look.test << ","
             << look.single << "\n";
      if (course.diverged) file << "diverged\n";
      file << "end\n";
    }
    std::filesystem::rename(partial, path_);
  }

 private:
  std::filesystem::path path_;
  std::string words_;
};

}  // namespace sgmcmc
