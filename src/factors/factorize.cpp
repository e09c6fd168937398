// A whole run: iterations, evaluations, the draws that are kept.
#include "base/text.hpp"
#include "factors/factor_chain.hpp"
#include "factors/factor_draws.hpp"
#include "factors/held_out_ratings.hpp"
#include "factors/observation_law.hpp"
#include "factors/ranked_factors.hpp"
#include "factors/ratings/rating_rows.hpp"
#include "topics/document_run.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/factorize.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace sgmcmc {

namespace {

/// Whether draws of the last quarter after warm-up predict better than those of the first: held-out ratings by 1 % and
/// more, training ratings by 5 %, because their error also varies with the noise precision.
bool still_improves(const std::vector<FactorPoint>& trace, std::uint64_t warm, bool by_held_out) {
  const auto error = by_held_out ? &FactorPoint::rmse : &FactorPoint::training_rmse;
  const double least = by_held_out ? 1.01 : 1.05;
  std::vector<double> rmse;
  for (const FactorPoint& point : trace)
    if (point.iteration > warm) rmse.push_back(point.*error);
  const std::size_t quarter = rmse.size() / 4;
  if (quarter == 0) return false;
  double first = 0, last = 0, squares = 0;
  const auto count = static_cast<double>(quarter);
  for (std::size_t i = 0; i < quarter; ++i) {
    first += rmse[i] / count;
    last += rmse[rmse.size() - 1 - i] / count;
  }
  for (std::size_t i = 0; i < quarter; ++i)
    squares += std::pow(rmse[i] - first, 2) + std::pow(rmse[rmse.size() - 1 - i] - last, 2);
  return first > least * last && first - last > 5 * std::sqrt(squares) / count;  // beyond the noise of few ratings
}

double mean_of(std::span<const Rating> ratings) {
  double sum = 0;
  for (const Rating& rating : ratings) sum += static_cast<double>(rating.value);
  return sum / static_cast<double>(ratings.size());
}

/// Evenly spaced ratings, to see whether the chain has learnt them.
std::vector<Rating> some_of(std::span<const Rating> ratings) {
  constexpr std::size_t most = 4096;
  const std::size_t count = std::min(most, ratings.size());
  std::vector<Rating> some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(ratings[i * ratings.size() / count]);
  return some;
}

/// The number of test ratings whose pairs are among the training ratings.
std::uint64_t pairs_in_both(std::span<const Rating> training, std::span<const Rating> test, FactorSize size) {
  const RatingRows items_of = RatingRows::by_user(training, size.users), asked = RatingRows::by_user(test, size.users);
  std::vector<std::uint32_t> last_user(size.items, size.users);
  std::uint64_t count = 0;
  for (std::uint32_t user = 0; user < size.users; ++user) {
    for (std::uint64_t e = items_of.start[user]; e < items_of.start[user + 1]; ++e) last_user[items_of.other[e]] = user;
    for (std::uint64_t e = asked.start[user]; e < asked.start[user + 1]; ++e)
      count += last_user[asked.other[e]] == user ? 1 : 0;
  }
  return count;
}

/// Which evaluations after warm-up are kept, evenly spaced.
bool is_kept(std::uint64_t evaluation, std::uint64_t evaluations, std::uint64_t draws) {
  return evaluations <= draws || evaluation * draws % evaluations < draws;
}

}  // namespace

FactorResult factorize(const Ratings& ratings, const FactorOptions& options, const Ratings* test,
                       const FactorFeatures& features) {
  return factorize_on_ranks(ratings, options, test, features, nullptr);
}

