// Declares and reads the options of sgmcmc combine.
#include "settings/combine.hpp"

#include "settings/declare.hpp"

#include <string>
#include <vector>

namespace sgmcmc {

void declare_combine_options(OptionTable& table) {
  using Kind = ValueKind;
  const OptionGroup add(table, "Combination", {Command::combine});
  std::vector<std::string> names;
  std::string help = "how the parts are combined: ";
  for (const auto& rule : combine_rules()) {
    names.emplace_back(rule.name);
    help += (names.size() > 1 ? "; " : "") + names.back() + ", " + std::string(rule.summary);
  }
  add("method", Kind::choice, "RULE", std::string(combine_method_name(CombineOptions{}.method)), help).choices(names);
  add("bandwidth", Kind::number, "NUMBER", "0",
      "nonparametric, semiparametric and weierstrass: width of their kernels, in standard deviations of a part; 0: "
      "chosen by the rule");
  add("draws", Kind::count, "COUNT", "0",
      "draws of each chain; 0: as many as the parts have, and consensus, swiss and barycentre give no more");
  add("seed", Kind::count, "COUNT", "1", "random seed; draws depend on it, but not on the number of threads");
  add("out", Kind::text, "DIR", "",
      "folder for chain-1.csv, chain-2.csv, ..., draws.nc and run.json, as sgmcmc sample writes them");
  add("overwrite", Kind::flag, "", "false", "replace a previous run in the folder of `out`");
}

CombineOptions combine_options(const OptionValues& values) {
  CombineOptions options;
  options.method = combine_method_by_name(values.text("method")).value();
  options.bandwidth = values.number("bandwidth");
  if (!(options.bandwidth >= 0)) throw UsageError(values.where("bandwidth") + ": a non-negative number is expected");
  constexpr std::uint64_t most_draws = 100'000'000;
  if (values.count("draws") > most_draws) throw UsageError(values.where("draws") + ": too many");
  options.draws = values.count("draws");
  options.seed = values.count("seed");
  return options;
}

}  // namespace sgmcmc
