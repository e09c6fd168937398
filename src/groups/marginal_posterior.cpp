// Compiling the terms, and sorting rows by group.
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
  sort_rows();
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
  const auto group_of = [&](std::uint32_t row) {
    return static_cast<std::uint32_t>(*reinterpret_cast<const std::int32_t*>(column.row(row)) - groups_.base);
  };
  start_.assign(static_cast<std::size_t>(groups_.groups) + 1, 0);
  bool sorted = true;
  for (std::uint32_t row = 0; row < rows; ++row) {
    ++start_[group_of(row) + 1];
    sorted = sorted && (row == 0 || group_of(row - 1) <= group_of(row));
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(groups_.groups); ++j) {
    largest_ = std::max(largest_, start_[j + 1]);
    start_[j + 1] += start_[j];
  }
  if (!sorted) {
    order_.resize(rows);
    auto next = start_;
    for (std::uint32_t row = 0; row < rows; ++row) order_[next[group_of(row)]++] = row;
  }
}

void MarginalPosterior::set_quadrature(Quadrature rule) {
  const auto coarse = gauss_hermite(width(), 3);
  large_quadrature_ = !is_quadratic() && coarse.count() < rule.count() ? coarse : rule;
  quadrature_ = std::move(rule);
}

}  // namespace sgmcmc
