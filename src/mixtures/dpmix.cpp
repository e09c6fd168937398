// A complete run of a Dirichlet process mixture: options, iterations, predictions, and the recorded results.
#include "base/text.hpp"
#include "mixtures/dpmix_chain.hpp"
#include "mixtures/prediction.hpp"
#include "topics/document_run.hpp"

#include <sgmcmc/dpmix.hpp>
#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sgmcmc {

namespace {

std::uint32_t held_out_documents(const Corpus& corpus, const DpmixOptions& options) {
  const double wanted = std::ceil(options.holdout * static_cast<double>(corpus.documents()));
  return static_cast<std::uint32_t>(
      std::min({wanted, static_cast<double>(options.most_held_out), static_cast<double>(corpus.documents() - 1)}));
}

/// Clusters with documents, largest weight first.
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
                      "; a Dirichlet process needs scir or sgrld");
  check_positive("beta", beta);
  if (concentration != 0) check_positive("concentration", concentration);
  check_positive("concentration_shape", concentration_shape);
  check_positive("concentration_rate", concentration_rate);
  if (step_size != 0) check_positive("step_size", step_size);
  if (stick_step_size != 0) check_positive("stick_step_size", stick_step_size);
  check_document_run(*this);
  if (initial_clusters == 0) throw OptionError("initial_clusters is 0; it must be at least 1");
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
    throw DataError("there are " + std::to_string(corpus.documents()) + " documents; the maximum is 4294967294");
  DpmixOptions options = given;
  const DpmixSteps usual = default_steps(options.method);
  if (options.step_size == 0) options.step_size = usual.clusters;
  if (options.stick_step_size == 0) options.stick_step_size = usual.sticks;
  DocumentRun run(options, 100);
  ThreadPool pool(options.threads);
  DpmixChain chain(corpus.store(), corpus.words(), options, held_out_documents(corpus, options), pool);
  HeldOutDocuments held_out(
      corpus.store(), chain.choice().held_out(), corpus.words(), options.beta,
      [&](std::uint64_t i) { return chain.choice().held_out_document(static_cast<std::uint32_t>(i)); });
  DpmixResult result;
  result.documents = chain.choice().visited();
  result.held_out = held_out.documents();
  result.last_log_predictive = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t averaged_draws = 0;
  DocumentRun::Parts parts;
  parts.iterate = [&](std::uint64_t iteration) {
    if (!chain.iterate(iteration)) ++result.failed_steps;
  };
  parts.evaluate = [&](std::uint64_t done, bool averaged) {
    DpmixPoint point;
    point.iteration = done;
    point.log_predictive = held_out.evaluate(chain.sticks(), chain.table(), averaged, pool);
    point.averaged = held_out.averaged();
    point.clusters = chain.occupied();
    point.concentration = chain.concentration();
    point.seconds = run.seconds();
    if (averaged) {
      ++averaged_draws;
      result.mean_clusters += point.clusters;
      result.mean_concentration += point.concentration;
    }
    result.last_log_predictive = point.log_predictive;
    if (!result.trace.empty() && result.trace.back().iteration == done) result.trace.pop_back();
    result.trace.push_back(point);
    if (options.progress) options.progress(point);
  };
  parts.visit = [&](StateVisitor& visitor) {
    chain.visit_state(visitor);
    held_out.visit_state(visitor);
    visitor.visit("averaged_draws", averaged_draws);
    visitor.visit("mean_clusters", result.mean_clusters);
    visitor.visit("mean_concentration", result.mean_concentration);
    visitor.visit("failed_steps", result.failed_steps);
    visitor.visit("last_log_predictive", result.last_log_predictive);
    visit_points(visitor, "trace", result.trace, [](DpmixPoint& point, const auto& field) {
      field(point.iteration);
      field(point.log_predictive);
      field(point.averaged);
      field(point.clusters);
      field(point.concentration);
      field(point.seconds);
    });
  };
  run.prepare([] { return DocumentRun::Findings{}; }, [](const DocumentRun::Findings&) {});
  run.go(parts);
  result.iterations = run.done();
  result.interrupted = run.interrupted();
  result.log_predictive = held_out.averaged();
  result.mean_clusters /= static_cast<double>(averaged_draws);
  result.mean_concentration /= static_cast<double>(averaged_draws);
  result.clusters = clusters_of(chain);
  result.truncated_steps = chain.truncated();
  result.seconds = run.seconds();
  return result;
}

}  // namespace sgmcmc
