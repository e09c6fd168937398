// Moving all rows by gradients of one part of the ratings.
#include "factors/ring/ring_factors.hpp"

#include "base/state_bytes.hpp"
#include "factors/non_negative_factors.hpp"
#include "factors/normal_wishart.hpp"
#include "factors/ring/block_kernel.hpp"
#include "factors/ring/ring_rows.hpp"
#include "factors/ring/row_steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>

namespace sgmcmc {

using namespace ring;

namespace {

constexpr std::uint64_t ring_stages = 8;

}  // namespace

RingFactors::RingFactors(FactorShare share, const FactorOptions& options, ThreadPool& pool)
    : options_(options),
      law_(options.observations, options.alpha),
      pool_(pool),
      ranks_(share.ranks),
      each_group_(share.cut.users.size()),
      own_groups_(ranks_.own_shards(share.cut.shards())),
      most_ratings_(share.cut.most_ratings),
      state_(std::move(share.initial)),
      blocks_(share.of_users, share.cut, options.observations == Observations::gaussian ? state_.offset : 0.0,
              options.observations == Observations::gaussian ? state_.scale : 1.0),
      products_(RowShape{options.factors, options.biases}, pool),
      size_(state_.users.shape.size()),
      stride_((options.factors + (options.biases ? 2 : 0) + row_width - 1) / row_width * row_width),
      part_errors_(options.blocks),
      friction_(options.friction),
      warm_(static_cast<std::uint64_t>(options.warmup * static_cast<double>(options.iterations))),
      hyper_every_(options.blocks) {
  std::iota(each_group_.begin(), each_group_.end(), 0U);
  for (std::uint32_t p = 0; p < options.blocks; ++p)
    part_errors_[p] = state_.noise_unit * static_cast<double>(blocks_.part_size(p));
  for (Side* side : {&users_, &items_}) {
    side->is_user = side == &users_;
    side->starts = side->is_user ? share.cut.users : share.cut.items;
    side->count = side->starts.back();
    side->own = ranks_.own_rows(side->starts);
    const std::size_t numbers = side->count * stride_;
    side->rows = AlignedBuffer<float>(numbers);
    side->gradient = AlignedBuffer<float>(numbers);
    side->precision = AlignedBuffer<float>(stride_ * stride_);
    side->mean = AlignedBuffer<float>(stride_);
    if (is_mirrored()) {
      side->scales.assign(numbers, 0.0F);
    } else {
      side->roots = AlignedBuffer<float>(numbers * size_);
    }
    side->variance.assign(side->count, 0.0F);
    for (std::size_t j = 0; j < size_; ++j) side->places.push_back(static_cast<std::uint32_t>(own_place(*side, j)));
    side->by_row = side->is_user ? RatingRows::by_user(share.of_users, side->starts.back())
                                 : RatingRows::by_item(share.of_items, side->starts.back());
    if (options.biases) {
      const std::size_t one = options.factors + (side->is_user ? 1 : 0);
      for (std::size_t i = 0; i < side->count; ++i) side->rows[i * stride_ + one] = 1.0F;
      side->mean[one] = 1.0F;
    }
    if (options.method == FactorMethod::sghmc || options.method == FactorMethod::psgld)
      side->momentum.assign(numbers, 0.0F);
    if (options.method == FactorMethod::hamcmc) {
      side->earlier.assign(numbers, 0.0F);
      side->before.assign(numbers, 0.0F);
      side->change.assign(numbers, 0.0F);
      side->response.assign(numbers, 0.0F);
    }
    if (options.saga || options.control_variate) {
      side->kept.assign(options.blocks, std::vector<float>(numbers, 0.0F));
      side->kept_sum.assign(numbers, 0.0F);
    }
  }
  usual_step_ = default_step();
  step_ = options.step_size > 0 ? options.step_size : usual_step_;
  load_state();
}

double RingFactors::default_step() const {
  if (options_.method != FactorMethod::psgld) return default_factor_step(options_);
  // A step of 0.3 over the curvature for the row with most ratings, whose gradients have about this size.
  double square = 0;
  for (std::size_t i = 0; i < items_.count; ++i)
    for (std::size_t k = 0; k < options_.factors; ++k) square += state_.items.row(i)[k] * state_.items.row(i)[k];
  const double curvature = state_.noise_precision * static_cast<double>(most_ratings_) *
                           std::max(1.0, square / static_cast<double>(items_.count));
  return 0.3 * std::sqrt(static_cast<double>(blocks_.groups()) / curvature) / static_cast<double>(blocks_.size());
}

std::size_t RingFactors::own_place(const Side& side, std::size_t number) const {
  return number < options_.factors ? number : options_.factors + (side.is_user ? 0 : 1);
}

void RingFactors::load_state() {
  for (Side* side : {&users_, &items_}) {
    const FactorSide& from = side->is_user ? state_.users : state_.items;
    for (std::size_t i = 0; i < side->count; ++i)
      for (std::size_t k = 0; k < size_; ++k)
        side->rows[i * stride_ + own_place(*side, k)] = static_cast<float>(from.row(i)[k]);
    if (!side->before.empty()) {
      std::copy(side->rows.begin(), side->rows.end(), side->before.begin());
      std::copy(side->rows.begin(), side->rows.end(), side->earlier.begin());
    }
  }
  shared_ = true;
  learn_curvature();
  set_prior(users_, state_.users);
  set_prior(items_, state_.items);
  uses_kept_ = options_.saga;
  if (options_.saga) keep_gradients();
}

void RingFactors::keep_gradients() {
  for (std::uint32_t part = 0; part < blocks_.groups(); ++part) {
    visit(part);
    for (Side* side : {&users_, &items_}) {
      if (part == 0) std::fill(side->kept_sum.begin(), side->kept_sum.end(), 0.0F);
      std::copy(side->gradient.begin(), side->gradient.end(), side->kept[part].begin());
      for (std::size_t k = 0; k < side->kept_sum.size(); ++k) side->kept_sum[k] += side->gradient[k];
    }
  }
}

void RingFactors::store_state() {
  for (Side* side : {&users_, &items_}) {
    FactorSide& to = side->is_user ? state_.users : state_.items;
    for (std::size_t i = 0; i < side->count; ++i)
      for (std::size_t k = 0; k < size_; ++k)
        to.row(i)[k] = static_cast<double>(side->rows[i * stride_ + own_place(*side, k)]);
  }
}

const FactorState& RingFactors::state() {
  share_rows();
  store_state();
  return state_;
}

StreamKey RingFactors::key(std::uint64_t iteration, std::uint64_t stage) const {
  return {options_.seed, options_.chain, ring_stages * iteration + stage, Purpose::noise};
}

std::uint32_t RingFactors::choose_part(std::uint64_t iteration) const {
  // A new order of the parts in each round, from the same numbers in all of its iterations.
  const std::uint32_t parts = blocks_.groups();
  std::vector<double> uniforms(parts);
  fill_uniform({options_.seed, options_.chain, iteration / parts + 1, Purpose::minibatch}, uniforms);
  std::vector<std::uint32_t> order(parts);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return uniforms[a] != uniforms[b] ? uniforms[a] < uniforms[b] : a < b;
  });
  return order[iteration % parts];
}

