// Finds the dependencies of statements and sorts by them.
#include "stan/lowering/forward_order.hpp"

#include "stan/lowering/interpreter.hpp"
#include "stan/syntax/tree_walk.hpp"

#include <algorithm>
#include <map>

namespace sgmcmc::stan {
namespace {

const Tree& without_indices(const Tree& tree) {
  const Tree* at = &tree;
  while (const auto* indexed = std::get_if<Indexed>(&at->form)) at = indexed->container.get();
  return *at;
}

void collect_index_names(const Tree& tree, std::set<std::string>& names) {
  const Tree* at = &tree;
  while (const auto* indexed = std::get_if<Indexed>(&at->form)) {
    for (const Index& index : indexed->indices)
      for (const Tree* part : {index.single.get(), index.from.get(), index.to.get()})
        if (part) collect_names(*part, names);
    at = indexed->container.get();
  }
}

void add(Uses& into, const Uses& more) {
  into.reads.insert(more.reads.begin(), more.reads.end());
  into.draws.insert(more.draws.begin(), more.draws.end());
  into.writes.insert(more.writes.begin(), more.writes.end());
}

void forget(Uses& uses, const std::string& name) {
  uses.reads.erase(name);
  uses.writes.erase(name);
}

Uses uses_of_all(const std::vector<StatementPointer>& statements) {
  Uses made;
  for (const auto& each : statements) add(made, uses_of(*each));
  for (const auto& each : statements)
    if (const auto* declaration = std::get_if<Declaration>(&each->form)) forget(made, declaration->name);
  return made;
}

struct Collect {
  Uses& uses;

  void read(const TreePointer& tree) const {
    if (tree) collect_names(*tree, uses.reads);
  }
  void inside(const StatementPointer& statement) const {
    if (statement) add(uses, uses_of(*statement));
  }

  void operator()(const Declaration& form) const {
    for (const auto& size : form.sizes) read(size);
    for (const auto* bound :
         {&form.constraint.lower, &form.constraint.upper, &form.constraint.offset, &form.constraint.multiplier})
      read(*bound);
    read(form.value);
    uses.writes.insert(form.name);
  }
  void operator()(const Assignment& form) const {
    read(form.value);
    collect_index_names(*form.target, uses.reads);
    if (const auto* name = std::get_if<Name>(&without_indices(*form.target).form)) {
      uses.writes.insert(name->name);
      if (form.op) uses.reads.insert(name->name);
    }
  }
  void operator()(const TargetIncrement& form) const { read(form.value); }
  void operator()(const Sampling& form) const {
    for (const auto& argument : form.arguments) read(argument);
    if (form.truncation) {
      read(form.truncation->lower);
      read(form.truncation->upper);
    }
    const Name* name = drawn_name(*form.left);
    if (!name) {
      read(form.left);
      return;
    }
    uses.draws.insert(name->name);
    collect_index_names(*drawn_part(*form.left), uses.reads);
    if (const auto* call = std::get_if<Call>(&form.left->form))
      for (std::size_t i = 1; i < call->arguments.size(); ++i) read(call->arguments[i]);
  }
  void operator()(const CallStatement& form) const { read(form.call); }
  void operator()(const If& form) const {
    read(form.condition);
    inside(form.then);
    inside(form.otherwise);
  }
  void operator()(const While& form) const {
    read(form.condition);
    inside(form.body);
  }
  void operator()(const For& form) const {
    inside(form.body);
    forget(uses, form.variable);
    read(form.from);
    read(form.to);
  }
  void operator()(const ForEach& form) const {
    inside(form.body);
    forget(uses, form.variable);
    read(form.container);
  }
  void operator()(const Block& form) const { add(uses, uses_of_all(form.statements)); }
  void operator()(const Profile& form) const { add(uses, uses_of_all(form.body.statements)); }
  void operator()(const Return& form) const { read(form.value); }
  void operator()(const Print& form) const {
    for (const auto& argument : form.arguments) read(argument);
  }
  void operator()(const Reject& form) const {
    for (const auto& argument : form.arguments) read(argument);
  }
  void operator()(const Break&) const {}
  void operator()(const Continue&) const {}
};

/// Predecessors of statements: `must` by the order of the text, `should` because one draws what the other reads.
struct Predecessors {
  std::set<std::size_t> must, should;
};

std::vector<Predecessors> predecessors_of(const std::vector<Uses>& uses) {
  std::vector<Predecessors> before(uses.size());
  struct Users {
    std::vector<std::size_t> readers, drawers, writers;
  };
  std::map<std::string, Users> by_name;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    for (const auto& name : uses[i].reads) by_name[name].readers.push_back(i);
    for (const auto& name : uses[i].draws) by_name[name].drawers.push_back(i);
    for (const auto& name : uses[i].writes) by_name[name].writers.push_back(i);
  }
  const auto in_text_order = [&](std::size_t a, std::size_t b) {
    if (a != b) before[std::max(a, b)].must.insert(std::min(a, b));
  };
  for (const auto& [name, users] : by_name) {
    for (const auto writer : users.writers) {
      for (const auto other : users.writers) in_text_order(writer, other);
      for (const auto other : users.readers) in_text_order(writer, other);
    }
    for (const auto drawer : users.drawers)
      for (const auto reader : users.readers) {
        if (drawer == reader) continue;
        const bool both = uses[drawer].reads.count(name) > 0 && uses[reader].draws.count(name) > 0;
        if (!both)
          before[reader].should.insert(drawer);
        else if (drawer < reader)
          before[reader].should.insert(drawer);
      }
  }
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (uses[i].leaves)
      for (std::size_t j = 0; j < uses.size(); ++j) in_text_order(i, j);
  return before;
}

/// The number of pending statements that precede this one by any path.
std::size_t count_before(std::size_t statement, const std::vector<Predecessors>& before,
                         const std::vector<bool>& done) {
  std::set<std::size_t> met;
  std::vector<std::size_t> open{statement};
  while (!open.empty()) {
    const auto at = open.back();
    open.pop_back();
    for (const auto* which : {&before[at].must, &before[at].should})
      for (const auto i : *which)
        if (!done[i] && met.insert(i).second) open.push_back(i);
  }
  return met.size();
}

std::vector<StatementPointer>* statements_in(Statement& statement) {
  if (auto* block = std::get_if<Block>(&statement.form)) return &block->statements;
  if (auto* profile = std::get_if<Profile>(&statement.form)) return &profile->body.statements;
  return nullptr;
}

void order_inside(StatementPointer& statement) {
  if (!statement) return;
  if (auto* inner = statements_in(*statement)) order_forwards(*inner);
  if (auto* branch = std::get_if<If>(&statement->form)) {
    order_inside(branch->then);
    order_inside(branch->otherwise);
  }
  if (auto* loop = std::get_if<While>(&statement->form)) order_inside(loop->body);
  if (auto* counted = std::get_if<For>(&statement->form)) order_inside(counted->body);
  if (auto* each = std::get_if<ForEach>(&statement->form)) order_inside(each->body);
}

}  // namespace

