// Reduces draws to the numbers that a report page plots.
#include "service/page/parameters_json.hpp"

#include "base/thread_pool.hpp"
#include "diagnose/summarise.hpp"
#include "report/html_page.hpp"
#include "report/quantity_view.hpp"
#include "service/record/kept_record.hpp"

#include <sgmcmc/bias.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

Json numbers_json(const std::vector<double>& numbers, int digits = 4) {
  Json list = Json::array();
  for (const double x : numbers) list.push_back(rounded(x, digits));
  return list;
}

Json view_json(const QuantityView& view) {
  if (view.trace.empty()) return nullptr;
  Json json = {{"lo", rounded(view.low)}, {"hi", rounded(view.high)},        {"w", view.draws_per_bin},
               {"t", base64(view.trace)}, {"dl", rounded(view.density_low)}, {"dh", rounded(view.density_high)}};
  if (view.whole_numbers) json["whole"] = true;
  json["n"] = view.density_points;
  json["d"] = base64(view.density);
  if (!view.ranks.empty()) json["r"] = base64(view.ranks);
  json["l"] = view.lag_step;
  json["a"] = base64(view.autocorrelation);
  if (!view.ess_bulk.empty()) {
    json["eb"] = numbers_json(view.ess_bulk);
    json["et"] = numbers_json(view.ess_tail);
  }
  return json;
}

int gravity(const std::string& trust) {
  return trust == "do not trust" ? 3 : trust == "caution" ? 2 : trust == "cannot tell" ? 1 : 0;
}

/// Trust in each coordinate according to the diagnosis, by name.
std::map<std::string, std::string> trust_of_coordinates(const Json& diagnosis) {
  std::map<std::string, std::string> trust;
  if (diagnosis.is_object() && diagnosis.contains("coordinates"))
    for (const auto& coordinate : diagnosis["coordinates"])
      trust.emplace(text_at(coordinate, "name"), text_at(coordinate, "trust"));
  return trust;
}

/// Columns sorted from least to most trusted: by the gradients, then by R-hat and effective sample size; constant
/// columns come last.
std::vector<std::size_t> in_most_doubt_first(const std::vector<SummaryRow>& rows, const Json& diagnosis) {
  const auto trust = trust_of_coordinates(diagnosis);
  std::vector<std::tuple<bool, int, double, double>> keys;
  for (const auto& row : rows) {
    const auto found = trust.find(row.name);
    const double rhat = row.summary.rhat, ess = row.summary.ess_bulk;
    const bool poor = rhat > 1.01 || ess < 400;
    keys.emplace_back(std::isfinite(rhat), found == trust.end() ? 0 : gravity(found->second),
                      poor && std::isfinite(rhat) ? rhat : 0.0, std::isfinite(ess) ? -ess : -1e300);
  }
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] > keys[b]; });
  return order;
}

std::size_t bytes_of_coarse_view(std::size_t chains) {
  const ViewResolution r = coarse_resolution();
  return 120 + 4 * (chains * (3 * r.trace + r.ranks + r.lags + 1) + r.density) / 3;
}

/// Plots of each column; null beyond the budget. Takes the columns in the order of `worst`.
std::vector<Json> views_of(const MemoryDraws& draws, const std::vector<SummaryRow>& rows,
                           const std::vector<std::size_t>& worst, int threads, const PictureBudget& budget) {
  std::vector<Json> views(rows.size());
  const std::size_t fine = std::min(budget.fine, rows.size());
  const std::size_t coarse = std::min(
      rows.size() - fine, budget.coarse_bytes / bytes_of_coarse_view(std::max<std::size_t>(1, draws.chains())));
  constexpr std::size_t together = 8;
  const std::size_t count = fine + coarse, blocks = (count + together - 1) / together;
  ThreadPool pool(threads);
  std::vector<DiagnoseWorkspace> workspaces(static_cast<std::size_t>(pool.threads()));
  pool.for_each(blocks, [&](std::size_t block, int thread) {
    const std::size_t first = block * together, length = std::min(together, count - first);
    const auto columns = std::span<const std::size_t>(worst).subspan(first, length);
    const auto quantities = quantities_of(draws, columns);
    for (std::size_t k = 0; k < length; ++k)
      views[columns[k]] = view_json(view_of(quantities[k], rows[columns[k]].summary,
                                            first + k < fine ? ViewResolution{} : coarse_resolution(),
                                            workspaces[static_cast<std::size_t>(thread)]));
  });
  return views;
}

}  // namespace

