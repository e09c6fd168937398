// Splitting documents, and predicting one half of each from the other.
#include "topics/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc {

namespace {

constexpr std::uint32_t held_out_chain = (std::uint32_t{1} << 24) - 1;  // no chain has this number

}  // namespace

HeldOut::HeldOut(const DocumentStore& store, std::uint64_t documents,
                 const std::function<std::uint64_t(std::uint64_t)>& document_of, std::uint64_t seed)
    : seed_(seed) {
  std::vector<WordCount> buffer;
  std::vector<double> uniforms;
  std::vector<std::pair<double, std::size_t>> order;
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < documents; ++i) {
    const auto document = store.read(document_of(i), buffer);
    std::uint64_t tokens = 0;
    for (const WordCount& entry : document) tokens += entry.count;
    if (tokens < 2) continue;
    uniforms.resize(tokens);
    fill_uniform({seed, 0, i, Purpose::data}, uniforms);
    order.clear();
    for (std::size_t t = 0; t < tokens; ++t) order.emplace_back(uniforms[t], t);
    std::sort(order.begin(), order.end());
    std::vector<bool> is_given(tokens);
    for (std::size_t t = 0; t < tokens; t += 2) is_given[order[t].second] = true;
    std::size_t token = 0;
    for (const WordCount& entry : document) {
      std::uint32_t given = 0;
      for (std::uint32_t c = 0; c < entry.count; ++c) given += is_given[token++] ? 1 : 0;
      if (given > 0) given_.push_back({entry.word, given});
      if (given < entry.count) predicted_.push_back({entry.word, entry.count - given});
    }
    given_end_.push_back(given_.size());
    predicted_end_.push_back(predicted_.size());
    first_token_.push_back(first);
    first += (tokens + 1) / 2;
    predicted_tokens_ += tokens / 2;
  }
  probability_.resize(predicted_.size());
  sum_.resize(predicted_.size());
}

void average_shares(DocumentGibbs& gibbs, const TopicTable& table, double alpha, std::uint32_t burn_in,
                    std::uint32_t sweeps, const StreamKey& key, std::uint64_t first, std::vector<double>& uniforms,
                    std::span<double> shares) {
  uniforms.resize(gibbs.tokens());
  const auto next = [&]() -> std::span<const double> {
    fill_uniform(key, uniforms, first);
    first += uniforms.size();
    return uniforms;
  };
  gibbs.assign(table, next());
  for (std::uint32_t s = 0; s < burn_in; ++s) gibbs.sweep(table, next());
  std::fill(shares.begin(), shares.end(), 0.0);
  for (std::uint32_t s = 0; s < sweeps; ++s) {
    gibbs.sweep(table, next());
    for (std::size_t k = 0; k < shares.size(); ++k) shares[k] += static_cast<double>(gibbs.counts()[k]);
  }
  const double total = static_cast<double>(gibbs.tokens()) + alpha * static_cast<double>(shares.size());
  for (double& share : shares) share = (share / static_cast<double>(sweeps) + alpha) / total;
}

double HeldOut::evaluate(const TopicTable& table, double alpha, std::uint32_t burn_in, std::uint32_t sweeps,
                         std::uint64_t iteration, bool averaged, ThreadPool& pool) {
  struct Worker {
    DocumentGibbs gibbs;
    std::vector<double> uniforms, shares;
  };
  std::vector<Worker> workers;
  for (int t = 0; t < pool.threads(); ++t)
    workers.push_back({DocumentGibbs(table.topics(), alpha), {}, std::vector<double>(table.topics())});
  const StreamKey key{seed_, held_out_chain, iteration, Purpose::latent};
  pool.for_each(documents(), [&](std::size_t d, int w) {
    Worker& worker = workers[static_cast<std::size_t>(w)];
    const std::uint64_t given = d == 0 ? 0 : given_end_[d - 1], predicted = d == 0 ? 0 : predicted_end_[d - 1];
    worker.gibbs.load(std::span(given_).subspan(given, given_end_[d] - given));
    average_shares(worker.gibbs, table, alpha, burn_in, sweeps, key, first_token_[d] * (1 + burn_in + sweeps),
                   worker.uniforms, worker.shares);
    for (std::uint64_t e = predicted; e < predicted_end_[d]; ++e) {
      const std::uint32_t word = predicted_[e].word;
      const float* const row = table.row(word);
      double p = 0;
      for (std::size_t k = 0; k < table.topics(); ++k) p += worker.shares[k] * static_cast<double>(row[k]);
      probability_[e] = p * std::exp(table.log_scale(word));
    }
  });
  double log_likelihood = 0;
  for (std::size_t e = 0; e < predicted_.size(); ++e) {
    log_likelihood += predicted_[e].count * std::log(probability_[e]);
    if (averaged) sum_[e] += probability_[e];
  }
  if (averaged) ++draws_;
  return predicted_tokens_ == 0 ? std::numeric_limits<double>::quiet_NaN()
                                : std::exp(-log_likelihood / static_cast<double>(predicted_tokens_));
}

double HeldOut::averaged_perplexity() const {
  if (draws_ == 0 || predicted_tokens_ == 0) return std::numeric_limits<double>::quiet_NaN();
  double log_likelihood = 0;
  for (std::size_t e = 0; e < predicted_.size(); ++e)
    log_likelihood += predicted_[e].count * std::log(sum_[e] / static_cast<double>(draws_));
  return std::exp(-log_likelihood / static_cast<double>(predicted_tokens_));
}

}  // namespace sgmcmc
