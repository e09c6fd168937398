// Warnings about the whole program: parameters that do not enter the density.
#include "stan/check/checker.hpp"
#include "stan/syntax/tree_walk.hpp"

#include <map>
#include <set>

namespace sgmcmc::stan {
namespace {

using Names = std::set<std::string>;

void add_names(const Tree* tree, Names& names) {
  if (!tree) return;
  for_each_tree(*tree, [&](const Tree& part) {
    if (const auto* name = std::get_if<Name>(&part.form)) names.insert(name->name);
  });
}

void add_names(const std::vector<TreePointer>& trees, Names& names) {
  for (const TreePointer& tree : trees) add_names(tree.get(), names);
}

/// The dependencies of variables, and what enters the density, in one block.
class BlockUses {
 public:
  std::map<std::string, Names> made_of;
  Names reached;

  void add(const std::vector<StatementPointer>& statements) {
    for (const StatementPointer& statement : statements) add(*statement);
  }

 private:
  void add(const Statement& statement) {
    std::visit([&](const auto& form) { add_form(form); }, statement.form);
  }
  /// Statements under a condition depend on it.
  void add_under(const std::vector<const Tree*>& conditions, const Statement* statement) {
    if (!statement) return;
    const Names outer = conditions_;
    for (const Tree* condition : conditions) add_names(condition, conditions_);
    add(*statement);
    conditions_ = outer;
  }
  void make(const std::string& variable, const Tree* from) {
    Names& names = made_of[variable];
    add_names(from, names);
    names.insert(conditions_.begin(), conditions_.end());
    if (!from) return;
    // A function ending in _lp adds to the density wherever it is called.
    for_each_tree(*from, [&](const Tree& part) {
      const auto* call = std::get_if<Call>(&part.form);
      if (call && ends_with(call->name, "_lp")) reach({&part});
    });
  }
  void reach(const std::vector<const Tree*>& trees) {
    for (const Tree* tree : trees) add_names(tree, reached);
    reached.insert(conditions_.begin(), conditions_.end());
  }

  void add_form(const Declaration& declaration) {
    if (declaration.value) make(declaration.name, declaration.value.get());
  }
  void add_form(const Assignment& assignment) {
    const Tree* root = assignment.target.get();
    while (const auto* indexed = std::get_if<Indexed>(&root->form)) root = indexed->container.get();
    const std::string& name = std::get<Name>(root->form).name;
    make(name, assignment.value.get());
    make(name, assignment.target.get());
  }
  void add_form(const TargetIncrement& increment) { reach({increment.value.get()}); }
  void add_form(const Sampling& sampling) {
    reach({sampling.left.get()});
    add_names(sampling.arguments, reached);
    if (sampling.truncation) reach({sampling.truncation->lower.get(), sampling.truncation->upper.get()});
  }
  void add_form(const CallStatement& statement) { reach({statement.call.get()}); }
  void add_form(const Reject& statement) {
    reach({});
    add_names(statement.arguments, reached);
  }
  void add_form(const If& statement) {
    add_under({statement.condition.get()}, statement.then.get());
    add_under({statement.condition.get()}, statement.otherwise.get());
  }
  void add_form(const While& statement) { add_under({statement.condition.get()}, statement.body.get()); }
  void add_form(const For& statement) { add_under({statement.from.get(), statement.to.get()}, statement.body.get()); }
  void add_form(const ForEach& statement) {
    make(statement.variable, statement.container.get());
    add_under({}, statement.body.get());
  }
  void add_form(const Block& block) { add(block.statements); }
  void add_form(const Profile& profile) { add(profile.body.statements); }
  void add_form(const Print&) {}
  void add_form(const Return&) {}
  void add_form(const Break&) {}
  void add_form(const Continue&) {}

  Names conditions_;
};

/// A bounded parameter has a proper flat prior.
bool is_proper_alone(const ConstraintTree& constraint) {
  switch (constraint.kind) {
    case ConstraintTree::Kind::none: return constraint.lower && constraint.upper;
    case ConstraintTree::Kind::simplex:
    case ConstraintTree::Kind::unit_vector:
    case ConstraintTree::Kind::cholesky_factor_corr:
    case ConstraintTree::Kind::corr_matrix: return true;
    default: return false;
  }
}

}  // namespace

void warn_of_unused_parameters(const Program& program, std::vector<Warning>& warnings) {
  BlockUses uses;
  uses.add(program.transformed_parameters.statements);
  uses.add(program.model.statements);
  for (const StatementPointer& statement : program.parameters.statements) {
    if (const auto* parameter = std::get_if<Declaration>(&statement->form)) {
      const ConstraintTree& constraint = parameter->constraint;
      for (const Tree* bound :
           {constraint.lower.get(), constraint.upper.get(), constraint.offset.get(), constraint.multiplier.get()}) {
        add_names(bound, uses.made_of[parameter->name]);
      }
    }
  }
  std::vector<std::string> waiting(uses.reached.begin(), uses.reached.end());
  while (!waiting.empty()) {
    const std::string name = waiting.back();
    waiting.pop_back();
    for (const std::string& part : uses.made_of[name]) {
      if (uses.reached.insert(part).second) waiting.push_back(part);
    }
  }
  for (const StatementPointer& statement : program.parameters.statements) {
    const auto* parameter = std::get_if<Declaration>(&statement->form);
    if (!parameter || uses.reached.count(parameter->name)) continue;
    const bool proper = is_proper_alone(parameter->constraint);
    warnings.push_back({parameter->name_span,
                        "parameter '" + parameter->name + "' does not reach the log density: " +
                            (proper ? "it is sampled from a flat distribution" : "its posterior is flat and improper"),
                        "use it in the model block, give it a prior, or remove it"});
  }
}

}  // namespace sgmcmc::stan
