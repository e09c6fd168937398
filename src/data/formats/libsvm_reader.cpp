// Reads lines as they stream in, and appends their entries to compressed rows.
#include "data/formats/libsvm_reader.hpp"

#include "data/array_builder.hpp"
#include "data/text/lines.hpp"
#include "data/text/number_text.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace sgmcmc {

namespace {

constexpr std::int64_t most_index = std::numeric_limits<std::int32_t>::max() - 1;

class LibsvmReader {
 public:
  LibsvmReader(Input& input, WantedKind label_kind, std::size_t buffer_bytes)
      : file_(input.name()), lines_(input, buffer_bytes), label_kind_(label_kind), labels_(label_kind) {}

  LibsvmData read() {
    row_start_.push_back(0);
    for (std::string_view line; lines_.next(line);) {
      ++line_number_;
      line_begin_ = line.data();
      read_line(line.data(), line.data() + line.size());
    }
    if (labels_.size() == 0) throw DataError(file_ + ": there is no line with a label");
    const std::int64_t first = has_index_zero_ ? 0 : 1;
    if (first == 1) {
      for (std::size_t i = 0; i < column_.size(); ++i) --column_[i];
    }
    const std::int64_t columns = highest_ < 0 ? 0 : highest_ + 1 - first;
    const Shape shape{static_cast<std::int64_t>(labels_.size())};
    return {DataArray(std::move(row_start_), std::move(column_), std::move(value_), columns), labels_.finish(shape)};
  }

 private:
  [[noreturn]] void refuse(const char* at, const std::string& what) const {
    throw DataError(file_ + ":" + std::to_string(line_number_) + ":" + std::to_string(at - line_begin_ + 1) + ": " +
                    what);
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static const char* word_end(const char* p) {
    while (!is_blank(*p) && *p != '\n' && *p != '#') ++p;
    return p;
  }

  void read_line(const char* p, const char* end) {
    while (is_blank(*p)) ++p;
    if (p == end || *p == '#') return;  // an empty line, or nothing but a comment
    p = read_label(p);
    std::int64_t previous = -1;
    for (;;) {
      while (is_blank(*p)) ++p;
      if (p == end || *p == '#') break;
      p = read_entry(p, previous);
    }
    row_start_.push_back(static_cast<std::int64_t>(column_.size()));
  }

  const char* read_label(const char* p) {
    const char* const stop = word_end(p);
    const std::string_view word(p, static_cast<std::size_t>(stop - p));
    double label;
    bool is_whole;
    const char* q = parse_number(p, label, is_whole);
    if (q != stop) {
      if (word.find(',') != word.npos) refuse(p, "the label is " + shown(word) + ": several labels are not supported");
      refuse(p, "the line begins with " + shown(word) + " where a label, a number, is expected");
    }
    // A label may be written as 1.0, because some tools write only reals.
    if (label_kind_ == WantedKind::integer) is_whole = std::trunc(label) == label && std::abs(label) < 2147483648.0;
    if (label_kind_ == WantedKind::integer && !is_whole) {
      refuse(p, "the label is " + shown(word) + ", but the model declares int: whole numbers within 32 bits");
    }
    labels_.push(label, is_whole);
    return stop;
  }

  const char* read_entry(const char* p, std::int64_t& previous) {
    std::int64_t index = 0;
    const char* q = p;
    for (; *q >= '0' && *q <= '9'; ++q) index = std::min<std::int64_t>(index * 10 + (*q - '0'), most_index + 1);
    const char* const stop = word_end(q);
    double value;
    bool is_whole;
    if (q == p || *q != ':' || parse_number(q + 1, value, is_whole) != stop) refuse_entry(p, stop);
    if (index > most_index) {
      refuse(p, "the index of " + shown({p, static_cast<std::size_t>(stop - p)}) + " is beyond 32 bits");
    }
    if (index <= previous) {
      refuse(p, "index " + std::to_string(index) + " follows index " + std::to_string(previous) +
                    ". Indices must increase along the line, each at most once");
    }
    previous = index;
    has_index_zero_ |= index == 0;
    highest_ = std::max(highest_, index);
    column_.push_back(static_cast<std::int32_t>(index));
    value_.push_back(value);
    return stop;
  }

  [[noreturn]] void refuse_entry(const char* p, const char* stop) const {
    const std::string_view word(p, static_cast<std::size_t>(stop - p));
    if (word.starts_with("qid:")) refuse(p, "found " + shown(word) + ": ranking queries are not supported. Remove qid");
    if (const auto colon = word.find(':'); colon != word.npos && is_too_large(word.substr(colon + 1))) {
      refuse(p, "the value of " + shown(word) + " is beyond the largest double, 1.8e308");
    }
    refuse(p, "found " + shown(word) + " where index:value is expected, a whole number and a number");
  }

  std::string file_;
  Lines lines_;
  WantedKind label_kind_;
  ArrayBuilder labels_;
  GrowingMemory<std::int64_t> row_start_;
  GrowingMemory<std::int32_t> column_;
  GrowingMemory<double> value_;
  std::int64_t line_number_ = 0;
  const char* line_begin_ = nullptr;
  std::int64_t highest_ = -1;
  bool has_index_zero_ = false;
};

}  // namespace

LibsvmData read_libsvm(Input& input, WantedKind label_kind, std::size_t buffer_bytes) {
  return LibsvmReader(input, label_kind, buffer_bytes).read();
}

}  // namespace sgmcmc
