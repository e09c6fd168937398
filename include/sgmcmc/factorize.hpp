// Bayesian matrix factorisation: models ratings by a few factors per user and item, and predicts with uncertainty.
//
//   const Ratings ratings = Ratings::read("ratings.dat");
//   FactorOptions options;
//   options.factors = 20;
//   const FactorResult result = factorize(ratings, options);
//   result.rmse;                                     // of the ratings held out
//   result.model.predict(0, 7);                      // mean, sd and interval of one rating
#pragma once

#include <sgmcmc/checkpoint.hpp>
#include <sgmcmc/ratings.hpp>
#include <sgmcmc/side_features.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

enum class FactorMethod : std::uint8_t {
  gibbs,  ///< draws rows from their conditional distributions; exact
  sgld,   ///< this and the methods below use part of the ratings per iteration: src/factors/ring/ring_factors.hpp
  sglm,
  sghmc,
  psgld,
  hamcmc
};

std::vector<std::string> factor_method_names();

/// The distribution of a rating given x = offset + a_user + b_item + u_user . v_item.
enum class Observations : std::uint8_t {
  gaussian,   ///< normal with mean x and precision tau
  poisson,    ///< count with mean x; factors, biases and offset are not negative
  bernoulli,  ///< 0 or 1; 1 with probability Phi(x) (probit)
  stable      ///< modulus of a complex number with an isotropic alpha-stable law of scale x^(1/alpha), x not negative
};

std::vector<std::string> observation_names();

/// Rows (u, a) of users and (v, b) of items are normal; the mean and precision matrix of each side are inferred under a
/// normal-Wishart prior, or fixed. Where x must not be negative, each factor and bias is exponential; the rate of each
/// factor and side is inferred, or fixed.
struct FactorOptions {
  FactorMethod method = FactorMethod::gibbs;
  Observations observations = Observations::gaussian;
  double alpha = 1.5;  ///< stable: above 1 and below 2
  std::uint32_t factors = 10;
  bool biases = true;
  double prior_precision = 0;    ///< of factors and biases, with mean 0 unless they are exponential; 0: inferred
  double noise_precision = 0;    ///< gaussian: of a rating; 0: inferred
  std::optional<double> offset;  ///< not set: the mean of the ratings, or its probit; 0 for poisson and stable
  /// Methods other than gibbs: splits users and items into this many groups, and the ratings into as many parts. Each
  /// iteration visits one part.
  std::uint32_t blocks = 4;
  /// gibbs on several ranks: users and items are cut into this many shards, which ranks share. Does not affect results.
  std::uint32_t shards = 64;
  bool saga = false;  ///< sgld: keep the last gradient of each part, which reduces gradient noise
  /// sgld: keep the gradients of all parts at a centre, which reduces gradient noise near it. The centre is found in
  /// the first half of warm-up, by steps without noise.
  bool control_variate = false;
  double step_size = 0;   ///< relative to the conditional distributions of rows (not psgld); 0: default of the method
  double friction = 0.5;  ///< sghmc: per iteration
  std::uint64_t iterations = 0;      ///< 0: 150 for gibbs, 1000 for others
  double warmup = 0.2;               ///< share of the iterations that are warm-up; later draws are averaged
  double hold_out = 0.1;             ///< share of the ratings held out for evaluation, unless test ratings are given
  double interval = 0.9;             ///< probability of predictive intervals
  std::uint32_t draws = 50;          ///< kept for predictions, evenly spaced after warm-up
  std::uint64_t evaluate_every = 0;  ///< iterations between evaluations; 0: default of the method
  std::uint64_t seed = 1;
  std::uint32_t chain = 0;
  int threads = 1;  ///< 0: all processors. Does not affect results

  CheckpointOptions checkpoint;                  ///< resuming requires all other options but threads unchanged
  const std::atomic<bool>* interrupt = nullptr;  ///< ends the run early when set; keeps the results so far
  std::function<void(const struct FactorPoint&)> progress;  ///< called after every evaluation

  void validate() const;  ///< throws OptionError naming the option
};

/// Side features, for method gibbs with inferred normal priors: the prior mean of a row is a linear function of its
/// features, whose weights are inferred. Every user, or item, with ratings needs features.
struct FactorFeatures {
  std::optional<SideFeatures> users, items;
};

/// Sets method, saga and control_variate. Throws OptionError for unknown names.
void set_factor_method(FactorOptions& options, std::string_view name);
std::string factor_method_name(const FactorOptions& options);
/// Throws OptionError for unknown names.
Observations observations_of_name(std::string_view name);
/// The default step size; 0: the method has none, or psgld chooses it.
double default_factor_step(const FactorOptions& options);
std::uint64_t default_factor_iterations(FactorMethod method);

