// The texts of warnings about a factorisation.
#include "service/factor_warnings.hpp"

#include "base/text.hpp"

#include <cmath>

namespace sgmcmc {
namespace {

/// What to try if predictions are no better than the mean rating. diverged: they are much worse.
std::string advice(const OptionValues& values, const FactorOptions& options, bool diverged) {
  if (options.method != FactorMethod::gibbs) {
    const std::string step = diverged ? "a smaller " : "another ";
    return "Use " + values.written("method", "gibbs") + ", which needs no step size, or " + step +
           values.written("step-size") + (options.blocks > 4 ? " and fewer " + values.written("blocks") : "");
  }
  std::string fixed;
  for (const char* name : {"offset", "prior-precision", "noise-precision"})
    if (values.given(name)) fixed += (fixed.empty() ? "" : " and ") + values.written(name);
  return "Use more " + values.written("iterations") + (fixed.empty() ? "" : ", or other values of " + fixed);
}

std::string unusable(const OptionValues& values, const FactorOptions& options, const FactorResult& result) {
  const bool of_training = !result.learnt;
  const double ratio = of_training ? result.training_error_ratio : result.held_out_error_ratio;
  const bool diverged = !(ratio < 2);
  std::string text = "do not use these predictions: ";
  text += of_training ? diverged ? "the chain has diverged" : "the chain has not learnt the ratings"
                      : "they are worse than the mean of the ratings";
  const std::string what = of_training ? "training" : "held-out";
  text += ". The error of predicted " + what +
          (result.equal_ratings ? " ratings, which are all equal, is " : " ratings is ");
  const std::string other = result.equal_ratings ? "the largest that is acceptable" : "that of predicting their mean";
  text += std::isfinite(ratio) ? formatted("%.*g times ", ratio < 2 ? 4 : 3, ratio) + other + ". " : "not finite. ";
  return text + advice(values, options, diverged);
}

void add_constant(const OptionValues& values, const char* option, const std::vector<std::string>& names,
                  std::vector<std::string>& warnings) {
  if (names.empty()) return;
  warnings.push_back(values.written(option) + ": " + (names.size() == 1 ? "column " : "columns ") +
                     joined(names, ", ") + (names.size() == 1 ? " has" : " have") +
                     " the same number for all, and so no effect");
}

}  // namespace

std::vector<std::string> factor_warnings(const OptionValues& values, const FactorOptions& options,
                                         const FactorResult& result) {
  std::vector<std::string> warnings;
  const bool has_few_rounds = options.method != FactorMethod::gibbs && result.rounds < FactorResult::fewest_rounds;
  const bool is_worse = result.learnt && !result.usable && !has_few_rounds;
  if (!result.learnt || is_worse) warnings.push_back(unusable(values, options, result));
  if (has_few_rounds)
    warnings.push_back("do not use these predictions: the chain has hardly moved, because each rating was used in " +
                       std::to_string(result.rounds) + " iterations only. Use more " + values.written("iterations") +
                       " or fewer " + values.written("blocks"));
  if (result.improving)
    warnings.push_back("predictions were still improving after warm-up: the chain has not converged. Use more " +
                       values.written("iterations"));
  if (result.limited_share > 0.01)
    warnings.push_back(formatted("%.1f", 100 * result.limited_share) +
                       " % of the moves were shortened to keep the chain stable, which biases its draws. Use a "
                       "smaller " +
                       values.written("step-size"));
  if (result.repeated_pairs > 0)
    warnings.push_back(std::to_string(result.repeated_pairs) + " of the " + std::to_string(result.held_out) +
                       " pairs of " + values.written("test") +
                       " are also rated in the training: the scores are better than those of new ratings");
  add_constant(values, "user-features", result.constant_user_features, warnings);
  add_constant(values, "item-features", result.constant_item_features, warnings);
  return warnings;
}

}  // namespace sgmcmc
