// Turns the numbers of a report into a verdict with reasons and advice.
//
// An estimate of a standard deviation ratio has an error, and a model many coordinates. With z such that a normal error
// exceeds z standard errors in any of D coordinates with probability 5 %, a coordinate is
//   wrong         if the estimate exceeds the tolerance and even its nearer bound is not harmless;
//   right         if the estimate is within the tolerance and even its farther bound is not wrong;
//   undecided     otherwise: more draws are needed.
// So, except in 5 % of cases, no harmless error is called wrong and no wrong estimate is called right.
#include <sgmcmc/bias.hpp>
#include "base/text.hpp"
#include "dynamics/traits.hpp"

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sgmcmc {
namespace {

constexpr double least_ess = 50;                    // below, standard errors are unreliable
constexpr double most_rhat = rhat_of_chains_apart;  // above, standard errors are meaningless
constexpr std::size_t fewest_to_disagree = 50;  // draws per chain; with fewer, R-hat is too noisy for "do not trust"
// Exact samplers whose chains have mixed this well are trusted if gradients are inconclusive. The limits allow for the
// worst of many coordinates.
constexpr double mixed_rhat = 1.03, mixed_ess = 200, mixed_rhat_of_many = 1.1, mixed_ess_of_many = 100;
constexpr std::size_t many_coordinates = 200;
constexpr double far_off =
    1.6;  // a ratio that no sampling error explains, if there are too few draws to estimate that error

std::string percent(double share) { return formatted(share < 0.0995 ? "%.1f %%" : "%.0f %%", 100.0 * share); }

/// Two significant digits; no exponent between 100 and a million.
std::string two_digits(double x) {
  const double size = std::abs(x);
  if (!(size >= 99.5 && size < 1e6)) return formatted("%.2g", x);
  const double unit = std::pow(10.0, std::floor(std::log10(size)) - 1.0);
  return formatted("%.0f", std::round(x / unit) * unit);
}

std::string ticked(const std::string& name) { return "`" + name + "`"; }

/// The first few of many names.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t k = 0; k < std::min(most, names.size()); ++k) text += (k > 0 ? ", " : "") + ticked(names[k]);
  return names.size() > most ? text + " and others" : text;
}

/// The distance of a number from 0, with the nearer and farther end of its confidence interval.
struct Distance {
  double estimate, least, most;
};

Distance distance_of_ratio(double ratio, double log_error, double z) {
  const double low = ratio * std::exp(-z * log_error), high = ratio * std::exp(z * log_error);
  const double from_low = std::abs(low - 1.0), from_high = std::abs(high - 1.0);
  return {std::abs(ratio - 1.0), low <= 1.0 && high >= 1.0 ? 0.0 : std::min(from_low, from_high),
          std::max(from_low, from_high)};
}

Distance distance_of_shift(double shift, double error, double z) {
  return {std::abs(shift), std::max(0.0, std::abs(shift) - z * error), std::abs(shift) + z * error};
}

Trust trust_of(const Distance& distance, double harmless, double tolerance, double wrong) {
  if (!std::isfinite(distance.most)) return Trust::cannot_tell;
  if (distance.estimate > tolerance && distance.least > harmless)
    return distance.estimate > wrong ? Trust::do_not_trust : Trust::caution;
  return distance.estimate <= tolerance && distance.most <= wrong ? Trust::trust : Trust::cannot_tell;
}

/// Findings rank before doubts.
int gravity(Trust trust) {
  switch (trust) {
    case Trust::trust: return 0;
    case Trust::cannot_tell: return 1;
    case Trust::caution: return 2;
    case Trust::do_not_trust: return 3;
  }
  return 0;
}

Trust graver(Trust a, Trust b) { return gravity(a) >= gravity(b) ? a : b; }

class Judge {
 public:
  Judge(BiasReport& report, const SampleOptions& run, const BiasOptions& options)
      : report_(report),
        run_(run),
        options_(options),
        z_(boost::math::quantile(boost::math::complement(
            boost::math::normal(), 0.025 / static_cast<double>(std::max<std::size_t>(1, report.coordinates.size()))))) {
    stochastic_ = step_shows(run.sampler);
    const SamplerTraits traits = traits_of(run.sampler);
    normal_ = traits.independent_draws;
    words_ = traits.words;
    noisy_ = run.gradient.estimator != Estimator::full;
    const bool wide = report.coordinates.size() >= many_coordinates;
    mixed_ = is_exact(run.sampler) && report.worst_rhat <= (wide ? mixed_rhat_of_many : mixed_rhat) &&
             report.least_ess >= (wide ? mixed_ess_of_many : mixed_ess);
    many_ = report.points >= fewest_to_disagree * std::max<std::size_t>(1, report.chains);
  }

  void pronounce() {
    Trust worst = Trust::trust;
    for (auto& coordinate : report_.coordinates) {
      judge(coordinate);
      worst = graver(worst, coordinate.trust);
    }
    smaller_step_ = std::any_of(report_.coordinates.begin(), report_.coordinates.end(),
                                [&](const CoordinateBias& c) { return needs_smaller_step(c); });
    if (smaller_step_)  // then advise a larger step for no coordinate
      for (auto& coordinate : report_.coordinates) judge(coordinate);
    report_.verdict = {worst, {}};
    auto& sentences = report_.verdict.sentences;
    if (const auto found = found_elsewhere(); !found.empty()) {
      report_.verdict.trust = Trust::do_not_trust;
      sentences.push_back("Do not trust these draws: " + found + ".");
      return;
    }
    switch (worst) {
      case Trust::trust: sentences.push_back(nothing_found()); break;
      case Trust::cannot_tell:
        sentences.push_back("Too few independent draws to tell whether " + subject() + " right: " + longer_run() + ".");
        break;
      case Trust::caution: sentences.push_back("Use these draws with caution: " + counted(Trust::caution) + "."); break;
      case Trust::do_not_trust:
        sentences.push_back("Do not trust these draws: " + counted(Trust::do_not_trust) + ".");
        break;
    }
    report_.verdict.smaller_step = worst == Trust::do_not_trust && stochastic_ && smaller_step_;
    add_reasons(worst, sentences);
    add_step_to_take(worst, sentences);
    add_halving(sentences);
    add_remarks(sentences);
  }

 private:
  static bool converged(const CoordinateBias& c) { return c.ess >= least_ess && !(c.rhat > most_rhat); }

  /// Findings from the log density away from the draws, as a sentence without its full stop.
  std::string found_elsewhere() const {
    constexpr double most_impossible = 0.005;
    if (report_.impossible > most_impossible)
      return percent(report_.impossible) +
             " of the draws are where the density is zero, which gradients do not show. Declare "
             "parameters with their bounds, as in real<lower=0>, or use nuts";
    if (report_.jump)
      return "the log density jumps" +
             (report_.jump->names.empty() ? ""
                                          : " where " + some_of(report_.jump->names) + " change" +
                                                (report_.jump->names.size() == 1 ? "s" : "")) +
             ", by about " + two_digits(report_.jump->size) +
             " between two draws, which gradients do not show. Write the model without thresholds that depend on "
             "parameters, or sum over what is discrete";
    if (report_.slow) {
      const std::string names = some_of(report_.slow->names);
      if (report_.slow->kind == SlowTail::flat)
        return "the posterior is improper: its log density does not decrease along " + names +
               ". Give them proper priors, or remove parameters that the data do not identify";
      return std::string("the posterior has no ") +
             (report_.slow->kind == SlowTail::no_mean ? "mean and no standard deviation" : "standard deviation") +
             ": its density decreases too slowly along " + names + ". Use medians and quantiles instead";
    }
    if (report_.exchangeable) return about_exchange(*report_.exchangeable);
    return report_.other_mode ? about_mode(*report_.other_mode) : "";
  }

  static std::string about_exchange(const Exchangeable& found) {
    return "the chains are in different modes, and the likelihood does not change when elements of " +
           some_of(found.names) + (found.signs ? " change their signs" : " are exchanged") +
           " together: single elements are not identified. Use predictions and other invariant quantities, or " +
           (found.signs ? "fix signs" : "order the elements") + " by a constraint";
  }

  std::string about_mode(const OtherMode& mode) const {
    const std::string remedy =
        "Order the parameters or fix their signs by constraints, or use only invariant quantities";
    if (mode.unseen && mode.exchanged)
      return "the posterior has an equivalent second mode that the chains have hardly visited: labels or signs can be "
             "exchanged. " +
             remedy;
    if (mode.unseen)
      return "the chains have hardly visited another mode, which holds about " + percent(mode.share) +
             " of the posterior. Also start chains there, or use a prior that favours one mode";
    if (!(report_.worst_rhat > rhat_of_chains_apart)) return "";  // chains move between the modes
    if (mode.exchanged) return "the chains stay in equivalent modes: labels or signs can be exchanged. " + remedy;
    return "the chains stay in separate modes. One holds about " + percent(mode.share) +
           " of the posterior by its height and width, and " + percent(mode.share_of_draws) +
           " of the draws. Summarise the chains of each mode separately, or use a prior that favours one mode";
  }

  Trust trust_of_sd(const CoordinateBias& c) const {
    return trust_of(distance_of_ratio(c.moments.sd_ratio, c.moments.log_sd_ratio_error, z_), options_.sd_harmless,
                    options_.sd_tolerance, options_.sd_wrong);
  }

  /// True if the sd is too large, or the mean is wrong although the sd is right.
  bool needs_smaller_step(const CoordinateBias& c) const {
    if (gravity(c.trust) < 2) return false;
    return c.moments.sd_ratio > 1.0 || (converged(c) && gravity(trust_of_sd(c)) < 2);
  }

  void judge(CoordinateBias& c) const {
    const auto& m = c.moments;
    if (!converged(c)) {
      const bool absurd = report_.jointly && (m.sd_ratio > far_off || m.sd_ratio < 1.0 / far_off);
      const bool fits = report_.jointly && std::abs(m.sd_ratio - 1.0) <= options_.sd_tolerance &&
                        std::abs(m.mean_shift) <= options_.mean_tolerance;
      const bool disagree = many_ && c.rhat > most_rhat && !fits;
      c.trust = absurd || disagree ? Trust::do_not_trust : Trust::cannot_tell;
      c.advice = not_converged(c, absurd);
      return;
    }
    const Trust sd = trust_of_sd(c);
    const Trust mean = trust_of(distance_of_shift(m.mean_shift, m.mean_shift_error, z_), options_.mean_harmless,
                                options_.mean_tolerance, options_.mean_wrong);
    c.trust = graver(sd, mean);
    c.advice.clear();
    // For posteriors far from normal, the standard errors of gradient-based estimates are too small.
    if (mixed_ && (c.trust == Trust::cannot_tell || !report_.jointly)) {
      c.trust = gravity(c.trust) >= 2 && far_from_right(c) ? c.trust : Trust::trust;
      if (c.trust == Trust::trust) return;
    }
    if (gravity(sd) >= 2)
      c.advice = about_sd(c);
    else if (gravity(mean) >= 2)
      c.advice = about_mean(c);
    else if (c.trust == Trust::cannot_tell)
      c.advice = undecided(c, sd);
  }

  static bool far_from_right(const CoordinateBias& c) {
    const auto& m = c.moments;
    constexpr double sure = 6;  // standard errors
    return std::abs(std::log(m.sd_ratio)) > std::max(std::log(far_off), sure * m.log_sd_ratio_error) ||
           std::abs(m.mean_shift) > std::max(1.0, sure * m.mean_shift_error);
  }

  std::string not_converged(const CoordinateBias& c, bool absurd) const {
    std::string text =
        ticked(c.name) + ": effective sample size " + two_digits(std::floor(c.ess)) + ", R-hat " +
        two_decimals(c.rhat) +
        (c.rhat > most_rhat ? ": the chains disagree" : ": the chains have not explored the posterior yet");
    if (absurd) text += ", and their sd is " + two_digits(c.moments.sd_ratio) + " times what the gradients say";
    return text + "; " + longer_run();
  }

  static std::string two_decimals(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", value);
    return text;
  }

  std::string longer_run() const {
    return stochastic_ && !smaller_step_ ? "run longer, with a larger step if the summary allows it" : "run longer";
  }

  std::string with_error(double size, double error) const { return percent(size) + " (+- " + percent(error) + ")"; }

  /// Advice for draws that were not made by a Markov chain.
  std::string remedy() const {
    return options_.remedy.empty() ? "the posterior is not normal enough: use nuts, or sgld-cv" : options_.remedy;
  }

  std::string about_sd(const CoordinateBias& c) const {
    const auto& m = c.moments;
    const double off = std::abs(m.sd_ratio - 1.0), error = m.sd_ratio * m.log_sd_ratio_error;
    if (normal_)
      return ticked(c.name) + ": sd too " + (m.sd_ratio < 1.0 ? "small" : "large") + " by about " +
             with_error(off, error) + "; " + remedy();
    if (m.sd_ratio < 1.0) {
      std::string text = ticked(c.name) + ": sd too small by about " + with_error(off, error) + "; ";
      if (!words_.too_narrow->empty()) return text.append(*words_.too_narrow);
      return text + "the chains miss part of the posterior: " + longer_run();
    }
    const std::string amount = m.sd_ratio > 2.0 ? "sd about " + two_digits(m.sd_ratio) + " times too large"
                                                : "sd inflated about " + with_error(off, error) + ", variance about " +
                                                      percent(m.sd_ratio * m.sd_ratio - 1.0);
    if (!words_.too_wide->empty()) return ticked(c.name) + ": " + amount + "; " + std::string(*words_.too_wide);
    if (!stochastic_) return ticked(c.name) + ": " + amount + "; discard more warm-up and run longer";
    return cause_of_inflation(c, amount);
  }

  std::string cause_of_inflation(const CoordinateBias& c, const std::string& amount) const {
    const std::string quieter = run_.gradient.estimator == Estimator::minibatch
                                    ? "use control variates (-cv) or a larger batch"
                                    : "use a larger batch";
    const bool much = c.moments.sd_ratio > 1.5;  // halving is not enough
    const std::string smaller = much ? "make it much smaller" : "halve it";
    const std::string too_large = "step too large for " + ticked(c.name) + ": " + amount;
    if (!words_.other_wide_cause->empty())
      return too_large + ", or " + std::string(*words_.other_wide_cause) + "; " + smaller + ", or " +
             std::string(*words_.other_wide_remedy) + (noisy_ ? ", or " + quieter : "");
    const bool predicted = std::isfinite(c.predicted_sd_ratio) && c.predicted_sd_ratio > 1.0;
    if (!noisy_ || (!predicted && c.noise_ratio <= 0.01)) return too_large + "; " + smaller;
    if (!predicted) return too_large + "; " + smaller + ", or " + quieter;
    const double from_step =
        (c.predicted_from_step * c.predicted_from_step - 1.0) / (c.predicted_sd_ratio * c.predicted_sd_ratio - 1.0);
    if (from_step > 0.7) return too_large + "; " + smaller;
    if (from_step < 0.3)
      return "gradients too noisy for " + ticked(c.name) + ": " + amount + "; " + quieter +
             (much ? ", or a much smaller step" : ", or halve the step");
    return too_large + ", by the step and by gradient noise; " + smaller + ", or " + quieter;
  }

  std::string about_mean(const CoordinateBias& c) const {
    const auto& m = c.moments;
    if (normal_)
      return ticked(c.name) + ": mean off by about " + two_digits(std::abs(m.mean_shift)) + " (+- " +
             two_digits(m.mean_shift_error) + ") posterior sd; " + remedy();
    return ticked(c.name) + ": mean off by about " + two_digits(std::abs(m.mean_shift)) + " (+- " +
           two_digits(m.mean_shift_error) + ") posterior sd; discard more warm-up or run longer" +
           (stochastic_                ? ", and if that does not help, halve the step"
            : !words_.shifted->empty() ? ", and if that does not help, " + std::string(*words_.shifted)
                                       : "");
  }

  std::string undecided(const CoordinateBias& c, Trust sd) const {
    const auto& m = c.moments;
    if (sd == Trust::cannot_tell && !std::isfinite(m.log_sd_ratio_error))
      return ticked(c.name) + ": its sd cannot be judged, because some draws are where the log density is not concave";
    if (sd == Trust::cannot_tell)
      return ticked(c.name) + ": sd ratio " + two_decimals(m.sd_ratio) + " (+- " +
             two_decimals(m.sd_ratio * m.log_sd_ratio_error) + ") leaves open whether it is right; run longer";
    return ticked(c.name) + ": mean shift " + two_decimals(m.mean_shift) + " (+- " + two_decimals(m.mean_shift_error) +
           ") posterior sd leaves open whether it is right; run longer";
  }

  std::string subject() const { return report_.coordinates.size() == 1 ? "its parameter is" : "all parameters are"; }

  std::string counted(Trust level) const {
    const auto wrong = std::count_if(report_.coordinates.begin(), report_.coordinates.end(),
                                     [&](const auto& c) { return gravity(c.trust) >= 2; });
    const std::string of = std::to_string(wrong) + " of " + std::to_string(report_.coordinates.size()) +
                           (report_.coordinates.size() == 1 ? " coordinate" : " coordinates");
    return of + (wrong == 1 ? " is" : " are") + (level == Trust::caution ? " somewhat off" : " wrong");
  }

  std::string nothing_found() const {
    Distance sd{}, mean{};  // the largest of all coordinates
    const auto widen = [](Distance& to, const Distance& by) {
      to = {std::max(to.estimate, by.estimate), 0.0, std::max(to.most, by.most)};
    };
    for (const auto& c : report_.coordinates) {
      widen(sd, distance_of_ratio(c.moments.sd_ratio, c.moments.log_sd_ratio_error, z_));
      widen(mean, distance_of_shift(c.moments.mean_shift, c.moments.mean_shift_error, z_));
    }
    if (mixed_ && (!report_.jointly || !(sd.most <= options_.sd_wrong && mean.most <= options_.mean_wrong)))
      return "No problems found with these draws: the chains agree (R-hat at most " + two_decimals(report_.worst_rhat) +
             ", effective sample sizes at least " + two_digits(std::floor(report_.least_ess)) +
             "), and gradients agree.";
    return "No problems found with these draws: by the gradients, every sd is within " + percent(sd.estimate) +
           " of the posterior's (" + percent(sd.most) + " including error) and every mean within " +
           two_digits(mean.estimate) + " sd (" + two_digits(mean.most) + " sd).";
  }

  /// Adds the worst few coordinates with the most serious problem.
  void add_reasons(Trust worst, std::vector<std::string>& sentences) const {
    std::vector<const CoordinateBias*> found;
    for (const auto* c : worst_first(report_))
      if (!c->advice.empty() && (gravity(c->trust) >= 2 || c->trust == worst)) found.push_back(c);
    constexpr std::size_t most = 3;
    for (std::size_t k = 0; k < std::min(most, found.size()); ++k) sentences.push_back(found[k]->advice + ".");
    if (found.size() > most)
      sentences.push_back(std::to_string(found.size() - most) + (found.size() == most + 1 ? " more is" : " more are") +
                          " like these.");
  }

  void add_step_to_take(Trust worst, std::vector<std::string>& sentences) const {
    if (gravity(worst) < 2 || !report_.step_within_five_percent || *report_.step_within_five_percent >= 1.0) return;
    const bool inflated = std::any_of(report_.coordinates.begin(), report_.coordinates.end(),
                                      [](const auto& c) { return gravity(c.trust) >= 2 && c.moments.sd_ratio > 1.0; });
    if (!inflated) return;
    double step = 0;
    std::visit(
        [&](const auto& sampler) {
          if constexpr (requires { sampler.step_size.values; })
            if (sampler.step_size.values.size() == 1) step = sampler.step_size.values.front();
        },
        run_.sampler);
    const double factor = *report_.step_within_five_percent;
    sentences.push_back("All else unchanged, sds would be within 5 % at " +
                        (step > 0 ? "a step size of about " + two_digits(factor * step)
                                  : "about " + two_digits(factor) + " times the step sizes") +
                        ".");
  }

  void add_halving(std::vector<std::string>& sentences) const {
    if (!report_.halving) return;
    const auto& coordinates = report_.halving->coordinates;
    std::size_t worst = 0;
    double most = -1;
    for (std::size_t d = 0; d < coordinates.size(); ++d) {
      const double z = std::abs(coordinates[d].log_sd_change) / coordinates[d].log_sd_change_error;
      if (z > most) most = z, worst = d;
    }
    if (most < 0) return;
    const auto& c = coordinates[worst];
    const double change = std::expm1(c.log_sd_change);
    const std::string amount = percent(std::abs(change)) + " (+- " + percent(c.log_sd_change_error) + ")";
    sentences.push_back(most > z_ ? "At half the step size the sd of " + ticked(report_.coordinates[worst].name) +
                                        " is " + (change < 0 ? "smaller" : "larger") + " by " + amount +
                                        ": the step size biases the draws."
                                  : "At half the step size no sd changes by more than its error; that of " +
                                        ticked(report_.coordinates[worst].name) + " changes most, by " + amount + ".");
  }

  void add_remarks(std::vector<std::string>& sentences) const {
    if (!report_.jointly && report_.coordinates.size() > 1)
      sentences.push_back(
          "Coordinates were analysed one by one, because there are too many for these draws, or some draws are where "
          "the log density is not concave: that some coordinate is wrong is more certain than which one.");
    if (report_.dropped > 0)
      sentences.push_back(std::to_string(report_.dropped) +
                          " draws were omitted: on the boundary of a constraint, or with a non-finite gradient.");
  }

  BiasReport& report_;
  const SampleOptions& run_;
  const BiasOptions& options_;
  double z_;
  bool stochastic_ = true, noisy_ = true;
  bool mixed_ = false;         // an exact sampler, whose chains agree
  bool many_ = false;          // enough draws for a reliable R-hat
  bool smaller_step_ = false;  // some coordinate needs one
  VerdictWords words_ = usual_words();
  bool normal_ = false;  // draws are from the normal approximation: a longer run does not help
};

}  // namespace

std::string_view trust_words(Trust trust) {
  switch (trust) {
    case Trust::trust: return "trust";
    case Trust::caution: return "caution";
    case Trust::do_not_trust: return "do not trust";
    case Trust::cannot_tell: return "cannot tell";
  }
  return "";
}

bool step_shows(const SamplerOptions& sampler) { return traits_of(sampler).step_biases; }

std::vector<const CoordinateBias*> worst_first(const BiasReport& report) {
  const auto off = [](const CoordinateBias& c) {
    const double sd = std::abs(std::log(c.moments.sd_ratio)), mean = 0.5 * std::abs(c.moments.mean_shift);
    return std::max(std::isnan(sd) ? 0.0 : sd, std::isnan(mean) ? 0.0 : mean);
  };
  std::vector<const CoordinateBias*> order;
  for (const auto& coordinate : report.coordinates) order.push_back(&coordinate);
  std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) {
    return gravity(a->trust) != gravity(b->trust) ? gravity(a->trust) > gravity(b->trust) : off(*a) > off(*b);
  });
  return order;
}

void judge(BiasReport& report, const SampleOptions& run, const BiasOptions& options) {
  Judge(report, run, options).pronounce();
}

}  // namespace sgmcmc
