// Declares and reads the options of Dirichlet process mixtures.
#include "settings/dpmix.hpp"

#include "base/text.hpp"
#include "settings/declare.hpp"
#include "settings/documents.hpp"

namespace sgmcmc {

void declare_dpmix_options(OptionTable& table) {
  const DpmixOptions usual;
  using Kind = ValueKind;
  const std::vector<Command> own = {Command::dpmix};
  const OptionGroup model(table, "Model", own), method(table, "Method", own), length(table, "Length", own);
  const OptionGroup start(table, "Start", own), output(table, "Output", own);
  const auto number = [](double value) { return formatted("%g", value); };
  model("beta", Kind::number, "NUMBER", number(usual.beta),
        "parameter of the Dirichlet prior on the words of a cluster");
  model("concentration", Kind::number, "NUMBER", "",
        "concentration of the Dirichlet process: larger values give more clusters; default: inferred");
  model("concentration-shape", Kind::number, "NUMBER", number(usual.concentration_shape),
        "shape of the gamma prior of the concentration");
  model("concentration-rate", Kind::number, "NUMBER", number(usual.concentration_rate),
        "rate of the gamma prior of the concentration");

  method("method", Kind::choice, "METHOD", "scir",
         "sampler of clusters and weights: scir has no discretisation error, sgrld uses the expanded-mean "
         "parameterisation")
      .choices({"scir", "sgrld"});
  method("step-size", Kind::number, "NUMBER", "",
         "step size for the word probabilities of clusters; default: scir 0.1, sgrld 0.001");
  method("stick-step-size", Kind::number, "NUMBER", "",
         "step size for the weights of clusters; default: scir 0.1, sgrld 0.005");
  method("schedule", Kind::sampler, "WORD", "constant",
         "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t), for both step sizes")
      .samplers({"sgld"});
  method("batch-size", Kind::batch_size, "COUNT", std::to_string(usual.batch_size),
         "documents per iteration: a count, or a fraction; all if there are fewer");
  method("initial-clusters", Kind::count, "COUNT", std::to_string(usual.initial_clusters),
         "initial number of clusters");
  method("most-clusters", Kind::count, "COUNT", std::to_string(usual.most_clusters),
         "maximum number of clusters: if more are needed, those with the smallest weights are dropped, with a warning");

  length("iterations", Kind::count, "COUNT", std::to_string(usual.iterations), "iterations");
  length("warmup", Kind::number, "NUMBER", number(usual.warmup),
         "share of the iterations that are warm-up; later draws are averaged");
  length("holdout", Kind::number, "NUMBER", number(usual.holdout),
         "share of the documents held out for prediction, at most `most-held-out`");
  length("most-held-out", Kind::count, "COUNT", std::to_string(usual.most_held_out),
         "maximum number of documents held out for prediction");
  length("evaluate-every", Kind::count, "COUNT", "0",
         "iterations between evaluations of the prediction; 0: a total of 100 evaluations");
  start("seed", Kind::count, "COUNT", "1", "random seed; clusters depend on it, but not on the number of threads");

  output("out", Kind::text, "DIR", "",
         "folder for clusters.csv, with weights and the probabilities of words, clusters.txt with the top words, "
         "trace.csv and run.json")
      .may_change();
  output("overwrite", Kind::flag, "", "false", "replace a previous run in the folder of `out`").may_change();
  output("top-words", Kind::count, "COUNT", "6", "number of words to show for each cluster");
  output("most-shown", Kind::count, "COUNT", "20", "number of clusters to show, largest first; 0: all");
  output("quiet", Kind::flag, "", "false", "print errors only, and JSON with `json`: no progress, tables or warnings")
      .may_change();
}

DpmixOptions dpmix_options(const OptionValues& values, std::uint64_t documents) {
  DpmixOptions options;
  options.method = simplex_method(values.text("method"));
  options.beta = values.number("beta");
  options.concentration = positive_or_none(values, "concentration");
  options.concentration_shape = values.number("concentration-shape");
  options.concentration_rate = values.number("concentration-rate");
  options.step_size = positive_or_none(values, "step-size");
  options.stick_step_size = positive_or_none(values, "stick-step-size");
  options.schedule = schedule_from(values);
  options.batch_size = documents_per_batch(values, documents);
  options.initial_clusters = small_count(values, "initial-clusters");
  options.most_clusters = small_count(values, "most-clusters");
  options.iterations = values.count("iterations");
  options.warmup = values.number("warmup");
  options.holdout = values.number("holdout");
  options.most_held_out = small_count(values, "most-held-out");
  options.evaluate_every = values.count("evaluate-every");
  options.seed = values.count("seed");
  options.threads = values.threads();
  return options;
}

}  // namespace sgmcmc
