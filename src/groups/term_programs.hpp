// Compiles a term of a hierarchical model in two stages, so that parts that do not depend on the local parameters u are
// evaluated once and not at every quadrature point.
//
//   outer: columns c(phi, row) and shared numbers s(phi): the parts of the term that do not depend on u
//   inner: the term as a function of u, c and s, with derivatives in u, and its slopes in c and s
//
// The gradient in phi then takes one pass over the rows, with the slopes averaged over quadrature points as data.
#pragma once

#include "groups/group_model.hpp"
#include "plan/program.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc {

struct TermPrograms {
  struct Column {
    std::string name, slope_name;
    Shape shape;
    bool has_gradient = true;  ///< depends on phi
  };
  std::vector<Column> columns;  ///< c
  std::int64_t shared = 0;      ///< numbers in s
  std::size_t slopes = 0;       ///< per row: elements of columns with a gradient, then s

  std::shared_ptr<const Program> column_values;  ///< by row; null if there are no columns
  std::shared_ptr<const Program> shared_values;  ///< null if there are none
  /// Sum over rows of (slopes of columns) . c, plus (slopes of s, at Point::direction) . s: gradient in phi. Null if
  /// the term does not depend on phi.
  std::shared_ptr<const Program> gradient;
  std::vector<std::int64_t> places;              ///< of its outputs, in phi
  std::shared_ptr<const Program> row_gradients;  ///< of the columns alone, by row; null where none has a gradient
  std::vector<std::int64_t> row_places;
  std::shared_ptr<const Program> shared_gradient;  ///< of s alone
  std::vector<std::int64_t> shared_places;

  std::shared_ptr<const Program> value;        ///< by row
  std::shared_ptr<const Program> derivatives;  ///< by row: value, gradient in u, lower triangle of the Hessian in u
  std::shared_ptr<const Program> value_and_slopes;  ///< by row: value, then slopes
  bool quadratic = false;                           ///< in u, for all phi
};

TermPrograms compile_term(const Expression& term, const GroupModel& groups);

/// The leaves among `all` that an expression reads; appends the positions of their elements in phi.
std::vector<Expression> leaves_read(const Expression& x, const std::vector<Expression>& all,
                                    std::vector<std::int64_t>& places);

}  // namespace sgmcmc
