// Applies built-in functions to plain values, to values of one row, to containers of all rows and to sums over rows.
#include "stan/lowering/indexing.hpp"
#include "stan/lowering/interpreter.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace sgmcmc::stan {
namespace {

bool all_equal(const Numbers& numbers) {
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i] != numbers[0]) return false;
  return true;
}

/// One integer per row.
bool is_integer_of_row(const Value& value) {
  return value.role == Role::row && value.is_data() && value.dims.empty() && value.type.is_integer();
}

using NumberFunction = double (*)(double, double);

/// Fast versions of integer functions used in loops over rows. Null: none for this function.
NumberFunction quick_function(const std::string& name) {
  static const std::unordered_map<std::string, NumberFunction> functions{
      {"add", [](double a, double b) { return a + b; }},
      {"subtract", [](double a, double b) { return a - b; }},
      {"elt_multiply", [](double a, double b) { return a * b; }},
      {"logical_eq", [](double a, double b) -> double { return a == b; }},
      {"logical_neq", [](double a, double b) -> double { return a != b; }},
      {"logical_lt", [](double a, double b) -> double { return a < b; }},
      {"logical_lte", [](double a, double b) -> double { return a <= b; }},
      {"logical_gt", [](double a, double b) -> double { return a > b; }},
      {"logical_gte", [](double a, double b) -> double { return a >= b; }},
      {"logical_and", [](double a, double b) -> double { return a != 0 && b != 0; }},
      {"logical_or", [](double a, double b) -> double { return a != 0 || b != 0; }},
  };
  auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

/// The numbers of all rows; empty if one overflows an integer.
std::optional<std::vector<double>> quick_numbers(NumberFunction function, const Value& a, const Value& b,
                                                 std::size_t rows) {
  constexpr double largest_integer = 2147483647.0;
  std::vector<double> numbers(rows);
  const std::size_t step_a = a.role == Role::row, step_b = b.role == Role::row;
  for (std::size_t i = 0; i < rows; ++i) {
    numbers[i] = function(a.numbers[i * step_a], b.numbers[i * step_b]);
    if (!(std::fabs(numbers[i]) <= largest_integer)) return std::nullopt;
  }
  return numbers;
}

}  // namespace

Value Interpreter::apply(const std::string& name, std::vector<Value> arguments, const Type& type, Span span) {
  bool row = false, rows = false, data = true, sums = false;
  for (const auto& argument : arguments) {
    row = row || argument.role == Role::row;
    rows = rows || argument.role == Role::rows;
    data = data && argument.is_data() && !argument.sparse;
    sums = sums || static_cast<bool>(argument.row_sum);
    if (!argument.set) fail(span, "a value is used before it is set");
  }
  if (sums) return apply_to_sums(name, arguments, span);
  if (!row && !rows) return apply_plain(name, arguments, span);
  if (row && rows) {
    // Combining a container of all rows with a value of one row is allowed only if the container is data.
    tie(span, "every row uses all rows");
  }
  if (row) {
    if (data) return apply_to_row_data(name, arguments, type, span);
    return apply_in_row(name, std::move(arguments), type, span);
  }
  if (data) {
    Value made = apply_plain(name, arguments, span);
    if (!made.dims.empty() && made.dims[0] == axis_->rows() &&
        (is_elementwise(name) || name == "to_vector" || name == "to_row_vector" || name == "multiply" ||
         name == "append_col" || name == "col" || name == "to_array_1d" || name == "diag_post_multiply" ||
         name == "elt_multiply" || name == "elt_divide" || (name == "transpose" && made.dims.size() == 1)))
      made.role = Role::rows;
    return made;
  }
  return apply_over_rows(name, std::move(arguments), type, span);
}

