// Declaring and reading the options of matrix factorisation.
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
          "delimited: the columns of user, item and rating, as names of the first line or numbers from 1, separated by "
          "commas; default: the first three");
  ratings("hold-out", Kind::number, "NUMBER", number(usual.hold_out),
          "share of the ratings held out to evaluate predictions; chosen by `seed`");
  ratings("test", Kind::text, "FILE", "", "ratings to evaluate predictions, instead of `hold-out`");

  model("factors", Kind::count, "COUNT", std::to_string(usual.factors), "factors of each user and each item");
  model("no-biases", Kind::flag, "", "false", "do not add a bias for each user and each item");
  model("prior-precision", Kind::number, "NUMBER", "",
        "precision of the normal prior of factors and biases, around 0; default: mean and precision matrix are learnt "
        "for users and for items");
  model("noise-precision", Kind::number, "NUMBER", "", "precision of a rating given its mean; default: learnt");
  model("offset", Kind::number, "NUMBER", "", "what ratings are without factors and biases; default: their mean");
  model("interval", Kind::number, "NUMBER", number(usual.interval), "probability of predictive intervals");

  method(
      "method", Kind::choice, "METHOD", "gibbs",
      "gibbs draws all users, then all items, from their exact conditionals; the others move all of them by gradients "
      "from a part of the ratings, -saga with those of the other parts kept")
      .choices(factor_method_names());
  method("blocks", Kind::count, "COUNT", std::to_string(usual.blocks),
         "methods but gibbs: groups of users and of items; as many parts of the ratings take turns");
  method(
      "step-size", Kind::number, "NUMBER", "",
      "methods but gibbs: in units of the conditional distribution of a row, psgld in its own; default: one that suits "
      "the method and `blocks`");
  method("friction", Kind::number, "NUMBER", number(usual.friction), "sghmc: friction per iteration");
  length("iterations", Kind::count, "COUNT", "",
         "iterations; default: " + std::to_string(default_factor_iterations(FactorMethod::gibbs)) + " for gibbs, " +
             std::to_string(default_factor_iterations(FactorMethod::sgld)) + " for others");
  length("warmup", Kind::number, "NUMBER", number(usual.warmup),
         "share of the iterations that are warm-up; later draws are averaged");
  length("evaluate-every", Kind::count, "COUNT", "0",
         "iterations between evaluations; 0: one for gibbs, two hundred evaluations in all for others");
  length("draws", Kind::count, "COUNT", std::to_string(usual.draws),
         "draws kept for predictions, evenly spaced after warm-up");
  start("seed", Kind::count, "COUNT", "1", "random seed; draws depend on it, but not on the number of threads");

  output("predict", Kind::text, "FILE", "",
         "pairs of user and item to predict, into predictions.csv; ids without ratings are predicted from the prior");
  output("recommend", Kind::count, "COUNT", "0",
         "items with the best predictions for each user, among those the user has not rated, into recommendations.csv");
  output("apply", Kind::text, "DIR", "",
         "do not sample: predict the pairs of RATINGS from the draws in DIR, written by a previous run");
  output("out", Kind::text, "DIR", "",
         "folder for the draws, which `apply` reads (model.json, user_factors.npy, item_factors.npy, "
         "factor_priors.npy, user_ids.txt and item_ids.txt), predictions.csv, recommendations.csv, trace.csv and "
         "run.json")
      .may_change();
  output("overwrite", Kind::flag, "", "false", "replace a previous run in the folder of `out`").may_change();
  output("quiet", Kind::flag, "", "false", "print only errors, and JSON if asked for: no progress, table or warnings")
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

FactorOptions factor_options(const OptionValues& values) {
  FactorOptions options;
  set_factor_method(options, values.text("method"));
  options.blocks = small_count(values, "blocks");
  options.step_size = positive_or_none(values, "step-size");
  options.friction = values.number("friction");
  options.factors = small_count(values, "factors");
  options.biases = !values.flag("no-biases");
  options.prior_precision = positive_or_none(values, "prior-precision");
  options.noise_precision = positive_or_none(values, "noise-precision");
  if (values.given("offset")) options.offset = values.number("offset");
  options.iterations = default_factor_iterations(options.method);
  if (values.given("iterations")) options.iterations = values.count("iterations");
  if (options.iterations == 0) throw UsageError(values.where("iterations") + ": at least one is needed");
  options.warmup = values.number("warmup");
  options.hold_out = values.number("hold-out");
  options.interval = values.number("interval");
  options.draws = small_count(values, "draws");
  options.evaluate_every = values.count("evaluate-every");
  options.seed = values.count("seed");
  options.threads = values.threads();
  if (values.given("test") && values.given("hold-out"))
    throw UsageError(values.where("hold-out") + ": ratings to evaluate are given by " + values.written("test") +
                     "; give one of the two");
  return options;
}

}  // namespace sgmcmc
