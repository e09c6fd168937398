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
constexpr double trial_share = 0.25;  // of a run, which chooses settings

/// The paper: several values of alpha; several steps of sgd and sgld, with its schedules.
std::vector<Setting> settings_of(const std::string& method, bool boltzmann, bool quick) {
  std::vector<Setting> all;
  if (method.starts_with("sgfs")) {
    const std::vector<double> alphas = !boltzmann              ? std::vector{0.25, 0.5, 1.0, 2.0}
                                       : method == "sgfs-full" ? std::vector{2.0, 4.0, 8.95, 20.0, 40.0}
                                                               : std::vector{0.5, 1.0, 2.0, 4.0, 8.95};
    for (const double alpha : alphas) all.push_back({method, alpha});
  } else {
    for (const double step : boltzmann ? std::vector{1e-5, 3e-5, 1e-4, 3e-4} : std::vector{1e-4, 3e-4, 1e-3})
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
std::optional<Course> saved_or_run(const Plan& plan, const Problem& problem, const Limit& limit, const Setting& setting,
                                   std::uint64_t seed) {
  const SavedCourse file(plan.runs, problem, limit, setting, seed);
  auto course = file.read();
  if (!course && plan.saved) return std::nullopt;
  if (!course) {
    course = run_course(problem, limit, setting, seed);
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
  std::vector<Course> courses;                     // by seed
  std::vector<std::pair<Setting, Course>> trials;  // of all settings

  std::vector<double> each(const auto& number) const {
    std::vector<double> numbers;
    for (const Course& course : courses) numbers.push_back(number(course));
    return numbers;
  }
  /// In percent, by seed: at the last look within these iterations and seconds.
  std::vector<double> at(std::uint64_t iteration, double seconds) const {
    return each([&](const Course& course) { return 100 * course.at(iteration, seconds); });
  }
  std::vector<double> at_end() const {
    return each([](const Course& course) { return 100 * course.end().test; });
  }
  std::vector<double> at_half() const {
    return each([](const Course& course) { return 100 * course.at(course.end().iteration / 2, never); });
  }
  std::string trial_errors() const {
    std::string text;
    for (const auto& [own, course] : trials)
      text += (text.empty() ? "" : ", ") + own.short_text() + ": " +
              (course.diverged ? "diverged" : digits(100 * course.validation(), 3));
    return text;
  }
  double milliseconds() const {
    return average_of(each([](const Course& course) {
             return 1e3 * course.end().seconds / std::max(1.0, static_cast<double>(course.end().iteration));
           }))
        .mean;
  }
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
};

/// The setting of each method is the best of short runs with one seed.
std::map<std::string, Chosen> compare_methods(const Plan& plan, const Problem& problem, std::size_t seeds, bool quick) {
  std::vector<Setting> tried;  // the slowest first
  for (const auto& method : {"sgfs-full", "sgfs-diagonal", "sgld", "sgd"})
    for (const auto& setting : settings_of(method, problem.boltzmann, quick)) tried.push_back(setting);
  std::vector<std::optional<Course>> first(tried.size());
  in_parallel(tried.size(), [&](std::size_t k) {
    first[k] = saved_or_run(plan, problem, problem.limit.part(trial_share), tried[k], 1);
  });
  std::map<std::string, Chosen> chosen;
  std::map<std::string, std::size_t> best;
  for (std::size_t k = 0; k < tried.size(); ++k) {
    if (!first[k]) continue;
    const auto& method = tried[k].method;
    Chosen& own = chosen[method];
    own.trials.emplace_back(tried[k], *first[k]);
    if (!best.contains(method) || first[k]->validation() < first[best[method]]->validation()) best[method] = k;
  }
  for (auto& [method, own] : chosen) own.setting = tried[best[method]];
  std::vector<std::optional<Course>> courses(methods.size() * seeds);  // the slowest first
  const auto method_of = [&](std::size_t k) { return methods[methods.size() - 1 - k / seeds]; };
  in_parallel(chosen.size() == methods.size() ? courses.size() : 0, [&](std::size_t k) {
    courses[k] = saved_or_run(plan, problem, problem.limit, chosen.at(method_of(k)).setting, 1 + k % seeds);
  });
  for (std::size_t k = 0; k < courses.size(); ++k)
    if (courses[k]) chosen[method_of(k)].courses.push_back(*courses[k]);
  for (const auto& method : methods)
    if (chosen[method].courses.empty()) {
      std::fprintf(stderr, "fisher_scoring_classifiers: %s has no saved run of %s\n", plan.runs.c_str(),
                   method.c_str());
      std::exit(1);
    }
  return chosen;
}

/// Where single draws of short runs become worse by more than 0.1 from one look to the next, and what became of them.
std::string jumps(const Chosen& chosen) {
  std::string text;
  for (const auto& [setting, course] : chosen.trials)
    for (std::size_t k = 1; k < course.looks.size(); ++k) {
      const Look &before = course.looks[k - 1], &after = course.looks[k];
      if (after.single < before.single + 0.1) continue;
      text += (text.empty() ? "with " : "; with ") + setting.text() + " from " + digits(100 * before.single, 2) +
              " % at iteration " + std::to_string(before.iteration) + " to " + digits(100 * after.single, 2) +
              " % at " + std::to_string(after.iteration) + ", and " + digits(100 * course.end().single, 2) +
              " % at the end";
      break;
    }
  return text;
}

figure::Panel panel_of(const Problem& problem, const std::map<std::string, Chosen>& chosen, bool by_time) {
  figure::Panel panel(problem.name, {by_time ? "seconds of one core" : "iterations", figure::Scale::logarithmic},
                      {"test error, share of rows", figure::Scale::logarithmic});
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
  machine_limit.iterations = arguments.iterations > 0 ? arguments.iterations : quick ? 200 : 50000;
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
        return average_of(chosen.each([&](const Course& course) { return static_cast<double>(course.end().*member); }))
            .mean;
      };
      const auto text = [](const std::vector<double>& errors) { return spread_text(average_of(errors), 3); };
      lines.push_back({problem.name, method, chosen.setting.text(), digits(std::round(mean(&Look::iteration)), 6),
                       digits(chosen.milliseconds(), 2), text(chosen.at_half()), text(chosen.at_end()),
                       digits(100 * mean(&Look::single)), text(chosen.at(iterations.back(), Chosen::never)),
                       text(chosen.at(Chosen::any, seconds.back()))});
      tried.push_back({problem.name, method, chosen.trial_errors()});
    }
    panels.push_back(panel_of(problem, own, false));
    panels.push_back(panel_of(problem, own, true));
  }
  figure::write_svg(arguments.out / "fisher-scoring-classifiers.svg", panels, 2);

  const auto first_steps = [&](std::size_t problem) {
    const auto step = [&](const char* method) { return found[problem].at(method).setting.short_text(); };
    return step("sgld") == step("sgd") ? step("sgld") : step("sgld") + " and " + step("sgd");
  };
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
  page.text(
      "Each method runs " + network.limit.text() + " on the network and " + machine.limit.text() +
      " on the machine, on one core, with " + std::to_string(seeds) + (seeds == 1 ? " seed" : " seeds") +
      "; numbers are means ± standard deviations over them. As in the paper, settings are those with the least "
      "error on validation rows, here after a quarter of such a run with one seed. Steps of `sgld` and `sgd` "
      "fall as in the paper; their first values are chosen like the other settings (network: " +
      first_steps(0) + ", the paper 0.001; machine: " + first_steps(1) +
      ", the paper 3.2e-06). Predictions are averaged over draws after a quarter of the run; those of `sgd` are of "
      "its last iterate. The last two columns compare equal iterations (" +
      std::to_string(iterations[0]) + " and " + std::to_string(iterations[1]) + ") and equal times (" +
      digits(seconds[0]) + " and " + digits(seconds[1]) +
      " s). A difference counts if it is larger than the spread over seeds, √(sd² + sd²), and than half a 95 % "
      "interval of the difference of means; a smaller one is \"not shown\".");
  page.text(
      "**Differences from the paper.** For the machine it has 41 hidden units (2647 parameters) and 4.4 million rows "
      "to learn from; the 2647 x 2647 matrix of `sgfs-full` is factored at every iteration. The comparison with HMC of "
      "a machine with two hidden units (figures 4 and 5) has [a page of its own](fisher-scoring-machine.md). The "
      "Heritage Health Prize (5.2.1), whose data are no longer available, is left out.");
  page.figure("Test error against iterations and against seconds", "fisher-scoring-classifiers.svg");
  page.table({"problem", "method", "setting", "iterations", "ms each", "test error in %, half way", "at the end",
              "of the last draw alone", "at equal iterations", "at equal times"},
             lines);
  page.text("Errors on validation rows in % after a quarter of a run, by step or α:");
  page.table({"problem", "method", "setting: error"}, tried);
  using Errors = std::map<std::string, std::vector<double>>;
  const auto of_all = [&](std::size_t problem, const auto& number) {
    Errors errors;
    for (const auto& method : methods) errors[method] = number(found[problem].at(method));
    return errors;
  };
  const auto by_time = [&](std::size_t problem) {
    return of_all(problem, [&, problem](const Chosen& one) { return one.at(Chosen::any, seconds[problem]); });
  };
  const auto by_iterations = [&](std::size_t problem) {
    return of_all(problem, [&, problem](const Chosen& one) { return one.at(iterations[problem], Chosen::never); });
  };
  const auto text = [&](const Errors& errors) {
    std::string words;
    for (const auto& method : methods)
      words += (words.empty() ? "" : ", ") + method + " " + spread_text(average_of(errors.at(method)), 3) + " %";
    return words;
  };
  const auto ahead = [](const Errors& errors, const std::string& first, const std::string& second) {
    return is_below(errors.at(first), errors.at(second));
  };
  const auto before_gradients = [&](const Errors& errors, const std::string& method) {
    return all_of({ahead(errors, method, "sgld"), ahead(errors, method, "sgd")});
  };
  const auto network_time = by_time(0), network_iterations = by_iterations(0), machine_end = by_iterations(1);
  const auto halves = [&](std::size_t problem) {
    std::string words;
    for (const auto& method : methods)
      words += (words.empty() ? "" : ", ") + method + " " +
               digits(average_of(found[problem].at(method).at_half()).mean) + " and " +
               digits(average_of(found[problem].at(method).at_end()).mean) + " %";
    return words;
  };
  const auto dearer = [&](std::size_t problem, const std::string& method) {
    return digits(found[problem].at(method).milliseconds() / found[problem].at("sgld").milliseconds(), 2);
  };
  page.text("**Network.** Errors half way and at the end: " + halves(0) + ". An iteration of `sgfs-full` takes " +
            dearer(0, "sgfs-full") + " times as long as one of `sgld`, one of `sgfs-diagonal` " +
            dearer(0, "sgfs-diagonal") + " times. After " + std::to_string(iterations[0]) +
            " iterations of each: " + text(network_iterations) + ".");
  const Chosen& machine_full = found[1].at("sgfs-full");
  const std::string unstable = jumps(machine_full);
  const bool at_end = std::all_of(machine_full.trials.begin(), machine_full.trials.end(),
                                  [&](const auto& trial) { return trial.first.value <= machine_full.setting.value; });
  const Average plain = average_of(machine_end.at("sgld")), scored = average_of(machine_end.at("sgfs-diagonal"));
  page.text(
      "**Machine.** Errors half way and at the end: " + halves(1) + ". The paper's difference between SGLD and " +
      "SGFS-d, 0.024 %, is " + digits(2.4e-4 * static_cast<double>(machine.test.count()), 2) + " of these " +
      std::to_string(machine.test.count()) + " test rows; here it is " + digits(plain.mean - scored.mean, 2) +
      (seeds > 1 ? " ± " + digits(half_interval(plain, scored, seeds), 2) + " % (95 %)." : " %.") +
      (unstable.empty() ? "" : " Small α are unsafe for `sgfs-full`: errors of single draws jump, " + unstable + ".") +
      (at_end ? " Its best α, " + digits(machine_full.setting.value) + ", is the largest tried." : ""));
  const double milliseconds = found[1].at("sgfs-full").milliseconds();
  const double growth = 2647.0 / static_cast<double>(machine.model.dimension());
  page.text(
      "**What the paper's runs would need.** A run of 100,000 iterations of `sgfs-full` with 2647 parameters: " +
      digits(milliseconds * growth * growth / 36, 2) + " to " +
      digits(milliseconds * growth * growth * growth / 36, 2) +
      " hours of one core, if an iteration grows with the square to the cube of the parameters. That was not run, "
      "and nothing here says what the errors would be.");
  page.finding("network (figure 3): SGFS-f has no more test error than SGLD and SGD, by time", text(network_time),
               before_gradients(network_time, "sgfs-full"));
  page.finding("network (figure 3): nor has SGFS-d", text(network_time),
               before_gradients(network_time, "sgfs-diagonal"));
  page.finding("machine (table 1): after equal iterations SGFS-f (4.4e-4) has less error than SGLD (6.6e-4)",
               text(machine_end), ahead(machine_end, "sgfs-full", "sgld"));
  const double half = seeds > 1 ? half_interval(plain, scored, seeds) : 0;
  page.finding("machine (table 1): so has SGFS-d (4.2e-4)",
               text(machine_end) + "; SGLD less SGFS-d: " + digits(plain.mean - scored.mean, 2) +
                   (seeds > 1 ? " ± " + digits(half, 2) + " % (95 %)" : " %") +
                   (seeds > 1 && plain.mean - scored.mean + half < 0.024 ? ", which excludes the paper's 0.024 %" : ""),
               ahead(machine_end, "sgfs-diagonal", "sgld"));
  page.finding("machine (table 1): SGLD (6.6e-4) has less error than SGD (8.0e-4)", text(machine_end),
               ahead(machine_end, "sgld", "sgd"));
  page.write();
  return 0;
}
