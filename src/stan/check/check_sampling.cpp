// Statements that add to the log density, and warnings about common errors in them.
#include "stan/builtins/signatures.hpp"
#include "stan/check/checker.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace sgmcmc::stan {
namespace {

/// The value of a literal expression.
std::optional<double> literal_value(const Tree& tree) {
  if (const auto* integer = std::get_if<IntegerLiteral>(&tree.form)) return static_cast<double>(integer->value);
  if (const auto* real = std::get_if<RealLiteral>(&tree.form)) return real->value;
  if (const auto* unary = std::get_if<Unary>(&tree.form)) {
    const std::optional<double> value = literal_value(*unary->operand);
    if (value && unary->op == Operator::negate) return -*value;
    if (unary->op == Operator::plus) return value;
  }
  return std::nullopt;
}

/// Functions whose derivative is not constant: a density of the result is not a density of the argument. With the log
/// absolute derivative at #, up to a constant, if it is short.
struct Nonlinear {
  std::string_view function, log_derivative;
};
constexpr auto nonlinear = std::to_array<Nonlinear>({
    {"Phi", "-0.5 * square(#)"},
    {"Phi_approx", ""},
    {"acos", ""},
    {"asin", ""},
    {"atan", "-log1p(square(#))"},
    {"cbrt", ""},
    {"cos", ""},
    {"cosh", ""},
    {"exp", "#"},
    {"exp2", ""},
    {"expm1", "#"},
    {"inv", "-2 * log(abs(#))"},
    {"inv_Phi", ""},
    {"inv_cloglog", ""},
    {"inv_logit", "# - 2 * log1p_exp(#)"},
    {"inv_sqrt", "-1.5 * log(#)"},
    {"inv_square", "-3 * log(abs(#))"},
    {"log", "-log(#)"},
    {"log10", "-log(#)"},
    {"log1m", "-log1m(#)"},
    {"log1p", "-log1p(#)"},
    {"log2", "-log(#)"},
    {"logit", "-log(#) - log1m(#)"},
    {"pow", ""},
    {"sin", ""},
    {"sinh", ""},
    {"softmax", ""},
    {"sqrt", "-0.5 * log(#)"},
    {"square", "log(abs(#))"},
    {"tan", ""},
    {"tanh", ""},
});

std::string filled_in(std::string_view pattern, const std::string& text) {
  std::string result;
  for (const char c : pattern) c == '#' ? result += text : result += c;
  return result;
}

/// The name of a variable, also for its elements.
const std::string* root_name(const Tree& tree) {
  const Tree* root = &tree;
  while (const auto* indexed = std::get_if<Indexed>(&root->form)) root = indexed->container.get();
  const auto* name = std::get_if<Name>(&root->form);
  return name ? &name->name : nullptr;
}

}  // namespace

void Checker::check_form(TargetIncrement& increment, Span span) {
  if (!may_use_target()) {
    std::string help = "move it to the model block";
    if (context_.block == BlockKind::transformed_parameters) help += ", which sees all transformed parameters";
    if (context_.function) help = "name the function " + context_.function->name + "_lp, or return what is to be added";
    fail(span, "'target +=' is allowed only in the model block and in functions ending in _lp", help);
  }
  check(*increment.value);
}

