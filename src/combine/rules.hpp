// The combination rules, one file each.
#pragma once

#include "combine/parts.hpp"

namespace sgmcmc {

CombinedDraws combine_consensus(const Parts& parts, const CombineOptions& options);
CombinedDraws combine_parametric(const Parts& parts, const CombineOptions& options);
CombinedDraws combine_nonparametric(const Parts& parts, const CombineOptions& options);
CombinedDraws combine_semiparametric(const Parts& parts, const CombineOptions& options);
CombinedDraws combine_weierstrass(const Parts& parts, const CombineOptions& options);
CombinedDraws combine_swiss(const Parts& parts, const CombineOptions& options);
CombinedDraws combine_barycentre(const Parts& parts, const CombineOptions& options);

}  // namespace sgmcmc
