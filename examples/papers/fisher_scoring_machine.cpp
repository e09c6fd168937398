// Fisher scoring of a small discriminative restricted Boltzmann machine beside an exact sampler (Ahn, Korattikara and
// Welling 2012, section 5.3, figures 4 and 5): two hidden units, the six most frequent classes of KDD99; sgfs-full and
// sgld at the settings of the paper, started at one mode.
//
//     fisher_scoring_machine [FOLDER] [--rows MOST] [--seconds EACH] [--out FOLDER] [--quick]
//
// FOLDER has kddcup.data_10_percent, unpacked. Without it made-up rows are used.
#include "arguments.hpp"
#include "classifier_rows.hpp"
#include "in_parallel.hpp"
#include "page.hpp"
#include "timed_runs.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/mode.hpp>
#include <sgmcmc/precondition.hpp>
#include <sgmcmc/sample.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace sgmcmc;

namespace {

constexpr std::size_t hidden = 2, most_classes = 6, compared_pairs = 25;

/// The rows of the most frequent classes, at most so many, evenly spaced.
Rows frequent(const Rows& all, std::size_t most) {
  std::vector<std::size_t> counts(all.classes), order(all.classes), place(all.classes, most_classes);
  for (const auto label : all.y) ++counts[static_cast<std::size_t>(label)];
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return counts[a] > counts[b]; });
  for (std::size_t k = 0; k < std::min(most_classes, order.size()); ++k) place[order[k]] = k;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < all.count(); ++i)
    if (place[static_cast<std::size_t>(all.y[i])] < most_classes) kept.push_back(i);
  const std::size_t count = std::min(most, kept.size());
  Rows rows{all.columns, std::min(most_classes, all.classes), {}, {}};
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = kept[k * kept.size() / count];
    const auto begin = all.x.begin() + static_cast<std::ptrdiff_t>(i * all.columns);
    rows.x.insert(rows.x.end(), begin, begin + static_cast<std::ptrdiff_t>(all.columns));
    rows.y.push_back(static_cast<std::int32_t>(place[static_cast<std::size_t>(all.y[i])]));
  }
  return rows;
}

std::map<std::string, std::vector<double>> initial_at(const std::vector<double>& theta, const Rows& rows) {
  std::map<std::string, std::vector<double>> initial;
  auto next = theta.begin();
  for (const auto& [name, size] : {std::pair<const char*, std::size_t>{"W", hidden * rows.columns},
                                   {"b", hidden},
                                   {"U", rows.classes * hidden},
                                   {"a", rows.classes}}) {
    initial[name].assign(next, next + static_cast<std::ptrdiff_t>(size));
    next += static_cast<std::ptrdiff_t>(size);
  }
  return initial;
}

/// The highest of the modes that are found from some starts.
std::vector<double> highest_mode(const Model& model, std::size_t dimension, int starts) {
  std::optional<ModeResult> best;
  for (int k = 0; k < starts; ++k) {
    std::vector<double> start(dimension);
    fill_normal({static_cast<std::uint64_t>(k), 0, 0, Purpose::initial}, start);
    for (double& value : start) value *= 0.3;
    auto found = find_mode(model, LbfgsOptions{}, start);
    std::printf("mode from start %d: log density %.2f (%s)\n", k + 1, found.report.value,
                found.report.describe().c_str());
    if (!best || found.report.value > best->report.value) best = std::move(found);
  }
  std::fflush(stdout);
  return best->theta;
}

/// Coordinates in which the normal approximation at the mode is standard normal.
std::shared_ptr<const Preconditioner> curvature_at(const Model& model, const std::vector<double>& mode) {
  const std::vector<double> covariance = laplace_approximation(model, LbfgsOptions{}, mode).covariance();
  const std::size_t D = mode.size();
  std::vector<double> factor(D * D);  // by column: L L' = covariance
  for (std::size_t j = 0; j < D; ++j)
    for (std::size_t i = j; i < D; ++i) {
      double sum = covariance[i * D + j];
      for (std::size_t k = 0; k < j; ++k) sum -= factor[k * D + i] * factor[k * D + j];
      factor[j * D + i] = i == j ? std::sqrt(sum) : sum / factor[j * D + j];
    }
  return std::make_shared<const Preconditioner>(Preconditioner{Precondition::dense, mode, {}, std::move(factor), {}});
}

using Pair = std::pair<std::size_t, std::size_t>;

