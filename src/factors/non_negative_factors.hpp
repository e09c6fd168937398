// Gibbs sampling of factors that are not negative, with exponential priors.
//
//   poisson  a count is a sum of counts of its terms u_k v_k, a, b and offset, drawn from their multinomial law
//            (Cemgil, "Bayesian inference for nonnegative matrix factorisation models", 2009); given these, a factor
//            has a gamma distribution
//   stable   each factor and bias given all others by slice sampling of its logarithm (Neal 2003), under the law of
//            observation_law.hpp
//
// The rate of the prior of each factor and side has a Gamma(3, 3) prior, for ratings in units of FactorState::scale.
#pragma once

#include "base/thread_pool.hpp"
#include "factors/factor_chain.hpp"
#include "factors/observation_law.hpp"

#include <cstdint>
#include <vector>

namespace sgmcmc {

class NonNegativeFactors final : public FactorChain {
 public:
  NonNegativeFactors(FactorShare share, const FactorOptions& options, const ObservationLaw& law, ThreadPool& pool);

  bool iterate(std::uint64_t iteration) override;
  const FactorState& state() override { return state_; }
  void visit_state(StateVisitor& visitor) override { state_.visit_state(visitor); }

  // The stages, for tests.
  FactorState& draw() { return state_; }
  void draw_prior(bool of_users, std::uint64_t iteration);
  void draw_rows(bool of_users, std::uint64_t iteration);

 private:
  struct Side {
    RatingRows ratings;
    ShardStarts starts;
    std::vector<std::uint64_t> numbers;  // poisson: where the counts of each rating start in the stream
    std::vector<double> log_values;      // stable
  };
  Side side_of(std::span<const Rating> ratings, const ShardStarts& starts, bool of_users, std::uint64_t before) const;
  StreamKey key(std::uint64_t iteration, std::uint64_t stage, Purpose purpose) const;
  void draw_count_row(const Side& own, std::size_t row, FactorSide& side, const FactorSide& other,
                      const StreamKey& terms, const StreamKey& gammas) const;
  void draw_stable_row(const Side& own, std::size_t row, FactorSide& side, const FactorSide& other,
                       const StreamKey& stream) const;

  FactorOptions options_;
  ObservationLaw law_;
  FactorRanks ranks_;
  ThreadPool& pool_;
  Side users_, items_;
  FactorState state_;
};

/// Prior of the rates of exponential priors: Gamma(shape, rate).
inline constexpr double rate_shape = 3.0, rate_rate = 3.0;

/// Draws the rates of the exponential priors of a side given its rows.
void draw_rates(FactorSide& side, const StreamKey& key);

}  // namespace sgmcmc
