// The outline of a CSV file from its first lines: separator, header, and the columns that a data argument names.
#pragma once

#include "data/text/byte_source.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

struct CsvTable {
  char separator = ',';
  bool has_header = false;
  std::vector<std::string> header;  ///< names, where there are
  std::size_t columns = 0;
  std::int64_t first_line = 1;  ///< of the data, in the file
};

/// A longer record is assumed to have an unclosed quote.
inline constexpr std::size_t longest_quoted_record = std::size_t{64} << 20;

/// Examines the first lines, and leaves the input at the first line of data. Throws DataError.
CsvTable read_csv_outline(Input& input);

/// The fields of one record, unquoted and without the spaces around them.
std::vector<std::string> split_record(std::string_view record, char separator);
/// Where the record ends: its line break, or text.size().
std::size_t record_end(std::string_view text);

struct CsvSelection {
  std::vector<std::size_t> columns;  ///< 0-based
  bool is_list = false;              ///< a list or a range: a matrix, even with one column
};

/// The columns that "a,b", "a..b" or "3" name: by the header's names, or by numbers from 1. Throws DataError with
/// file's name in front.
CsvSelection select_columns(const CsvTable& table, const std::string& file, const std::string& text);

/// "column 3 'slope'", "column 3".
std::string column_label(const CsvTable& table, std::size_t column);

}  // namespace sgmcmc
