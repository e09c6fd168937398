// Cases and votes: lines of attributes A,id,1,"title","address", of cases C,"name",id, and below each case its votes
// V,id,count. In the anonymous Microsoft web data, cases are users and attributes are areas of the site.
#include "topics/corpus_readers.hpp"

#include "data/text/lines.hpp"

#include <sgmcmc/error.hpp>

#include <unordered_map>

namespace sgmcmc {

namespace {

/// Fields between commas, some in quotes; a quote inside quotes is written twice.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {
    if (rest_.ends_with('\r')) rest_.remove_suffix(1);
  }
  /// Returns false at the end of the line, or if a quote is not closed.
  bool next(std::string& field) {
    field.clear();
    if (is_done_) return false;
    if (!rest_.starts_with('"')) {
      const std::size_t stop = std::min(rest_.find(','), rest_.size());
      field = rest_.substr(0, stop);
      leave(stop);
      return true;
    }
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] != '"') {
        field += rest_[i];
      } else if (i + 1 < rest_.size() && rest_[i + 1] == '"') {
        field += rest_[i++];
      } else {
        const bool ends = i + 1 == rest_.size() || rest_[i + 1] == ',';
        leave(i + 1);
        return ends;
      }
    }
    is_done_ = true;
    return false;
  }

 private:
  void leave(std::size_t stop) {
    is_done_ = stop >= rest_.size();
    rest_.remove_prefix(std::min(stop + 1, rest_.size()));
  }
  std::string_view rest_;
  bool is_done_ = false;
};

/// A whole number from 0 to most.
bool number_of(const std::string& text, std::uint64_t most, std::uint64_t& value) {
  if (text.empty() || text.size() > 12 || text.find_first_not_of("0123456789") != std::string::npos) return false;
  value = std::stoull(text);
  return value <= most;
}

class CaseReader {
 public:
  CaseReader(Input& input, bool skip_empty, std::vector<std::string>& names, DocumentStoreBuilder& builder)
      : file_(input.name()),
        lines_(input, bytes_at_a_time),
        skip_empty_(skip_empty),
        names_(names),
        builder_(builder) {}

  ReadCorpus read() {
    for (std::string_view line; lines_.next(line);) {
      ++line_;
      if (line.empty() || line == "\r") continue;
      const char kind = line.size() > 1 && line[1] == ',' ? line[0] : '\0';
      switch (kind) {
        case 'A': attribute(line); break;
        case 'C': new_case(); break;
        case 'V': vote(line); break;
        case 'I':
        case 'T':
        case 'N': break;  // about the file
        default:
          refuse("the line is " + shown(line) +
                 " where an attribute (A,id,1,\"title\",...), a case (C,...) or a vote (V,id,count) is expected");
      }
    }
    end_case();
    if (names_.empty()) refuse("the file ends without attributes, lines A,id,1,\"title\",...");
    return {static_cast<std::uint32_t>(names_.size()), skipped_};
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { refuse_at(line_, what); }
  [[noreturn]] void refuse_at(std::uint64_t line, const std::string& what) const {
    throw DataError(file_ + ":" + std::to_string(line) + ": " + what);
  }

  void attribute(std::string_view line) {
    Fields fields(line);
    std::string letter, id_text, ignored, title;
    std::uint64_t id = 0;
    if (!fields.next(letter) || !fields.next(id_text) || !fields.next(ignored) || !fields.next(title) ||
        !number_of(id_text, 0xffffffff, id))
      refuse("the line is " + shown(line) + " where A,id,1,\"title\",... is expected, id a whole number");
    if (!ids_.emplace(id, static_cast<std::uint32_t>(names_.size())).second)
      refuse("attribute " + id_text + " occurs twice. Remove one");
    names_.push_back(title.empty() ? id_text : title);
  }

  void new_case() {
    end_case();
    case_line_ = line_;
  }
  void end_case() {
    if (case_line_ == 0) return;
    if (has_votes_) {
      builder_.end_document();
    } else {
      if (!skip_empty_)
        refuse_at(case_line_, "the case has no votes. Remove it, or use skip_empty to omit documents without words");
      ++skipped_;
    }
    case_line_ = 0;
    has_votes_ = false;
  }

  void vote(std::string_view line) {
    Fields fields(line);
    std::string letter, id_text, count_text;
    std::uint64_t id = 0, count = 0;
    if (!fields.next(letter) || !fields.next(id_text) || !number_of(id_text, 0xffffffff, id) ||
        !fields.next(count_text) || !number_of(count_text, most_of_one_word, count) || count == 0)
      refuse("the line is " + shown(line) + " where V,id,count is expected, two whole numbers, count from 1 to " +
             std::to_string(most_of_one_word));
    if (case_line_ == 0) refuse("the vote comes before any case. Votes must follow their case, a line C,...");
    const auto found = ids_.find(id);
    if (found == ids_.end())
      refuse("there is a vote for " + id_text + ", which is not an attribute above; add a line A," + id_text +
             ",1,\"title\"");
    builder_.add({found->second, static_cast<std::uint32_t>(count)});
    has_votes_ = true;
  }

  std::string file_;
  Lines lines_;
  bool skip_empty_, has_votes_ = false;
  std::vector<std::string>& names_;
  DocumentStoreBuilder& builder_;
  std::unordered_map<std::uint64_t, std::uint32_t> ids_;
  std::uint64_t line_ = 0, case_line_ = 0, skipped_ = 0;
};

}  // namespace

ReadCorpus read_cases(Input& input, bool skip_empty, std::vector<std::string>& names, DocumentStoreBuilder& builder) {
  return CaseReader(input, skip_empty, names, builder).read();
}

bool looks_like_cases(std::string_view head) {
  if (head.size() < 3 || std::string_view("ITNACV").find(head[0]) == std::string_view::npos || head[1] != ',')
    return false;
  return head[2] == '"' || (head[2] >= '0' && head[2] <= '9');
}

}  // namespace sgmcmc
