// A complete run of latent Dirichlet allocation: options, iterations, perplexities, averages over draws.
#include "base/text.hpp"
#include "topics/document_ranks.hpp"
#include "topics/document_run.hpp"
#include "topics/held_out.hpp"
#include "topics/lda_chain.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/lda.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc {

namespace {

// Sweeps over the observed half of a held-out document.
constexpr std::uint32_t evaluation_burn_in = 10, evaluation_sweeps = 10;

/// Ten words of every topic.
std::vector<std::vector<std::uint32_t>> top_words(std::span<const double> log_theta, std::size_t topics) {
  const std::size_t words = log_theta.size() / topics;
  std::vector<std::vector<std::uint32_t>> result(topics);
  std::vector<std::uint32_t> order(words);
  for (std::size_t k = 0; k < topics; ++k) {
    for (std::size_t w = 0; w < words; ++w) order[w] = static_cast<std::uint32_t>(w);
    const auto count = static_cast<std::ptrdiff_t>(std::min<std::size_t>(10, words));
    std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return log_theta[a * topics + k] > log_theta[b * topics + k];
    });
    result[k].assign(order.begin(), order.begin() + count);
  }
  return result;
}

/// Probabilities averaged over draws.
class AverageTopics {
 public:
  explicit AverageTopics(std::size_t size) : sum_(size) {}
  void add(std::span<const double> log_theta, std::span<const double> log_totals) {
    for (std::size_t i = 0; i < sum_.size(); i += log_totals.size())
      for (std::size_t k = 0; k < log_totals.size(); ++k) sum_[i + k] += std::exp(log_theta[i + k] - log_totals[k]);
    ++draws_;
  }
  void visit_state(StateVisitor& visitor) {
    visitor.visit_numbers("average", sum_.span());
    visitor.visit("average_draws", draws_);
  }
  /// Topic after topic.
  std::vector<float> phi(std::size_t topics) const {
    const std::size_t words = sum_.size() / topics;
    std::vector<float> result(sum_.size());
    for (std::size_t w = 0; w < words; ++w)
      for (std::size_t k = 0; k < topics; ++k)
        result[k * words + w] = static_cast<float>(sum_[w * topics + k] / static_cast<double>(draws_));
    return result;
  }

 private:
  AlignedBuffer<double> sum_;
  std::uint64_t draws_ = 0;
};

std::uint32_t held_out_documents(const Corpus& corpus, const LdaOptions& options) {
  const double wanted = std::ceil(options.holdout * static_cast<double>(corpus.documents()));
  return static_cast<std::uint32_t>(
      std::min({wanted, static_cast<double>(options.most_held_out), static_cast<double>(corpus.documents() - 1)}));
}

void check(const Corpus& corpus, const LdaOptions& options) {
  options.validate();
  if (corpus.documents() >= std::numeric_limits<std::uint32_t>::max())
    throw DataError("there are " + std::to_string(corpus.documents()) + " documents; the maximum is 4294967294");
  const std::uint64_t kept = options.keep_assignments ? corpus.tokens() * sizeof(Assignment) : 0;
  const std::uint64_t needed = LdaChain::bytes(corpus.words(), options) + kept;
  if (options.memory_bytes != 0 && needed > options.memory_bytes)
    throw OptionError("memory: " + std::to_string(options.topics) + " topics of " + std::to_string(corpus.words()) +
                      " words" + (kept != 0 ? " and stored assignments" : "") + " take " +
                      std::to_string(needed >> 20) + " MB, more than the " +
                      std::to_string(options.memory_bytes >> 20) +
                      " MB allowed for topics. Allow more memory, use fewer topics, or a smaller vocabulary");
}

}  // namespace

void LdaOptions::validate() const {
  if (topics < 1 || topics >= BatchGibbs::no_topic)
    throw OptionError("topics is " + std::to_string(topics) + "; it must be from 1 to " +
                      std::to_string(BatchGibbs::no_topic - 1));
  check_positive("alpha", alpha);
  check_positive("beta", beta);
  if (step_size != 0) check_positive("step_size", step_size);
  check_document_run(*this);
  if (sweeps == 0) throw OptionError("sweeps is 0; it must be at least 1");
  if (control_variate && method == SimplexMethod::scir)
    throw OptionError(
        "method: control variates make counts negative, which scir does not allow; use sgld-cv, or scir without them");
  if (control_variate && keep_assignments)
    throw OptionError(
        "keep_assignments: control variates use two sets of assignments per document, which cannot be kept");
}

