// Control variates in matrix factorisation (Baker 2019, section 3.5.2, figure 3.5.3): sgld, sgld-cv and sgld-saga on
// the ratings of MovieLens, with a growing number of users; the log predictive density of held-out ratings.
//
//     control_variates_ratings [RATINGS] [--out FOLDER] [--quick]
//
// RATINGS is any file that `sgmcmc factorize` reads; without it ratings are made up.
#include "arguments.hpp"
#include "in_parallel.hpp"
#include "made_up_ratings.hpp"
#include "page.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/factorize.hpp>
#include <sgmcmc/figure.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

Ratings of_users(const Ratings& all, std::uint32_t users) {
  Ratings::Builder builder(users, all.items());
  for (const Rating& rating : all.entries())
    if (rating.user < users) builder.add(rating.user, rating.item, static_cast<double>(rating.value));
  return builder.build();
}

constexpr double noise_precision = 3;  // tau of the thesis
constexpr std::uint32_t parts = 20;    // minibatches of a twentieth: 4,500 of all ratings

/// Of ratings whose squared error this is on average.
double log_predictive(double rmse) {
  constexpr double pi = 3.14159265358979;
  return 0.5 * std::log(noise_precision / (2 * pi)) - 0.5 * noise_precision * rmse * rmse;
}

struct Course {
  double precision = 0;               // of the noise, after warm-up
  std::vector<figure::Point> single;  // log predictive density of a draw against passes through the ratings
  double averaged = -std::numeric_limits<double>::infinity();           // of the average over draws after warm-up
  double level = -std::numeric_limits<double>::infinity(), spread = 0;  // of single draws in the second half
};

Course run(const Ratings& ratings, const std::string& method, double step, std::uint64_t passes, std::uint64_t seed,
           bool quick, double precision = noise_precision) {
  FactorOptions options;
  set_factor_method(options, method);
  const bool exact = method == "gibbs";
  options.factors = quick ? 4 : 20;
  options.noise_precision = precision;
  options.blocks = parts;
  options.step_size = step;
  options.iterations = exact ? passes : parts * passes;
  options.evaluate_every = exact ? 1 : parts;
  options.warmup = 0.2;
  options.seed = seed;
  Course course;
  try {
    const auto result = factorize(ratings, options);
    std::vector<double> late;
    for (const auto& point : result.trace) {
      double at = static_cast<double>(point.iteration) / static_cast<double>(options.evaluate_every);
      // Gradients of all parts take a pass: at the start, or at the centre.
      if (options.saga || (options.control_variate && at > 0.1 * static_cast<double>(passes))) at += 1;
      course.single.push_back({at, log_predictive(point.rmse)});
      if (2 * point.iteration > options.iterations) late.push_back(course.single.back().y);
    }
    course.averaged = result.scores.log_predictive;
    course.precision = result.mean_noise_precision;
    course.level = 0;
    for (const double each : late) course.level += each / static_cast<double>(late.size());
    for (const double each : late) course.spread += std::pow(each - course.level, 2) / static_cast<double>(late.size());
    course.spread = std::sqrt(course.spread);
  } catch (const DivergenceError&) {
  }
  return course;
}

/// Passes until single draws stay above the level; infinite where they do not.
double passes_to(const Course& course, double level) {
  double found = std::numeric_limits<double>::infinity();
  for (auto point = course.single.rbegin(); point != course.single.rend() && point->y >= level; ++point)
    found = point->x;
  return found;
}

