// CSV text in blocks of whole records, each divided into pieces that threads can parse independently.
#pragma once

#include "data/text/byte_source.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sgmcmc {

/// Whole records. Some bytes after the end are readable, so that parsing need not check for the end.
struct CsvPiece {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::int64_t first_row = 0;   ///< of the data, from 0
  std::int64_t first_line = 1;  ///< of the file, from 1
  std::int64_t rows = 0;        ///< records in the piece, empty ones included
};

struct CsvBlock {
  std::vector<char> text;
  std::vector<CsvPiece> pieces;
  std::int64_t rows = 0;  ///< of all pieces
};

class CsvBlocks {
 public:
  /// first_line: the number of the input's next line in the file.
  CsvBlocks(Input& input, std::size_t block_bytes, std::size_t piece_bytes, std::int64_t first_line)
      : input_(input), block_bytes_(block_bytes), piece_bytes_(piece_bytes), next_line_(first_line) {}

  /// Reads the next block; it has no pieces at the end of the input. Throws DataError if a quote is not closed.
  void read(CsvBlock& block);

 private:
  std::size_t whole_records(const char* begin, std::size_t count);
  void cut(CsvBlock& block, const char* begin, const char* end);
  void add_piece(CsvBlock& block, const char* begin, const char* end, std::int64_t rows);

  Input& input_;
  std::size_t block_bytes_;
  std::size_t piece_bytes_;
  std::int64_t next_line_;
  std::int64_t next_row_ = 0;
  std::vector<char> carried_;  // the record that the last block cut
  bool is_at_end_ = false;
  bool has_quotes_ = false;  // in the current block
};

/// The number of line feeds.
std::int64_t count_lines(const char* begin, const char* end);

}  // namespace sgmcmc
