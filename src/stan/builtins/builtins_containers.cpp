// Sizes of containers and containers made from sizes.
#include "stan/builtins/operands.hpp"

#include <sgmcmc/expression.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc::stan {
namespace {

std::size_t count(std::int64_t size) { return static_cast<std::size_t>(size); }

std::int64_t elements_of(const Dimensions& dims) {
  std::int64_t size = 1;
  for (const auto dim : dims) size *= dim;
  return size;
}

/// Repeats `x` `times` times.
Operand repeated(const Operand& x, std::int64_t times, Type type, Dimensions dims) {
  if (x.is_data() && x.numbers.size() == 1)
    return numbers_operand(type, std::move(dims), std::vector<double>(count(times), x.numbers[0]));
  Positions positions;
  positions.reserve(count(times * x.size()));
  for (std::int64_t t = 0; t < times; ++t)
    for (std::int64_t i = 0; i < x.size(); ++i) positions.push_back(i);
  return pick(x, type, std::move(dims), std::move(positions));
}

Operand rep_array(const BuiltinCall& call) {
  Dimensions dims;
  for (std::size_t i = 1; i < call.size(); ++i) dims.push_back(size_argument(call, i));
  const std::int64_t times = elements_of(dims);
  Type type = call[0].type;
  type.array_rank += static_cast<int>(dims.size());
  dims.insert(dims.end(), call[0].dims.begin(), call[0].dims.end());
  return repeated(call[0], times, type, std::move(dims));
}

Operand rep_matrix(const BuiltinCall& call) {
  const Operand& x = call[0];
  if (call.size() == 3) {
    const std::int64_t rows = size_argument(call, 1), columns = size_argument(call, 2);
    return repeated(x, rows * columns, matrix_type, {rows, columns});
  }
  const std::int64_t times = size_argument(call, 1);
  if (x.type == row_vector_type) return repeated(x, times, matrix_type, {times, x.dims[0]});
  Positions positions;
  for (std::int64_t i = 0; i < x.dims[0]; ++i)
    for (std::int64_t j = 0; j < times; ++j) positions.push_back(i);
  return pick(x, matrix_type, {x.dims[0], times}, std::move(positions));
}

void add_filled(Table& table, const std::string& word, double value) {
  const auto fill = [value](Type type) {
    return [value, type](const BuiltinCall& call) {
      Dimensions dims;
      for (std::size_t i = 0; i < call.size(); ++i) dims.push_back(size_argument(call, i));
      return numbers_operand(type, dims, std::vector<double>(count(elements_of(dims)), value));
    };
  };
  table.add(word + "_vector", {"(int): vector"}, fill(vector_type));
  table.add(word + "_row_vector", {"(int): row_vector"}, fill(row_vector_type));
  table.add(word + "_array", {"(int): array[] real"}, fill(real_array));
  table.add(word + "_int_array", {"(int): array[] int"}, fill(integer_array));
}

Operand one_hot(const BuiltinCall& call, Type type) {
  const std::int64_t size = size_argument(call, 0), at = integer_argument(call, 1, "index");
  if (at < 1 || at > size)
    refuse(call, "the index is " + std::to_string(at) + ", outside 1 to " + std::to_string(size));
  std::vector<double> numbers(count(size), 0.0);
  numbers[count(at - 1)] = 1;
  return numbers_operand(type, {size}, std::move(numbers));
}

Operand linspaced(const BuiltinCall& call, Type type) {
  const std::int64_t size = size_argument(call, 0);
  const bool data = call[1].is_data() && call[2].is_data();
  if (data && call[1].numbers[0] > call[2].numbers[0]) refuse(call, "the lower end is above the upper end");
  std::vector<double> numbers(count(size), 1.0);
  if (type.is_integer()) {
    // As Stan, which takes this from Eigen: steps of equal size, or equally many copies of each integer.
    const std::int64_t low = integer_argument(call, 1, "lower end");
    const std::int64_t width = integer_argument(call, 2, "upper end") - low;
    const std::int64_t step = width / std::max<std::int64_t>(1, size - 1), copies = (size + width) / (width + 1);
    for (std::int64_t i = 0; i < size; ++i)
      numbers[count(i)] = static_cast<double>(low + (width + 1 < size ? i / copies : i * step));
    return numbers_operand(type, {size}, std::move(numbers));
  }
  for (std::int64_t i = 0; i + 1 < size; ++i)
    numbers[count(i)] = static_cast<double>(i) / static_cast<double>(size - 1);
  if (!data) {
    const Expression low = as_expression(call[1]), share = constant(std::move(numbers));
    return symbol_operand(type, low + (as_expression(call[2]) - low) * share);
  }
  const double low = call[1].numbers[0], high = call[2].numbers[0];
  for (double& share : numbers) share = share == 1 ? high : low + (high - low) * share;
  return numbers_operand(type, {size}, std::move(numbers));
}

Operand dimensions(const BuiltinCall& call) {
  std::vector<double> numbers(call[0].dims.begin(), call[0].dims.end());
  const auto size = static_cast<std::int64_t>(numbers.size());
  return numbers_operand(integer_array, {size}, std::move(numbers));
}

}  // namespace

