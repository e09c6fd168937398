// Describes the result of a comparison in plain words.
#include "base/text.hpp"
#include "report/cells.hpp"
#include "report/comparison_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace sgmcmc {
namespace {

using Parameter = ParameterComparison;

std::string two_digits(double value) { return formatted("%.2g", value); }

std::string probability_words(double probability) {
  return probability < 1e-6 ? "p < 1e-6" : "p = " + two_digits(probability);
}

std::string percent(double share) { return formatted(share < 0.1 ? "%.1f %%" : "%.0f %%", 100.0 * share); }

/// One moment of all parameters: which differ, and how large a difference would be detected.
struct Finding {
  std::vector<const Parameter*> differing;
  const Parameter* worst = nullptr;  // the largest difference, in the units of this moment
  double visible = 0.0;              // larger differences would be detected in every parameter
  std::size_t told = 0;              // parameters that can be compared

  void add(const Parameter& parameter, double difference, double error, double limit) {
    if (!std::isfinite(difference) || !(error > 0.0) || !std::isfinite(error)) return;
    ++told;
    visible = std::max(visible, limit * error);
    if (std::abs(difference) <= limit * error) return;
    differing.push_back(&parameter);
    if (!worst || std::abs(difference) > most_) {
      worst = &parameter;
      most_ = std::abs(difference);
    }
  }

 private:
  double most_ = 0.0;
};

std::string sd_words(const Parameter& parameter) {
  const double ratio = parameter.sd_ratio;
  return ratio > 2.0
             ? two_digits(ratio) + " times that of the reference"
             : percent(std::abs(ratio - 1.0)) + (ratio > 1.0 ? " larger" : " smaller") + " than in the reference";
}

std::string count_words(const Finding& finding, const std::string& what) {
  return std::to_string(finding.differing.size()) + " of " + std::to_string(finding.told) + " " + what;
}

std::string mean_clause(const Finding& means) {
  if (means.differing.empty())
    return "Means agree within Monte Carlo error (a difference of " + two_digits(means.visible) + " sd would show)";
  const std::string by = two_digits(std::abs(means.worst->mean_difference)) + " sd";
  if (means.differing.size() == 1)
    return "The mean of " + means.worst->name + " differs by " + by + ", more than Monte Carlo error";
  return count_words(means, "means") + " differ by more than Monte Carlo error, most that of " + means.worst->name +
         ": by " + by;
}

std::string sd_clause(const Finding& sds) {
  if (sds.differing.empty())
    return "sds agree within Monte Carlo error (a difference of " + percent(sds.visible) + " would show)";
  if (sds.differing.size() == 1) return "the sd of " + sds.worst->name + " is " + sd_words(*sds.worst);
  return count_words(sds, "sds") + " differ by more than Monte Carlo error, most that of " + sds.worst->name +
         ", which is " + sd_words(*sds.worst);
}

/// Constant parameters, which the other clauses do not cover.
std::string constant_clause(const Comparison& comparison) {
  std::string text;
  const auto first = [&](auto condition, const std::string& what) {
    const auto found = std::find_if(comparison.parameters.begin(), comparison.parameters.end(), condition);
    if (found == comparison.parameters.end()) return;
    const auto count = std::count_if(found, comparison.parameters.end(), condition);
    text += " " + found->name + (count > 1 ? " and " + std::to_string(count - 1) + " others" : "") + what;
  };
  first([](const Parameter& p) { return p.reference_standard_deviation == 0.0 && p.standard_deviation > 0.0; },
        " never changes in the reference.");
  first([](const Parameter& p) { return p.reference_standard_deviation > 0.0 && p.standard_deviation == 0.0; },
        " never changes in the first set.");
  first(
      [](const Parameter& p) {
        return p.reference_standard_deviation == 0.0 && p.standard_deviation == 0.0 && p.mean_difference != 0.0;
      },
      " is constant in both sets, but not the same.");
  return text;
}

std::string rhat_clause(const Comparison& comparison, double Parameter::*rhat, const std::string& which) {
  const Parameter* worst = nullptr;
  for (const Parameter& parameter : comparison.parameters)
    if (parameter.*rhat > 1.05 && (!worst || parameter.*rhat > worst->*rhat)) worst = &parameter;
  if (!worst) return "";
  return " The chains of " + which + " do not agree with one another (rhat of " + worst->name + " is " +
         rhat_cell(worst->*rhat) + "): its Monte Carlo errors are larger than shown.";
}

}  // namespace

