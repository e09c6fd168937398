// The list of combination rules, and the choice of one.
#include "combine/rules.hpp"

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

CombinedDraws combine_draws(std::size_t dimension, const std::vector<PartDraws>& given, const CombineOptions& options) {
  const Parts parts = make_parts(dimension, given, options);
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

}  // namespace sgmcmc
