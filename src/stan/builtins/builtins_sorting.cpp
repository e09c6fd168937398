// Sorting and ranking, running sums, softmax, and sparse matrices as lists of entries.
#include "stan/builtins/operands.hpp"

#include <sgmcmc/expression.hpp>

#include <algorithm>
#include <numeric>

namespace sgmcmc::stan {
namespace {

/// Odd-even transposition sort: as many rounds of compare-exchange as elements, because an expression cannot branch.
Expression sorted_symbol(Expression x, std::int64_t size, bool ascending) {
  for (std::int64_t round = 0; round < size; ++round) {
    Positions left, right, arranged;
    for (std::int64_t i = round % 2; i + 1 < size; i += 2) {
      left.push_back(i);
      right.push_back(i + 1);
    }
    const auto pairs = static_cast<std::int64_t>(left.size());
    if (pairs == 0) continue;
    const Shape shape{pairs};
    const Expression a = take(x, left, shape), b = take(x, right, shape);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t pair = (i - round % 2) / 2, side = (i - round % 2) % 2;
      const bool paired = i >= round % 2 && pair < pairs;
      arranged.push_back(paired ? size + side * pairs + pair : i);
    }
    const Expression low = min(a, b), high = max(a, b);
    x = take(concatenate({x, ascending ? low : high, ascending ? high : low}), arranged, Shape{size});
  }
  return x;
}

Operand sorted(const BuiltinCall& call, bool ascending) {
  Operand result = call[0];
  if (!result.is_data()) {
    constexpr std::int64_t most = 256;
    if (result.dims[0] > most)
      refuse(call, "at most " + std::to_string(most) + " elements that depend on parameters can be sorted, these are " +
                       std::to_string(result.dims[0]));
    result.symbol = sorted_symbol(result.symbol, result.dims[0], ascending);
    return result;
  }
  if (ascending)
    std::sort(result.numbers.begin(), result.numbers.end());
  else
    std::sort(result.numbers.begin(), result.numbers.end(), std::greater<>());
  return result;
}

Operand sorted_indices(const BuiltinCall& call, bool ascending) {
  const auto& values = call[0].numbers;
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ascending ? values[a] < values[b] : values[b] < values[a];
  });
  std::vector<double> indices(values.size());
  std::transform(order.begin(), order.end(), indices.begin(), [](std::size_t i) { return static_cast<double>(i + 1); });
  return numbers_operand(integer_array, call[0].dims, std::move(indices));
}

Operand rank(const BuiltinCall& call) {
  const std::int64_t at = integer_argument(call, 1, "index");
  if (at < 1 || at > call[0].dims[0]) refuse(call, "the index is " + std::to_string(at) + " of " + shape_text(call[0]));
  const double value = call[0].numbers[static_cast<std::size_t>(at - 1)];
  return integer_operand(
      std::count_if(call[0].numbers.begin(), call[0].numbers.end(), [value](double other) { return other < value; }));
}

Operand running_sum(const BuiltinCall& call) {
  const Operand& x = call[0];
  Operand result{x.type, x.dims, {}, {}};
  if (x.size() == 0) return result;
  if (!x.is_data()) {
    result.symbol = cumulative_sum(x.symbol);
  } else {
    result.numbers.resize(x.numbers.size());
    std::partial_sum(x.numbers.begin(), x.numbers.end(), result.numbers.begin());
  }
  return result;
}

/// Entries of a matrix that are not 0, row by row.
struct SparseEntries {
  std::vector<double> values, columns, starts{1};
};
SparseEntries sparse_entries(const Operand& matrix) {
  SparseEntries entries;
  for (std::int64_t i = 0, flat = 0; i < matrix.dims[0]; ++i) {
    for (std::int64_t j = 0; j < matrix.dims[1]; ++j, ++flat) {
      const double value = matrix.numbers[static_cast<std::size_t>(flat)];
      if (value == 0) continue;
      entries.values.push_back(value);
      entries.columns.push_back(static_cast<double>(j + 1));
    }
    entries.starts.push_back(static_cast<double>(entries.values.size() + 1));
  }
  return entries;
}

Operand integer_list(std::vector<double> numbers) {
  const auto size = static_cast<std::int64_t>(numbers.size());
  return numbers_operand(integer_array, {size}, std::move(numbers));
}

