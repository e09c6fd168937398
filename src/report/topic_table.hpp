// Topics and clusters as text: a line each, with its share and top words.
#pragma once

#include <sgmcmc/dpmix.hpp>
#include <sgmcmc/lda.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc {

/// Topics from the most common to the rarest, counted from 0.
std::vector<std::uint32_t> topics_by_share(const std::vector<double>& shares);
std::vector<std::string> top_words(const TopicModel& model, std::uint32_t topic, std::size_t count);
/// The most common topic first; `words` for each.
std::string topic_table(const TopicModel& model, const std::vector<double>& shares, std::size_t words);

std::vector<std::string> top_words(const Corpus& corpus, const DpmixCluster& cluster, std::size_t count);
/// In the order of the result; most: clusters shown, 0: all.
std::string cluster_table(const Corpus& corpus, const DpmixResult& result, std::size_t words, std::size_t most = 0);

}  // namespace sgmcmc