void RingFactors::visit(std::uint32_t part) {
  if (!shared_) pass_items(part, items_.rows, false);
  for (Side* side : {&users_, &items_}) std::memset(side->gradient.data(), 0, side->gradient.size() * sizeof(float));
  std::vector<double> losses(blocks_.groups());
  const BlockRows rows{users_.rows.data(), items_.rows.data(), users_.gradient.data(), items_.gradient.data(), stride_};
  pool_.for_each(own_groups_.end - own_groups_.begin, [&](std::size_t task, int) {
    const std::size_t group = own_groups_.begin + task;
    losses[group] = visit_block(blocks_.block(part, static_cast<std::uint32_t>(group)), rows,
                                {options_.observations, state_.offset, state_.scale, state_.least_parameter, &law_});
  });
  pass_items(part, items_.gradient, true);
  const double errors = summed(std::move(losses), 1).front();
  if (std::isfinite(errors)) part_errors_[part] = errors;
}

void RingFactors::estimate(std::uint32_t part) {
  visit(part);
  const auto factor = static_cast<float>(blocks_.groups());
  for (Side* side : {&users_, &items_})
    for_rows(*side, [&](std::size_t first, std::size_t count, std::size_t) {
      float* const gradient = side->gradient.data();
      const Row f(factor);
      for (std::size_t k = first * stride_; k < (first + count) * stride_; k += row_width) {
        const Row now = load_aligned(gradient + k);
        if (uses_kept_) {
          const Row old = load(side->kept[part].data() + k), sum = load(side->kept_sum.data() + k);
          const Row difference = now - old;
          store_aligned(gradient + k, fma(f, difference, sum));
          if (options_.control_variate) continue;
          store(side->kept_sum.data() + k, sum + difference);
          store(side->kept[part].data() + k, now);
        } else {
          store_aligned(gradient + k, now * f);
        }
      }
    });
}

