// Walks a program: functions, then the blocks in order.
#include "stan/check/check.hpp"

#include "stan/builtins/signatures.hpp"
#include "stan/check/checker.hpp"

#include <algorithm>
#include <set>

namespace sgmcmc::stan {

std::vector<Warning> check(Program& program, const Source& source) {
  std::vector<Warning> warnings = Checker(program, source).run();
  warn_of_unused_parameters(program, warnings);
  std::stable_sort(warnings.begin(), warnings.end(),
                   [](const Warning& a, const Warning& b) { return a.span.begin < b.span.begin; });
  return warnings;
}

std::string render(const Source& source, const Warning& warning) {
  std::string text = source.render(warning.span, warning.message, warning.help);
  return text.replace(source.where(warning.span).size(), std::string_view(": error: ").size(), ": warning: ");
}

std::vector<Warning> Checker::run() {
  do {
    settled_ = true;
    warnings_.clear();
    scopes_ = {};
    walk();
  } while (!settled_);
  return std::move(warnings_);
}

void Checker::walk() {
  for (const Function& function : program_.functions) check_signature(function);
  for (Function& function : program_.functions) check_function(function);
  check_block(program_.data, BlockKind::data);
  check_block(program_.transformed_data, BlockKind::transformed_data);
  check_block(program_.parameters, BlockKind::parameters);
  check_block(program_.transformed_parameters, BlockKind::transformed_parameters);
  {
    const OpenScope locals(scopes_);
    check_block(program_.model, BlockKind::model);
  }
  check_block(program_.generated_quantities, BlockKind::generated_quantities);
}

void Checker::check_block(ProgramBlock& block, BlockKind kind) {
  context_ = {};
  context_.block = kind;
  for (const StatementPointer& statement : block.statements) {
    context_.top_level = kind != BlockKind::model;
    check_statement(*statement);
  }
}

void Checker::check_signature(const Function& function) {
  const auto rule = [&](bool kept, const std::string& message, const std::string& help) {
    if (!kept) fail(function.name_span, message, help);
  };
  const std::string quoted = "'" + function.name + "'";
  std::vector<Type> types;
  for (const Argument& argument : function.arguments) types.push_back(argument.type);
  const bool density = ends_with(function.name, "_lpdf"), mass = ends_with(function.name, "_lpmf");
  const bool cumulative = ends_with(function.name, "_lcdf") || ends_with(function.name, "_lccdf");
  if (density || mass || cumulative) {
    rule(!types.empty(), quoted + " needs an argument: the outcome", "write the outcome first");
    rule(function.result == Type{Base::real, 0},
         quoted + " must return real; it is declared " + function.result.to_string(),
         "densities are logs of real numbers: write 'real " + function.name + "(...)'");
  }
  if (density && types[0].is_integer()) {
    fail(function.arguments[0].name_span,
         quoted + " is a density: its first argument must not be " + types[0].to_string(),
         "for ints name it " + function.name.substr(0, function.name.size() - 5) + "_lpmf");
  }
  if (mass && !types[0].is_integer()) {
    fail(function.arguments[0].name_span,
         quoted + " is a probability of ints: its first argument must not be " + types[0].to_string(),
         "for reals name it " + function.name.substr(0, function.name.size() - 5) + "_lpdf");
  }
  rule(!ends_with(function.name, "_lupdf") && !ends_with(function.name, "_lupmf"),
       "a function cannot be named " + quoted, "define " + defined_name(function.name) + ": the other comes with it");
  // Models may define functions that Stan added later: the model's own definition is used.
  if (function.body && result_type(function.name, types)) {
    warn(function.name_span,
         "there is a built-in function " + quoted + " for these arguments; the program's own is used",
         "remove it if the built-in is meant");
  }
  for (const Function& other : program_.functions) {
    if (&other == &function || other.name != function.name || other.arguments.size() != types.size()) continue;
    const bool same = std::equal(types.begin(), types.end(), other.arguments.begin(),
                                 [](const Type& type, const Argument& argument) { return type == argument.type; });
    if (!same) continue;
    // Reports the later one of a declaration and its definition, or of two definitions.
    if (function.span.begin < other.span.begin) {
      if (other.body && !function.body && other.result == function.result) continue;
      fail(other.name_span, quoted + " with these arguments is defined already (" + line_of(function.name_span) + ")",
           other.result == function.result ? "choose another name" : "the two differ in the type they return");
    }
  }
  if (!function.body) {
    const Function* definition = find_function(program_, function.name, types);
    const bool defined = definition && definition->body &&
                         std::equal(types.begin(), types.end(), definition->arguments.begin(),
                                    [](const Type& type, const Argument& argument) { return type == argument.type; });
    rule(defined, quoted + " is declared but never defined", "add its body in the functions block");
  }
}

void Checker::check_function(Function& function) {
  const OpenScope scope(scopes_);
  context_ = {};
  context_.function = &function;
  std::set<std::string> names;
  for (const Argument& argument : function.arguments) {
    if (!names.insert(argument.name).second) {
      fail(argument.name_span, "two arguments of '" + function.name + "' are named '" + argument.name + "'",
           "give each a name of its own");
    }
    require_new_name(argument.name, argument.name_span);
    // Ints never depend on parameters, so sizes and loops in a function are data.
    scopes_.declare({argument.name, argument.type, Variable::Kind::argument, BlockKind::functions, false,
                     argument.data || argument.type.is_integer(), argument.name_span});
  }
  if (!function.body) return;
  check_statement(*function.body);
  if (function.result.base != Base::nothing && !always_returns(*function.body)) {
    fail(function.name_span, "'" + function.name + "' can end without returning " + function.result.to_string(),
         "every way through the function must end in return");
  }
}

void Checker::fail(Span span, const std::string& message, const std::string& help) const {
  throw StanError(source_, span, message, help);
}

void Checker::warn(Span span, std::string message, std::string help) {
  const auto same = [&](const Warning& other) { return other.span.begin == span.begin && other.message == message; };
  if (std::any_of(warnings_.begin(), warnings_.end(), same)) return;
  warnings_.push_back({span, std::move(message), std::move(help)});
}

std::string Checker::text_of(const Tree& tree, const char* otherwise) const {
  constexpr std::size_t longest = 40;
  const std::string text(source_.text(tree.span));
  if (text.size() > longest || text.find('\n') != std::string::npos) return otherwise;
  const bool compound = std::holds_alternative<Binary>(tree.form) || std::holds_alternative<Conditional>(tree.form);
  return compound && text.front() != '(' ? '(' + text + ')' : text;
}

bool Checker::in_function_ending(std::string_view suffix) const {
  return context_.function && ends_with(context_.function->name, suffix);
}

bool Checker::may_use_target() const { return context_.block == BlockKind::model || in_function_ending("_lp"); }

std::string Checker::line_of(Span span) const { return "line " + std::to_string(source_.line_column(span.begin).line); }

}  // namespace sgmcmc::stan