const ParameterComparison* worst_ks(const Comparison& comparison) {
  const Parameter* worst = nullptr;
  for (const Parameter& parameter : comparison.parameters) {
    if (std::isnan(parameter.ks_probability)) continue;
    const bool worse = !worst || parameter.ks_probability < worst->ks_probability ||
                       (parameter.ks_probability == worst->ks_probability && parameter.ks > worst->ks);
    if (worse) worst = &parameter;
  }
  return worst;
}

double worst_ks_probability(const Comparison& comparison) {
  const Parameter* worst = worst_ks(comparison);
  if (!worst) return std::numeric_limits<double>::quiet_NaN();
  return std::min(1.0, worst->ks_probability * static_cast<double>(comparison.parameters.size()));
}

std::string comparison_caption(const Comparison& comparison) {
  const double limit = comparison.z_limit();
  std::string text = "Mean diff is in sds of the reference, mcse a Monte Carlo standard error";
  if (std::any_of(comparison.parameters.begin(), comparison.parameters.end(),
                  [&](const Parameter& p) { return std::abs(p.mean_z()) > limit || std::abs(p.sd_z()) > limit; }))
    text += "; * differs by more than " + two_digits(limit) + " of them";
  text += ". Noise is the larger of the distances between the halves of either set: a distance below it says nothing.";
  if (const Parameter* worst = worst_ks(comparison); worst && comparison.parameters.size() > 1)
    text += " The worst Kolmogorov-Smirnov distance is that of " + worst->name + ": " + two_digits(worst->ks) + ", " +
            probability_words(worst_ks_probability(comparison)) + " for the worst of " +
            std::to_string(comparison.parameters.size()) + ".";
  if (comparison.compared_draws < comparison.draws || comparison.compared_reference_draws < comparison.reference_draws)
    text += " Energy distance, MMD, sliced W2 and KL divergence are those of " +
            std::to_string(comparison.compared_draws) + " of " + std::to_string(comparison.draws) + " and " +
            std::to_string(comparison.compared_reference_draws) + " of " + std::to_string(comparison.reference_draws) +
            " draws.";
  if (std::isnan(comparison.gaussian_wasserstein.value)) text += " Covariances of so many variables are not compared.";
  return text;
}

std::string comparison_words(const Comparison& comparison) {
  const double limit = comparison.z_limit();
  Finding means, sds;
  const Parameter* shape = worst_ks(comparison);
  for (const Parameter& parameter : comparison.parameters) {
    means.add(parameter, parameter.mean_difference, parameter.mean_difference_mcse, limit);
    sds.add(parameter, parameter.sd_ratio - 1.0, parameter.sd_ratio_mcse, limit);
  }
  std::string text;
  const bool any_varies = std::any_of(
      comparison.parameters.begin(), comparison.parameters.end(),
      [](const Parameter& p) { return p.standard_deviation > 0.0 && p.reference_standard_deviation > 0.0; });
  if (!any_varies) {
    text = "No variable changes in both sets.";
  } else if (means.told == 0 || sds.told == 0) {
    text = "There are too few draws to tell a difference from Monte Carlo error.";
  } else {
    text = mean_clause(means) + "; " + sd_clause(sds) + ".";
    const double probability = worst_ks_probability(comparison);
    if (means.differing.empty() && sds.differing.empty() && probability < 0.01)
      text += " But the distribution of " + shape->name + " has another shape (Kolmogorov-Smirnov distance " +
              two_digits(shape->ks) + ", " + probability_words(probability) + ").";
  }
  text += constant_clause(comparison);
  text += rhat_clause(comparison, &Parameter::rhat, "the first set");
  text += rhat_clause(comparison, &Parameter::reference_rhat, "the reference");
  return text;
}

std::string dirichlet_words(const DirichletComparison& comparison, const std::vector<std::string>& names) {
  std::string text;
  if (std::isnan(comparison.probability))
    text = "There are too few draws to tell a difference from Monte Carlo error.";
  else if (comparison.probability < 0.01)
    text = "The draws do not have this Dirichlet law: " + names[comparison.worst] + " is " +
           two_digits(comparison.distances[comparison.worst]) + " away, which chance makes with probability " +
           (comparison.probability < 1e-6 ? "below 1e-6" : two_digits(comparison.probability)) + " only.";
  else
    text = "The draws agree with this Dirichlet law (p = " + two_digits(comparison.probability) + ").";
  if (comparison.undefined > 0)
    text +=
        " " + std::to_string(comparison.undefined) + " shares were left out: rounding to 0 had left nothing to share.";
  return text;
}

}  // namespace sgmcmc
