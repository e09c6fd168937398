// Conversions between containers over all rows and values of one row.
#include "stan/lowering/interpreter.hpp"

#include <algorithm>

namespace sgmcmc::stan {

bool Interpreter::runs_over_rows(const Value& value) const {
  return value.role == Role::rows ||
         (axis_ && value.role == Role::plain && !value.dims.empty() && value.dims[0] == axis_->rows());
}

Value Interpreter::as_rows(Value value) {
  if (value.role == Role::plain) {
    value.role = Role::rows;
    if (value.pieces) {
      value.symbol = symbol_of(value);
      value.pieces.reset();
    }
    value.whole = !value.is_data();
  }
  return value;
}

bool Interpreter::sees_all_rows() const {
  return contexts_.empty() || contexts_.back().index.identity() == axis_->row_numbers().identity();
}

/// The value of a container in the current row.
Value Interpreter::element_of_rows(const Value& given, Span span) {
  Value container = as_rows(given);
  Value made;
  made.type = element_type(container.type);
  made.dims.assign(container.dims.begin() + 1, container.dims.end());
  made.role = Role::row;
  made.context = in_rows() ? context().id : 0;
  if (!container.set) fail(span, "it is used before it has a value");
  if (container.sparse) {
    made.symbol = axis_->sparse_column(container.sparse, "X");
    return made;
  }
  const bool all_rows = sees_all_rows();
  if (container.is_data()) {
    made.numbers =
        all_rows ? container.numbers : axis_->reindex(container.numbers, size_of(made.dims), context().index);
    return made;
  }
  if (container.pieces) container.symbol = symbol_of(container), container.pieces.reset(), container.whole = true;
  if (container.whole) {
    const Numbers& index = all_rows ? axis_->row_numbers() : context().index;
    made.symbol = gather(container.symbol, axis_->column(index, {}, true, "row"), 1);
  } else {
    made.symbol = all_rows ? container.symbol : axis_->reindex(container.symbol, context().index);
  }
  return made;
}

/// The container whose rows have the given per-row value.
Value Interpreter::rows_of_element(Value element, const Type& type) {
  Value made;
  made.type = type;
  made.dims.push_back(axis_->rows());
  made.dims.insert(made.dims.end(), element.dims.begin(), element.dims.end());
  made.role = Role::rows;
  if (!element.is_data()) {
    made.symbol = symbol_of(element);
  } else if (element.role == Role::row) {
    made.numbers = element.numbers;
  } else {
    std::vector<double> repeated;
    repeated.reserve(element.numbers.size() * static_cast<std::size_t>(axis_->rows()));
    for (std::int64_t i = 0; i < axis_->rows(); ++i)
      repeated.insert(repeated.end(), element.numbers.view().begin(), element.numbers.view().end());
    made.numbers = Numbers(std::move(repeated));
  }
  return made;
}

/// The value of one row as an expression: a column if it is data.
Expression Interpreter::row_expression(const Value& value) {
  if (value.role == Role::row && value.is_data())
    return axis_->column(value.numbers, value.dims, value.type.is_integer());
  return expression_of(value);
}

/// A per-row value in the current context of rows.
Value Interpreter::to_context(const Value& value, Span span) {
  if (value.role != Role::row) return value;
  const bool under_way =
      std::any_of(contexts_.begin(), contexts_.end(), [&](const RowContext& each) { return each.id == value.context; });
  if (!under_way) tie(span, "a value of the last row is used after the loop over rows");
  if (value.context == context().id) return value;
  Value made = value;
  made.context = context().id;
  if (value.is_data()) {
    made.numbers = axis_->reindex(value.numbers, size_of(value.dims), context().index);
  } else if (value.pieces) {
    made.pieces = std::make_shared<Pieces>(*value.pieces);
    for (auto& piece : *made.pieces)
      if (piece) piece = axis_->reindex(piece, context().index);
  } else {
    made.symbol = axis_->reindex(value.symbol, context().index);
  }
  return made;
}

}  // namespace sgmcmc::stan
