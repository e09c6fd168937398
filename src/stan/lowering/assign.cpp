// Assignments: to variables, to elements, row by row and under conditions.
#include "stan/lowering/indexing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc::stan {
namespace {

std::string dims_text(const Dims& dims) { return dims.empty() ? "a scalar" : Shape(dims).to_string(); }

struct AddedTerm {
  const Tree* tree = nullptr;
  bool negative = false;
};

/// The term of `x = x + term` or `x += term`, or of the same with minus; null for other assignments.
AddedTerm added_term(const Assignment& form, const std::string& name) {
  auto sums = [](Operator op) { return op == Operator::add || op == Operator::subtract; };
  if (form.op) return sums(*form.op) ? AddedTerm{form.value.get(), *form.op == Operator::subtract} : AddedTerm{};
  const auto* binary = std::get_if<Binary>(&form.value->form);
  if (!binary || !sums(binary->op)) return {};
  auto is_it = [&](const Tree& tree) {
    const auto* of = std::get_if<Name>(&tree.form);
    return of && of->name == name;
  };
  const bool negative = binary->op == Operator::subtract;
  if (is_it(*binary->left)) return {binary->right.get(), negative};
  if (is_it(*binary->right) && !negative) return {binary->left.get(), false};
  return {};
}

}  // namespace

