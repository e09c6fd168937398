// Columns of a CSV file as arrays, parsed by several threads in one pass over the file.
#pragma once

#include "data/array.hpp"
#include "data/text/byte_source.hpp"
#include "data/variables.hpp"

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

struct CsvRequests {
  std::vector<CsvRequest> arrays;
  /// Where set, the columns of the header are variables, too: the kind of those to be stored.
  std::function<std::optional<WantedKind>(const std::string& name)> kind_of_column;
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

}  // namespace sgmcmc
