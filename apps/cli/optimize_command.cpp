// sgmcmc optimize: finds the mode and prints it on the constrained scale.
#include "cli/commands.hpp"
#include "cli/model_input.hpp"
#include "cli/words.hpp"
#include "report/json_text.hpp"
#include "report/words.hpp"
#include "service/optimize_run.hpp"

#include <algorithm>
#include <iostream>
#include <numeric>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

/// If there are more than `most`, scalars come first.
std::string table(const std::vector<std::string>& names, const std::vector<double>& numbers, std::size_t most) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto is_scalar = [&](std::size_t i) { return names[i].find('[') == std::string::npos; };
  if (names.size() > most) {
    std::stable_partition(order.begin(), order.end(), is_scalar);
    order.resize(most);
  }
  std::size_t width = 8;
  for (const std::size_t i : order) width = std::max(width, names[i].size());
  std::string text;
  for (const std::size_t i : order)
    text += names[i] + std::string(width - names[i].size(), ' ') + " " + digits_text(numbers[i], 6, 12) + "\n";
  if (order.size() < names.size())
    text += "... and " + std::to_string(names.size() - order.size()) + " more; " + how_to_see_all + "\n";
  return text;
}

}  // namespace

int run_optimize(const OptionValues& values) {
  RunFolder folder(values, model_path(values));
  const auto input = load_model(values);
  show_warnings(values, input.posterior.warnings());
  const OptimizeRun run = sgmcmc::run_optimize(values, input.posterior, folder);
  const Optimum& optimum = run.optimum;
  const OptimizeReport& found = optimum.mode.report;
  const bool has_density = optimum.method == "lbfgs";
  if (!optimum.outputs_problem.empty() && !values.flag("quiet"))
    std::cerr << "sgmcmc: warning: some outputs cannot be computed at the mode:\n" << optimum.outputs_problem << "\n";
  if (values.flag("json")) {
    Json report = {{"parameters", run.parameters}, {"outputs", run.outputs}};
    if (has_density) report["log_density"] = found.value;
    report["converged"] = found.converged();
    report["iterations"] = found.iterations;
    report["evaluations"] = found.evaluations;
    report["report"] = found.describe();
    std::cout << json_text(report, 2) << "\n";
  } else if (!values.flag("quiet")) {
    std::cout << table(optimum.names, optimum.values, values.flag("all") ? optimum.names.size() : 60) << "\n";
    if (has_density) std::cout << "log density " << digits_text(found.value, 10) << "\n";
    std::cout << optimum.method << ": " << found.describe() << "\n";
  }
  return 0;
}

}  // namespace sgmcmc::cli
