// Reduces two sets of draws to the numbers that a report page plots.
#include "service/reports/comparison_json.hpp"

#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "report/comparison_table.hpp"
#include "report/html_page.hpp"
#include "report/quantity_view.hpp"
#include "report/summary_table.hpp"
#include "service/page/reported_run.hpp"
#include "service/record/kept_record.hpp"

#include <sgmcmc/bias.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t most_pictures = 300, density_points = 100;

std::map<std::string, std::size_t> columns_of(const MemoryDraws& draws) {
  std::map<std::string, std::size_t> columns;
  for (std::size_t k = 0; k < draws.names().size(); ++k) columns.emplace(draws.names()[k], k);
  return columns;
}

/// All draws of a parameter, sorted.
class Pooled {
 public:
  Pooled(const MemoryDraws& draws, std::size_t column) {
    const QuantityDraws quantity(draws, column);
    std::vector<std::pair<double, double>> pairs;
    for (std::size_t c = 0; c < quantity.chains.size(); ++c)
      for (std::size_t k = 0; k < quantity.chains[c].size(); ++k)
        pairs.emplace_back(quantity.chains[c][k], quantity.weights.empty() ? 1.0 : quantity.weights[c][k]);
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    double sum = 0;
    for (const auto& [value, weight] : pairs) {
      values_.push_back(value);
      weights_.push_back(weight);
      sums_.push_back(sum += weight);
    }
  }

  double quantile(double share) const {
    const auto found = std::lower_bound(sums_.begin(), sums_.end(), share * sums_.back());
    return values_[static_cast<std::size_t>(std::min(found, sums_.end() - 1) - sums_.begin())];
  }
  double least() const { return values_.front(); }
  double largest() const { return values_.back(); }
  std::vector<double> density(double low, double high) const {
    return density_of(values_, weights_, {low, high, least(), largest(), density_points});
  }

 private:
  std::vector<double> values_, weights_, sums_;
};

/// Two densities on one scale, and differences of quantiles in standard deviations of the reference.
Json picture_of(const Pooled& draws, const Pooled& reference, double sd) {
  constexpr double tail = 0.005;
  const double inner_low = std::min(draws.quantile(tail), reference.quantile(tail));
  const double inner_high = std::max(draws.quantile(1 - tail), reference.quantile(1 - tail));
  const double margin = 0.2 * (inner_high - inner_low);
  if (!(margin > 0)) return nullptr;
  const double low = std::max(inner_low - margin, std::min(draws.least(), reference.least()));
  const double high = std::min(inner_high + margin, std::max(draws.largest(), reference.largest()));
  std::vector<std::vector<double>> curves = {draws.density(low, high), reference.density(low, high)};
  double largest = 0;
  for (const auto& curve : curves) largest = std::max(largest, *std::max_element(curve.begin(), curve.end()));
  if (!(largest > 0)) return nullptr;
  std::vector<std::uint8_t> bytes;
  for (const auto& curve : curves)
    for (const double height : curve) bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * height / largest)));
  Json json = {{"lo", rounded(low)}, {"hi", rounded(high)}, {"d", base64(bytes)}};
  if (sd > 0) {
    json["q"] = Json::array();
    for (int percent = 5; percent <= 95; percent += 5)
      json["q"].push_back(rounded((draws.quantile(percent / 100.0) - reference.quantile(percent / 100.0)) / sd, 3));
  }
  return json;
}

double evidence(const ParameterComparison& p) {
  const auto size = [](double z) { return std::isfinite(z) ? std::abs(z) : 0.0; };
  return std::max(size(p.mean_z()), size(p.sd_z()));
}

Json distances_json(const Comparison& comparison) {
  struct Named {
    const char *name, *words;
    const DistanceValue* distance;
  };
  const Named all[] = {
      {"E1, means", "sum of the differences of means, relative to the means of the reference", &comparison.mean_error},
      {"E2, covariances", "the same of covariances", &comparison.covariance_error},
      {"energy distance", "of the joint distributions", &comparison.energy},
      {"MMD", "maximum mean discrepancy, with a Gaussian kernel", &comparison.mmd},
      {"Gaussian W2", "2-Wasserstein distance between normal distributions with these moments",
       &comparison.gaussian_wasserstein},
      {"sliced W2", "2-Wasserstein distance in random directions", &comparison.sliced_wasserstein},
      {"KL divergence", "by nearest neighbours", &comparison.kl}};
  Json list = Json::array();
  for (const auto& [name, words, distance] : all)
    if (std::isfinite(distance->value))
      list.push_back({name, rounded(distance->value, 4), rounded(distance->noise, 4), words});
  return list;
}