PageParameters parameters_json(const ReportedRun& run, int threads, const PictureBudget& budget) {
  const MemoryDraws& draws = run.read.draws;
  PageParameters page;
  SummaryRowsOptions how;
  how.threads = threads;
  how.shared_error = shared_error_in(run.record);
  page.rows = summary_rows(draws, how);
  page.worst = in_most_doubt_first(page.rows, run.diagnosis);
  const auto views = views_of(draws, page.rows, page.worst, threads, budget);

  Json& json = page.json;
  json["chains"] = draws.chains();
  json["draws"] = Json::array();
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) json["draws"].push_back(draws.draws(chain));
  const std::vector<std::pair<const char*, double QuantitySummary::*>> columns = {
      {"mean", &QuantitySummary::mean},
      {"mcse", &QuantitySummary::mcse_mean},
      {"sd", &QuantitySummary::standard_deviation},
      {"q5", &QuantitySummary::q5},
      {"q50", &QuantitySummary::q50},
      {"q95", &QuantitySummary::q95},
      {"ess_bulk", &QuantitySummary::ess_bulk},
      {"ess_tail", &QuantitySummary::ess_tail},
      {"rhat", &QuantitySummary::rhat}};
  Json& names = json["names"] = Json::array();
  std::vector<const SummaryRow*> all;
  for (const auto& row : page.rows) all.push_back(&row);
  for (const auto& row : run.summarised) all.push_back(&row);
  for (const auto* row : all) names.push_back(row->name);
  for (const auto& [key, member] : columns) {
    Json& numbers = json["summary"][key] = Json::array();
    for (const auto* row : all) numbers.push_back(rounded(row->summary.*member, 5));
  }
  json["shares"] = view_shares;
  json["with_draws"] = page.rows.size();
  json["views"] = views;
  json["worst"] = page.worst;
  return page;
}

Json bias_json(const ReportedRun& run) {
  if (!run.diagnosis.is_object() || !run.diagnosis.contains("coordinates") || !run.diagnosis["coordinates"].is_array())
    return nullptr;
  const BiasOptions limits;
  Json json = {{"sd_tolerance", limits.sd_tolerance},
               {"sd_wrong", limits.sd_wrong},
               {"mean_tolerance", limits.mean_tolerance},
               {"mean_wrong", limits.mean_wrong}};
  json["all"] = run.diagnosis.value("all_coordinates", run.diagnosis["coordinates"].size());
  for (const char* key : {"points", "draws", "gradients"})
    if (run.diagnosis.contains(key)) json[key] = run.diagnosis[key];
  for (const char* key : {"names", "trust", "advice", "sd_ratio", "sd_error", "shift", "shift_error", "predicted"})
    json[key] = Json::array();
  constexpr std::pair<const char*, const char*> numbers[] = {{"sd_ratio", "sd_ratio"},
                                                             {"log_sd_ratio_error", "sd_error"},
                                                             {"mean_shift", "shift"},
                                                             {"mean_shift_error", "shift_error"},
                                                             {"predicted_sd_ratio", "predicted"}};
  std::size_t advised = 0;
  for (const auto& coordinate : run.diagnosis["coordinates"]) {
    json["names"].push_back(text_at(coordinate, "name"));
    json["trust"].push_back(gravity(text_at(coordinate, "trust")));
    const std::string advice = text_at(coordinate, "advice");  // nearly the same for many coordinates
    constexpr std::size_t most_advice = 1000;
    json["advice"].push_back(!advice.empty() && advised++ < most_advice ? Json(advice) : Json(0));
    for (const auto& [from, to] : numbers) {
      const auto found = coordinate.find(from);
      json[to].push_back(found != coordinate.end() && found->is_number() ? rounded(found->get<double>(), 3) : Json());
    }
  }
  return json;
}

