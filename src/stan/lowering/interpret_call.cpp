// Calls of user-defined and built-in functions, on plain values, values of one row, and all rows.
#include "stan/builtins/signatures.hpp"
#include "stan/check/check.hpp"
#include "stan/lowering/indexing.hpp"
#include "stan/lowering/interpreter.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace sgmcmc::stan {
namespace {

bool ends_with(const std::string& text, const char* end) { return text.ends_with(end); }

constexpr std::size_t most_frames = 400;

}  // namespace

Value Interpreter::evaluate_call(const Call& form, const Tree& tree) {
  if (form.name == "target" && on_numbers_) {
    double total = 0;
    for (const auto& term : terms_) total += term.constant;
    return real_value(total);
  }
  if (form.name == "target") fail(tree.span, "target() cannot be read here", "collect the terms in a variable");
  std::vector<const Tree*> trees;
  for (const auto& argument : form.arguments) trees.push_back(argument.get());
  const Function* function = user_function(form.name, trees);
  if (const auto* name = trees.size() == 1 ? std::get_if<Name>(&trees[0]->form) : nullptr; name && !function) {
    // The size of a local container is known before its elements are.
    const Variable* variable = lookup(name->name);
    if (variable && !variable->value.set && !variable->carried && !variable->filled) {
      Value container;
      container.type = variable->type;
      container.dims = variable->dims;
      container.role = variable->over_rows ? Role::rows : Role::plain;
      if (auto size = size_function(form.name, {container})) return *size;
    }
  }
  const bool of_density = !function && (ends_with(form.name, "pdf") || ends_with(form.name, "pmf"));
  std::vector<Value> arguments;
  if (of_density)
    arguments = density_arguments(trees);
  else
    for (const Tree* argument : trees) arguments.push_back(evaluate(*argument));
  if (function) return call_user(*function, std::move(arguments), tree.span);
  if (ends_with(form.name, "_lupdf") || ends_with(form.name, "_lupmf"))
    return density(defined_name(form.name), std::move(arguments), tree.span);
  for (const char* suffix : {"_lpdf", "_lpmf", "_lcdf", "_lccdf"})
    if (ends_with(form.name, suffix)) return density(form.name, std::move(arguments), tree.span);
  if (ends_with(form.name, "_rng")) {
    std::vector<Operand> operands;
    for (const auto& argument : arguments) {
      if (!argument.is_data() || argument.role == Role::row)
        fail(tree.span, "random numbers are drawn only in transformed data and generated quantities");
      operands.push_back(operand_of(argument));
    }
    if (!uniform_) fail(tree.span, "random numbers are drawn only in transformed data and generated quantities");
    ++changes_;
    try {
      return value_of(apply_rng(form.name, operands, *uniform_));
    } catch (const ArgumentError& error) {
      fail(tree.span, error.message, error.help);
    }
  }
  if (auto size = size_function(form.name, arguments)) return *size;
  if (auto picked = apply_as_index(form.name, arguments, tree.type, tree.span)) return *picked;
  check_made_size(form.name, arguments, tree.span);
  if (axis_ && (form.name.starts_with("rep_"))) return repeated(form.name, arguments, tree.type, tree.span);
  return apply(form.name, std::move(arguments), tree.type, tree.span);
}

const Function* Interpreter::user_function(const std::string& name, const std::vector<const Tree*>& arguments) const {
  if (program_.functions.empty()) return nullptr;
  std::vector<Type> types;
  for (const Tree* argument : arguments) types.push_back(argument->type);
  return find_function(program_, name, types);
}

Value Interpreter::call_user(const Function& function, std::vector<Value> arguments, Span span) {
  if (frames_.size() > most_frames) fail(span, "'" + function.name + "' recurses too deeply", "write it as a loop");
  Frame frame;
  frame.function = &function;
  frame.scopes.emplace_back();
  frame.result.type = {Base::nothing, 0};
  frames_.push_back(std::move(frame));
  struct Pop {
    std::deque<Frame>& frames;
    ~Pop() { frames.pop_back(); }
  } pop{frames_};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Value value = std::move(arguments[i]);
    const auto& argument = function.arguments[i];
    value.type = argument.type;
    Variable& variable =
        declare(argument.name, argument.name_span, argument.type, value.dims, value.role == Role::rows);
    variable.from_data = value.role != Role::plain || (value.is_data() && !value.dims.empty());
    variable.value = std::move(value);
  }
  const Flow flow = execute(*function.body);
  if (function.result.base != Base::nothing && flow != Flow::returned)
    fail(function.name_span, "'" + function.name + "' ended without returning a value");
  Value result = frames_.back().result;
  if (function.result.base != Base::nothing) result.type = function.result;
  return result;
}

