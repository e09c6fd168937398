// Documents as bags of words: read from files, in memory or, where they do not fit, from a file of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

class DocumentStore;  // how documents are kept: src/topics/document_store.hpp

enum class CorpusFormat : std::uint8_t {
  automatic,  ///< seen from the first lines
  uci,    ///< UCI bag of words: documents, words and entries on lines of their own, then "document word count", from 1
  ldac,   ///< LDA-C: one document a line, "entries word:count word:count ...", words from 0
  cases,  ///< cases and votes, as the anonymous Microsoft web data: A,id,1,"title"; C,"name",id; V,id,count
  text,   ///< plain text: one document a line, or a folder with one document a file
};

struct CorpusOptions {
  CorpusFormat format = CorpusFormat::automatic;
  /// File with one word a line, in the order of the word ids. Text keeps the words of this file only; without one it
  /// builds its vocabulary, and other formats leave words without names.
  std::string vocabulary;
  /// Words left out of a vocabulary built from text: "english", "none", or a file with one word a line.
  std::string stop_words = "english";
  std::uint32_t min_documents = 2;     ///< text: words of fewer documents are left out
  double max_share = 0.5;              ///< text: words in a larger share of the documents are left out
  std::uint32_t most_words = 100'000;  ///< text: the most frequent words are kept
  /// Documents without words are an error, with their place, unless they may be left out.
  bool skip_empty = false;
  /// Documents beyond so many bytes are kept in a file without a name, and read when they are needed; 0: never.
  std::uint64_t memory_bytes = 0;
  std::string folder;  ///< of that file; empty: the system's for temporary files

  void validate() const;  ///< throws OptionError naming the option
};

/// Cheap to copy: copies share the documents.
class Corpus {
 public:
  /// Reads a file (also one packed by gzip, zstd or xz) or a folder of texts. Throws DataError with file and line.
  static Corpus read(const std::string& path, const CorpusOptions& options = {});

  /// Documents made by a program: word ids below `words`, and how often each occurs.
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
  std::uint64_t skipped() const { return skipped_; }  ///< documents without words that were left out

  const std::vector<std::string>& vocabulary() const { return *vocabulary_; }  ///< may be empty
  std::string word(std::uint32_t id) const;  ///< its name, or "word 17" counted from 1 where it has none

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
