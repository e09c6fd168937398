// Minibatch samplers on the ring: an iteration visits one part of the ratings and moves every row.
//
// Gradients are preconditioned: with R' R = P the inverse of the precision that a row had given the rows of the other
// side when P was last computed (during warm-up only), steps in q = R^-T x have no unit: 1 is the scale of the
// conditional distribution. With g the estimated gradient in q:
//
//   sgld    q += (h/2) g + sqrt(h) z_t
//   sglm    q += (h/2) g + sqrt(h) (z_t + z_{t+1}) / 2
//   sghmc   nu += h g; q += nu/2; nu = e^-a nu + sqrt(h (1 - e^-2a)) z; q += nu/2
//   psgld   x += (h/2) G g_x + sqrt(h G) z, G = 1 / (lambda + sqrt(v)), v the running mean of squared mean gradients
//   hamcmc  x_t = x_{t-2} + h H g_x(x_{t-2}) + sqrt(2 h) S z, H = A (gamma P) A' + rho s s', A = I - rho s y'
//
// Every round of iterations visits each of the B parts once, in a random order, and scales its gradient by B: errors of
// a round add up to zero, which inflates the variance of draws less than parts chosen at random (DSGLD, Ahn et al.
// 2015; HAMCMC, Simsekli et al. 2016, section 4.3). With -saga the last gradient of each part is kept: estimate = sum
// of those kept + B (gradient of part p - the one kept). With -cv those kept are of one centre, where steps without
// noise have led in the first half of warm-up.
//
// Factors that are not negative (poisson, stable) have exponential priors, and sgld moves each by
//
//   x <- | x + (h/2) D g_x + sqrt(h D) z |     D the inverse of its expected curvature given all others
//
// (mirrored at 0, as in HAMCMC, section 4.2), with D found during warm-up.
//
// On several ranks each has some groups of users and the same groups of items, and the state of their rows. Where a
// block has users of one rank and items of another, the rows of its items travel to the users, and their gradients
// back.
#pragma once

#include "base/memory.hpp"
#include "factors/factor_chain.hpp"
#include "factors/observation_law.hpp"
#include "factors/ring/rating_blocks.hpp"
#include "factors/ring/row_steps.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sgmcmc {

class RingFactors final : public FactorChain {
 public:
  RingFactors(FactorShare share, const FactorOptions& options, ThreadPool& pool);
  RingFactors(std::span<const Rating> ratings, FactorSize size, const FactorOptions& options, ThreadPool& pool)
      : RingFactors(FactorShare::whole(ratings, size, options), options, pool) {}

  bool iterate(std::uint64_t iteration) override;
  const FactorState& state() override;
  void visit_state(StateVisitor& visitor) override;
  void collect_state() override;

  double limited_share() const override {
    return moves_ == 0 ? 0.0 : static_cast<double>(limited_) / static_cast<double>(moves_);
  }

  const RatingBlocks& blocks() const { return blocks_; }
  double step_size() const { return step_; }

  // For tests.
  FactorState& draw() { return state_; }
  void load_state();  ///< takes the rows of draw()
  /// The estimate of the gradient of the log likelihood, for part p of the ratings, scaled; rows as the kernel has
  /// them.
  void estimate(std::uint32_t part);
  std::uint32_t choose_part(std::uint64_t iteration) const;
  double gradient_of_user(std::size_t user, std::size_t number) const;
  double gradient_of_item(std::size_t item, std::size_t number) const;

 private:
  struct Side {
    bool is_user = true;
    std::size_t count = 0;
    ShardStarts starts;  // of groups
    RowRange own;        // rows of this rank; of others, only what was sent last is known
    AlignedBuffer<float> rows, gradient;
    std::vector<float> momentum;           // sghmc: in q; psgld: mean squares
    std::vector<std::vector<float>> kept;  // saga: the gradient of each part
    std::vector<float> kept_sum;
    std::vector<float> earlier, before;    // hamcmc: rows one and two iterations ago
    std::vector<float> change, response;   // hamcmc: s and y
    AlignedBuffer<float> precision, mean;  // of the prior, in the order of the kernel's rows
    AlignedBuffer<float> roots;            // R of each row, columns in the order of the kernel's rows
    std::vector<float> variance;           // of a factor of each row given the other side, on average
    std::vector<float> scales;             // not negative: squared scale of each number given the others
    std::vector<std::uint32_t> places;     // of each number in the kernel's rows
    std::vector<float> backup;             // the rows before a step
    RatingRows by_row;
  };