std::string words_of(const std::vector<double>& by_seed, int count) {
  const Average average = average_of(by_seed);
  return std::isfinite(average.mean) ? spread_text(average, count) : "not reached";
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words, "control_variates_ratings", true);
  const bool quick = arguments.quick;
  const std::uint64_t passes = arguments.iterations > 0 ? arguments.iterations : quick ? 10 : 80;
  const std::size_t seeds = arguments.repetitions > 0 ? arguments.repetitions : quick ? 1 : 3;
  const std::vector<std::string> methods = {"sgld", "sgld-cv", "sgld-saga", "gibbs"};
  const std::vector<double> steps = quick ? std::vector{0.04, 0.1} : std::vector{0.02, 0.04, 0.1, 0.2, 0.4};
  std::vector<figure::Panel> panels;
  std::vector<std::vector<std::string>> lines;
  struct Found {
    double step = 0;
    std::vector<double> level, spread, averaged, passes;  // by seed
  };
  std::vector<std::map<std::string, Found>> found;
  std::vector<std::uint32_t> sizes;
  double peak = 0;  // the best of sgld-cv, all users
  Course inferred;  // exact, all users, with the precision of the noise inferred
  try {
    const Ratings all =
        arguments.data.empty() ? made_up_ratings(quick ? 100 : 600, quick ? 100 : 400) : Ratings::read(arguments.data);
    sizes = {all.users() / 10 + 6 * (all.users() > 900), all.users() / 2, all.users()};
    for (const std::uint32_t users : sizes) {
      const Ratings ratings = of_users(all, users);
      figure::Panel panel(std::to_string(users) + " users", {"passes through the ratings"},
                          {"log predictive density of a draw"});
      std::vector<Course> trials((methods.size() - 1) * steps.size());
      in_parallel(trials.size(), [&](std::size_t k) {
        trials[k] = run(ratings, methods[k / steps.size()], steps[k % steps.size()], passes, 1, quick);
      });
      auto& own = found.emplace_back();
      std::map<std::string, std::vector<Course>> courses;
      for (std::size_t m = 0; m < methods.size(); ++m) {
        std::size_t best = 0;
        for (std::size_t k = 0; m + 1 < methods.size() && k < steps.size(); ++k) {
          const Course& trial = trials[m * steps.size() + k];
          std::printf("%u users: %s, step %g: %.4f of draws in the second half, %.4f averaged\n", users,
                      methods[m].c_str(), steps[k], trial.level, trial.averaged);
          if (trial.averaged > trials[m * steps.size() + best].averaged) best = k;
        }
        own[methods[m]].step = m + 1 < methods.size() ? steps[best] : 0;
      }
      for (const auto& method : methods) courses[method].resize(seeds);
      in_parallel(methods.size() * seeds, [&](std::size_t k) {
        const std::string& method = methods[k / seeds];
        courses[method][k % seeds] = run(ratings, method, own[method].step, passes, 2 + k % seeds, quick);
      });
      peak = 0;
      for (const auto& course : courses["sgld-cv"]) {
        double most = -std::numeric_limits<double>::infinity();
        for (const auto& point : course.single) most = std::max(most, point.y);
        peak += most / static_cast<double>(seeds);
      }
      for (const auto& method : methods) {
        Found& mean = own[method];
        for (const auto& course : courses[method]) {
          mean.level.push_back(course.level);
          mean.spread.push_back(course.spread);
          mean.averaged.push_back(course.averaged);
          mean.passes.push_back(passes_to(course, course.level - 4 * course.spread));
          panel.line(method, course.single);
        }
        lines.push_back({std::to_string(users), method, mean.step > 0 ? digits(mean.step, 2) : "",
                         words_of(mean.level, 4), words_of(mean.spread, 2), words_of(mean.averaged, 4),
                         words_of(mean.passes, 3)});
        std::printf("%u users: %s: %s of single draws (sd %s), %s averaged, %s passes\n", users, method.c_str(),
                    words_of(mean.level, 4).c_str(), words_of(mean.spread, 2).c_str(),
                    words_of(mean.averaged, 4).c_str(), words_of(mean.passes, 3).c_str());
      }
      std::fflush(stdout);
      if (users == all.users()) inferred = run(ratings, "gibbs", 0, passes, 2, quick, 0);
      panels.push_back(panel);
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "control_variates_ratings: %s\n", error.what());
    return 1;
  }
  figure::write_svg(arguments.out / "control-variates-ratings.svg", panels, 3);
  Page page(arguments.out, "control-variates-ratings", "Control variates in matrix factorisation");
  page.text(
      "Baker (2019), section 3.5.2, figure 3.5.3: ratings " +
      std::string(arguments.data.empty() ? "that were made up" : "of MovieLens 100K") +
      ", with a growing number of users; 20 factors and biases, noise of precision 3, a tenth of the ratings held "
      "out. `sgld`, `sgld-cv` and `sgld-saga` of [`sgmcmc factorize`](../factorize.md), with minibatches of a "
      "twentieth of the ratings, beside its exact Gibbs sampler. `examples/papers/control_variates_ratings.cpp` "
      "(`RATINGS --out DIR`) writes this page.");
  page.text(
      "**Differences from the thesis.** Steps are relative to the conditional distribution of each row, where the "
      "thesis divides them by the size of gradients of each matrix; means and precisions of factors have a "
      "normal-Wishart prior (the thesis: precisions with Gamma(1, 300) priors); a minibatch is a set of blocks of "
      "users and items rather than rows at random, and control variates keep the gradient of each such set. For "
      "each method and size the step is the best of " +
      std::to_string(steps.size()) +
      " (0.02 to 0.4). The chain of `sgld-cv` walks to its centre without noise in "
      "the first tenth of the run. Numbers are means of " +
      std::to_string(seeds) + (seeds == 1 ? " seed, " : " seeds (± standard deviations over them), ") +
      std::to_string(passes) +
      " passes each. Zero-variance control variates (figure 3.5.4) are left out: "
      "`factorize` does not have them.");
  page.figure("Log predictive density against passes", "control-variates-ratings.svg");
  page.table({"users", "method", "step", "log predictive density of single draws, second half", "sd over draws",
              "averaged over draws", "passes until draws stay within 4 sd of that"},
             lines);
  page.text(
      "**Why.** Points near the mode predict better than draws: with all users, the noise-free search for the centre "
      "reaches " +
      digits(peak, 3) + ", exact draws have " + digits(average_of(found.back()["gibbs"].level).mean, 3) +
      ". So a chain that hardly leaves the centre looks better than one that samples, and the thesis has steps of 1e-6 "
      "for SGLD-CV, 5e-3 for SGLD. Here steps are chosen by averages over draws. As the chain leaves the centre, "
      "control variates lose their effect: with all users, draws of `sgld-cv` vary about as much as those of `sgld`. "
      "The likelihood does not change if the 20 factors are rotated, so the chain leaves the centre.");
  page.text(
      "Averages of `sgld` predict better than those of `gibbs` because a precision of 3 is too high: inferred by "
      "`gibbs` it is " +
      digits(inferred.precision, 3) + ", with a log predictive density of " + digits(inferred.averaged, 4) +
      ". Draws that gradient noise has made too wide make up for part of that. `sgld-saga` has stale gradients of "
      "parts: at steps that suit the others it swings ever further, so that its best step is smaller. The last column "
      "depends on single low draws, as its spread over seeds shows.");
  const auto numbers = [&](auto member, int count) {
    std::string text;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      text += (k == 0 ? "" : "; ") + std::to_string(sizes[k]) + " users:";
      for (std::size_t m = 0; m < 3; ++m)
        text += (m == 0 ? " " : ", ") + methods[m] + " " + words_of(found[k][methods[m]].*member, count);
    }
    return text;
  };
  const auto least = found.front()["sgld-saga"].passes, most = found.back()["sgld-saga"].passes;
  page.finding("SAGA converges slowly, even beside SGLD, the more so the more rows there are",
               numbers(&Found::passes, 3),
               all_of({is_below(found.back()["sgld"].passes, most), is_below(least, most)}));
  Verdict single = Verdict::same;
  for (auto& size : found) single = all_of({single, is_below(size["sgld"].level, size["sgld-cv"].level)});
  page.finding("SGLD-CV has better log predictive densities than SGLD (single draws, as in the thesis)",
               numbers(&Found::level, 4), single);
  page.finding("the same of averages over draws (not in the thesis)", numbers(&Found::averaged, 4),
               is_below(found.back()["sgld"].averaged, found.back()["sgld-cv"].averaged));
  page.finding("SGLD-CV varies less (sd over draws)", numbers(&Found::spread, 2),
               is_below(found.back()["sgld-cv"].spread, found.back()["sgld"].spread));
  page.write();
  return 0;
}
