// The group that each element of an array depends on, through parameters that belong to groups.
#pragma once

#include <sgmcmc/expression.hpp>

#include "graph/node.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace sgmcmc {

/// Label of one element: a group number from 0, or one of these.
inline constexpr std::int32_t no_group = -1, several_groups = -2;

class GroupLabels {
 public:
  /// owner: the group of every unconstrained coordinate, or no_group.
  explicit GroupLabels(std::vector<std::int32_t> owner) : owner_(std::move(owner)) {}

  /// One label per element of a global expression; null if none depends on a group.
  std::shared_ptr<const std::vector<std::int32_t>> of(const Expression& x);

 private:
  using Labels = std::vector<std::int32_t>;
  std::shared_ptr<const Labels> compute(const Node& node);

  std::vector<std::int32_t> owner_;
  std::unordered_map<const Node*, std::shared_ptr<const Labels>> known_;
  std::vector<Expression> kept_;
};

}  // namespace sgmcmc
