// Declaring and reading the options of Dirichlet process mixtures.
#include "cli/dpmix_options.hpp"

#include "base/text.hpp"
#include "cli/document_options.hpp"

namespace sgmcmc::cli {

std::vector<OptionDeclaration> dpmix_option_declarations() {
  CommandOptions table(Command::dpmix);
  const DpmixOptions usual;
  const auto add = [&](auto&&... parts) -> OptionDeclaration& { return table.add(parts...); };
  using Kind = ValueKind;
  const auto number = [](double value) { return formatted("%g", value); };
  add("Model", "beta", Kind::number, "NUMBER", number(usual.beta), "prior of the words of a cluster");
  add("Model", "concentration", Kind::number, "NUMBER", "",
      "of the Dirichlet process: the larger, the more clusters; learnt unless it is given");
  add("Model", "concentration-shape", Kind::number, "NUMBER", number(usual.concentration_shape),
      "of the gamma prior of the concentration");
  add("Model", "concentration-rate", Kind::number, "NUMBER", number(usual.concentration_rate),
      "of the gamma prior of the concentration");

  add("Method", "method", Kind::choice, "METHOD", "scir",
      "how clusters and their weights move: scir without discretisation error, sgrld on the expanded mean")
      .choices = {"scir", "sgrld"};
  add("Method", "step-size", Kind::number, "NUMBER", "", "of the words of clusters; default: scir 0.1, sgrld 0.001");
  add("Method", "stick-step-size", Kind::number, "NUMBER", "",
      "of the weights of clusters; default: scir 0.1, sgrld 0.005");
  auto& schedule = add("Method", "schedule", Kind::sampler, "WORD", "constant",
                       "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t): of both step sizes");
  schedule.samplers = {"sgld"};
  add("Method", "batch-size", Kind::batch_size, "COUNT", std::to_string(usual.batch_size),
      "documents per iteration: a count, or a fraction; all where there are fewer");
  add("Method", "initial-clusters", Kind::count, "COUNT", std::to_string(usual.initial_clusters),
      "clusters to start with");
  add("Method", "most-clusters", Kind::count, "COUNT", std::to_string(usual.most_clusters),
      "room for clusters: where more are needed the smallest weights are cut off, with a warning");

  add("Length", "iterations", Kind::count, "COUNT", std::to_string(usual.iterations), "iterations");
  add("Length", "warmup", Kind::number, "NUMBER", number(usual.warmup),
      "share of the iterations before draws are averaged");
  add("Length", "holdout", Kind::number, "NUMBER", number(usual.holdout),
      "share of the documents kept for prediction, at most --most-held-out of them");
  add("Length", "most-held-out", Kind::count, "COUNT", std::to_string(usual.most_held_out),
      "documents kept for prediction at most");
  add("Length", "evaluate-every", Kind::count, "COUNT", "0", "iterations between predictions; 0: a hundred in all");
  add("Start", "seed", Kind::count, "COUNT", "1", "the same seed gives the same clusters, whatever the threads");

  add("Output", "out", Kind::text, "DIR", "",
      "folder for clusters.csv, with weights and the probabilities of words, clusters.txt with the top words, "
      "trace.csv "
      "and run.json");
  add("Output", "overwrite", Kind::flag, "", "false", "replace a previous run in the folder of --out");
  add("Output", "top-words", Kind::count, "COUNT", "6", "words shown of each cluster");
  add("Output", "most-shown", Kind::count, "COUNT", "20", "clusters shown, the largest first; 0: all");
  add("Output", "quiet", Kind::flag, "", "false",
      "no progress, no table, no warnings: only errors, and JSON where asked");
  return table.take();
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

}  // namespace sgmcmc::cli
