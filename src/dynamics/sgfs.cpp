// sgfs-full and sgfs-diagonal: stochastic gradient Fisher scoring (Ahn, Korattikara and Welling 2012, algorithm 1).
//
//   C     <- (1 - kappa) C + kappa (N V + noise),   kappa = 1 / t,
//            V the sample covariance of the gradients of the batch's rows, noise that of the gradient estimate
//   theta <- theta + 2 (C + 4 B / epsilon)^-1 { gradient + N(0, 4 B / epsilon) },   B = C, 4 / epsilon = alpha^2
//         =  theta + 2 / (1 + alpha^2) { C^-1 gradient + alpha N(0, C^-1) }
//
// For minibatches drawn with replacement N V + noise is the paper's gamma N V, gamma = (n + N) / n. Otherwise uses the
// actual noise: smaller without replacement, and that of the differences with control variates, for which the paper's
// formula would make the variance collapse. On a Gaussian posterior with precision N V, the variance is exact for every
// alpha.
//
// The full form stores C as a matrix and factors it at every step, or, if a batch has far fewer rows than there are
// coordinates, stores a Cholesky factor that the rows update: O(n D^2) instead of O(D^3) (section 4).
//
// Deviations: the average starts from the diagonal of the first batch, with the weight of one batch, so that C is
// invertible before D rows have been visited. If batches have fewer than 40 rows, several are used before the first
// step. Coordinates that do not occur in the likelihood keep their initial C, the mean over the others. After the first
// hundred batches, a random one in four updates C; the others cost little more than sgld.
#include "base/decompositions.hpp"
#include "base/vector_loops.hpp"
#include "dynamics/cholesky_update.hpp"
#include "dynamics/dynamics.hpp"
#include "dynamics/kernel.hpp"
#include "dynamics/traits.hpp"

#include <sgmcmc/error.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace sgmcmc {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

void validate_alpha(double alpha) {
  if (!(alpha >= 0.0 && std::isfinite(alpha)))
    throw OptionError("alpha is " + std::to_string(alpha) +
                      "; it must be finite and not negative (0: largest steps, 5: small steps)");
}

std::size_t numbers_in(const std::vector<std::size_t>& blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), std::size_t{0},
                         [](std::size_t sum, std::size_t size) { return sum + size * size; });
}

/// Base of all forms: the running average of the information from batches.
class FisherScoring : public Dynamics {
 public:
  FisherScoring(double alpha, std::size_t dimension, std::size_t size)
      : Dynamics(dimension),
        average_(size),
        move_(dimension),
        prior_(dimension),
        seen_(dimension),
        gain_(2.0 / (1.0 + alpha * alpha)),
        noise_(gain_ * alpha),
        noise_size_(std::max(gain_, noise_)) {}

  std::uint64_t evaluations_per_iteration() const override { return 1; }
  double last_step_size() const override { return 0.5 * gain_; }  // no schedule: equal weights
  std::span<const double> move_beside_noise() const override { return move_; }

  void initialise(std::span<const double> theta, const ChainKey& key) override {
    Dynamics::initialise(theta, key);
    batches_ = 0;
    std::fill(average_.begin(), average_.end(), 0.0);
  }

  StepStatus step(GradientEstimator& estimator, std::uint64_t iteration) override {
    if (batches_ == 0 && !start(estimator, iteration)) return diagnose(gradient_);
    if (looks(iteration)) {
      if (!look_at_batch(estimator, iteration) || first_non_finite(gradient_) < dimension()) return diagnose(gradient_);
      ++batches_;
      take_in(1.0 / static_cast<double>(batches_ + 1));
      prepare();
    } else {
      estimator.estimate(position_, iteration, gradient_);
    }
    fill_normal(stream(iteration, Purpose::noise), proposal_);
    scale_step();
    std::uint64_t bad = 0;
    for (std::size_t j = 0; j < dimension(); ++j) {
      proposal_[j] += position_[j];
      bad |= non_finite_bit(proposal_[j]);
    }
    return bad ? diagnose(proposal_) : accept_proposal();
  }

