// The variables that a statement declares or assigns, at any depth.
#pragma once

#include "stan/syntax/tree.hpp"

#include <set>
#include <string>
#include <variant>

namespace sgmcmc::stan {

inline void add_assigned_names(const Statement& statement, std::set<std::string>& names) {
  struct Walk {
    std::set<std::string>& names;
    void body(const StatementPointer& inner) const {
      if (inner) add_assigned_names(*inner, names);
    }
    void operator()(const Declaration& declaration) const { names.insert(declaration.name); }
    void operator()(const Assignment& assignment) const {
      const Tree* target = assignment.target.get();
      while (const auto* indexed = std::get_if<Indexed>(&target->form)) target = indexed->container.get();
      if (const auto* name = std::get_if<Name>(&target->form)) names.insert(name->name);
    }
    void operator()(const If& form) const {
      body(form.then);
      body(form.otherwise);
    }
    void operator()(const While& form) const { body(form.body); }
    void operator()(const For& form) const { body(form.body); }
    void operator()(const ForEach& form) const { body(form.body); }
    void operator()(const Block& block) const {
      for (const auto& inner : block.statements) body(inner);
    }
    void operator()(const Profile& profile) const { (*this)(profile.body); }
    void operator()(const TargetIncrement&) const {}
    void operator()(const Sampling&) const {}
    void operator()(const CallStatement&) const {}  // functions have no side effects on variables
    void operator()(const Return&) const {}
    void operator()(const Break&) const {}
    void operator()(const Continue&) const {}
    void operator()(const Print&) const {}
    void operator()(const Reject&) const {}
  };
  std::visit(Walk{names}, statement.form);
}

}  // namespace sgmcmc::stan
