// Compares two sets of draws: parameter by parameter, then as whole distributions.
#include "base/thread_pool.hpp"
#include "diagnose/draw_points.hpp"
#include "diagnose/effective_size.hpp"
#include "diagnose/energy.hpp"
#include "diagnose/half_chains.hpp"
#include "diagnose/summarise.hpp"

#include <sgmcmc/compare.hpp>
#include <sgmcmc/error.hpp>

#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

namespace sgmcmc {
namespace {

std::size_t draws_of(const MemoryDraws& draws) {
  std::size_t count = 0;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) count += draws.draws(chain);
  return count;
}

void check_draws(const MemoryDraws& draws, std::span<const std::size_t> parameters, const std::string& which) {
  const std::size_t count = draws_of(draws);
  if (count < 2)
    throw OptionError(which + (count == 0 ? " no draws" : " a single draw") +
                      "; a comparison needs at least two, and some hundreds to be informative");
  double total = 0.0;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain)
    for (std::size_t k = 0; k < draws.draws(chain); ++k) {
      total += draws.weights(chain)[k];
      for (const std::size_t parameter : parameters)
        if (const double value = draws(chain, k, parameter); !std::isfinite(value))
          throw OptionError(which + " a non-finite number: " + draws.names()[parameter] + " is " +
                            (std::isnan(value) ? "nan"
                             : value > 0       ? "inf"
                                               : "-inf") +
                            " in draw " + std::to_string(k + 1) + " of chain " + std::to_string(chain + 1) +
                            "; compare the variables that are finite");
    }
  if (!(total > 0.0)) throw OptionError(which + " draws of weight 0 only; give draws with positive weight");
}

/// The variables to compare, and their positions in both sets.
struct Common {
  std::vector<std::size_t> draws, reference;
};

Common common_parameters(const MemoryDraws& draws, const MemoryDraws& reference, Comparison& result) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t k = 0; k < reference.parameters(); ++k) places.emplace(reference.names()[k], k);
  Common common;
  std::vector<bool> met(reference.parameters(), false);
  for (std::size_t k = 0; k < draws.parameters(); ++k) {
    const auto found = places.find(draws.names()[k]);
    if (found == places.end()) {
      result.only_in_draws.push_back(draws.names()[k]);
      continue;
    }
    common.draws.push_back(k);
    common.reference.push_back(found->second);
    met[found->second] = true;
  }
  for (std::size_t k = 0; k < met.size(); ++k)
    if (!met[k]) result.only_in_reference.push_back(reference.names()[k]);
  return common;
}

/// One quantity of one set.
struct Side {
  QuantityDetails details;  // declared before the summary, which fills them in
  QuantitySummary summary;
  PooledDraws all;
  double effective = 0.0;  // independent draws, for distribution functions

  Side(const QuantityDraws& draws, DiagnoseWorkspace& workspace)
      : summary(summarise(draws, workspace, &details)), all(all_draws(draws)) {
    const auto [least, most] = std::minmax_element(all.values.begin(), all.values.end());
    if (*least == *most) summary.standard_deviation = 0.0;  // without rounding errors
    effective = std::min(summary.ess_bulk, static_cast<double>(all.values.size()));
  }
};

ParameterComparison compare_sides(const std::string& name, const Side& a, const Side& b) {
  ParameterComparison result;
  result.name = name;
  result.mean = a.summary.mean;
  result.reference_mean = b.summary.mean;
  result.rhat = a.summary.rhat;
  result.reference_rhat = b.summary.rhat;
  const double sd = result.standard_deviation = a.summary.standard_deviation;
  const double unit = result.reference_standard_deviation = b.summary.standard_deviation;
  if (unit == 0.0 && sd == 0.0 && a.all.values[0] == b.all.values[0]) {
    result.mean_difference = 0.0;
    result.mean_difference_mcse = 0.0;
    result.sd_ratio = result.sd_ratio_mcse = not_a_number;
  } else {
    result.mean_difference = (result.mean - result.reference_mean) / unit;
    result.mean_difference_mcse = std::hypot(a.summary.mcse_mean, b.summary.mcse_mean) / unit;
    result.sd_ratio = sd / unit;
    result.sd_ratio_mcse = result.sd_ratio * std::hypot(a.details.mcse_sd / sd, b.details.mcse_sd / unit);
  }
  result.ks = ks_distance(a.all.values, b.all.values, a.all.weights, b.all.weights);
  result.ks_probability = ks_probability(result.ks, a.effective * b.effective / (a.effective + b.effective));
  return result;
}

/// All whole-set distances of one pair of sets.
struct Distances {
  RelativeErrors errors{not_a_number, not_a_number};
  PairDistances pairs;
  double gaussian = not_a_number, sliced = 0.0, kl = 0.0;
};

struct Job {
  const CompareOptions& options;
  std::span<const double> units;
  double bandwidth = 0.0;

