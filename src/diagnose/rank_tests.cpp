// Chi-square, moments and empirical distribution function of ranks.
//
// Let C(t) be the number of N ranks below t; for uniform ranks it is binomial with probability t / (draws + 1), and a
// Markov chain in t: given C(s), C(t) - C(s) is binomial with N - C(s) trials and probability (t - s) / (draws + 1 -
// s). So the probability that C stays within bounds at all thresholds is a sum over paths, taken threshold by threshold
// (Säilynoja et al. 2022, section 2.2; no simulation). The bounds come from the two-sided binomial tail at one
// pointwise level.
#include <sgmcmc/error.hpp>
#include <sgmcmc/rank_tests.hpp>

#include "base/special_functions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace sgmcmc {
namespace {

constexpr std::uint32_t most_thresholds = 99;

/// Logarithms of factorials, and with them binomial probabilities.
class Binomial {
 public:
  explicit Binomial(std::uint64_t most) : log_factorial_(most + 1) {
    for (std::size_t n = 1; n <= most; ++n)
      log_factorial_[n] = log_factorial_[n - 1] + std::log(static_cast<double>(n));
  }
  double probability(std::size_t trials, std::size_t successes, double log_p, double log_q) const {
    const auto failures = trials - successes;
    return std::exp(log_factorial_[trials] - log_factorial_[successes] - log_factorial_[failures] +
                    static_cast<double>(successes) * log_p + static_cast<double>(failures) * log_q);
  }

 private:
  std::vector<double> log_factorial_;
};

class CountProcess {
 public:
  CountProcess(std::uint64_t replications, std::uint32_t draws)
      : count_(replications), values_(static_cast<double>(draws) + 1), binomial_(replications) {
    const std::uint32_t points = std::min(draws, most_thresholds);
    for (std::uint32_t i = 1; i <= points; ++i)
      thresholds_.push_back(
          static_cast<std::uint32_t>((static_cast<std::uint64_t>(i) * (draws + std::uint64_t{1})) / (points + 1)));
    for (const auto threshold : thresholds_) tails_.push_back(tails_at(threshold / values_));
  }

  const std::vector<std::uint32_t>& thresholds() const { return thresholds_; }
  /// The two-sided tail probability of this many ranks below threshold i.
  double tail(std::size_t i, std::uint64_t count) const { return tails_[i][count]; }
  /// Counts at threshold i whose tail is above the level: first and last.
  std::pair<std::size_t, std::size_t> inside(std::size_t i, double level) const {
    const auto& tails = tails_[i];
    const auto high = static_cast<std::size_t>(std::max_element(tails.begin(), tails.end()) - tails.begin());
    std::size_t first = high, last = high;
    while (first > 0 && tails[first - 1] > level) --first;
    while (last < count_ && tails[last + 1] > level) ++last;
    return {first, last};
  }

  /// Probability that at every threshold the tail is above the level.
  double coverage(double level) const {
    std::vector<double> now{1.0}, next;
    std::size_t first = 0;
    double passed = 0;
    for (std::size_t i = 0; i < thresholds_.size(); ++i) {
      const double share = (thresholds_[i] - passed) / (values_ - passed);
      passed = thresholds_[i];
      const double log_p = std::log(share), log_q = std::log1p(-share), odds = share / (1 - share);
      const auto [low, high] = inside(i, level);
      if (tails_[i][low] <= level) return 0;  // even the most likely count is outside
      next.assign(high - low + 1, 0.0);
      for (std::size_t k = 0; k < now.size(); ++k) {
        if (now[k] < 1e-300) continue;
        const std::size_t count = first + k;
        const std::size_t from = std::max(count, low), trials = count_ - count;
        double step = from > high ? 0 : binomial_.probability(trials, from - count, log_p, log_q);
        const bool underflows = step < 1e-200;  // then compute directly, not by ratios of neighbours
        for (std::size_t to = from; to <= high; ++to) {
          const std::size_t more = to - count;
          if (underflows) step = binomial_.probability(trials, more, log_p, log_q);
          next[to - low] += now[k] * step;
          step *= static_cast<double>(trials - more) / static_cast<double>(more + 1) * odds;
        }
      }
      now.swap(next);
      first = low;
    }
    double total = 0;
    for (const double each : now) total += each;
    return std::min(1.0, total);
  }

