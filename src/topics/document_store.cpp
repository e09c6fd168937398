// Documents in memory, or in a file with an index.
#include "topics/document_store.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace sgmcmc {

/// An unnamed temporary file, which vanishes when closed, even if the program crashes.
class DocumentStoreBuilder::File {
 public:
  explicit File(const std::string& folder) {
    std::error_code ignored;
    std::string path = folder.empty() ? std::filesystem::temp_directory_path(ignored).string() : folder;
    path += "/sgmcmc-corpus-XXXXXX";
    descriptor_ = ::mkstemp(path.data());
    if (descriptor_ < 0) fail("cannot be made in " + (folder.empty() ? "the folder for temporary files" : folder));
    ::unlink(path.c_str());
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void append(const void* data, std::size_t bytes) {
    const char* from = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t count = ::write(descriptor_, from, bytes);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail("cannot be written");
      from += count;
      bytes -= static_cast<std::size_t>(count);
    }
  }

  void read(void* to, std::size_t bytes, std::uint64_t at) const {
    char* target = static_cast<char*>(to);
    while (bytes > 0) {
      const ssize_t count = ::pread(descriptor_, target, bytes, static_cast<off_t>(at));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail("cannot be read");
      target += count;
      at += static_cast<std::uint64_t>(count);
      bytes -= static_cast<std::size_t>(count);
    }
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw FileError("the temporary file for documents beyond the memory limit " + what + ": " + std::strerror(errno) +
                    ". Free space there, use another folder, or allow more memory");
  }
  int descriptor_ = -1;
};

namespace {

constexpr std::size_t flush_entries = std::size_t{1} << 18;

class MemoryStore final : public DocumentStore {
 public:
  MemoryStore(std::vector<WordCount> entries, std::vector<std::uint64_t> ends, std::uint64_t tokens)
      : entries_(std::move(entries)), ends_(std::move(ends)), tokens_(tokens) {}

  std::uint64_t documents() const override { return ends_.size(); }
  std::uint64_t tokens() const override { return tokens_; }
  bool in_memory() const override { return true; }
  std::span<const WordCount> read(std::uint64_t document, std::vector<WordCount>&) const override {
    const std::uint64_t begin = document == 0 ? 0 : ends_[document - 1];
    return std::span(entries_).subspan(begin, ends_[document] - begin);
  }

 private:
  std::vector<WordCount> entries_;
  std::vector<std::uint64_t> ends_;
  std::uint64_t tokens_;
};

template <class File>
class FileStore final : public DocumentStore {
 public:
  FileStore(std::unique_ptr<File> entries, std::unique_ptr<File> index, std::uint64_t documents, std::uint64_t tokens)
      : entries_(std::move(entries)), index_(std::move(index)), documents_(documents), tokens_(tokens) {}

  std::uint64_t documents() const override { return documents_; }
  std::uint64_t tokens() const override { return tokens_; }
  bool in_memory() const override { return false; }
  std::span<const WordCount> read(std::uint64_t document, std::vector<WordCount>& buffer) const override {
    std::uint64_t place[2] = {0, 0};  // end of the previous document, and of this one
    if (document == 0) {
      index_->read(&place[1], sizeof place[1], 0);
    } else {
      index_->read(place, sizeof place, (document - 1) * sizeof place[0]);
    }
    buffer.resize(place[1] - place[0]);
    entries_->read(buffer.data(), buffer.size() * sizeof(WordCount), place[0] * sizeof(WordCount));
    return buffer;
  }

 private:
  std::unique_ptr<File> entries_, index_;
  std::uint64_t documents_, tokens_;
};

}  // namespace

DocumentStoreBuilder::DocumentStoreBuilder(std::uint64_t memory_bytes, std::string folder)
    : memory_bytes_(memory_bytes), folder_(std::move(folder)) {}
DocumentStoreBuilder::~DocumentStoreBuilder() = default;

void DocumentStoreBuilder::end_document() {
  document_begin_ = written_entries_ + entries_.size();
  ends_.push_back(document_begin_);
  ++documents_;
  const std::uint64_t bytes = entries_.size() * sizeof(WordCount) + ends_.size() * sizeof ends_[0];
  // A growing vector temporarily takes three times its size: hence a third.
  if (!entry_file_ && memory_bytes_ != 0 && bytes > memory_bytes_ / 3) {
    entry_file_ = std::make_unique<File>(folder_);
    index_file_ = std::make_unique<File>(folder_);
  }
  if (entry_file_ && (entries_.size() >= flush_entries || ends_.size() >= flush_entries)) flush();
}

void DocumentStoreBuilder::flush() {
  entry_file_->append(entries_.data(), entries_.size() * sizeof(WordCount));
  index_file_->append(ends_.data(), ends_.size() * sizeof ends_[0]);
  written_entries_ += entries_.size();
  if (entries_.capacity() > 2 * flush_entries) std::vector<WordCount>().swap(entries_);
  if (ends_.capacity() > 2 * flush_entries) std::vector<std::uint64_t>().swap(ends_);
  entries_.clear();
  ends_.clear();
}

std::unique_ptr<const DocumentStore> DocumentStoreBuilder::finish() {
  if (!entry_file_) {
    entries_.shrink_to_fit();
    return std::make_unique<MemoryStore>(std::move(entries_), std::move(ends_), tokens_);
  }
  flush();
  return std::make_unique<FileStore<File>>(std::move(entry_file_), std::move(index_file_), documents_, tokens_);
}

}  // namespace sgmcmc
