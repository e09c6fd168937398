// The rows of a model: the columns that its expressions read, created from data as the interpreter needs them.
#pragma once

#include "ranks/row_shards.hpp"
#include "stan/lowering/value.hpp"

#include <sgmcmc/dataset.hpp>
#include <sgmcmc/error.hpp>

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace sgmcmc::stan {

class RowAxis {
 public:
  RowAxis(std::string name, std::int64_t rows);

  const std::string& name() const { return name_; }
  bool is_literal() const { return !name_.empty() && name_[0] >= '0' && name_[0] <= '9'; }  ///< "12", not "N"
  std::int64_t rows() const { return rows_; }

  /// The name of these numbers in messages: "data: variable 'y'".
  void describe(const Value& value, std::string words);

  /// The value of one row of these numbers (size_of(dims) per row), as an expression that reads a column. `hint`: the
  /// name of the column, if the numbers have one.
  Expression column(const Numbers& numbers, const Dims& dims, bool integer, const std::string& hint = {});
  Expression sparse_column(const std::shared_ptr<const DataArray>& matrix, const std::string& hint);
  /// Numbers 1, 2, ..., rows().
  const Numbers& row_numbers() const { return row_numbers_; }

  /// The expression with row i reading the data of row map[i] (from 1).
  Expression reindex(const Expression& expression, const Numbers& map);
  /// The value of the expression in row `row` (from 1), the same for all rows.
  Expression at_row(const Expression& expression, std::int64_t row) const;
  Numbers reindex(const Numbers& numbers, std::int64_t stretch, const Numbers& map) const;

  /// The columns that the expression reads, packed. Frees arrays for which `consumed` is true as it packs them.
  /// Throws DataError for non-finite numbers.
  struct MappedRows {                 ///< rows that stay in mapped files
    std::uint64_t memory = 0;         ///< bytes for them; 0: no limit
    const RowShare* share = nullptr;  ///< the rows of this rank; null: all
  };
  Dataset dataset(const Expression& expression, Precision precision,
                  const std::function<bool(const DataArray&)>& consumed, const MappedRows& mapped) const;
  /// "data: variable 'y': row 3", or "row 3 of numbers computed from the data"; row: from 1.
  std::string place(const std::string& column, std::int64_t row) const;

 private:
  struct Column {
    std::string name;
    Numbers numbers;
    Dims dims;
    bool integer = false;
    std::shared_ptr<const DataArray> sparse;
    Expression leaf;
  };
  std::string unused_name(const std::string& hint);
  std::string place(const Column& column, std::int64_t row) const;
  [[noreturn]] void refuse_number(const std::vector<bool>& used, const DataError& error) const;

  std::string name_;
  std::int64_t rows_;
  Numbers row_numbers_;
  std::vector<Column> columns_;
  std::map<std::pair<const void*, bool>, std::size_t> by_identity_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::map<const void*, std::string> descriptions_;
  /// Rewritten expressions by map; keeps the originals alive so that their addresses stay unique.
  std::map<const void*, std::unordered_map<const Node*, Expression>> reindexed_;
  std::vector<Numbers> maps_;
  std::vector<Expression> kept_;
};

}  // namespace sgmcmc::stan
