// Checks whether a model can be run forwards, and prepares it.
#include "stan/forward/forward_program.hpp"

#include "stan/lowering/forward_order.hpp"
#include "stan/lowering/outcome_drawer.hpp"
#include "stan/syntax/parse.hpp"

#include <algorithm>
#include <map>

namespace sgmcmc::stan {
namespace {

/// The terms of a sum; empty if a subtracted term depends on parameters.
bool collect_terms(TreePointer& tree, std::vector<TreePointer>& terms) {
  if (tree->data_only) return true;  // a constant
  if (auto* binary = std::get_if<Binary>(&tree->form)) {
    if (binary->op == Operator::add) return collect_terms(binary->left, terms) && collect_terms(binary->right, terms);
    if (binary->op == Operator::subtract && binary->right->data_only) return collect_terms(binary->left, terms);
    return false;
  }
  const auto* call = std::get_if<Call>(&tree->form);
  if (!call || !call->bar) return false;
  const bool density = call->name.ends_with("_lpdf") || call->name.ends_with("_lpmf") ||
                       call->name.ends_with("_lupdf") || call->name.ends_with("_lupmf");
  if (density) terms.push_back(std::move(tree));
  return density;
}

/// Converts `target += normal_lpdf(y | mu, sigma)` to y ~ normal(mu, sigma). Null for other statements.
StatementPointer as_sampling(const Statement& statement) {
  std::vector<TreePointer> terms;
  Block block;
  TreePointer value = copy(std::get<TargetIncrement>(statement.form).value);
  if (!collect_terms(value, terms)) return nullptr;
  for (auto& term : terms) {
    auto& call = std::get<Call>(term->form);
    Sampling made;
    made.distribution = call.name.substr(0, call.name.rfind('_'));
    made.distribution_span = call.name_span;
    made.left = std::move(call.arguments[0]);
    for (std::size_t i = 1; i < call.arguments.size(); ++i) made.arguments.push_back(std::move(call.arguments[i]));
    block.statements.push_back(std::make_unique<Statement>(Statement{std::move(made), statement.span}));
  }
  if (block.statements.size() == 1) return std::move(block.statements[0]);
  return std::make_unique<Statement>(Statement{std::move(block), statement.span});
}

/// must: whether increments that cannot be replaced are refused, or left.
void replace_increments(StatementPointer& statement, const Source& source, bool must) {
  if (!statement) return;
  const auto all = [&](std::vector<StatementPointer>& statements) {
    for (auto& each : statements) replace_increments(each, source, must);
  };
  auto& form = statement->form;
  if (std::holds_alternative<TargetIncrement>(form)) {
    auto made = as_sampling(*statement);
    if (!made && !must) return;
    if (!made)
      throw StanError(source, statement->span, "this adds to the log density without a distribution to draw from",
                      std::string("write it as `y ~ distribution(...)`, or ") + write_simulator);
    statement = std::move(made);
  } else if (auto* branch = std::get_if<If>(&form)) {
    replace_increments(branch->then, source, must);
    replace_increments(branch->otherwise, source, must);
  } else if (auto* loop = std::get_if<While>(&form)) {
    replace_increments(loop->body, source, must);
  } else if (auto* counted = std::get_if<For>(&form)) {
    replace_increments(counted->body, source, must);
  } else if (auto* each = std::get_if<ForEach>(&form)) {
    replace_increments(each->body, source, must);
  } else if (auto* block = std::get_if<Block>(&form)) {
    all(block->statements);
  } else if (auto* profile = std::get_if<Profile>(&form)) {
    all(profile->body.statements);
  }
}

/// The left side of ~ must be a parameter or data.
void check_left(const Sampling& form, const std::map<std::string, const char*>& kinds, const Source& source) {
  const Name* name = drawn_name(*form.left);
  if (!name)
    throw StanError(source, form.left->span, "an expression cannot be drawn; only parameters and data can",
                    std::string("give a distribution to the variable itself, or ") + write_simulator);
  const auto kind = kinds.find(name->name);
  const std::string what = kind == kinds.end() ? "a local variable" : kind->second;
  if (what.empty()) return;
  throw StanError(
      source, form.left->span, "'" + name->name + "' is " + what + ": it is computed and cannot be drawn",
      std::string("give distributions to the parameters or data it is computed from, or ") + write_simulator);
}

}  // namespace

ForwardProgram::ForwardProgram(const ModelText& text, ForwardPart part, const LikelihoodSpans& likelihood) {
  const Source& source = *text.source;
  program = parse(source);
  check(program, source);
  auto& model = program.model.statements;
  const bool whole = part == ForwardPart::everything;
  for (auto& statement : model) replace_increments(statement, source, whole);
  for (auto& statement : program.transformed_parameters.statements) replace_increments(statement, source, whole);
  keep_part(program, source, part, likelihood);
  std::map<std::string, const char*> kinds;
  for (const auto& name : names_declared(program.transformed_data))
    kinds[name] = part == ForwardPart::data ? "" : "transformed data";
  for (const auto& name : names_declared(program.transformed_parameters)) kinds[name] = "a transformed parameter";
  for (const auto* block : {&program.data, &program.parameters})
    for (const auto& name : names_declared(*block)) kinds[name] = "";
  model.insert(model.begin(), std::make_move_iterator(program.transformed_parameters.statements.begin()),
               std::make_move_iterator(program.transformed_parameters.statements.end()));
  program.transformed_parameters.statements.clear();
  if (part == ForwardPart::parameters) improper = remove_improper(program);
  if (!whole) remove_unneeded(model);
  for (const auto& statement : model)
    for_each_statement(*statement, [&](const Statement& each) {
      if (const auto* sampling = std::get_if<Sampling>(&each.form)) {
        check_left(*sampling, kinds, source);
        drawn.insert(drawn_name(*sampling->left)->name);
      }
      const auto* called = std::get_if<CallStatement>(&each.form);
      const auto* call = called ? std::get_if<Call>(&called->call->form) : nullptr;
      if (call && call->name.ends_with("_lp"))
        throw StanError(source, each.span,
                        "'" + call->name + "' adds to the log density without a distribution to draw from",
                        std::string("move its statements into the model, or ") + write_simulator);
    });
  varying = names_declared(program.parameters);
  varying.insert(drawn.begin(), drawn.end());
  for (const auto& statement : program.data.statements) {
    const Uses uses = uses_of(*statement);
    if (share_any(uses.reads, varying))
      throw StanError(source, statement->span, "the declaration of these data depends on others that are simulated",
                      write_simulator);
  }
  // Transformed data computed from simulated data would have stale values.
  std::set<std::string> stale;
  for (const auto& statement : program.transformed_data.statements) {
    const Uses uses = uses_of(*statement);
    if (share_any(uses.reads, varying) || share_any(uses.reads, stale))
      stale.insert(uses.writes.begin(), uses.writes.end());
  }
  for (bool more = true; more;) {
    more = false;
    for (const auto& statement : model) {
      const Uses uses = uses_of(*statement);
      if (share_any(uses.reads, stale))
        throw StanError(source, statement->span,
                        "this reads transformed data that are computed from data that are simulated", write_simulator);
      if (!share_any(uses.reads, varying) && !share_any(uses.draws, varying)) continue;
      for (const auto& name : uses.writes) more = varying.insert(name).second || more;
    }
  }
  order_forwards(model);
}

}  // namespace sgmcmc::stan
