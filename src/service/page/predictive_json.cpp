// Replicates data, and compares them with the observed data.
#include "service/page/predictive_json.hpp"

#include "base/thread_pool.hpp"
#include "report/html_page.hpp"
#include "service/page/quantile.hpp"
#include "stan/forward/replicate.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;
using Numbers = std::vector<double>;

constexpr std::size_t fewest_replications = 20, most_replications = 200, numbers_in_all = 1'000'000;
constexpr std::size_t most_outcomes = 6, most_bins = 40;

Json interval(const Numbers& values) {
  return {rounded(nearest_quantile(values, 0.05), 4), rounded(nearest_quantile(values, 0.5), 4),
          rounded(nearest_quantile(values, 0.95), 4)};
}

double mean_of(const Numbers& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double sd_of(const Numbers& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double x : values) sum += (x - mean) * (x - mean);
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, values.size() - 1)));
}

/// Draws of the parameters for replications, evenly spaced along the chains according to their weights.
class ParameterDraws {
 public:
  explicit ParameterDraws(const MemoryDraws& draws) : draws_(draws) {
    for (std::size_t k = 0; k < draws.names().size(); ++k) columns_[draws.names()[k]] = k;
    double sum = 0;
    for (std::size_t chain = 0; chain < draws.chains(); ++chain)
      for (std::size_t draw = 0; draw < draws.draws(chain); ++draw) {
        sum += draws.weights(chain)[draw];
        places_.push_back({sum, chain, draw});
      }
    if (places_.empty() || !(sum > 0)) throw DataError("there are no draws yet");
  }

  /// The draw at this fraction of the total weight. Throws DataError if the draws lack a parameter.
  Numbers at(double share, const std::vector<std::string>& names) const {
    const double sought = share * places_.back().sum;
    const auto found = std::upper_bound(places_.begin(), places_.end(), sought,
                                        [](double value, const Place& place) { return value < place.sum; });
    const Place& place = found == places_.end() ? places_.back() : *found;
    Numbers values;
    for (const auto& name : names) {
      const auto column = columns_.find(name);
      if (column == columns_.end()) throw DataError("the draws have no '" + name + "'");
      values.push_back(draws_(place.chain, place.draw, column->second));
    }
    return values;
  }

 private:
  struct Place {
    double sum = 0;
    std::size_t chain = 0, draw = 0;
  };
  const MemoryDraws& draws_;
  std::map<std::string, std::size_t> columns_;
  std::vector<Place> places_;
};

/// One outcome: the observed data, and the replications.
struct Checked {
  const stan::ObservedOutcome* outcome = nullptr;
  std::vector<Numbers> replicated;
};

struct Bins {
  double low = 0, width = 1;
  std::size_t count = 1;

  /// Values outside the range count in the outermost bins.
  Numbers shares_of(const Numbers& values) const {
    Numbers shares(count, 0.0);
    for (const double x : values) {
      const double place = std::clamp((x - low) / width, 0.0, static_cast<double>(count) - 0.5);
      shares[static_cast<std::size_t>(place)] += 1.0 / static_cast<double>(values.size());
    }
    return shares;
  }
};

/// For whole numbers, the bins are whole numbers.
Bins bins_of(const Checked& checked) {
  constexpr double tail = 0.005;
  Numbers some;
  for (std::size_t k = 0; k < checked.replicated.size(); k += 10)
    some.insert(some.end(), checked.replicated[k].begin(), checked.replicated[k].end());
  const Numbers& observed = checked.outcome->observed;
  double low = std::min(nearest_quantile(observed, tail), nearest_quantile(some, tail));
  double high = std::max(nearest_quantile(observed, 1 - tail), nearest_quantile(some, 1 - tail));
  if (checked.outcome->integer) {
    const double width = std::max(1.0, std::ceil((high - low + 1) / static_cast<double>(most_bins)));
    return {low - 0.5, width, static_cast<std::size_t>(std::ceil((high - low + 1) / width))};
  }
  if (!(high > low)) {
    low -= 0.5;
    high += 0.5;
  }
  const auto count = static_cast<std::size_t>(
      std::clamp(2 * std::cbrt(static_cast<double>(observed.size())), 8.0, static_cast<double>(most_bins)));
  return {low, (high - low) / static_cast<double>(count), count};
}

Json bins_json(const Checked& checked) {
  const Bins bins = bins_of(checked);
  std::vector<Numbers> by_bin(bins.count);
  for (const auto& values : checked.replicated) {
    const Numbers shares = bins.shares_of(values);
    for (std::size_t k = 0; k < bins.count; ++k) by_bin[k].push_back(shares[k]);
  }
  Json json = {{"low", rounded(bins.low)}, {"width", rounded(bins.width)}, {"observed", Json::array()}};
  for (const double share : bins.shares_of(checked.outcome->observed)) json["observed"].push_back(rounded(share, 3));
  json["predicted"] = Json::array();
  for (const auto& shares : by_bin) json["predicted"].push_back(interval(shares));
  return json;
}

