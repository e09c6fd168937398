// Stores documents in memory, or in an unnamed temporary file that is read document by document, so that a corpus of
// any size takes constant memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

struct WordCount {
  std::uint32_t word = 0;
  std::uint32_t count = 0;
};

/// Larger counts are treated as errors: every token needs its own assignment.
inline constexpr std::uint32_t most_of_one_word = std::uint32_t{1} << 24;

class DocumentStore {
 public:
  virtual ~DocumentStore() = default;

  virtual std::uint64_t documents() const = 0;
  virtual std::uint64_t tokens() const = 0;
  virtual bool in_memory() const = 0;
  /// The entries of a document, in `buffer` or in memory of the store: valid until buffer changes. Thread-safe with one
  /// buffer per thread.
  virtual std::span<const WordCount> read(std::uint64_t document, std::vector<WordCount>& buffer) const = 0;
};

/// Collects documents; moves them to a file once they exceed the limit.
class DocumentStoreBuilder {
 public:
  /// memory_bytes 0: no limit. folder: for the file; empty: the system's temporary folder.
  DocumentStoreBuilder(std::uint64_t memory_bytes, std::string folder);
  ~DocumentStoreBuilder();

  void add(WordCount entry) {
    entries_.push_back(entry);
    tokens_ += entry.count;
  }
  void end_document();
  std::uint64_t documents() const { return documents_; }
  std::uint64_t entries_of_document() const { return written_entries_ + entries_.size() - document_begin_; }

  std::unique_ptr<const DocumentStore> finish();

 private:
  class File;
  void flush();

  std::uint64_t memory_bytes_;
  std::string folder_;
  std::vector<WordCount> entries_;
  std::vector<std::uint64_t> ends_;  // of documents, in entries from the first
  std::uint64_t documents_ = 0, tokens_ = 0, document_begin_ = 0;
  std::uint64_t written_entries_ = 0;
  std::unique_ptr<File> entry_file_, index_file_;
};

}  // namespace sgmcmc
