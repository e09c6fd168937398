// Gibbs sampling of topic assignments: tokens redrawn per second on one core, with 100 topics.
#include "benchmarks.hpp"
#include "timing.hpp"

#include "topics/batch_counts.hpp"

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace sgmcmc::bench {

void run_lda(Results& results, const Effort& effort) {
  constexpr std::size_t words = 8000, topics = 100, documents = 20, length = 250;
  // Topics as sparse as those of text (Dirichlet 0.05) and words as uneven: ranks with probability about 1 / rank.
  std::vector<double> log_theta(words * topics), shape(words * topics), totals(topics);
  for (std::size_t w = 0; w < words; ++w)
    std::fill_n(shape.begin() + static_cast<std::ptrdiff_t>(w * topics), topics,
                0.05 * std::min(20.0, 1000.0 / static_cast<double>(w + 1)));
  fill_log_gamma({1, 0, 0, Purpose::data}, shape, log_theta);
  ThreadPool pool(1);
  TopicTable table(words, topics);
  table.set(log_theta, totals, pool);
  DocumentStoreBuilder builder(0, "");
  std::vector<double> uniforms(length);
  for (std::uint64_t d = 0; d < documents; ++d) {
    fill_uniform({2, 0, d, Purpose::data}, uniforms);
    std::vector<std::uint32_t> ids;
    for (const double u : uniforms) ids.push_back(static_cast<std::uint32_t>(std::pow(words + 1.0, u) - 1.0));
    std::sort(ids.begin(), ids.end());
    for (std::size_t i = 0, end = 0; i < ids.size(); i = end) {
      while (end < ids.size() && ids[end] == ids[i]) ++end;
      builder.add({ids[i], static_cast<std::uint32_t>(end - i)});
    }
    builder.end_document();
  }
  const auto store = builder.finish();
  BatchGibbs gibbs(*store, topics, 0.1, pool);
  std::vector<std::uint32_t> batch(documents), counts(words * topics);
  std::iota(batch.begin(), batch.end(), 0U);
  constexpr std::uint32_t burn_in = 4, sweeps = 8;
  double best = 1e300;
  // Few documents per round, so that rounds are shorter than the time slices of a busy machine.
  for (int round = 0; round < effort.rounds; ++round)
    best = std::min(best, microseconds_of([&] {
                      gibbs.run(batch, {burn_in, sweeps}, table, counts,
                                {3, 0, static_cast<std::uint64_t>(round), Purpose::latent});
                    }));
  const double updates = static_cast<double>(gibbs.batch_tokens()) * (1 + burn_in + sweeps);
  results.judge("lda_million_tokens_per_s_per_core", updates / best, Results::Goal::at_least, 8,
                "topic assignments drawn anew, 100 topics, millions per second and core");
}

}  // namespace sgmcmc::bench