double RingFactors::gradient_of_user(std::size_t user, std::size_t number) const {
  return static_cast<double>(users_.gradient[user * stride_ + own_place(users_, number)]);
}
double RingFactors::gradient_of_item(std::size_t item, std::size_t number) const {
  return static_cast<double>(items_.gradient[item * stride_ + own_place(items_, number)]);
}

void RingFactors::learn_curvature() {
  if (options_.method == FactorMethod::psgld) return;
  if (is_mirrored()) return learn_scales();
  // 2 / pi is the largest curvature that the log likelihood of a probit is expected to have; that of a rating is below
  // 1.
  const double curvature =
      options_.observations == Observations::bernoulli ? 2 / std::numbers::pi : state_.noise_precision;
  const RowGibbs::Target target{curvature, state_.offset, state_.scale};
  // The ratings of a row in one part, scaled, have more curvature in some direction than all of them: the more so the
  // fewer there are.
  const auto extra = static_cast<double>(blocks_.groups());
  for (Side* side : {&users_, &items_}) {
    const FactorSide& values = side->is_user ? state_.users : state_.items;
    const FactorSide& other = side->is_user ? state_.items : state_.users;
    products_.inverse_factors(side->by_row, side->own, values, other, target, extra,
                              (side->is_user ? items_ : users_).variance, side->roots.data(), stride_,
                              [&](std::size_t j) { return own_place(*side, j); });
  }
  for (Side* side : {&users_, &items_})
    for (std::size_t i = side->own.begin; i < side->own.end; ++i) {
      float sum = 0;
      for (std::size_t k = 0; k < size_; ++k) {
        const float* const root = side->roots.data() + (i * size_ + k) * stride_;
        for (std::size_t j = 0; j < options_.factors; ++j) sum += root[j] * root[j];
      }
      side->variance[i] = sum / static_cast<float>(options_.factors);
    }
  const FactorRanks::Part parts[] = {FactorRanks::part(users_.variance.data(), 1, users_.starts),
                                     FactorRanks::part(items_.variance.data(), 1, items_.starts)};
  ranks_.share(parts);
}

void RingFactors::set_prior(Side& side, const FactorSide& values) {
  for (std::size_t j = 0; j < size_; ++j) {
    const auto row = static_cast<Eigen::Index>(j);
    const std::size_t place = own_place(side, j);
    side.mean[place] = static_cast<float>(values.prior.mean[row]);
    for (std::size_t k = 0; k < size_; ++k)
      side.precision[place * stride_ + own_place(side, k)] =
          static_cast<float>(values.prior.precision(row, static_cast<Eigen::Index>(k)));
  }
}

void RingFactors::draw_hyperparameters(std::uint64_t iteration) {
  share_rows();
  store_state();
  if (options_.prior_precision == 0 && is_mirrored()) {
    draw_rates(state_.users, key(iteration, 2));
    draw_rates(state_.items, key(iteration, 4));
  } else if (options_.prior_precision == 0) {
    state_.users.prior = NormalWishart::draw_given(products_.products(state_.users), key(iteration, 2));
    state_.items.prior = NormalWishart::draw_given(products_.products(state_.items), key(iteration, 4));
  }
  if (learns_noise()) {
    double errors = 0;
    for (const double each : part_errors_) errors += each;
    const double shape = noise_shape + 0.5 * static_cast<double>(blocks_.size());
    double gamma = 0;
    fill_gamma(key(iteration, 6), {&shape, 1}, {&gamma, 1});
    state_.noise_precision = gamma / (noise_rate * state_.noise_unit + 0.5 * errors);
  }
  set_prior(users_, state_.users);
  set_prior(items_, state_.items);
}

