// Documents as bags of words, read from files and kept in memory or in a temporary file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

class DocumentStore;  // how documents are kept: src/topics/document_store.hpp

enum class CorpusFormat : std::uint8_t {
  automatic,  ///< detected from the first lines
  uci,    ///< UCI bag of words: documents, words and entries on separate lines, then "document word count", ids from 1
  ldac,   ///< LDA-C: one document a line, "entries word:count word:count ...", word ids from 0
  cases,  ///< cases and votes, like the anonymous Microsoft web data: A,id,1,"title"; C,"name",id; V,id,count
  text,   ///< plain text: one document a line, or a folder with one document a file
};

struct CorpusOptions {
  CorpusFormat format = CorpusFormat::automatic;
  /// File with one word a line, in the order of the word ids. Text keeps only the words in this file; if empty, text
  /// builds its vocabulary, and words of other formats have no names.
  std::string vocabulary;
  /// Words omitted from a vocabulary built from text: "english", "none", or a file with one word a line.
  std::string stop_words = "english";
  std::uint32_t min_documents = 2;     ///< text: omit words in fewer documents
  double max_share = 0.5;              ///< text: omit words in a larger share of the documents
  std::uint32_t most_words = 100'000;  ///< text: maximum size of the vocabulary; keeps the most frequent words
  /// Whether to omit documents without words; if false, they are an error that names their place.
  bool skip_empty = false;
  /// Documents beyond this many bytes are kept in an unnamed temporary file, and read when needed; 0: no limit.
  std::uint64_t memory_bytes = 0;
  std::string folder;  ///< of that file; empty: the system's temporary folder

  void validate() const;  ///< throws OptionError naming the option
};

/// Cheap to copy: copies share the documents.
class Corpus {
 public:
  /// Reads a file (which may be compressed by gzip, zstd or xz) or a folder of text files. Throws DataError with file
  /// and line.
  static Corpus read(const std::string& path, const CorpusOptions& options = {});

  /// Builds a corpus in a program: word ids below `words`, and their counts.
  class Builder {
   public:
    explicit Builder(std::uint32_t words);
    ~Builder();
    Builder& add(std::span<const std::uint32_t> word_ids, std::span<const std::uint32_t> counts);
    Builder& vocabulary(std::vector<std::string> names);  ///< one for each word
    Corpus build();

   private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
  };

  std::uint64_t documents() const;
  std::uint64_t tokens() const;
  std::uint32_t words() const { return words_; }
  bool in_memory() const;
  std::uint64_t skipped() const { return skipped_; }  ///< number of documents without words that were omitted

  const std::vector<std::string>& vocabulary() const { return *vocabulary_; }  ///< may be empty
  std::string word(std::uint32_t id) const;  ///< its name, or "word 17", counted from 1, if it has none

  const DocumentStore& store() const { return *store_; }

  Corpus(std::shared_ptr<const DocumentStore> store, std::uint32_t words, std::vector<std::string> vocabulary,
         std::uint64_t skipped = 0);

 private:
  std::shared_ptr<const DocumentStore> store_;
  std::shared_ptr<const std::vector<std::string>> vocabulary_;
  std::uint32_t words_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace sgmcmc
