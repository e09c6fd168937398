// Lays out ranks, and describes them in words.
#include "report/calibration_table.hpp"
#include "base/text.hpp"
#include "report/cells.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

std::string p_value(double p) { return p < 1e-3 ? formatted("%.0e", p) : formatted("%.3f", p); }

std::string padded(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

std::string share_in_percent(double share) { return formatted("%.3g", 100 * share) + " %"; }

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

/// Explains a shift of lp__: the draws are too far from the mode, or too near it. Otherwise describes the shape of the
/// ranks.
std::string words_for(const std::string& name, const RankTest& test) {
  if (name == "lp__" && test.shift_z <= -3)
    return "the log posterior density is lower at the draws than at the true parameters: they lie too far out, as "
           "those of "
           "too large a step do";
  if (name == "lp__" && test.shift_z >= 3)
    return "the log posterior density is higher at the draws than at the true parameters: they stay too near the mode";
  return test.shape();
}

}  // namespace

std::string rank_histogram(const std::vector<std::uint64_t>& counts) {
  static const char* const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double total = 0;
  for (const auto count : counts) total += static_cast<double>(count);
  std::string text;
  for (const auto count : counts) {
    const double relative = total > 0 ? static_cast<double>(count) * static_cast<double>(counts.size()) / total : 0;
    text += bars[std::clamp(static_cast<int>(std::lround(4 * relative)), 0, 8)];
  }
  return text;
}

std::string calibration_table(const Calibration& calibration, const CalibrationTableOptions& options) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < calibration.names.size(); ++i)
    if (options.shown.empty() || options.shown[i]) rows.push_back(i);
  const std::size_t shown = options.most_rows == 0 ? rows.size() : std::min(rows.size(), options.most_rows);
  if (shown < rows.size())
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return calibration.tests[a].smallest_p_value() < calibration.tests[b].smallest_p_value();
    });
  std::size_t width = 4;
  for (std::size_t k = 0; k < shown; ++k) width = std::max(width, calibration.names[rows[k]].size());
  std::string text =
      "name" + std::string(width - 4, ' ') + " chi-square p  moments p  ECDF p  ECDF band  ranks, low to high\n";
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t i = rows[k];
    const RankTest& test = calibration.tests[i];
    const bool inside = test.ecdf_p_value > calibration.threshold();
    text += calibration.names[i] + std::string(width - calibration.names[i].size(), ' ') +
            padded(p_value(test.chi_square_p_value), 13) + padded(p_value(test.moments_p_value), 11) +
            padded(p_value(test.ecdf_p_value), 8) + padded(inside ? "inside" : "outside", 11) + "  " +
            rank_histogram(test.histogram) + "\n";
  }
  if (shown < rows.size())
    text += "... and " + std::to_string(rows.size() - shown) + " more of " + std::to_string(rows.size()) +
            ", none less uniform" + hint_line(options.how_to_see_all);
  return text;
}

std::vector<std::string> calibration_verdict(const Calibration& calibration) {
  std::vector<std::string> lines;
  lines.push_back(counted(calibration.replications, "replication", "replications") + "; of each fit " +
                  counted(calibration.draws, "draw", "draws") + " were ranked, one in " +
                  formatted("%.3g", calibration.iterations_per_draw) + " iterations (smallest effective sample size " +
                  formatted("%.3g", calibration.smallest_effective_size) + ")" +
                  (calibration.extended > 0
                       ? "; " + counted(calibration.extended, "fit was", "fits were") + " made longer for them"
                       : "") +
                  ".");
  if (calibration.dependent > 0)
    lines.push_back(counted(calibration.dependent, "fit has", "fits have") +
                    " fewer effective draws than were ranked: " +
                    "dependent draws make ranks U-shaped even where they are right. Ask for more iterations or fewer "
                    "draws.");
  std::vector<std::size_t> uneven;
  for (std::size_t i = 0; i < calibration.tests.size(); ++i)
    if (!calibration.is_uniform(i)) uneven.push_back(i);
  std::stable_sort(uneven.begin(), uneven.end(), [&](std::size_t a, std::size_t b) {
    return calibration.tests[a].smallest_p_value() < calibration.tests[b].smallest_p_value();
  });
  constexpr std::size_t most_named = 10;
  for (std::size_t k = 0; k < std::min(uneven.size(), most_named); ++k) {
    lines.push_back(calibration.names[uneven[k]] + ": " +
                    words_for(calibration.names[uneven[k]], calibration.tests[uneven[k]]) + ".");
  }
  if (uneven.size() > most_named) lines.push_back("... and " + std::to_string(uneven.size() - most_named) + " more.");
  const std::string level = " (false-alarm rate " + share_in_percent(calibration.level) + " in all)";
  if (calibration.failed > 0)
    lines.push_back(counted(calibration.failed, "fit", "fits") +
                    " failed and could not be ranked; the first: " + calibration.first_failure);
  if (calibration.tests.empty())
    lines.push_back("Nothing was ranked.");
  else if (!uneven.empty())
    lines.push_back("Not calibrated: the ranks of " + std::to_string(uneven.size()) + " of " +
                    counted(calibration.tests.size(), "quantity", "quantities") + " are not uniform" + level + ".");
  else if (calibration.failed > 0)
    lines.push_back("Not calibrated: some fits failed. The ranks of the others are uniform" + level + ".");
  else
    lines.push_back("Calibrated: the ranks of " +
                    (calibration.tests.size() == 1
                         ? std::string("the one quantity are")
                         : "all " + std::to_string(calibration.tests.size()) + " quantities are") +
                    " uniform as far as " + counted(calibration.replications, "replication", "replications") +
                    " can tell" + level + ".");
  return lines;
}

}  // namespace sgmcmc
