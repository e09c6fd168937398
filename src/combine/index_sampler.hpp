// Samples one draw index per part, for the nonparametric and the semiparametric rule.
//
// W. Neiswanger, C. Wang and E. Xing, Asymptotically exact, embarrassingly parallel MCMC, UAI 2014, algorithm 1, in
// coordinates x in which parts have about unit covariance. A kernel density estimate of each part, multiplied: a
// mixture with one component for each choice t = (t_1, ..., t_S) of draws, with mean xbar_t = sum_s x_{s,t_s} / S and
// weight
//
//   w_t = prod_s N(x_{s,t_s}; xbar_t, h^2 I)   [ * factor(t) ],   h = i^(-1/(4 + d)) in iteration i
//
// Iteration i proposes another draw of each part in turn, accepted with probability min(1, w_new / w_old). Deviation:
// initial iterations, in which h is large, are discarded: half as many as there are draws.
#pragma once

#include "combine/parts.hpp"
#include "combine/stream.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace sgmcmc {

inline constexpr int sweeps_per_draw = 20;

class IndexSampler {
 public:
  /// log_correction: of each part and draw, added to the log weight; empty: none.
  IndexSampler(const std::vector<Eigen::MatrixXd>& scaled, std::vector<Eigen::VectorXd> log_correction, Stream& stream)
      : scaled_(scaled), log_correction_(std::move(log_correction)), stream_(stream) {
    sum_ = Eigen::VectorXd::Zero(scaled.front().rows());
    for (const auto& part : scaled) {
      at_.push_back(stream.below(part.cols()));
      sum_ += part.col(at_.back());
      squares_ += part.col(at_.back()).squaredNorm();
    }
  }

  /// factor(mean): a further term of the log weight, besides kernels and correction.
  template <class Factor>
  void iterate(double bandwidth, const Factor& factor) {
    const auto parts = static_cast<double>(scaled_.size());
    double here = factor(sum_ / parts);
    for (std::size_t s = 0; s < scaled_.size(); ++s) {
      const Eigen::Index proposed = stream_.below(scaled_[s].cols());
      const auto before = scaled_[s].col(at_[s]), after = scaled_[s].col(proposed);
      const Eigen::VectorXd sum = sum_ + after - before;
      const double squares = squares_ + after.squaredNorm() - before.squaredNorm();
      // sum_s |x_s - xbar|^2 = sum_s |x_s|^2 - |sum_s x_s|^2 / S
      const double spread_change = (squares - squares_) - (sum.squaredNorm() - sum_.squaredNorm()) / parts;
      const double there = factor(sum / parts);
      double log_ratio = -spread_change / (2.0 * bandwidth * bandwidth) + there - here;
      if (!log_correction_.empty()) log_ratio += log_correction_[s][proposed] - log_correction_[s][at_[s]];
      ++proposals_;
      if (std::log(stream_.uniform()) >= log_ratio) continue;
      ++accepted_;
      at_[s] = proposed;
      sum_ = sum;
      squares_ = squares;
      here = there;
    }
  }

  Eigen::VectorXd mean() const { return sum_ / static_cast<double>(scaled_.size()); }
  std::uint64_t proposals() const { return proposals_; }
  std::uint64_t accepted() const { return accepted_; }

 private:
  const std::vector<Eigen::MatrixXd>& scaled_;
  std::vector<Eigen::VectorXd> log_correction_;
  Stream& stream_;
  std::vector<Eigen::Index> at_;
  Eigen::VectorXd sum_;
  double squares_ = 0;
  std::uint64_t proposals_ = 0, accepted_ = 0;
};

/// h in iteration i, counted from 1.
inline double kernel_bandwidth(const CombineOptions& options, double iteration, std::size_t dimension) {
  return options.bandwidth > 0 ? options.bandwidth : std::pow(iteration, -1.0 / (4.0 + static_cast<double>(dimension)));
}

inline std::vector<Eigen::MatrixXd> scaled_draws(const Parts& parts, const CommonScale& scale) {
  std::vector<Eigen::MatrixXd> scaled;
  for (const auto& draws : parts.all) scaled.push_back(scale.to * (draws.colwise() - scale.centre));
  return scaled;
}

}  // namespace sgmcmc
