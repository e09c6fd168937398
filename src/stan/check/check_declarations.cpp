// Declarations: unique names, sizes that depend on data only, and constraints of matching types.
#include "stan/check/checker.hpp"
#include "stan/syntax/tree_walk.hpp"

namespace sgmcmc::stan {
namespace {

const char* constraint_text(ConstraintTree::Kind kind) {
  switch (kind) {
    case ConstraintTree::Kind::none: return "";
    case ConstraintTree::Kind::simplex: return "simplex";
    case ConstraintTree::Kind::ordered: return "ordered";
    case ConstraintTree::Kind::positive_ordered: return "positive_ordered";
    case ConstraintTree::Kind::unit_vector: return "unit_vector";
    case ConstraintTree::Kind::cholesky_factor_corr: return "cholesky_factor_corr";
    case ConstraintTree::Kind::cholesky_factor_cov: return "cholesky_factor_cov";
    case ConstraintTree::Kind::corr_matrix: return "corr_matrix";
    case ConstraintTree::Kind::cov_matrix: return "cov_matrix";
  }
  return "";
}

const char* size_text(const Type& type, std::size_t place) {
  if (place < static_cast<std::size_t>(type.array_rank)) return "the size of an array";
  if (type.base != Base::matrix) return "the size of a vector";
  return place == static_cast<std::size_t>(type.array_rank) ? "the number of rows" : "the number of columns";
}

}  // namespace

void Checker::require_new_name(const std::string& name, Span span) {
  if (const Variable* earlier = scopes_.find(name)) {
    fail(span,
         "'" + name + "' is declared already: it is " + earlier->description() + " (" + line_of(earlier->span) + ")",
         "a name can be declared only once, also in inner blocks: choose another");
  }
  if (has_user_function(name)) {
    fail(span, "'" + name + "' is the name of a function of this program", "choose another name");
  }
}

void Checker::require_data_names(const Tree& size) {
  for_each_tree(size, [&](const Tree& tree) {
    const auto* name = std::get_if<Name>(&tree.form);
    const Variable* variable = name ? scopes_.find(name->name) : nullptr;
    if (!variable || variable->block == BlockKind::data || variable->block == BlockKind::transformed_data) return;
    fail(tree.span, "a size here can depend only on data; '" + name->name + "' is " + variable->description(),
         "sizes are fixed before sampling: compute it in transformed data");
  });
}

void Checker::check_bound(Tree& bound, const char* what, const Declaration& declaration) {
  check(bound);
  const Type element{declaration.type.is_integer() ? Base::integer : Base::real, 0};
  if (promotes(bound.type, element) || promotes(bound.type, declaration.type)) return;
  // An array of vectors may have one vector of bounds for all.
  if (bound.type.array_rank < declaration.type.array_rank && bound.type.base == declaration.type.base) return;
  std::string expected = element.to_string();
  if (declaration.type != element) expected += " or " + declaration.type.to_string();
  fail(bound.span,
       std::string(what) + " of '" + declaration.name + "' must be " + expected + "; found " + bound.type.to_string(),
       element.is_integer() && bound.type == Type{Base::real, 0} ? "an int has int bounds" : "");
}

void Checker::check_constraint(Declaration& declaration) {
  ConstraintTree& constraint = declaration.constraint;
  const bool bounded = constraint.lower || constraint.upper, scaled = constraint.offset || constraint.multiplier;
  if (!context_.top_level && (bounded || scaled || constraint.kind != ConstraintTree::Kind::none)) {
    const std::string named = constraint_text(constraint.kind);
    std::string plain = declaration.type.to_string();
    fail(declaration.name_span,
         "a local variable has no constraints" + (named.empty() ? "" : "; '" + named + "' is one"),
         "declare '" + declaration.name + "' as plain " + plain);
  }
  if (scaled && declaration.type.is_integer()) {
    fail(declaration.name_span,
         "offset and multiplier are for reals; '" + declaration.name + "' is " + declaration.type.to_string());
  }
  if (constraint.lower) check_bound(*constraint.lower, "the lower bound", declaration);
  if (constraint.upper) check_bound(*constraint.upper, "the upper bound", declaration);
  if (constraint.offset) check_bound(*constraint.offset, "the offset", declaration);
  if (constraint.multiplier) check_bound(*constraint.multiplier, "the multiplier", declaration);
}

void Checker::declare(Declaration& declaration) {
  const BlockKind block = context_.block;
  for (std::size_t k = 0; k < declaration.sizes.size(); ++k) {
    require_integer(*declaration.sizes[k], size_text(declaration.type, k));
    if (context_.top_level && block != BlockKind::model) require_data_names(*declaration.sizes[k]);
  }
  check_constraint(declaration);
  require_new_name(declaration.name, declaration.name_span);
  const bool outputs = block == BlockKind::parameters || block == BlockKind::transformed_parameters;
  if (outputs && context_.top_level && declaration.type.is_integer()) {
    const std::string kind = block == BlockKind::parameters ? "a parameter" : "a transformed parameter";
    fail(declaration.name_span, kind + " cannot be " + declaration.type.to_string() + ": it has no gradient",
         block == BlockKind::parameters
             ? "sum the discrete variable out of the density (see log_mix, log_sum_exp)"
             : "compute it in transformed data, in generated quantities, or in a block { ... }");
  }
  const bool on_parameters = block == BlockKind::parameters || depends_.count(declaration.name_span.begin) > 0;
  if (declaration.value) {
    check(*declaration.value, declaration.type);
    require_assignable(*declaration.value, declaration.value->type, declaration.type, "'" + declaration.name + "'");
  }
  Variable& variable = scopes_.declare({declaration.name, declaration.type, Variable::Kind::declared, block,
                                        context_.top_level && block != BlockKind::model, !on_parameters,
                                        declaration.name_span, &declaration});
  if (declaration.value && !(declaration.value->data_only && !context_.parameter_control)) set_depends(variable);
}

}  // namespace sgmcmc::stan