void add_containers(Table& table) {
  table.add("num_elements", {"(any): int"}, [](const BuiltinCall& call) { return integer_operand(call[0].size()); });
  table.add("size", {"(any): int"}, [](const BuiltinCall& call) {
    // Of a matrix the number of elements, of an array that of its first dimension.
    return integer_operand(call[0].type.array_rank > 0 ? call[0].dims[0] : call[0].size());
  });
  table.add("dims", {"(any): array[] int"}, dimensions);
  const std::initializer_list<std::string_view> linear{"(vector): int", "(row_vector): int", "(matrix): int"};
  table.add("rows", linear, [](const BuiltinCall& call) {
    return integer_operand(call[0].type == row_vector_type ? 1 : call[0].dims[0]);
  });
  table.add("cols", linear, [](const BuiltinCall& call) {
    return integer_operand(call[0].type == vector_type ? 1 : call[0].dims.back());
  });

  table.add("rep_array", {"(E, int): array[] E", "(E, int, int): array[,] E", "(E, int, int, int): array[,,] E"},
            rep_array);
  table.add("rep_vector", {"(real, int): vector"}, [](const BuiltinCall& call) {
    const std::int64_t size = size_argument(call, 1);
    return repeated(call[0], size, vector_type, {size});
  });
  table.add("rep_row_vector", {"(real, int): row_vector"}, [](const BuiltinCall& call) {
    const std::int64_t size = size_argument(call, 1);
    return repeated(call[0], size, row_vector_type, {size});
  });
  table.add("rep_matrix", {"(real, int, int): matrix", "(vector, int): matrix", "(row_vector, int): matrix"},
            rep_matrix);

  add_filled(table, "ones", 1);
  add_filled(table, "zeros", 0);
  table.add("one_hot_vector", {"(int, int): vector"},
            [](const BuiltinCall& call) { return one_hot(call, vector_type); });
  table.add("one_hot_row_vector", {"(int, int): row_vector"},
            [](const BuiltinCall& call) { return one_hot(call, row_vector_type); });
  table.add("one_hot_array", {"(int, int): array[] real"},
            [](const BuiltinCall& call) { return one_hot(call, real_array); });
  table.add("one_hot_int_array", {"(int, int): array[] int"},
            [](const BuiltinCall& call) { return one_hot(call, integer_array); });
  table.add("linspaced_vector", {"(int, real, real): vector"},
            [](const BuiltinCall& call) { return linspaced(call, vector_type); });
  table.add("linspaced_row_vector", {"(int, real, real): row_vector"},
            [](const BuiltinCall& call) { return linspaced(call, row_vector_type); });
  table.add("linspaced_array", {"(int, real, real): array[] real"},
            [](const BuiltinCall& call) { return linspaced(call, real_array); });
  table.add("linspaced_int_array", {"(int, int, int): array[] int"},
            [](const BuiltinCall& call) { return linspaced(call, integer_array); });
  table.add("identity_matrix", {"(int): matrix"}, [](const BuiltinCall& call) {
    const std::int64_t size = size_argument(call, 0);
    std::vector<double> numbers(count(size * size), 0.0);
    for (std::int64_t i = 0; i < size; ++i) numbers[count(i * size + i)] = 1;
    return numbers_operand(matrix_type, {size, size}, std::move(numbers));
  });
  table.add("uniform_simplex", {"(int): vector"}, [](const BuiltinCall& call) {
    const std::int64_t size = size_argument(call, 0);
    return vector_operand(std::vector<double>(count(size), 1.0 / static_cast<double>(size)));
  });
}

}  // namespace sgmcmc::stan
