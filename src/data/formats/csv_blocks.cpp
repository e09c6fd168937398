// Reads blocks, carries a record that is cut by the end of a block over to the next, and counts rows before parsing.
#include "data/formats/csv_blocks.hpp"

#include "data/formats/csv_table.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cstring>

namespace sgmcmc {

namespace {

constexpr std::size_t padding_bytes = 64;

}  // namespace

std::int64_t count_lines(const char* begin, const char* end) {
  // Eight bytes at a time, which the compiler vectorises. Each byte of `sums` counts one lane, up to 255.
  constexpr std::uint64_t ones = 0x0101010101010101ULL, low_bits = 0x7f * ones, line_feeds = '\n' * ones;
  std::int64_t total = 0;
  while (end - begin >= 8) {
    const std::int64_t words = std::min<std::int64_t>((end - begin) / 8, 255);
    std::uint64_t sums = 0;
    for (std::int64_t i = 0; i < words; ++i) {
      std::uint64_t word;
      std::memcpy(&word, begin + 8 * i, 8);
      word ^= line_feeds;
      const std::uint64_t nonzero = ((word & low_bits) + low_bits) | word;  // the high bit of every byte that differs
      sums += (~nonzero >> 7) & ones;
    }
    for (int lane = 0; lane < 8; ++lane) total += static_cast<std::int64_t>(sums >> (8 * lane) & 0xff);
    begin += 8 * words;
  }
  return total + std::count(begin, end, '\n');
}

void CsvBlocks::read(CsvBlock& block) {
  block.pieces.clear();
  block.rows = 0;
  std::size_t held = carried_.size();
  if (is_at_end_ && held == 0) return;
  block.text.resize(std::max(block_bytes_, 2 * held) + padding_bytes);
  std::ranges::copy(carried_, block.text.begin());
  carried_.clear();
  std::size_t whole = 0;
  for (;;) {
    const std::size_t room = block.text.size() - padding_bytes;
    if (!is_at_end_) {
      const std::size_t count = input_.read(std::span(block.text).subspan(held, room - held));
      is_at_end_ = count < room - held;
      held += count;
    }
    if (is_at_end_ && held > 0 && block.text[held - 1] != '\n') block.text[held++] = '\n';  // room: the padding
    has_quotes_ = std::memchr(block.text.data(), '"', held) != nullptr;
    whole = whole_records(block.text.data(), held);
    if (whole > 0 || is_at_end_ || (has_quotes_ && held > longest_quoted_record)) break;
    block.text.resize(2 * room + padding_bytes);  // one record is longer than a block
  }
  const char* const begin = block.text.data();
  if (whole == 0 && held > 0) {  // only an open quote can hide line breaks
    throw DataError(input_.name() + ":" + std::to_string(next_line_) +
                    ": a quote (\") that opens in this line is never closed");
  }
  carried_.assign(begin + whole, begin + held);
  std::memset(block.text.data() + held, 0, block.text.size() - held);
  cut(block, begin, begin + whole);
}

/// The number of bytes that make up whole records.
std::size_t CsvBlocks::whole_records(const char* begin, std::size_t count) {
  if (!has_quotes_) {
    const void* const last = ::memrchr(begin, '\n', count);
    return last == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(last) - begin) + 1;
  }
  std::size_t whole = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (begin[i] == '"') is_quoted = !is_quoted;
    if (begin[i] == '\n' && !is_quoted) whole = i + 1;
  }
  return whole;
}

void CsvBlocks::add_piece(CsvBlock& block, const char* begin, const char* end, std::int64_t rows) {
  block.pieces.push_back({begin, end, next_row_, next_line_, rows});
  block.rows += rows;
  next_row_ += rows;
  next_line_ += has_quotes_ ? count_lines(begin, end) : rows;
}

void CsvBlocks::cut(CsvBlock& block, const char* begin, const char* end) {
  if (!has_quotes_) {
    while (begin != end) {
      const char* stop = end;
      if (static_cast<std::size_t>(end - begin) > piece_bytes_) {
        stop = begin + piece_bytes_ - 1;
        stop = static_cast<const char*>(std::memchr(stop, '\n', static_cast<std::size_t>(end - stop))) + 1;
      }
      add_piece(block, begin, stop, count_lines(begin, stop));
      begin = stop;
    }
    return;
  }
  const char* piece_begin = begin;
  std::int64_t rows = 0;
  bool is_quoted = false;
  for (; begin != end; ++begin) {
    if (*begin == '"') is_quoted = !is_quoted;
    if (*begin != '\n' || is_quoted) continue;
    ++rows;
    if (static_cast<std::size_t>(begin + 1 - piece_begin) < piece_bytes_ && begin + 1 != end) continue;
    add_piece(block, piece_begin, begin + 1, rows);
    piece_begin = begin + 1;
    rows = 0;
  }
}

}  // namespace sgmcmc
