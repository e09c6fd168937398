// A whole run of a Dirichlet process mixture: options, iterations, predictions, what is kept of the draws.
#include "base/text.hpp"
#include "mixtures/dpmix_chain.hpp"
#include "mixtures/prediction.hpp"
#include "topics/document_run.hpp"

#include <sgmcmc/dpmix.hpp>
#include <sgmcmc/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

namespace sgmcmc {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::uint32_t held_out_documents(const Corpus& corpus, const DpmixOptions& options) {
  const double wanted = std::ceil(options.holdout * static_cast<double>(corpus.documents()));
  return static_cast<std::uint32_t>(
      std::min({wanted, static_cast<double>(options.most_held_out), static_cast<double>(corpus.documents() - 1)}));
}

/// Those with documents, the largest weight first.
std::vector<DpmixCluster> clusters_of(const DpmixChain& chain) {
  std::vector<DpmixCluster> clusters;
  for (std::size_t j = 0; j < chain.sticks().size(); ++j) {
    if (chain.documents_in(j) == 0) continue;
    DpmixCluster cluster{std::exp(chain.sticks().log_weights()[j]), chain.documents_in(j), {}};
    for (std::size_t w = 0; w < chain.table().words(); ++w)
      cluster.probabilities.push_back(static_cast<float>(std::exp(chain.table().log_probability(j, w))));
    clusters.push_back(std::move(cluster));
  }
  std::stable_sort(clusters.begin(), clusters.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
  return clusters;
}

}  // namespace

void DpmixOptions::validate() const {
  if (method != SimplexMethod::scir && method != SimplexMethod::sgrld)
    throw OptionError("method is " + std::string(simplex_method_name(method)) +
                      "; clusters of a Dirichlet process are moved by scir or sgrld");
  check_positive("beta", beta);
  if (concentration != 0) check_positive("concentration", concentration);
  check_positive("concentration_shape", concentration_shape);
  check_positive("concentration_rate", concentration_rate);
  if (step_size != 0) check_positive("step_size", step_size);
  if (stick_step_size != 0) check_positive("stick_step_size", stick_step_size);
  check_document_run(*this);
  if (initial_clusters == 0) throw OptionError("initial_clusters is 0; at least one is needed");
  if (most_clusters < initial_clusters)
    throw OptionError("most_clusters is " + std::to_string(most_clusters) + ", less than the " +
                      std::to_string(initial_clusters) + " of initial_clusters");
}

DpmixSteps default_steps(SimplexMethod method) {
  return method == SimplexMethod::scir ? DpmixSteps{0.1, 0.1} : DpmixSteps{0.001, 0.005};
}

std::vector<std::uint32_t> DpmixCluster::top_words(std::size_t count) const {
  std::vector<std::uint32_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0U);
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return probabilities[a] != probabilities[b] ? probabilities[a] > probabilities[b] : a < b;
                    });
  order.resize(count);
  return order;
}

DpmixResult fit_dpmix(const Corpus& corpus, const DpmixOptions& given) {
  given.validate();
  if (corpus.documents() >= std::numeric_limits<std::uint32_t>::max())
    throw DataError("there are " + std::to_string(corpus.documents()) + " documents; at most 4294967294 are possible");
  DpmixOptions options = given;
  const DpmixSteps usual = default_steps(options.method);
  if (options.step_size == 0) options.step_size = usual.clusters;
  if (options.stick_step_size == 0) options.stick_step_size = usual.sticks;
  const auto start = Clock::now();
  ThreadPool pool(options.threads);
  DpmixChain chain(corpus.store(), corpus.words(), options, held_out_documents(corpus, options), pool);
  HeldOutDocuments held_out(
      corpus.store(), chain.choice().held_out(), corpus.words(), options.beta,
      [&](std::uint64_t i) { return chain.choice().held_out_document(static_cast<std::uint32_t>(i)); });
  DpmixResult result;
  result.documents = chain.choice().visited();
  result.held_out = held_out.documents();
  result.last_log_predictive = std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t every =
      options.evaluate_every != 0 ? options.evaluate_every : std::max<std::uint64_t>(1, options.iterations / 100);
  const auto warm = static_cast<std::uint64_t>(options.warmup * static_cast<double>(options.iterations));
  std::uint64_t averaged = 0;
  for (std::uint64_t t = 0; t < options.iterations; ++t) {
    if (!chain.iterate(t)) ++result.failed_steps;
    result.iterations = t + 1;
    result.interrupted = options.interrupt != nullptr && options.interrupt->load() && t + 1 < options.iterations;
    const bool is_last = t + 1 == options.iterations || result.interrupted;
    if (!is_last && (t + 1) % every != 0) continue;
    const bool is_averaged = t >= warm || (is_last && averaged == 0);
    DpmixPoint point;
    point.iteration = t + 1;
    point.log_predictive = held_out.evaluate(chain.sticks(), chain.table(), is_averaged, pool);
    point.averaged = held_out.averaged();
    point.clusters = chain.occupied();
    point.concentration = chain.concentration();
    point.seconds = seconds_since(start);
    if (is_averaged) {
      ++averaged;
      result.mean_clusters += point.clusters;
      result.mean_concentration += point.concentration;
    }
    result.last_log_predictive = point.log_predictive;
    result.trace.push_back(point);
    if (options.progress) options.progress(point);
    if (is_last) break;
  }
  result.log_predictive = held_out.averaged();
  result.mean_clusters /= static_cast<double>(averaged);
  result.mean_concentration /= static_cast<double>(averaged);
  result.clusters = clusters_of(chain);
  result.truncated_steps = chain.truncated();
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace sgmcmc
