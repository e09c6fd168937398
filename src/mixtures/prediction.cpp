// Keeps documents in memory, with their constant probability under the prior.
#include "mixtures/prediction.hpp"

#include "base/log_gamma.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc {

HeldOutDocuments::HeldOutDocuments(const DocumentStore& store, std::uint64_t documents, std::uint32_t words,
                                   double beta, const std::function<std::uint64_t(std::uint64_t)>& document_of) {
  std::vector<WordCount> buffer, merged;
  const double prior_total = beta * static_cast<double>(words);
  for (std::uint64_t i = 0; i < documents; ++i) {
    const auto read = store.read(document_of(i), buffer);
    merged.assign(read.begin(), read.end());  // a word may occur in several entries
    std::sort(merged.begin(), merged.end(), [](const auto& a, const auto& b) { return a.word < b.word; });
    double tokens = 0, log_prior = 0, count = 0;
    for (std::size_t e = 0; e < merged.size(); ++e) {
      tokens += merged[e].count;
      count += merged[e].count;
      if (e + 1 < merged.size() && merged[e + 1].word == merged[e].word) continue;
      log_prior += log_gamma(beta + count) - log_gamma(beta);
      count = 0;
    }
    log_prior_.push_back(log_prior + log_gamma(prior_total) - log_gamma(prior_total + tokens));
    entries_.insert(entries_.end(), merged.begin(), merged.end());
    ends_.push_back(entries_.size());
  }
  log_probability_.resize(ends_.size());
  log_summed_.assign(ends_.size(), -std::numeric_limits<double>::infinity());
}

std::span<const WordCount> HeldOutDocuments::document(std::size_t i) const {
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::span(entries_).subspan(begin, ends_[i] - begin);
}

double HeldOutDocuments::evaluate(const Sticks& sticks, const ClusterTable& table, bool averaged, ThreadPool& pool) {
  scores_.resize(static_cast<std::size_t>(pool.threads()));
  constexpr std::size_t piece = 64;
  const std::size_t count = ends_.size();
  pool.for_each((count + piece - 1) / piece, [&](std::size_t p, int worker) {
    auto& scores = scores_[static_cast<std::size_t>(worker)];
    scores.resize(table.size());
    for (std::size_t i = p * piece; i < std::min(count, (p + 1) * piece); ++i) {
      table.score(document(i), scores);
      double high = sticks.log_rest() + log_prior_[i];
      const double from_prior = high;
      for (std::size_t j = 0; j < scores.size(); ++j) high = std::max(high, scores[j] += sticks.log_weights()[j]);
      double sum = std::exp(from_prior - high);
      for (const double score : scores) sum += std::exp(score - high);
      log_probability_[i] = high + std::log(sum);
    }
  });
  double mean = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mean += log_probability_[i] / static_cast<double>(count);
    if (averaged) log_summed_[i] = log_sum(log_summed_[i], log_probability_[i]);
  }
  if (averaged) ++draws_;
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : mean;
}

double HeldOutDocuments::averaged() const {
  if (draws_ == 0 || ends_.empty()) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0;
  for (const double sum : log_summed_) mean += sum / static_cast<double>(ends_.size());
  return mean - std::log(static_cast<double>(draws_));
}

}  // namespace sgmcmc
