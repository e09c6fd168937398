// Diagonal curvature by probing. With H = C A C, C the scales of the parameters and A of order 1, a probe p = s * signs
// with s proportional to 1 / C gives |H p|_j / s_j of order C_j^2: each round uses the scales of the round before, and
// the first those suggested by the gradient, which is itself proportional to C.
#include "optimise/probe_scale.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sgmcmc {
namespace {

constexpr int rounds = 4;
constexpr int max_retreats = 8;

// A fixed sequence of signs (one bit of a multiplicative hash), which needs no seed.
double sign_at(std::uint64_t position, std::uint64_t round) {
  std::uint64_t x = (position + 1) * 0x9e3779b97f4a7c15ULL + (round + 1) * 0xd1b54a32d192ed03ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return ((x >> 31) & 1) != 0 ? 1.0 : -1.0;
}

Eigen::VectorXd scale_from_gradient(const Eigen::VectorXd& gradient) {
  std::vector<double> sizes;
  for (const double g : gradient)
    if (g != 0.0) sizes.push_back(std::abs(g));
  if (sizes.empty()) return Eigen::VectorXd::Ones(gradient.size());
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const double typical = *middle;
  return gradient.unaryExpr([typical](double g) { return 1.0 / (g != 0.0 ? std::abs(g) : typical); });
}

}  // namespace

ProbedScale probe_scale(const LogDensityFunction& log_density, const Eigen::VectorXd& theta,
                        const Eigen::VectorXd& gradient) {
  const Eigen::Index dimension = theta.size();
  ProbedScale result{scale_from_gradient(gradient), 0};
  Eigen::VectorXd moved(dimension), change(dimension), squares = Eigen::VectorXd::Zero(dimension);
  double length = 0.1;
  int retreats = 0;
  for (int round = 0; round < rounds;) {
    for (Eigen::Index j = 0; j < dimension; ++j)
      moved[j] = theta[j] +
                 length * result.scale[j] * sign_at(static_cast<std::uint64_t>(j), static_cast<std::uint64_t>(round));
    const double value = log_density({moved.data(), static_cast<std::size_t>(dimension)},
                                     {change.data(), static_cast<std::size_t>(dimension)});
    ++result.evaluations;
    if (!std::isfinite(value) || !change.allFinite()) {
      if (++retreats > max_retreats) break;
      length *= 0.1;
      continue;
    }
    for (Eigen::Index j = 0; j < dimension; ++j) {
      const double curvature = std::abs(change[j] - gradient[j]) / std::abs(moved[j] - theta[j]);
      // Pools the later rounds, which have better scales: a single set of signs may cancel by chance.
      squares[j] = round < 2 ? curvature * curvature : squares[j] + curvature * curvature;
      const double pooled = std::sqrt(round < 2 ? squares[j] : squares[j] / (round - 1));
      if (pooled > 0.0 && std::isfinite(pooled)) result.scale[j] = 1.0 / std::sqrt(pooled);
    }
    ++round;
  }
  return result;
}

}  // namespace sgmcmc