FactorResult factorize_on_ranks(const Ratings& ratings, const FactorOptions& given, const Ratings* test,
                                const FactorFeatures& features, Communicator* ranks) {
  check_factorization(ratings, given, test, features);
  FactorOptions options = given;
  if (options.iterations == 0) options.iterations = default_factor_iterations(options.method);
  if (options.evaluate_every == 0)
    options.evaluate_every =
        options.method == FactorMethod::gibbs ? 1 : std::max<std::uint64_t>(1, options.iterations / 200);
  RatingSplit split;
  if (test != nullptr) {
    split.training.assign(ratings.entries().begin(), ratings.entries().end());
    split.held_out.assign(test->entries().begin(), test->entries().end());
  } else {
    split = split_ratings(ratings.entries(), options.hold_out, options.seed);
  }
  const Ratings& ids = test != nullptr ? *test : ratings;
  const FactorSize size{ids.users(), ids.items()};
  FactorResult result;
  result.ratings = split.training.size();
  result.held_out = split.held_out.size();
  result.last_rmse = std::numeric_limits<double>::quiet_NaN();

  if (test != nullptr) result.repeated_pairs = pairs_in_both(split.training, split.held_out, size);

  DocumentRun run(options, options.iterations);
  ThreadPool pool(options.threads);
  FactorShare share = FactorShare::whole(split.training, size, options);
  FeatureScale of_users, of_items;
  if (features.users) share.user_features = feature_rows(*features.users, ids, split.training, true, of_users);
  if (features.items) share.item_features = feature_rows(*features.items, ids, split.training, false, of_items);
  result.constant_user_features = of_users.constant;
  result.constant_item_features = of_items.constant;
  share.initial.users.use_features(of_users.columns());
  share.initial.items.use_features(of_items.columns());
  const auto chain = ranks && ranks->size() > 1 ? lead_factor_chain(*ranks, std::move(share), size, options, pool)
                                                : make_factor_chain(std::move(share), options, pool);
  const double mean_rating = mean_of(split.training);
  const ObservationLaw law(options.observations, options.alpha);
  HeldOutRatings held_out(std::move(split.held_out), options.interval, law);
  HeldOutRatings learnt(some_of(split.training), options.interval, law);
  split.training = {};
  auto kept = std::make_shared<FactorModel::Parts>();
  kept->shape = {options.factors, options.biases};
  kept->users = size.users;
  kept->items = size.items;
  kept->interval = options.interval;
  kept->law = law;
  kept->alpha = options.alpha;
  kept->ids = ids;
  kept->user_features.scale = std::move(of_users);
  kept->item_features.scale = std::move(of_items);
  const std::uint64_t every = options.evaluate_every;
  const auto warm = static_cast<std::uint64_t>(options.warmup * static_cast<double>(options.iterations));
  const std::uint64_t evaluations = std::max<std::uint64_t>(1, options.iterations / every - warm / every);
  std::uint64_t averaged_draws = 0;

  DocumentRun::Parts parts;
  parts.iterate = [&](std::uint64_t iteration) {
    const auto begin = std::chrono::steady_clock::now();
    if (!chain->iterate(iteration))
      throw DivergenceError("the chain diverged at iteration " + std::to_string(iteration + 1) +
                            ": steps are too long. Use a smaller step size, or method gibbs, which needs none");
    result.sampling_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  parts.evaluate = [&](std::uint64_t done, bool averaged) {
    const FactorState& state = chain->state();
    FactorPoint point;
    point.iteration = done;
    point.rmse = held_out.evaluate(state, averaged, pool);
    point.training_rmse = learnt.evaluate(state, averaged, pool);
    point.averaged = held_out.averaged();
    if (options.observations == Observations::gaussian)
      point.noise_precision = state.noise_precision / (state.scale * state.scale);
    point.seconds = run.seconds();
    if (averaged) {
      if (is_kept(averaged_draws, evaluations, options.draws)) kept->add(state);
      ++averaged_draws;
      result.mean_noise_precision += point.noise_precision;  // NaN remains NaN
    }
    result.last_rmse = point.rmse;
    if (!result.trace.empty() && result.trace.back().iteration == done) result.trace.pop_back();
    result.trace.push_back(point);
    if (options.progress) options.progress(point);
  };
  parts.visit = [&](StateVisitor& visitor) {
    chain->visit_state(visitor);
    held_out.visit_state(visitor);
    learnt.visit_state(visitor);
    kept->visit_state(visitor);
    visitor.visit("averaged_draws", averaged_draws);
    visitor.visit("mean_noise_precision", result.mean_noise_precision);
    visitor.visit("last_rmse", result.last_rmse);
    visitor.visit("sampling_seconds", result.sampling_seconds);
    visit_points(visitor, "trace", result.trace, [](FactorPoint& point, const auto& field) {
      field(point.iteration);
      field(point.rmse);
      field(point.training_rmse);
      field(point.averaged.rmse);
      field(point.averaged.log_predictive);
      field(point.averaged.coverage);
      field(point.noise_precision);
      field(point.seconds);
    });
  };
  run.prepare([] { return DocumentRun::Findings{}; }, [](const DocumentRun::Findings&) {});
  run.go(parts);
  result.iterations = run.done();
  result.interrupted = run.interrupted();
  result.scores = held_out.averaged();
  result.limited_share = chain->limited_share();
  const RelativeError of_training = learnt.compared_with(mean_rating),
                      of_held_out = held_out.compared_with(mean_rating);
  result.improving = still_improves(result.trace, warm, result.held_out > 0);
  result.training_error_ratio = of_training.ratio;
  result.held_out_error_ratio = of_held_out.ratio;
  result.equal_ratings = of_training.all_equal;
  // Exact draws of few counts can be near 1 on either side, because the prior pulls at their mean.
  const bool can_be_one = options.method == FactorMethod::gibbs || is_non_negative(options.observations);
  result.learnt = !(of_training.ratio >= (can_be_one ? 1.05 : 1.0));
  const bool is_exact = options.method == FactorMethod::gibbs;
  result.rounds = result.iterations / (is_exact ? 1 : options.blocks);
  result.usable =
      result.learnt && !of_held_out.is_worse && result.rounds >= (is_exact ? 1 : FactorResult::fewest_rounds);
  result.mean_noise_precision /= static_cast<double>(std::max<std::uint64_t>(1, averaged_draws));
  result.seconds = run.seconds();
  result.model = FactorModel(std::move(kept));
  return result;
}

}  // namespace sgmcmc
