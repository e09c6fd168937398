// The Gibbs sampler, and the start of every chain. Salakhutdinov and Mnih, "Bayesian probabilistic matrix factorization
// using Markov chain Monte Carlo", 2008; with biases as one more number of each row, and the noise learnt.
#include "factors/factor_chain.hpp"

#include "base/normal_cdf.hpp"
#include "base/special_functions.hpp"
#include "factors/non_negative_factors.hpp"
#include "factors/normal_wishart.hpp"
#include "factors/ring/ring_factors.hpp"

#include <cmath>
#include <vector>

namespace sgmcmc {

namespace {

constexpr std::uint64_t stages = 8;  // streams of an iteration

/// A normal number above -x by inversion, given that it is; x + it is above 0.
double normal_above(double x, double uniform) {
  if (x > -30) return -special::inv_phi(uniform * normal_cdf(x));
  // The tail probability of a is exp(-a^2 / 2) / a, up to 1 / a^2: Newton's steps for its logarithm.
  double beyond = std::log(uniform) / x;
  for (int step = 0; step < 4; ++step) {
    const double a = beyond - x;
    beyond -= (0.5 * beyond * (beyond - 2 * x) + std::log(a / -x) + std::log(uniform)) / (a + 1 / a);
  }
  return beyond - x;
}

/// Positive: centre times numbers around 1; biases have half of the mean.
void fill_positive(FactorState& state, double left, const FactorOptions& options) {
  const double share = options.biases ? 0.5 : 1.0;
  const double centre = std::sqrt(share * left / static_cast<double>(options.factors));
  std::vector<double> noise(options.factors);
  for (FactorSide* side : {&state.users, &state.items}) {
    const double rate = options.prior_precision > 0 ? std::sqrt(options.prior_precision) : 1 / centre;
    side->prior.mean.setConstant(1 / rate);
    side->prior.precision *= rate * rate;
    const StreamKey key{options.seed, options.chain, side == &state.users ? 0U : 1U, Purpose::initial};
    for (std::size_t i = 0; i < side->count; ++i) {
      fill_normal(key, noise, i * options.factors);
      for (std::size_t k = 0; k < noise.size(); ++k) side->row(i)[k] = centre * std::exp(0.3 * noise[k]);
      if (options.biases) side->row(i)[noise.size()] = 0.25 * left;
    }
  }
}

}  // namespace

FactorState initial_factors(std::span<const Rating> ratings, FactorSize size, const FactorOptions& options) {
  const RowShape shape{options.factors, options.biases};
  FactorState state(size.users, size.items, shape);
  double sum = 0, squares = 0;
  const auto count = static_cast<double>(ratings.size());
  for (const Rating& rating : ratings) sum += static_cast<double>(rating.value);
  double mean = ratings.empty() ? 0.0 : sum / count;
  for (const Rating& rating : ratings) {
    const double difference = static_cast<double>(rating.value) - mean;
    squares += difference * difference;
  }
  state.observations = options.observations;
  state.alpha = options.alpha;
  if (is_non_negative(options.observations)) {
    // The unit of ratings suits any; priors that are given are in the unit of the ratings.
    const double usual = options.observations == Observations::stable ? std::pow(mean, options.alpha) : mean;
    const double unit = usual > 0 ? usual : 1.0;
    state.scale = options.prior_precision > 0 ? 1.0 : unit;
    state.least_parameter = 1e-6 * unit;
    state.offset = options.offset.value_or(0.0);
    fill_positive(state, std::max(0.1 * unit, usual - state.offset) / state.scale, options);
    return state;
  }
  const bool binary = options.observations == Observations::bernoulli;
  if (binary) {
    const double share = std::clamp(mean, 0.5 / (count + 1), 1 - 0.5 / (count + 1));
    state.offset = options.offset.value_or(special::inv_phi(share));
    mean = state.offset;
    squares = count;
  } else {
    state.offset = options.offset.value_or(mean);
  }
  // Learnt priors suit ratings of any unit; those that are given are in the unit of the ratings.
  const bool is_fixed = binary || options.prior_precision > 0 || options.noise_precision > 0;
  const double sd = ratings.empty() ? 1.0 : std::sqrt(squares / count);
  state.scale = is_fixed || !(sd > 0) ? 1.0 : sd;
  if (!binary && state.scale == 1.0 && sd > 0) state.noise_unit = sd * sd;
  state.noise_precision = options.noise_precision > 0 ? options.noise_precision : 1.0 / state.noise_unit;
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
      users_(side_of(share.of_users, share.cut.users, true, share.before_users)),
      items_(side_of(share.of_items, share.cut.items, false, share.before_items)),
      pool_(pool),
      rows_(RowShape{options.factors, options.biases}, pool),
      state_(std::move(share.initial)),
      user_features_(std::move(share.user_features)),
      item_features_(std::move(share.item_features)) {}

GibbsFactors::Side GibbsFactors::side_of(std::span<const Rating> ratings, const ShardStarts& starts, bool of_users,
                                         std::uint64_t before) const {
  ShardStarts groups;
  for (const std::uint32_t start : starts) groups.push_back(static_cast<std::uint32_t>(RowGibbs::groups(start)));
  Side side{of_users ? RatingRows::by_user(ratings, starts.back()) : RatingRows::by_item(ratings, starts.back()),
            starts,
            std::move(groups),
            before,
            {}};
  if (options_.observations == Observations::bernoulli)
    for (const float value : side.ratings.value) side.is_one.push_back(value == 1);
  return side;
}

StreamKey GibbsFactors::key(std::uint64_t iteration, std::uint64_t stage, Purpose purpose) const {
  return {options_.seed, options_.chain, stages * iteration + stage, purpose};
}

void GibbsFactors::draw_latents(bool of_users, std::uint64_t iteration) {
  if (options_.observations != Observations::bernoulli) return;
  Side& side = of_users ? users_ : items_;
  const StreamKey stream = key(iteration, of_users ? 2 : 5, Purpose::acceptance);
  const RowRange rows = ranks_.own_rows(side.starts);
  pool_.for_each(rows.end - rows.begin, [&](std::size_t task, int) {
    thread_local std::vector<double> uniforms;
    const std::size_t row = rows.begin + task;
    const std::uint64_t first = side.ratings.start[row];
    uniforms.resize(side.ratings.start[row + 1] - first);
    fill_uniform(stream, uniforms, side.before + first);
    for (std::size_t i = 0; i < uniforms.size(); ++i) {
      const std::size_t other = side.ratings.other[first + i];
      const double x = of_users ? state_.parameter(row, other) : state_.parameter(other, row);
      const bool is_one = side.is_one[first + i];
      const double latent = x + (is_one ? normal_above(x, uniforms[i]) : -normal_above(-x, uniforms[i]));
      side.ratings.value[first + i] = static_cast<float>(latent);
    }
  });
}

void GibbsFactors::draw_prior(bool of_users, std::uint64_t iteration) {
  FactorSide& side = of_users ? state_.users : state_.items;
  const FeaturePrior& features = of_users ? user_features_ : item_features_;
  const StreamKey stream = key(iteration, of_users ? 0 : 3);
  if (features.empty()) {
    side.prior = NormalWishart::draw_given(rows_.products(side), stream);
  } else {
    features.draw_given(rows_.products(side), side, stream, pool_);
  }
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
  state_.noise_precision = gamma / (noise_rate * state_.noise_unit + 0.5 * squared_errors);
}

bool GibbsFactors::iterate(std::uint64_t iteration) {
  const bool learns = options_.prior_precision == 0;
  if (learns) draw_prior(true, iteration);
  draw_latents(true, iteration);
  draw_rows(true, iteration);
  if (learns) draw_prior(false, iteration);
  draw_latents(false, iteration);
  const double squared_errors = draw_rows(false, iteration);
  if (options_.noise_precision == 0 && options_.observations == Observations::gaussian)
    draw_noise(squared_errors, iteration);
  return true;
}

std::unique_ptr<FactorChain> make_factor_chain(FactorShare share, const FactorOptions& options, ThreadPool& pool) {
  if (options.method != FactorMethod::gibbs) return std::make_unique<RingFactors>(std::move(share), options, pool);
  if (is_non_negative(options.observations))
    return std::make_unique<NonNegativeFactors>(std::move(share), options,
                                                ObservationLaw(options.observations, options.alpha), pool);
  return std::make_unique<GibbsFactors>(std::move(share), options, pool);
}

}  // namespace sgmcmc
