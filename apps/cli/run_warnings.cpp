// The texts of warnings about a run.
#include "cli/run_warnings.hpp"

#include "base/text.hpp"
#include "cli/terminal.hpp"
#include "cli/words.hpp"

#include <algorithm>
#include <iostream>

namespace sgmcmc::cli {

void RunWarnings::show(const std::string& text, const std::string& detail) const {
  if (quiet_) return;
  std::cerr << wrapped("sgmcmc: " + text, terminal_width(), 0, 0) << "\n";
  if (!detail.empty()) std::cerr << detail << "\n";
}

void RunWarnings::warn(const std::string& text, const std::string& detail) {
  show("warning: " + text, detail);
  all_.push_back(detail.empty() ? text : text + "\n" + detail);
}

void RunWarnings::remark(const std::string& text) {
  show(text, "");
  all_.push_back(text);
}

void RunWarnings::add(const OptionValues& values, const ModelInput& input) {
  show_warnings(values, input);
  all_.insert(all_.end(), values.notes.begin(), values.notes.end());
  for (const auto& warning : warnings_of(input)) all_.push_back(stan::render(*input.text.source, warning));
}

void warn_of_few_rows(RunWarnings& warnings, const stan::BoundModel& bound) {
  const std::string words = words_on_few_rows(bound);
  if (!words.empty()) warnings.warn(words);
}

void warn_of_reductions(RunWarnings& warnings, const SampleResult& result) {
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
  warnings.warn(text);
}

void warn_of_left_out(RunWarnings& warnings, std::vector<LeftOut> left_out) {
  while (!left_out.empty()) {
    const LeftOut first = left_out.front();
    const auto same = [&](const LeftOut& one) {
      return one.chain == first.chain && one.draw == first.draw && one.reason == first.reason;
    };
    std::vector<std::string> names;
    std::uint64_t draws = 0;
    for (const auto& one : left_out)
      if (same(one)) {
        names.push_back(one.name);
        draws = std::max(draws, one.draws);
      }
    left_out.erase(std::remove_if(left_out.begin(), left_out.end(), same), left_out.end());
    const bool only_failed = first.name == program_outputs;  // it has none, so nothing is missing
    std::string text = only_failed ? first.name + " fail"
                                   : joined(names, ", ") + (names.size() == 1 ? " is" : " are") +
                                         " left out of the files and the summary:";
    if (draws > 0)
      text += (only_failed ? " at " : " no finite number at ") + std::to_string(draws) +
              (draws == 1 ? " draw" : " draws") + ", first at draw " + std::to_string(first.draw) + " of chain " +
              std::to_string(first.chain + 1) + ":";
    warnings.warn(text, first.reason);
  }
}

}  // namespace sgmcmc::cli
