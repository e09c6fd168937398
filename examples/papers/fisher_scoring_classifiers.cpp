// Fisher scoring as an optimiser and sampler of classifiers (Ahn, Korattikara and Welling 2012, sections 5.2.2
// and 5.3): a network on 20 random projections of the MNIST digits, and a discriminative restricted Boltzmann machine
// on KDD99; sgfs-full, sgfs-diagonal, sgld and sgd, with settings that were chosen on validation rows, and predictions
// that are averaged over the draws.
//
//     fisher_scoring_classifiers [FOLDER] [--out FOLDER] [--quick] [--saved]
//
// FOLDER has MNIST's four idx files and kddcup.data_10_percent, unpacked. Without it made-up rows are used. Every
// finished run is saved in FOLDER/runs of the output; a program that was killed goes on with the others.
#include "arguments.hpp"
#include "classifier_courses.hpp"
#include "in_parallel.hpp"
#include "page.hpp"

#include <sgmcmc/figure.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace sgmcmc;

namespace {

const std::vector<std::string> methods = {"sgd", "sgld", "sgfs-diagonal", "sgfs-full"};

/// The paper: several values of alpha; several steps of sgd and sgld, with its schedules.
std::vector<Setting> settings_of(const std::string& method, bool boltzmann, bool quick) {
  std::vector<Setting> all;
  if (method.starts_with("sgfs")) {
    for (const double alpha : boltzmann ? std::vector{2.0, 4.0, 8.95, 20.0} : std::vector{0.25, 0.5, 1.0, 2.0})
      all.push_back({method, alpha});
  } else {
    for (const double step : boltzmann ? std::vector{1e-5, 3e-5, 1e-4, 3e-4} : std::vector{3e-5, 1e-4, 3e-4, 1e-3})
      all.push_back({method, step, boltzmann ? 100000.0 : 1000.0, boltzmann ? 0.9 : 1.0});
  }
  if (quick) all = {all[1], all[2]};
  return all;
}

struct Plan {
  std::filesystem::path runs;  // where they are saved
  bool saved;                  // only read them
};

/// Empty if only saved runs are wanted and there is none.
std::optional<Course> saved_or_run(const Plan& plan, const Problem& problem, const Setting& setting,
                                   std::uint64_t seed) {
  const SavedCourse file(plan.runs, problem, setting, seed);
  auto course = file.read();
  if (!course && plan.saved) return std::nullopt;
  if (!course) {
    course = run_course(problem, setting, seed);
    file.write(*course);
  }
  std::printf("%s: %s, %s, seed %llu: validation error %.5f, test error %.5f, %llu iterations, %.0f s%s\n",
              problem.name.c_str(), setting.method.c_str(), setting.text().c_str(),
              static_cast<unsigned long long>(seed), course->end().validation, course->end().test,
              static_cast<unsigned long long>(course->end().iteration), course->end().seconds,
              course->diverged ? ", diverged" : "");
  std::fflush(stdout);
  return course;
}

/// All runs of one method with the setting that its validation rows chose.
struct Chosen {
  Setting setting;
  std::vector<Course> courses;  // by seed
  std::string tried;            // validation errors of all settings