void Interpreter::assign(const Assignment& form, Span span) {
  // x[i][j] is x[i, j] if the first index selects a single entry.
  std::vector<const Indexed*> chain;
  const Tree* target = form.target.get();
  while (const auto* indexed = std::get_if<Indexed>(&target->form)) {
    chain.push_back(indexed);
    target = indexed->container.get();
  }
  const std::string& name = std::get<Name>(target->form).name;
  Variable* variable = lookup(name);
  if (!variable) fail(target->span, "'" + name + "' is not known here");
  ++changes_;
  variable->from_data = variable->from_data || data_conditions_ > 0 || touches_data(*form.value);
  if (chain.empty()) {
    if (add_over_rows(form, *variable, name, span)) return;
    Value value = evaluate(*form.value);
    if (form.op) {
      const Value before = read(*variable, name, span);
      value = apply(function_of(*form.op, before, value), {before, value}, variable->type, span);
    }
    assign_whole(*variable, name, std::move(value), span);
    return;
  }
  std::vector<Place> places;
  for (auto indexed = chain.rbegin(); indexed != chain.rend(); ++indexed) {
    auto more = evaluate_indices((*indexed)->indices);
    if (!places.empty() && std::any_of(places.begin(), places.end(), [](const Place& p) { return !p.vanishes(); }))
      fail(span, "only the last brackets of an assignment may select several elements");
    places.insert(places.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  Value value = evaluate(*form.value);
  if (form.op) {
    Value before = variable->value.role == Role::row ? to_context(variable->value, span) : variable->value;
    if (variable->carried) require_assigned(*variable, name, &places, span);
    before = index(before, places, form.target->type, name, span);
    value = apply(function_of(*form.op, before, value), {before, value}, form.target->type, span);
  }
  assign_at(*variable, name, std::move(places), std::move(value), span);
}

/// `x += term` in a loop over rows, with x from outside it: adds the sum over all rows once.
bool Interpreter::add_over_rows(const Assignment& form, Variable& variable, const std::string& name, Span span) {
  if (!in_rows() || !variable.carried || !variable.dims.empty()) return false;
  const Covered& assigned = variable.assigned.front();
  if (assigned.all || !assigned.rows.empty()) return false;
  const AddedTerm term = added_term(form, name);
  if (!term.tree) return false;
  if (!variable.value.set) fail(span, "'" + name + "' is added to before it has a value");
  Value sum = sum_of_rows(evaluate(*term.tree), term.tree->span);
  // Temporarily outside the row loop: the sum is one number.
  auto contexts = std::exchange(contexts_, {});
  variable.value = apply(term.negative ? "subtract" : "add", {variable.value, std::move(sum)}, variable.type, span);
  contexts_ = std::move(contexts);
  variable.added_to = true;
  return true;
}

void Interpreter::mark_assigned(Variable& variable, const std::vector<std::int64_t>* flat) {
  if (!variable.carried) return;
  const auto& mask = context().mask;
  auto mark = [&](Covered& each) {
    if (each.all) return;
    if (mask.size() == 0) {
      each = {true, {}};
      return;
    }
    each.rows.resize(mask.size());
    bool all = true;
    for (std::size_t row = 0; row < mask.size(); ++row) {
      if (mask[row] != 0) each.rows[row] = true;
      all = all && each.rows[row];
    }
    if (all) each = {true, {}};
  };
  if (flat)
    for (auto at : *flat) mark(variable.assigned[static_cast<std::size_t>(at)]);
  else
    for (auto& each : variable.assigned) mark(each);
}

bool Interpreter::is_assigned(const Variable& variable, const std::vector<std::int64_t>* flat) const {
  const auto& mask = contexts_.back().mask;
  auto has = [&](const Covered& each) {
    if (each.all) return true;
    if (each.rows.empty() || mask.size() == 0) return false;
    for (std::size_t row = 0; row < mask.size(); ++row)
      if (mask[row] != 0 && !each.rows[row]) return false;
    return true;
  };
  if (!flat) return std::all_of(variable.assigned.begin(), variable.assigned.end(), has);
  return std::all_of(flat->begin(), flat->end(),
                     [&](auto at) { return has(variable.assigned[static_cast<std::size_t>(at)]); });
}

/// Whether all elements about to be read were assigned in this iteration.
void Interpreter::require_assigned(const Variable& variable, const std::string& name, const std::vector<Place>* places,
                                   Span span) {
  bool fresh = is_assigned(variable, nullptr);
  const bool by_row = !places || std::any_of(places->begin(), places->end(),
                                             [](const Place& place) { return place.index.role == Role::row; });
  if (!fresh && !by_row) {
    Dims picked;
    const auto flat = positions(variable.dims, *places, picked, name, span);
    fresh = is_assigned(variable, &flat);
  }
  if (!fresh) tie(span, "'" + name + "' carries a value from one row to the next");
}

/// The sum over all rows, as a value that can only be added to others.
Value Interpreter::sum_of_rows(const Value& term, Span span) {
  if (term.row_sum) tie(span, "a sum over all rows is added for every row");
  if (term.role == Role::plain) {
    Value made = term;
    if (term.is_data())
      made.numbers = Numbers(term.number() * mask_count());
    else
      made.symbol = mask_count() * symbol_of(term), made.pieces.reset();
    return made;
  }
  if (term.is_data()) {
    double total = 0;
    for (std::size_t i = 0; i < term.numbers.size(); ++i)
      if (context().mask.size() == 0 || context().mask[i] != 0) total += term.numbers[i];
    Value made = real_value(total);
    made.type = term.type;
    return made;
  }
  Value made = real_value(0.0);
  Expression x = row_expression(term);
  for (const auto& guard : guards_) x = select(guard, x, 0.0);
  auto mask = mask_expression();
  if (x.per_row())
    made.row_sum = mask ? mask * x : x;
  else
    made.symbol = mask_count() * x, made.numbers = Numbers();
  return made;
}

Value Interpreter::fit(Value value, const Type& type, const Dims& dims, const std::string& name, Span span) {
  if (value.dims != dims)
    fail(span, "'" + name + "' is declared with " + dims_text(dims) + ", the value has " + dims_text(value.dims));
  value.type = type;
  return value;
}

/// The new value where the enclosing conditions hold, and the old one elsewhere, for the rows `label`.
Value Interpreter::merged(const Value& value, const Value& before, int label, Span span) {
  Value now = value;
  if (now.role == Role::row) now.context = label;
  if (context().id == label || context().mask.size() == 0 || !before.set) return now;
  Value condition = number_value({Base::integer, 0}, {}, context().mask);
  condition.role = Role::row;
  condition.context = label;
  if (now.is_data() && before.is_data() && now.role == Role::plain && before.role == Role::plain &&
      std::ranges::equal(now.numbers.view(), before.numbers.view()))
    return now;
  Value made = select_value(condition, now, before, value.type, span);
  if (made.role == Role::row) made.context = label;
  return made;
}

void Interpreter::assign_whole(Variable& variable, const std::string& name, Value value, Span span) {
  value = fit(std::move(value), variable.type, variable.dims, name, span);
  if (!in_rows()) {
    const bool tag = value.counts_rows;
    if (variable.over_rows && axis_) value = as_rows(std::move(value));
    value.counts_rows = tag;
    variable.value = std::move(value);
    return;
  }
  if (variable.value.role == Role::rows || value.role == Role::rows)
    tie(span, "all rows of '" + name + "' are assigned inside a loop over rows");
  const int label = variable.context == 0 ? contexts_.front().id : variable.context;
  Value before = variable.value;
  if (variable.carried) {
    if (variable.added_to) tie(span, "'" + name + "' carries a value from one row to the next");
    before.set = before.set && std::any_of(variable.assigned.begin(), variable.assigned.end(),
                                           [](const Covered& each) { return each.all || !each.rows.empty(); });
  }
  variable.value = merged(value, before, label, span);
  mark_assigned(variable, nullptr);
}

void Interpreter::assign_at(Variable& variable, const std::string& name, std::vector<Place> places, Value value,
                            Span span) {
  if (value.row_sum) tie(span, "a sum over all rows is kept in an element of '" + name + "'");
  if (variable.value.role == Role::rows) {
    assign_to_rows(variable, name, std::move(places), std::move(value), span);
    return;
  }
  for (const auto& place : places)
    if (place.index.role == Role::row) tie(span, "the row determines which element of '" + name + "' is assigned");
  if (value.role == Role::rows && !value.is_data() && !value.whole)
    tie(span, "containers of all rows become elements of '" + name + "'");
  if (!in_rows()) {
    assign_elements(variable.value, places, std::move(value), name, span);
    return;
  }
  const int label = variable.context == 0 ? contexts_.front().id : variable.context;
  Dims picked;
  const auto flat = positions(variable.dims, places, picked, name, span);
  if (variable.carried) {
    // Its values from before this iteration must not be read.
    if (std::none_of(variable.assigned.begin(), variable.assigned.end(),
                     [](const Covered& each) { return each.all || !each.rows.empty(); }))
      variable.value = unset_value(variable.type, variable.dims);
    mark_assigned(variable, &flat);
  }
  if (context().id == label || context().mask.size() == 0) {
    assign_elements(variable.value, places, std::move(value), name, span);
    if (variable.value.role == Role::row) variable.value.context = label;
    return;
  }
  // Under a condition: for each element, the new value where it holds and the old one elsewhere.
  Value before = unset_value(value.type, picked);
  if (variable.value.set) {
    const bool known = !variable.value.pieces || std::all_of(flat.begin(), flat.end(), [&](auto at) {
      return static_cast<bool>((*variable.value.pieces)[static_cast<std::size_t>(at)]);
    });
    if (known) before = index_plain(variable.value, places, value.type, name, span);
  }
  assign_elements(variable.value, places, merged(value, before, label, span), name, span);
  if (variable.value.role == Role::row) variable.value.context = label;
}

void Interpreter::assign_to_rows(Variable& variable, const std::string& name, std::vector<Place> places, Value value,
                                 Span span) {
  Value& base = variable.value;
  const Place first = places.front();
  std::vector<Place> rest(places.begin() + 1, places.end());
  const Type of_element = element_type(variable.type);
  const Dims element_dims(variable.dims.begin() + 1, variable.dims.end());
  // The container's element for all rows, ignoring the enclosing conditions.
  auto element_before = [&] {
    auto contexts = std::exchange(contexts_, {});
    Value element = base.set ? element_of_rows(base, span) : unset_value(of_element, element_dims);
    contexts_ = std::move(contexts);
    if (in_rows()) element.context = contexts_.front().id;
    return element;
  };
  if (in_rows()) {
    if (first.kind != Place::Kind::single || !is_own_row(first.index))
      tie(span, "a row assigns '" + name + "' of other rows");
    const std::string by_row = "the row determines which element of '" + name + "' is assigned";
    for (auto& place : rest) {
      if (place.index.role != Role::row) continue;
      if (place.kind != Place::Kind::single) tie(span, by_row);
      place.index = integer_value(plain_integer(place.index, by_row, span));
    }
    const int label = contexts_.front().id;
    const Value before = element_before();
    Value element;
    if (rest.empty()) {
      element = fit(std::move(value), of_element, element_dims, name, span);
    } else {
      element = before.set ? to_context(before, span) : before;
      assign_elements(element, rest, std::move(value), name, span);
    }
    element = merged(element, before, label, span);
    base = rows_of_element(std::move(element), variable.type);
    return;
  }
  if (first.kind == Place::Kind::all && !rest.empty() && (value.role == Role::rows) && !(base.set && base.whole)) {
    Value element = element_before();
    assign_elements(element, rest, element_of_rows(value, span), name, span);
    base = rows_of_element(std::move(element), variable.type);
    return;
  }
  const bool lifted = base.set && !base.is_data() && !base.whole && !base.pieces;
  const bool one_row = first.kind == Place::Kind::single && first.index.role == Role::plain;
  if (!value.is_data() && one_row && (lifted || !base.set || base.is_data())) {
    // A single row, identified by its number.
    const std::int64_t row = first.index.integer();
    if (row < 1 || row > axis_->rows())
      fail(first.span, "index " + std::to_string(row) + " is outside 1.." + std::to_string(axis_->rows()) +
                           ", dimension 1 of '" + name + "'");
    Value before = element_before();
    Value element = before;
    if (rest.empty())
      element = fit(std::move(value), of_element, element_dims, name, span);
    else
      assign_elements(element, rest, std::move(value), name, span);
    if (before.set) {
      std::vector<double> own(static_cast<std::size_t>(axis_->rows()));
      own[static_cast<std::size_t>(row - 1)] = 1;
      Value condition = number_value({Base::integer, 0}, {}, Numbers(std::move(own)));
      condition.role = Role::row;
      element = select_value(condition, element, before, of_element, span);
    }
    base = rows_of_element(std::move(element), variable.type);
    return;
  }
  if (lifted) tie(span, "some rows of '" + name + "' are assigned separately");
  if (value.role == Role::rows && !value.is_data() && !value.whole)
    tie(span, "rows move to other places of '" + name + "'");
  Value plain = base;
  plain.role = Role::plain;
  if (value.role == Role::rows) value.role = Role::plain;
  assign_elements(plain, places, std::move(value), name, span);
  base = as_rows(std::move(plain));
}

void Interpreter::assign_elements(Value& base, const std::vector<Place>& places, Value value, const std::string& name,
                                  Span span) {
  Dims picked;
  const auto flat = positions(base.dims, places, picked, name, span);
  if (value.dims != picked)
    fail(span, "these elements of '" + name + "' have size " + dims_text(picked) + ", the value has " +
                   dims_text(value.dims));
  const auto stretch = static_cast<std::size_t>(size_of(base.dims));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const bool base_data = !base.set || base.is_data();
  if (base_data && value.is_data()) {
    const bool by_row = value.role == Role::row || base.role == Role::row;
    if (!base.set) {
      base.numbers = Numbers(std::vector<double>(stretch, nan));
      base.set = true;
    }
    if (!by_row) {
      double* to = base.numbers.writable();
      for (std::size_t k = 0; k < flat.size(); ++k) to[flat[k]] = value.numbers[k];
      return;
    }
    const auto rows = static_cast<std::size_t>(axis_->rows());
    if (base.role != Role::row) {
      std::vector<double> repeated;
      repeated.reserve(rows * stretch);
      for (std::size_t i = 0; i < rows; ++i)
        repeated.insert(repeated.end(), base.numbers.view().begin(), base.numbers.view().end());
      base.numbers = Numbers(std::move(repeated));
      base.role = Role::row;
      base.context = in_rows() ? context().id : 0;
    }
    double* to = base.numbers.writable();
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < flat.size(); ++k)
        to[i * stretch + static_cast<std::size_t>(flat[k])] =
            value.numbers[value.role == Role::row ? i * flat.size() + k : k];
    return;
  }
  if (!base.pieces || base.pieces.use_count() > 1) {
    auto pieces = base.pieces ? std::make_shared<Pieces>(*base.pieces) : std::make_shared<Pieces>(stretch);
    if (!base.pieces && base.set) {
      const Expression whole = row_expression(base);
      const bool numbers = base.is_data() && base.role == Role::plain;
      for (std::size_t i = 0; i < stretch; ++i) {
        if (numbers) {
          if (!std::isnan(base.numbers[i])) (*pieces)[i] = Expression(base.numbers[i]);
        } else {
          (*pieces)[i] = take(whole, {static_cast<std::int64_t>(i)}, Shape{});
        }
      }
    }
    base.pieces = std::move(pieces);
    base.symbol = {};
    base.numbers = Numbers();
  }
  base.set = true;
  if (value.role == Role::row && base.role == Role::plain) {
    base.role = Role::row;
    base.context = in_rows() ? context().id : 0;
  }
  if (value.pieces) {
    for (std::size_t k = 0; k < flat.size(); ++k)
      (*base.pieces)[static_cast<std::size_t>(flat[k])] = (*value.pieces)[k];
    return;
  }
  const Expression whole = row_expression(value);
  for (std::size_t k = 0; k < flat.size(); ++k)
    (*base.pieces)[static_cast<std::size_t>(flat[k])] =
        flat.size() == 1 ? reshape(whole, Shape{}) : take(whole, {static_cast<std::int64_t>(k)}, Shape{});
}

}  // namespace sgmcmc::stan
