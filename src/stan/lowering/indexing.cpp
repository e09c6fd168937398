// Indexing: by numbers, by ranges, and by values that differ between rows.
#include "stan/lowering/indexing.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc::stan {
namespace {

std::string ordinal(std::size_t axis) { return std::to_string(axis + 1); }

/// Maximum number of rows that are unrolled.
constexpr std::size_t most_single_rows = 64;

}  // namespace

std::vector<Interpreter::Place> Interpreter::evaluate_indices(const std::vector<Index>& indices) {
  std::vector<Place> places;
  for (const Index& index : indices) {
    Place place;
    place.span = index.span;
    if (index.kind == Index::Kind::single) {
      place.index = evaluate(*index.single);
      if (!place.index.is_data()) fail(index.span, "an index cannot depend on parameters");
      place.kind = place.index.dims.empty() ? Place::Kind::single : Place::Kind::many;
    } else if (index.kind == Index::Kind::range) {
      place.kind = Place::Kind::range;
      place.to_end = !index.to;
      auto bound = [&](const Tree& tree) {
        const Value value = evaluate(tree);
        if (!value.is_data()) fail(tree.span, "an index cannot depend on parameters");
        return plain_integer(value, "a range of elements differs from row to row", tree.span);
      };
      if (index.from) place.from = bound(*index.from);
      if (index.to) place.to = bound(*index.to);
    }
    places.push_back(std::move(place));
  }
  return places;
}

/// One element of a container; repeated requests return the same expression.
Expression Interpreter::element(const Expression& symbol, std::int64_t flat) {
  auto [known, fresh] = known_elements_.try_emplace({&symbol.node(), flat});
  if (fresh) known->second = {take(symbol, {flat}, Shape{}), symbol};
  return known->second.first;
}

/// An integer that must be the same for all rows.
std::int64_t Interpreter::plain_integer(const Value& value, const std::string& reason, Span span) const {
  for (std::size_t i = 1; value.role == Role::row && i < value.numbers.size(); ++i)
    if (value.numbers[i] != value.numbers[0]) tie(span, reason, value.numbers);
  return value.integer();
}

bool Interpreter::is_own_row(const Value& index) const {
  if (!in_rows() || index.role != Role::row || !index.is_data() || !index.dims.empty()) return false;
  const Numbers& own = contexts_.back().index;
  if (index.numbers.identity() == own.identity()) return true;
  if (index.numbers.size() != own.size()) return false;
  for (std::size_t i = 0; i < own.size(); ++i)
    if (index.numbers[i] != own[i]) return false;
  return true;
}

/// Flat positions (from 0) of the elements selected from an array of `dims`, and the dimensions of the result.
std::vector<std::int64_t> Interpreter::positions(const Dims& dims, const std::vector<Place>& places, Dims& result,
                                                 const std::string& name, Span span) const {
  if (places.size() > dims.size()) fail(span, "'" + name + "' has only " + std::to_string(dims.size()) + " dimensions");
  std::vector<std::vector<std::int64_t>> picked(dims.size());
  result.clear();
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    auto& here = picked[axis];
    const Place::Kind kind = axis < places.size() ? places[axis].kind : Place::Kind::all;
    if (axis < places.size() && places[axis].index.role == Role::row)
      tie(places[axis].span, "the row determines which elements of '" + name + "' are used");
    if (kind == Place::Kind::single || kind == Place::Kind::many) {
      for (double number : places[axis].index.numbers.view()) here.push_back(static_cast<std::int64_t>(number) - 1);
    } else {
      std::int64_t from = 1, to = dims[axis];
      if (kind == Place::Kind::range) {
        from = places[axis].from;
        if (!places[axis].to_end) to = places[axis].to;
      }
      for (std::int64_t i = from; i <= to; ++i) here.push_back(i - 1);
    }
    for (auto i : here)
      if (i < 0 || i >= dims[axis])
        fail(axis < places.size() ? places[axis].span : span, "index " + std::to_string(i + 1) + " is outside 1.." +
                                                                  std::to_string(dims[axis]) + ", dimension " +
                                                                  ordinal(axis) + " of '" + name + "'");
    if (kind != Place::Kind::single) result.push_back(static_cast<std::int64_t>(here.size()));
  }
  std::vector<std::int64_t> flat{0};
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    std::vector<std::int64_t> next;
    next.reserve(flat.size() * picked[axis].size());
    for (auto start : flat)
      for (auto i : picked[axis]) next.push_back(start * dims[axis] + i);
    flat = std::move(next);
  }
  return flat;
}

