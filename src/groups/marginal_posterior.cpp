// Compiles the terms, and finds the rows of each group.
#include "groups/group_evaluator.hpp"

#include "data/column_stretches.hpp"
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
  find_rows();
  one_point_ = gauss_hermite(width(), 1);
  const auto rules = quadrature_rules(width());
  set_quadrature(rules[std::min<std::size_t>(width() == 1 ? 2 : 1, rules.size() - 1)]);
  starts_.assign(static_cast<std::size_t>(groups_.groups) * width(), 0.0);
  quadratic_ = row_programs_.quadratic && (!groups_.group_term || group_programs_.quadratic);
  if (quadratic_) set_quadrature(gauss_hermite(width(), 2));
  if (quadratic_ && !row_programs_.gradient) {
    std::vector<std::uint32_t> all(group_count());
    std::iota(all.begin(), all.end(), 0U);
    sort_by_rows(all);
    std::vector<double> curves(all.size() * curve_size()), by_group(curves.size());
    GroupEvaluator evaluator(*this);
    evaluator.set_phi(std::vector<double>(dimension(), 0.0));
    evaluator.curves_of_rows(all, curves);
    for (std::size_t k = 0; k < all.size(); ++k)
      std::copy_n(curves.begin() + static_cast<std::ptrdiff_t>(k * curve_size()), curve_size(),
                  by_group.begin() + static_cast<std::ptrdiff_t>(all[k] * curve_size()));
    known_rows_ = std::move(by_group);
  }
}

void MarginalPosterior::find_rows() {
  pages_ = model_.data().store().pages();
  if (!find_stretches()) sort_rows();
  for (const std::uint32_t count : count_) largest_ = std::max(largest_, count);
}

/// Finds the stretch of rows of each group. Returns false if the rows of a group are not together.
bool MarginalPosterior::find_stretches() {
  const DatasetStore& store = model_.data().store();
  const bool in_random_order = store.group_by() == groups_.column;  // within groups
  if (!groups_.splits.empty() && !in_random_order) return false;
  first_.assign(group_count(), 0);
  count_.assign(group_count(), 0);
  in_order_of_groups_ = true;
  bool together = true;
  std::uint32_t before = 0;
  for_stretches(store.column(groups_.column), pages_, static_cast<std::uint32_t>(model_.rows()),
                [&](std::uint32_t first, std::uint32_t end, const ColumnView& column) {
                  for (std::uint32_t row = first; row < end && together; ++row) {
                    const auto group = static_cast<std::uint32_t>(column.integer(row, 0) - groups_.base);
                    if (row == 0 || group != before) {
                      together = count_[group] == 0;
                      first_[group] = row;
                      in_order_of_groups_ = in_order_of_groups_ && before <= group;
                    }
                    ++count_[group];
                    before = group;
                  }
                });
  if (!together) return false;
  for (const auto& split : groups_.splits) {  // each piece is a stretch of the group's rows
    const std::uint32_t begin = first_[split.group];
    const std::uint64_t rows = count_[split.group];
    for (std::uint32_t piece = 0; piece < split.pieces; ++piece) {
      const std::uint32_t unit = piece == 0 ? split.group : split.others + piece - 1;
      const auto from = static_cast<std::uint32_t>(rows * piece / split.pieces);
      first_[unit] = begin + from;
      count_[unit] = static_cast<std::uint32_t>(rows * (piece + 1) / split.pieces) - from;
    }
    in_order_of_groups_ = false;
  }
  return true;
}

void MarginalPosterior::sort_by_rows(std::vector<std::uint32_t>& groups) const {
  if (row_order() || in_order_of_groups_) return;
  std::stable_sort(groups.begin(), groups.end(), [&](auto a, auto b) { return first_[a] < first_[b]; });
}

void MarginalPosterior::want(std::span<const std::uint32_t> groups) const {
  constexpr std::uint64_t most_rows = std::uint64_t{1} << 18;  // more might be dropped before they are read
  if (!pages_ || row_order() || rows_are_known()) return;
  std::uint64_t first = 0, count = 0, wanted = 0;
  for (const std::uint32_t group : groups) {
    if (wanted > most_rows) break;
    wanted += count_[group];
    if (first_[group] == first + count) {
      count += count_[group];
      continue;
    }
    if (count > 0) pages_->want(first, count);
    first = first_[group];
    count = count_[group];
  }
  if (count > 0) pages_->want(first, count);
}

void MarginalPosterior::sort_rows() {
  const ColumnView& column = model_.data().store().column(groups_.column);
  const auto rows = static_cast<std::uint32_t>(model_.rows());
  // Distributes the rows of a split group to its pieces in turn.
  std::vector<std::int32_t> split_of(groups_.splits.empty() ? 0 : groups_.levels(), -1);
  for (std::size_t s = 0; s < groups_.splits.size(); ++s)
    split_of[groups_.splits[s].group] = static_cast<std::int32_t>(s);
  const auto for_rows = [&](auto&& visit) {
    std::vector<std::uint32_t> dealt(groups_.splits.size(), 0);
    for_stretches(column, pages_, rows, [&](std::uint32_t first, std::uint32_t end, const ColumnView& view) {
      for (std::uint32_t row = first; row < end; ++row) {
        const auto level = static_cast<std::uint32_t>(view.integer(row, 0) - groups_.base);
        if (split_of.empty() || split_of[level] < 0) {
          visit(row, level);
          continue;
        }
        const auto& split = groups_.splits[static_cast<std::size_t>(split_of[level])];
        const std::uint32_t piece = dealt[static_cast<std::size_t>(split_of[level])]++ % split.pieces;
        visit(row, piece == 0 ? level : split.others + piece - 1);
      }
    });
  };
  count_.assign(group_count(), 0);
  for_rows([&](std::uint32_t, std::uint32_t group) { ++count_[group]; });
  first_.assign(group_count(), 0);
  std::exclusive_scan(count_.begin(), count_.end(), first_.begin(), 0U);
  order_.resize(rows);
  auto next = first_;
  for_rows([&](std::uint32_t row, std::uint32_t group) { order_[next[group]++] = row; });
}

void MarginalPosterior::set_quadrature(Quadrature rule) {
  const auto coarse = gauss_hermite(width(), 3);
  large_quadrature_ = !is_quadratic() && coarse.count() < rule.count() ? coarse : rule;
  quadrature_ = std::move(rule);
}

}  // namespace sgmcmc
