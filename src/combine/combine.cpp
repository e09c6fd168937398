// The list of combination rules, and the choice of one.
#include "combine/rules.hpp"
#include "combine/shared_error.hpp"

#include "base/decompositions.hpp"

#include <sgmcmc/combine.hpp>
#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {

const std::vector<CombineRule>& combine_rules() {
  static const std::vector<CombineRule> rules = {
      {CombineMethod::consensus, "consensus", "averages of draws, one of each part, weighted by precision matrices"},
      {CombineMethod::parametric, "parametric", "the product of normal approximations of the parts"},
      {CombineMethod::nonparametric, "nonparametric", "the product of kernel density estimates of the parts"},
      {CombineMethod::semiparametric, "semiparametric",
       "the product of normal approximations, each corrected by a kernel density estimate"},
      {CombineMethod::weierstrass, "weierstrass", "pairs of parts by rejection, along a tree"},
      {CombineMethod::swiss, "swiss", "draws of all parts, moved and scaled to a common mean and covariance"},
      {CombineMethod::barycentre, "barycentre", "draws of all parts, moved to the Wasserstein barycentre of the parts"},
  };
  return rules;
}

std::string_view combine_method_name(CombineMethod method) {
  return combine_rules()[static_cast<std::size_t>(method)].name;
}

std::optional<CombineMethod> combine_method_by_name(std::string_view name) {
  for (const auto& rule : combine_rules())
    if (rule.name == name) return rule.method;
  return std::nullopt;
}

void CombineOptions::validate() const {
  if (!(bandwidth >= 0) || !std::isfinite(bandwidth))
    throw OptionError("bandwidth must be a positive number, or 0 to have it chosen");
}

namespace {

CombinedDraws combined_by_rule(const Parts& parts, const CombineOptions& options) {
  switch (options.method) {
    case CombineMethod::consensus: return combine_consensus(parts, options);
    case CombineMethod::parametric: return combine_parametric(parts, options);
    case CombineMethod::nonparametric: return combine_nonparametric(parts, options);
    case CombineMethod::semiparametric: return combine_semiparametric(parts, options);
    case CombineMethod::weierstrass: return combine_weierstrass(parts, options);
    case CombineMethod::swiss: return combine_swiss(parts, options);
    case CombineMethod::barycentre: return combine_barycentre(parts, options);
  }
  return {};
}

constexpr std::size_t quarters = 4;

bool has_kernels(CombineMethod method) {
  return method == CombineMethod::nonparametric || method == CombineMethod::semiparametric ||
         method == CombineMethod::weierstrass;
}

/// Draws of each part that are in this quarter of their chains.
std::vector<PartDraws> quarter_of(const std::vector<PartDraws>& given, std::size_t quarter, std::size_t dimension) {
  std::vector<PartDraws> some(given.size());
  for (std::size_t s = 0; s < given.size(); ++s)
    for (const auto& chain : given[s].chains) {
      const std::size_t draws = chain.size() / dimension;
      const auto at = [&](std::size_t q) {
        return chain.begin() + static_cast<std::ptrdiff_t>(draws * q / quarters * dimension);
      };
      some[s].chains.emplace_back(at(quarter), at(quarter + 1));
    }
  return some;
}

std::vector<Eigen::MatrixXd> as_matrices(const std::vector<std::vector<double>>& chains, Eigen::Index dimension) {
  std::vector<Eigen::MatrixXd> made;
  for (const auto& chain : chains)
    made.push_back(Eigen::Map<const Eigen::MatrixXd>(chain.data(), dimension,
                                                     static_cast<Eigen::Index>(chain.size()) / dimension));
  return made;
}

Eigen::VectorXd mean_of(const std::vector<Eigen::MatrixXd>& chains) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(chains.front().rows());
  double count = 0;
  for (const auto& chain : chains) {
    sum += chain.rowwise().sum();
    count += static_cast<double>(chain.cols());
  }
  return sum / count;
}

/// How many times larger the variance of the shared error is with the kernels of the rule, at least 1: from the means
/// of combinations of quarters of the chains, in coordinates in which the combination has about unit covariance. 1 if
/// the chains are too short for quarters.
double kernel_inflation(const Parts& parts, const std::vector<PartDraws>& given, const CombinedDraws& combined,
                        const Eigen::MatrixXd& error, const CombineOptions& options) {
  const auto d = static_cast<Eigen::Index>(parts.dimension);
  CombineOptions of_quarter = options;
  of_quarter.bandwidth = combined.bandwidth;
  of_quarter.draws = parts.draws / quarters;
  if (of_quarter.draws == 0 || !(combined.bandwidth > 0)) return 1;
  Eigen::MatrixXd means(d, quarters);
  try {
    for (std::size_t q = 0; q < quarters; ++q) {
      of_quarter.seed = options.seed + q + 1;
      const Parts some = make_parts(parts.dimension, quarter_of(given, q, parts.dimension), of_quarter);
      means.col(static_cast<Eigen::Index>(q)) = mean_of(as_matrices(combined_by_rule(some, of_quarter).chains, d));
    }
  } catch (const DataError&) {  // too few draws in a quarter, or parts that hardly overlap
    return 1;
  }
  const Cholesky scale(product_of(parts).covariance);
  const Eigen::VectorXd centre = means.rowwise().mean();
  const double variance = scale.solve_lower(means.colwise() - centre).squaredNorm() / (quarters * (quarters - 1));
  auto draws = as_matrices(combined.chains, d);
  const Eigen::VectorXd mean = mean_of(draws);
  for (auto& chain : draws) chain.colwise() -= mean;
  const double seen = scale.solve(covariance_of_mean(draws)).trace();
  const double shared = scale.solve_lower(error).squaredNorm();
  return shared > 0 ? std::max(1.0, (variance - seen) / shared) : 1.0;
}

}  // namespace

CombinedDraws combine_draws(std::size_t dimension, const std::vector<PartDraws>& given, const CombineOptions& options) {
  const Parts parts = make_parts(dimension, given, options);
  CombinedDraws combined = combined_by_rule(parts, options);
  Eigen::MatrixXd error = shared_error(parts, options.method);
  if (has_kernels(options.method)) error *= std::sqrt(kernel_inflation(parts, given, combined, error, options));
  combined.shared_error.assign(error.data(), error.data() + error.size());
  return combined;
}

}  // namespace sgmcmc