/// The pairs of parameters of the largest correlations.
std::vector<Pair> correlated_pairs(const Moments& moments) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < moments.columns(); ++i)
    for (std::size_t j = 0; j < i; ++j) pairs.emplace_back(i, j);
  const auto size = [&](const Pair& pair) { return std::abs(moments.correlation(pair.first, pair.second)); };
  const std::size_t count = std::min(compared_pairs, pairs.size());
  std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(count), pairs.end(),
                    [&](const Pair& a, const Pair& b) { return size(a) > size(b); });
  pairs.resize(count);
  return pairs;
}

/// Of chains of the exact sampler from all of them, and of a method.
struct Agreement {
  std::vector<double> chains, own;  // by pair: the farthest chain; the method

  std::size_t agreeing() const {
    std::size_t count = 0;
    for (std::size_t k = 0; k < own.size(); ++k) count += own[k] <= chains[k];
    return count;
  }
};

Agreement agreement(const std::vector<Pair>& pairs, const Moments& found, const Moments& exact,
                    const std::vector<Moments>& chains) {
  Agreement result;
  for (const auto& [i, j] : pairs) {
    double most = 0;
    for (const Moments& chain : chains) most = std::max(most, difference(chain, exact, i, j));
    result.chains.push_back(most);
    result.own.push_back(difference(found, exact, i, j));
  }
  return result;
}

/// For each chain, in increasing order: the pairs for which it would agree if it were a method, with the other chains
/// as the reference.
std::vector<std::size_t> left_out(const std::vector<Pair>& pairs, const std::vector<DrawPoints>& chains) {
  std::vector<std::size_t> counts;
  for (std::size_t out = 0; chains.size() > 2 && out < chains.size(); ++out) {
    DrawPoints others{chains[out].dimension, {}, {}};
    std::vector<Moments> own;
    for (std::size_t k = 0; k < chains.size(); ++k) {
      if (k == out) continue;
      others.values.insert(others.values.end(), chains[k].values.begin(), chains[k].values.end());
      own.push_back(moments_of(chains[k]));
    }
    counts.push_back(agreement(pairs, moments_of(chains[out]), moments_of(others), own).agreeing());
  }
  std::sort(counts.begin(), counts.end());
  return counts;
}

/// The run of a method whose errors are smallest.
const TimedRun* best_run(const std::vector<TimedRun>& runs, const std::string& method) {
  const TimedRun* best = nullptr;
  for (const TimedRun& run : runs)
    if (run.method == method && (!best || run.late.covariance < best->late.covariance)) best = &run;
  return best;
}

/// How many runs of sgld have a run of sgfs-full beside them that mixes at least as fast and has less error.
std::size_t dominated(const std::vector<TimedRun>& runs, bool mean) {
  const auto error = [&](const TimedRun& run) { return mean ? run.late.mean : run.late.covariance; };
  return static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), [&](const TimedRun& slow) {
    return slow.method == "sgld" && std::any_of(runs.begin(), runs.end(), [&](const TimedRun& fast) {
             return fast.method == "sgfs-full" && fast.mixing >= slow.mixing && error(fast) < error(slow);
           });
  }));
}

}  // namespace