  void visit_state(StateVisitor& visitor) override {
    Dynamics::visit_state(visitor);
    visitor.visit("information", average_);
    visitor.visit("prior", prior_);
    visitor.visit("seen", seen_);
    visitor.visit("batches", batches_);
    if (batches_ > 0) prepare();
  }

 protected:
  /// The average before the first step, over several batches if they are small: the variance of two rows may be tiny.
  bool start(GradientEstimator& estimator, std::uint64_t iteration) {
    constexpr std::size_t enough_rows = 40;
    const std::size_t more = enough_rows / std::max<std::size_t>(1, estimator.batch_rows() - 1);
    if (!look_at_batch(estimator, iteration)) return false;
    std::vector<double> variances = batch_variances();
    for (std::size_t d = 0; d < dimension(); ++d) seen_[d] = variances[d] > 0.0 ? 1.0 : 0.0;
    mend(variances);
    find_prior(estimator, variances);
    start_average(variances);
    for (std::uint64_t k = 1; k <= more; ++k) {
      if (!look_at_batch(estimator, iteration + k)) return false;
      ++batches_;
      take_in(1.0 / static_cast<double>(batches_ + 1));
    }
    return true;
  }
  /// Computes the gradient and the batch's estimate of C. Returns false if it is not finite.
  virtual bool look_at_batch(GradientEstimator& estimator, std::uint64_t iteration) = 0;
  virtual std::vector<double> batch_variances() const = 0;  ///< diagonal of the batch's estimate
  virtual void start_average(std::span<const double> variances) = 0;
  virtual void prepare() {}                ///< after a change of the average
  virtual void take_in(double share) = 0;  ///< adds the batch's estimate to the average with this weight
  /// proposal <- gain C^-1 gradient + noise C^-1/2 proposal; move: C^1/2 of that, divided by its noise: injected noise,
  /// or gradient noise if alpha is 0.
  virtual void scale_step() = 0;

  /// A coordinate without information in the first batch gets the mean curvature of the others.
  static void mend(std::vector<double>& variances) {
    double sum = 0.0;
    std::size_t count = 0;
    for (const double v : variances)
      if (v > 0.0) sum += v, ++count;
    for (double& v : variances)
      if (!(v > 0.0)) v = count > 0 ? sum / static_cast<double>(count) : 1.0;
  }

  /// Weight of the past of a coordinate before the next batch is added: 1, unless no batch had information on it so
  /// far.
  double weight_of_past(std::size_t d, bool known) {
    const auto count = static_cast<double>(batches_);
    if (seen_[d] != 0.0) return 1.0;
    if (!known) return (count + 1.0) / count;  // leaves the average unchanged
    seen_[d] = 1.0;
    return 1.0 / count;  // earlier batches had no information
  }

  std::vector<double> average_, move_;
  std::vector<double> prior_;  // curvature of the prior by coordinate; C is the average plus this
  std::vector<double> seen_;   // 1 if some batch had information on the coordinate
  double gain_, noise_, noise_size_;

 private:
  /// Differences of its gradient over about an sd, with random signs, which cancel the off-diagonal terms.
  void find_prior(GradientEstimator& estimator, std::span<const double> variances) {
    constexpr std::uint64_t probes = 8;
    std::vector<double> signs(dimension()), at(dimension()), ahead(dimension()), behind(dimension());
    std::fill(prior_.begin(), prior_.end(), 0.0);
    constexpr std::uint64_t beyond_the_last = (std::uint64_t{1} << 48) - 1;
    const StreamKey key = stream(beyond_the_last, Purpose::momentum);
    for (std::uint64_t probe = 0; probe < probes; ++probe) {
      fill_uniform(key, signs, probe * dimension());
      for (const double side : {1.0, -1.0}) {
        for (std::size_t d = 0; d < dimension(); ++d)
          at[d] = position_[d] + (signs[d] < 0.5 ? -side : side) / std::sqrt(variances[d]);
        estimator.prior_gradient(at, side > 0.0 ? ahead : behind);
      }
      for (std::size_t d = 0; d < dimension(); ++d)
        prior_[d] += (signs[d] < 0.5 ? 1.0 : -1.0) * 0.5 * std::sqrt(variances[d]) * (ahead[d] - behind[d]) /
                     static_cast<double>(probes);
    }
    for (double& curvature : prior_)
      if (!(curvature > 0.0 && std::isfinite(curvature))) curvature = 0.0;
  }

