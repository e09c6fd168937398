// The texts of warnings about draws.
#include "service/sampling/draw_warnings.hpp"

#include "base/text.hpp"
#include "service/sampling/run_sink.hpp"

#include <algorithm>

namespace sgmcmc {
namespace {

/// Warns of step sizes that were reduced during the run: this changes the distribution of the draws.
void add_reductions(const SampleResult& result, std::vector<RunWarning>& warnings) {
  const auto& reductions = result.reductions;
  if (reductions.empty()) return;
  constexpr std::size_t most = 8;
  std::string text = "chains diverged and went on from an earlier state with smaller steps:";
  for (std::size_t k = 0; k < std::min(most, reductions.size()); ++k)
    text += std::string(k == 0 ? " " : "; ") + "chain " + std::to_string(reductions[k].chain + 1) + " at iteration " +
            std::to_string(reductions[k].diverged_at) + ", from " + std::to_string(reductions[k].back_to) +
            " on with a factor of " + formatted("%.3g", reductions[k].factor);
  if (reductions.size() > most) text += "; and " + std::to_string(reductions.size() - most) + " times more";
  const bool changed = result.steps_changed_among_draws();
  text += changed ? ". Draws from before and after are of different laws: run again with the smallest step"
                  : ". All draws that were kept are from after it";
  if (changed && !result.zero_variance.empty())
    text += ". Means (zv) are of the draws of each chain after its last one";
  warnings.push_back({text, "", false});
}

/// Names variables with the same cause together.
void add_left_out(std::vector<LeftOut> left_out, std::vector<RunWarning>& warnings) {
  while (!left_out.empty()) {
    const LeftOut first = left_out.front();
    const auto same = [&](const LeftOut& one) {
      return one.chain == first.chain && one.draw == first.draw && one.reason == first.reason;
    };
    std::string names;
    std::size_t count = 0;
    std::uint64_t draws = 0;
    for (const auto& one : left_out)
      if (same(one)) {
        names += (count++ > 0 ? ", " : "") + one.name;
        draws = std::max(draws, one.draws);
      }
    left_out.erase(std::remove_if(left_out.begin(), left_out.end(), same), left_out.end());
    const bool only_failed = first.name == program_outputs;  // the program has no outputs, so none are missing
    std::string text = only_failed ? first.name + " fail"
                                   : names + (count == 1 ? " is" : " are") + " left out of the files and the summary:";
    if (draws > 0)
      text += (only_failed ? " at " : " no finite number at ") + std::to_string(draws) +
              (draws == 1 ? " draw" : " draws") + ", first at draw " + std::to_string(first.draw) + " of chain " +
              std::to_string(first.chain + 1) + ":";
    warnings.push_back({text, first.reason, false});
  }
}

}  // namespace

std::vector<RunWarning> warnings_about_draws(const SampleResult& result, const std::vector<LeftOut>& left_out,
                                             bool some_groups, const RunSettings& settings) {
  std::vector<RunWarning> warnings;
  add_reductions(result, warnings);
  add_left_out(left_out, warnings);
  if (some_groups)
    warnings.push_back({"the parameters of some groups, and outputs that depend on them, are not in the draws; " +
                            settings.written("groups", "all") + " keeps them, " + settings.written("groups", "1:100") +
                            " those named",
                        "", true});
  return warnings;
}

}  // namespace sgmcmc
