// Options of a factorisation, and checks of everything that a run is given.
#include "base/text.hpp"
#include "factors/factor_draws.hpp"
#include "factors/observation_law.hpp"
#include "factors/ranked_factors.hpp"
#include "factors/ratings/side_features.hpp"
#include "topics/document_run.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/factorize.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {

namespace {

void check_share(const char* name, double value) {
  if (!(value >= 0.0 && value < 1.0))
    throw OptionError(std::string(name) + " is " + formatted("%g", value) + "; it must be a share, from 0 to below 1");
}

void check_observations(const FactorOptions& options) {
  const std::string name = observation_names()[static_cast<std::size_t>(options.observations)];
  if (options.observations == Observations::gaussian) return;
  if (options.noise_precision != 0)
    throw OptionError("noise_precision: " + name + " observations have no noise with a precision; leave it out");
  if (!is_non_negative(options.observations)) return;
  if (options.offset && *options.offset < 0)
    throw OptionError("offset is " + formatted("%g", *options.offset) + "; with " + name +
                      " observations it must not be negative");
  if (options.observations == Observations::stable && !(options.alpha > 1 && options.alpha < 2))
    throw OptionError("alpha is " + formatted("%g", options.alpha) +
                      "; it must be above 1 and below 2. For 2 use gaussian observations");
  if (options.method != FactorMethod::gibbs && (options.method != FactorMethod::sgld || options.control_variate))
    throw OptionError("method " + factor_method_name(options) + " does not suit " + name +
                      " observations, whose factors must not be negative; use method gibbs, sgld or sgld-saga");
}

void check_features(const FactorFeatures& features, const FactorOptions& options) {
  if (!features.users && !features.items) return;
  const std::string which = features.users ? "user_features" : "item_features";
  if (options.method != FactorMethod::gibbs)
    throw OptionError(which + ": method " + factor_method_name(options) + " has no side features; use method gibbs");
  if (is_non_negative(options.observations))
    throw OptionError(which + ": factors of " + observation_names()[static_cast<std::size_t>(options.observations)] +
                      " observations have no side features; use gaussian or bernoulli observations");
  if (options.prior_precision != 0)
    throw OptionError(which + ": prior_precision fixes the prior mean at 0, which side features predict; leave it out");
}

void check_ratings(const Ratings& ratings, Observations observations) {
  for (const Rating& rating : ratings.entries())
    if (const auto complaint = rating_complaint(observations, rating.value); !complaint.empty())
      throw DataError("the rating of user " + ratings.user_name(rating.user) + " for item " +
                      ratings.item_name(rating.item) + " is " + complaint +
                      ". Correct it, or choose other observations");
}

}  // namespace

void check_interval(double probability) {
  if (!(probability > 0 && probability < 1))
    throw OptionError("interval is " + formatted("%g", probability) + "; it must be a probability between 0 and 1");
}

std::vector<std::string> factor_method_names() {
  return {"gibbs", "sgld", "sglm", "sghmc", "psgld", "hamcmc", "sgld-saga", "sgld-cv"};
}

void set_factor_method(FactorOptions& options, std::string_view name) {
  const auto names = factor_method_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw OptionError("there is no method '" + std::string(name) + "'." + did_you_mean(name, names));
  options.saga = name.ends_with("-saga");
  options.control_variate = name.ends_with("-cv");
  name = name.substr(0, name.find('-'));
  options.method = static_cast<FactorMethod>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::string factor_method_name(const FactorOptions& options) {
  return factor_method_names()[static_cast<std::size_t>(options.method)] + (options.saga              ? "-saga"
                                                                            : options.control_variate ? "-cv"
                                                                                                      : "");
}

std::vector<std::string> observation_names() { return {"gaussian", "poisson", "bernoulli", "stable"}; }

Observations observations_of_name(std::string_view name) {
  const auto names = observation_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw OptionError("there are no observations '" + std::string(name) + "'." + did_you_mean(name, names));
  return static_cast<Observations>(found - names.begin());
}

std::uint64_t default_factor_iterations(FactorMethod method) { return method == FactorMethod::gibbs ? 150 : 1000; }

double default_factor_step(const FactorOptions& options) {
  const double parts = options.blocks;
  switch (options.method) {
    case FactorMethod::gibbs:
    case FactorMethod::psgld: return 0;
    case FactorMethod::sglm: return std::min(0.4, 1.5 / parts);
    case FactorMethod::sghmc: return std::min(0.2, 0.2 / parts);
    case FactorMethod::hamcmc: return std::min(0.4, 0.8 / parts);
    default:
      if (is_non_negative(options.observations))  // factors of a row move one by one, and have a common sum
        return std::min(0.4, 0.8 / parts) / (options.factors + (options.biases ? 1 : 0));
      return options.saga || options.control_variate ? 0.1 : std::min(0.4, 0.8 / parts);
  }
}

void FactorOptions::validate() const {
  if (factors < 1 || factors > 1000)
    throw OptionError("factors is " + std::to_string(factors) + "; it must be from 1 to 1000");
  if (prior_precision != 0) check_positive("prior_precision", prior_precision);
  if (noise_precision != 0) check_positive("noise_precision", noise_precision);
  if (offset && !std::isfinite(*offset)) throw OptionError("offset must be finite");
  check_observations(*this);
  if (blocks < 1 || blocks > 1000)  // memory is proportional to their square
    throw OptionError("blocks is " + std::to_string(blocks) + "; it must be from 1 to 1000");
  if (shards < 1 || shards > 4096)
    throw OptionError("shards is " + std::to_string(shards) + "; it must be from 1 to 4096");
  if (step_size != 0) check_positive("step_size", step_size);
  check_positive("friction", friction);
  if (step_size >= 2 && method != FactorMethod::psgld)
    throw OptionError(
        "step_size is " + formatted("%g", step_size) +
        "; it is in units of the conditional distribution of a row, where steps of 2 and more are unstable");
  if (saga && method != FactorMethod::sgld) throw OptionError("saga: gradients of parts are kept by sgld only");
  if (control_variate && method != FactorMethod::sgld)
    throw OptionError("control_variate: gradients at a centre are kept by sgld only");
  if (control_variate && saga) throw OptionError("control_variate and saga exclude each other");
  if (control_variate && warmup == 0)
    throw OptionError("warmup is 0; with control variates the first half of warm-up finds the centre");
  check_share("warmup", warmup);
  check_share("hold_out", hold_out);
  check_interval(interval);
  if (draws == 0) throw OptionError("draws is 0; at least one is needed for predictions");
  if (threads < 0) throw OptionError("threads is " + std::to_string(threads) + "; it must not be negative");
}

void check_factorization(const Ratings& ratings, const FactorOptions& options, const Ratings* test,
                         const FactorFeatures& features) {
  options.validate();
  check_features(features, options);
  check_ratings(ratings, options.observations);
  if (test != nullptr) check_ratings(*test, options.observations);
  if (!features.users && !features.items) return;
  const Ratings& ids = test != nullptr ? *test : ratings;
  const auto split = test != nullptr ? RatingSplit() : split_ratings(ratings.entries(), options.hold_out, options.seed);
  const auto rated = test != nullptr ? ratings.entries() : std::span<const Rating>(split.training);
  if (features.users) need_features(*features.users, ids, rated, true);
  if (features.items) need_features(*features.items, ids, rated, false);
}

}  // namespace sgmcmc