const Tree* drawn_part(const Tree& left) {
  if (const auto* unary = std::get_if<Unary>(&left.form)) {
    const bool turns = unary->op == Operator::transpose && unary->operand->type.base != Base::matrix;
    return turns ? unary->operand.get() : nullptr;
  }
  const auto* call = std::get_if<Call>(&left.form);
  if (!call) return &left;
  static const std::set<std::string> whole{"to_vector", "to_row_vector", "to_array_1d"};
  static const std::set<std::string> stretch{"segment", "head", "tail"};
  if (call->arguments.empty()) return nullptr;
  const Tree* part = call->arguments[0].get();
  if (whole.count(call->name) && call->arguments.size() == 1) return part;
  return stretch.count(call->name) && part->type.rank() == 1 ? part : nullptr;
}

const Name* drawn_name(const Tree& left) {
  const Tree* part = drawn_part(left);
  return part ? std::get_if<Name>(&without_indices(*part).form) : nullptr;
}

void collect_names(const Tree& tree, std::set<std::string>& names) {
  for_each_tree(tree, [&](const Tree& part) {
    if (const auto* name = std::get_if<Name>(&part.form)) names.insert(name->name);
  });
}

Uses uses_of(const Statement& statement) {
  Uses made;
  std::visit(Collect{made}, statement.form);
  made.leaves = may_leave(statement);
  return made;
}

void order_forwards(std::vector<StatementPointer>& statements) {
  std::vector<Uses> uses;
  for (auto& statement : statements) {
    order_inside(statement);
    uses.push_back(uses_of(*statement));
  }
  const auto before = predecessors_of(uses);
  std::vector<bool> done(statements.size(), false);
  const auto all_done = [&](const std::set<std::size_t>& which) {
    return std::all_of(which.begin(), which.end(), [&](std::size_t i) { return done[i]; });
  };
  std::vector<StatementPointer> ordered;
  while (ordered.size() < statements.size()) {
    std::size_t next = statements.size();
    for (std::size_t i = 0; i < statements.size() && next == statements.size(); ++i)
      if (!done[i] && all_done(before[i].must) && all_done(before[i].should)) next = i;
    if (next == statements.size()) {
      // Cycles: takes the first statement, in text order, of a cycle that depends on no other. Unknown values are
      // reported when it runs.
      std::size_t fewest = statements.size() + 1;
      for (std::size_t i = 0; i < statements.size(); ++i) {
        if (done[i] || !all_done(before[i].must)) continue;
        const std::size_t count = count_before(i, before, done);
        if (count >= fewest) continue;
        fewest = count;
        next = i;
      }
    }
    done[next] = true;
    ordered.push_back(std::move(statements[next]));
  }
  statements = std::move(ordered);
}

}  // namespace sgmcmc::stan