Value Interpreter::index(const Value& base, std::vector<Place> places, const Type& type, const std::string& name,
                         Span span) {
  if (base.sparse)
    fail(span, "'" + name + "' is a sparse matrix: its rows cannot be indexed", "multiply it with a vector");
  if (base.role == Role::rows) return index_rows(base, std::move(places), type, name, span);
  bool by_row = false;
  std::optional<std::size_t> over_rows;
  for (std::size_t axis = 0; axis < places.size(); ++axis) {
    if (places[axis].index.role == Role::row) by_row = true;
    if (places[axis].kind == Place::Kind::many && places[axis].index.role == Role::rows && !over_rows) over_rows = axis;
  }
  if (by_row) return index_by_row(base, places, type, name, span);
  if (over_rows && !base.is_data()) {
    for (std::size_t axis = 0; axis < *over_rows; ++axis)
      if (!places[axis].vanishes()) tie(span, "the rows become a later dimension of '" + name + "'");
    if (in_rows()) tie(span, "a container of all rows is made inside a loop over rows");
    places[*over_rows].index.role = Role::row;
    places[*over_rows].index.dims.clear();
    places[*over_rows].kind = Place::Kind::single;
    return rows_of_element(index_by_row(base, places, element_type(type), name, span), type);
  }
  Value made = index_plain(base, places, type, name, span);
  if (over_rows && *over_rows == 0 && made.role == Role::plain) made.role = Role::rows;
  return made;
}

Value Interpreter::index_plain(const Value& base, const std::vector<Place>& places, const Type& type,
                               const std::string& name, Span span) {
  // A single number: avoids lists of positions.
  const bool one = places.size() == base.dims.size() && base.role == Role::plain &&
                   std::all_of(places.begin(), places.end(), [](const Place& p) { return p.vanishes(); });
  if (one) {
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < places.size(); ++axis) {
      const std::int64_t i = places[axis].index.integer();
      if (i < 1 || i > base.dims[axis])
        fail(places[axis].span, "index " + std::to_string(i) + " is outside 1.." + std::to_string(base.dims[axis]) +
                                    ", dimension " + ordinal(axis) + " of '" + name + "'");
      flat = flat * base.dims[axis] + i - 1;
    }
    const auto at = static_cast<std::size_t>(flat);
    if (!base.set) fail(span, "'" + name + "' is used before it has a value");
    if (base.pieces) {
      if (!(*base.pieces)[at]) fail(span, "this element of '" + name + "' is used before it has a value");
      return symbol_value(type, {}, (*base.pieces)[at]);
    }
    if (base.is_data()) {
      Value made = real_value(base.numbers[at]);
      made.type = type;
      return made;
    }
    return symbol_value(type, {}, element(base.symbol, flat));
  }
  Value made;
  made.type = type;
  made.role = base.role;
  made.context = base.context;
  const auto flat = positions(base.dims, places, made.dims, name, span);
  if (!base.set && !flat.empty()) fail(span, "'" + name + "' is used before it has a value");
  if (base.pieces) {
    made.pieces = std::make_shared<Pieces>();
    for (auto at : flat) {
      const auto& piece = (*base.pieces)[static_cast<std::size_t>(at)];
      if (!piece) fail(span, "an element of '" + name + "' is used before it has a value");
      made.pieces->push_back(piece);
    }
    if (made.dims.empty() || flat.size() == 1) {
      made.symbol = reshape(made.pieces->at(0), shape_of(made.dims));
      made.pieces.reset();
    }
  } else if (!base.is_data()) {
    made.symbol = take(base.symbol, flat, shape_of(made.dims));
  } else if (base.role == Role::row) {
    const auto stretch = static_cast<std::size_t>(size_of(base.dims));
    const auto rows = static_cast<std::size_t>(axis_->rows());
    auto numbers = std::make_shared<std::vector<double>>(rows * flat.size());
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t k = 0; k < flat.size(); ++k)
        (*numbers)[row * flat.size() + k] = base.numbers[row * stretch + static_cast<std::size_t>(flat[k])];
    made.numbers = Numbers(std::span<const double>(*numbers), numbers);
  } else {
    std::vector<double> numbers(flat.size());
    for (std::size_t k = 0; k < flat.size(); ++k) numbers[k] = base.numbers[static_cast<std::size_t>(flat[k])];
    made.numbers = Numbers(std::move(numbers));
  }
  return made;
}

