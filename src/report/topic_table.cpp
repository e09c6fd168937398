// Formats topics and clusters as lines of text.
#include "report/topic_table.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <numeric>

namespace sgmcmc {

std::vector<std::uint32_t> topics_by_share(const std::vector<double>& shares) {
  std::vector<std::uint32_t> order(shares.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return shares[a] > shares[b]; });
  return order;
}

std::vector<std::string> top_words(const TopicModel& model, std::uint32_t topic, std::size_t count) {
  std::vector<std::string> names;
  for (const auto& top : model.top_words(topic, count)) names.push_back(model.word(top.word));
  return names;
}

std::string topic_table(const TopicModel& model, const std::vector<double>& shares, std::size_t words) {
  std::string text;
  for (const std::uint32_t k : topics_by_share(shares))
    text += formatted("%5u  %5.1f%%  ", k + 1, 100 * shares[k]) + joined(top_words(model, k, words), " ") + "\n";
  return text;
}

std::vector<std::string> top_words(const Corpus& corpus, const DpmixCluster& cluster, std::size_t count) {
  std::vector<std::string> names;
  for (const auto word : cluster.top_words(count)) names.push_back(corpus.word(word));
  return names;
}

std::string cluster_table(const Corpus& corpus, const DpmixResult& result, std::size_t words, std::size_t most) {
  std::string text;
  const std::size_t count = most == 0 ? result.clusters.size() : std::min(most, result.clusters.size());
  for (std::size_t j = 0; j < count; ++j)
    text += formatted("%5zu  %5.1f%%  ", j + 1, 100 * result.clusters[j].weight) +
            joined(top_words(corpus, result.clusters[j], words), ", ") + "\n";
  if (count < result.clusters.size()) text += "... and " + std::to_string(result.clusters.size() - count) + " more\n";
  return text;
}

}  // namespace sgmcmc
