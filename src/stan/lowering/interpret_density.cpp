// Densities on plain values, values of one row, and all rows; truncation.
#include "stan/builtins/signatures.hpp"
#include "stan/builtins/table.hpp"
#include "stan/check/check.hpp"
#include "stan/lowering/indexing.hpp"
#include "stan/lowering/interpreter.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <limits>

namespace sgmcmc::stan {
namespace {

/// The density on which a GLM density is based.
std::string base_of_glm(const std::string& name) {
  const std::string suffix = name.substr(name.rfind('_'));
  if (name.starts_with("bernoulli_logit_glm")) return "bernoulli_logit" + suffix;
  if (name.starts_with("poisson_log_glm")) return "poisson_log" + suffix;
  if (name.starts_with("neg_binomial_2_log_glm")) return "neg_binomial_2_log" + suffix;
  if (name.starts_with("normal_id_glm")) return "normal" + suffix;
  if (name.starts_with("binomial_logit_glm")) return "binomial_logit" + suffix;
  if (name.starts_with("categorical_logit_glm")) return "categorical_logit" + suffix;
  return "ordered_logistic" + suffix;
}

}  // namespace

/// The arguments of a density. For a univariate density, to_vector(m) is equivalent to m, whose rows remain the rows of
/// the model: if all containers are of this form, uses m itself.
std::vector<Value> Interpreter::density_arguments(const std::vector<const Tree*>& trees) {
  auto flattened = [](const Tree& tree) -> const Tree* {
    const auto* call = std::get_if<Call>(&tree.form);
    const bool is = call && call->name == "to_vector" && call->arguments.size() == 1 &&
                    call->arguments[0]->type == Type{Base::matrix, 0};
    return is ? call->arguments[0].get() : nullptr;
  };
  std::vector<Value> values;
  bool keep = axis_ && !in_rows(), any = false;
  for (const Tree* tree : trees) {
    const Tree* inner = axis_ ? flattened(*tree) : nullptr;
    values.push_back(evaluate(inner ? *inner : *tree));
    any = any || inner;
    keep = keep && (inner ? runs_over_rows(values.back()) : values.back().dims.empty());
  }
  if (any && !keep)
    for (std::size_t i = 0; i < trees.size(); ++i)
      if (flattened(*trees[i])) values[i] = apply("to_vector", {values[i]}, trees[i]->type, trees[i]->span);
  return values;
}

/// y, [n,] x, alpha, beta, ...: values of one row.
Value Interpreter::glm_over_rows(const std::string& name, const std::vector<Value>& elements, Span span) {
  const Type real{Base::real, 0};
  const std::string base = base_of_glm(name);
  const bool trials = name.starts_with("binomial_logit_glm");
  const bool ordered = name.starts_with("ordered_logistic_glm");
  const std::size_t x = trials ? 2 : 1;
  std::vector<Value> arguments(elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(x));
  auto row = [](Value value) {
    value.role = Role::row;
    return value;
  };
  if (ordered) {
    arguments.push_back(row(call_lifted("multiply", {elements[x], elements[x + 1]}, real, span)));
    arguments.push_back(elements[x + 2]);
    return call_lifted(base, arguments, real, span);
  }
  if (name.starts_with("categorical_logit_glm")) {
    const Type row_vector{Base::row_vector, 0}, vector{Base::vector, 0};
    Value linear = row(call_lifted("multiply", {elements[x], elements[x + 2]}, row_vector, span));
    linear.type = vector;
    arguments.push_back(row(call_lifted("add", {elements[x + 1], linear}, vector, span)));
    return call_lifted(base, arguments, real, span);
  }
  Value linear = row(call_lifted("multiply", {elements[x], elements[x + 2]}, real, span));
  arguments.push_back(row(call_lifted("add", {elements[x + 1], linear}, real, span)));
  arguments.insert(arguments.end(), elements.begin() + static_cast<std::ptrdiff_t>(x) + 3, elements.end());
  return call_lifted(base, arguments, real, span);
}

/// Checks some rows at a time: as one operand, the numbers would need their memory twice.
void Interpreter::check_numbers_of_rows(const std::string& function, std::size_t place, const Value& data) const {
  constexpr std::size_t most_numbers = std::size_t{1} << 16;
  Operand some;
  some.type = data.type;
  some.dims = data.dims;
  if (data.role == Role::row) {
    some.dims.insert(some.dims.begin(), axis_->rows());
    ++some.type.array_rank;
  }
  const auto rows = static_cast<std::size_t>(some.dims[0]);
  const std::size_t stretch = rows == 0 ? 0 : data.numbers.size() / rows;
  const auto take = [&](std::size_t first, std::size_t count) {
    some.dims[0] = static_cast<std::int64_t>(count);
    some.numbers.resize(count * stretch);
    for (std::size_t k = 0; k < some.numbers.size(); ++k) some.numbers[k] = data.numbers[first * stretch + k];
  };
  const std::size_t at_once = std::max<std::size_t>(1, most_numbers / std::max<std::size_t>(1, stretch));
  for (std::size_t first = 0; first < rows; first += at_once) {
    take(first, std::min(at_once, rows - first));
    try {
      check_data(function, place, some);
    } catch (const ArgumentError&) {
      take(0, first + static_cast<std::size_t>(some.dims[0]));  // again, with rows counted from the first
      check_data(function, place, some);
    }
  }
}

/// Checks data in columns like data that a density receives at once.
void Interpreter::check_row_data(const std::string& name, const std::vector<Value>& arguments, Span span) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Value& argument = arguments[i];
    if (argument.role == Role::plain || !argument.is_data() || argument.sparse) continue;
    try {
      check_numbers_of_rows(name, i, argument);
    } catch (const ArgumentError& error) {
      fail(span, error.message, error.help);
    }
  }
}

