// SGLD for the 784-100-10 Bayesian neural network, written by hand with Eigen's matrix products.
//
// Row i: y_i ~ Categorical(softmax(logistic(x_i B + b) A + a)). Every element of A, B, a, b is N(0, 1/lambda) with its
// group's lambda ~ Gamma(1, 1), sampled as log lambda with the Jacobian [sgmcmc-r-package section 6.3].
// The layouts (rows of the batch contiguous, everything else by columns) made the two large products fastest of eight
// tried.
#pragma once

#include "hand/huge_memory.hpp"
#include "hand/vector.hpp"
#include "minibatch/distinct_rows.hpp"

#include <sgmcmc/random.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace sgmcmc::hand {

struct NetworkSizes {
  static constexpr int inputs = 784;
  static constexpr int hidden = 100;
  static constexpr int outputs = 10;
  // Where the groups lie among the parameters: B by columns, b, A by columns, a, then log lambda of B, b, A and a.
  static constexpr int starts[5] = {0, inputs* hidden, inputs* hidden + hidden,
                                    inputs* hidden + hidden + hidden* outputs,
                                    inputs* hidden + hidden + hidden* outputs + outputs};
  static constexpr int weights = starts[4];
  static constexpr int parameters = weights + 4;
};

class NetworkRows {
 public:
  NetworkRows(std::span<const float> x, std::span<const std::int32_t> y)
      : labels_(y.begin(), y.end()), memory_(x.size_bytes()) {
    std::memcpy(memory_.data(), x.data(), x.size_bytes());
  }
  std::uint32_t rows() const { return static_cast<std::uint32_t>(labels_.size()); }
  const float* row(std::uint32_t i) const {
    return reinterpret_cast<const float*>(memory_.data()) + std::size_t{i} * NetworkSizes::inputs;
  }
  int label(std::uint32_t i) const { return labels_[i]; }

 private:
  std::vector<std::int32_t> labels_;
  HugeMemory memory_;
};

/// Noise: the precision normals are drawn in. Float is the faster; double draws the same numbers as the library.
template <class Noise = float>
class NetworkSgld {
 public:
  NetworkSgld(const NetworkRows& data, std::uint64_t seed, int batch_size, float step_size,
              std::span<const float> start)
      : data_(data),
        seed_(seed),
        step_size_(step_size),
        scale_(static_cast<float>(data.rows()) / static_cast<float>(batch_size)),
        chooser_(data.rows(), static_cast<std::uint32_t>(batch_size)),
        rows_(static_cast<std::size_t>(batch_size)),
        next_rows_(rows_.size()),
        parameters_(start.begin(), start.end()),
        gradient_(NetworkSizes::parameters),
        noise_(chunk),
        batch_(batch_size, NetworkSizes::inputs),
        hidden_(batch_size, NetworkSizes::hidden),
        hidden_error_(batch_size, NetworkSizes::hidden),
        output_(batch_size, NetworkSizes::outputs) {
    choose(0, next_rows_);
  }

  void step() {
    std::swap(rows_, next_rows_);
    likelihood_gradient();
    choose(iteration_ + 1, next_rows_);
    update();
    ++iteration_;
  }

  std::span<const float> parameters() const { return parameters_; }

 private:
  using Columns = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using RowVector = Eigen::RowVectorXf;
  static constexpr int chunk = 2048;

  void choose(std::uint64_t iteration, std::vector<std::uint32_t>& rows) {
    chooser_.fill({.seed = seed_, .chain = 0, .iteration = iteration, .purpose = Purpose::minibatch}, rows);
  }

  float* group(std::vector<float>& values, int index) { return values.data() + NetworkSizes::starts[index]; }

