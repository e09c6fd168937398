// Streaming readers of UCI bags of words and LDA-C files.
#include "topics/corpus_readers.hpp"

#include "data/text/lines.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <limits>

namespace sgmcmc {

namespace {

constexpr std::int64_t beyond = std::int64_t{1} << 40;  // numbers are capped here, above every valid value

/// Reads the integers of a line one by one.
class LineNumbers {
 public:
  LineNumbers(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) { skip_blanks(); }

  bool at_end() const { return at_ == end_; }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  /// Returns false, and consumes nothing, if there is no integer.
  bool take(std::int64_t& value) {
    const char* p = at_;
    const bool is_negative = p != end_ && *p == '-';
    if (is_negative) ++p;
    const char* const digits = p;
    std::int64_t number = 0;
    for (; p != end_ && *p >= '0' && *p <= '9'; ++p) number = std::min(beyond, number * 10 + (*p - '0'));
    if (p == digits) return false;
    value = is_negative ? -number : number;
    at_ = p;
    return true;
  }
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  std::string_view rest() const {
    const char* p = at_;
    while (p != end_ && *p != ' ' && *p != '\t' && *p != '\r') ++p;
    return {at_, static_cast<std::size_t>(p - at_)};
  }

 private:
  const char* at_;
  const char* end_;
};

class CountReader {
 public:
  CountReader(Input& input, std::uint32_t vocabulary_words, bool skip_empty, DocumentStoreBuilder& builder)
      : file_(input.name()),
        lines_(input, bytes_at_a_time),
        vocabulary_words_(vocabulary_words),
        skip_empty_(skip_empty),
        builder_(builder) {}

  ReadCorpus read_uci() {
    const std::int64_t documents = header("documents"), words = header("words"), entries = header("entries");
    if (words == 0 || words > std::numeric_limits<std::uint32_t>::max() - 1)
      refuse("the number of words is " + std::to_string(words) + "; it must be from 1 to 4294967294");
    if (vocabulary_words_ != 0 && words != vocabulary_words_)
      refuse("the file announces " + std::to_string(words) + " words, but the vocabulary has " +
             std::to_string(vocabulary_words_) + ". Give the vocabulary that belongs to the documents");
    std::int64_t current = 0, read = 0;
    for (std::string_view line; next(line);) {
      LineNumbers numbers(line);
      if (numbers.at_end()) continue;
      std::int64_t document = 0, word = 0, count = 0;
      if (!take(numbers, document) || !take(numbers, word) || !take(numbers, count) || !numbers.at_end())
        refuse("the line is " + shown(line) + " where \"document word count\" is expected, three whole numbers");
      if (read == entries)
        refuse("there are more entries than the " + std::to_string(entries) + " that the third line announces");
      ++read;
      if (document < 1 || document > documents)
        refuse("document " + std::to_string(document) + " is out of range: the file has documents 1 to " +
               std::to_string(documents));
      check_word(word, 1, words);
      check_count(count);
      if (document < current)
        refuse("document " + std::to_string(document) + " follows document " + std::to_string(current) +
               ". Sort the entries by document: sort -n");
      if (document > current) {
        if (current > 0) builder_.end_document();
        empty_documents(current + 1, document - 1);
        current = document;
      }
      builder_.add({static_cast<std::uint32_t>(word - 1), static_cast<std::uint32_t>(count)});
    }
    if (read < entries)
      refuse("the file ends after " + std::to_string(read) + " of " + std::to_string(entries) +
             " entries. The file is truncated: copy or unpack it again");
    if (current > 0) builder_.end_document();
    empty_documents(current + 1, documents);
    return {static_cast<std::uint32_t>(words), skipped_};
  }