/// A key for calls of scalars; empty for others.
std::string Interpreter::call_key(const std::string& name, const std::vector<Value>& arguments) const {
  bool symbolic = false;
  for (const auto& argument : arguments) {
    if (!argument.dims.empty() || argument.sparse || argument.pieces || argument.row_sum) return {};
    symbolic = symbolic || argument.symbol;
  }
  if (!symbolic) return {};
  std::string key = name;
  for (const auto& argument : arguments) {
    const Node* node = argument.symbol ? &argument.symbol.node() : nullptr;
    const double number = node ? 0.0 : argument.number();
    key.push_back(node ? 's' : argument.type.is_integer() ? 'i' : 'r');
    char bytes[sizeof(double)];
    static_assert(sizeof node == sizeof number);
    std::memcpy(bytes, node ? static_cast<const void*>(&node) : static_cast<const void*>(&number), sizeof bytes);
    key.append(bytes, sizeof bytes);
  }
  return key;
}

Value Interpreter::apply_plain(const std::string& name, const std::vector<Value>& arguments, Span span) {
  const std::string key = call_key(name, arguments);
  if (!key.empty())
    if (auto known = known_calls_.find(key); known != known_calls_.end()) return known->second.result;
  std::vector<Operand> operands;
  operands.reserve(arguments.size());
  for (const auto& argument : arguments) {
    if (argument.sparse) fail(span, "a sparse matrix can only be multiplied with a vector");
    operands.push_back(operand_of(argument));
  }
  try {
    Value result = value_of(apply_builtin(name, operands));
    if (!key.empty()) known_calls_.emplace(key, Known{result, arguments});
    return result;
  } catch (const ArgumentError& error) {
    fail(span, error.message, error.help);
  } catch (const ShapeError& error) {
    fail(span, error.what());
  }
}

/// On values of one row, as expressions.
Value Interpreter::apply_in_row(const std::string& name, std::vector<Value> arguments, const Type& type, Span span) {
  Value made = call_lifted(name, arguments, type, span);
  made.role = Role::row;
  made.context = in_rows() ? context().id : 0;
  return made;
}

Value Interpreter::call_lifted(const std::string& name, const std::vector<Value>& elements, const Type& type,
                               Span span) {
  std::vector<Value> expressions;
  for (const auto& element : elements) {
    if (element.role == Role::row && is_integer_of_row(element) && all_equal(element.numbers)) {
      expressions.push_back(integer_value(element.integer()));
    } else if (element.role == Role::row) {
      expressions.push_back(symbol_value(element.type, element.dims, row_expression(element)));
    } else {
      expressions.push_back(element);
    }
  }
  // Sparse rows support products only.
  if (name == "multiply" && expressions.size() == 2 && expressions[0].symbol &&
      expressions[0].symbol.describe().find("sparse") != std::string::npos)
    return symbol_value(type, {}, dot(expressions[0].symbol, expression_of(expressions[1])));
  try {
    std::vector<Operand> operands;
    operands.reserve(expressions.size());
    for (const auto& expression : expressions) operands.push_back(operand_of(expression));
    return value_of(apply_builtin(name, operands));
  } catch (const ArgumentError& error) {
    // Arguments that must be data may differ between rows; real errors recur when run without rows.
    Numbers split;
    for (const auto& element : elements)
      if (split.size() == 0 && is_integer_of_row(element) && !all_equal(element.numbers)) split = element.numbers;
    tie(span, error.message, split);
  } catch (const ShapeError& error) {
    tie(span, error.what());
  }
}

