// The Gibbs sampler, and the start of every chain. Salakhutdinov and Mnih, "Bayesian probabilistic matrix factorization
// using Markov chain Monte Carlo", 2008; with biases as one more number of each row, and the noise learnt.
#include "factors/factor_chain.hpp"

#include "factors/normal_wishart.hpp"
#include "factors/ring_factors.hpp"

#include <cmath>
#include <vector>

namespace sgmcmc {

namespace {

constexpr std::uint64_t stages = 8;  // streams of an iteration

}  // namespace

FactorState initial_factors(std::span<const Rating> ratings, FactorSize size, const FactorOptions& options) {
  const RowShape shape{options.factors, options.biases};
  FactorState state(size.users, size.items, shape);
  double sum = 0, squares = 0;
  const auto count = static_cast<double>(ratings.size());
  for (const Rating& rating : ratings) sum += static_cast<double>(rating.value);
  const double mean = ratings.empty() ? 0.0 : sum / count;
  for (const Rating& rating : ratings) {
    const double difference = static_cast<double>(rating.value) - mean;
    squares += difference * difference;
  }
  state.offset = options.offset.value_or(mean);
  // Learnt priors suit ratings of any unit; those that are given are in the unit of the ratings.
  const bool is_fixed = options.prior_precision > 0 || options.noise_precision > 0;
  const double sd = ratings.empty() ? 1.0 : std::sqrt(squares / count);
  state.scale = is_fixed || !(sd > 0) ? 1.0 : sd;
  state.noise_precision =
      options.noise_precision > 0 ? options.noise_precision : 1.0 / (state.scale == 1.0 && sd > 0 ? sd * sd : 1.0);
  const double spread = 0.3 * std::sqrt(is_fixed && sd > 0 ? sd : 1.0);
  std::vector<double> noise(options.factors);
  for (FactorSide* side : {&state.users, &state.items}) {
    if (options.prior_precision > 0) side->prior.precision *= options.prior_precision;
    // Products have the mean of what is left of the ratings.
    const double left = (mean - state.offset) / state.scale / static_cast<double>(options.factors);
    const double centre = std::sqrt(std::abs(left)) * (left < 0 && side == &state.items ? -1.0 : 1.0);
    const StreamKey key{options.seed, options.chain, side == &state.users ? 0U : 1U, Purpose::initial};
    for (std::size_t i = 0; i < side->count; ++i) {
      fill_normal(key, noise, i * options.factors);
      for (std::size_t k = 0; k < noise.size(); ++k) side->row(i)[k] = centre + spread * noise[k];
    }
  }
  return state;
}

GibbsFactors::GibbsFactors(FactorShare share, const FactorOptions& options, ThreadPool& pool)
    : options_(options),
      ranks_(share.ranks),
      rating_count_(share.cut.ratings),
      users_(side_of(share.of_users, share.cut.users, true)),
      items_(side_of(share.of_items, share.cut.items, false)),
      rows_(RowShape{options.factors, options.biases}, pool),
      state_(std::move(share.initial)) {}

GibbsFactors::Side GibbsFactors::side_of(std::span<const Rating> ratings, const ShardStarts& starts,
                                         bool of_users) const {
  ShardStarts groups;
  for (const std::uint32_t start : starts) groups.push_back(static_cast<std::uint32_t>(RowGibbs::groups(start)));
  return {of_users ? RatingRows::by_user(ratings, starts.back()) : RatingRows::by_item(ratings, starts.back()), starts,
          std::move(groups)};
}

StreamKey GibbsFactors::key(std::uint64_t iteration, std::uint64_t stage) const {
  return {options_.seed, options_.chain, stages * iteration + stage, Purpose::latent};
}

void GibbsFactors::draw_prior(bool of_users, std::uint64_t iteration) {
  FactorSide& side = of_users ? state_.users : state_.items;
  side.prior = NormalWishart::draw_given(rows_.products(side), key(iteration, of_users ? 0 : 3));
}

double GibbsFactors::draw_rows(bool of_users, std::uint64_t iteration) {
  FactorSide& side = of_users ? state_.users : state_.items;
  const FactorSide& other = of_users ? state_.items : state_.users;
  const Side& own = of_users ? users_ : items_;
  rows_.draw(own.ratings, ranks_.own_rows(own.starts), side, other,
             {state_.noise_precision, state_.offset, state_.scale}, key(iteration, of_users ? 2 : 5));
  const FactorRanks::Part parts[] = {FactorRanks::part(side.numbers.data(), side.shape.stride(), own.starts),
                                     FactorRanks::part(rows_.errors().data(), 1, own.error_starts)};
  ranks_.share(parts);
  return rows_.summed_errors();
}

void GibbsFactors::draw_noise(double squared_errors, std::uint64_t iteration) {
  const double shape = noise_shape + 0.5 * static_cast<double>(rating_count_);
  double gamma = 0;
  fill_gamma(key(iteration, 6), {&shape, 1}, {&gamma, 1});
  state_.noise_precision = gamma / (noise_rate + 0.5 * squared_errors);
}

bool GibbsFactors::iterate(std::uint64_t iteration) {
  const bool learns = options_.prior_precision == 0;
  if (learns) draw_prior(true, iteration);
  draw_rows(true, iteration);
  if (learns) draw_prior(false, iteration);
  const double squared_errors = draw_rows(false, iteration);
  if (options_.noise_precision == 0) draw_noise(squared_errors, iteration);
  return true;
}

std::unique_ptr<FactorChain> make_factor_chain(FactorShare share, const FactorOptions& options, ThreadPool& pool) {
  if (options.method != FactorMethod::gibbs) return std::make_unique<RingFactors>(std::move(share), options, pool);
  return std::make_unique<GibbsFactors>(std::move(share), options, pool);
}

}  // namespace sgmcmc