void Checker::check_form(Sampling& sampling, Span span) {
  if (context_.block != BlockKind::model && !in_function_ending("_lp")) {
    std::string help = "move it to the model block";
    if (context_.block == BlockKind::generated_quantities || context_.block == BlockKind::transformed_data) {
      help = "to draw random numbers write '" + text_of(*sampling.left, "y") + " = " + sampling.distribution +
             "_rng(...);'";
    } else if (context_.function) {
      help = "a function with '~' has a name ending in _lp; or return " + sampling.distribution + "_lpdf(y | ...)";
    }
    fail(span, "'~' is allowed only in the model block and in functions ending in _lp", help);
  }
  const std::string& name = sampling.distribution;
  check(*sampling.left);
  const bool users =
      has_user_function(name + "_lpdf") || has_user_function(name + "_lpmf") || has_user_function(name + "_log");
  if (!users && !is_distribution(name)) unknown_distribution(sampling);
  std::vector<const Tree*> arguments = {sampling.left.get()};
  for (const TreePointer& argument : sampling.arguments) {
    check(*argument);
    arguments.push_back(argument.get());
  }
  std::vector<Type> types;
  for (const Tree* argument : arguments) types.push_back(argument->type);
  const Function* function = find_density(program_, name, types);
  if (function) {
    check_data_arguments(*function, arguments);
  } else {
    const bool known = is_distribution(name);
    std::string full = known ? name + std::string(density_suffix(name)) : name;
    for (const char* suffix : {"_log", "_lpmf", "_lpdf"}) {
      if (!known && has_user_function(name + suffix)) full = name + suffix;
    }
    if (!known || !result_type(full, types)) no_signature({full, name, true, arguments, span});
  }
  check_truncation(sampling, types, function != nullptr);
  warn_of_sampling(sampling, function != nullptr);
}

void Checker::check_truncation(Sampling& sampling, const std::vector<Type>& types, bool users) {
  if (!sampling.truncation) return;
  const Truncation& cut = *sampling.truncation;
  if (!types[0].is_scalar()) {
    fail(cut.span,
         "only one outcome at a time can be truncated; '" + text_of(*sampling.left, "the left side") + "' is " +
             types[0].to_string(),
         "write a loop over its elements");
  }
  for (Tree* bound : {cut.lower.get(), cut.upper.get()}) {
    if (!bound) continue;
    check(*bound);
    const Type expected{types[0].is_integer() ? Base::integer : Base::real, 0};
    if (promotes(bound->type, expected)) continue;
    fail(bound->span, "a bound of T[...] must be " + expected.to_string() + "; found " + bound->type.to_string());
  }
  if (!cut.lower && !cut.upper) return;
  const auto has = [&](const char* suffix) {
    const std::string full = sampling.distribution + suffix;
    return users ? find_function(program_, full, types) != nullptr : is_function(full);
  };
  const bool both = cut.lower && cut.upper;
  const bool known = has("_lcdf") || has("_cdf") || (!both && cut.lower && has("_lccdf"));
  if (known) return;
  fail(cut.span, "'" + sampling.distribution + "' cannot be truncated: there is no " + sampling.distribution + "_lcdf",
       users ? "define it in the functions block"
             : "add minus the log of its probability between the bounds: target += -...;");
}

void Checker::warn_of_sampling(const Sampling& sampling, bool users) {
  warn_of_missing_jacobian(*sampling.left);
  if (users) return;
  check_argument_domains(sampling);
  const std::string* left = root_name(*sampling.left);
  const Variable* variable = left ? scopes_.find(*left) : nullptr;
  if (variable && variable->is_parameter() && sampling.distribution == "uniform") warn_of_uniform(sampling, *variable);
}

void Checker::warn_of_missing_jacobian(const Tree& left) {
  const auto* call = std::get_if<Call>(&left.form);
  if (!call || left.data_only || has_user_function(call->name)) return;
  const auto known = std::find_if(nonlinear.begin(), nonlinear.end(),
                                  [&](const Nonlinear& entry) { return entry.function == call->name; });
  if (known == nonlinear.end()) return;
  const Tree& argument = *call->arguments[0];
  const std::string* name = root_name(argument);
  const Variable* variable = name ? scopes_.find(*name) : nullptr;
  std::string help = "add the log of the absolute derivative with 'target += ...;'";
  if (variable && variable->is_parameter() && !known->log_derivative.empty()) {
    help = "add 'target += " + filled_in(known->log_derivative, text_of(argument, "...")) + ";'";
  }
  warn(left.span,
       "a density of '" + call->name +
           "' of parameters is not a density of the parameters without a Jacobian adjustment",
       help + ", or make " + text_of(left, "this") + " the parameter");
}

