// Checks that the integer columns used as indices into tables stay within range.
#pragma once

#include <sgmcmc/dataset.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/expression.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace sgmcmc {

/// An index outside its table. Callers with their own names for columns and rows can rewrite the message from the
/// fields.
class GatherIndexError : public DataError {
 public:
  GatherIndexError(const std::string& message, std::string in_column, std::int64_t in_row, std::string why)
      : DataError(message), column(std::move(in_column)), row(in_row), reason(std::move(why)) {}

  std::string column;
  std::int64_t row;    ///< counted from 0
  std::string reason;  ///< "4 is outside 1 to 3"
};

/// Throws GatherIndexError for the first index outside its table.
void check_gather_indices(const Expression& expression, const Dataset& data);

}  // namespace sgmcmc
