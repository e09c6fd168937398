// Where the rows of a row file come from: anything that hands them on in their order, some at a time.
#pragma once

#include "data/row_files/format.hpp"
#include "data/row_packing.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sgmcmc {

/// Some rows of one variable: numbers row by row.
struct RowsOfColumn {
  std::size_t column = 0;  ///< position in RowSource::names
  SourceType type = SourceType::float64;
  const std::byte* values = nullptr;
};

/// Rows [first, first + count) of all variables of a source.
using TakeRows = std::function<void(std::uint64_t first, std::uint64_t count, const std::vector<RowsOfColumn>& rows)>;

struct RowSource {
  std::string words;               ///< for messages
  std::vector<std::string> names;  ///< of the variables whose rows it hands on
  /// Hands on the rows from `first` on, in their order; rows before it may be handed on again.
  std::function<void(std::uint64_t first, const TakeRows& take)> stream;
};

/// All that goes into a row file.
struct PackInput {
  struct Column {
    std::string name;
    StorageType type = StorageType::float64;  ///< float64, float32, or int32: integers become narrow in the end
    Shape row_shape;
    std::string words;  ///< for messages: where it comes from
  };
  std::uint64_t rows = 0;
  std::vector<Column> columns;
  std::vector<RowFileConstant> constants;
  std::vector<RowSource> sources;  ///< every column is in one of them
  std::string identity;            ///< other where the sources are: packing then begins anew
};

}  // namespace sgmcmc