  /// At random: regular intervals could coincide with the refreshes of svrg, for example.
  bool looks(std::uint64_t iteration) const {
    constexpr std::uint64_t all_of_the_first = 100;
    if (batches_ < all_of_the_first) return true;
    double chance = 0.0;
    fill_uniform(stream(iteration, Purpose::momentum), std::span(&chance, 1));
    return chance < 0.25;
  }

  std::uint64_t batches_ = 0;
};

/// C of every block as a matrix.
class BlockFisherScoring : public FisherScoring {
 public:
  BlockFisherScoring(double alpha, std::size_t dimension, std::vector<std::size_t> blocks)
      : FisherScoring(alpha, dimension, numbers_in(blocks)),
        batch_(average_.size()),
        with_prior_(average_.size()),
        blocks_(std::move(blocks)) {
    factors_.reserve(blocks_.size());
    for (const std::size_t size : blocks_) factors_.emplace_back(static_cast<Eigen::Index>(size));
  }

 protected:
  bool look_at_batch(GradientEstimator& estimator, std::uint64_t iteration) override {
    if (blocks_.empty()) throw OptionError("sgfs-full with blocks 'parameters' needs their block_sizes");
    estimator.estimate_with_information(position_, iteration, gradient_, blocks_, batch_);
    return first_non_finite(batch_) == batch_.size();
  }
  std::vector<double> batch_variances() const override {
    std::vector<double> variances(dimension());
    for_diagonal([&](std::size_t d, std::size_t at) { variances[d] = batch_[at]; });
    return variances;
  }
  void start_average(std::span<const double> variances) override {
    for_diagonal([&](std::size_t d, std::size_t at) { average_[at] = variances[d]; });
  }
  void take_in(double share) override {
    for_diagonal([&](std::size_t d, std::size_t at) { average_[at] *= weight_of_past(d, batch_[at] != 0.0); });
    double* average = average_.data();
    const double* batch = batch_.data();
    SGMCMC_INDEPENDENT_ITERATIONS()
    for (std::size_t i = 0; i < average_.size(); ++i) average[i] += share * (batch[i] - average[i]);
  }
  void prepare() override {
    with_prior_ = average_;
    for_diagonal([&](std::size_t d, std::size_t at) { with_prior_[at] += prior_[d]; });
    std::size_t square = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const auto size = static_cast<Eigen::Index>(blocks_[b]);
      factors_[b].compute(Eigen::Map<const Matrix>(with_prior_.data() + square, size, size));  // its lower triangle
      square += blocks_[b] * blocks_[b];
    }
  }
  void scale_step() override {
    std::size_t first = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const auto size = static_cast<Eigen::Index>(blocks_[b]);
      Eigen::Map<Vector> moved(proposal_.data() + first, size), gradient(gradient_.data() + first, size);
      // C^-1 g + a N(0, C^-1) = L'^-1 (L^-1 g + a z).
      factors_[b].solve_lower_in_place(gradient);
      moved = gain_ * gradient + noise_ * moved;
      Eigen::Map<Vector>(move_.data() + first, size) = moved / noise_size_;
      factors_[b].solve_upper_in_place(moved);
      first += blocks_[b];
    }
  }

 private:
  template <class Visit>
  void for_diagonal(Visit&& visit) const {
    std::size_t square = 0, first = 0;
    for (const std::size_t size : blocks_) {
      for (std::size_t d = 0; d < size; ++d) visit(first + d, square + d * (size + 1));
      square += size * size;
      first += size;
    }
  }

  std::vector<double> batch_, with_prior_;
  std::vector<std::size_t> blocks_;
  std::vector<Cholesky> factors_;
};