/// On data of one row: numbers for every row.
Value Interpreter::apply_to_row_data(const std::string& name, const std::vector<Value>& arguments, const Type& type,
                                     Span span) {
  const auto rows = static_cast<std::size_t>(axis_->rows());
  Value made;
  made.type = type;
  made.role = Role::row;
  made.context = in_rows() ? context().id : 0;
  const bool scalars = std::all_of(arguments.begin(), arguments.end(), [](const Value& x) { return x.dims.empty(); });
  const bool integers = type.is_integer();
  if (is_elementwise(name) && scalars && !integers) {
    // All rows at once, as one vector.
    std::vector<Value> vectors;
    for (const auto& argument : arguments) {
      Value vector = argument;
      vector.type = {Base::real, 0};
      if (argument.role == Role::row) {
        vector.type = {Base::vector, 0};
        vector.dims = {axis_->rows()};
        vector.role = Role::plain;
      }
      vectors.push_back(vector);
    }
    Value result = apply_plain(name == "multiply" ? "elt_multiply"
                               : name == "divide" ? "elt_divide"
                                                  : name,
                               vectors, span);
    made.numbers = result.numbers;
    return made;
  }
  if (scalars && arguments.size() == 2) {
    const auto function = quick_function(name);
    if (auto quick = function ? quick_numbers(function, arguments[0], arguments[1], rows) : std::nullopt) {
      made.numbers = Numbers(std::move(*quick));
      return made;
    }
  }
  std::vector<double> numbers;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<Operand> operands;
    for (const auto& argument : arguments) {
      Operand operand;
      operand.type = argument.type;
      operand.dims = argument.dims;
      const auto stretch = static_cast<std::size_t>(size_of(argument.dims));
      const std::size_t from = argument.role == Role::row ? i * stretch : 0;
      for (std::size_t k = 0; k < stretch; ++k) operand.numbers.push_back(argument.numbers[from + k]);
      operands.push_back(std::move(operand));
    }
    try {
      Operand result = apply_builtin(name, operands);
      if (i == 0) {
        made.dims = result.dims;
        numbers.reserve(rows * result.numbers.size());
      } else if (made.dims != result.dims) {
        tie(span, "the size of a value differs from row to row");
      }
      numbers.insert(numbers.end(), result.numbers.begin(), result.numbers.end());
    } catch (const ArgumentError& error) {
      const auto row = in_rows() ? static_cast<std::int64_t>(context().index[i]) : static_cast<std::int64_t>(i + 1);
      fail(span, "in row " + std::to_string(row) + ": " + error.message, error.help);
    }
  }
  made.numbers = Numbers(std::move(numbers));
  return made;
}

Value Interpreter::apply_to_sums(const std::string& name, const std::vector<Value>& arguments, Span span) {
  const std::string not_linear = "a sum over all rows is used for more than adding it to the log density";
  for (const auto& argument : arguments)
    if (argument.role != Role::plain || !argument.dims.empty()) tie(span, not_linear);
  auto rest = [](const Value& value) {
    Value made = value;
    made.row_sum = {};
    return made;
  };
  auto combine = [&](Expression total, Value plain) {
    plain.row_sum = total;
    return plain;
  };
  if (name == "minus")
    return combine(-arguments[0].row_sum, apply("minus", {rest(arguments[0])}, arguments[0].type, span));
  if (name == "plus") return arguments[0];
  if (arguments.size() != 2) tie(span, not_linear);
  const Value &a = arguments[0], &b = arguments[1];
  const Type real{Base::real, 0};
  if (name == "add" || name == "subtract") {
    const bool minus = name == "subtract";
    Expression total;
    if (a.row_sum && b.row_sum)
      total = minus ? a.row_sum - b.row_sum : a.row_sum + b.row_sum;
    else if (a.row_sum)
      total = a.row_sum;
    else
      total = minus ? -b.row_sum : b.row_sum;
    return combine(total, apply(name, {rest(a), rest(b)}, real, span));
  }
  const bool product = name == "multiply" || name == "elt_multiply";
  const bool quotient = name == "divide" || name == "elt_divide";
  if ((product || quotient) && !(a.row_sum && b.row_sum)) {
    if (product) {
      const Value &sum = a.row_sum ? a : b, &factor = a.row_sum ? b : a;
      return combine(expression_of(factor) * sum.row_sum, apply(name, {rest(a), rest(b)}, real, span));
    }
    if (a.row_sum) return combine(a.row_sum / expression_of(b), apply(name, {rest(a), rest(b)}, real, span));
  }
  tie(span, not_linear);
}

