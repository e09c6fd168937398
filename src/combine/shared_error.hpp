// The Monte Carlo error of the parts' own means and covariances, which all draws of a combination share.
//
// A rule estimates the mean T = P^-1 sum_s W_s mu_s, P = sum_s W_s, W_s = Sigma_s^-1, from draws x of the parts. To
// first order, T changes by the mean over the draws of each part of its influence function
//
//   I_s(x) = A_s (x - mu_s) - A_s (e_s - m_s),  e_s = (x - mu_s) ((x - mu_s)^T v_s),  m_s = mean of e_s,
//   A_s = P^-1 W_s,  v_s = W_s (mu_s - T)
//
// whose first term is the error of means, and whose second that of weights. Draws of consensus are averages of draws of
// the parts, so that their autocorrelation shows the first term already; only the second is shared. The barycentre has
// fixed weights: I_s(x) = (x - mu_s) / S. Variances of means of I_s are estimated from means of batches, which allows
// for autocorrelation in the parts.
//
// Products of kernel estimates also follow the noise of single draws, by which their error is larger than that of T:
// combine.cpp measures how much larger, by combining quarters of the chains.
#pragma once

#include "combine/parts.hpp"

#include <sgmcmc/draws.hpp>

#include <vector>

namespace sgmcmc {

/// The covariance of the mean of all draws, columns with mean 0 in chains, from the sums of batches of each chain.
Eigen::MatrixXd covariance_of_mean(const std::vector<Eigen::MatrixXd>& chains);

/// The symmetric F for which F F is the covariance of the shared error of the mean.
Eigen::MatrixXd shared_error(const Parts& parts, CombineMethod method);

/// For each variable, the variance of the shared error of its mean, divided by its variance: the error of unconstrained
/// coordinates reaches it by its linear regression on these. If there are too few draws for a regression, or too many
/// variables, the greatest ratio of all coordinates. variables: at the combined draws, in their order.
std::vector<double> shared_error_ratios(const CombinedDraws& combined, std::size_t dimension,
                                        const MemoryDraws& variables);

}  // namespace sgmcmc
