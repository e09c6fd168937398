// Counts divided among their terms, and slice sampling of one number at a time.
#include "factors/non_negative_factors.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {

namespace {

constexpr std::uint64_t non_negative_stages = 4;
constexpr std::size_t slice_uniforms = 128;  // of one number

/// One update of y by slice sampling with stepping out. Keeps y in the unlikely case that the numbers do not suffice.
template <class LogDensity>
double slice_sample(double y, const LogDensity& log_density, std::span<const double> uniforms) {
  constexpr double width = 1.0;
  constexpr int most_steps = 40;
  std::size_t used = 0;
  const double level = log_density(y) + std::log(uniforms[used++]);
  double low = y - width * uniforms[used++], high = low + width;
  // A limit on the steps must be divided at random between both sides.
  int below = static_cast<int>(most_steps * uniforms[used++]), above = most_steps - 1 - below;
  for (; below > 0 && log_density(low) > level; --below) low -= width;
  for (; above > 0 && log_density(high) > level; --above) high += width;
  while (used < uniforms.size()) {
    const double proposal = low + (high - low) * uniforms[used++];
    if (log_density(proposal) > level) return proposal;
    (proposal < y ? low : high) = proposal;
  }
  return y;
}

}  // namespace

NonNegativeFactors::NonNegativeFactors(FactorShare share, const FactorOptions& options, const ObservationLaw& law,
                                       ThreadPool& pool)
    : options_(options),
      law_(law),
      ranks_(share.ranks),
      pool_(pool),
      users_(side_of(share.of_users, share.cut.users, true, share.before_users)),
      items_(side_of(share.of_items, share.cut.items, false, share.before_items)),
      state_(std::move(share.initial)) {}

NonNegativeFactors::Side NonNegativeFactors::side_of(std::span<const Rating> ratings, const ShardStarts& starts,
                                                     bool of_users, std::uint64_t before) const {
  Side side{of_users ? RatingRows::by_user(ratings, starts.back()) : RatingRows::by_item(ratings, starts.back()),
            starts,
            {},
            {}};
  for (const float value : side.ratings.value) {
    if (options_.observations == Observations::stable) {
      side.log_values.push_back(std::log(static_cast<double>(value)));
    } else {
      side.numbers.push_back(before);
      before += latent_numbers(value, options_.observations);
    }
  }
  return side;
}

StreamKey NonNegativeFactors::key(std::uint64_t iteration, std::uint64_t stage, Purpose purpose) const {
  return {options_.seed, options_.chain, non_negative_stages * iteration + stage, purpose};
}

void draw_rates(FactorSide& side, const StreamKey& key) {
  const std::size_t size = side.shape.size();
  std::vector<double> sums(size), shapes(size, rate_shape + static_cast<double>(side.count)), rates(size);
  for (std::size_t i = 0; i < side.count; ++i)
    for (std::size_t k = 0; k < size; ++k) sums[k] += side.row(i)[k];
  fill_gamma(key, shapes, rates);
  side.prior.precision.setZero();
  for (std::size_t k = 0; k < size; ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    const double rate = rates[k] / (rate_rate + sums[k]);
    side.prior.mean[at] = 1 / rate;
    side.prior.precision(at, at) = rate * rate;
  }
}

void NonNegativeFactors::draw_prior(bool of_users, std::uint64_t iteration) {
  draw_rates(of_users ? state_.users : state_.items, key(iteration, of_users ? 0 : 2, Purpose::latent));
}