/// On containers of all rows that depend on parameters, by way of the value of one row.
Value Interpreter::apply_over_rows(const std::string& name, std::vector<Value> arguments, const Type& type, Span span) {
  const bool elementwise = is_elementwise(name);
  const bool all_whole = std::all_of(arguments.begin(), arguments.end(), [](const Value& x) {
    return x.role == Role::plain || ((x.whole || x.pieces) && !x.is_data());
  });
  if (all_whole) {
    // Parameters only, one per row, without row data.
    for (auto& argument : arguments) argument.role = Role::plain;
    Value made = apply_plain(name, arguments, span);
    if (!made.dims.empty() && made.dims[0] == axis_->rows() &&
        (elementwise || name == "to_vector" || name == "to_row_vector" || name == "transpose" || name == "multiply"))
      made = as_rows(std::move(made));
    return made;
  }
  auto lifted = [&](bool containers_run) {
    std::vector<Value> elements;
    for (const auto& argument : arguments)
      elements.push_back(argument.role == Role::rows || (containers_run && runs_over_rows(argument))
                             ? element_of_rows(argument, span)
                             : argument);
    return elements;
  };
  auto total = [&](Expression x) {
    Value made = real_value(0.0);
    if (x.per_row()) {
      made.row_sum = sum(x);
    } else {
      made.symbol = static_cast<double>(axis_->rows()) * sum(x);
      made.numbers = Numbers();
    }
    return made;
  };
  const Type of_element = element_type(type);
  if (elementwise) return rows_of_element(call_lifted(name, lifted(true), of_element, span), type);
  if (name == "multiply") {
    const Value &a = arguments[0], &b = arguments[1];
    if (a.role == Role::rows && a.type.base == Base::matrix && b.role != Role::rows)
      return rows_of_element(call_lifted(name, lifted(false), of_element, span), type);
    if (a.type.base == Base::row_vector && b.type.base == Base::vector && runs_over_rows(a) && runs_over_rows(b)) {
      auto elements = lifted(true);
      return total(row_expression(elements[0]) * row_expression(elements[1]));
    }
    if (a.type.base == Base::vector && b.type.base == Base::row_vector && a.role == Role::rows && b.role != Role::rows)
      return rows_of_element(call_lifted("elt_multiply", lifted(false), of_element, span), type);
    tie(span, "this product adds up over the rows");
  }
  if (name == "sum") return total(row_expression(lifted(true)[0]));
  if (name == "mean" && arguments[0].dims.size() == 1)
    return total(row_expression(lifted(true)[0]) / static_cast<double>(axis_->rows()));
  if (name == "dot_product" && arguments[0].dims.size() == 1) {
    auto elements = lifted(true);
    return total(row_expression(elements[0]) * row_expression(elements[1]));
  }
  if (name == "dot_self") return total(square(row_expression(lifted(true)[0])));
  if (name == "squared_distance") {
    auto elements = lifted(true);
    return total(square(row_expression(elements[0]) - row_expression(elements[1])));
  }
  if (name == "rows_dot_product")
    return rows_of_element(call_lifted("dot_product", lifted(true), of_element, span), type);
  if (name == "rows_dot_self") return rows_of_element(call_lifted("dot_self", lifted(true), of_element, span), type);
  if ((name == "to_vector" || name == "to_row_vector" || name == "to_array_1d" || name == "transpose") &&
      arguments[0].dims.size() == 1) {
    Value made = arguments[0];
    made.type = type;
    return made;
  }
  if (name == "append_col" && runs_over_rows(arguments[0]) && runs_over_rows(arguments[1]))
    return rows_of_element(call_lifted(name, lifted(true), of_element, span), type);
  if (name == "col") {
    Value element = element_of_rows(arguments[0], span);
    std::vector<Place> places(1);
    places[0].kind = Place::Kind::single;
    places[0].index = arguments[1];
    places[0].span = span;
    return rows_of_element(index_plain(element, places, of_element, "the matrix", span), type);
  }
  if (name == "diag_post_multiply" && arguments[1].role != Role::rows) {
    std::vector<Value> elements{element_of_rows(arguments[0], span), arguments[1]};
    elements[1].type = {Base::row_vector, 0};
    return rows_of_element(call_lifted("elt_multiply", elements, of_element, span), type);
  }
  tie(span, "'" + name + "' uses all rows at once");
}

}  // namespace sgmcmc::stan
