// Columns of a CSV file as arrays, parsed by several threads in one pass over the file.
#pragma once

#include "data/array.hpp"
#include "data/text/byte_source.hpp"
#include "data/variables.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

class ThreadPool;

/// One array to make: the columns named, or of an empty text all columns.
struct CsvRequest {
  std::string name;
  std::string columns;
  WantedKind kind = WantedKind::either;
};

/// Rows of one array that have just been parsed: row-major, doubles or 32-bit integers.
struct CsvRows {
  std::size_t array = 0;  ///< position in the list of arrays that the reader makes
  const std::byte* values = nullptr;
  bool is_integer = false;
};

struct CsvRequests {
  std::vector<CsvRequest> arrays;
  /// Where set, the columns of the header are variables, too: the kind of those to be stored.
  std::function<std::optional<WantedKind>(const std::string& name)> kind_of_column;
  /// Where set, rows [first, first + count) are handed on as they are parsed, for all arrays, and their memory is given
  /// back: the arrays that are returned have their shapes, and zeros. Called in the order of rows, one call at a time,
  /// from any thread of the pool, while the next rows are parsed.
  std::function<void(std::int64_t first, std::int64_t count, const std::vector<CsvRows>& rows)> take = nullptr;
};

/// Sizes of what is read and parsed at a time; small in tests.
struct CsvSizes {
  std::size_t piece_bytes = std::size_t{128} << 10;
  std::size_t pieces_per_thread = 4;
};

struct CsvArrays {
  struct Named {
    std::string name;
    DataVariable variable;
  };
  std::vector<Named> arrays;        ///< as requested, then the columns; a name may be there twice
  std::vector<std::string> unused;  ///< columns of the header that are not stored
};

/// pool may be null. The arrays do not depend on threads and sizes. Throws DataError.
CsvArrays read_csv(Input& input, const CsvRequests& requests, ThreadPool* pool, const CsvSizes& sizes = {});

/// Arrays that read_csv() would make, without rows.
CsvArrays plan_csv(Input& input, const CsvRequests& requests, std::int64_t rows);

/// Lines of data, without empty ones at the end: what read_csv() makes rows of, unless it finds mistakes.
std::int64_t count_csv_rows(Input& input);

}  // namespace sgmcmc