/// Groups rows by the prediction of one half of the replications, with intervals from the other half. Null if all rows
/// have the same prediction, or there are too few.
Json groups_json(const Checked& checked) {
  const Numbers& observed = checked.outcome->observed;
  const std::size_t size = observed.size(), half = checked.replicated.size() / 2;
  constexpr std::size_t fewest = 60, most_groups = 20, least_in_group = 15;
  if (size < fewest) return nullptr;
  Numbers first(size, 0.0), second(size, 0.0);
  for (std::size_t r = 0; r < 2 * half; ++r)
    for (std::size_t k = 0; k < size; ++k)
      (r % 2 == 0 ? first : second)[k] += checked.replicated[r][k] / static_cast<double>(half);
  const double first_mean = mean_of(first), second_mean = mean_of(second);
  double covariance = 0;
  for (std::size_t k = 0; k < size; ++k) covariance += (first[k] - first_mean) * (second[k] - second_mean);
  covariance /= static_cast<double>(size);
  constexpr double alike = 0.3;
  if (!(covariance > alike * sd_of(first) * sd_of(second))) return nullptr;
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return first[a] < first[b]; });
  const std::size_t groups = std::min(most_groups, size / least_in_group);
  Json list = Json::array();
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t begin = group * size / groups, end = (group + 1) * size / groups;
    const auto mean_in = [&](const Numbers& values) {
      double sum = 0;
      for (std::size_t k = begin; k < end; ++k) sum += values[order[k]];
      return sum / static_cast<double>(end - begin);
    };
    Numbers means;
    for (std::size_t r = 1; r < checked.replicated.size(); r += 2) means.push_back(mean_in(checked.replicated[r]));
    list.push_back({{"observed", rounded(mean_in(observed), 4)}, {"predicted", interval(means)}});
  }
  return list;
}

/// Statistics such as "mean", observed and replicated, with the share of replications below the observed value.
Json statistics_json(const Checked& checked) {
  const Numbers& observed = checked.outcome->observed;
  const auto [least, largest] = std::minmax_element(observed.begin(), observed.end());
  const bool counts = checked.outcome->integer && *least >= 0, binary = counts && *largest <= 1;
  std::vector<std::pair<const char*, double (*)(const Numbers&)>> statistics = {{"mean", mean_of}};
  if (!binary && observed.size() > 1) {
    statistics.emplace_back("sd", sd_of);
    statistics.emplace_back("smallest", [](const Numbers& x) { return *std::min_element(x.begin(), x.end()); });
    statistics.emplace_back("largest", [](const Numbers& x) { return *std::max_element(x.begin(), x.end()); });
  }
  if (counts && !binary)
    statistics.emplace_back("share of zeros", [](const Numbers& x) {
      return static_cast<double>(std::count(x.begin(), x.end(), 0.0)) / static_cast<double>(x.size());
    });
  Json list = Json::array();
  for (const auto& [name, statistic] : statistics) {
    const double value = statistic(observed);
    Numbers replicated;
    double below = 0;
    for (const auto& values : checked.replicated) {
      replicated.push_back(statistic(values));
      below += replicated.back() < value ? 1.0 : replicated.back() == value ? 0.5 : 0.0;
    }
    list.push_back({{"name", name},
                    {"observed", rounded(value, 4)},
                    {"predicted", interval(replicated)},
                    {"below", rounded(below / static_cast<double>(replicated.size()), 3)}});
  }
  return list;
}

bool is_finite(const Numbers& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

Json predictive_json(const ReportedRun& run, const RunModel& model, int threads) {
  const ParameterDraws draws(run.read.draws);
  const stan::Replicator replicator(
      model.text, model.data, [&](const std::vector<std::string>& names) { return draws.at(0.5, names); }, model.rows);
  if (replicator.outcomes().empty()) return nullptr;
  std::size_t elements = 0;
  for (const auto& outcome : replicator.outcomes()) elements += outcome.observed.size();
  const std::size_t count = std::clamp(numbers_in_all / elements, fewest_replications, most_replications);
  std::vector<std::vector<Numbers>> made(count);
  ThreadPool pool(threads);
  pool.for_each(count, [&](std::size_t k, int) {
    const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(count);
    made[k] = replicator.draw(draws.at(share, replicator.parameters()), 1, k);
  });
  Json json = {{"replications", count}, {"outcomes", Json::array()}};
  for (std::size_t o = 0; o < std::min(most_outcomes, replicator.outcomes().size()); ++o) {
    Checked checked{&replicator.outcomes()[o], {}};
    for (auto& one : made) checked.replicated.push_back(std::move(one[o]));
    const bool finite = is_finite(checked.outcome->observed) &&
                        std::all_of(checked.replicated.begin(), checked.replicated.end(), is_finite);
    if (!finite) continue;
    Json outcome = {{"name", checked.outcome->name},
                    {"integer", checked.outcome->integer},
                    {"elements", checked.outcome->elements},
                    {"shown", checked.outcome->observed.size()}};
    outcome["bins"] = bins_json(checked);
    if (Json groups = groups_json(checked); !groups.is_null()) outcome["groups"] = std::move(groups);
    outcome["statistics"] = statistics_json(checked);
    json["outcomes"].push_back(std::move(outcome));
  }
  return json["outcomes"].empty() ? Json() : json;
}

}  // namespace sgmcmc