namespace {

constexpr std::size_t most_pairs = 4, pair_points = 500, pair_divergences = 200;

struct DrawPlace {
  std::size_t chain = 0, draw = 0;
};

std::vector<DrawPlace> evenly(std::vector<DrawPlace> places, std::size_t most) {
  if (places.size() <= most) return places;
  std::vector<DrawPlace> chosen;
  for (std::size_t k = 0; k < most; ++k) chosen.push_back(places[k * places.size() / most]);
  return chosen;
}

/// The columns whose draws differ most at divergences, in standard deviations.
std::vector<std::size_t> columns_of_divergences(const MemoryDraws& draws, const std::vector<DrawPlace>& diverged,
                                                const PageParameters& parameters) {
  std::vector<std::pair<double, std::size_t>> scores;
  for (std::size_t column = 0; column < draws.parameters(); ++column) {
    const QuantitySummary& s = parameters.rows[column].summary;
    if (!(s.standard_deviation > 0) || !std::isfinite(s.rhat)) continue;
    double sum = 0, squares = 0;
    for (const auto& place : diverged) {
      const double z = (draws(place.chain, place.draw, column) - s.mean) / s.standard_deviation;
      sum += z;
      squares += z * z;
    }
    const double n = static_cast<double>(diverged.size()), mean = sum / n;
    const double sd = std::sqrt(std::max(1e-6, squares / n - mean * mean));
    scores.emplace_back(std::abs(mean) + 0.5 * std::abs(std::log(sd)), column);
  }
  std::stable_sort(scores.begin(), scores.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::size_t> columns;
  for (const auto& score : scores) columns.push_back(score.second);
  return columns;
}

std::size_t column_named(const MemoryDraws& draws, const std::string& name) {
  const auto found = std::find(draws.names().begin(), draws.names().end(), name);
  return static_cast<std::size_t>(found - draws.names().begin());
}

}  // namespace

Json pairs_json(const ReportedRun& run, const PageParameters& parameters) {
  const MemoryDraws &draws = run.read.draws, &sampler = run.read.sampler;
  const std::size_t divergent = column_named(sampler, "divergent__");
  std::vector<DrawPlace> all, diverged;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain)
    for (std::size_t draw = 0; draw < draws.draws(chain); ++draw) {
      all.push_back({chain, draw});
      if (divergent < sampler.parameters() && chain < sampler.chains() && draw < sampler.draws(chain) &&
          sampler(chain, draw, divergent) > 0)
        diverged.push_back({chain, draw});
    }
  constexpr std::size_t enough_divergences = 5;
  const bool by_divergences = diverged.size() >= enough_divergences;
  std::vector<std::size_t> columns;
  for (const std::size_t column :
       by_divergences ? columns_of_divergences(draws, diverged, parameters) : parameters.worst)
    if (columns.size() < most_pairs && !parameters.json["views"][column].is_null()) columns.push_back(column);
  if (columns.size() < 2) return nullptr;
  const std::size_t total_divergences = diverged.size();
  all = evenly(std::move(all), pair_points);
  diverged = evenly(std::move(diverged), pair_divergences);
  Json json = {{"columns", columns}, {"by_divergences", by_divergences}, {"divergences", total_divergences}};
  const auto bytes = [&](const std::vector<DrawPlace>& places, std::size_t column, double low, double high) {
    std::vector<std::uint8_t> list;
    for (const auto& place : places) {
      const double share = (draws(place.chain, place.draw, column) - low) / (high - low);
      list.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0))));
    }
    return base64(list);
  };
  json["lo"] = json["hi"] = json["points"] = json["diverged"] = Json::array();
  for (const std::size_t column : columns) {
    double low = draws(all[0].chain, all[0].draw, column), high = low;
    for (const auto* places : {&all, &diverged})
      for (const auto& place : *places) {
        low = std::min(low, draws(place.chain, place.draw, column));
        high = std::max(high, draws(place.chain, place.draw, column));
      }
    if (!(high > low)) high = low + 1;
    json["lo"].push_back(rounded(low));
    json["hi"].push_back(rounded(high));
    json["points"].push_back(bytes(all, column, low, high));
    json["diverged"].push_back(bytes(diverged, column, low, high));
  }
  return json;
}

Json energy_json(const ReportedRun& run) {
  const MemoryDraws& sampler = run.read.sampler;
  const std::size_t column = column_named(sampler, "energy__");
  if (column >= sampler.parameters()) return nullptr;
  std::vector<double> levels, changes;
  Json fractions = Json::array();
  for (std::size_t chain = 0; chain < sampler.chains(); ++chain) {
    std::vector<double> energies;
    for (std::size_t draw = 0; draw < sampler.draws(chain); ++draw) energies.push_back(sampler(chain, draw, column));
    if (energies.size() < 3) continue;
    fractions.push_back(rounded(energy_fraction_missing(energies), 3));
    const double mean = std::accumulate(energies.begin(), energies.end(), 0.0) / static_cast<double>(energies.size());
    for (std::size_t k = 0; k < energies.size(); ++k) {
      levels.push_back(energies[k] - mean);
      if (k > 0) changes.push_back(energies[k] - energies[k - 1]);
    }
  }
  const auto finite = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  };
  if (levels.size() < 20 || !finite(levels)) return nullptr;
  const auto [a, b] = std::minmax_element(levels.begin(), levels.end());
  const auto [c, d] = std::minmax_element(changes.begin(), changes.end());
  const double low = std::min(*a, *c), high = std::max(*b, *d);
  if (!(high > low)) return nullptr;
  const DensityGrid grid{low, high, low, high, 80};
  return {{"lo", rounded(low)},
          {"hi", rounded(high)},
          {"level", numbers_json(density_of(levels, {}, grid))},
          {"change", numbers_json(density_of(changes, {}, grid))},
          {"fractions", fractions}};
}

}  // namespace sgmcmc