Value Interpreter::density(const std::string& name, std::vector<Value> arguments, Span span) {
  const Type real{Base::real, 0};
  bool row = false, rows = false, data = true, sums = false, whole = true;
  for (const auto& argument : arguments) {
    row = row || argument.role == Role::row;
    rows = rows || argument.role == Role::rows;
    data = data && argument.is_data() && !argument.sparse;
    sums = sums || static_cast<bool>(argument.row_sum);
    whole = whole && (argument.role == Role::plain || ((argument.whole || argument.pieces) && !argument.is_data()));
  }
  if (sums) tie(span, "a sum over all rows is an argument of a density");
  if (!row && (!rows || data || whole)) {
    for (auto& argument : arguments) argument.role = Role::plain;
    return apply_plain(name, arguments, span);
  }
  if (row && rows) tie(span, "every row uses all rows");
  if (!data) check_row_data(name, arguments, span);
  if (row) return data ? apply_to_row_data(name, arguments, real, span) : apply_in_row(name, arguments, real, span);
  const bool glm = name.find("_glm_") != std::string::npos;
  std::vector<int> ranks = glm ? std::vector<int>() : outcome_ranks(name);
  if (glm) {
    // One row: an outcome, a row of x; the intercept may differ from row to row.
    ranks.assign(arguments.size(), 0);
    const std::size_t x = name.starts_with("binomial_logit_glm") ? 2 : 1;
    const bool ordered = name.starts_with("ordered_logistic_glm");
    const bool categorical = name.starts_with("categorical_logit_glm");
    ranks[x] = 1;
    if (ordered) {
      ranks[x + 1] = 1;
      ranks[x + 2] = 1;
    } else {
      ranks[x + 1] = categorical ? 1 : 0;
      ranks[x + 2] = categorical ? 2 : 1;
    }
  }
  std::vector<Value> elements;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Value& argument = arguments[i];
    const int rank = i < ranks.size() ? ranks[i] : 0;
    const bool vectorised = argument.type.rank() > rank;
    if (argument.role == Role::rows && !vectorised)
      tie(span, "the density uses all rows at once: they are not independent");
    if (vectorised && !runs_over_rows(argument))
      tie(span, "the size of an argument of the density is not the number of rows");
    elements.push_back(vectorised ? element_of_rows(argument, span) : argument);
  }
  Value term = glm ? glm_over_rows(name, elements, span) : call_lifted(name, elements, real, span);
  Value made = real_value(0.0);
  Expression x = symbol_of(term);
  if (term.is_data()) x = Expression(term.number());
  if (x.per_row()) {
    made.row_sum = x;
  } else {
    made.symbol = static_cast<double>(axis_->rows()) * x;
    made.numbers = Numbers();
  }
  return made;
}

