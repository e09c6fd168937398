// Converts prior distributions to curves.
#include "service/page/priors_json.hpp"

#include "report/html_page.hpp"
#include "report/quantity_view.hpp"
#include "service/page/quantile.hpp"
#include "stan/forward/prior.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_prior_draws = 2000, fewest_prior_draws = 50, element_draws = 2'000'000, most_laws = 500;

/// Smooths an average over prior distributions, which is rough if some of them are narrow.
std::vector<double> smoothed(const std::vector<double>& heights) {
  constexpr double width = 2.5;  // of the kernel, in points
  constexpr int reach = 8;
  std::vector<double> result(heights.size());
  const int size = static_cast<int>(heights.size());
  for (int k = 0; k < size; ++k) {
    double sum = 0, weights = 0;
    for (int j = std::max(0, k - reach); j <= std::min(size - 1, k + reach); ++j) {
      const double z = (j - k) / width, weight = std::exp(-0.5 * z * z);
      sum += weight * heights[static_cast<std::size_t>(j)];
      weights += weight;
    }
    result[static_cast<std::size_t>(k)] = sum / weights;
  }
  return result;
}

/// Density of a prior on a grid; empty if it is not known well enough.
std::vector<double> heights_of(const stan::ElementPrior& prior, double low, double high, std::size_t points) {
  std::vector<double> grid(points);
  for (std::size_t k = 0; k < points; ++k)
    grid[k] = low + (high - low) * static_cast<double>(k) / static_cast<double>(points - 1);
  auto heights = prior.density(grid);
  if (!heights.empty()) return prior.laws.size() > 1 ? smoothed(heights) : heights;
  constexpr std::ptrdiff_t enough = 100;
  const auto [least, largest] = std::minmax_element(prior.draws.begin(), prior.draws.end());
  const auto inside =
      std::count_if(prior.draws.begin(), prior.draws.end(), [&](double x) { return x >= low && x <= high; });
  if (inside < enough || !(*largest > *least)) return {};
  return density_of(prior.draws, {}, {low, high, std::min(low, *least), std::max(high, *largest), points});
}

/// Heights as bytes, on the scale of the density of all draws in a plot.
std::vector<std::uint8_t> on_scale_of(const Json& view, const std::vector<double>& heights) {
  const auto shown = bytes_in(view["d"].get<std::string>());
  const auto points = view["n"].get<std::size_t>();
  double area = 0;  // below the density of all draws
  for (std::size_t k = 0; k < points; ++k) area += shown[k];
  area *= (view["dh"].get<double>() - view["dl"].get<double>()) / static_cast<double>(points - 1);
  std::vector<std::uint8_t> bytes;
  for (const double height : heights)
    bytes.push_back(static_cast<std::uint8_t>(std::lround(std::clamp(height * area, 0.0, 255.0))));
  return bytes;
}

}  // namespace

void add_priors(const RunModel& model, PageParameters& parameters) {
  const stan::PriorSampler sampler(model.text, model.data, model.likelihood);
  parameters.json["improper"] = sampler.improper();
  Json& views = parameters.json["views"];
  std::set<std::string> wanted;
  std::map<std::string, std::size_t> columns;
  for (const std::size_t column : parameters.worst) {
    const Json& view = views[column];
    if (!view.is_object() || !view.contains("eb") || view.contains("whole")) continue;  // coarse plots have none
    wanted.insert(parameters.rows[column].name);
    columns[parameters.rows[column].name] = column;
  }
  if (wanted.empty()) return;
  const std::size_t draws = std::clamp(element_draws / parameters.rows.size(), fewest_prior_draws, most_prior_draws);
  for (auto& prior : sampler.draw(wanted, draws, 1)) {
    if (prior.laws.size() > most_laws) prior.laws.resize(most_laws);
    Json& view = views[columns.at(prior.name)];
    const auto heights =
        heights_of(prior, view["dl"].get<double>(), view["dh"].get<double>(), view["n"].get<std::size_t>());
    const bool finite = std::all_of(heights.begin(), heights.end(), [](double x) { return std::isfinite(x); });
    if (heights.empty() || !finite) continue;
    view["p"] = base64(on_scale_of(view, heights));
    view["pq"] = {rounded(nearest_quantile(prior.draws, 0.05), 3), rounded(nearest_quantile(prior.draws, 0.95), 3)};
  }
}

}  // namespace sgmcmc