RowSteps RingFactors::steps_at(Side& side, std::size_t row) const {
  return {stride_,
          size_,
          side.places.data(),
          side.rows.data() + row * stride_,
          side.gradient.data() + row * stride_,
          side.roots.data() + row * size_ * stride_,
          side.mean.data(),
          side.precision.data(),
          static_cast<float>(state_.noise_precision)};
}

bool RingFactors::move_row_of_psgld(Side& side, std::size_t row, const float* gradient, const float* z, float h,
                                    bool is_first) {
  const auto tau = static_cast<float>(state_.noise_precision);
  const float per_rating = 1.0F / static_cast<float>(std::max<std::uint64_t>(1, blocks_.size()));
  float* const x = side.rows.data() + row * stride_;
  float* const squares = side.momentum.data() + row * stride_;
  const float* const raw = side.gradient.data() + row * stride_;
  bool bad = false;
  for (std::size_t j = 0; j < size_; ++j) {
    const std::size_t place = side.places[j];
    const float mean = tau * raw[place] * per_rating;
    squares[place] = is_first ? mean * mean : 0.99F * squares[place] + 0.01F * mean * mean;
    // Rows without ratings have no gradient to divide by: their steps are those that suit the prior.
    const float least = static_cast<float>(usual_step_) * side.precision[place * stride_ + place];
    const float G = 1.0F / std::max(least, 1e-8F + std::sqrt(squares[place]));
    x[place] += 0.5F * h * G * gradient[place] + std::sqrt(h * G) * z[j];
    bad |= !(std::abs(x[place]) < largest_number);
  }
  return bad;
}

bool RingFactors::move(std::uint64_t iteration) {
  const auto h = static_cast<float>(step_ * ramp(iteration));
  const bool to_centre = options_.control_variate && !uses_kept_;
  const float root_h = to_centre ? 0.0F : std::sqrt(h);
  const FactorMethod method = options_.method;
  const float keep = std::exp(-static_cast<float>(friction_)), renew = std::sqrt(h * (1 - keep * keep));
  const float longest = method == FactorMethod::sghmc ? 3 * std::sqrt(h * static_cast<float>(size_))
                                                      : std::sqrt(static_cast<float>(size_));
  std::atomic<bool> failed = false;
  std::atomic<std::uint64_t> all_cut = 0;
  for (Side* side : {&users_, &items_}) {
    const StreamKey now = key(iteration, side->is_user ? 0 : 1), next = key(iteration + 1, side->is_user ? 0 : 1);
    for_rows(*side, [&](std::size_t begin, std::size_t all, std::size_t) {
      const std::size_t first = std::max(begin, side->own.begin), end = std::min(begin + all, side->own.end);
      if (first >= end) return;
      const std::size_t count = end - first;
      thread_local std::vector<float> noise, more, work;
      noise.resize(count * size_);
      fill_normal(now, noise, first * size_);
      const RowSteps at = steps_at(*side, first);
      bool bad = false;
      if (method == FactorMethod::psgld) {
        work.resize(count * stride_);
        posterior_gradients(at, count, work.data());
        for (std::size_t r = 0; r < count; ++r)
          bad |= move_row_of_psgld(*side, first + r, work.data() + r * stride_, noise.data() + r * size_, h,
                                   iteration == 0);
        if (bad) failed = true;
        return;
      }
      if (method == FactorMethod::sglm) {
        more.resize(noise.size());
        fill_normal(next, more, first * size_);
        for (std::size_t k = 0; k < noise.size(); ++k) noise[k] = 0.5F * (noise[k] + more[k]);
      }
      work.resize(count * size_);
      whitened_gradients(at, count, work.data());
      std::uint64_t cut = 0;
      for (std::size_t r = 0; r < count; ++r) {
        float* const g = work.data() + r * size_;
        const float* const z = noise.data() + r * size_;
        // Drifts are limited: where rows of the other side have moved far from where the curvature was found, a
        // step could be too long, and the next one longer still.
        float square = 0;
        for (std::size_t k = 0; k < size_; ++k) square += g[k] * g[k];
        const float drift = (method == FactorMethod::sghmc ? h : 0.5F * h) * std::sqrt(square);
        const float limited = drift > longest ? longest / drift : 1.0F;
        if (drift > longest) ++cut;
        if (method == FactorMethod::sghmc) {
          float* const momentum = side->momentum.data() + (first + r) * stride_;
          for (std::size_t k = 0; k < size_; ++k) {
            const float before = momentum[k] + h * limited * g[k];
            momentum[k] = keep * before + renew * z[k];
            g[k] = 0.5F * (before + momentum[k]);
          }
        } else {
          for (std::size_t k = 0; k < size_; ++k) g[k] = 0.5F * h * limited * g[k] + root_h * z[k];
        }
      }
      bad = add_moves(at, count, work.data());
      if (bad) failed = true;
      if (cut > 0) all_cut += cut;
    });
  }
  return end_moves(iteration, failed, all_cut);
}