/// Throws for data bounds outside the support, for which Stan rejects every point.
void Interpreter::check_truncation_bound(const std::string& distribution, const Value& bound, bool lower, Span span) {
  const bool discrete = density_suffix(distribution) == "_lpmf";
  if (!bound.is_data() || bound.sparse || (discrete && !lower)) return;
  const std::string function = distribution + (discrete ? "_lpmf" : "_lcdf");
  try {
    if (bound.role == Role::plain)
      check_data(function, 0, operand_of(bound));
    else
      check_numbers_of_rows(function, 0, bound);
  } catch (const ArgumentError& error) {
    fail(span, error.message,
         std::string("the ") + (lower ? "lower" : "upper") + " bound of T[,] must be a possible outcome of " +
             distribution + "; omit a bound that truncates nothing");
  }
}

/// The log probability if a parameter-dependent bound is in the support, else infinity: Stan rejects such points.
Value Interpreter::infinite_beyond_support(Value mass, const std::string& distribution, const Value& bound, Span span) {
  const Builtin* tail = table().find(distribution + "_lcdf");
  if (bound.is_data() || tail == nullptr || tail->signatures.empty()) return mass;
  const Domain domain = tail->signatures[0].arguments[0].domain;
  const bool share = domain == Domain::probability || domain == Domain::open_probability;
  const bool positive = domain == Domain::nonnegative || domain == Domain::positive || share;
  const Range range = positive ? ranges_.of(row_expression(bound)) : Range();
  const Value infinite = real_value(std::numeric_limits<double>::infinity());
  const auto cut = [&](const char* beyond, double end) {
    const Value outside = apply(beyond, {bound, real_value(end)}, {Base::integer, 0}, span);
    mass = select_value(outside, infinite, mass, {Base::real, 0}, span);
    infinite_cut_ = true;
  };
  if (positive && range.low < 0) cut("logical_lt", 0);
  if (share && range.high > 1) cut("logical_gt", 1);
  return mass;
}

/// The log probability if the outcome is within the bounds, else infinity: the log density is -infinity there.
Value Interpreter::infinite_outside(Value mass, const Value& outcome, const Value* lower, const Value* upper,
                                    Span span) {
  const Type real{Base::real, 0};
  const Value infinite = real_value(std::numeric_limits<double>::infinity());
  for (const Value* bound : {lower, upper}) {
    if (!bound) continue;
    if (!outcome.is_data() && bound->is_data() && bound->role == Role::plain) {
      const Range range = ranges_.of(row_expression(outcome));
      if (bound == lower ? range.low >= bound->number() : range.high <= bound->number()) continue;
    }
    const char* name = bound == lower ? "logical_lt" : "logical_gt";
    const Value outside = apply(name, {outcome, *bound}, {Base::integer, 0}, span);
    if (outside.is_data()) {
      const auto numbers = outside.numbers.view();
      if (std::all_of(numbers.begin(), numbers.end(), [](double each) { return each == 0; })) continue;
      warnings_.push_back({span,
                           "an outcome is outside its truncation: the log density is -infinity for all parameters",
                           "check the data, or the bounds of T[,]"});
    } else if (!outcome.is_data() && bound->is_data()) {
      warnings_.push_back({span,
                           "outside this truncation the log density is -infinity, which the gradient does not reflect",
                           "declare the parameter with the bounds of T[,]: <lower=..., upper=...>"});
    }
    infinite_cut_ = true;
    if (outside.is_data() && outside.role == Role::plain) return infinite;
    mass = select_value(outside, infinite, mass, real, span);
  }
  return mass;
}

