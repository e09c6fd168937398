// Reads plain text: the words of every document, and a vocabulary without words that are too rare or too common.
#include "topics/corpus_readers.hpp"

#include "data/text/lines.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <unordered_set>

namespace sgmcmc {

namespace {

namespace fs = std::filesystem;

using WordIds = std::unordered_map<std::string, std::uint32_t>;

/// Calls each(word) for every word of a document and end() after it.
struct DocumentVisitor {
  std::function<void(const std::string& word)> each;
  std::function<void()> end;
};

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n\f\v") == line.npos; }

void visit_file(const std::string& path, bool is_one_document, const DocumentVisitor& visitor) {
  Input input(path, open_file(path));
  Lines lines(input, bytes_at_a_time);
  std::string word;
  for (std::string_view line; lines.next(line);) {
    if (is_blank(line)) continue;
    for_each_word(line, word, visitor.each);
    if (!is_one_document) visitor.end();
  }
  if (is_one_document) visitor.end();
}

/// All documents of the path, in sorted order.
class Texts {
 public:
  explicit Texts(const std::string& path) {
    std::error_code error;
    is_folder_ = fs::is_directory(path, error);
    if (!is_folder_) {
      files_.push_back(path);
      return;
    }
    for (const auto& entry : fs::directory_iterator(path, error))
      if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
        files_.push_back(entry.path().string());
    if (error) throw DataError(path + ": the folder cannot be read: " + error.message());
    if (files_.empty()) throw DataError(path + ": the folder has no files. Put one document into each file");
    std::sort(files_.begin(), files_.end());
  }

  void visit(const DocumentVisitor& visitor) const {
    for (const auto& file : files_) visit_file(file, is_folder_, visitor);
  }

 private:
  bool is_folder_ = false;
  std::vector<std::string> files_;
};

std::unordered_set<std::string> stop_words_of(const CorpusOptions& options) {
  if (options.stop_words == "none") return {};
  const auto list = options.stop_words == "english" ? english_stop_words() : read_word_list(options.stop_words);
  std::unordered_set<std::string> words;
  std::string word;
  for (const auto& entry : list) for_each_word(entry, word, [&](const std::string& token) { words.insert(token); });
  return words;
}

std::vector<std::string> build_vocabulary(const std::string& path, const Texts& texts, const CorpusOptions& options) {
  struct Seen {
    std::uint64_t tokens = 0, documents = 0, last = 0;
  };
  std::unordered_map<std::string, Seen> seen;
  std::uint64_t documents = 0;
  texts.visit({[&](const std::string& word) {
                 Seen& entry = seen[word];
                 ++entry.tokens;
                 if (entry.last != documents + 1) {
                   entry.last = documents + 1;
                   ++entry.documents;
                 }
               },
               [&] { ++documents; }});
  const auto stop_words = stop_words_of(options);
  std::vector<std::pair<std::uint64_t, std::string>> kept;
  for (const auto& [word, entry] : seen)
    if (entry.documents >= options.min_documents &&
        static_cast<double>(entry.documents) <= options.max_share * static_cast<double>(documents) &&
        stop_words.find(word) == stop_words.end())
      kept.emplace_back(entry.tokens, word);
  if (kept.empty())
    throw DataError(path + ": the vocabulary is empty: " + std::to_string(documents) + " documents have " +
                    std::to_string(seen.size()) + " words, but none is in at least " +
                    std::to_string(options.min_documents) +
                    " documents, below max_share, and not a stop word. Lower min_documents or raise max_share");
  std::sort(kept.begin(), kept.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  if (kept.size() > options.most_words) kept.resize(options.most_words);
  std::vector<std::string> words;
  for (auto& entry : kept) words.push_back(std::move(entry.second));
  std::sort(words.begin(), words.end());
  return words;
}

}  // namespace

std::vector<std::string> read_word_list(const std::string& path) {
  Input input(path, open_file(path));
  Lines lines(input, bytes_at_a_time);
  std::vector<std::string> words;
  std::size_t number = 0, empty_line = 0;
  for (std::string_view line; lines.next(line);) {
    ++number;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    if (line.empty()) {
      if (empty_line == 0) empty_line = number;
      continue;
    }
    if (empty_line != 0)
      throw DataError(path + ":" + std::to_string(empty_line) + ": the line is empty. Write one word on each line");
    words.emplace_back(line);
  }
  if (words.empty()) throw DataError(path + ": the file contains no words. Write one word on each line");
  return words;
}

ReadCorpus read_texts(const std::string& path, const CorpusOptions& options, std::vector<std::string>& vocabulary,
                      DocumentStoreBuilder& builder) {
  const Texts texts(path);
  if (vocabulary.empty()) vocabulary = build_vocabulary(path, texts, options);
  WordIds ids;
  for (std::uint32_t i = 0; i < vocabulary.size(); ++i) ids.emplace(vocabulary[i], i);
  ReadCorpus result{static_cast<std::uint32_t>(vocabulary.size()), 0};
  std::vector<std::uint32_t> document;
  texts.visit(
      {[&](const std::string& word) {
         if (const auto found = ids.find(word); found != ids.end()) document.push_back(found->second);
       },
       [&] {
         if (document.empty()) {  // no word in the vocabulary: common in text, not an error
           ++result.skipped;
           return;
         }
         std::sort(document.begin(), document.end());
         for (std::size_t i = 0, end = 0; i < document.size(); i = end) {
           while (end < document.size() && document[end] == document[i]) ++end;
           builder.add({document[i], static_cast<std::uint32_t>(std::min<std::size_t>(end - i, most_of_one_word))});
         }
         document.clear();
         builder.end_document();
       }});
  if (builder.documents() == 0)
    throw DataError(path +
                    ": no document contains a word of the vocabulary. Is it the right vocabulary for these documents?");
  return result;
}

}  // namespace sgmcmc
