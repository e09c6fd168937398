// Lays out comparisons as tables and as JSON.
#include "report/comparison_table.hpp"

#include "report/cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

namespace sgmcmc {
namespace {

using Row = std::vector<std::string>;

/// Aligns the first column left and the others right; omits columns from the right until lines fit.
std::string laid_out(const std::vector<Row>& rows, std::size_t width, std::size_t least_columns) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  std::size_t columns = widths.size();
  const auto line_width = [&] {
    return std::accumulate(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(columns), columns - 1);
  };
  while (columns > least_columns && line_width() > width) --columns;
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string space(widths[c] - width_of(row[c]), ' ');
      line += c == 0 ? row[c] + space : ' ' + space + row[c];
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

/// The larger |z| of mean and standard deviation, by which parameters are ranked.
double evidence(const ParameterComparison& parameter) {
  const double mean = std::abs(parameter.mean_z()), sd = std::abs(parameter.sd_z());
  return std::max(std::isnan(mean) ? 0.0 : mean, std::isnan(sd) ? 0.0 : sd);
}

std::string with_error(double value, double error) {
  const int decimals = std::isfinite(error) && error > 0.0 ? std::clamp(1 - magnitude(error), 1, 4) : 2;
  return number_cell(value, decimals, 8);
}

std::string probability_cell(double probability) {
  if (std::isnan(probability)) return "-";
  return probability < 0.001 ? "<0.001" : number_cell(probability, 3, 5);
}

Row row_of(const ParameterComparison& parameter, double limit) {
  const double mean_error = parameter.mean_difference_mcse, sd_error = parameter.sd_ratio_mcse;
  return {parameter.name + (evidence(parameter) > limit ? " *" : ""),
          with_error(parameter.mean_difference, mean_error),
          with_error(mean_error, mean_error),
          with_error(parameter.sd_ratio, sd_error),
          with_error(sd_error, sd_error),
          number_cell(parameter.ks, 3, 5),
          probability_cell(parameter.ks_probability)};
}

struct NamedDistance {
  const char* key;
  const char* title;
  DistanceValue Comparison::*value;
};
constexpr std::array<NamedDistance, 7> all_distances = {
    NamedDistance{"e1", "E1 (means)", &Comparison::mean_error},
    NamedDistance{"e2", "E2 (covariances)", &Comparison::covariance_error},
    NamedDistance{"energy", "energy distance", &Comparison::energy},
    NamedDistance{"mmd", "MMD", &Comparison::mmd},
    NamedDistance{"gaussian_wasserstein", "Gaussian W2", &Comparison::gaussian_wasserstein},
    NamedDistance{"sliced_wasserstein", "sliced W2", &Comparison::sliced_wasserstein},
    NamedDistance{"kl", "KL divergence", &Comparison::kl}};

void append_names(std::string& json, const char* key, const std::vector<std::string>& names) {
  json += std::string(", \"") + key + "\": [";
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (k > 0) json += ", ";
    append_json_string(json, names[k]);
  }
  json += "]";
}

}  // namespace

std::string comparison_table(const Comparison& comparison, const ComparisonTableOptions& options) {
  constexpr std::size_t shown_of_many = 20;
  const double limit = comparison.z_limit();
  std::vector<const ParameterComparison*> shown;
  for (const auto& parameter : comparison.parameters) shown.push_back(&parameter);
  const bool cut = options.most_rows > 0 && shown.size() > options.most_rows;
  if (cut) {
    std::stable_sort(shown.begin(), shown.end(),
                     [](const auto* a, const auto* b) { return evidence(*a) > evidence(*b); });
    shown.resize(std::min(options.most_rows, shown_of_many));
  }
  std::vector<Row> rows = {{"name", "mean diff", "mcse", "sd ratio", "mcse", "ks", "p"}};
  for (const auto* parameter : shown) rows.push_back(row_of(*parameter, limit));
  // Narrow terminals omit p and ks, then the ratio.
  std::string text = laid_out(rows, options.width, 3);
  if (cut)
    text += "... and " + std::to_string(comparison.parameters.size() - shown.size()) + " more that differ less (" +
            std::to_string(comparison.parameters.size()) + " in all)\n";

  std::vector<Row> distances = {{"distance", "value", "noise"}};
  for (const auto& [key, title, member] : all_distances) {
    const DistanceValue& distance = comparison.*member;
    distances.push_back({title, short_cell(distance.value), short_cell(distance.noise)});
  }
  return text + '\n' + laid_out(distances, options.width, 3);
}

