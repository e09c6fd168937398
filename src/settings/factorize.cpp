// Declares and reads the options of matrix factorisation.
#include "settings/factorize.hpp"

#include "base/text.hpp"
#include "settings/declare.hpp"
#include "settings/documents.hpp"

namespace sgmcmc {

void declare_factorize_options(OptionTable& table) {
  const FactorOptions usual;
  using Kind = ValueKind;
  const std::vector<Command> own = {Command::factorize};
  const OptionGroup ratings(table, "Ratings", own), model(table, "Model", own), method(table, "Method", own);
  const OptionGroup length(table, "Length", own), start(table, "Start", own), output(table, "Output", own);
  const auto number = [](double value) { return formatted("%g", value); };
  ratings("format", Kind::choice, "FORMAT", "auto",
          "auto, delimited (user, item, rating separated by ::, tabs, commas, ; or |), matrix-market, or libsvm "
          "(libFM's: rating user:1 item:1)")
      .choices({"auto", "delimited", "matrix-market", "libsvm"});
  ratings("columns", Kind::text, "NAMES", "",
          "delimited: the columns of user, item and rating, as names in the header line or numbers starting at 1, "
          "separated by commas; default: the first three");
  ratings("hold-out", Kind::number, "NUMBER", number(usual.hold_out),
          "share of the ratings held out at random to evaluate predictions; `seed` decides which");
  ratings("test", Kind::text, "FILE", "", "file of ratings to evaluate predictions, instead of `hold-out`");

  ratings(
      "user-features", Kind::text, "FILE", "",
      "file of side features: an id and numbers on each line, for every user with ratings; factors of new users are "
      "predicted from theirs. For gibbs with normal priors");
  ratings("item-features", Kind::text, "FILE", "", "the same for items");

  model("observations", Kind::choice, "LAW", "gaussian",
        "distribution of a rating: gaussian; poisson for counts; bernoulli for 0 and 1 (probit); stable for moduli of "
        "complex numbers with heavy tails. Factors and biases of poisson and stable are not negative")
      .choices(observation_names());
  model("alpha", Kind::number, "NUMBER", number(usual.alpha),
        "stable: exponent of the tails, above 1 and below 2; the smaller, the heavier the tails");
  model("factors", Kind::count, "COUNT", std::to_string(usual.factors), "number of factors per user and item");
  model("no-biases", Kind::flag, "", "false", "do not add a bias for each user and each item");
  model("prior-precision", Kind::number, "NUMBER", "",
        "precision of a normal prior with mean 0 on factors and biases; poisson and stable: of an exponential prior; "
        "default: inferred, for users and for items");
  model("noise-precision", Kind::number, "NUMBER", "",
        "gaussian: precision of the noise in a rating; default: inferred");
  model("offset", Kind::number, "NUMBER", "",
        "global offset; default: the mean rating, bernoulli: its probit, poisson and stable: 0");
  model("interval", Kind::number, "NUMBER", number(usual.interval), "coverage of predictive intervals");

  method(
      "method", Kind::choice, "METHOD", "gibbs",
      "gibbs draws all users, then all items, from their exact conditional distributions; the others move all of them "
      "by gradients from one part of the ratings at a time; -saga also uses the stored gradients of the other parts, "
      "-cv "
      "those of all parts at a centre that is found first")
      .choices(factor_method_names());
  method("blocks", Kind::count, "COUNT", std::to_string(usual.blocks),
         "methods other than gibbs: number of groups of users, of groups of items, and of the parts of the ratings "
         "used in turn");
  method("shards", Kind::count, "COUNT", std::to_string(usual.shards),
         "gibbs under mpirun: number of parts of the users, and of the items, that ranks share; draws do not depend on "
         "it")
      .may_change();
  method("step-size", Kind::number, "NUMBER", "",
         "methods other than gibbs: relative to the conditional distribution of a user or item, except for psgld; "
         "default: set by method and `blocks`");
  method("friction", Kind::number, "NUMBER", number(usual.friction), "sghmc: friction per iteration");
  length("iterations", Kind::count, "COUNT", "",
         "iterations; default: " + std::to_string(default_factor_iterations(FactorMethod::gibbs)) + " for gibbs, " +
             std::to_string(default_factor_iterations(FactorMethod::sgld)) + " for others");
  length("warmup", Kind::number, "NUMBER", number(usual.warmup),
         "share of the iterations that are warm-up; later draws are averaged");
  length("evaluate-every", Kind::count, "COUNT", "0",
         "iterations between evaluations; 0: 1 for gibbs, and for other methods a total of 200 evaluations");
  length("draws", Kind::count, "COUNT", std::to_string(usual.draws),
         "number of draws kept for predictions, evenly spaced after warm-up");
  start("seed", Kind::count, "COUNT", "1", "random seed; draws depend on it, but not on the number of threads");

  output("predict", Kind::text, "FILE", "",
         "file of user-item pairs to predict, into predictions.csv; users and items without ratings are predicted from "
         "the prior");
  output("recommend", Kind::count, "COUNT", "0",
         "number of items to recommend to each user, among those the user has not rated, into recommendations.csv");
  output("apply", Kind::text, "DIR", "",
         "predict the pairs in RATINGS from the draws of a previous run in DIR, without sampling");
  output("out", Kind::text, "DIR", "",
         "folder for the draws, which `apply` reads (model.json, user_factors.npy, item_factors.npy, "
         "factor_priors.npy, user_ids.txt and item_ids.txt), predictions.csv, recommendations.csv, trace.csv and "
         "run.json")
      .may_change();
  output("overwrite", Kind::flag, "", "false", "replace a previous run in the folder of `out`").may_change();
  output("quiet", Kind::flag, "", "false", "print errors only, and JSON with `json`: no progress, tables or warnings")
      .may_change();
}

RatingsOptions ratings_options(const OptionValues& values) {
  RatingsOptions options;
  const std::string format = values.text("format");
  options.format = format == "delimited"       ? RatingsFormat::delimited
                   : format == "matrix-market" ? RatingsFormat::matrix_market
                   : format == "libsvm"        ? RatingsFormat::libsvm
                                               : RatingsFormat::automatic;
  options.columns = values.text("columns");
  return options;
}

namespace {

[[noreturn]] void refuse_for_gibbs(const OptionValues& values, const char* option, const std::string& why) {
  throw UsageError(values.where(option) + ": " + values.written("method", "gibbs") + " " + why +
                   "; leave it out, or choose another method");
}

}  // namespace

FactorOptions factor_options(const OptionValues& values) {
  FactorOptions options;
  set_factor_method(options, values.text("method"));
  options.observations = observations_of_name(values.text("observations"));
  const double usual_alpha = options.alpha;
  options.alpha = values.number("alpha");
  // Resumed runs give all options.
  if (options.alpha != usual_alpha && options.observations != Observations::stable)
    throw UsageError(values.where("alpha") + ": only " + values.written("observations", "stable") + " has an exponent");
  const FactorOptions usual;
  const bool has_steps = options.method != FactorMethod::gibbs;
  options.blocks = small_count(values, "blocks");
  if (options.blocks != usual.blocks && !has_steps) refuse_for_gibbs(values, "blocks", "uses all ratings at a time");
  options.shards = small_count(values, "shards");
  options.step_size = positive_or_none(values, "step-size");
  if (options.step_size != 0 && !has_steps) refuse_for_gibbs(values, "step-size", "has no steps");
  options.friction = values.number("friction");
  if (options.friction != usual.friction && options.method != FactorMethod::sghmc)
    throw UsageError(values.where("friction") + ": only " + values.written("method", "sghmc") + " has a friction");
  options.factors = small_count(values, "factors");
  options.biases = !values.flag("no-biases");
  options.prior_precision = positive_or_none(values, "prior-precision");
  options.noise_precision = positive_or_none(values, "noise-precision");
  if (values.given("offset")) options.offset = values.number("offset");
  options.iterations = default_factor_iterations(options.method);
  if (values.given("iterations")) options.iterations = values.count("iterations");
  if (options.iterations == 0) throw UsageError(values.where("iterations") + ": must be at least 1");
  options.warmup = values.number("warmup");
  options.hold_out = values.number("hold-out");
  options.interval = values.number("interval");
  options.draws = small_count(values, "draws");
  options.evaluate_every = values.count("evaluate-every");
  options.seed = values.count("seed");
  options.threads = values.threads();
  if (values.given("test") && values.given("hold-out"))
    throw UsageError(values.where("hold-out") + ": conflicts with " + values.written("test") + "; give one of the two");
  return options;
}

}  // namespace sgmcmc
