// Topics and clusters as text: a line each, with its share and top words.
#pragma once

#include <sgmcmc/dpmix.hpp>
#include <sgmcmc/lda.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc {

/// Topic numbers, counted from 0, by decreasing share.
std::vector<std::uint32_t> topics_by_share(const std::vector<double>& shares);
std::vector<std::string> top_words(const TopicModel& model, std::uint32_t topic, std::size_t count);
/// Topics by decreasing share, with this many words each.
std::string topic_table(const TopicModel& model, const std::vector<double>& shares, std::size_t words);

std::vector<std::string> top_words(const Corpus& corpus, const DpmixCluster& cluster, std::size_t count);
/// Clusters in the order of the result; most: the number of clusters shown, 0: all.
std::string cluster_table(const Corpus& corpus, const DpmixResult& result, std::size_t words, std::size_t most = 0);

}  // namespace sgmcmc