int main(int count, char** words) try {
  const Arguments arguments(count, words, "fisher_scoring_machine", true);
  const bool real = !arguments.data.empty(), quick = arguments.quick;
  const std::size_t most = arguments.rows > 0 ? arguments.rows : quick ? 600 : 20000;
  const double seconds = arguments.seconds > 0 ? arguments.seconds : quick ? 0.2 : 60;
  const Rows rows =
      frequent(real ? connections(std::filesystem::path(arguments.data) / "kddcup.data_10_percent", 500000)
                    : made_up(quick ? 700 : 60000, quick ? 4 : 40, 8, 1.5, 3),
               most);
  Model model(
      Dataset::Builder().real("x", rows.x, {static_cast<std::int64_t>(rows.columns)}).integer("y", rows.y).build());
  const auto logits = logits_of(model, rows, hidden, true, 1 / std::sqrt(10.0));
  model.likelihood(categorical_logit_lpmf(model.row("y"), logits));
  const auto dimension = static_cast<std::size_t>(model.dimension());
  const auto mode = highest_mode(model, dimension, quick ? 1 : 6);

  SampleOptions exact;
  exact.method("nuts");
  exact.preconditioner = curvature_at(model, mode);  // as in the paper
  exact.initial = initial_at(mode, rows);
  exact.chains = arguments.repetitions > 0 ? static_cast<std::uint32_t>(arguments.repetitions) : quick ? 2 : 6;
  exact.warmup = quick ? 200 : 300;
  exact.iterations = arguments.iterations > 0 ? arguments.iterations : quick ? 200 : 800;
  const auto nuts = sample(model, exact);
  std::vector<std::size_t> all(dimension);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const DrawPoints reference = draw_points(nuts.draws, all);
  const Moments target = moments_of(reference);
  std::vector<DrawPoints> draws_of_chains;
  std::vector<Moments> chains;
  double worst_rhat = 0;
  for (std::size_t j = 0; j < dimension; ++j) worst_rhat = std::max(worst_rhat, rhat(QuantityDraws(nuts.draws, j)));
  for (std::size_t chain = 0; chain < nuts.draws.chains(); ++chain) {
    DrawPoints own{dimension, {}, {}};
    for (std::size_t k = 0; k < nuts.draws.draws(chain); ++k) {
      const auto draw = nuts.draws.draw(chain, k);
      own.values.insert(own.values.end(), draw.begin(), draw.end());
    }
    chains.push_back(moments_of(own));
    draws_of_chains.push_back(std::move(own));
  }
  const RelativeErrors floor = relative_errors(draw_points(nuts.draws, all, 0, ChainPart::first_half),
                                               draw_points(nuts.draws, all, 0, ChainPart::second_half), 1);
  std::printf("nuts: %zu draws in %.0f s, largest R-hat %.3f; between halves E1 %.4f, E2 %.4f\n", reference.count(),
              nuts.seconds, worst_rhat, floor.mean, floor.covariance);
  std::fflush(stdout);

  const std::vector<std::string> methods = {"sgfs-full", "sgld"};
  std::vector<std::pair<std::string, double>> settings;
  for (const double alpha : {2.0, 3.0, 4.0, 5.0, 10.0}) settings.emplace_back("sgfs-full", alpha);
  for (const double step : {5e-4, 1e-4, 5e-5, 1e-5, 5e-6}) settings.emplace_back("sgld", step);
  if (quick) settings = {settings[0], settings[4], settings[6], settings[9]};
  std::vector<std::optional<TimedRun>> tried(settings.size());
  in_parallel(settings.size(), [&](std::size_t k) {
    const auto& [method, value] = settings[k];
    SampleOptions options;
    if (method == "sgld")
      options.method("sgld").step_size(value);
    else
      options.sampler = SgfsFullOptions{.alpha = value};
    options.gradient.minibatch.batch_size = quick ? 100 : 500;
    options.zero_variance = ZeroVarianceForm::none;
    options.initial = initial_at(mode, rows);
    options.threads = 1;
    try {
      TimedRun& run = tried[k].emplace(run_for(model, options, reference, quick ? 200 : 3000, seconds, 50'000));
      run.method = method;
      run.setting = method == "sgld" ? "ε = " + digits(value, 1) : "α = " + digits(value, 2);
      std::printf("%-10s %-12s %.3g iterations of %.1f us, 1/ATUC %.3g, E1 %.4f, E2 %.4f\n", method.c_str(),
                  run.setting.c_str(), static_cast<double>(run.iterations), 1e6 * run.seconds_per_iteration, run.mixing,
                  run.late.mean, run.late.covariance);
      std::fflush(stdout);
    } catch (const DivergenceError&) {
      tried[k].reset();
    }
  });
  std::vector<TimedRun> runs;
  std::vector<std::vector<std::string>> lines;
  const auto pairs = correlated_pairs(target);
  const auto of_others = left_out(pairs, draws_of_chains);
  for (const std::size_t agreeing : of_others)
    std::printf("a chain of nuts beside the others: %zu of %zu pairs agree\n", agreeing, pairs.size());
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const auto& [method, value] = settings[k];
    if (!tried[k]) {
      lines.push_back({method, method == "sgld" ? "ε = " + digits(value, 1) : "α = " + digits(value, 2), "diverged", "",
                       "", "", "", "", ""});
      continue;
    }
    runs.push_back(std::move(*tried[k]));
    const TimedRun& run = runs.back();
    const Agreement found = agreement(pairs, moments_of(run.points()), target, chains);
    lines.push_back({method, run.setting, digits(static_cast<double>(run.iterations), 2),
                     digits(1e6 * run.seconds_per_iteration), digits(run.mixing), digits(run.late.mean, 2),
                     digits(run.late.covariance, 2), digits(mean_sd_ratio(run, target)),
                     std::to_string(found.agreeing()) + " of " + std::to_string(pairs.size())});
  }
  const TimedRun *fisher = best_run(runs, "sgfs-full"), *langevin = best_run(runs, "sgld");
  if (!fisher || !langevin) {
    std::fprintf(stderr, "fisher_scoring_machine: all runs of a method diverged\n");
    return 1;
  }

  // Figure 4: of the most correlated pairs, one where both methods are near the exact draws, and the farthest of sgld.
  const Moments by_fisher = moments_of(fisher->points()), by_langevin = moments_of(langevin->points());
  const Agreement of_fisher = agreement(pairs, by_fisher, target, chains),
                  of_langevin = agreement(pairs, by_langevin, target, chains);
  std::size_t easy = 0, hard = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (of_fisher.own[k] + of_langevin.own[k] < of_fisher.own[easy] + of_langevin.own[easy]) easy = k;
    if (of_langevin.own[k] > of_langevin.own[hard]) hard = k;
  }
  const auto names = nuts.draws.names();
  std::vector<figure::Panel> panels;
  for (const auto& [run, moments] : {std::pair{fisher, &by_fisher}, std::pair{langevin, &by_langevin}})
    for (const auto& [k, word] : {std::pair{easy, "easy"}, std::pair{hard, "hard"}}) {
      const auto [i, j] = pairs[k];
      figure::Panel panel(run->method + ", " + run->setting + ", " + word + " pair", {names[i]}, {names[j]});
      for (const Moments& chain : chains)
        panel.ellipse("nuts, one chain", {chain.mean[i], chain.mean[j]}, chain.covariance_of(i, j));
      panel.ellipse("nuts, all chains", {target.mean[i], target.mean[j]}, target.covariance_of(i, j));
      panel.ellipse("the method", {moments->mean[i], moments->mean[j]}, moments->covariance_of(i, j));
      panels.push_back(std::move(panel));
    }
  figure::write_svg(arguments.out / "fisher-scoring-machine-marginals.svg", panels, 2);
  const std::string after = "after " + digits(seconds) + " s";
  figure::write_svg(arguments.out / "fisher-scoring-machine-errors.svg",
                    {error_panel("means, " + after, runs, methods, true, true),
                     error_panel("covariances, " + after, runs, methods, false, true)},
                    2);

  std::vector<std::size_t> counts;  // of pairs that agree, of the runs of sgfs-full
  std::map<std::string, std::string> words_of_counts;
  double fastest = 0, slowest = std::numeric_limits<double>::infinity();  // of sgld; of sgfs-full
  for (const TimedRun& run : runs) {
    const std::size_t agreeing = agreement(pairs, moments_of(run.points()), target, chains).agreeing();
    auto& words_of_method = words_of_counts[run.method];
    words_of_method += (words_of_method.empty() ? "" : ", ") + run.setting + ": " + std::to_string(agreeing);
    if (run.method == "sgld") {
      fastest = std::max(fastest, run.mixing);
    } else {
      slowest = std::min(slowest, run.mixing);
      counts.push_back(agreeing);
    }
  }
  std::sort(counts.begin(), counts.end());
  const auto counts_of = [&](const std::string& method) { return words_of_counts.at(method); };
  const std::string others_text =
      of_others.empty() ? "" : std::to_string(of_others.front()) + " to " + std::to_string(of_others.back());

  Page page(arguments.out, "fisher-scoring-machine", "Fisher scoring: a Boltzmann machine beside exact draws");
  page.text(
      "Ahn, Korattikara and Welling (2012), section 5.3, figures 4 and 5: a discriminative restricted Boltzmann "
      "machine with two hidden units on " +
      std::to_string(rows.count()) + " rows of " +
      std::string(real ? "the six most frequent classes of KDD99" : "made-up classes") + " (" +
      std::to_string(rows.columns) + " features, " + std::to_string(dimension) +
      " parameters, priors of precision 10, minibatches of " + std::string(quick ? "100" : "500") +
      "). `sgfs-full` and `sgld`, with the settings of the paper, run for " + digits(seconds) +
      " s of computation each, from the highest mode that L-BFGS finds; errors are those of [Fisher "
      "scoring](fisher-scoring.md). `examples/papers/fisher_scoring_machine.cpp` (`FOLDER --out DIR`) writes this "
      "page.");
  page.text(
      "**Differences from the paper.** It has some 490,000 rows, and runs of a million iterations, 6790 s. Its "
      "reference is 30 runs of HMC with one leapfrog step, 120,000 draws; here it is `nuts` in coordinates of unit "
      "curvature at the mode, " +
      std::to_string(chains.size()) + " chains from the same mode, " + std::to_string(reference.count()) +
      " draws in all (largest R-hat " + digits(worst_rhat) + "; between the halves of the chains E1 is " +
      digits(floor.mean, 2) + " and E2 " + digits(floor.covariance, 2) +
      ", and half of that is the error of the reference itself).");
  page.text(
      "The last column is for the " + std::to_string(pairs.size()) +
      " most correlated pairs of parameters. A pair agrees if the method is no farther from all draws of `nuts` "
      "together than the farthest single chain of `nuts`. Distance is the sum of the differences of means, variances "
      "and covariance, in exact standard deviations." +
      (of_others.empty() ? ""
                         : " A chain of `nuts` beside the other chains, as if it were a method, agrees for " +
                               others_text + " of the pairs."));
  page.figure("Contours of two standard deviations of two pairs of parameters", "fisher-scoring-machine-marginals.svg");
  page.figure("Errors against mixing", "fisher-scoring-machine-errors.svg");
  page.table({"method", "setting", "iterations", "µs each", "1 / ATUC", "E1", "E2", "sds / those of `nuts`",
              "pairs that agree"},
             lines);
  if (real)
    page.text(
        "**Reading the table.** The E2 of the reference itself is about " + digits(floor.covariance / 2, 1) +
        ", so values of E2 that differ by less do not tell which α is best. At the hard pair the differences of "
        "`sgfs-full` (" +
        fisher->setting + ") add up to " + digits(of_fisher.own[hard], 2) +
        " standard deviations, those of the farthest chain to " + digits(of_fisher.chains[hard], 2) +
        " (in the paper, runs of HMC \"are not consistent with one another\" there). Rates of mixing are up to " +
        digits(fastest) + " per second for `sgld` and from " + digits(slowest) +
        " for `sgfs-full`. Errors of `sgld` fall as it mixes faster, so they are sampling error, not the bias that "
        "the paper finds.");
  const auto pairs_text = [&](const TimedRun& run, const Agreement& own) {
    return run.method + " (" + run.setting + ") " + std::to_string(own.agreeing()) + " of " +
           std::to_string(pairs.size());
  };
  const auto at_hard = [&](const Agreement& own) { return digits(own.own[hard], 2); };
  page.finding("figure 4: SGFS-f agrees with HMC as much as HMC with its own parts, for easy and hard pairs",
               "pairs that agree, of " + std::to_string(pairs.size()) + ": sgfs-full " + counts_of("sgfs-full") +
                   (of_others.empty() ? "" : "; a chain of nuts beside the others " + others_text) +
                   "; at the hard pair " + at_hard(of_fisher) + ", the farthest chain " +
                   digits(of_fisher.chains[hard], 2) + " (one run each)",
               of_others.empty()                                      ? Verdict::not_shown
               : counts[(counts.size() - 1) / 2] >= of_others.front() ? Verdict::same
               : counts.back() < of_others.front()                    ? Verdict::contrary
                                                                      : Verdict::not_shown);
  page.finding("figure 4: SGLD fails for some pairs of parameters",
               "pairs that agree: " + pairs_text(*langevin, of_langevin) + "; at the hard pair " +
                   at_hard(of_langevin) + ", the farthest chain " + digits(of_langevin.chains[hard], 2) + " (one run)",
               of_langevin.agreeing() < pairs.size());
  const auto slow = static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [](const TimedRun& run) { return run.method == "sgld"; }));
  const auto better_runs = [&](bool mean) {
    return std::to_string(dominated(runs, mean)) + " of " + std::to_string(slow);
  };
  page.finding("figure 5: at the same mixing rate, SGLD has significantly larger errors than SGFS-f",
               std::string(fastest < slowest ? "no two runs mix at the same rate (sgld up to " + digits(fastest) +
                                                   " per second, sgfs-full from " + digits(slowest) + "); "
                                             : "") +
                   "for " + better_runs(true) +
                   " runs of sgld, a run of sgfs-full mixes at least as fast and has a smaller E1, for " +
                   better_runs(false) + " a smaller E2 (one run of each setting)",
               fastest < slowest                                                 ? Verdict::not_shown
               : dominated(runs, true) == slow && dominated(runs, false) == slow ? Verdict::same
                                                                                 : Verdict::contrary);
  page.write();
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "fisher_scoring_machine: %s\n", error.what());
  return 1;
}
