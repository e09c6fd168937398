// sgmcmc log-density: prints log densities and gradients on the unconstrained scale.
#include "cli/commands.hpp"
#include "cli/model_input.hpp"
#include "report/json_text.hpp"
#include "report/words.hpp"
#include "service/density.hpp"
#include "service/given/initial_values.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <span>

namespace sgmcmc::cli {
namespace {

/// 17 digits; non-finite numbers become null.
std::string digits(double x) {
  if (!std::isfinite(x)) return "null";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

std::string list(std::span<const double> numbers) {
  std::vector<std::string> texts;
  for (const double number : numbers) texts.push_back(digits(number));
  return "[" + list_text(texts) + "]";
}

void print_json(const std::vector<std::string>& names, const std::vector<DensityAtPoint>& results) {
  std::vector<double> densities;
  for (const auto& result : results) densities.push_back(result.log_density);
  std::cout << "{\"names\": " << json_text(names) << ",\n \"log_density\": " << list(densities)
            << ",\n \"gradient\": [";
  for (std::size_t i = 0; i < results.size(); ++i) std::cout << (i > 0 ? ",\n  " : "") << list(results[i].gradient);
  std::cout << "]}\n";
}

void print_table(const std::vector<std::string>& names, const std::vector<std::vector<double>>& points,
                 const std::vector<DensityAtPoint>& results) {
  std::size_t width = 10;
  for (const auto& name : names) width = std::max(width, name.size());
  char line[96];
  for (std::size_t p = 0; p < points.size(); ++p) {
    std::snprintf(line, sizeof line, "point %zu: log density %.17g\n", p + 1, results[p].log_density);
    std::cout << (p > 0 ? "\n" : "") << line;
    std::snprintf(line, sizeof line, "  %20s %24s\n", "unconstrained", "gradient");
    std::cout << "  " << std::string(width, ' ') << line;
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::snprintf(line, sizeof line, "  %20.10g %24.17g\n", points[p][i], results[p].gradient[i]);
      std::cout << "  " << names[i] << std::string(width - names[i].size(), ' ') << line;
    }
  }
}

}  // namespace

int run_log_density(const OptionValues& values) {
  if (!values.given("at"))
    throw UsageError("--at: give a JSON file with the points: {\"unconstrained\": [[...], ...]}");
  const auto input = load_model(values);
  const Model& model = input.posterior.model();
  const auto points = read_points(values.text("at"), static_cast<std::size_t>(model.dimension()));
  const auto results = density_at(model, points, values.threads());
  const auto names = model.unconstrained_names();
  if (values.flag("json")) {
    print_json(names, results);
  } else {
    print_table(names, points, results);
  }
  return 0;
}

}  // namespace sgmcmc::cli
