// Parses pieces of CSV text directly into the final arrays.
#pragma once

#include "data/formats/csv_blocks.hpp"
#include "data/formats/csv_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc {

/// An array being filled: element `offset` of a row lies at base + ((row - first row) * row_elements + offset) values.
struct CsvTarget {
  std::byte* base = nullptr;
  std::size_t row_elements = 1;
  bool is_integer = false;  ///< 32-bit integers; otherwise doubles
  std::string name;
};

/// Neighbouring fields that are treated alike: skipped, or stored side by side in one array, or stored one by one in
/// several arrays.
struct CsvRun {
  std::size_t first_field = 0;
  std::size_t count = 0;
  char terminator = ',';  ///< after each field: the separator, or a line feed after the last
  struct Place {
    std::size_t target = 0;
    std::size_t offset = 0;
  };
  std::vector<Place> places;
};

struct CsvPlan {
  const CsvTable* table = nullptr;
  std::string file;
  std::vector<CsvRun> runs;
  std::vector<CsvTarget> targets;
  std::int64_t first_row = 0;  ///< that stands at the base of each target
};

/// The result of parsing one piece.
struct CsvOutcome {
  std::int64_t rows = 0;
  std::int64_t empty_line = 0;          ///< the first of the empty lines at the end of the piece; 0: there are none
  std::string problem;                  ///< the message, if there is an error
  std::vector<std::uint8_t> has_reals;  ///< per target: a value that is not a whole number within 32 bits
};

/// Does not throw for errors in the text: the first error of a file is reported, whichever thread finds it.
void parse_csv_piece(const CsvPlan& plan, const CsvPiece& piece, CsvOutcome& outcome);

}  // namespace sgmcmc
