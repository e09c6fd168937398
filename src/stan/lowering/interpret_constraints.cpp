// Constraints of transformed parameters: 0 where they hold and -infinity elsewhere, as terms of the log density.
//
// These terms have no derivative: samplers that use values reject such points; for others, every draw is checked.
#include "stan/lowering/bind_data.hpp"
#include "stan/lowering/interpreter.hpp"

#include "graph/node.hpp"

#include <limits>
#include <numeric>

namespace sgmcmc::stan {
namespace {

using Kind = ConstraintTree::Kind;

Expression near(const Expression& x, double value) { return abs(x - value) <= constraint_tolerance; }

/// Elements from..from+count of the last axis of [groups, size].
Expression stretch(const Expression& x, std::int64_t from, std::int64_t count) {
  const std::int64_t groups = x.shape()[0], size = x.shape()[1];
  std::vector<std::int64_t> positions;
  for (std::int64_t group = 0; group < groups; ++group)
    for (std::int64_t i = 0; i < count; ++i) positions.push_back(group * size + from + i);
  return take(x, std::move(positions), Shape{groups, count});
}

bool is_softmax(const Expression& x) {
  const Node* node = &x.node();
  while (node->op == Op::reshape) node = &node->inputs[0].node();
  return node->op == Op::softmax;
}

/// One matrix.
std::vector<Expression> matrix_conditions(Kind kind, const Expression& x) {
  std::vector<Expression> conditions;
  const std::int64_t rows = x.shape()[0], columns = x.shape()[1];
  std::vector<std::int64_t> diagonal_places, above;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = i; j < columns; ++j) (i == j ? diagonal_places : above).push_back(i * columns + j);
  const auto places = static_cast<std::int64_t>(diagonal_places.size());
  const Expression on_diagonal = take(x, std::move(diagonal_places), Shape{places});
  if (kind == Kind::cholesky_factor_corr || kind == Kind::cholesky_factor_cov) {
    conditions.push_back(on_diagonal > 0.0);
    const auto count = static_cast<std::int64_t>(above.size());
    if (count > 0) conditions.push_back(equal(take(x, std::move(above), Shape{count}), 0.0));
    if (kind == Kind::cholesky_factor_corr) conditions.push_back(near(sum(square(x), -1), 1));
    return conditions;
  }
  conditions.push_back(abs(x - transpose(x)) <= constraint_tolerance);
  if (kind == Kind::corr_matrix) conditions.push_back(near(on_diagonal, 1));
  if (rows == 1)
    conditions.push_back(on_diagonal > constraint_tolerance);  // Stan's rule for a single variance
  else
    conditions.push_back(diagonal(cholesky(x)) > 0.0);  // NaN if it does not exist
  return conditions;
}

/// Vectors, as the rows of x.
std::vector<Expression> vector_conditions(Kind kind, const Expression& x) {
  const std::int64_t size = x.shape()[1];
  switch (kind) {
    case Kind::simplex:
      if (is_softmax(x)) return {};
      return {x >= 0.0, near(sum(x, -1), 1)};
    case Kind::unit_vector: return {near(sum(square(x), -1), 1)};
    case Kind::ordered:
    case Kind::positive_ordered: {
      std::vector<Expression> conditions;
      if (kind == Kind::positive_ordered) conditions.push_back(stretch(x, 0, 1) >= 0.0);
      if (size > 1) conditions.push_back(stretch(x, 1, size - 1) > stretch(x, 0, size - 1));
      return conditions;
    }
    default: return {};
  }
}

}  // namespace

void Interpreter::add_check(const Expression& holds) {
  // Element by element, so that independent parameters stay independent.
  const Expression term = sum(select(holds, 0.0, -std::numeric_limits<double>::infinity()));
  Expression& checks = term.per_row() ? row_checks_ : plain_checks_;
  checks = checks ? checks + term : term;
}

void Interpreter::check_bound(const Expression& x, const TreePointer& bound, bool lower) {
  if (!bound) return;
  Value limit = evaluate(*bound);
  if (limit.row_sum) return;
  if (limit.role == Role::rows) {
    if (x.per_row())
      limit = element_of_rows(limit, bound->span);
    else
      limit.role = Role::plain;
  }
  Expression at = row_expression(limit);
  const Range possible = ranges_.of(x), allowed = ranges_.of(at);
  if (lower ? possible.low >= allowed.high : possible.high <= allowed.low) return;
  if (!at.shape().is_scalar() && at.shape() != x.shape()) at = broadcast_to(at, x.shape());
  add_check(lower ? x >= at : x <= at);
}

void Interpreter::constrain_transformed(const Declaration& declaration) {
  const auto& constraint = declaration.constraint;
  bool kind = constraint.kind != ConstraintTree::Kind::none;
  if (!kind && !constraint.lower && !constraint.upper) return;
  const Value* found = find(declaration.name);
  // Sums over rows are known only after a full pass: checked at every draw instead.
  if (!found || !found->set || found->row_sum || size_of(found->dims) == 0) return;
  if (found->is_data()) {
    check_declared(*this, declaration, source_, *found, "transformed parameter '" + declaration.name + "'");
    const auto settled = [&](const TreePointer& bound) { return !bound || evaluate(*bound).is_data(); };
    if (settled(constraint.lower) && settled(constraint.upper)) return;
    kind = false;
  }
  Value value = *found;
  if (value.role == Role::rows && (value.whole || value.pieces)) value.role = Role::plain;
  if (value.role == Role::rows && kind && value.dims.size() == static_cast<std::size_t>(declaration.type.base_rank()))
    return;  // one vector over all rows: likewise
  if (value.role == Role::rows) value = element_of_rows(value, declaration.name_span);
  const Expression x = row_expression(value);
  check_bound(x, constraint.lower, true);
  check_bound(x, constraint.upper, false);
  if (!kind) return;
  if (declaration.type.base == Base::matrix) {
    const auto rank = value.dims.size();
    const Shape own{value.dims[rank - 2], value.dims[rank - 1]};
    for (std::int64_t start = 0; start < x.shape().size(); start += own.size()) {
      std::vector<std::int64_t> positions(static_cast<std::size_t>(own.size()));
      std::iota(positions.begin(), positions.end(), start);
      for (const auto& holds : matrix_conditions(constraint.kind, take(x, std::move(positions), own))) add_check(holds);
    }
    return;
  }
  const std::int64_t size = value.dims.back();
  for (const auto& holds : vector_conditions(constraint.kind, reshape(x, Shape{x.shape().size() / size, size})))
    add_check(holds);
}

}  // namespace sgmcmc::stan
