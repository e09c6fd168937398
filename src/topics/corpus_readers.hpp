// Readers of corpora, one per format: pass documents to a builder, and report errors with file and line.
#pragma once

#include <cstddef>
#include "data/text/byte_source.hpp"
#include "topics/document_store.hpp"

#include <sgmcmc/corpus.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sgmcmc {

/// Size of a read from a file.
inline constexpr std::size_t bytes_at_a_time = std::size_t{256} << 10;

struct ReadCorpus {
  std::uint32_t words = 0;
  std::uint64_t skipped = 0;  ///< documents without words
};

/// vocabulary_words: size of the vocabulary; 0: no vocabulary.
ReadCorpus read_uci(Input& input, std::uint32_t vocabulary_words, bool skip_empty, DocumentStoreBuilder& builder);
ReadCorpus read_ldac(Input& input, std::uint32_t vocabulary_words, bool skip_empty, DocumentStoreBuilder& builder);

/// Names of attributes go to `names`, in the order of word ids.
ReadCorpus read_cases(Input& input, bool skip_empty, std::vector<std::string>& names, DocumentStoreBuilder& builder);
bool looks_like_cases(std::string_view head);  ///< the first bytes of a file

/// A file with one document per line, or a folder with one document per file. Builds `vocabulary` if it is empty.
ReadCorpus read_texts(const std::string& path, const CorpusOptions& options, std::vector<std::string>& vocabulary,
                      DocumentStoreBuilder& builder);

/// One word per line. Throws DataError on empty lines.
std::vector<std::string> read_word_list(const std::string& path);

/// English stop words, in lower case.
const std::vector<std::string>& english_stop_words();

/// Detects the format from the first lines.
CorpusFormat format_of(Input& input);

/// Calls each(word) for the words of a text, in lower case: runs of at least two letters (including bytes of other
/// alphabets) and digits, with at least one letter.
template <class Each>
void for_each_word(std::string_view text, std::string& word, Each&& each) {
  const auto finish = [&] {
    const bool has_letter = word.find_first_not_of("0123456789") != std::string::npos;
    if (word.size() >= 2 && word.size() <= 64 && has_letter) each(static_cast<const std::string&>(word));
    word.clear();
  };
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 'A' && byte <= 'Z') {
      word += static_cast<char>(byte - 'A' + 'a');
    } else if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte >= 0x80) {
      word += c;
    } else if (c == '\'' && !word.empty()) {
      continue;  // "don't" becomes "dont"
    } else if (!word.empty()) {
      finish();
    }
  }
  finish();
}

}  // namespace sgmcmc
