// Estimated topics: top words, files, and application to new documents.
#include "base/text.hpp"
#include "data/formats/json_reader.hpp"
#include "data/formats/npy_reader.hpp"
#include "data/text/number_text.hpp"
#include "topics/corpus_readers.hpp"
#include "topics/held_out.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/lda.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>

namespace sgmcmc {

namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, std::string_view head, std::string_view body = {}) {
  std::ofstream file(path, std::ios::binary);
  file.write(head.data(), static_cast<std::streamsize>(head.size()));
  file.write(body.data(), static_cast<std::streamsize>(body.size()));
  file.flush();
  if (!file) throw FileError(path.string() + ": cannot be written");
}

/// The header of a NumPy file of little-endian floats.
std::string npy_head(std::uint32_t rows, std::uint32_t columns) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                     std::to_string(columns) + "), }";
  while ((10 + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() % 256);
  head += static_cast<char>(text.size() / 256);
  return head + text;
}

}  // namespace

TopicModel::TopicModel(std::uint32_t topics, std::uint32_t words, double alpha, double beta, std::vector<float> phi,
                       std::vector<std::string> vocabulary)
    : topics_(topics),
      words_(words),
      alpha_(alpha),
      beta_(beta),
      phi_(std::move(phi)),
      vocabulary_(std::move(vocabulary)) {
  if (phi_.size() != std::size_t{topics} * words)
    throw DataError("there are " + std::to_string(phi_.size()) + " probabilities for " + std::to_string(topics) +
                    " topics of " + std::to_string(words) + " words");
  for (std::size_t i = 0; i < phi_.size(); ++i)
    if (!(phi_[i] >= 0.0F && phi_[i] <= 1.001F))
      throw DataError("the probability of word " + std::to_string(i % words) + " in topic " +
                      std::to_string(i / words) + " is " + formatted("%g", static_cast<double>(phi_[i])) +
                      "; it must be from 0 to 1");
}

std::string TopicModel::word(std::uint32_t id) const {
  return id < vocabulary_.size() ? vocabulary_[id] : "word " + std::to_string(id + 1);
}

std::vector<TopWord> TopicModel::top_words(std::uint32_t topic, std::size_t count) const {
  const auto phi = std::span(phi_).subspan(std::size_t{topic} * words_, words_);
  std::vector<std::uint32_t> order(words_);
  std::iota(order.begin(), order.end(), 0U);
  count = std::min<std::size_t>(count, words_);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return phi[a] != phi[b] ? phi[a] > phi[b] : a < b; });
  std::vector<TopWord> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back({order[i], static_cast<double>(phi[order[i]])});
  return result;
}

void TopicModel::check(const Corpus& corpus) const {
  if (corpus.words() > words_)
    throw DataError("the documents have " + std::to_string(corpus.words()) + " words and the topics " +
                    std::to_string(words_) + ". Read the documents with the vocabulary of the topics");
}

void TopicModel::apply(const Corpus& corpus, const ApplyOptions& options,
                       const std::function<void(std::uint64_t, std::span<const double>)>& each) const {
  check(corpus);
  TopicTable table(words_, topics_);
  table.set_probabilities(phi_);
  ThreadPool pool(options.threads);
  struct Worker {
    DocumentGibbs gibbs;
    std::vector<double> uniforms;
    std::vector<WordCount> buffer;
  };
  std::vector<Worker> workers;
  for (int t = 0; t < pool.threads(); ++t) workers.push_back({DocumentGibbs(topics_, alpha_), {}, {}});
  constexpr std::uint64_t block = 256;
  std::vector<double> shares(block * topics_);
  for (std::uint64_t first = 0; first < corpus.documents(); first += block) {
    const std::uint64_t count = std::min(block, corpus.documents() - first);
    pool.for_each(count, [&](std::size_t i, int w) {
      Worker& worker = workers[static_cast<std::size_t>(w)];
      worker.gibbs.load(corpus.store().read(first + i, worker.buffer));
      average_shares(worker.gibbs, table, alpha_, options.burn_in, options.sweeps,
                     {options.seed, 0, first + i, Purpose::latent}, 0, worker.uniforms,
                     std::span(shares).subspan(i * topics_, topics_));
    });
    for (std::uint64_t i = 0; i < count; ++i) each(first + i, std::span(shares).subspan(i * topics_, topics_));
  }
}

double TopicModel::perplexity(const Corpus& corpus, const ApplyOptions& options) const {
  check(corpus);
  TopicTable table(words_, topics_);
  table.set_probabilities(phi_);
  ThreadPool pool(options.threads);
  HeldOut halves(
      corpus.store(), corpus.documents(), [](std::uint64_t i) { return i; }, options.seed);
  return halves.evaluate(table, alpha_, options.burn_in, options.sweeps, 0, false, pool);
}

void TopicModel::save(const std::string& folder) const {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw FileError(folder + ": the folder cannot be made: " + error.message());
  const fs::path path(folder);
  write_file(path / "topics.npy", npy_head(topics_, words_),
             {reinterpret_cast<const char*>(phi_.data()), phi_.size() * sizeof(float)});
  if (!vocabulary_.empty()) {
    std::string text;
    for (const auto& name : vocabulary_) text += name + '\n';
    write_file(path / "vocabulary.txt", text);
  }
  write_file(path / "model.json",
             "{\n  \"topics\": " + std::to_string(topics_) + ",\n  \"words\": " + std::to_string(words_) +
                 ",\n  \"alpha\": " + number_text(alpha_) + ",\n  \"beta\": " + number_text(beta_) + "\n}\n");
}

TopicModel TopicModel::load(const std::string& folder) {
  const fs::path path(folder);
  auto numbers = read_json_numbers((path / "model.json").string(), {"topics", "words", "alpha", "beta"},
                                   "Give the output folder of a run of lda");
  const std::string topics_name = (path / "topics.npy").string();
  Input topics(topics_name, open_file(topics_name));
  const DataArray array = read_npy(topics, WantedKind::real);
  const auto count = static_cast<std::uint32_t>(numbers["topics"]),
             words = static_cast<std::uint32_t>(numbers["words"]);
  if (!(numbers["alpha"] > 0.0) || array.shape().rank() != 2 || array.shape()[0] != count || array.shape()[1] != words)
    throw DataError(topics_name + ": does not hold the " + std::to_string(count) + " topics of " +
                    std::to_string(words) + " words that model.json announces");
  std::vector<float> phi(static_cast<std::size_t>(array.size()));
  for (std::size_t i = 0; i < phi.size(); ++i) phi[i] = static_cast<float>(array[static_cast<std::int64_t>(i)]);
  std::vector<std::string> vocabulary;
  const fs::path names = path / "vocabulary.txt";
  std::error_code ignored;
  if (fs::exists(names, ignored)) {
    vocabulary = read_word_list(names.string());
    if (vocabulary.size() != words)
      throw DataError(names.string() + ": has " + std::to_string(vocabulary.size()) + " words; " +
                      std::to_string(words) + " are needed");
  }
  return {count, words, numbers["alpha"], numbers["beta"], std::move(phi), std::move(vocabulary)};
}

}  // namespace sgmcmc
