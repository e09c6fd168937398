// A chain of factorisations: moves the draw, whatever the method.
#pragma once

#include <sgmcmc/state.hpp>
#include "base/thread_pool.hpp"
#include "factors/factor_ranks.hpp"
#include "factors/factor_state.hpp"
#include "factors/feature_prior.hpp"
#include "factors/ratings/rating_rows.hpp"
#include "factors/row_gibbs.hpp"

#include <sgmcmc/factorize.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace sgmcmc {

class FactorChain {
 public:
  virtual ~FactorChain() = default;

  /// False: the step left the range of numbers, and was not taken.
  virtual bool iterate(std::uint64_t iteration) = 0;
  /// The draw as it is now.
  virtual const FactorState& state() = 0;
  virtual void visit_state(StateVisitor& visitor) = 0;
  /// On several ranks: rank 0 receives all state of the others, for visit_state().
  virtual void collect_state() {}
  /// Of the moves of rows since warm-up, the share that was shortened to keep the chain stable.
  virtual double limited_share() const { return 0; }
};

/// On several ranks, each makes the chain of its share at the same time, and all call the same functions in turn.
std::unique_ptr<FactorChain> make_factor_chain(FactorShare share, const FactorOptions& options, ThreadPool& pool);

/// The random numbers that the latent variables of a rating take in an iteration.
inline std::uint64_t latent_numbers(float rating, Observations observations) {
  return observations == Observations::poisson ? static_cast<std::uint64_t>(rating) : 1;
}

/// One iteration: the prior of users, users, the prior of items, items, the noise; each given all the others. Bernoulli
/// ratings are signs of normal latent variables (Albert and Chib 1993), drawn before the users and before the items.
class GibbsFactors final : public FactorChain {
 public:
  GibbsFactors(FactorShare share, const FactorOptions& options, ThreadPool& pool);
  GibbsFactors(std::span<const Rating> ratings, FactorSize size, const FactorOptions& options, ThreadPool& pool)
      : GibbsFactors(FactorShare::whole(ratings, size, options), options, pool) {}

  bool iterate(std::uint64_t iteration) override;
  const FactorState& state() override { return state_; }
  void visit_state(StateVisitor& visitor) override { state_.visit_state(visitor); }

  // The stages, for tests.
  FactorState& draw() { return state_; }
  void draw_prior(bool of_users, std::uint64_t iteration);
  void draw_latents(bool of_users, std::uint64_t iteration);  ///< bernoulli: those of the ratings of one side
  double draw_rows(bool of_users, std::uint64_t iteration);   ///< gives the sum of squared errors
  void draw_noise(double squared_errors, std::uint64_t iteration);

 private:
  StreamKey key(std::uint64_t iteration, std::uint64_t stage, Purpose purpose = Purpose::latent) const;

  struct Side {
    RatingRows ratings;                // with latent variables as values where there are any
    ShardStarts starts, error_starts;  // of rows, and of groups of rows
    std::uint64_t before = 0;          // numbers in the stream of latent variables
    std::vector<bool> is_one;          // bernoulli: of each rating
  };
  Side side_of(std::span<const Rating> ratings, const ShardStarts& starts, bool of_users, std::uint64_t before) const;

  FactorOptions options_;
  FactorRanks ranks_;
  std::uint64_t rating_count_;
  Side users_, items_;
  ThreadPool& pool_;
  RowGibbs rows_;
  FactorState state_;
  FeaturePrior user_features_, item_features_;
};

/// Prior of the noise where it is learnt: Gamma(shape, rate), of ratings in units of their standard deviation. That is
/// the scale, or where the scale is 1 the root of noise_unit.
inline constexpr double noise_shape = 1.0, noise_rate = 1.0;

/// The factors before the first iteration: small and different; offset, scale, noise and priors as the options say.
FactorState initial_factors(std::span<const Rating> ratings, FactorSize size, const FactorOptions& options);

}  // namespace sgmcmc
