// Compares draws on a simplex with a Dirichlet distribution, by Rosenblatt's transform and Kolmogorov-Smirnov
// distances.
//
// The share v = x_k / (x_k + ... + x_K) of component k in the remainder has the distribution Beta(a_k, a_(k+1) + ... +
// a_K), independently of earlier shares. The last component is the whole remainder, so means over components exclude
// it, where Baker (2019), appendix B.5, counts a distance for each of K.
#include "base/boost_policy.hpp"
#include "diagnose/effective_size.hpp"
#include "diagnose/half_chains.hpp"

#include <sgmcmc/compare.hpp>
#include <sgmcmc/diagnose.hpp>
#include <sgmcmc/error.hpp>

#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace sgmcmc {
namespace {

/// The distribution function of Beta(a, b) at part / (part + rest). Both come from sums, not from 1 - v, which is
/// imprecise near 1, where small concentrations put much of the mass.
double beta_cdf(double a, double b, double part, double rest) {
  const double total = part + rest;
  return part <= rest ? boost::math::ibeta(a, b, part / total, special::QuietPolicy())
                      : boost::math::ibetac(b, a, rest / total, special::QuietPolicy());
}

void check(std::span<const std::size_t> parameters, std::span<const double> concentration) {
  if (concentration.size() < 2)
    throw OptionError("a Dirichlet distribution needs at least two concentrations, but there is " +
                      std::to_string(concentration.size()));
  if (parameters.size() != concentration.size())
    throw OptionError("the Dirichlet distribution has " + std::to_string(concentration.size()) +
                      " concentrations, but " + std::to_string(parameters.size()) +
                      " parameters are compared with it; choose one simplex of " +
                      std::to_string(concentration.size()) + " components");
  for (const double a : concentration)
    if (!(a > 0.0 && std::isfinite(a)))
      throw OptionError("a concentration is " + std::to_string(a) + "; concentrations must be finite and positive");
}

}  // namespace

DirichletComparison compare_with_dirichlet(const MemoryDraws& draws, std::span<const std::size_t> parameters,
                                           std::span<const double> concentration) {
  check(parameters, concentration);
  const std::size_t size = parameters.size();
  std::vector<double> rest_concentration(size, 0.0);  // sum over later components
  for (std::size_t k = size - 1; k-- > 0;) rest_concentration[k] = rest_concentration[k + 1] + concentration[k + 1];

  DirichletComparison result;
  const bool weighted = !draws.equal_weights();
  std::vector<QuantityDraws> transformed(size - 1);
  std::vector<double> rest(size);
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) {
    for (auto& quantity : transformed) {
      quantity.chains.emplace_back();
      if (weighted) quantity.weights.emplace_back();
    }
    for (std::size_t draw = 0; draw < draws.draws(chain); ++draw) {
      const auto x = [&](std::size_t k) { return draws(chain, draw, parameters[k]); };
      double sum = 0.0, least = 0.0;
      for (std::size_t k = 0; k < size; ++k) {
        sum += x(k);
        least = std::min(least, x(k));
      }
      // Files of other programs have six digits.
      if (!(least >= 0.0 && std::abs(sum - 1.0) <= 1e-4))
        throw OptionError("draw " + std::to_string(draw + 1) + " of chain " + std::to_string(chain + 1) +
                          " is not on a simplex: " + draws.names()[parameters[0]] + " to " +
                          draws.names()[parameters[size - 1]] + " add up to " + std::to_string(sum) +
                          (least < 0.0 ? " and one is negative" : "") + "; choose the components of one simplex");
      rest[size - 1] = 0.0;
      for (std::size_t k = size - 1; k-- > 0;) rest[k] = rest[k + 1] + x(k + 1);
      for (std::size_t k = 0; k + 1 < size; ++k) {
        if (x(k) + rest[k] == 0.0) {
          ++result.undefined;
          continue;
        }
        transformed[k].chains.back().push_back(beta_cdf(concentration[k], rest_concentration[k], x(k), rest[k]));
        if (weighted) transformed[k].weights.back().push_back(draws.weights(chain)[draw]);
      }
    }
  }

  if (transformed[0].chains.empty() || all_draws(transformed[0]).values.empty())
    throw OptionError("there are no draws to compare with the Dirichlet distribution");
  double least_probability = 1.0;
  for (std::size_t k = 0; k + 1 < size; ++k) {
    const auto [values, weights] = all_draws(transformed[k]);
    const double distance = ks_distance_from_uniform(values, weights);
    result.distances.push_back(distance);
    result.distance += distance / static_cast<double>(size - 1);
    if (distance > result.distances[result.worst]) result.worst = k;
    const double effective = std::min(ess_bulk(transformed[k]), static_cast<double>(values.size()));
    const double probability = ks_probability(distance, effective);
    least_probability = std::isnan(probability) ? not_a_number : std::min(least_probability, probability);
  }
  // The shares are independent under the Dirichlet distribution.
  result.probability = -std::expm1(static_cast<double>(size - 1) * std::log1p(-least_probability));
  return result;
}

}  // namespace sgmcmc
