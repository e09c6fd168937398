// Access to results by name, and as a table.
#include "base/text.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace sgmcmc {
namespace {

std::size_t position_of(const std::vector<std::string>& names, const std::string& name) {
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw OptionError("the result has no '" + name + "'." + did_you_mean(name, names));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

double SampleResult::mean(const std::string& name) const { return moments.mean()[position_of(names, name)]; }
double SampleResult::standard_deviation(const std::string& name) const {
  return moments.standard_deviation(position_of(names, name));
}
bool SampleResult::steps_changed_among_draws() const {
  return std::any_of(reductions.begin(), reductions.end(), [&](const StepReduction& one) {
    return one.chain < warmup.size() && one.back_to > warmup[one.chain].iterations;
  });
}
const ZeroVarianceEstimate& SampleResult::zero_variance_of(const std::string& name) const {
  const std::size_t position = position_of(names, name);
  if (zero_variance.empty())
    throw OptionError("the run has no zero variance estimates; ask for them with zero_variance = linear");
  return zero_variance[position];
}

std::string SampleResult::table(std::size_t most_rows) const {
  std::size_t width = 9;
  for (std::size_t i = 0; i < std::min(names.size(), most_rows); ++i) width = std::max(width, names[i].size());
  const bool with_quantiles = draws.chains() > 0;
  char line[256];
  std::snprintf(line, sizeof line, "%-*s %10s %10s", static_cast<int>(width), "parameter", "mean", "sd");
  std::string text = line;
  if (with_quantiles) {
    std::snprintf(line, sizeof line, " %10s %10s %10s", "5%", "50%", "95%");
    text += line;
  }
  text += '\n';
  for (std::size_t i = 0; i < std::min(names.size(), most_rows); ++i) {
    std::snprintf(line, sizeof line, "%-*s %10.4g %10.4g", static_cast<int>(width), names[i].c_str(), moments.mean()[i],
                  moments.standard_deviation(i));
    text += line;
    if (with_quantiles) {
      const std::array<double, 3> probabilities{0.05, 0.5, 0.95};
      for (double q : draws.quantiles(i, probabilities)) {
        std::snprintf(line, sizeof line, " %10.4g", q);
        text += line;
      }
    }
    text += '\n';
  }
  if (names.size() > most_rows) text += "... and " + std::to_string(names.size() - most_rows) + " more\n";
  return text;
}

}  // namespace sgmcmc