std::string Checker::declared_as(const Declaration& declaration, const std::string& bounds) const {
  const auto sizes = [&](std::size_t from, std::size_t to) {
    std::string result;
    for (std::size_t k = from; k < to; ++k) {
      result += (k > from ? ", " : "[") + std::string(source_.text(declaration.sizes[k]->span));
    }
    return result.empty() ? result : result + ']';
  };
  const auto arrays = static_cast<std::size_t>(declaration.type.array_rank);
  Type element = declaration.type;
  element.array_rank = 0;
  const std::string array = arrays > 0 ? "array" + sizes(0, arrays) + ' ' : "";
  return array + element.to_string() + '<' + bounds + '>' + sizes(arrays, declaration.sizes.size()) + ' ' +
         declaration.name;
}

void Checker::warn_of_uniform(const Sampling& sampling, const Variable& parameter) {
  const ConstraintTree& constraint = parameter.declaration->constraint;
  if (constraint.kind != ConstraintTree::Kind::none) return;
  const Tree &low = *sampling.arguments[0], &high = *sampling.arguments[1];
  // Non-literal bounds are assumed to agree if present: their values are known only with data.
  const auto wider = [](const Tree* declared, const Tree& support, bool lower) {
    if (!declared) return true;
    const std::optional<double> bound = literal_value(*declared), edge = literal_value(support);
    return bound && edge && (lower ? *bound < *edge : *bound > *edge);
  };
  if (!wider(constraint.lower.get(), low, true) && !wider(constraint.upper.get(), high, false)) return;
  warn(sampling.left->span,
       "'" + parameter.name +
           "' can leave the support of its uniform prior, where the density is zero and has no gradient",
       "declare it as " +
           declared_as(*parameter.declaration, "lower=" + text_of(low, "...") + ", upper=" + text_of(high, "...")));
}

void Checker::check_argument_domains(const Sampling& sampling) {
  check_argument_domain(sampling, *sampling.left, 0);
  for (std::size_t k = 0; k < sampling.arguments.size(); ++k)
    check_argument_domain(sampling, *sampling.arguments[k], k + 1);
}

/// Parameters that may be outside the domain of a distribution's argument.
void Checker::check_argument_domain(const Sampling& sampling, const Tree& tree, std::size_t argument) {
  const std::string* name = root_name(tree);
  const Variable* variable = name ? scopes_.find(*name) : nullptr;
  if (!variable || !variable->is_parameter()) return;
  const ConstraintTree& constraint = variable->declaration->constraint;
  const std::string what =
      argument == 0 ? "the outcome of '" + sampling.distribution + "' must be "
                    : "argument " + std::to_string(argument) + " of '" + sampling.distribution + "' must be ";
  const std::string but = ", but parameter '" + variable->name + "' ";
  const ArgumentDomain domain = argument_domain(sampling.distribution, argument);
  if (domain == ArgumentDomain::simplex) {
    if (constraint.kind == ConstraintTree::Kind::simplex) return;
    const Declaration& declared = *variable->declaration;
    const std::string size = declared.sizes.empty() ? "..." : std::string(source_.text(declared.sizes.back()->span));
    fail(tree.span, what + "a simplex" + but + "is none: its elements need not sum to 1",
         "declare it as simplex[" + size + "] " + variable->name);
  }
  if (argument == 0 || constraint.kind != ConstraintTree::Kind::none) return;
  // Bounds that are not literal are assumed to be right: their values are known only with data.
  const std::optional<double> lower = constraint.lower ? literal_value(*constraint.lower) : std::nullopt;
  const std::optional<double> upper = constraint.upper ? literal_value(*constraint.upper) : std::nullopt;
  const bool from_zero = constraint.lower && (!lower || *lower >= 0);
  const bool to_one = constraint.upper && (!upper || *upper <= 1);
  if (domain == ArgumentDomain::positive && !from_zero) {
    std::string bounds = "lower=0";
    if (constraint.upper) bounds += ", upper=" + text_of(*constraint.upper, "...");
    warn(tree.span, what + "positive" + but + "can be negative",
         "declare it as " + declared_as(*variable->declaration, bounds));
  } else if (domain == ArgumentDomain::probability && !(from_zero && to_one)) {
    warn(tree.span, what + "between 0 and 1" + but + "can be outside, where the density is zero and has no gradient",
         "declare it as " + declared_as(*variable->declaration, "lower=0, upper=1"));
  }
}

}  // namespace sgmcmc::stan