  Distances between(const MemoryDraws& a, std::span<const std::size_t> a_parameters, ChainPart a_part,
                    const MemoryDraws& b, std::span<const std::size_t> b_parameters, ChainPart b_part,
                    ThreadPool& pool) const {
    Distances result;
    const std::size_t dimension = units.size();
    const bool covariances = dimension <= options.most_covariance;
    // Limits the cost of covariances to about 10^10 products, which is precise enough.
    const double products = static_cast<double>(dimension) * static_cast<double>(dimension);
    const auto most = std::max(options.most_draws, static_cast<std::size_t>(1e10 / products));
    DrawPoints x = draw_points(a, a_parameters, most, a_part), y = draw_points(b, b_parameters, most, b_part);
    if (x.count() == 0 || y.count() == 0) {
      result.pairs = {not_a_number, not_a_number};
      result.sliced = result.kl = not_a_number;
      return result;
    }
    if (covariances) {
      result.errors = relative_errors(x, y, options.threads);
      divide_by(x, units);
      divide_by(y, units);
      result.gaussian = gaussian_wasserstein(x, y);
    } else {
      result.errors.mean = relative_error_of_means(x, y);
    }
    x = draw_points(a, a_parameters, options.most_draws, a_part);
    y = draw_points(b, b_parameters, options.most_draws, b_part);
    divide_by(x, units);
    divide_by(y, units);
    result.pairs = pair_distances(x, y, bandwidth, pool);
    result.sliced = sliced_wasserstein(x, y, options.directions, options.seed, options.threads);
    result.kl = kl_divergence(x, y, options.neighbours, options.threads);
    return result;
  }
};

DistanceValue with_noise(double value, double ours, double theirs) {
  return {value, std::fmax(std::abs(ours), std::abs(theirs))};  // the estimated divergence may be negative
}

}  // namespace

double Comparison::z_limit() const {
  const double comparisons = std::max(1.0, 2.0 * static_cast<double>(parameters.size()));
  return std::numbers::sqrt2 * boost::math::erfc_inv(0.01 / comparisons);
}

Comparison compare(const MemoryDraws& draws, const MemoryDraws& reference, const CompareOptions& options) {
  Comparison result;
  const Common common = common_parameters(draws, reference, result);
  const std::size_t parameters = common.draws.size();
  if (parameters == 0)
    throw OptionError("the two sets of draws have no parameter of the same name; compare draws of one model");
  check_draws(draws, common.draws, "the first set has");
  check_draws(reference, common.reference, "the reference has");
  result.draws = draws_of(draws);
  result.reference_draws = draws_of(reference);

  ThreadPool pool(options.threads);
  result.parameters.resize(parameters);
  const auto workers = static_cast<std::size_t>(pool.threads());
  const std::size_t together = std::clamp<std::size_t>(parameters / workers, 1, 16);
  std::vector<DiagnoseWorkspace> workspaces(workers);
  pool.for_each((parameters + together - 1) / together, [&](std::size_t block, int worker) {
    DiagnoseWorkspace& workspace = workspaces[static_cast<std::size_t>(worker)];
    const std::size_t first = block * together, count = std::min(together, parameters - first);
    const auto ours = quantities_of(draws, std::span(common.draws).subspan(first, count));
    const auto theirs = quantities_of(reference, std::span(common.reference).subspan(first, count));
    for (std::size_t k = 0; k < count; ++k)
      result.parameters[first + k] =
          compare_sides(draws.names()[common.draws[first + k]], Side(ours[k], workspace), Side(theirs[k], workspace));
  });

  std::vector<double> units;
  for (const auto& parameter : result.parameters)
    units.push_back(parameter.reference_standard_deviation > 0.0 ? parameter.reference_standard_deviation
                    : parameter.standard_deviation > 0.0         ? parameter.standard_deviation
                                                                 : 1.0);
  Job job{options, units};
  {
    DrawPoints some = draw_points(reference, common.reference, options.most_draws);
    result.compared_reference_draws = some.count();
    divide_by(some, units);
    job.bandwidth = median_distance(some);
    result.compared_draws = draw_points(draws, std::span(common.draws).first(1), options.most_draws).count();
  }
  using enum ChainPart;
  const Distances d = job.between(draws, common.draws, whole, reference, common.reference, whole, pool);
  const Distances a = job.between(draws, common.draws, first_half, draws, common.draws, second_half, pool);
  const Distances b =
      job.between(reference, common.reference, first_half, reference, common.reference, second_half, pool);
  result.mean_error = with_noise(d.errors.mean, a.errors.mean, b.errors.mean);
  result.covariance_error = with_noise(d.errors.covariance, a.errors.covariance, b.errors.covariance);
  result.energy = with_noise(d.pairs.energy, a.pairs.energy, b.pairs.energy);
  result.mmd = with_noise(d.pairs.mmd, a.pairs.mmd, b.pairs.mmd);
  result.gaussian_wasserstein = with_noise(d.gaussian, a.gaussian, b.gaussian);
  result.sliced_wasserstein = with_noise(d.sliced, a.sliced, b.sliced);
  result.kl = with_noise(d.kl, a.kl, b.kl);
  return result;
}

}  // namespace sgmcmc
