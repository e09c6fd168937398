// Declares and reads the options of topic models.
#include "settings/lda.hpp"

#include "base/text.hpp"
#include "settings/declare.hpp"
#include "settings/documents.hpp"

namespace sgmcmc {

void declare_lda_options(OptionTable& table) {
  const LdaOptions usual;
  using Kind = ValueKind;
  const std::vector<Command> own = {Command::lda};
  const OptionGroup documents(table, "Documents", {Command::lda, Command::dpmix}),
      own_documents(table, "Documents", own);
  const OptionGroup model(table, "Model", own), method(table, "Method", own), length(table, "Length", own);
  const OptionGroup start(table, "Start", own), output(table, "Output", own);
  const auto number = [](double value) { return formatted("%g", value); };
  documents(
      "vocabulary", Kind::text, "FILE", "",
      "one word per line, in the order of the word ids; for text, the words to keep (default: built from the text)");
  documents("format", Kind::choice, "WORD", "auto",
            "uci: UCI bag of words; ldac: LDA-C; cases: cases and votes; text: one document per line; auto: detected "
            "from the first lines")
      .choices({"auto", "uci", "ldac", "cases", "text"});
  documents("stop-words", Kind::text, "WORD", "english",
            "words to omit from a vocabulary built from text: english, none, or a file with one word per line");
  documents("min-documents", Kind::count, "COUNT", "2", "text: omit words that occur in fewer documents");
  documents("max-share", Kind::number, "NUMBER", "0.5",
            "text: omit words that occur in a larger share of the documents");
  documents("most-words", Kind::count, "COUNT", "100000",
            "text: maximum size of the vocabulary; the most frequent words are kept");
  documents("skip-empty", Kind::flag, "", "false", "omit empty documents; without this option they are an error");
  own_documents("memory", Kind::text, "SIZE", "",
                "memory limit, such as 256M or 2G, half for documents and half for topics; documents beyond it are "
                "kept in a temporary file in the folder of `out`")
      .may_change();
  own_documents("apply", Kind::text, "DIR", "",
                "use the topics of a previous run in DIR without sampling them: estimate their proportions in the "
                "documents, and the perplexity");

  model("topics", Kind::count, "COUNT", std::to_string(usual.topics), "number of topics");
  model("alpha", Kind::number, "NUMBER", number(usual.alpha),
        "parameter of the Dirichlet prior on the topics of a document");
  model("beta", Kind::number, "NUMBER", number(usual.beta), "parameter of the Dirichlet prior on the words of a topic");

  method("method", Kind::choice, "METHOD", "scir",
         "sampler of the topics: scir has no discretisation error, sgrld uses the expanded-mean parameterisation, sgld "
         "log probabilities, sgld-cv the same with control variates")
      .choices({"scir", "sgrld", "sgld", "sgld-cv"});
  method("step-size", Kind::number, "NUMBER", "",
         "default: scir 0.5 with decay(10,0.33), sgrld 0.01 with decay(1000,0.6), sgld 10 topics / tokens");
  method("schedule", Kind::sampler, "WORD", "",
         "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t); used if `step-size` is given")
      .samplers({"sgld"});
  method("batch-size", Kind::batch_size, "COUNT", std::to_string(usual.batch_size),
         "documents per iteration: a count, or a fraction; all if there are fewer");
  method("burn-in", Kind::count, "COUNT", std::to_string(usual.burn_in),
         "burn-in: Gibbs sweeps over a document that are discarded at each visit");
  method("sweeps", Kind::count, "COUNT", std::to_string(usual.sweeps),
         "Gibbs sweeps over a document that are averaged at each visit");
  method("keep-assignments", Kind::flag, "", "false",
         "keep the topic assignments of a document between visits (2 bytes per token)");

  length("iterations", Kind::count, "COUNT", std::to_string(usual.iterations), "iterations");
  length("warmup", Kind::number, "NUMBER", number(usual.warmup),
         "share of the iterations that are warm-up; later draws are averaged");
  length("holdout", Kind::number, "NUMBER", number(usual.holdout),
         "share of the documents held out for perplexity, at most `most-held-out`");
  length("most-held-out", Kind::count, "COUNT", std::to_string(usual.most_held_out),
         "maximum number of documents held out for perplexity");
  length("evaluate-every", Kind::count, "COUNT", "0",
         "iterations between evaluations of perplexity; 0: a total of 50 evaluations");
  length(
      "mode-iterations", Kind::count, "COUNT", "0",
      "sgld-cv: iterations to find the topics at which control variates are centred; 0: two passes over the documents");
  start("seed", Kind::count, "COUNT", "1", "random seed; topics depend on it, but not on the number of threads");

  output("out", Kind::text, "DIR", "",
         "folder for topics.npy, vocabulary.txt and model.json, which `apply` reads, topics.txt with the top words, "
         "perplexity.csv and run.json; with `apply`: proportions.csv and run.json")
      .may_change();
  output("overwrite", Kind::flag, "", "false", "replace a previous run in the folder of `out`").may_change();
  output("top-words", Kind::count, "COUNT", "10", "number of words to show for each topic");
  output("quiet", Kind::flag, "", "false", "print errors only, and JSON with `json`: no progress, tables or warnings")
      .may_change();
}

std::optional<std::uint64_t> bytes_from(std::string_view text) {
  std::uint64_t unit = 1;
  if (text.ends_with('B') || text.ends_with('b')) text.remove_suffix(1);
  if (!text.empty()) {
    switch (text.back() | 0x20) {
      case 'k': unit = std::uint64_t{1} << 10; break;
      case 'm': unit = std::uint64_t{1} << 20; break;
      case 'g': unit = std::uint64_t{1} << 30; break;
      default: break;
    }
    if (unit != 1) text.remove_suffix(1);
  }
  const auto number = number_from(text);
  if (!number || !(*number > 0) || *number * static_cast<double>(unit) > 1e18) return std::nullopt;
  return static_cast<std::uint64_t>(*number * static_cast<double>(unit));
}

namespace {

/// Half of option `memory`; 0: no limit.
std::uint64_t half_of_memory(const OptionValues& values) {
  if (!values.given("memory")) return 0;
  const auto bytes = bytes_from(values.text("memory"));
  if (!bytes || *bytes < (std::uint64_t{1} << 20))
    throw UsageError(values.where("memory") + ": '" + values.text("memory") +
                     "' is not a size of at least 1M, such as 256M or 2G");
  return *bytes / 2;
}

}  // namespace

CorpusOptions corpus_options(const OptionValues& values) {
  CorpusOptions options;
  const std::string format = values.text("format");
  options.format = format == "uci"     ? CorpusFormat::uci
                   : format == "ldac"  ? CorpusFormat::ldac
                   : format == "cases" ? CorpusFormat::cases
                   : format == "text"  ? CorpusFormat::text
                                       : CorpusFormat::automatic;
  options.vocabulary = values.text("vocabulary");
  options.stop_words = values.text("stop-words");
  options.min_documents = small_count(values, "min-documents");
  options.max_share = values.number("max-share");
  options.most_words = small_count(values, "most-words");
  options.skip_empty = values.flag("skip-empty");
  options.memory_bytes = half_of_memory(values);
  options.folder = values.text("out");
  return options;
}

LdaOptions lda_options(const OptionValues& values, std::uint64_t documents) {
  LdaOptions options;
  options.topics = small_count(values, "topics");
  options.alpha = values.number("alpha");
  options.beta = values.number("beta");
  set_lda_method(options, values.text("method"));
  options.step_size = positive_or_none(values, "step-size");
  if (values.given("schedule")) {
    if (!values.given("step-size")) throw UsageError(values.where("schedule") + ": also give a step size");
    options.schedule = schedule_from(values);
  }
  options.batch_size = documents_per_batch(values, documents);
  options.burn_in = small_count(values, "burn-in");
  options.sweeps = small_count(values, "sweeps");
  options.keep_assignments = values.flag("keep-assignments");
  options.iterations = values.count("iterations");
  options.warmup = values.number("warmup");
  options.holdout = values.number("holdout");
  options.most_held_out = small_count(values, "most-held-out");
  options.evaluate_every = values.count("evaluate-every");
  options.mode_iterations = values.count("mode-iterations");
  options.seed = values.count("seed");
  options.threads = values.threads();
  options.memory_bytes = half_of_memory(values);
  return options;
}

}  // namespace sgmcmc