bool RingFactors::end_moves(std::uint64_t iteration, bool failed, std::uint64_t cut) {
  shared_ = false;
  const bool failed_somewhere = any(failed, cut);
  if (iteration >= std::max(warm_, first_iterations)) {
    moves_ += users_.count + items_.count;
    limited_ += cut;
  }
  return !failed_somewhere;
}

bool RingFactors::iterate(std::uint64_t iteration) {
  const std::uint32_t part = choose_part(iteration);
  bool moved = true;
  if (options_.control_variate) {
    const std::uint64_t centre = warm_ / 2;
    if (iteration == centre) keep_gradients();
    uses_kept_ = iteration >= centre;
  }
  if (options_.method == FactorMethod::hamcmc) {
    moved = move_quasi_newton(iteration, part);
  } else {
    for (Side* side : {&users_, &items_}) side->backup.assign(side->rows.begin(), side->rows.end());
    estimate(part);
    moved = is_mirrored() ? move_mirrored(iteration) : move(iteration);
    for (Side* side : {&users_, &items_}) {
      if (moved) break;
      std::copy(side->backup.begin(), side->backup.end(), side->rows.begin());
      std::fill(side->momentum.begin(), side->momentum.end(), 0.0F);
    }
  }
  const bool learns = options_.prior_precision == 0 || learns_noise();
  if (learns && (iteration < first_iterations || iteration % hyper_every_ == 0)) draw_hyperparameters(iteration);
  // After 1, 2, 4, ... iterations, and at the end of warm-up.
  const std::uint64_t done = iteration + 1;
  if (done <= std::max(warm_, first_iterations) && (done == warm_ || (done & (done - 1)) == 0)) {
    share_rows();
    store_state();
    learn_curvature();
  }
  return moved;
}

void RingFactors::visit_state(StateVisitor& visitor) {
  store_state();
  state_.visit_state(visitor);
  shared_ = true;  // read, or collected before
  visitor.visit("history", history_);
  visitor.visit("moves", moves_);
  visitor.visit("limited", limited_);
  visitor.visit("part_errors", part_errors_);
  for (Side* side : {&users_, &items_}) {
    std::vector<float> rows(side->rows.begin(), side->rows.end());
    visit_packed(visitor, "ring_rows", rows);
    if (rows.size() != side->rows.size()) refuse_state("ring_rows");
    std::copy(rows.begin(), rows.end(), side->rows.begin());
    for (auto* each : {&side->momentum, &side->kept_sum, &side->earlier, &side->before, &side->change, &side->response,
                       &side->variance, &side->scales}) {
      const std::size_t size = each->size();
      visit_packed(visitor, "ring_numbers", *each);
      if (each->size() != size) refuse_state("ring_numbers");
    }
    for (auto& each : side->kept) {
      visit_packed(visitor, "ring_kept", each);
      if (each.size() != rows.size()) refuse_state("ring_kept");
    }
    if (options_.method == FactorMethod::psgld) continue;
    std::vector<float> roots(side->roots.begin(), side->roots.end());
    visit_packed(visitor, "ring_roots", roots);
    if (roots.size() != side->roots.size()) refuse_state("ring_roots");
    std::copy(roots.begin(), roots.end(), side->roots.begin());
  }
  set_prior(users_, state_.users);
  set_prior(items_, state_.items);
}

}  // namespace sgmcmc