/// Facts about one set, by label.
std::map<std::string, std::string> facts_of(const DrawSet& set, const fs::path& folder, int threads) {
  std::map<std::string, std::string> facts;
  std::error_code ignored;
  const Json record = fs::is_directory(folder, ignored) ? record_in(folder) : Json();
  const Json options = record.is_object() && record.contains("options") ? record["options"] : Json();
  const MemoryDraws& draws = set.saved.draws;
  facts["method"] = text_at(options, "method");
  if (!set.saved.model.empty()) facts["model"] = set.saved.model;
  std::size_t count = 0;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) count += draws.draws(chain);
  facts["draws"] =
      std::to_string(count) + " in " + std::to_string(draws.chains()) + (draws.chains() == 1 ? " chain" : " chains");
  SummaryRowsOptions how;
  how.threads = threads;
  how.shared_error = shared_error_in(record);
  double least = std::numeric_limits<double>::infinity(), worst = 0;
  for (const auto& row : summary_rows(draws, how)) {
    if (std::isfinite(row.summary.ess_bulk)) least = std::min(least, row.summary.ess_bulk);
    if (std::isfinite(row.summary.rhat)) worst = std::max(worst, row.summary.rhat);
  }
  if (std::isfinite(least)) facts["least effective sample size"] = formatted("%.0f", least);
  if (worst > 0) facts["largest R-hat"] = formatted("%.3f", worst);
  const double seconds = std::isfinite(set.saved.seconds) ? set.saved.seconds : seconds_in(record);
  if (std::isfinite(seconds)) {
    facts["sampling time"] = short_number(seconds) + " s";
    if (std::isfinite(least) && seconds > 0)
      facts["effective draws per second"] = formatted(least / seconds < 100 ? "%.3g" : "%.0f", least / seconds);
  }
  facts["verdict"] = text_at(verdict_in(record), "trust");
  return facts;
}

}  // namespace

PageComparison compared_json(const Comparison& comparison, const DrawSet& draws, const DrawSet& reference,
                             int threads) {
  PageComparison page;
  const auto& parameters = comparison.parameters;
  const double limit = comparison.z_limit();
  const BiasOptions tolerated;
  Json& json = page.json;
  json = {{"limit", rounded(limit, 3)},
          {"sd_tolerance", tolerated.sd_tolerance},
          {"sd_wrong", tolerated.sd_wrong},
          {"mean_tolerance", tolerated.mean_tolerance},
          {"mean_wrong", tolerated.mean_wrong}};
  const std::pair<const char*, double ParameterComparison::*> numbers[] = {
      {"mean", &ParameterComparison::mean},
      {"reference_mean", &ParameterComparison::reference_mean},
      {"sd", &ParameterComparison::standard_deviation},
      {"reference_sd", &ParameterComparison::reference_standard_deviation},
      {"shift", &ParameterComparison::mean_difference},
      {"shift_error", &ParameterComparison::mean_difference_mcse},
      {"sd_ratio", &ParameterComparison::sd_ratio},
      {"sd_ratio_error", &ParameterComparison::sd_ratio_mcse},
      {"ks", &ParameterComparison::ks},
      {"ks_probability", &ParameterComparison::ks_probability}};
  json["names"] = Json::array();
  for (const auto& p : parameters) json["names"].push_back(p.name);
  for (const auto& [key, member] : numbers) {
    Json& list = json[key] = Json::array();
    for (const auto& p : parameters) list.push_back(rounded(p.*member, 4));
  }
  json["differs"] = Json::array();
  for (const auto& p : parameters) {
    const bool differs = evidence(p) > limit;
    page.differing += differs;
    json["differs"].push_back(differs ? 1 : 0);
  }
  std::vector<std::size_t> worst(parameters.size());
  std::iota(worst.begin(), worst.end(), std::size_t{0});
  std::stable_sort(worst.begin(), worst.end(),
                   [&](std::size_t a, std::size_t b) { return evidence(parameters[a]) > evidence(parameters[b]); });
  json["worst"] = worst;
  std::vector<Json> views(parameters.size());
  const auto columns = columns_of(draws.saved.draws), reference_columns = columns_of(reference.saved.draws);
  ThreadPool pool(threads);
  pool.for_each(std::min(most_pictures, worst.size()), [&](std::size_t k, int) {
    const auto& p = parameters[worst[k]];
    views[worst[k]] =
        picture_of(Pooled(draws.saved.draws, columns.at(p.name)),
                   Pooled(reference.saved.draws, reference_columns.at(p.name)), p.reference_standard_deviation);
  });
  json["views"] = views;
  json["distances"] = distances_json(comparison);
  if (comparison.compared_draws < comparison.draws || comparison.compared_reference_draws < comparison.reference_draws)
    json["thinned"] = {comparison.compared_draws, comparison.draws, comparison.compared_reference_draws,
                       comparison.reference_draws};
  json["only"] = {variables_among(comparison.only_in_draws), variables_among(comparison.only_in_reference)};
  return page;
}

Json both_runs_json(const DrawSet& draws, const fs::path& folder, const DrawSet& reference,
                    const fs::path& reference_folder, int threads) {
  const auto a = facts_of(draws, folder, threads), b = facts_of(reference, reference_folder, threads);
  Json rows = Json::array();
  for (const char* label : {"model", "method", "draws", "sampling time", "least effective sample size",
                            "effective draws per second", "largest R-hat", "verdict"}) {
    const auto of = [&](const auto& facts) {
      const auto found = facts.find(label);
      return found == facts.end() ? std::string() : found->second;
    };
    if (!of(a).empty() || !of(b).empty()) rows.push_back({label, of(a), of(b)});
  }
  return rows;
}

}  // namespace sgmcmc
