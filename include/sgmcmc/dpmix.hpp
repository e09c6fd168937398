// Dirichlet process mixtures of categorical data by minibatches: each document (such as the visits of a user) belongs
// to one cluster, which is a probability vector over words; the number of clusters is inferred.
//
//   const Corpus corpus = Corpus::read("anonymous-msweb.data.xz");
//   DpmixOptions options;
//   options.iterations = 5000;
//   const DpmixResult result = fit_dpmix(corpus, options);
//   result.log_predictive;                    // mean log probability of a held-out document
//   result.clusters.size();                   // clusters with documents, the largest first
#pragma once

#include <sgmcmc/checkpoint.hpp>
#include <sgmcmc/corpus.hpp>
#include <sgmcmc/simplex.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace sgmcmc {

/// Document i is multinomial(phi_z), z its cluster; phi_j ~ Dirichlet(beta), weights of clusters by stick breaking,
/// v_j ~ Beta(1, concentration), weight_j = v_j (1 - v_1) ... (1 - v_{j-1}).
struct DpmixOptions {
  SimplexMethod method = SimplexMethod::scir;  ///< scir or sgrld, for clusters and sticks
  double beta = 0.5;                           ///< Dirichlet prior on the words of a cluster
  double concentration = 0;                    ///< of the Dirichlet process; 0: inferred with prior Gamma(shape, rate)
  double concentration_shape = 1.0;
  double concentration_rate = 0.1;
  std::uint64_t iterations = 5000;
  std::uint32_t batch_size = 1000;  ///< documents per iteration; limited to their number
  double step_size = 0;             ///< of clusters; 0: default of the method (0.1 scir, 0.001 sgrld)
  double stick_step_size = 0;       ///< of sticks; 0: default of the method (0.1 scir, 0.005 sgrld)
  Schedule schedule{};              ///< of both
  std::uint32_t initial_clusters = 20;
  std::uint32_t most_clusters = 1000;  ///< maximum; beyond it, the smallest weights are dropped (see truncated_steps)
  double holdout = 0.1;                ///< share of the documents held out for prediction
  std::uint32_t most_held_out = 10000;
  std::uint64_t evaluate_every = 0;  ///< iterations between predictions; 0: a total of 100 predictions
  double warmup = 0.5;               ///< share of the iterations that are warm-up; later draws are averaged
  std::uint64_t seed = 1;
  std::uint32_t chain = 0;
  int threads = 1;  ///< 0: all processors. Does not affect results

  CheckpointOptions checkpoint;                  ///< resuming requires all other options but threads unchanged
  const std::atomic<bool>* interrupt = nullptr;  ///< ends the run early when set; keeps the results so far
  /// Called after every prediction.
  std::function<void(const struct DpmixPoint&)> progress;

  void validate() const;  ///< throws OptionError naming the option
};

/// The default step sizes.
struct DpmixSteps {
  double clusters, sticks;
};
DpmixSteps default_steps(SimplexMethod method);

/// The recorded part of a draw.
struct DpmixPoint {
  std::uint64_t iteration = 0;  ///< completed iterations
  double log_predictive = 0;    ///< of this draw, mean over held-out documents; NaN if there are none
  double averaged = 0;          ///< of predictions averaged over draws since warm-up; NaN before
  std::uint32_t clusters = 0;   ///< number of clusters with documents
  double concentration = 0;
  double seconds = 0;
};

struct DpmixCluster {
  double weight = 0;                 ///< of the mixture
  std::uint64_t documents = 0;       ///< in this cluster, among those visited so far
  std::vector<float> probabilities;  ///< of words
  /// Words in order of decreasing probability.
  std::vector<std::uint32_t> top_words(std::size_t count) const;
};

struct DpmixResult {
  /// Mean over held-out documents of the log of their probability, averaged over draws since warm-up; without the
  /// multinomial coefficient for the order of words. NaN if nothing is held out.
  double log_predictive = 0;
  double last_log_predictive = 0;      ///< of the last draw alone
  std::vector<DpmixCluster> clusters;  ///< of the last draw: those with documents, largest weight first
  double mean_clusters = 0;            ///< number of clusters with documents, over draws since warm-up
  double mean_concentration = 0;       ///< over draws since warm-up
  std::vector<DpmixPoint> trace;
  std::uint64_t iterations = 0;  ///< completed
  std::uint64_t documents = 0, held_out = 0;
  std::uint64_t failed_steps = 0;     ///< skipped because they overflowed
  std::uint64_t truncated_steps = 0;  ///< that needed more clusters than most_clusters
  double seconds = 0;
  bool interrupted = false;
};

/// Throws OptionError, and DataError if there are no documents to learn from.
DpmixResult fit_dpmix(const Corpus& corpus, const DpmixOptions& options);

}  // namespace sgmcmc