/// One block; for small batches, stores its Cholesky factor instead of the matrix.
class FullFisherScoring final : public BlockFisherScoring {
 public:
  FullFisherScoring(double alpha, std::size_t dimension) : BlockFisherScoring(alpha, dimension, {dimension}) {}

  void visit_state(StateVisitor& visitor) override {
    visitor.visit("columns", columns_);
    visitor.visit("next_turn", next_turn_);
    BlockFisherScoring::visit_state(visitor);
  }

 private:
  bool look_at_batch(GradientEstimator& estimator, std::uint64_t iteration) override {
    // One column costs about 3 D^2 operations, a factorisation D^3 / 3 quicker ones, and products of rows D^2 each.
    columns_ = estimator.information_columns();
    if (columns_ * 8 > dimension()) columns_ = 0;
    if (columns_ == 0) return BlockFisherScoring::look_at_batch(estimator, iteration);
    factor_.resize(2 * columns_ * dimension());
    const auto told = std::span(factor_).first(columns_ * dimension());
    estimator.estimate_with_information_factor(position_, iteration, gradient_, told);
    return first_non_finite(told) == told.size();
  }
  std::vector<double> batch_variances() const override {
    if (columns_ == 0) return BlockFisherScoring::batch_variances();
    std::vector<double> variances(dimension());
    for (std::size_t i = 0; i < columns_ * dimension(); ++i) variances[i % dimension()] += factor_[i] * factor_[i];
    return variances;
  }
  void start_average(std::span<const double> variances) override {
    if (columns_ == 0) return BlockFisherScoring::start_average(variances);
    for (std::size_t d = 0; d < dimension(); ++d) average_[d * (dimension() + 1)] = std::sqrt(variances[d] + prior_[d]);
  }
  void take_in(double share) override {
    if (columns_ == 0) return BlockFisherScoring::take_in(share);
    for (std::size_t d = 0; d < dimension(); ++d) {
      bool known = false;
      for (std::size_t k = 0; k < columns_ && !known; ++k) known = factor_[k * dimension() + d] != 0.0;
      average_[d * (dimension() + 1)] *= std::sqrt(weight_of_past(d, known));
    }
    // Adds the prior's part of the average, a few coordinates in turn.
    const auto turns = std::span(factor_).subspan(columns_ * dimension());
    std::fill(turns.begin(), turns.end(), 0.0);
    for (std::size_t k = 0; k < columns_; ++k) {
      const std::size_t d = next_turn_++ % dimension();
      if (seen_[d] != 0.0)
        turns[k * dimension() + d] =
            std::sqrt(prior_[d] * static_cast<double>(dimension()) / static_cast<double>(columns_));
    }
    const double root = std::sqrt(share);
    for (double& x : factor_) x *= root;
    update_cholesky(average_, std::sqrt(1.0 - share), factor_, dimension());
  }
  void prepare() override {
    if (columns_ == 0) BlockFisherScoring::prepare();
  }
  void scale_step() override {
    if (columns_ == 0) return BlockFisherScoring::scale_step();
    const auto size = static_cast<Eigen::Index>(dimension());
    const Eigen::Map<const Matrix> lower(average_.data(), size, size);
    Eigen::Map<Vector> moved(proposal_.data(), size), gradient(gradient_.data(), size);
    lower_solve_in_place(lower, gradient);
    moved = gain_ * gradient + noise_ * moved;
    Eigen::Map<Vector>(move_.data(), size) = moved / noise_size_;
    lower_transposed_solve_in_place(lower, moved);
  }

  std::uint64_t columns_ = 0;    // of the batch's estimate; 0: it is a matrix
  std::uint64_t next_turn_ = 0;  // next coordinate for the prior's part
  std::vector<double> factor_;   // those columns, and as many for the prior
};

class DiagonalFisherScoring final : public FisherScoring {
 public:
  DiagonalFisherScoring(double alpha, std::size_t dimension)
      : FisherScoring(alpha, dimension, dimension), batch_(dimension) {}