  double mean(const auto& number) const {
    double sum = 0;
    for (const Course& course : courses) sum += number(course);
    return sum / static_cast<double>(courses.size());
  }
  double at(std::uint64_t iteration, double seconds) const {
    return mean([&](const Course& course) { return course.at(iteration, seconds); });
  }
  double error() const {
    return mean([](const Course& course) { return course.end().test; });
  }
  /// Over seeds.
  double spread() const {
    double sum = 0;
    for (const Course& course : courses) sum += std::pow(course.end().test - error(), 2);
    return courses.size() < 2 ? 0 : std::sqrt(sum / static_cast<double>(courses.size() - 1));
  }
  /// In percent, "0.12 ± 0.01": mean and sd over seeds.
  std::string text() const {
    return digits(100 * error(), 3) + (courses.size() < 2 ? "" : " ± " + digits(100 * spread(), 2));
  }
};

std::map<std::string, Chosen> compare_methods(const Plan& plan, const Problem& problem, std::size_t seeds, bool quick) {
  std::vector<Setting> tried;  // the slowest first
  for (const auto& method : {"sgfs-full", "sgfs-diagonal", "sgld", "sgd"})
    for (const auto& setting : settings_of(method, problem.boltzmann, quick)) tried.push_back(setting);
  std::vector<std::optional<Course>> first(tried.size());
  in_parallel(tried.size(), [&](std::size_t k) { first[k] = saved_or_run(plan, problem, tried[k], 1); });
  std::map<std::string, Chosen> chosen;
  std::map<std::string, std::size_t> best;
  for (std::size_t k = 0; k < tried.size(); ++k) {
    if (!first[k]) continue;
    const auto& method = tried[k].method;
    Chosen& own = chosen[method];
    own.tried += (own.tried.empty() ? "" : ", ") + tried[k].short_text() + ": " +
                 (first[k]->diverged ? "diverged" : digits(100 * first[k]->validation(), 3));
    if (!best.contains(method) || first[k]->validation() < first[best[method]]->validation()) best[method] = k;
  }
  if (chosen.size() < methods.size()) {
    std::fprintf(stderr, "fisher_scoring_classifiers: %s has no saved run of some method\n", plan.runs.c_str());
    std::exit(1);
  }
  for (auto& [method, own] : chosen) {
    own.setting = tried[best[method]];
    own.courses.push_back(*first[best[method]]);
  }
  const std::size_t more = seeds - 1;
  std::vector<std::optional<Course>> others(methods.size() * more);  // the slowest first
  const auto method_of = [&](std::size_t k) { return methods[methods.size() - 1 - k / more]; };
  in_parallel(others.size(), [&](std::size_t k) {
    others[k] = saved_or_run(plan, problem, chosen.at(method_of(k)).setting, 2 + k % more);
  });
  for (std::size_t k = 0; k < others.size(); ++k)
    if (others[k]) chosen[method_of(k)].courses.push_back(*others[k]);
  return chosen;
}

figure::Panel panel_of(const Problem& problem, const std::map<std::string, Chosen>& chosen, bool by_time) {
  figure::Panel panel(problem.name, {by_time ? "seconds of one core" : "iterations", figure::Scale::logarithmic},
                      {"test error", figure::Scale::logarithmic});
  for (const auto& method : methods)
    for (const Course& course : chosen.at(method).courses) {
      std::vector<figure::Point> points;
      for (const Look& look : course.looks)
        points.push_back({by_time ? look.seconds : static_cast<double>(look.iteration), look.test});
      panel.line(method, points);
    }
  return panel;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words, "fisher_scoring_classifiers", true);
  const bool real = !arguments.data.empty(), quick = arguments.quick;
  const std::filesystem::path folder = arguments.data;
  const Plan plan{arguments.out / "runs", arguments.saved};
  const std::size_t seeds = arguments.repetitions > 0 ? arguments.repetitions : quick ? 1 : 3;
  Limit network_limit, machine_limit;
  network_limit.seconds = arguments.seconds > 0 ? arguments.seconds : quick ? 0.3 : 60;
  machine_limit.iterations = arguments.iterations > 0 ? arguments.iterations : quick ? 200 : 100000;
  std::vector<Problem> problems;
  {
    Rows train = real ? digits_of(folder, "train") : made_up(quick ? 3000 : 20000, 20, 10, 2, 1);
    Rows validation = take_every(train, 20, 10);
    problems.push_back(problem_of("network on digits", std::move(train), std::move(validation),
                                  real ? digits_of(folder, "t10k") : made_up(1000, 20, 10, 2, 2), quick ? 5 : 30, false,
                                  quick ? 500 : 2000, 0.001, network_limit));
  }
  {
    Rows train =
        real ? connections(folder / "kddcup.data_10_percent", 500000) : made_up(quick ? 4000 : 50000, 40, 8, 3, 3);
    Rows test = take_every(train, 20, 0), validation = take_every(train, 19, 9);
    problems.push_back(problem_of("Boltzmann machine on connections", std::move(train), std::move(validation),
                                  std::move(test), quick ? 2 : 10, true, 500, 10, machine_limit));
  }
  const Problem &network = problems[0], &machine = problems[1];
  std::vector<figure::Panel> panels;
  std::vector<std::vector<std::string>> lines, tried;
  std::vector<std::map<std::string, Chosen>> found;
  std::vector<std::uint64_t> iterations;  // that all methods completed
  std::vector<double> seconds;            // that all of them took
  for (const auto& problem : problems) {
    const auto& own = found.emplace_back(compare_methods(plan, problem, seeds, quick));
    iterations.push_back(std::numeric_limits<std::uint64_t>::max());
    seconds.push_back(std::numeric_limits<double>::infinity());
    for (const auto& [method, chosen] : own)
      for (const Course& course : chosen.courses)
        if (!course.diverged) {
          iterations.back() = std::min(iterations.back(), course.end().iteration);
          seconds.back() = std::min(seconds.back(), course.end().seconds);
        }
    for (const auto& method : methods) {
      const Chosen& chosen = own.at(method);
      const auto mean = [&](auto member) {
        return chosen.mean([&](const Course& course) { return static_cast<double>(course.end().*member); });
      };
      lines.push_back({problem.name, method, chosen.setting.text(), digits(std::round(mean(&Look::iteration)), 6),
                       digits(mean(&Look::seconds)), chosen.text(), digits(100 * mean(&Look::single)),
                       digits(100 * chosen.at(iterations.back(), 1e300)),
                       digits(100 * chosen.at(iterations.back() + (1ULL << 60), seconds.back()))});
      tried.push_back({problem.name, method, chosen.tried});
    }
    panels.push_back(panel_of(problem, own, false));
    panels.push_back(panel_of(problem, own, true));
  }
  figure::write_svg(arguments.out / "fisher-scoring-classifiers.svg", panels, 2);

