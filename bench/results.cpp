// The table and the JSON object of a benchmark run.
#include "results.hpp"

#include <cmath>
#include <cstdio>

namespace sgmcmc::bench {
namespace {

template <class... Arguments>
std::string print(const char* format, Arguments... arguments) {
  char text[256];
  std::snprintf(text, sizeof text, format, arguments...);
  return text;
}

}  // namespace

void Results::judge(const std::string& name, double value, Goal goal, double bound, const std::string& meaning) {
  lines_.push_back({name, value, goal, bound, meaning});
  note(name, value);
}

void Results::note(const std::string& name, double value) { numbers_.emplace_back(name, value); }

std::string Results::table() const {
  std::string text = print("%-34s %9s  %-9s %s\n", "", "value", "goal", "");
  for (const auto& line : lines_) {
    const bool kept = line.goal == Goal::at_most ? line.value <= line.bound : line.value >= line.bound;
    text += print("%-34s %9.3f  %s %-6g %-5s %s\n", line.name.c_str(), line.value,
                  line.goal == Goal::at_most ? "<=" : ">=", line.bound, kept ? "" : "MISS", line.meaning.c_str());
  }
  text += "\n";
  for (const auto& [name, value] : numbers_) text += print("%-44s %12.4g\n", name.c_str(), value);
  return text;
}

std::string Results::json() const {
  std::string text = "{";
  for (const auto& [name, value] : numbers_) {
    text += print("%s\n  \"%s\": ", text.size() > 1 ? "," : "", name.c_str());
    text += std::isfinite(value) ? print("%.6g", value) : std::string("null");
  }
  return text + "\n}\n";
}

}  // namespace sgmcmc::bench
