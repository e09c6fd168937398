// Replaces local parameters u by keep u + (1 - keep) split[index], where keep and index are data of the units.
#include "groups/split_groups.hpp"

#include "data/column_stretches.hpp"
#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"
#include "groups/term_programs.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace sgmcmc {
namespace {

std::vector<std::uint32_t> rows_by_group(const Model& model, const GroupModel& groups) {
  const ColumnView& column = model.data().store().column(groups.column);
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(groups.groups), 0);
  for_stretches(column, model.data().store().pages(), static_cast<std::uint32_t>(model.rows()),
                [&](std::uint32_t first, std::uint32_t end, const ColumnView& view) {
                  for (std::uint32_t row = first; row < end; ++row)
                    ++rows[static_cast<std::size_t>(view.integer(row, 0) - groups.base)];
                });
  return rows;
}

/// The largest groups first.
std::vector<std::uint32_t> groups_to_split(const std::vector<std::uint32_t>& rows, std::size_t width,
                                           const SplitOptions& options) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t j = 0; j < rows.size(); ++j)
    if (rows[j] >= options.least_rows) chosen.push_back(j);
  std::stable_sort(chosen.begin(), chosen.end(), [&](auto a, auto b) { return rows[a] > rows[b]; });
  chosen.resize(std::min(chosen.size(), options.most_parameters / width));
  return chosen;
}

}  // namespace

GroupModel split_groups(const Model& model, GroupModel groups, const SplitOptions& options) {
  const auto rows = rows_by_group(model, groups);
  const auto chosen = groups_to_split(rows, groups.width, options);
  if (chosen.empty()) return groups;
  if (const auto programs = compile_term(groups.row_term, groups); programs.quadratic && !programs.gradient)
    return groups;

  const auto levels = static_cast<std::size_t>(groups.groups);
  std::vector<std::uint32_t> level(levels);  // of every unit
  std::iota(level.begin(), level.end(), 0U);
  GroupColumn keep{"(not split)", 1, false, std::vector<double>(levels, 1.0)};
  GroupColumn index{"(which split)", 1, true, std::vector<double>(levels, 0.0)};
  GroupColumn head{"(first piece)", 1, false, std::vector<double>(levels, 1.0)};
  for (std::size_t s = 0; s < chosen.size(); ++s) {
    const std::uint32_t j = chosen[s];
    const std::uint32_t pieces = std::max(1U, (rows[j] + options.rows_of_piece / 2) / options.rows_of_piece);
    groups.splits.push_back({j, static_cast<std::uint32_t>(level.size()), pieces});
    keep.values[j] = 0.0;
    index.values[j] = static_cast<double>(s);
    for (std::uint32_t piece = 1; piece < pieces; ++piece) {
      level.push_back(j);
      keep.values.push_back(0.0);
      index.values.push_back(static_cast<double>(s));
      head.values.push_back(0.0);
    }
  }
  groups.groups = static_cast<std::int64_t>(level.size());
  for (auto& column : groups.group_columns) {
    const auto width = static_cast<std::size_t>(column.width);
    column.values.reserve(level.size() * width);
    for (std::size_t unit = levels; unit < level.size(); ++unit)
      for (std::size_t k = 0; k < width; ++k) column.values.push_back(column.values[level[unit] * width + k]);
  }

  const auto kept = row_real(keep.name, Shape{}), first = row_real(head.name, Shape{});
  const auto which = row_integer(index.name, Shape{});
  const auto count = static_cast<std::int64_t>(chosen.size());
  std::unordered_map<const Node*, Expression> replaced;
  for (std::size_t k = 0; k < groups.width; ++k) {
    const auto leaf = parameter_leaf("(split " + std::to_string(k + 1) + ")", Shape{count},
                                     static_cast<std::int64_t>(groups.global.size()));
    groups.global_leaves.push_back(leaf);
    for (const auto j : chosen) groups.global.push_back(groups.local[j * groups.width + k]);
    const auto& own = groups.local_leaves[k];
    replaced[&own.node()] = kept * own + (1.0 - kept) * gather(leaf, which, 0);
  }
  groups.row_term = with_replaced({groups.row_term}, replaced).front();
  if (groups.group_term) groups.group_term = first * with_replaced({groups.group_term}, replaced).front();
  groups.group_columns.push_back(std::move(keep));
  groups.group_columns.push_back(std::move(index));
  groups.group_columns.push_back(std::move(head));
  return groups;
}

}  // namespace sgmcmc
