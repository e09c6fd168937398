// Filling the table of topics.
#include "topics/topic_table.hpp"

#include "base/vector_math.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc {

TopicTable::TopicTable(std::size_t words, std::size_t topics)
    : topics_(topics), stride_((topics + lanes - 1) / lanes * lanes), rows_(words * stride_), log_scale_(words) {}

std::uint64_t TopicTable::bytes(std::uint64_t words, std::uint64_t topics) {
  return words * ((topics + lanes - 1) / lanes * lanes * sizeof(float) + sizeof(double));
}

TopicTable TopicTable::copy() const {
  TopicTable result(words(), topics_);
  std::copy(rows_.begin(), rows_.end(), result.rows_.begin());
  result.log_scale_ = log_scale_;
  return result;
}

void TopicTable::set(std::span<const double> log_theta, std::span<const double> log_totals, ThreadPool& pool) {
  constexpr std::size_t piece = 64;
  pool.for_each((words() + piece - 1) / piece, [&](std::size_t p, int) {
    std::vector<double> logs(topics_);
    for (std::size_t w = p * piece; w < std::min(words(), (p + 1) * piece); ++w) {
      double highest = -std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < topics_; ++k) {
        logs[k] = log_theta[w * topics_ + k] - log_totals[k];
        highest = std::max(highest, logs[k]);
      }
      log_scale_[w] = highest;
      float* const row = rows_.data() + w * stride_;
      for (std::size_t k = 0; k < topics_; k += 8) {
        const auto count = static_cast<std::ptrdiff_t>(std::min<std::size_t>(8, topics_ - k));
        double values[8];
        store(values, exp(load_first(logs.data() + k, count) - highest));
        for (std::ptrdiff_t i = 0; i < count; ++i) row[k + static_cast<std::size_t>(i)] = static_cast<float>(values[i]);
      }
    }
  });
}

void TopicTable::set_probabilities(std::span<const float> phi) {
  for (std::size_t w = 0; w < words(); ++w) {
    float highest = std::numeric_limits<float>::min();  // a word no topic has: any topic will do
    for (std::size_t k = 0; k < topics_; ++k) highest = std::max(highest, phi[k * words() + w]);
    log_scale_[w] = std::log(static_cast<double>(highest));
    for (std::size_t k = 0; k < topics_; ++k) {
      const float scaled = phi[k * words() + w] / highest;
      rows_[w * stride_ + k] = std::max(scaled, std::numeric_limits<float>::min());
    }
  }
}

}  // namespace sgmcmc