/// Some indices differ between rows: combines them into one index into a table of the selectable elements.
Value Interpreter::index_by_row(const Value& base, const std::vector<Place>& places, const Type& type,
                                const std::string& name, Span span) {
  const auto rows = static_cast<std::size_t>(axis_->rows());
  if (places.size() > base.dims.size())
    fail(span, "'" + name + "' has only " + std::to_string(base.dims.size()) + " dimensions");
  if (!base.set) fail(span, "'" + name + "' is used before it has a value");
  // Indices that differ between rows determine the start; other indices give fixed offsets from it.
  std::vector<std::size_t> row_axes;
  Dims row_dims, row_strides;
  std::optional<std::size_t> many;  // the index for which each row has an array
  std::vector<Place> others = places;
  for (std::size_t axis = 0; axis < places.size(); ++axis) {
    if (places[axis].index.role != Role::row) continue;
    if (places[axis].kind == Place::Kind::many) {
      if (!row_axes.empty() || std::any_of(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(axis),
                                           [](const Place& place) { return !place.vanishes(); }))
        tie(places[axis].span, "a row picks several elements by an array of its own");
      many = axis;
    } else if (many) {
      tie(places[*many].span, "a row picks several elements by an array of its own");
    }
    row_axes.push_back(axis);
    row_dims.push_back(base.dims[axis]);
    std::int64_t stride = 1;
    for (std::size_t later = axis + 1; later < base.dims.size(); ++later) stride *= base.dims[later];
    row_strides.push_back(stride);
    others[axis].index = integer_value(1);
    others[axis].kind = Place::Kind::single;
    for (double picked : places[axis].index.numbers.view())
      if (!(picked >= 1 && picked <= static_cast<double>(base.dims[axis]))) {
        const std::size_t each = places[axis].index.numbers.size() / rows;
        const auto at = static_cast<std::size_t>(std::find(places[axis].index.numbers.view().begin(),
                                                           places[axis].index.numbers.view().end(), picked) -
                                                 places[axis].index.numbers.view().begin()) /
                        each;
        const auto row = in_rows() ? static_cast<std::int64_t>(context().index[at]) : static_cast<std::int64_t>(at + 1);
        fail(places[axis].span, "in row " + std::to_string(row) + " the index is " +
                                    std::to_string(static_cast<std::int64_t>(picked)) + ", outside 1.." +
                                    std::to_string(base.dims[axis]) + ", dimension " + ordinal(axis) + " of '" + name +
                                    "'");
      }
  }
  Value made;
  made.type = type;
  made.role = Role::row;
  made.context = in_rows() ? context().id : 0;
  const auto distances = positions(base.dims, others, made.dims, name, span);
  const std::size_t stretch = distances.size();
  const std::size_t count = many ? static_cast<std::size_t>(size_of(places[*many].index.dims)) : 1;
  const Dims entry_dims = made.dims;
  if (many) made.dims.insert(made.dims.begin(), static_cast<std::int64_t>(count));
  // Row i reads entry i of an array that the model does not declare over the rows.
  if (base.is_data() && base.role == Role::plain && places.size() == 1 && base.dims[0] == axis_->rows() &&
      places[0].index.numbers.identity() == axis_->row_numbers().identity()) {
    made.numbers = base.numbers;
    return made;
  }
  if (base.is_data()) {
    auto numbers = std::make_shared<std::vector<double>>(rows * count * stretch);
    const std::int64_t base_stretch = base.role == Role::row ? size_of(base.dims) : 0;
    const double* from = base.numbers.data();
    for (std::size_t i = 0; i < rows * count; ++i) {
      std::int64_t start = static_cast<std::int64_t>(i / count) * base_stretch;
      for (std::size_t k = 0; k < row_axes.size(); ++k)
        start += (static_cast<std::int64_t>(places[row_axes[k]].index.numbers[i]) - 1) * row_strides[k];
      for (std::size_t k = 0; k < stretch; ++k) (*numbers)[i * stretch + k] = from[start + distances[k]];
    }
    made.numbers = Numbers(std::span<const double>(*numbers), numbers);
    return made;
  }
  const std::int64_t entries = size_of(row_dims);
  Dims table_dims{entries};
  table_dims.insert(table_dims.end(), entry_dims.begin(), entry_dims.end());
  const Expression whole = symbol_of(base);
  // If these indices come first and the others select everything, the table is the container itself.
  bool in_order = row_axes.back() + 1 == row_axes.size() && static_cast<std::int64_t>(stretch) == row_strides.back();
  for (std::size_t k = 0; k < stretch && in_order; ++k) in_order = distances[k] == static_cast<std::int64_t>(k);
  Expression table;
  if (in_order) {
    table = reshape(whole, shape_of(table_dims));
  } else {
    std::vector<std::int64_t> picked;
    picked.reserve(static_cast<std::size_t>(entries) * stretch);
    for (std::int64_t entry = 0; entry < entries; ++entry) {
      std::int64_t start = 0, rest = entry;
      for (std::size_t k = row_axes.size(); k-- > 0;) {
        start += rest % row_dims[k] * row_strides[k];
        rest /= row_dims[k];
      }
      for (auto distance : distances) picked.push_back(start + distance);
    }
    table = take(whole, std::move(picked), shape_of(table_dims));
  }
  // Shares one column per index array: uses the row's own index if it is the only one.
  Numbers index = places[row_axes[0]].index.numbers;
  if (row_axes.size() > 1) {
    std::vector<double> combined(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      combined[i] = index[i] - 1;
      for (std::size_t k = 1; k < row_axes.size(); ++k)
        combined[i] = combined[i] * static_cast<double>(row_dims[k]) + places[row_axes[k]].index.numbers[i] - 1;
      combined[i] += 1;
    }
    index = Numbers(std::move(combined));
  }
  const Dims index_dims = many ? places[*many].index.dims : Dims{};
  made.symbol = gather(table, axis_->column(index, index_dims, true, "index"), 1);
  return made;
}

