// Reads text line by line from a stream.
#pragma once

#include "data/text/byte_source.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// Whole lines of the input, each ending in a line feed.
class Lines {
 public:
  Lines(Input& input, std::size_t buffer_bytes) : input_(input), buffer_(std::max<std::size_t>(buffer_bytes, 16)) {
    if (input_.peek(3) == "\xEF\xBB\xBF") input_.skip(3);
  }

  /// The next line without its line feed, which follows it in memory; empty at the end of the input.
  bool next(std::string_view& line) {
    std::size_t looked_at = begin_;
    for (;;) {
      const void* const found = std::memchr(buffer_.data() + looked_at, '\n', end_ - looked_at);
      if (found != nullptr) {
        const auto stop = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
        line = {buffer_.data() + begin_, stop - begin_};
        begin_ = stop + 1;
        return true;
      }
      if (is_last_) return false;
      std::copy(buffer_.data() + begin_, buffer_.data() + end_, buffer_.data());
      end_ -= begin_;
      begin_ = 0;
      looked_at = end_;
      if (end_ + 1 >= buffer_.size()) buffer_.resize(2 * buffer_.size());
      const std::size_t asked = buffer_.size() - 1 - end_;
      const std::size_t count = input_.read(std::span(buffer_).subspan(end_, asked));
      is_last_ = count < asked;
      end_ += count;
      if (is_last_ && end_ > 0 && buffer_[end_ - 1] != '\n') buffer_[end_++] = '\n';
    }
  }

  /// Whether there is more text after the lines returned so far.
  bool has_more() { return begin_ < end_ || (!is_last_ && !input_.peek(1).empty()); }

 private:
  Input& input_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  bool is_last_ = false;
};

}  // namespace sgmcmc