/// The log probability of the interval, summed over the outcomes; infinity if an outcome is outside.
Value Interpreter::truncation(const std::string& distribution, const Truncation& cut,
                              const std::vector<Value>& arguments, Span span) {
  const Type real{Base::real, 0};
  const bool discrete = density_suffix(distribution) == "_lpmf";
  if (!is_function(distribution + "_lcdf"))
    fail(cut.span, "'" + distribution + "' cannot be truncated: it has no distribution function here");
  std::optional<Value> lower, upper;
  if (cut.lower) lower = evaluate(*cut.lower);
  if (cut.upper) upper = evaluate(*cut.upper);
  auto mass = [&](const std::vector<Value>& given, std::optional<Value> low, std::optional<Value> high) {
    auto at = [&](const char* suffix, Value bound) {
      std::vector<Value> with = given;
      with[0] = std::move(bound);
      return density(distribution + suffix, std::move(with), span);
    };
    const std::optional<Value> from = low;
    if (low) check_truncation_bound(distribution, *low, true, span);
    if (high) check_truncation_bound(distribution, *high, false, span);
    if (low && discrete) low = apply("subtract", {*low, integer_value(1)}, low->type, span);
    Value inside = low && high ? apply("log_diff_exp", {at("_lcdf", *high), at("_lcdf", *low)}, real, span)
                   : low       ? at("_lccdf", *low)
                               : at("_lcdf", *high);
    if (from) inside = infinite_beyond_support(std::move(inside), distribution, *from, span);
    if (high) inside = infinite_beyond_support(std::move(inside), distribution, *high, span);
    return infinite_outside(std::move(inside), given[0], from ? &*from : nullptr, high ? &*high : nullptr, span);
  };
  if (arguments[0].dims.empty()) return mass(arguments, lower, upper);
  // One outcome at a time; over the rows, that of the row.
  std::vector<Value> given = arguments;
  for (auto* bound : {&lower, &upper})
    if (*bound) given.push_back(**bound);
  auto finish = [&](std::vector<Value> one) {
    std::optional<Value> low, high;
    if (upper) high = one.back(), one.pop_back();
    if (lower) low = one.back(), one.pop_back();
    return mass(one, low, high);
  };
  const bool rows = std::any_of(given.begin(), given.end(), [](const Value& x) { return x.role == Role::rows; });
  if (rows && !in_rows()) {
    std::vector<Value> one;
    for (const auto& value : given) one.push_back(value.dims.empty() ? value : element_of_rows(value, span));
    // Temporarily inside a loop over all rows.
    RowContext all;
    all.index = axis_->row_numbers();
    all.id = 0;
    contexts_.push_back(all);
    Value term = finish(std::move(one));
    Value made = sum_of_rows(term, span);
    contexts_.pop_back();
    return made;
  }
  Value total = real_value(0.0);
  for (std::int64_t i = 1; i <= arguments[0].dims[0]; ++i) {
    std::vector<Value> one;
    for (const auto& value : given) {
      std::vector<Place> places(1);
      places[0].kind = Place::Kind::single;
      places[0].index = integer_value(i);
      places[0].span = span;
      one.push_back(value.dims.empty() ? value
                                       : index_plain(value, places, element_type(value.type), "the value", span));
    }
    total = apply("add", {std::move(total), finish(std::move(one))}, real, span);
  }
  return total;
}

}  // namespace sgmcmc::stan