 private:
  std::vector<double> tails_at(double share) const {
    std::vector<double> tails(count_ + 1), above(count_ + 2);
    const double log_p = std::log(share), log_q = std::log1p(-share);
    for (std::size_t k = 0; k <= count_; ++k) tails[k] = binomial_.probability(count_, k, log_p, log_q);
    for (std::size_t k = count_ + 1; k-- > 0;) above[k] = above[k + 1] + tails[k];
    double below = 0;
    for (std::size_t k = 0; k <= count_; ++k) {
      below += tails[k];
      tails[k] = std::min(1.0, 2 * std::min(below, above[k]));
    }
    return tails;
  }

  std::size_t count_;
  double values_;
  Binomial binomial_;
  std::vector<std::uint32_t> thresholds_;
  std::vector<std::vector<double>> tails_;  // by threshold, then by count
};

std::string number(const char* format, double x) {
  char text[32];
  std::snprintf(text, sizeof text, format, x);
  return text;
}

void compare_histogram(std::span<const std::uint32_t> ranks, std::uint32_t draws, std::size_t bins, RankTest& test) {
  const std::uint64_t values = std::uint64_t{draws} + 1;
  if (bins == 0) bins = std::clamp<std::size_t>(ranks.size() / 10, 2, 20);
  bins = static_cast<std::size_t>(std::min<std::uint64_t>(bins, values));
  test.histogram.assign(bins, 0);
  // Bin b holds the ranks r with floor(r bins / values) = b.
  for (const auto rank : ranks) ++test.histogram[static_cast<std::size_t>(rank * std::uint64_t{bins} / values)];
  double statistic = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    const std::uint64_t begin = (b * values + bins - 1) / bins, end = ((b + 1) * values + bins - 1) / bins;
    const double expected =
        static_cast<double>(ranks.size()) * static_cast<double>(end - begin) / static_cast<double>(values);
    const double difference = static_cast<double>(test.histogram[b]) - expected;
    statistic += difference * difference / expected;
  }
  if (bins > 1)
    test.chi_square_p_value =
        statistic > 0 ? std::exp(special::log_gamma_q(0.5 * static_cast<double>(bins - 1), 0.5 * statistic)) : 1;
}

void compare_moments(std::span<const std::uint32_t> ranks, std::uint32_t draws, RankTest& test) {
  const double count = static_cast<double>(ranks.size()), values = static_cast<double>(draws) + 1;
  double mean = 0, spread = 0, about_half = 0;
  for (const auto rank : ranks) mean += (rank + 0.5) / values / count;
  for (const auto rank : ranks) {
    const double u = (rank + 0.5) / values;
    spread += (u - mean) * (u - mean) / count;
    about_half += (u - 0.5) * (u - 0.5) / count;
  }
  // Moments of the discrete uniform law: variance (1 - 1 / n^2) / 12; that of squares, from the fourth moment.
  const double grain = 1 - 1 / (values * values), variance = grain / 12;
  const double fourth = (3 * std::pow(values, 4) - 10 * values * values + 7) / (240 * std::pow(values, 4));
  test.shift_z = (0.5 - mean) * std::sqrt(count / variance);
  const double of_squares = fourth - variance * variance;
  if (of_squares > 0) test.spread_z = (about_half - variance) * std::sqrt(count / of_squares);  // 0 for two values
  test.moments_p_value = std::exp(-0.5 * (test.shift_z * test.shift_z + test.spread_z * test.spread_z));
  // A true value Z and draws of standard deviation s about d, Z standard normal: the rank's limit is Phi((Z - d) / s),
  // with the variance asin(1 / (1 + s^2)) / (2 pi) for d = 0 and the mean Phi(-d / sqrt(2)) for s = 1.
  const double inside = std::clamp(mean, 0.5 / (count + 1), 1 - 0.5 / (count + 1));
  test.shift = -std::numbers::sqrt2 * special::inv_phi(inside);
  const double sine = std::sin(2 * std::numbers::pi * std::clamp(spread / grain, 1e-4, 0.2499));
  test.spread = std::sqrt(std::max(0.0, 1 / sine - 1));
}

}  // namespace