LdaStep default_step(const LdaOptions& options, double tokens) {
  switch (options.method) {
    case SimplexMethod::scir: return {0.5, Schedule::decay(10.0, 0.33)};
    case SimplexMethod::sgrld: return {0.01, Schedule::decay(1000.0, 0.6)};
    default: return {10.0 * options.topics / std::max(tokens, 1.0), Schedule::constant()};
  }
}

void set_lda_method(LdaOptions& options, std::string_view name) {
  std::string_view kernel = name;
  options.control_variate = kernel.ends_with("-cv");
  if (options.control_variate) kernel.remove_suffix(3);
  const auto known = simplex_method_names();
  if (std::find(known.begin(), known.end(), kernel) == known.end()) {
    std::vector<std::string> names = known;
    names.emplace_back("sgld-cv");
    throw OptionError("there is no method '" + std::string(name) + "'." + did_you_mean(name, names));
  }
  options.method = simplex_method(kernel);
}

std::string lda_method_name(const LdaOptions& options) {
  return std::string(simplex_method_name(options.method)) + (options.control_variate ? "-cv" : "");
}

LdaResult fit_lda(const Corpus& corpus, const LdaOptions& options) {
  return fit_lda_on_ranks(corpus, options, nullptr);
}

LdaResult fit_lda_on_ranks(const Corpus& corpus, const LdaOptions& given, Communicator* ranks) {
  check(corpus, given);
  LdaOptions options = given;
  const std::uint32_t held_out = held_out_documents(corpus, options);
  LdaResult result;
  result.documents = corpus.documents() - held_out;
  if (options.step_size == 0) {
    const LdaStep step = default_step(options, static_cast<double>(corpus.tokens()));
    options.step_size = step.step_size;
    options.schedule = step.schedule;
  }
  DocumentRun run(options, 50);
  ThreadPool pool(options.threads);
  LdaChain chain(corpus.store(), corpus.words(), options, held_out, pool, ranks);
  HeldOut halves(
      corpus.store(), held_out,
      [&](std::uint64_t i) { return chain.choice().held_out_document(static_cast<std::uint32_t>(i)); }, options.seed);
  result.held_out = halves.documents();
  run.prepare([&] { return options.control_variate ? chain.find_centre() : LdaChain::Findings{}; },
              [&](const LdaChain::Findings& known) {
                if (options.control_variate) chain.set_centre(known);
              });
  AverageTopics average(chain.log_theta().size());
  result.last_perplexity = std::numeric_limits<double>::quiet_NaN();
  DocumentRun::Parts parts;
  parts.iterate = [&](std::uint64_t iteration) {
    if (!chain.iterate(iteration)) ++result.failed_steps;
  };
  parts.evaluate = [&](std::uint64_t done, bool averaged) {
    if (averaged) average.add(chain.log_theta(), chain.log_totals());
    PerplexityPoint point{done, 0, 0, 0};
    point.perplexity =
        halves.evaluate(chain.table(), options.alpha, evaluation_burn_in, evaluation_sweeps, done - 1, averaged, pool);
    point.averaged = halves.averaged_perplexity();
    point.seconds = run.seconds();
    result.last_perplexity = point.perplexity;
    if (!result.trace.empty() && result.trace.back().iteration == done) result.trace.pop_back();
    result.trace.push_back(point);
    if (!options.progress) return;
    LdaProgress progress{done,
                         options.iterations,
                         point.perplexity,
                         0,
                         point.seconds,
                         chain.shares(),
                         top_words(chain.log_theta(), options.topics)};
    if (chain.gibbs().seconds() > 0)
      progress.token_updates_per_second = static_cast<double>(chain.gibbs().token_updates()) / chain.gibbs().seconds();
    options.progress(progress);
  };
  parts.visit = [&](StateVisitor& visitor) {
    chain.visit_state(visitor);
    average.visit_state(visitor);
    halves.visit_state(visitor);
    visitor.visit("failed_steps", result.failed_steps);
    visitor.visit("last_perplexity", result.last_perplexity);
    visit_points(visitor, "trace", result.trace, [](PerplexityPoint& point, const auto& field) {
      field(point.iteration);
      field(point.perplexity);
      field(point.averaged);
      field(point.seconds);
    });
  };
  run.go(parts);
  result.iterations = run.done();
  result.interrupted = run.interrupted();
  result.perplexity = halves.averaged_perplexity();
  result.shares = chain.shares();
  result.token_updates = chain.gibbs().token_updates();
  result.gibbs_seconds = chain.gibbs().seconds();
  result.seconds = run.seconds();
  result.model = TopicModel(options.topics, corpus.words(), options.alpha, options.beta, average.phi(options.topics),
                            corpus.vocabulary());
  return result;
}

}  // namespace sgmcmc
