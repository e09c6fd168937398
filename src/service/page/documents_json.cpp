// Reads topics.npy, clusters.csv and the traces of runs.
#include "service/page/documents_json.hpp"

#include "report/html_page.hpp"
#include "service/page/csv_lines.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/lda.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t words_shown = 12;

/// Reads the share of each topic from topics.txt, whose lines are "    3   12.5%  word word".
std::vector<double> shares_in(const fs::path& path, std::size_t topics) {
  std::vector<double> shares(topics, std::nan(""));
  std::ifstream file(path, std::ios::binary);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::size_t topic = 0;
    double percent = 0;
    if (words >> topic >> percent && topic >= 1 && topic <= topics) shares[topic - 1] = percent / 100;
  }
  return shares;
}

}  // namespace

Json course_json(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!std::getline(file, line)) return nullptr;
  const auto names = csv_fields(line);
  std::vector<std::vector<std::string>> lines;
  while (std::getline(file, line)) {
    auto fields = csv_fields(line);
    if (fields.size() == names.size()) lines.push_back(std::move(fields));
  }
  if (lines.empty()) return nullptr;
  constexpr std::size_t most = 400;
  const std::size_t step = (lines.size() + most - 1) / most;
  Json json = {{"columns", names}, {"values", Json::array()}};
  for (std::size_t column = 0; column < names.size(); ++column) {
    Json values = Json::array();
    for (std::size_t k = lines.size() - 1 - (lines.size() - 1) / step * step; k < lines.size(); k += step)
      values.push_back(lines[k][column].empty() ? Json() : rounded(std::strtod(lines[k][column].c_str(), nullptr)));
    json["values"].push_back(std::move(values));
  }
  return json;
}

Json topics_json(const fs::path& folder) {
  const TopicModel model = TopicModel::load(folder.string());
  const auto shares = shares_in(folder / "topics.txt", model.topics());
  std::vector<std::uint32_t> order(model.topics());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return shares[a] > shares[b]; });
  Json json = {{"kind", "topic"}, {"items", Json::array()}, {"vocabulary", model.words()}};
  for (const auto topic : order) {
    Json item = {{"number", topic + 1}, {"share", rounded(shares[topic], 4)}, {"words", Json::array()}};
    for (const auto& top : model.top_words(topic, words_shown))
      item["words"].push_back({model.word(top.word), rounded(top.probability, 3)});
    json["items"].push_back(std::move(item));
  }
  json["course"] = course_json(folder / "perplexity.csv");
  return json;
}

Json clusters_json(const fs::path& folder) {
  const fs::path path = folder / "clusters.csv";
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!std::getline(file, line)) throw FileError(path.string() + ": cannot be read");
  const auto words = csv_fields(line);
  if (words.size() < 2) throw FileError(path.string() + ": is not a table of clusters");
  Json json = {{"kind", "cluster"}, {"items", Json::array()}, {"vocabulary", words.size() - 2}};
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    const auto fields = csv_fields(line);
    if (fields.size() != words.size())
      throw FileError(path.string() + ": cluster " + std::to_string(number) + " is incomplete");
    std::vector<std::pair<double, std::size_t>> probabilities;
    for (std::size_t k = 2; k < fields.size(); ++k)
      probabilities.emplace_back(-std::strtod(fields[k].c_str(), nullptr), k);
    const auto shown = static_cast<std::ptrdiff_t>(std::min(words_shown, probabilities.size()));
    std::partial_sort(probabilities.begin(), probabilities.begin() + shown, probabilities.end());
    Json item = {{"number", number},
                 {"share", rounded(std::strtod(fields[0].c_str(), nullptr), 4)},
                 {"documents", rounded(std::strtod(fields[1].c_str(), nullptr))},
                 {"words", Json::array()}};
    for (std::ptrdiff_t k = 0; k < shown; ++k)
      item["words"].push_back({words[probabilities[static_cast<std::size_t>(k)].second],
                               rounded(-probabilities[static_cast<std::size_t>(k)].first, 3)});
    json["items"].push_back(std::move(item));
  }
  json["course"] = course_json(folder / "trace.csv");
  return json;
}

}  // namespace sgmcmc