/// Positions of the entries of a sparse matrix: csr functions take (rows, columns, w, v, u, ...).
struct SparsePlaces {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> row, column;  ///< of each entry, from 0
};
SparsePlaces sparse_places(const BuiltinCall& call) {
  SparsePlaces places;
  places.rows = size_argument(call, 0, "number of rows");
  places.columns = size_argument(call, 1, "number of columns");
  const Operand& v = call[3];
  const Operand& u = call[4];
  if (!v.is_data() || !u.is_data()) refuse(call, "its indices must be data");
  if (v.dims[0] != call[2].dims[0])
    refuse(call, "there are " + std::to_string(call[2].dims[0]) + " values and " + std::to_string(v.dims[0]) +
                     " column indices");
  if (u.dims[0] != places.rows + 1)
    refuse(call, std::to_string(places.rows) + " rows need " + std::to_string(places.rows + 1) + " row starts, not " +
                     std::to_string(u.dims[0]));
  for (std::int64_t i = 0; i < places.rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::int64_t>(u.numbers[at]); k < static_cast<std::int64_t>(u.numbers[at + 1]); ++k) {
      if (k < 1 || k > v.dims[0]) refuse(call, "row " + std::to_string(i + 1) + " starts outside the values");
      const auto column = static_cast<std::int64_t>(v.numbers[static_cast<std::size_t>(k - 1)]) - 1;
      if (column < 0 || column >= places.columns)
        refuse(call,
               "column index " + std::to_string(column + 1) + " is outside 1 to " + std::to_string(places.columns));
      places.row.push_back(i);
      places.column.push_back(column);
    }
  }
  if (static_cast<std::int64_t>(places.row.size()) != v.dims[0]) refuse(call, "the row starts do not cover all values");
  return places;
}

Operand sparse_to_dense(const BuiltinCall& call) {
  const SparsePlaces places = sparse_places(call);
  Positions positions(static_cast<std::size_t>(places.rows * places.columns), -1);
  for (std::size_t k = 0; k < places.row.size(); ++k)
    positions[static_cast<std::size_t>(places.row[k] * places.columns + places.column[k])] =
        static_cast<std::int64_t>(k);
  return pick(call[2], matrix_type, {places.rows, places.columns}, std::move(positions));
}

/// Sparse matrix-vector product, with rows padded to the longest.
Operand sparse_times_vector(const BuiltinCall& call) {
  const SparsePlaces places = sparse_places(call);
  if (call[5].dims[0] != places.columns)
    refuse(call, "a matrix of " + std::to_string(places.columns) + " columns times " + shape_text(call[5]));
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(places.rows), 0);
  for (const auto row : places.row) ++lengths[static_cast<std::size_t>(row)];
  const std::int64_t width = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  if (width == 0) return vector_operand(std::vector<double>(static_cast<std::size_t>(places.rows), 0.0));
  Positions entry(static_cast<std::size_t>(places.rows * width), -1), element = entry;
  std::fill(lengths.begin(), lengths.end(), 0);
  for (std::size_t k = 0; k < places.row.size(); ++k) {
    const auto at =
        static_cast<std::size_t>(places.row[k] * width + lengths[static_cast<std::size_t>(places.row[k])]++);
    entry[at] = static_cast<std::int64_t>(k);
    element[at] = places.column[k];
  }
  const Shape shape{places.rows, width};
  const Expression products = take(as_expression(call[2]), entry, shape) * take(as_expression(call[5]), element, shape);
  return symbol_operand(vector_type, sum(products, 1));
}

}  // namespace

void add_sorting(Table& table) {
  const std::initializer_list<std::string_view> same_list{"(array[] int): array[] int", "(array[] real): array[] real",
                                                          "(vector): vector", "(row_vector): row_vector"};
  const std::initializer_list<std::string_view> list_to_indices{"(array[] int): array[] int",
                                                                "(array[] real): array[] int", "(vector): array[] int",
                                                                "(row_vector): array[] int"};
  const auto add_data = [&table](const char* name, std::initializer_list<std::string_view> signatures, Apply apply) {
    table.add(name, signatures, std::move(apply)).data_only = true;
  };
  table.add("sort_asc", same_list, [](const BuiltinCall& call) { return sorted(call, true); });
  table.add("sort_desc", same_list, [](const BuiltinCall& call) { return sorted(call, false); });
  add_data("sort_indices_asc", list_to_indices, [](const BuiltinCall& call) { return sorted_indices(call, true); });
  add_data("sort_indices_desc", list_to_indices, [](const BuiltinCall& call) { return sorted_indices(call, false); });
  add_data("rank", {"(array[] real, int): int", "(vector, int): int", "(row_vector, int): int"}, rank);
  table.add("cumulative_sum", same_list, running_sum);
  table.add("softmax", {"(vector): vector"}, [](const BuiltinCall& call) {
    if (call[0].size() == 0) return call[0];
    return symbol_operand(vector_type, softmax(as_expression(call[0])));
  });
  table.add("log_softmax", {"(vector): vector"}, [](const BuiltinCall& call) {
    if (call[0].size() == 0) return call[0];
    return symbol_operand(vector_type, log_softmax(as_expression(call[0])));
  });

  add_data("csr_extract_w", {"(matrix): vector"},
           [](const BuiltinCall& call) { return vector_operand(sparse_entries(call[0]).values); });
  add_data("csr_extract_v", {"(matrix): array[] int"},
           [](const BuiltinCall& call) { return integer_list(sparse_entries(call[0]).columns); });
  add_data("csr_extract_u", {"(matrix): array[] int"},
           [](const BuiltinCall& call) { return integer_list(sparse_entries(call[0]).starts); });
  table.add("csr_to_dense_matrix", {"(int, int, vector, array[] int, array[] int): matrix"}, sparse_to_dense);
  table.add("csr_matrix_times_vector", {"(int, int, vector, array[] int, array[] int, vector): vector"},
            sparse_times_vector);
}

}  // namespace sgmcmc::stan