std::string comparison_json(const Comparison& comparison) {
  std::string json = "{\"parameters\": [";
  for (std::size_t k = 0; k < comparison.parameters.size(); ++k) {
    const ParameterComparison& p = comparison.parameters[k];
    json += k == 0 ? "\n  {\"name\": " : ",\n  {\"name\": ";
    append_json_string(json, p.name);
    append_json_number(json, "mean", p.mean);
    append_json_number(json, "reference_mean", p.reference_mean);
    append_json_number(json, "sd", p.standard_deviation);
    append_json_number(json, "reference_sd", p.reference_standard_deviation);
    append_json_number(json, "mean_difference", p.mean_difference);
    append_json_number(json, "mean_difference_mcse", p.mean_difference_mcse);
    append_json_number(json, "sd_ratio", p.sd_ratio);
    append_json_number(json, "sd_ratio_mcse", p.sd_ratio_mcse);
    append_json_number(json, "ks", p.ks);
    append_json_number(json, "ks_p", p.ks_probability);
    append_json_number(json, "rhat", p.rhat);
    append_json_number(json, "reference_rhat", p.reference_rhat);
    json += '}';
  }
  json += "\n],\n\"distances\": {";
  for (std::size_t k = 0; k < all_distances.size(); ++k) {
    const DistanceValue& distance = comparison.*all_distances[k].value;
    std::string pair;
    append_json_number(pair, "value", distance.value);
    append_json_number(pair, "noise", distance.noise);
    json += std::string(k == 0 ? "" : ", ") + "\"" + all_distances[k].key + "\": {" + pair.substr(2) + "}";
  }
  std::string rest;
  if (const auto* worst = worst_ks(comparison)) {
    std::string triple = "\"name\": ";
    append_json_string(triple, worst->name);
    append_json_number(triple, "value", worst->ks);
    append_json_number(triple, "p", worst_ks_probability(comparison));
    rest += ", \"worst_ks\": {" + triple + "}";
  }
  append_json_number(rest, "z_limit", comparison.z_limit());
  append_json_number(rest, "draws", static_cast<double>(comparison.draws));
  append_json_number(rest, "reference_draws", static_cast<double>(comparison.reference_draws));
  append_json_number(rest, "compared_draws", static_cast<double>(comparison.compared_draws));
  append_json_number(rest, "compared_reference_draws", static_cast<double>(comparison.compared_reference_draws));
  append_names(rest, "only_in_draws", comparison.only_in_draws);
  append_names(rest, "only_in_reference", comparison.only_in_reference);
  rest += ", \"verdict\": ";
  append_json_string(rest, comparison_words(comparison));
  return json + "},\n" + rest.substr(2) + "}\n";
}

std::string dirichlet_table(const DirichletComparison& comparison, const std::vector<std::string>& names,
                            const ComparisonTableOptions& options) {
  std::vector<Row> rows = {{"share taken by", "ks"}};
  const std::size_t shown =
      options.most_rows == 0 ? comparison.distances.size() : std::min(options.most_rows, comparison.distances.size());
  for (std::size_t k = 0; k < shown; ++k) rows.push_back({names[k], number_cell(comparison.distances[k], 4, 6)});
  if (shown < comparison.distances.size())
    rows.push_back({"... and " + std::to_string(comparison.distances.size() - shown) + " more", ""});
  rows.push_back({"mean", number_cell(comparison.distance, 4, 6)});
  return laid_out(rows, options.width, 2);
}

std::string dirichlet_json(const DirichletComparison& comparison, const std::vector<std::string>& names) {
  std::string json = "{\"components\": [";
  for (std::size_t k = 0; k < comparison.distances.size(); ++k) {
    json += k == 0 ? "\n  {\"name\": " : ",\n  {\"name\": ";
    append_json_string(json, names[k]);
    append_json_number(json, "ks", comparison.distances[k]);
    json += '}';
  }
  json += "\n]";
  append_json_number(json, "ks", comparison.distance);
  append_json_number(json, "p", comparison.probability);
  append_json_number(json, "undefined", static_cast<double>(comparison.undefined));
  json += ", \"worst\": ";
  append_json_string(json, names[comparison.worst]);
  json += ", \"verdict\": ";
  append_json_string(json, dirichlet_words(comparison, names));
  return json + "}\n";
}

}  // namespace sgmcmc
