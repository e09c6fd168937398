// Creates columns on demand, and moves expressions to other rows.
#include "stan/lowering/row_axis.hpp"

#include "data/row_pages.hpp"
#include "data/store.hpp"
#include "data/text/number_text.hpp"
#include "graph/build.hpp"
#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc::stan {
namespace {

/// The identity map of rows.
void lend(const DataArray& array, const std::string& name, Shape row_shape, Dataset::Builder& builder) {
  if (array.is_integer())
    visit_integer_type(array.type(), [&](auto zero) {
      const auto* values = static_cast<const decltype(zero)*>(array.identity());
      builder.borrow_integer(name, std::span(values, static_cast<std::size_t>(array.size())), std::move(row_shape));
    });
  else if (!array.floats().empty())
    builder.borrow_real(name, array.floats(), std::move(row_shape));
  else
    builder.borrow_real(name, array.reals(), std::move(row_shape));
  builder.keep(array.owner());
}

/// Properties that borrowed rows share.
struct LentRows {
  std::vector<const DataArray*> in_files;
  std::uint64_t bytes = 0;  ///< of those in files
  bool any = false;
  bool packed = true;  ///< from row files
  bool by_group = false;
  std::string groups;        ///< if by_group: the column whose equal numbers are together; empty if it is not used
  std::string from_packed;   ///< a column of a row file; empty: none
  std::string from_another;  ///< an array that is not from a row file; empty: none

  /// Also of an array that is not borrowed.
  void add_order(const DataArray& array, const std::string& name, const std::string& words) {
    std::string& known = array.is_packed() ? from_packed : from_another;
    if (known.empty()) known = words;
    by_group = by_group || array.order() == RowOrder::by_group || array.order() == RowOrder::groups;
    if (array.order() == RowOrder::groups) groups = name;
  }
  void add(const DataArray& array) {
    any = true;
    packed = packed && array.is_packed();
    if (!array.file()) return;
    in_files.push_back(&array);
    bytes += static_cast<std::uint64_t>(array.size()) * storage_bytes(array.type());
  }

  /// A row file has an order of its own: throws DataError if other arrays have the same rows.
  void refuse_other_order() const {
    if (from_packed.empty() || from_another.empty()) return;
    throw DataError(from_another + " has the rows of " + from_packed +
                    ", but a row file has its rows in random order, so they would not match. Pack both together");
  }

  /// Limits the pages of files in memory; null: no limit.
  std::shared_ptr<RowPages> pages(std::int64_t rows, const RowAxis::MappedRows& mapped) const {
    constexpr std::uint64_t for_rows_of_others = std::uint64_t{8} << 20;
    if (in_files.empty() || rows == 0) return nullptr;
    const auto first = static_cast<std::uint64_t>(mapped.share ? mapped.share->first_row(rows) : 0);
    const auto end = static_cast<std::uint64_t>(mapped.share ? mapped.share->end_row(rows) : rows);
    const std::uint64_t own = bytes / static_cast<std::uint64_t>(rows) * (end - first);
    const bool keeps_own = mapped.share && (mapped.memory == 0 || own <= mapped.memory);
    if (!keeps_own && (mapped.memory == 0 || bytes <= mapped.memory)) return nullptr;
    const std::uint64_t others =
        keeps_own ? std::max(for_rows_of_others, mapped.memory - std::min(own, mapped.memory)) : mapped.memory;
    auto made = std::make_shared<RowPages>(others);
    for (const DataArray* array : in_files)
      made->add(array->file(), static_cast<const std::byte*>(array->identity()),
                static_cast<std::size_t>(array->size() / rows) * storage_bytes(array->type()));
    if (keeps_own) made->keep(first, end, static_cast<std::uint64_t>(rows));
    return made;
  }
};

/// Whether the expression reads this integer column other than as an index into a table.
bool reads_as_number(const Expression& expression, const std::string& column) {
  for (const auto& x : topological_order({expression})) {
    const Node& node = x.node();
    const bool has_index = node.op == Op::gather || node.op == Op::scatter_rows || node.op == Op::row_sum_scatter;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Node& input = node.inputs[i].node();
      if (input.op == Op::row_integer && input.attributes.name == column && !(has_index && i == 1)) return true;
    }
  }
  return false;
}