  void visit(std::uint32_t part);                                              ///< gradients of the part, not scaled
  void pass_items(std::uint32_t part, AlignedBuffer<float>& rows, bool back);  ///< to their users, or back
  void share_rows();                                                           ///< all ranks have all rows
  bool any(bool here, std::uint64_t& count);                                   ///< on some rank; adds counts of all
  /// Of `each` numbers for every group, those of own groups set; adds them up over groups.
  std::vector<double> summed(std::vector<double> by_group, std::size_t each);
  /// Adds products of two arrays of a side, over the rows of each own group, to number `which` of `each`.
  void add_inner(const Side& side, std::span<const float> a, std::span<const float> b, std::vector<double>& by_group,
                 std::size_t which, std::size_t each) const;
  double default_step() const;
  bool learns_noise() const { return options_.noise_precision == 0 && options_.observations == Observations::gaussian; }
  void keep_gradients();  ///< of all parts, at the current rows
  void learn_curvature();
  void set_prior(Side& side, const FactorSide& values);
  void store_state();
  void draw_hyperparameters(std::uint64_t iteration);
  bool move(std::uint64_t iteration);
  bool move_mirrored(std::uint64_t iteration);
  /// Counts the moves of an iteration, of which `cut` were shortened; false if any failed, on any rank.
  bool end_moves(std::uint64_t iteration, bool failed, std::uint64_t cut);
  void learn_scales();  ///< of factors that are not negative
  bool move_quasi_newton(std::uint64_t iteration, std::uint32_t part);
  template <class Each>
  void for_rows(Side& side, const Each& each);
  RowSteps steps_at(Side& side, std::size_t row) const;
  bool move_row_of_psgld(Side& side, std::size_t row, const float* gradient, const float* z, float h, bool is_first);
  bool is_mirrored() const { return is_non_negative(options_.observations); }
  std::size_t own_place(const Side& side, std::size_t number) const;
  StreamKey key(std::uint64_t iteration, std::uint64_t stage) const;

  FactorOptions options_;
  ObservationLaw law_;
  ThreadPool& pool_;
  FactorRanks ranks_;
  ShardStarts each_group_;  // 0, 1, ...: of arrays with an entry for each group
  RowRange own_groups_;
  std::uint64_t most_ratings_;
  bool shared_ = false;  // all rows are those of the last iteration
  FactorState state_;
  RatingBlocks blocks_;
  RowGibbs products_;
  std::size_t size_, stride_;
  Side users_, items_;
  std::vector<double> part_errors_;  // squared errors of each part at its last visit
  double step_ = 0, usual_step_ = 0, friction_ = 0;
  std::uint64_t warm_ = 0, hyper_every_ = 1;
  bool uses_kept_ = false;  // of saga and control variates, those from the centre on
  std::uint64_t history_ = 0;
  std::uint64_t moves_ = 0, limited_ = 0;  // of rows since warm-up, and those whose drift was limited

  // Rows of one task: fixed, so that streams and sums do not depend on threads.
  static constexpr std::size_t rows_at_a_time = 64;
};

template <class Each>
void RingFactors::for_rows(Side& side, const Each& each) {
  if (side.own.begin == side.own.end) return;
  const std::size_t begin = side.own.begin / rows_at_a_time;
  pool_.for_each((side.own.end + rows_at_a_time - 1) / rows_at_a_time - begin, [&](std::size_t task, int) {
    const std::size_t first = (begin + task) * rows_at_a_time;
    each(first, std::min(rows_at_a_time, side.count - first), begin + task);
  });
}

}  // namespace sgmcmc