/// Prediction scores of held-out ratings; NaN if there are none.
struct FactorScores {
  double rmse = 0;  ///< of the predictive mean
  double log_predictive =
      0;                ///< mean log density or log probability of a rating, averaged over draws before the logarithm
  double coverage = 0;  ///< share of the ratings inside their predictive intervals
};

struct FactorPoint {
  std::uint64_t iteration = 0;  ///< completed iterations
  double rmse = 0;              ///< of this draw alone
  double training_rmse = 0;     ///< of this draw alone, of at most 4096 of the training ratings
  FactorScores averaged;        ///< over draws since warm-up; NaN before
  double noise_precision = std::numeric_limits<double>::quiet_NaN();  ///< of gaussian observations
  double seconds = 0;
};

/// A predicted rating.
struct FactorPrediction {
  double mean = 0, sd = 0;      ///< of a new rating, including noise; stable: the sd is infinite
  double lower = 0, upper = 0;  ///< ends of its interval
};

struct Recommendation {
  std::uint32_t item = 0;
  FactorPrediction prediction;
};

/// Draws of the factors, for predictions.
class FactorModel {
 public:
  FactorModel() = default;

  std::uint32_t users() const;
  std::uint32_t items() const;
  std::uint32_t draws() const;
  std::uint32_t factors() const;
  double interval() const;
  void set_interval(double probability);  ///< of predictive intervals. Throws OptionError unless between 0 and 1
  Observations observations() const;

  /// Users and items beyond those of the model have no ratings; they are predicted from the inferred prior, given
  /// their side features where the model has any. Without features they are predicted from the mean of the features.
  FactorPrediction predict(std::uint32_t user, std::uint32_t item, std::span<const double> user_features = {},
                           std::span<const double> item_features = {}) const;
  /// The items with the largest means, the best first, without those in `excluded`.
  std::vector<Recommendation> recommend(std::uint32_t user, std::size_t count,
                                        std::span<const std::uint32_t> excluded = {},
                                        std::span<const double> user_features = {}) const;
  /// Predictive means of the ratings of all items.
  std::vector<double> means(std::uint32_t user, std::span<const double> user_features = {}) const;
  /// The names of the side features of users and of items; empty: none.
  const std::vector<std::string>& user_feature_names() const;
  const std::vector<std::string>& item_feature_names() const;

  std::string user_name(std::uint32_t user) const;
  std::string item_name(std::uint32_t item) const;
  /// The ids of users and items, without ratings.
  const Ratings& ids() const;

  /// Writes model.json, the draws (user_factors.npy, item_factors.npy, factor_priors.npy) and the ids (user_ids.txt,
  /// item_ids.txt).
  void save(const std::string& folder) const;
  /// Throws FileError.
  static FactorModel load(const std::string& folder);

  struct Parts;
  explicit FactorModel(std::shared_ptr<const Parts> parts);

 private:
  std::shared_ptr<const Parts> parts_;
  double interval_ = 0.9;
};

struct FactorResult {
  FactorScores scores;
  double last_rmse = 0;             ///< of the last draw alone
  double mean_noise_precision = 0;  ///< over draws since warm-up; NaN if observations are not gaussian
  std::vector<FactorPoint> trace;
  FactorModel model;
  std::uint64_t iterations = 0;  ///< completed
  std::uint64_t ratings = 0, held_out = 0;
  /// Single draws still predicted better at the end than after warm-up: held-out ratings by 1 %, or those of the
  /// training by 5 % if none are held out.
  bool improving = false;
  /// Root mean square error of predicted training ratings, over that of their mean; below 1 if the chain has learnt
  /// anything. Stable observations: of logarithms. Where all ratings are equal, over half of them.
  double training_error_ratio = 0;
  double held_out_error_ratio = 0;   ///< the same of held-out ratings, which new users and items can bring near 1
  bool equal_ratings = false;        ///< all training ratings are equal
  std::uint64_t repeated_pairs = 0;  ///< test ratings whose pairs are also rated in the training
  /// Names of side features that do not vary, and so say nothing.
  std::vector<std::string> constant_user_features, constant_item_features;
  bool learnt = true;        ///< training ratings are predicted better than by their mean
  std::uint64_t rounds = 0;  ///< how often each rating was used
  /// Learnt in at least `fewest_rounds` rounds, and held-out ratings are not predicted clearly worse than by the mean.
  bool usable = true;
  static constexpr std::uint64_t fewest_rounds = 10;  ///< gibbs: 1
  double limited_share = 0;  ///< share of the moves of rows since warm-up that were shortened to keep the chain stable
  double sampling_seconds = 0;  ///< of iterations alone
  double seconds = 0;
  bool interrupted = false;
};

/// test: ratings for evaluation, read with the ids of `ratings`; null: holds out a share of the ratings. Throws
/// OptionError, DataError, and DivergenceError if steps are too large.
FactorResult factorize(const Ratings& ratings, const FactorOptions& options, const Ratings* test = nullptr,
                       const FactorFeatures& features = {});

}  // namespace sgmcmc