/// Functions that make a container whose size is an argument.
void Interpreter::check_made_size(const std::string& name, const std::vector<Value>& arguments, Span span) const {
  if (arguments.empty()) return;
  Dims dims;
  std::size_t first = arguments.size();
  if (name.starts_with("rep_")) {
    if (arguments[1].counts_rows) return;  // stored row by row
    dims = arguments[0].dims;
    first = 1;
  } else if (name.starts_with("zeros_") || name.starts_with("ones_") || name.starts_with("linspaced_") ||
             name.starts_with("one_hot_") || name == "uniform_simplex") {
    dims = {arguments[0].integer()};
  } else if (name == "identity_matrix") {
    dims = {arguments[0].integer(), arguments[0].integer()};
  } else if (name == "diag_matrix") {
    dims = {size_of(arguments[0].dims), size_of(arguments[0].dims)};
  } else {
    return;
  }
  for (std::size_t i = first; i < arguments.size(); ++i)
    if (arguments[i].is_data() && arguments[i].role == Role::plain) dims.push_back(arguments[i].integer());
  if (const std::string why = beyond_memory(dims); !why.empty())
    throw LimitError(source_, span, "the result of " + name + " " + why);
}

std::optional<Value> Interpreter::size_function(const std::string& name, const std::vector<Value>& arguments) {
  if (arguments.size() != 1) return std::nullopt;
  const Value& x = arguments[0];
  auto counted = [&](std::int64_t count, bool of_rows) {
    Value made = integer_value(count);
    made.counts_rows = made.near_rows = of_rows && x.role == Role::rows;
    return made;
  };
  if (name == "size" && x.dims.empty()) return counted(1, false);
  if (name == "size" || (name == "rows" && !x.dims.empty() && x.type.array_rank == 0)) {
    if (name == "size" && x.type == Type{Base::matrix, 0}) return counted(size_of(x.dims), false);
    if (name == "rows" && x.type.base == Base::row_vector) return counted(1, false);
    return counted(x.dims[0], true);
  }
  if (name == "cols" && !x.dims.empty() && x.type.array_rank == 0) {
    if (x.type.base == Base::vector) return counted(1, false);
    return x.type.base == Base::row_vector ? counted(x.dims[0], true) : counted(x.dims[1], false);
  }
  if (name == "num_elements") return x.dims.size() == 1 ? counted(x.dims[0], true) : counted(size_of(x.dims), false);
  if (name == "dims") {
    std::vector<double> numbers(x.dims.begin(), x.dims.end());
    Dims count{static_cast<std::int64_t>(numbers.size())};
    return number_value({Base::integer, 1}, std::move(count), Numbers(std::move(numbers)));
  }
  return std::nullopt;
}

/// row(x, n) is x[n], and col(x, k) is x[, k]: uses the row handling of indexing.
std::optional<Value> Interpreter::apply_as_index(const std::string& name, const std::vector<Value>& arguments,
                                                 const Type& type, Span span) {
  if (!axis_ || (name != "row" && name != "col")) return std::nullopt;
  if (arguments[0].role == Role::plain && arguments[1].role == Role::plain) return std::nullopt;
  std::vector<Place> places(name == "row" ? 1 : 2);
  places.back().kind = Place::Kind::single;
  places.back().index = arguments[1];
  for (auto& place : places) place.span = span;
  return index(arguments[0], std::move(places), type, "the matrix", span);
}

/// rep_vector(x, N) and similar: over the rows, every row has the value x.
Value Interpreter::repeated(const std::string& name, const std::vector<Value>& arguments, const Type& type, Span span) {
  if (arguments.size() < 2 || !arguments[1].counts_rows || in_rows() || arguments[0].role != Role::plain)
    return apply(name, arguments, type, span);
  Value element = arguments[0];
  if (arguments.size() > 2) {
    std::vector<Value> inner{arguments[0]};
    inner.insert(inner.end(), arguments.begin() + 2, arguments.end());
    element = apply(name == "rep_matrix" ? "rep_row_vector" : name, inner, element_type(type), span);
  } else if (name == "rep_matrix" && element.type.base == Base::vector) {
    return apply(name, arguments, type, span);
  }
  if (element.is_data()) element.type = element_type(type);
  return rows_of_element(std::move(element), type);
}

}  // namespace sgmcmc::stan