/// A sparse matrix whose row i is row map[i] (from 1) of the given one.
std::shared_ptr<const DataArray> reindexed_rows(const SparseRows& rows, const Numbers& map) {
  GrowingMemory<std::int64_t> row_start;
  GrowingMemory<std::int32_t> column;
  GrowingMemory<double> value;
  row_start.push_back(0);
  for (double row : map.view()) {
    const auto i = static_cast<std::size_t>(row) - 1;
    for (auto k = static_cast<std::size_t>(rows.row_start[i]); k < static_cast<std::size_t>(rows.row_start[i + 1]);
         ++k) {
      column.push_back(rows.column[k]);
      value.push_back(rows.value[k]);
    }
    row_start.push_back(static_cast<std::int64_t>(column.size()));
  }
  return std::make_shared<const DataArray>(std::move(row_start), std::move(column), std::move(value), rows.columns);
}

}  // namespace

RowAxis::RowAxis(std::string name, std::int64_t rows)
    : name_(std::move(name)), rows_(rows), row_numbers_(Numbers::up_to(rows)) {}

std::string RowAxis::unused_name(const std::string& hint) {
  const std::string stem = hint.empty() ? "column" : hint;
  std::string name = stem;
  for (int suffix = 2; by_name_.contains(name); ++suffix) name = stem + "." + std::to_string(suffix);
  by_name_[name] = columns_.size();
  return name;
}

Expression RowAxis::column(const Numbers& numbers, const Dims& dims, bool integer, const std::string& hint) {
  const auto key = std::make_pair(numbers.identity(), integer);
  if (key.first) {
    auto known = by_identity_.find(key);
    if (known != by_identity_.end() && columns_[known->second].dims == dims) return columns_[known->second].leaf;
  }
  const auto stretch = static_cast<std::size_t>(size_of(dims));
  const bool equal = rows_ > 0 && [&] {
    for (std::size_t i = stretch; i < numbers.size(); ++i)
      if (numbers[i] != numbers[i - stretch]) return false;
    return true;
  }();
  if (equal && !integer) {
    std::vector<double> first(stretch);
    for (std::size_t i = 0; i < stretch; ++i) first[i] = numbers[i];
    return dims.empty() ? Expression(first[0]) : constant(std::move(first), shape_of(dims));
  }
  Column made;
  made.name = unused_name(hint);
  made.numbers = numbers;
  made.dims = dims;
  made.integer = integer;
  made.leaf = integer ? row_integer(made.name, shape_of(dims)) : row_real(made.name, shape_of(dims));
  if (key.first) by_identity_[key] = columns_.size();
  columns_.push_back(made);
  return made.leaf;
}

Expression RowAxis::sparse_column(const std::shared_ptr<const DataArray>& matrix, const std::string& hint) {
  for (const auto& known : columns_)
    if (known.sparse == matrix) return known.leaf;
  Column made;
  made.name = unused_name(hint);
  made.sparse = matrix;
  made.dims = {matrix->shape()[1]};
  made.leaf = row_sparse(made.name, matrix->shape()[1]);
  columns_.push_back(made);
  return made.leaf;
}

Numbers RowAxis::reindex(const Numbers& numbers, std::int64_t stretch, const Numbers& map) const {
  auto made = std::make_shared<std::vector<double>>(static_cast<std::size_t>(rows_ * stretch));
  for (std::int64_t i = 0; i < rows_; ++i) {
    const std::int64_t from = (static_cast<std::int64_t>(map[static_cast<std::size_t>(i)]) - 1) * stretch;
    for (std::int64_t k = 0; k < stretch; ++k)
      (*made)[static_cast<std::size_t>(i * stretch + k)] = numbers[static_cast<std::size_t>(from + k)];
  }
  return Numbers(std::span<const double>(*made), made);
}