/// The value of a single row of a container, as a plain value.
Value Interpreter::at_row(const Value& base, std::int64_t row) {
  Value made;
  made.type = element_type(base.type);
  made.dims.assign(base.dims.begin() + 1, base.dims.end());
  made.symbol = axis_->at_row(base.symbol, row);
  return made;
}

/// A few rows as plain values; empty if they are too many.
std::optional<Value> Interpreter::at_some_rows(const Value& base, const Place& place, const std::string& name,
                                               Span span) {
  Dims picked;
  const auto rows = positions({base.dims[0]}, {place}, picked, name, span);
  if (rows.size() > most_single_rows || rows.empty()) return std::nullopt;
  Value made;
  made.type = base.type;
  made.dims = base.dims;
  made.dims[0] = static_cast<std::int64_t>(rows.size());
  std::vector<Expression> parts;
  for (auto row : rows) parts.push_back(axis_->at_row(base.symbol, row + 1));
  made.symbol = reshape(stack(parts), shape_of(made.dims));
  return made;
}

Value Interpreter::index_rows(const Value& base, std::vector<Place> places, const Type& type, const std::string& name,
                              Span span) {
  if (places.empty()) return base;
  if (!base.set) fail(span, "'" + name + "' is used before it has a value");
  Place first = places.front();
  const std::vector<Place> rest(places.begin() + 1, places.end());
  const bool symbolic = !base.is_data();
  auto then_rest = [&](Value element, const Type& element_of) {
    if (rest.empty()) return element;
    bool by_row = std::any_of(rest.begin(), rest.end(), [](const Place& p) { return p.index.role == Role::row; });
    return by_row ? index_by_row(element, rest, element_of, name, span)
                  : index_plain(element, rest, element_of, name, span);
  };
  if (first.kind == Place::Kind::range && first.from == 1 && (first.to_end || first.to == axis_->rows()))
    first.kind = Place::Kind::all;
  switch (first.kind) {
    case Place::Kind::single:
      if (first.index.role == Role::row) {
        if (is_own_row(first.index)) return then_rest(element_of_rows(base, span), type);
        if (base.is_data() || base.whole || base.pieces) {
          Value plain = base;
          plain.role = Role::plain;
          return index_by_row(plain, places, type, name, span);
        }
        // The value of an expression in another row: the same expression on that row's data.
        for (double i : first.index.numbers.view())
          if (i < 1 || i > static_cast<double>(axis_->rows()))
            fail(first.span, "index " + std::to_string(static_cast<std::int64_t>(i)) + " is outside 1.." +
                                 std::to_string(axis_->rows()) + ", dimension 1 of '" + name + "'");
        Value element;
        element.type = element_type(base.type);
        element.dims.assign(base.dims.begin() + 1, base.dims.end());
        element.role = Role::row;
        element.context = context().id;
        element.symbol = axis_->reindex(base.symbol, first.index.numbers);
        return then_rest(element, type);
      }
      if (symbolic && !base.whole && !base.pieces) {
        // A single row: the expression on that row's data.
        const std::int64_t row = first.index.integer();
        if (row < 1 || row > axis_->rows())
          fail(first.span, "index " + std::to_string(row) + " is outside 1.." + std::to_string(axis_->rows()) +
                               ", dimension 1 of '" + name + "'");
        return then_rest(at_row(base, row), type);
      }
      break;
    case Place::Kind::many:
      if (first.index.role == Role::rows && symbolic) {
        if (in_rows()) tie(span, "a container of all rows is made inside a loop over rows");
        Value index = first.index;
        index.role = Role::row;
        index.dims.clear();
        Value element;
        if (base.whole || base.pieces) {
          Value plain = base;
          plain.role = Role::plain;
          places.front().index = index;
          places.front().kind = Place::Kind::single;
          return rows_of_element(index_by_row(plain, places, element_type(type), name, span), type);
        }
        element.type = element_type(base.type);
        element.dims.assign(base.dims.begin() + 1, base.dims.end());
        element.role = Role::row;
        element.symbol = axis_->reindex(base.symbol, index.numbers);
        return rows_of_element(then_rest(element, element_type(type)), type);
      }
      [[fallthrough]];
    case Place::Kind::range:
      if (symbolic && !base.whole && !base.pieces) {
        auto picked = at_some_rows(base, first, name, span);
        if (!picked) tie(span, "some rows of '" + name + "' are selected");
        if (rest.empty()) return *picked;
        places.front() = {};
        places.front().span = first.span;
        return index(*picked, std::move(places), type, name, span);
      }
      break;
    case Place::Kind::all:
      if (rest.empty()) return base;
      if (base.is_data()) break;
      if (in_rows()) tie(span, "a container of all rows is used inside a loop over rows");
      if (base.whole || base.pieces) break;
      {
        Value element = element_of_rows(base, span);
        return rows_of_element(then_rest(element, element_type(type)), type);
      }
  }
  Value plain = base;
  plain.role = Role::plain;
  Value made = std::any_of(rest.begin(), rest.end(), [](const Place& p) { return p.index.role == Role::row; })
                   ? index_by_row(plain, places, type, name, span)
                   : index_plain(plain, places, type, name, span);
  if (made.role == Role::plain &&
      (first.kind == Place::Kind::all || (first.kind == Place::Kind::many && first.index.role == Role::rows))) {
    made.role = Role::rows;
    made.whole = symbolic;
    if (made.pieces) made.symbol = symbol_of(made), made.pieces.reset();
  }
  return made;
}

}  // namespace sgmcmc::stan
