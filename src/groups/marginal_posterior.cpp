// Compiles the terms, and sorts rows by group.
#include "groups/group_evaluator.hpp"

#include "data/store.hpp"
#include "graph/differentiate.hpp"

#include <algorithm>
#include <numeric>

namespace sgmcmc {
MarginalPosterior::MarginalPosterior(const Model& model, GroupModel groups)
    : model_(model), groups_(std::move(groups)) {
  row_programs_ = compile_term(groups_.row_term, groups_);
  if (groups_.group_term) group_programs_ = compile_term(groups_.group_term, groups_);
  if (groups_.global_term) {
    const auto leaves = leaves_read(groups_.global_term, groups_.global_leaves, global_places_);
    std::vector<Expression> outputs = {groups_.global_term};
    const auto gradients = differentiate(groups_.global_term, leaves);
    outputs.insert(outputs.end(), gradients.begin(), gradients.end());
    global_program_ = std::make_shared<const Program>(compile_program(outputs, {}));
  }
  for (const auto& x : topological_order({groups_.row_term})) {
    const Op op = x.node().op;
    const auto& name = x.node().attributes.name;
    if ((op == Op::row_real || op == Op::row_integer) && model_.data().has_column(name)) row_columns_.push_back(name);
  }
  std::sort(row_columns_.begin(), row_columns_.end());
  row_columns_.erase(std::unique(row_columns_.begin(), row_columns_.end()), row_columns_.end());
  for (const auto& split : groups_.splits) {
    is_piece_.resize(group_count(), 0);
    is_piece_[split.group] = 1;
    std::fill_n(is_piece_.begin() + split.others, split.pieces - 1, static_cast<char>(1));
  }
  sort_rows();
  one_point_ = gauss_hermite(width(), 1);
  const auto rules = quadrature_rules(width());
  set_quadrature(rules[std::min<std::size_t>(width() == 1 ? 2 : 1, rules.size() - 1)]);
  starts_.assign(static_cast<std::size_t>(groups_.groups) * width(), 0.0);
  quadratic_ = row_programs_.quadratic && (!groups_.group_term || group_programs_.quadratic);
  if (quadratic_) set_quadrature(gauss_hermite(width(), 2));
  if (quadratic_ && !row_programs_.gradient) {
    std::vector<std::uint32_t> all(group_count());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<double> curves(all.size() * curve_size());
    GroupEvaluator evaluator(*this);
    evaluator.set_phi(std::vector<double>(dimension(), 0.0));
    evaluator.curves_of_rows(all, curves);
    known_rows_ = std::move(curves);
  }
}

void MarginalPosterior::sort_rows() {
  const ColumnView& column = model_.data().store().column(groups_.column);
  const auto rows = static_cast<std::uint32_t>(model_.rows());
  const auto level_of = [&](std::uint32_t row) {
    return static_cast<std::uint32_t>(column.integer(row, 0) - groups_.base);
  };
  // Distributes the rows of a split group to its pieces in turn.
  std::vector<std::int32_t> split_of(groups_.splits.empty() ? 0 : groups_.levels(), -1);
  std::vector<std::uint32_t> dealt;
  for (std::size_t s = 0; s < groups_.splits.size(); ++s)
    split_of[groups_.splits[s].group] = static_cast<std::int32_t>(s);
  const auto group_of = [&](std::uint32_t row) {
    const std::uint32_t level = level_of(row);
    if (split_of.empty() || split_of[level] < 0) return level;
    const auto& split = groups_.splits[static_cast<std::size_t>(split_of[level])];
    const std::uint32_t piece = dealt[static_cast<std::size_t>(split_of[level])]++ % split.pieces;
    return piece == 0 ? level : split.others + piece - 1;
  };
  start_.assign(static_cast<std::size_t>(groups_.groups) + 1, 0);
  dealt.assign(groups_.splits.size(), 0);
  bool sorted = true;
  std::uint32_t before = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint32_t group = group_of(row);
    ++start_[group + 1];
    sorted = sorted && before <= group;
    before = group;
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(groups_.groups); ++j) {
    largest_ = std::max(largest_, start_[j + 1]);
    start_[j + 1] += start_[j];
  }
  if (!sorted) {
    order_.resize(rows);
    auto next = start_;
    dealt.assign(groups_.splits.size(), 0);
    for (std::uint32_t row = 0; row < rows; ++row) order_[next[group_of(row)]++] = row;
  }
}

void MarginalPosterior::set_quadrature(Quadrature rule) {
  const auto coarse = gauss_hermite(width(), 3);
  large_quadrature_ = !is_quadratic() && coarse.count() < rule.count() ? coarse : rule;
  quadrature_ = std::move(rule);
}

}  // namespace sgmcmc