Expression RowAxis::reindex(const Expression& expression, const Numbers& map) {
  if (!expression.per_row()) return expression;
  auto& done = reindexed_[map.identity()];
  maps_.push_back(map);
  kept_.push_back(expression);
  for (const auto& x : topological_order({expression})) {
    const Node& node = x.node();
    if (!node.per_row || done.contains(&node)) continue;
    Expression made;
    if (node.op == Op::row_sparse) {
      const Column& column = columns_[by_name_.at(node.attributes.name)];
      made = sparse_column(reindexed_rows(column.sparse->sparse(), map), column.name);
    } else if (node.op == Op::row_real || node.op == Op::row_integer) {
      const Column column = columns_[by_name_.at(node.attributes.name)];
      made = this->column(reindex(column.numbers, size_of(column.dims), map), column.dims, column.integer, column.name);
    } else {
      std::vector<Expression> inputs;
      for (const auto& input : node.inputs) {
        auto found = done.find(&input.node());
        inputs.push_back(found == done.end() ? input : found->second);
      }
      made = build::node(node.op, std::move(inputs), node.shape, node.attributes);
    }
    kept_.push_back(x);
    done[&node] = made;
  }
  return done.at(&expression.node());
}

Expression RowAxis::at_row(const Expression& expression, std::int64_t row) const {
  std::unordered_map<const Node*, Expression> done;
  auto numbers_of = [&](const Node& leaf) {
    const Column& column = columns_[by_name_.at(leaf.attributes.name)];
    const auto stretch = static_cast<std::size_t>(size_of(column.dims));
    std::vector<double> own(stretch);
    for (std::size_t i = 0; i < stretch; ++i) own[i] = column.numbers[static_cast<std::size_t>(row - 1) * stretch + i];
    return own;
  };
  auto sparse_numbers_of = [&](const Node& leaf) {
    const SparseRows rows = columns_[by_name_.at(leaf.attributes.name)].sparse->sparse();
    std::vector<double> values(static_cast<std::size_t>(rows.columns));
    const auto at = static_cast<std::size_t>(row - 1);
    for (auto k = static_cast<std::size_t>(rows.row_start[at]); k < static_cast<std::size_t>(rows.row_start[at + 1]);
         ++k)
      values[static_cast<std::size_t>(rows.column[k])] = rows.value[k];
    return values;
  };
  for (const auto& x : topological_order({expression})) {
    const Node& node = x.node();
    if (!node.per_row) continue;
    std::vector<Expression> inputs;
    for (const auto& input : node.inputs) {
      auto found = done.find(&input.node());
      inputs.push_back(found == done.end() ? input : found->second);
    }
    Expression made;
    if (node.op == Op::row_real || node.op == Op::row_integer) {
      made = constant(numbers_of(node), node.shape);
    } else if (node.op == Op::row_sparse) {
      made = constant(sparse_numbers_of(node), node.shape);
    } else if (node.op == Op::sparse_dot) {
      made = dot(inputs[0], inputs[1]);
    } else if (node.op == Op::sparse_matvec) {
      made = build::matvec(inputs[1], inputs[0], false);
    } else if (node.op == Op::gather && node.inputs[1].node().op == Op::row_integer) {
      // The row's index is known: selects fixed positions of the table.
      const std::int64_t stretch = inputs[0].shape().size() / inputs[0].shape()[0];
      std::vector<std::int64_t> positions;
      for (double picked : numbers_of(node.inputs[1].node()))
        for (std::int64_t k = 0; k < stretch; ++k)
          positions.push_back((static_cast<std::int64_t>(picked) - node.attributes.offset) * stretch + k);
      made = take(inputs[0], std::move(positions), node.shape);
    } else {
      made = build::node(node.op, std::move(inputs), node.shape, node.attributes);
    }
    done[&node] = made;
  }
  auto found = done.find(&expression.node());
  return found == done.end() ? expression : found->second;
}

void RowAxis::describe(const Value& value, std::string words) {
  const void* identity = value.sparse ? value.sparse.get() : value.numbers.identity();
  if (identity) descriptions_.emplace(identity, std::move(words));
}

std::string RowAxis::place(const Column& column, std::int64_t row) const {
  const void* identity = column.sparse ? column.sparse.get() : column.numbers.identity();
  const auto known = descriptions_.find(identity);
  return known == descriptions_.end() ? "row " + std::to_string(row) + " of numbers computed from the data"
                                      : known->second + ": row " + std::to_string(row);
}

