// Fills the table of topics.
#include "topics/topic_table.hpp"

#include "base/vector_math.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace sgmcmc {

namespace {

/// Probabilities below this fraction of the word's largest are set to 0: denormal numbers slow processors down a
/// hundredfold.
constexpr float negligible = 1e-30F;

float not_tiny(float value) { return value < negligible ? 0.0F : value; }

}  // namespace

TopicTable::TopicTable(std::size_t words, std::size_t topics)
    : topics_(topics), stride_((topics + lanes - 1) / lanes * lanes), rows_(words * stride_), log_scale_(words) {}

std::uint64_t TopicTable::bytes(std::uint64_t words, std::uint64_t topics) {
  return words * ((topics + lanes - 1) / lanes * lanes * sizeof(float) + sizeof(double));
}

void TopicTable::set_row(std::size_t word, std::string_view bytes) {
  std::memcpy(rows_.data() + word * stride_, bytes.data(), std::min(bytes.size(), stride_ * sizeof(float)));
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
        for (std::ptrdiff_t i = 0; i < count; ++i)
          row[k + static_cast<std::size_t>(i)] = not_tiny(static_cast<float>(values[i]));
      }
    }
  });
}

void TopicTable::set_probabilities(std::span<const float> phi) {
  for (std::size_t w = 0; w < words(); ++w) {
    float highest = 0.0F;
    for (std::size_t k = 0; k < topics_; ++k) highest = std::max(highest, phi[k * words() + w]);
    // A word of probability 0 in all topics gets the same tiny probability in each.
    const bool is_unknown = !(highest > 0.0F);
    log_scale_[w] = std::log(static_cast<double>(is_unknown ? std::numeric_limits<float>::min() : highest));
    for (std::size_t k = 0; k < topics_; ++k)
      rows_[w * stride_ + k] = is_unknown ? 1.0F : not_tiny(phi[k * words() + w] / highest);
  }
}

}  // namespace sgmcmc