  ReadCorpus read_ldac() {
    std::int64_t highest = -1, empty_line = 0;
    for (std::string_view line; next(line);) {
      LineNumbers numbers(line);
      if (numbers.at_end()) {
        if (empty_line == 0) empty_line = line_;
        continue;
      }
      if (empty_line != 0) {  // ignored at the end of a file
        line_ = empty_line;
        refuse("the line is empty. Remove it, or write 0 for a document without words");
      }
      std::int64_t announced = 0;
      if (!take(numbers, announced) || announced < 0)
        refuse("the line begins with " + shown(numbers.rest()) +
               " where the number of its word:count pairs is expected");
      std::int64_t found = 0;
      while (!numbers.at_end()) {
        const std::string_view pair = numbers.rest();
        std::int64_t word = 0, count = 0;
        if (!numbers.take(word) || !numbers.take(':') || !take(numbers, count))
          refuse("found " + shown(pair) + " where word:count is expected, two whole numbers" +
                 (is_last_line_cut() ? ". The file is truncated: copy or unpack it again" : ""));
        check_word(word, 0, vocabulary_words_ == 0 ? std::int64_t{1} << 32 : std::int64_t{vocabulary_words_});
        check_count(count);
        highest = std::max(highest, word);
        ++found;
        builder_.add({static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(count)});
      }
      if (found != announced)
        refuse("the line announces " + std::to_string(announced) + " pairs word:count and has " +
               std::to_string(found) + (found < announced ? ". It is truncated" : ""));
      if (found == 0) {
        empty_documents(static_cast<std::int64_t>(builder_.documents()) + 1,
                        static_cast<std::int64_t>(builder_.documents()) + 1);
      } else {
        builder_.end_document();
      }
    }
    if (builder_.documents() == 0) refuse("the file has no documents");
    return {vocabulary_words_ != 0 ? vocabulary_words_ : static_cast<std::uint32_t>(highest + 1), skipped_};
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw DataError(file_ + ":" + std::to_string(line_) + ": " + what);
  }
  bool next(std::string_view& line) {
    if (!lines_.next(line)) return false;
    ++line_;
    return true;
  }
  static bool take(LineNumbers& numbers, std::int64_t& value) {
    if (!numbers.take(value)) return false;
    const bool ends = numbers.rest().empty();
    numbers.skip_blanks();
    return ends;
  }
  bool is_last_line_cut() { return !lines_.has_more(); }

  std::int64_t header(const char* what) {
    std::string_view line;
    std::int64_t value = 0;
    if (!next(line)) refuse(std::string("the file ends before the number of ") + what);
    LineNumbers numbers(line);
    if (!take(numbers, value) || !numbers.at_end() || value < 0 || value >= beyond)
      refuse("the line is " + shown(line) + " where the number of " + what + " is expected");
    return value;
  }

  void check_word(std::int64_t word, std::int64_t first, std::int64_t words) const {
    if (word < first || word >= first + words)
      refuse("word " + std::to_string(word) + " is out of range: there are words " + std::to_string(first) + " to " +
             std::to_string(first + words - 1));
  }
  void check_count(std::int64_t count) const {
    if (count < 1 || count > most_of_one_word)
      refuse("the count is " + std::to_string(count) + "; counts are from 1 to " + std::to_string(most_of_one_word));
  }
  void empty_documents(std::int64_t first, std::int64_t last) {
    if (last < first) return;
    if (!skip_empty_)
      refuse("document " + std::to_string(first) +
             " has no words. Remove it, or use skip_empty to omit documents without words");
    skipped_ += static_cast<std::uint64_t>(last - first + 1);
  }

  std::string file_;
  Lines lines_;
  std::uint32_t vocabulary_words_;
  bool skip_empty_;
  DocumentStoreBuilder& builder_;
  std::int64_t line_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace

ReadCorpus read_uci(Input& input, std::uint32_t vocabulary_words, bool skip_empty, DocumentStoreBuilder& builder) {
  return CountReader(input, vocabulary_words, skip_empty, builder).read_uci();
}

ReadCorpus read_ldac(Input& input, std::uint32_t vocabulary_words, bool skip_empty, DocumentStoreBuilder& builder) {
  return CountReader(input, vocabulary_words, skip_empty, builder).read_ldac();
}

CorpusFormat format_of(Input& input) {
  std::string_view head = input.peek(4096);
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  if (looks_like_cases(head)) return CorpusFormat::cases;
  const auto line_of = [&] {
    const auto stop = head.find('\n');
    const std::string_view line = head.substr(0, stop);
    head = stop == head.npos ? std::string_view() : head.substr(stop + 1);
    return line;
  };
  const auto is_number = [](std::string_view line) {
    LineNumbers numbers(line);
    std::int64_t value = 0;
    if (!numbers.take(value)) return false;
    numbers.skip_blanks();
    return numbers.at_end();
  };
  const std::string_view first = line_of(), second = line_of();
  if (is_number(first) && is_number(second)) return CorpusFormat::uci;
  LineNumbers numbers(first);
  std::int64_t value = 0;
  if (!numbers.take(value)) return CorpusFormat::text;
  numbers.skip_blanks();
  const bool is_pair = numbers.take(value) && numbers.take(':');
  return is_pair || is_number(first) ? CorpusFormat::ldac : CorpusFormat::text;
}

}  // namespace sgmcmc
