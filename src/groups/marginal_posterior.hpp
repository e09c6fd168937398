// The posterior of the global parameters with the parameters of groups integrated out, group by group.
//
//   log p(phi | y) = global_term(phi) + sum over groups j of log integral exp(l_j(u, phi)) du
//   l_j(u, phi)    = group_term(u, phi) + sum over the rows i of group j of row_term_i(u, phi)
//
// Each integral is taken by quadrature around the mode of l_j (adaptive Gauss-Hermite: Liu and Pierce 1994), and its
// gradient is the mean of the gradient of l_j under the same weights (Fisher's identity).
#pragma once

#include "base/thread_pool.hpp"
#include "data/row_pages.hpp"
#include "groups/group_model.hpp"
#include "groups/quadrature.hpp"
#include "groups/term_programs.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sgmcmc {

/// Programs, rows by group and starting points: immutable, shared by all threads and chains.
class MarginalPosterior {
 public:
  MarginalPosterior(const Model& model, GroupModel groups);

  const Model& model() const { return model_; }
  const GroupModel& groups() const { return groups_; }
  std::size_t dimension() const { return groups_.global.size(); }
  std::uint32_t group_count() const { return static_cast<std::uint32_t>(groups_.groups); }
  std::size_t width() const { return groups_.width; }

  /// Count of numbers in value, gradient and lower triangle of the Hessian in u.
  std::size_t curve_size() const { return 1 + width() + width() * (width() + 1) / 2; }

  /// Rows that an evaluation of the group reads.
  std::uint32_t rows_visited(std::uint32_t group) const { return rows_are_known() ? 0 : rows_of(group); }
  std::uint32_t rows_of(std::uint32_t group) const { return count_[group]; }
  /// The rows of group j, in order of appearance: row_order()[first_row(j)], row_order()[first_row(j) + 1], ...
  std::uint32_t first_row(std::uint32_t group) const { return first_[group]; }
  /// null: the rows of each group are together, first_row(j), first_row(j) + 1, ...
  const std::uint32_t* row_order() const { return order_.empty() ? nullptr : order_.data(); }
  /// Puts groups in the order in which the data have their rows, so that a pass reads these in order.
  void sort_by_rows(std::vector<std::uint32_t>& groups) const;
  /// Requests the rows of these groups, if they are together and on disk: the system begins to fetch them.
  void want(std::span<const std::uint32_t> groups) const;
  std::uint32_t largest_group() const { return largest_; }

  const TermPrograms& row_programs() const { return row_programs_; }
  const TermPrograms& group_programs() const { return group_programs_; }
  bool has_group_term() const { return static_cast<bool>(groups_.group_term); }
  /// [value, gradient in phi] of the global term; null if there is none.
  const std::shared_ptr<const Program>& global_program() const { return global_program_; }
  const std::vector<std::int64_t>& global_places() const { return global_places_; }
  const std::vector<std::string>& row_columns() const { return row_columns_; }  ///< data columns that row_term reads

  /// Whether l_j is a quadratic function of u, as in normal models: integrals then have a closed form, and two points
  /// per axis give exact gradients.
  bool is_quadratic() const { return quadratic_; }
  /// Whether, in addition, the rows do not depend on phi: their contribution to l_j is then computed once, at u = 0.
  bool rows_are_known() const { return !known_rows_.empty(); }
  const std::vector<double>& known_rows() const { return known_rows_; }

  /// Fewer points for groups with many rows, whose integrands are close to normal.
  static constexpr std::uint32_t rows_of_large_group = 300;
  enum class Kind { small, large, piece };
  static constexpr Kind kinds[] = {Kind::small, Kind::large, Kind::piece};
  Kind kind(std::uint32_t group) const {
    if (!is_piece_.empty() && is_piece_[group]) return Kind::piece;
    return rows_visited(group) >= rows_of_large_group ? Kind::large : Kind::small;
  }
  const Quadrature& quadrature(Kind kind = Kind::small) const {
    return kind == Kind::piece ? one_point_ : kind == Kind::large ? large_quadrature_ : quadrature_;
  }
  void set_quadrature(Quadrature rule);
  /// Starting points of the searches for the modes of groups: groups x width.
  std::vector<double>& starts() { return starts_; }
  const std::vector<double>& starts() const { return starts_; }

 private:
  void find_rows();
  bool find_stretches();
  void sort_rows();

  Model model_;
  GroupModel groups_;
  TermPrograms row_programs_, group_programs_;
  std::shared_ptr<const Program> global_program_;
  std::vector<std::int64_t> global_places_;
  std::vector<std::string> row_columns_;
  RowPages* pages_ = nullptr;                         // of rows on disk
  std::vector<std::uint32_t> order_, first_, count_;  // the last two by unit
  bool in_order_of_groups_ = true;                    // what first_ has
  bool quadratic_ = false;
  std::vector<double> known_rows_;
  std::uint32_t largest_ = 0;
  std::vector<char> is_piece_;  // by unit; empty: no split groups
  Quadrature quadrature_, large_quadrature_, one_point_;
  std::vector<double> starts_;
};

}  // namespace sgmcmc
