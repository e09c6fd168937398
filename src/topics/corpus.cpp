// Corpora: chooses the reader, and builds corpora in a program.
#include <sgmcmc/corpus.hpp>

#include "base/text.hpp"
#include "topics/corpus_readers.hpp"

#include <sgmcmc/error.hpp>

#include <filesystem>

namespace sgmcmc {

void CorpusOptions::validate() const {
  if (!(max_share > 0.0 && max_share <= 1.0))
    throw OptionError("max_share is " + formatted("%g", max_share) + "; it must be above 0 and at most 1");
  if (most_words == 0) throw OptionError("most_words is 0; at least one word must be kept");
}

Corpus::Corpus(std::shared_ptr<const DocumentStore> store, std::uint32_t words, std::vector<std::string> vocabulary,
               std::uint64_t skipped)
    : store_(std::move(store)),
      vocabulary_(std::make_shared<const std::vector<std::string>>(std::move(vocabulary))),
      words_(words),
      skipped_(skipped) {}

Corpus Corpus::read(const std::string& path, const CorpusOptions& options) {
  options.validate();
  std::vector<std::string> vocabulary;
  if (!options.vocabulary.empty()) vocabulary = read_word_list(options.vocabulary);
  if (vocabulary.size() >= 0xffffffff) throw DataError(options.vocabulary + ": there are more than 4294967294 words");
  const auto named = static_cast<std::uint32_t>(vocabulary.size());
  DocumentStoreBuilder builder(options.memory_bytes, options.folder);
  std::error_code ignored;
  ReadCorpus read;
  if (std::filesystem::is_directory(path, ignored)) {
    if (options.format != CorpusFormat::automatic && options.format != CorpusFormat::text)
      throw DataError(path + ": is a folder, but the format is that of a file of counts");
    read = read_texts(path, options, vocabulary, builder);
  } else {
    Input input(path, open_file(path));
    if (input.peek(1).empty()) throw DataError(path + ":1: the file is empty");
    const CorpusFormat format = options.format == CorpusFormat::automatic ? format_of(input) : options.format;
    if (format == CorpusFormat::uci) {
      read = read_uci(input, named, options.skip_empty, builder);
    } else if (format == CorpusFormat::ldac) {
      read = read_ldac(input, named, options.skip_empty, builder);
    } else if (format == CorpusFormat::cases) {
      if (named != 0)
        throw DataError(path + ": a file of cases names its words in its attributes; omit the vocabulary");
      read = read_cases(input, options.skip_empty, vocabulary, builder);
    } else {
      read = read_texts(path, options, vocabulary, builder);
    }
  }
  if (builder.documents() == 0) throw DataError(path + ": there is no document with words");
  return Corpus(builder.finish(), read.words, std::move(vocabulary), read.skipped);
}

std::uint64_t Corpus::documents() const { return store_->documents(); }
std::uint64_t Corpus::tokens() const { return store_->tokens(); }
bool Corpus::in_memory() const { return store_->in_memory(); }

std::string Corpus::word(std::uint32_t id) const {
  return id < vocabulary_->size() ? (*vocabulary_)[id] : "word " + std::to_string(id + 1);
}

struct Corpus::Builder::Parts {
  std::uint32_t words = 0;
  DocumentStoreBuilder store{0, ""};
  std::vector<std::string> names;
};

Corpus::Builder::Builder(std::uint32_t words) : parts_(std::make_unique<Parts>()) {
  if (words == 0) throw DataError("a corpus needs at least one word in its vocabulary");
  parts_->words = words;
}
Corpus::Builder::~Builder() = default;

Corpus::Builder& Corpus::Builder::add(std::span<const std::uint32_t> word_ids, std::span<const std::uint32_t> counts) {
  const std::string where = "document " + std::to_string(parts_->store.documents()) + " ";
  if (word_ids.size() != counts.size())
    throw DataError(where + "has " + std::to_string(word_ids.size()) + " words and " + std::to_string(counts.size()) +
                    " counts; give one count for each word");
  if (word_ids.empty()) throw DataError(where + "has no words. Omit it");
  for (std::size_t i = 0; i < word_ids.size(); ++i) {
    if (word_ids[i] >= parts_->words)
      throw DataError(where + "has word " + std::to_string(word_ids[i]) + "; ids are below " +
                      std::to_string(parts_->words));
    if (counts[i] == 0 || counts[i] > most_of_one_word)
      throw DataError(where + "has a count of " + std::to_string(counts[i]) + "; counts are from 1 to " +
                      std::to_string(most_of_one_word));
  }
  for (std::size_t i = 0; i < word_ids.size(); ++i) parts_->store.add({word_ids[i], counts[i]});
  parts_->store.end_document();
  return *this;
}

Corpus::Builder& Corpus::Builder::vocabulary(std::vector<std::string> names) {
  if (names.size() != parts_->words)
    throw DataError("the vocabulary has " + std::to_string(names.size()) + " names for " +
                    std::to_string(parts_->words) + " words; give one for each");
  parts_->names = std::move(names);
  return *this;
}

Corpus Corpus::Builder::build() {
  if (parts_->store.documents() == 0) throw DataError("a corpus needs at least one document");
  return Corpus(parts_->store.finish(), parts_->words, std::move(parts_->names));
}

}  // namespace sgmcmc
