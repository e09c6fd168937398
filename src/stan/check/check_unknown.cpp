// Explains unknown names: suggests a similar name, where it is declared, or what to write instead.
#include "stan/builtins/builtins.hpp"
#include "stan/builtins/signatures.hpp"
#include "stan/check/checker.hpp"

#include "base/text.hpp"

#include <optional>

namespace sgmcmc::stan {
namespace {

/// The declaration of a name, in scope or not.
struct Place {
  BlockKind block;
  bool inner;  ///< in braces, or by a loop
  Span span;
};

/// The first declaration of a name in a statement, loops included.
std::optional<Place> find_in(const Statement& statement, const std::string& name, BlockKind block, bool inner);

std::optional<Place> find_in(const std::vector<StatementPointer>& statements, const std::string& name, BlockKind block,
                             bool inner) {
  for (const StatementPointer& statement : statements) {
    if (const auto place = find_in(*statement, name, block, inner)) return place;
  }
  return std::nullopt;
}

std::optional<Place> find_in(const Statement& statement, const std::string& name, BlockKind block, bool inner) {
  const auto below = [&](const StatementPointer& part) {
    return part ? find_in(*part, name, block, true) : std::optional<Place>();
  };
  if (const auto* declaration = std::get_if<Declaration>(&statement.form)) {
    return declaration->name == name ? std::optional<Place>({block, inner, declaration->name_span}) : std::nullopt;
  }
  if (const auto* branch = std::get_if<If>(&statement.form)) {
    const auto place = below(branch->then);
    return place ? place : below(branch->otherwise);
  }
  if (const auto* loop = std::get_if<While>(&statement.form)) return below(loop->body);
  if (const auto* loop = std::get_if<For>(&statement.form)) {
    return loop->variable == name ? std::optional<Place>({block, true, loop->variable_span}) : below(loop->body);
  }
  if (const auto* loop = std::get_if<ForEach>(&statement.form)) {
    return loop->variable == name ? std::optional<Place>({block, true, loop->variable_span}) : below(loop->body);
  }
  if (const auto* nested = std::get_if<Block>(&statement.form)) return find_in(nested->statements, name, block, true);
  if (const auto* profile = std::get_if<Profile>(&statement.form)) {
    return find_in(profile->body.statements, name, block, true);
  }
  return std::nullopt;
}

std::optional<Place> find_declaration(const Program& program, const std::string& name) {
  const std::pair<const ProgramBlock*, BlockKind> blocks[] = {
      {&program.data, BlockKind::data},
      {&program.transformed_data, BlockKind::transformed_data},
      {&program.parameters, BlockKind::parameters},
      {&program.transformed_parameters, BlockKind::transformed_parameters},
      {&program.model, BlockKind::model},
      {&program.generated_quantities, BlockKind::generated_quantities},
  };
  for (const auto& [block, kind] : blocks) {
    if (const auto place = find_in(block->statements, name, kind, false)) return place;
  }
  return std::nullopt;
}

}  // namespace

std::string Checker::unknown_name_help(const std::string& name, Span used) const {
  const std::optional<Place> place = find_declaration(program_, name);
  const BlockKind here = context_.block;
  if (place && here == BlockKind::functions) {
    return "a function sees only its arguments: pass '" + name + "' as one";
  }
  if (place) {
    const std::string line = line_of(place->span);
    if (place->inner) return "'" + name + "' is known only inside the braces or the loop of " + line;
    if (place->block == here && place->span.begin > used.begin)
      return "move its declaration (" + line + ") before this";
    if (place->block == here) return "its own value cannot be used in its declaration";
    std::string help = "'" + name + "' belongs to " + block_text(place->block) + " (" + line + "), which ";
    return help + block_text(here) + " does not see";
  }
  const std::string nearest = nearest_name(name, scopes_.names());
  if (!nearest.empty()) return "did you mean '" + nearest + "'?";
  if (here == BlockKind::functions) return "a function sees only its arguments: pass it as one";
  return "declare it before it is used";
}

void Checker::unknown_function(const Call& call) {
  const std::string& name = call.name;
  if (const Variable* variable = scopes_.find(name)) {
    fail(call.name_span, "'" + name + "' is " + variable->description() + ", not a function",
         variable->type.is_container() ? "to index it write " + name + "[...]"
                                       : "a product needs '*' between its factors");
  }
  const std::string hint = unsupported_hint(name);
  if (!hint.empty()) fail(call.name_span, "the function '" + name + "' is not supported", hint);
  std::string help;
  if (is_distribution(name)) {
    help =
        "a distribution goes after '~'; its log density is " + name + std::string(density_suffix(name)) + "(y | ...)";
  } else if (ends_with(name, "_lpdf") || ends_with(name, "_lpmf")) {
    const std::string distribution = name.substr(0, name.size() - 5);
    if (is_distribution(distribution)) help = "write " + distribution + std::string(density_suffix(distribution));
  }
  if (help.empty()) {
    std::vector<std::string> names;
    for (const Function& function : program_.functions) names.push_back(function.name);
    for (std::string& known : function_names()) names.push_back(std::move(known));
    const std::string nearest = nearest_name(name, names);
    help = nearest.empty() ? "define it in the functions block" : "did you mean '" + nearest + "'?";
  }
  fail(call.name_span, "unknown function '" + name + "'", help);
}

void Checker::unknown_distribution(const Sampling& sampling) {
  const std::string& name = sampling.distribution;
  for (const char* suffix : {"_lpdf", "_lpmf"}) {
    const std::string hint = unsupported_hint(name + suffix);
    if (!hint.empty()) fail(sampling.distribution_span, "the distribution '" + name + "' is not supported", hint);
  }
  std::string help;
  if (has_user_function(name) || is_function(name)) {
    help = "'" + name + "' is a function; a user-defined distribution is a function named " + name + "_lpdf or " +
           name + "_lpmf";
  }
  if (help.empty()) {
    std::vector<std::string> names;
    for (const Function& function : program_.functions) {
      if (ends_with(function.name, "_lpdf") || ends_with(function.name, "_lpmf")) {
        names.push_back(function.name.substr(0, function.name.size() - 5));
      }
    }
    for (std::string& known : distribution_names()) names.push_back(std::move(known));
    const std::string nearest = nearest_name(name, names);
    help = nearest.empty() ? "define " + name + "_lpdf in the functions block" : "did you mean '" + nearest + "'?";
  }
  fail(sampling.distribution_span, "unknown distribution '" + name + "'", help);
}

}  // namespace sgmcmc::stan
