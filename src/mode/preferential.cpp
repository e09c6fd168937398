// The noise of an estimate, in coordinates u with theta = centre + L u, is a sum of L' d_i / p_i over the rows drawn,
// d_i the contribution of the row: its trace is smallest for p_i proportional to the root mean square of |L' d_i|.
#include "mode/preferential.hpp"

#include "dynamics/whitening.hpp"
#include "gradient/row_pass.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double even_share = 0.1;
constexpr std::uint64_t displacements = 4;  // in antithetic pairs: gradients may change much more to one side
// Size of displacements, in standard deviations. Irrelevant if gradients change linearly; if they grow faster, a
// smaller size would give too small a probability to rows that matter far from the centre.
constexpr double reach = 2.0;
constexpr std::size_t most_columns = 64;  // use L itself up to this number; beyond, random combinations of its columns
constexpr std::size_t mixtures = 32;

/// Adds |R' d|^2 of every row to its entry; R R' approximates L L'.
class SizesOfRows final : public RowBlockConsumer {
 public:
  void start(const Matrix& turn, double* sizes) {
    turn_ = &turn;
    sizes_ = sizes;
  }
  void consume(std::uint32_t position, std::uint32_t count, const double* rows, std::size_t stride) override {
    const auto length = static_cast<Eigen::Index>(stride);
    const Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> some(rows, turn_->cols(), count,
                                                                 Eigen::OuterStride<>(length));
    turned_.noalias() = *turn_ * some;
    for (std::uint32_t i = 0; i < count; ++i)
      sizes_[position + i] += turned_.col(static_cast<Eigen::Index>(i)).squaredNorm();
  }

 private:
  const Matrix* turn_ = nullptr;  // R'
  double* sizes_ = nullptr;
  Matrix turned_;
};

/// R': L' itself, or a limited number of random combinations of its rows.
Matrix turning(Whitening& map, std::uint64_t seed) {
  const std::size_t size = map.dimension(), columns = size <= most_columns ? size : mixtures;
  Matrix turn(static_cast<Eigen::Index>(columns), static_cast<Eigen::Index>(size));
  std::vector<double> u(size), moved(size);
  for (std::size_t c = 0; c < columns; ++c) {
    if (columns == size) {
      std::fill(u.begin(), u.end(), 0.0);
      u[c] = 1.0;
    } else {
      fill_normal({seed, 0, c, Purpose::adaptation}, u);
      for (double& x : u) x /= std::sqrt(static_cast<double>(columns));
    }
    map.multiply(u, moved);
    turn.row(static_cast<Eigen::Index>(c)) = Eigen::Map<const Vector>(moved.data(), turn.cols());
  }
  return turn;
}

}  // namespace

std::vector<double> preferential_probabilities(const LogPosterior& posterior, Estimator estimator,
                                               std::shared_ptr<const Preconditioner> preconditioner, std::uint64_t seed,
                                               ThreadPool* pool) {
  Whitening map(preconditioner);
  const Matrix turn = turning(map, seed);
  const bool changes = estimator != Estimator::minibatch;
  RowPass pass(posterior, changes ? ProgramKind::row_gradient_differences : ProgramKind::row_gradients, pool);
  if (changes) pass.set_point(Point::centre, preconditioner->centre);
  const RowBatch all = posterior.all_rows();
  std::vector<double> sizes(all.count);
  std::vector<SizesOfRows> parts(RowPass::parts);
  std::vector<double> u(map.dimension()), theta(preconditioner->centre);
  for (std::uint64_t k = 0; k < (changes ? displacements : 1); ++k) {
    if (changes) {
      fill_normal({seed, 1, k / 2, Purpose::adaptation}, u);
      for (double& x : u) x *= k % 2 == 1 ? -reach : reach;
      map.position(u, theta);
    }
    pass.set_point(Point::current, theta);
    pass.visit(all, [&](std::size_t part, std::uint32_t position) -> RowBlockConsumer& {
      parts[part].start(turn, sizes.data() + position);
      return parts[part];
    });
  }
  double total = 0, largest = 0;
  for (double& size : sizes) {
    size = std::sqrt(size);
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  for (double& size : sizes) {
    if (!std::isfinite(size)) size = largest;  // overflow: treat as the largest
    total += size;
  }
  const double even = 1.0 / static_cast<double>(sizes.size());
  const double share = total > 0 && std::isfinite(total) ? 1.0 - even_share : 0.0;
  for (double& size : sizes) size = (share > 0 ? share * size / total : 0.0) + (1.0 - share) * even;
  return sizes;
}

}  // namespace sgmcmc
