// Distributed matrix factorisation by quasi-Newton Langevin dynamics (Simsekli and others 2016, section 4.3, figure 5):
// sgld, psgld and hamcmc with one pair on MovieLens 1M, beside the exact Gibbs sampler.
//
//     hamcmc_ratings [RATINGS] [--out FOLDER] [--quick]
//
// RATINGS is any file that `sgmcmc factorize` reads; without it ratings are made up.
#include "arguments.hpp"
#include "cpu_time.hpp"
#include "in_parallel.hpp"
#include "made_up_ratings.hpp"
#include "page.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/factorize.hpp>
#include <sgmcmc/figure.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

/// W, H and noise with variance 1, no biases and no offset; burn-in of 50 iterations, or a third of short runs.
FactorOptions options_of(const std::string& method, double step, std::uint64_t iterations) {
  FactorOptions options;
  set_factor_method(options, method);
  options.factors = 10;
  options.biases = false;
  options.prior_precision = options.noise_precision = 1;
  options.offset = 0.0;
  options.blocks = 4;
  options.step_size = step;
  options.iterations = iterations;
  options.warmup = std::min(1.0 / 3, 50.0 / static_cast<double>(iterations));
  return options;
}

/// Seconds of one core per iteration, without evaluations and set-up.
double cost_of(const Ratings& ratings, const std::string& method, bool quick) {
  double seconds[2];
  const std::uint64_t few = quick ? 5 : 20, more = quick ? 15 : 60;
  for (const bool longer : {false, true}) {
    FactorOptions options = options_of(method, 0, longer ? more : few);
    options.evaluate_every = options.iterations;
    const double start = cpu_seconds();
    factorize(ratings, options);
    seconds[longer] = cpu_seconds() - start;
  }
  return (seconds[1] - seconds[0]) / static_cast<double>(more - few);
}

struct Course {
  std::vector<figure::Point> single, averaged;  // rmse against iterations
  double last = std::numeric_limits<double>::infinity(), rmse = last;
};

Course run(const Ratings& ratings, const std::string& method, double step, std::uint64_t iterations) {
  FactorOptions options = options_of(method, step, iterations);
  options.evaluate_every = std::max<std::uint64_t>(1, iterations / 100);
  Course course;
  try {
    const auto result = factorize(ratings, options);
    for (const auto& point : result.trace) {
      const auto at = static_cast<double>(point.iteration);
      course.single.push_back({at, point.rmse});
      if (std::isfinite(point.averaged.rmse)) course.averaged.push_back({at, point.averaged.rmse});
    }
    course.last = result.last_rmse;
    course.rmse = result.scores.rmse;
  } catch (const DivergenceError&) {
  }
  return course;
}