std::uint32_t rank_among(double truth, std::span<const double> draws, double uniform) {
  std::uint32_t below = 0, equal = 0;
  for (const double draw : draws) {
    below += draw < truth;
    equal += draw == truth;
  }
  return below + std::min(equal, static_cast<std::uint32_t>(uniform * (equal + 1.0)));
}

double RankTest::smallest_p_value() const { return std::min({chi_square_p_value, ecdf_p_value, moments_p_value}); }

std::string RankTest::shape() const {
  std::vector<std::string> words;
  // A slope also moves ranks away from the middle, so width is judged by their variance about their own mean as well.
  if (spread_z >= 3 && spread < 0.95)
    words.push_back("U-shaped: the draws are too narrow, about " + number("%.2g", spread) +
                    " times the posterior's standard deviation");
  if (spread_z <= -3 && spread > 1.05)
    words.push_back("hump-shaped: the draws are too wide, about " + number("%.2g", spread) +
                    " times the posterior's standard deviation");
  if (std::fabs(shift_z) >= 3)
    words.push_back(std::string("sloping: the draws are too ") + (shift > 0 ? "high" : "low") + ", by about " +
                    number("%.2g", std::fabs(shift)) + " posterior standard deviations");
  if (words.empty()) return "neither U-shaped, hump-shaped nor sloping";
  return words.size() == 1 ? words[0] : words[1] + "; " + words[0];
}

RankTest test_ranks(std::span<const std::uint32_t> ranks, std::uint32_t draws, std::size_t bins) {
  if (ranks.empty()) throw OptionError("test_ranks: there are no ranks");
  if (draws == 0) throw OptionError("test_ranks: ranks among 0 draws are all 0");
  for (const auto rank : ranks)
    if (rank > draws)
      throw OptionError("test_ranks: rank " + std::to_string(rank) + " among " + std::to_string(draws) + " draws");
  RankTest test;
  compare_histogram(ranks, draws, bins, test);
  compare_moments(ranks, draws, test);
  const CountProcess process(ranks.size(), draws);
  std::vector<std::uint32_t> sorted(ranks.begin(), ranks.end());
  std::sort(sorted.begin(), sorted.end());
  double farthest = 1;
  for (std::size_t i = 0; i < process.thresholds().size(); ++i) {
    const auto below = std::lower_bound(sorted.begin(), sorted.end(), process.thresholds()[i]) - sorted.begin();
    farthest = std::min(farthest, process.tail(i, static_cast<std::uint64_t>(below)));
  }
  // Treats tails as equal up to rounding. If the p-value is too small to compute as a difference from 1, uses the upper
  // bound given by the sum of the tails at all thresholds.
  const double sum = farthest * static_cast<double>(process.thresholds().size());
  test.ecdf_p_value = sum < 1e-9 ? sum : std::max(0.0, 1 - process.coverage(farthest * (1 + 1e-9)));
  return test;
}

EcdfBand ecdf_band(std::uint64_t replications, std::uint32_t draws, double level) {
  if (replications == 0 || draws == 0) throw OptionError("ecdf_band: needs at least one replication and one draw");
  if (!(level > 0 && level < 1)) throw OptionError("ecdf_band: level must lie between 0 and 1");
  const CountProcess process(replications, draws);
  // A larger pointwise level makes a narrower band: the largest that still covers.
  double wide = 0, narrow = level;
  if (process.coverage(narrow) >= 1 - level) wide = narrow;
  for (int i = 0; i < 30 && narrow - wide > 1e-6 * level; ++i) {
    const double middle = 0.5 * (wide + narrow);
    (process.coverage(middle) >= 1 - level ? wide : narrow) = middle;
  }
  EcdfBand band;
  band.pointwise_level = wide;
  band.thresholds = process.thresholds();
  for (std::size_t i = 0; i < band.thresholds.size(); ++i) {
    const auto [first, last] = process.inside(i, wide);
    band.lower.push_back(first);
    band.upper.push_back(last);
  }
  return band;
}

}  // namespace sgmcmc