std::string RowAxis::place(const std::string& column, std::int64_t row) const {
  return place(columns_[by_name_.at(column)], row);
}

void RowAxis::refuse_number(const std::vector<bool>& used, const DataError& error) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    if (!used[c] || column.sparse) continue;
    const auto stretch = static_cast<std::size_t>(size_of(column.dims));
    for (std::size_t i = 0; i < column.numbers.size(); ++i)
      if (!std::isfinite(column.numbers[i]))
        throw DataError(place(column, static_cast<std::int64_t>(i / stretch) + 1) +
                        (stretch > 1 ? ", element " + std::to_string(i % stretch + 1) : "") + " is " +
                        number_text(column.numbers[i]) +
                        "; the likelihood needs finite numbers: remove the row or replace the value");
  }
  throw error;
}

Dataset RowAxis::dataset(const Expression& expression, Precision precision,
                         const std::function<bool(const DataArray&)>& consumed, const MappedRows& mapped) const {
  std::vector<bool> used(columns_.size());
  for (const auto& x : topological_order({expression})) {
    const Op op = x.node().op;
    if (op == Op::row_real || op == Op::row_integer || op == Op::row_sparse)
      used[by_name_.at(x.node().attributes.name)] = true;
  }
  Dataset::Builder builder(precision);
  std::vector<std::vector<std::int32_t>> integers;
  integers.reserve(columns_.size());
  std::vector<const DataArray*> released;
  LentRows lent;
  const auto words_of = [&](const Column& column) {
    const void* identity = column.sparse ? column.sparse.get() : column.numbers.identity();
    const auto known = descriptions_.find(identity);
    return known == descriptions_.end() ? "'" + column.name + "'" : known->second;
  };
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!used[c]) continue;
    const Column& column = columns_[c];
    if (column.sparse) {
      lent.packed = false;
      lent.add_order(*column.sparse, column.name, words_of(column));
      builder.sparse(column.name, column.sparse->sparse());
      continue;
    }
    const DataArray* array = column.numbers.array();
    if (array) lent.add_order(*array, column.name, words_of(column));
    const bool is_lent = array && array->owner() && column.integer == array->is_integer() &&
                         (column.integer || precision == Precision::float64 || !array->floats().empty());
    if (is_lent) {
      lend(*array, column.name, shape_of(column.dims), builder);
      lent.add(*array);
      continue;
    }
    lent.packed = false;
    const bool done_with = array && array->shape().rank() > 0 && array->shape()[0] == rows_ && consumed(*array);
    if (column.integer && array && array->is_integer()) {
      builder.integer(column.name, array->integers(), shape_of(column.dims));
      if (done_with) released.push_back(array);
    } else if (column.integer) {
      auto& made = integers.emplace_back(column.numbers.size());
      for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<std::int32_t>(column.numbers[i]);
      builder.integer(column.name, made, shape_of(column.dims));
    } else {
      builder.real(column.name, column.numbers.view(), shape_of(column.dims));
      if (done_with) released.push_back(array);
    }
  }
  lent.refuse_other_order();
  for (std::size_t c = 0; c < columns_.size() && !lent.from_packed.empty(); ++c)
    if (used[c] && columns_[c].numbers.identity() == row_numbers_.identity() &&
        reads_as_number(expression, columns_[c].name))
      throw DataError(
          "the model uses the number of a row, but a row file has its rows in random order: add the number as a column "
          "of the data");
  if (!released.empty())
    builder.when_packed([released](std::int64_t first, std::int64_t count) {
      for (const DataArray* array : released) array->release_rows(first, count);
    });
  if (lent.any && lent.packed) {
    builder.without_checks().padded();
    if (!lent.by_group) builder.in_random_order();
  }
  if (auto pages = lent.pages(rows_, mapped)) builder.paged(std::move(pages));
  try {
    Dataset data = builder.build();
    if (lent.by_group) data.store().set_group_by(lent.groups);
    return data;
  } catch (const DataError& error) {
    refuse_number(used, error);
  }
}

}  // namespace sgmcmc::stan