 private:
  bool look_at_batch(GradientEstimator& estimator, std::uint64_t iteration) override {
    estimator.estimate_with_information(position_, iteration, gradient_, {}, batch_);
    return first_non_finite(batch_) == batch_.size();
  }
  std::vector<double> batch_variances() const override { return batch_; }
  void start_average(std::span<const double> variances) override {
    average_.assign(variances.begin(), variances.end());
  }
  void take_in(double share) override {
    for (std::size_t d = 0; d < dimension(); ++d) {
      average_[d] *= weight_of_past(d, batch_[d] != 0.0);
      average_[d] += share * (batch_[d] - average_[d]);
    }
  }
  void scale_step() override {
    for (std::size_t d = 0; d < dimension(); ++d) {
      const double root = std::sqrt(average_[d] + prior_[d]);
      const double moved = gain_ * gradient_[d] / root + noise_ * proposal_[d];
      move_[d] = moved / noise_size_;
      proposal_[d] = moved / root;
    }
  }

  std::vector<double> batch_;
};

}  // namespace

void SgfsFullOptions::validate(std::size_t dimension) const {
  validate_alpha(alpha);
  constexpr std::size_t most = 10'000;
  if (blocks == FisherBlocks::one) {
    if (dimension > most)
      throw OptionError("sgfs-full stores a full matrix for its " + std::to_string(dimension) +
                        " coordinates; the maximum is " + std::to_string(most) +
                        ". Try its blocks 'parameters', or sgfs-diagonal");
    return;
  }
  if (block_sizes.empty()) return;  // sample() fills them in
  const auto sum = std::accumulate(block_sizes.begin(), block_sizes.end(), std::size_t{0});
  if (sum != dimension)
    throw OptionError("block_sizes of sgfs-full add up to " + std::to_string(sum) + "; there are " +
                      std::to_string(dimension) + " coordinates");
  const auto largest = *std::max_element(block_sizes.begin(), block_sizes.end());
  if (largest > most || numbers_in(block_sizes) > most * most)
    throw OptionError("sgfs-full stores a full matrix for each parameter, and the largest parameter has " +
                      std::to_string(largest) + " coordinates; the maximum is " + std::to_string(most) +
                      ". Try sgfs-diagonal");
}
void SgfsDiagonalOptions::validate(std::size_t) const { validate_alpha(alpha); }

namespace {

/// The two forms have different advice if sds are too small.
SamplerTraits scoring_traits(std::string_view too_narrow) {
  return {.exact = false,
          .rows = RowUse::minibatches,
          .marginal = false,
          .independent_draws = false,
          .learns_from_rows = true,
          .in_cycles = false,
          .statistics = no_statistics,
          .draw_gradient = DrawGradient::after(1),
          .whitening = WhiteningLimits{.refused = "has scales of its own", .diagonal = ""},
          .whitened_by_default = false,
          .step_biases = false,
          .langevin_law = false,
          .noise_gain = std::nan(""),
          .trajectory_length = 0,
          .friction = 0.0,
          .tuning = untuned(),
          .words = VerdictWords{.too_narrow = too_narrow,
                                .too_wide = "use a larger alpha, or discard more warm-up",
                                .shifted = "use a larger alpha",
                                .other_wide_cause = "",
                                .other_wide_remedy = ""}};
}

}  // namespace

SamplerTraits SgfsFullOptions::traits() const { return scoring_traits("use a larger alpha, or run longer"); }

std::unique_ptr<Dynamics> SgfsFullOptions::make(std::size_t dimension) const {
  validate(dimension);
  if (blocks == FisherBlocks::one) return std::make_unique<FullFisherScoring>(alpha, dimension);
  return std::make_unique<BlockFisherScoring>(alpha, dimension, block_sizes);
}

SamplerTraits SgfsDiagonalOptions::traits() const {
  return scoring_traits("use a larger alpha, or sgfs-full if parameters are correlated");
}

std::unique_ptr<Dynamics> SgfsDiagonalOptions::make(std::size_t dimension) const {
  validate(dimension);
  return std::make_unique<DiagonalFisherScoring>(alpha, dimension);
}

}  // namespace sgmcmc
