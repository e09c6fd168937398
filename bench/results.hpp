// The results of a benchmark run: a table for readers and a flat JSON object for comparisons.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sgmcmc::bench {

class Results {
 public:
  enum class Goal { at_most, at_least };

  /// A line of the table: a value and its limit.
  void judge(const std::string& name, double value, Goal goal, double bound, const std::string& meaning);
  /// A number behind the table.
  void note(const std::string& name, double value);

  std::string table() const;
  std::string json() const;

 private:
  struct Line {
    std::string name;
    double value;
    Goal goal;
    double bound;
    std::string meaning;
  };
  std::vector<Line> lines_;
  std::vector<std::pair<std::string, double>> numbers_;
};

}  // namespace sgmcmc::bench