  Page page(arguments.out, "fisher-scoring-classifiers", "Fisher scoring: classifiers");
  page.text("Ahn, Korattikara and Welling (2012), sections 5.2.2 and 5.3. A network with " +
            std::to_string(network.hidden) + " hidden units on 20 random projections of " +
            std::string(real ? "the MNIST digits" : "made-up rows") + " (" + std::to_string(network.train.count()) +
            " rows to learn from, " + std::to_string(network.test.count()) + " to test, minibatches of " +
            std::to_string(network.batch) + ", priors of precision 0.001; " +
            std::to_string(network.model.dimension()) +
            " parameters), and a discriminative restricted Boltzmann machine with " + std::to_string(machine.hidden) +
            " hidden units on " + std::string(real ? "the 10 % sample of KDD99" : "made-up rows") + " (" +
            std::to_string(machine.train.count()) + " rows, " + std::to_string(machine.test.count()) +
            " to test, 40 features, " + std::to_string(machine.train.classes) +
            " classes, minibatches of 500, priors of precision 10; " + std::to_string(machine.model.dimension()) +
            " parameters). The likelihood of the machine is an expression of one row: a_y + Σ_j log(1 + exp(b_j + U_yj "
            "+ W_j x)), normalised over the classes y. `examples/papers/fisher_scoring_classifiers.cpp` (`FOLDER --out "
            "DIR`) writes this page; it saves every finished run, and goes on with the others when it is started "
            "again.");
  page.text("Each method runs " + network.limit.text() + " on the network and " + machine.limit.text() +
            " on the machine, on one core. As in the paper, settings are those with the least error on validation "
            "rows; here after a run of full length with one seed, and the chosen ones run with " +
            std::to_string(seeds) + (seeds == 1 ? " seed" : " seeds (means ± sds over them)") +
            ". `sgld` and `sgd` have the paper's schedules. Predictions are averaged over draws after a quarter of the "
            "run; those of `sgd` are of its last iterate. The last two columns compare equal iterations (" +
            std::to_string(iterations[0]) + " and " + std::to_string(iterations[1]) + ") and equal times (" +
            digits(seconds[0]) + " and " + digits(seconds[1]) + " s).");
  page.text(
      "**Differences from the paper.** For the machine it has 41 hidden units (2647 parameters) and 4.4 million rows "
      "to learn from; the 2647 x 2647 matrix of `sgfs-full` is factored at every iteration. The comparison with HMC of "
      "a machine with two hidden units (figures 4 and 5) has [a page of its own](fisher-scoring-machine.md). The "
      "Heritage Health Prize (5.2.1), whose data are no longer available, is left out.");
  page.figure("Test error against iterations and against seconds", "fisher-scoring-classifiers.svg");
  page.table({"problem", "method", "setting", "iterations", "seconds", "test error in %", "of the last draw alone",
              "at equal iterations", "at equal times"},
             lines);
  page.text("Errors on validation rows in %, by step or α:");
  page.table({"problem", "method", "setting: error"}, tried);
  const auto numbers = [&](const auto& number) {
    std::string text;
    for (const auto& method : methods) text += (text.empty() ? "" : ", ") + method + " " + number(method) + " %";
    return text;
  };
  const auto at_end = [&](std::size_t k) {
    return numbers([&, k](const std::string& method) { return found[k].at(method).text(); });
  };
  const auto in_time = [&](const std::string& method) {
    return found[1].at(method).at(std::numeric_limits<std::uint64_t>::max(), seconds[1]);
  };
  const auto last = [&](std::size_t k, const char* method) { return found[k].at(method).error(); };
  // Errors are proportions: differences below two standard errors are not counted.
  const auto beyond = [&](double more, double less, const Rows& rows) {
    return more - less > 2 * std::sqrt(2 * std::max(less, 1e-6) / static_cast<double>(rows.count()));
  };
  page.finding("network (figure 3): test errors of SGFS are not above those of SGLD and SGD, by time", at_end(0),
               !beyond(std::min(last(0, "sgfs-full"), last(0, "sgfs-diagonal")),
                       std::min(last(0, "sgld"), last(0, "sgd")), network.test));
  page.finding(
      "machine (table 1): after equal iterations SGFS-d and SGFS-f (4.2e-4, 4.4e-4) have less error than SGLD "
      "(6.6e-4)",
      at_end(1), std::max(last(1, "sgfs-full"), last(1, "sgfs-diagonal")) < last(1, "sgld"));
  page.finding("machine (table 1): SGLD (6.6e-4) has less error than SGD (8.0e-4)", at_end(1),
               last(1, "sgld") < last(1, "sgd"));
  page.finding("machine: the same ordering, by time",
               numbers([&](const std::string& method) { return digits(100 * in_time(method)); }),
               std::max(in_time("sgfs-full"), in_time("sgfs-diagonal")) < in_time("sgld"));
  page.write();
  return 0;
}