  void likelihood_gradient() {
    using S = NetworkSizes;
    const Eigen::Map<const Columns> b_matrix(group(parameters_, 0), S::inputs, S::hidden);
    const Eigen::Map<const RowVector> b_bias(group(parameters_, 1), S::hidden);
    const Eigen::Map<const Columns> a_matrix(group(parameters_, 2), S::hidden, S::outputs);
    const Eigen::Map<const RowVector> a_bias(group(parameters_, 3), S::outputs);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      // Prefetches the start of a row a few rows ahead; the hardware prefetcher continues from there.
      const auto* ahead = reinterpret_cast<const char*>(data_.row(rows_[std::min(i + 4, rows_.size() - 1)]));
#pragma GCC unroll 8
      for (int line = 0; line < 8; ++line) __builtin_prefetch(ahead + 64 * line);
      std::memcpy(batch_.data() + i * S::inputs, data_.row(rows_[i]), S::inputs * sizeof(float));
    }
    hidden_.noalias() = batch_ * b_matrix;
    hidden_.rowwise() += b_bias;
    hidden_ = (1.0F + (-hidden_.array()).exp()).inverse();
    output_.noalias() = hidden_ * a_matrix;
    output_.rowwise() += a_bias;
    output_.colwise() -= output_.rowwise().maxCoeff().eval();
    output_ = output_.array().exp();
    output_.array().colwise() *= -output_.rowwise().sum().array().inverse().eval();
    for (std::size_t i = 0; i < rows_.size(); ++i) output_(static_cast<Eigen::Index>(i), data_.label(rows_[i])) += 1.0F;

    Eigen::Map<RowVector>(group(gradient_, 3), S::outputs) = output_.colwise().sum();
    Eigen::Map<Columns>(group(gradient_, 2), S::hidden, S::outputs).noalias() = hidden_.transpose() * output_;
    hidden_error_.noalias() = output_ * a_matrix.transpose();
    hidden_error_.array() *= hidden_.array() * (1.0F - hidden_.array());
    Eigen::Map<RowVector>(group(gradient_, 1), S::hidden) = hidden_error_.colwise().sum();
    Eigen::Map<Columns>(group(gradient_, 0), S::inputs, S::hidden).noalias() = batch_.transpose() * hidden_error_;
  }

  /// Priors, noise and the step in one visit to the parameters.
  void update() {
    using S = NetworkSizes;
    const StreamKey key{.seed = seed_, .chain = 0, .iteration = iteration_, .purpose = Purpose::noise};
    const float half = 0.5F * step_size_;
    const float spread = std::sqrt(step_size_);
    float log_lambda_gradient[4];
    for (int g = 0; g < 4; ++g) {
      const float lambda = std::exp(parameters_[S::weights + g]);
      float squares = 0.0F;
      for (int first = S::starts[g]; first < S::starts[g + 1]; first += chunk) {
        const int count = std::min(chunk, S::starts[g + 1] - first);
        const std::span<Noise> noise(noise_.data(), static_cast<std::size_t>(count));
        fill_normal(key, noise, static_cast<std::uint64_t>(first));
        Eigen::Map<Eigen::ArrayXf> theta(parameters_.data() + first, count);
        const Eigen::Map<const Eigen::ArrayXf> likelihood(gradient_.data() + first, count);
        const Eigen::Map<const Eigen::Array<Noise, Eigen::Dynamic, 1>> normal(noise.data(), count);
        squares += theta.square().sum();
        theta += half * (scale_ * likelihood - lambda * theta) + spread * normal.template cast<float>();
      }
      const auto members = static_cast<float>(S::starts[g + 1] - S::starts[g]);
      log_lambda_gradient[g] = 0.5F * members - 0.5F * lambda * squares - lambda + 1.0F;
    }
    fill_normal(key, std::span<Noise>(noise_.data(), 4), S::weights);
    for (int g = 0; g < 4; ++g) {
      parameters_[S::weights + g] += half * log_lambda_gradient[g] + spread * static_cast<float>(noise_[g]);
    }
  }

  const NetworkRows& data_;
  std::uint64_t seed_;
  std::uint64_t iteration_ = 0;
  float step_size_;
  float scale_;
  DistinctRows chooser_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> next_rows_;
  std::vector<float> parameters_;
  std::vector<float> gradient_;
  std::vector<Noise> noise_;
  Rows batch_;
  Columns hidden_;
  Columns hidden_error_;
  Columns output_;
};

}  // namespace sgmcmc::hand
