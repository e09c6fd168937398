// Calls: overload resolution, and whether a function may be called here.
#include "stan/builtins/signatures.hpp"
#include "stan/check/checker.hpp"

#include <algorithm>

namespace sgmcmc::stan {
namespace {

/// The number of arguments that need promotion, or -1 if one does not match.
int promotions(const Function& function, std::span<const Type> arguments) {
  if (function.arguments.size() != arguments.size()) return -1;
  int result = 0;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (!promotes(arguments[k], function.arguments[k].type)) return -1;
    result += arguments[k] == function.arguments[k].type ? 0 : 1;
  }
  return result;
}

bool is_unnormalised(std::string_view name) { return ends_with(name, "_lupdf") || ends_with(name, "_lupmf"); }

}  // namespace

bool promotes(const Type& from, const Type& to) {
  if (from == to) return true;
  return from.array_rank == to.array_rank && from.base == Base::integer && to.base == Base::real;
}

std::string defined_name(std::string_view function) {
  if (!is_unnormalised(function)) return std::string(function);
  const std::size_t stem = function.size() - 6;
  return std::string(function.substr(0, stem)) + "_l" + std::string(function.substr(stem + 3));
}

const Function* find_function(const Program& program, std::string_view name, std::span<const Type> arguments) {
  const std::string wanted = defined_name(name);
  const Function* best = nullptr;
  int fewest = 0;
  for (const Function& function : program.functions) {
    if (function.name != wanted) continue;
    const int needed = promotions(function, arguments);
    if (needed < 0) continue;
    if (!best || needed < fewest || (needed == fewest && !best->body)) {
      best = &function;
      fewest = needed;
    }
  }
  return best;
}

const Function* find_density(const Program& program, std::string_view distribution, std::span<const Type> arguments) {
  for (const char* suffix : {"_lpdf", "_lpmf", "_log"}) {
    if (const Function* found = find_function(program, std::string(distribution) + suffix, arguments)) return found;
  }
  return nullptr;
}

bool Checker::has_user_function(std::string_view name) const {
  return std::any_of(program_.functions.begin(), program_.functions.end(),
                     [&](const Function& function) { return function.name == name; });
}

void Checker::check_target(Tree& tree) {
  if (!may_use_target()) {
    fail(tree.span, "target() is allowed only in the model block and in functions ending in _lp");
  }
  tree.type = {Base::real, 0};
  tree.data_only = false;
}

void Checker::check_where_called(const Call& call) {
  const BlockKind block = context_.block;
  if (ends_with(call.name, "_rng") && block != BlockKind::transformed_data &&
      block != BlockKind::generated_quantities && !in_function_ending("_rng")) {
    fail(call.name_span,
         "'" + call.name + "' draws random numbers, which " +
             (context_.function ? "this function" : block_text(block)) + " cannot do",
         "call it in transformed data, in generated quantities, or in a function whose name ends in _rng");
  }
  if (ends_with(call.name, "_lp") && has_user_function(call.name) && block != BlockKind::model &&
      block != BlockKind::transformed_parameters && !in_function_ending("_lp")) {
    fail(call.name_span,
         "'" + call.name + "' may change the log density, which " +
             (context_.function ? "this function" : block_text(block)) + " cannot do",
         "call it in the model block, in transformed parameters, or in a function whose name ends in _lp");
  }
  if (is_unnormalised(call.name) && block != BlockKind::model && !in_function_ending("_lp") &&
      !in_function_ending("_lpdf") && !in_function_ending("_lpmf")) {
    fail(call.name_span, "'" + call.name + "' drops constants and has a meaning only in the model block",
         "write " + defined_name(call.name));
  }
}

void Checker::check_data_arguments(const Function& function, std::span<const Tree* const> arguments) {
  if (context_.block == BlockKind::generated_quantities) return;  // all values are numbers there
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Tree& argument = *arguments[k];
    if (!function.arguments[k].data || argument.data_only || argument.type.is_integer()) continue;
    fail(argument.span,
         "argument '" + function.arguments[k].name + "' of '" + function.name +
             "' must be data; this depends on parameters",
         "the function declares it '" + std::string("data ") + function.arguments[k].type.to_string() + "'");
  }
}

void Checker::check_form(Tree& tree, Call& call) {
  if (is_reduce_sum(call) && !has_user_function(call.name)) {
    expand_reduce_sum(tree);
    return check(tree);
  }
  check_call(tree, call);
  if (tree.type.base == Base::nothing) fail(tree.span, "'" + call.name + "' returns nothing and has no value");
}

void Checker::check_call(Tree& tree, Call& call) {
  if (call.name == "target" && !has_user_function("target")) return check_target(tree);
  if (is_reduce_sum(call) && !has_user_function(call.name))
    fail(tree.span, "'" + call.name + "' has a value, which is not used", "write target += " + call.name + "(...)");
  const std::string name = defined_name(call.name);
  const bool users = has_user_function(name);
  if (!users && !is_function(name)) unknown_function(call);
  check_where_called(call);

  std::vector<Type> types;
  std::vector<const Tree*> arguments;
  tree.data_only = context_.block != BlockKind::generated_quantities || !ends_with(name, "_rng");
  for (const TreePointer& argument : call.arguments) {
    check(*argument, {Base::real, 0});
    types.push_back(argument->type);
    arguments.push_back(argument.get());
    tree.data_only = tree.data_only && argument->data_only;
  }
  if (const Function* function = find_function(program_, name, types)) {
    const int needed = promotions(*function, types);
    for (const Function& other : program_.functions) {
      if (other.name != name || promotions(other, types) != needed) continue;
      const auto same = [](const Argument& a, const Argument& b) { return a.type == b.type; };
      if (!std::equal(other.arguments.begin(), other.arguments.end(), function->arguments.begin(), same)) {
        fail(tree.span, "more than one '" + name + "' fits these arguments",
             "make the ints reals (1.0 * n) where reals are meant:" +
                 signature_lines({signature_text(*function), signature_text(other)}));
      }
    }
    check_data_arguments(*function, arguments);
    tree.type = function->result;
    if (ends_with(name, "_lp")) tree.data_only = false;
    return;
  }
  const std::optional<Type> type = result_type(name, types);
  if (!type) no_signature({name, call.name, false, arguments, tree.span});
  tree.type = *type;
}

}  // namespace sgmcmc::stan