/// Iterations until averages stay below this.
double iterations_to(const Course& course, double rmse) {
  double found = std::numeric_limits<double>::infinity();
  for (auto point = course.averaged.rbegin(); point != course.averaged.rend() && point->y <= rmse; ++point)
    found = point->x;
  return found;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words, "hamcmc_ratings", true);
  const bool quick = arguments.quick;
  const std::uint64_t iterations = arguments.iterations > 0 ? arguments.iterations : quick ? 40 : 800;
  const std::vector<std::string> methods = {"sgld", "psgld", "hamcmc", "gibbs"};
  const std::map<std::string, std::vector<double>> steps = {{"sgld", {0.05, 0.1, 0.2, 0.4, 0.8}},
                                                            {"psgld", {3e-9, 1e-8, 3e-8, 1e-7, 3e-7}},
                                                            {"hamcmc", {0.05, 0.1, 0.2, 0.4, 0.8}},
                                                            {"gibbs", {0}}};
  std::map<std::string, double> chosen, cost;
  std::map<std::string, Course> courses;
  std::uint64_t ratings_count = 0;
  try {
    const Ratings ratings =
        arguments.data.empty() ? made_up_ratings(quick ? 100 : 1000, quick ? 80 : 600) : Ratings::read(arguments.data);
    ratings_count = ratings.size();
    struct Trial {
      std::string method;
      double step, found;
    };
    std::vector<Trial> trials;
    for (const auto& method : methods)
      if (method != "gibbs")
        for (const double step : steps.at(method))
          if (!quick || step == steps.at(method)[1]) trials.push_back({method, step, 0});
    in_parallel(trials.size(), [&](std::size_t k) {
      trials[k].found = run(ratings, trials[k].method, trials[k].step, iterations / 2).rmse;
    });
    std::map<std::string, double> best;
    for (const auto& [method, step, found] : trials) {
      std::printf("%s, step %g: rmse %.4f averaged after %llu iterations\n", method.c_str(), step, found,
                  static_cast<unsigned long long>(iterations / 2));
      if (!best.contains(method) || found < best[method]) best[method] = found, chosen[method] = step;
    }
    std::vector<Course> made(methods.size());
    std::vector<double> costs(methods.size());
    in_parallel(methods.size(), [&](std::size_t k) {
      costs[k] = cost_of(ratings, methods[k], quick);
      made[k] = run(ratings, methods[k], chosen[methods[k]], methods[k] == "gibbs" ? iterations / 4 : iterations);
    });
    for (std::size_t k = 0; k < methods.size(); ++k) courses[methods[k]] = made[k], cost[methods[k]] = costs[k];
  } catch (const Error& error) {
    std::fprintf(stderr, "hamcmc_ratings: %s\n", error.what());
    return 1;
  }
  figure::Panel by_iteration("single draws", {"iterations", figure::Scale::logarithmic}, {"test rmse"});
  figure::Panel by_time("averages after burn-in", {"seconds of one core"}, {"test rmse"});
  std::vector<std::vector<std::string>> lines;
  const double level = courses["gibbs"].rmse + 0.03;  // within the reach of every method
  std::map<std::string, double> needed;
  for (const auto& method : methods) {
    const Course& course = courses[method];
    by_iteration.line(method, course.single);
    std::vector<figure::Point> points = course.averaged;
    for (auto& point : points) point.x *= cost[method];
    by_time.line(method, points);
    needed[method] = iterations_to(course, level);
    lines.push_back({method, chosen[method] > 0 ? digits(chosen[method], 2) : "", digits(1000 * cost[method], 3),
                     std::isfinite(needed[method]) ? digits(needed[method], 3) : "not reached",
                     std::isfinite(needed[method]) ? digits(needed[method] * cost[method], 3) : "",
                     digits(course.last, 4), digits(course.rmse, 4)});
    std::printf("%s: step %g, %.2f ms an iteration, %g iterations to %.3f; rmse %.4f of the last draw, %.4f averaged\n",
                method.c_str(), chosen[method], 1000 * cost[method], needed[method], level, course.last, course.rmse);
  }
  figure::write_svg(arguments.out / "hamcmc-ratings.svg", {by_iteration, by_time}, 2);
  Page page(arguments.out, "hamcmc-ratings", "Quasi-Newton Langevin dynamics: ratings");
  page.text("Şimşekli, Badeau, Cemgil and Richard (2016), section 4.3, figure 5: " +
            std::string(arguments.data.empty() ? "made-up ratings" : "the ratings of MovieLens 1M") + " (" +
            std::to_string(ratings_count) +
            ", of which a tenth is held out), 10 factors without biases, W, H and the noise with variance 1; 4 x 4 "
            "blocks, of which four are visited at a time; constant steps; draws after 50 iterations are averaged. "
            "`sgld`, `psgld`, `hamcmc` (one pair, the paper's M = 2) and, beside them, the exact Gibbs sampler of "
            "[`sgmcmc factorize`](../factorize.md). `examples/papers/hamcmc_ratings.cpp` (`RATINGS --out DIR`) writes "
            "this page.");
  page.text(
      "**Differences from the paper.** Times are those of one core; the paper has 16, and messages between them. "
      "`sgld` and `hamcmc` multiply gradients by the inverse curvature of each row, which is found during burn-in "
      "and which the paper's methods do not have; `sgmcmc factorize` cannot run them without it. So the first three "
      "claims below are not tested. `psgld` is the paper's. There is one run of each method. Steps are the best of "
      "five each, by the "
      "error of averages after half of the run. Section 4.2, speech in noise, has [its own page](hamcmc-speech.md).");
  page.figure("Test error against iterations and seconds", "hamcmc-ratings.svg");
  page.table({"method", "step", "ms per iteration", "iterations until averages stay below " + digits(level, 4),
              "seconds until then", "rmse of the last draw", "averaged"},
             lines);
  page.text(
      "**Why.** An iteration of `hamcmc` evaluates the gradient of its part at two places, as the paper's does: y "
      "requires it when parts change. That doubles the gradients, but an iteration takes " +
      digits(cost["hamcmc"] / cost["sgld"], 2) +
      " times as long as one of `sgld`; the rest is not explained. It continues from the iteration before the last (M "
      "= 2), so a chain moves in every second iteration only. Where gradients are multiplied by the inverse curvature "
      "of each row, one pair has little to add: `sgld` with that curvature needs far fewer iterations than `psgld`, "
      "which has no such preconditioner. `hamcmc` needs fewer iterations than `psgld`, but more time for each.");
  const auto seconds = [&](const char* method) { return needed[method] * cost[method]; };
  const auto text = [&](const char* method) {
    return std::string(method) +
           (std::isfinite(needed[method])
                ? " " + digits(needed[method], 3) + " iterations, " + digits(seconds(method), 2) + " s"
                : " not reached (" + digits(courses[method].rmse, 4) + ")");
  };
  const std::string curvature = " (sgld and hamcmc here know the curvature of each row; one run)";
  page.finding("DSGLD and PSGLD have similar convergence rates", text("sgld") + "; " + text("psgld") + curvature,
               Verdict::not_shown);
  page.finding("HAMCMC converges faster than DSGLD", text("hamcmc") + "; " + text("sgld") + curvature,
               Verdict::not_shown);
  page.finding("HAMCMC converges faster than PSGLD",
               "rmse after " + std::to_string(iterations) + " iterations: hamcmc " + digits(courses["hamcmc"].rmse, 4) +
                   ", psgld " + digits(courses["psgld"].rmse, 4) + curvature,
               Verdict::not_shown);
  page.finding("at almost the same computational requirements",
               "ms per iteration: hamcmc " + digits(1000 * cost["hamcmc"], 3) + ", sgld " +
                   digits(1000 * cost["sgld"], 3) + ", psgld " + digits(1000 * cost["psgld"], 3) + " (one run)",
               cost["hamcmc"] < 1.5 * std::max(cost["sgld"], cost["psgld"]));
  page.write();
  return 0;
}