void NonNegativeFactors::draw_count_row(const Side& own, std::size_t row, FactorSide& side, const FactorSide& other,
                                        const StreamKey& terms, const StreamKey& gammas) const {
  const std::size_t factors = side.shape.factors, size = side.shape.size();
  thread_local std::vector<double> uniforms, cumulative, shapes, rates, drawn;
  shapes.assign(size, 1.0);
  rates.resize(size);
  drawn.resize(size);
  cumulative.resize(size + 1);
  double* const x = side.row(row);
  for (std::size_t k = 0; k < size; ++k) rates[k] = 1 / side.prior.mean[static_cast<Eigen::Index>(k)];
  for (std::uint64_t at = own.ratings.start[row]; at < own.ratings.start[row + 1]; ++at) {
    const double* const o = other.row(own.ratings.other[at]);
    for (std::size_t k = 0; k < factors; ++k) rates[k] += state_.scale * o[k];
    if (side.shape.biases) rates[factors] += state_.scale;
    const auto count = static_cast<std::size_t>(own.ratings.value[at]);
    if (count == 0) continue;
    double sum = 0;
    for (std::size_t k = 0; k < factors; ++k) cumulative[k] = sum += x[k] * o[k];
    if (side.shape.biases) cumulative[factors] = sum += x[factors];
    cumulative[size] = sum += (side.shape.biases ? o[factors] : 0.0) + state_.offset / state_.scale;
    for (std::size_t done = 0; done < count; done += 1024) {
      uniforms.resize(std::min<std::size_t>(1024, count - done));
      fill_uniform(terms, uniforms, own.numbers[at] + done);
      for (const double u : uniforms) {
        const auto term = static_cast<std::size_t>(std::lower_bound(cumulative.begin(), cumulative.end() - 1, u * sum) -
                                                   cumulative.begin());
        if (term < size) shapes[term] += 1;  // the others belong to the other side
      }
    }
  }
  fill_gamma(gammas, shapes, drawn, row * size);
  for (std::size_t k = 0; k < size; ++k) x[k] = drawn[k] / rates[k];
}

void NonNegativeFactors::draw_stable_row(const Side& own, std::size_t row, FactorSide& side, const FactorSide& other,
                                         const StreamKey& stream) const {
  const std::size_t factors = side.shape.factors, size = side.shape.size();
  thread_local std::vector<double> uniforms, parameters;
  const std::uint64_t first = own.ratings.start[row];
  const std::size_t count = own.ratings.start[row + 1] - first;
  uniforms.resize(slice_uniforms);
  parameters.resize(count);
  double* const x = side.row(row);
  const bool of_users = &side == &state_.users;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t o = own.ratings.other[first + i];
    parameters[i] = of_users ? state_.parameter(row, o) : state_.parameter(o, row);
  }
  for (std::size_t k = 0; k < size; ++k) {
    fill_uniform(stream, uniforms, (row * size + k) * slice_uniforms);
    const double rate = 1 / side.prior.mean[static_cast<Eigen::Index>(k)], now = x[k];
    const auto slope = [&](std::size_t i) {
      return state_.scale * (k < factors ? other.row(own.ratings.other[first + i])[k] : 1.0);
    };
    const double y = slice_sample(
        std::log(now),
        [&](double log_x) {
          const double proposed = std::exp(log_x);
          double sum = log_x - rate * proposed;
          for (std::size_t i = 0; i < count; ++i)
            sum += law_.log_likelihood(own.log_values[first + i], parameters[i] + slope(i) * (proposed - now));
          return sum;
        },
        uniforms);
    x[k] = std::exp(y);
    for (std::size_t i = 0; i < count; ++i) parameters[i] += slope(i) * (x[k] - now);
  }
}

void NonNegativeFactors::draw_rows(bool of_users, std::uint64_t iteration) {
  FactorSide& side = of_users ? state_.users : state_.items;
  const FactorSide& other = of_users ? state_.items : state_.users;
  const Side& own = of_users ? users_ : items_;
  const RowRange rows = ranks_.own_rows(own.starts);
  const std::uint64_t stage = of_users ? 1 : 3;
  pool_.for_each(rows.end - rows.begin, [&](std::size_t task, int) {
    const std::size_t row = rows.begin + task;
    if (options_.observations == Observations::stable) {
      draw_stable_row(own, row, side, other, key(iteration, stage, Purpose::acceptance));
    } else {
      draw_count_row(own, row, side, other, key(iteration, stage, Purpose::acceptance),
                     key(iteration, stage, Purpose::latent));
    }
  });
  const FactorRanks::Part parts[] = {FactorRanks::part(side.numbers.data(), side.shape.stride(), own.starts)};
  ranks_.share(parts);
}

bool NonNegativeFactors::iterate(std::uint64_t iteration) {
  const bool learns = options_.prior_precision == 0;
  if (learns) draw_prior(true, iteration);
  draw_rows(true, iteration);
  if (learns) draw_prior(false, iteration);
  draw_rows(false, iteration);
  return true;
}

}  // namespace sgmcmc
