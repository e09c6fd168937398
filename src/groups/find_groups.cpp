// Tries every integer column that indexes parameters, the one with most levels first.
#include "groups/group_labels.hpp"
#include "groups/group_model.hpp"

#include "data/store.hpp"
#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace sgmcmc {
namespace {

constexpr std::size_t most_local_coordinates = 6;  // per group: with more, quadrature costs too much

struct Candidate {
  std::string column;
  std::int64_t groups = 0, base = 0;
};

/// The columns that index global expressions, those with most levels first.
std::vector<Candidate> candidates_of(const Expression& row_term) {
  std::vector<Candidate> found;
  for (const auto& x : topological_order({row_term})) {
    const Node& node = x.node();
    if (node.op != Op::gather || node.inputs[0].per_row()) continue;
    const Node& index = node.inputs[1].node();
    if (index.op != Op::row_integer) continue;
    const bool known =
        std::any_of(found.begin(), found.end(), [&](const Candidate& c) { return c.column == index.attributes.name; });
    if (!known) found.push_back({index.attributes.name, node.inputs[0].shape()[0], node.attributes.offset});
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.groups > b.groups; });
  return found;
}

/// A part of the log prior: factor * sum of the elements of an array.
struct Term {
  Expression array, factor;  // factor: a scalar, or empty for 1
};

void add_to(Expression& sum_so_far, const Expression& term) { sum_so_far = sum_so_far ? sum_so_far + term : term; }

/// The log prior as a list of parts; splits products in which only one factor depends on local parameters.
std::vector<Term> terms_of(const Expression& whole, GroupLabels& labels) {
  std::vector<Term> terms;
  std::vector<Term> stack = {{whole, {}}};
  auto times = [](const Expression& factor, const Expression& by) { return factor ? factor * by : by; };
  while (!stack.empty()) {
    const Term top = stack.back();
    stack.pop_back();
    const Node& node = top.array.node();
    const bool scalar = top.array.shape().size() == 1;
    if (!scalar || !labels.of(top.array)) {
      terms.push_back(top);
      continue;
    }
    switch (node.op) {
      case Op::add:
        stack.push_back({node.inputs[1], top.factor});
        stack.push_back({node.inputs[0], top.factor});
        break;
      case Op::subtract:
        stack.push_back({node.inputs[1], times(top.factor, -1.0)});
        stack.push_back({node.inputs[0], top.factor});
        break;
      case Op::negate: stack.push_back({node.inputs[0], times(top.factor, -1.0)}); break;
      case Op::multiply: {
        const bool first = labels.of(node.inputs[0]) != nullptr, second = labels.of(node.inputs[1]) != nullptr;
        if (first && second)
          terms.push_back(top);
        else
          stack.push_back({node.inputs[first ? 0 : 1], times(top.factor, node.inputs[first ? 1 : 0])});
        break;
      }
      case Op::divide:
        if (labels.of(node.inputs[1]))
          terms.push_back(top);
        else
          stack.push_back({node.inputs[0], times(top.factor, 1.0 / node.inputs[1])});
        break;
      case Op::sum: stack.push_back({node.inputs[0], top.factor}); break;
      case Op::dot: stack.push_back({node.inputs[0] * node.inputs[1], top.factor}); break;
      case Op::reshape: stack.push_back({node.inputs[0], top.factor}); break;
      default: terms.push_back(top);
    }
  }
  return terms;
}

class Finder {
 public:
  Finder(const Model& model, const Candidate& candidate)
      : model_(model), candidate_(candidate), slicer_(candidate.groups) {}

  GroupModel find() {
    if (candidate_.groups < 2) throw NotByGroup{"it has one level"};
    slice_rows();
    if (slicer_.coordinates().empty()) throw NotByGroup{"no parameter has one element per level"};
    // The prior may add coordinates that belong to groups but do not occur in rows: then repeat.
    for (std::size_t known = 0; known < slicer_.coordinates().size();) {
      known = slicer_.coordinates().size();
      mark_owners();
      group_term_ = global_term_ = Expression();
      by_loop_.clear();
      for (const auto& part : {model_.log_prior(), model_.log_jacobian()})
        if (part) split_prior(part);
      merge_loops();
    }
    if (slicer_.coordinates().size() > most_local_coordinates)
      throw NotByGroup{"each level has " + std::to_string(slicer_.coordinates().size()) +
                       " parameters of its own; at most " + std::to_string(most_local_coordinates) +
                       " are integrated out"};
    return result();
  }

 private:
  void slice_rows() {
    std::unordered_map<const Node*, Expression> replaced;
    for (const auto& x : topological_order({model_.row_log_likelihood()})) {
      const Node& node = x.node();
      if (node.op == Op::row_sparse) throw NotByGroup{"the rows have a sparse column, which is not supported"};
      if (node.op != Op::gather) continue;
      const Node& index = node.inputs[1].node();
      if (index.op != Op::row_integer || index.attributes.name != candidate_.column) continue;
      const Expression& table = node.inputs[0];
      if (table.per_row() || !index.shape.is_scalar() || table.shape()[0] != candidate_.groups ||
          node.attributes.offset != candidate_.base)
        throw NotByGroup{"it indexes arrays of different lengths"};
      const std::int64_t width = table.shape().size() / candidate_.groups;
      std::vector<std::int64_t> at(static_cast<std::size_t>(table.shape().size()));
      std::iota(at.begin(), at.end(), 0);
      replaced[&node] = reshape(slicer_.slice(table, make_positions(width, std::move(at))), node.shape);
    }
    row_term_ = with_replaced({model_.row_log_likelihood()}, std::move(replaced)).front();
  }

  void mark_owners() {
    std::vector<std::int32_t> owner(static_cast<std::size_t>(model_.dimension()), no_group);
    for (const auto& coordinates : slicer_.coordinates())
      for (std::size_t j = 0; j < coordinates.size(); ++j) {
        auto& group = owner[static_cast<std::size_t>(coordinates[j])];
        if (group != no_group) throw NotByGroup{"'" + name_of(coordinates[j]) + "' belongs to several levels"};
        group = static_cast<std::int32_t>(j);
      }
    owner_ = owner;
    labels_.emplace(std::move(owner));
  }

  void split_prior(const Expression& whole) {
    for (const auto& term : terms_of(whole, *labels_)) {
      const auto times_factor = [&](const Expression& x) { return term.factor ? term.factor * x : x; };
      const auto labels = labels_->of(term.array);
      if (!labels) {
        add_to(global_term_, times_factor(sum(term.array)));
        continue;
      }
      if (labels->size() == 1) {
        const auto group = (*labels)[0];
        if (group == several_groups) throw NotByGroup{tied(term.array)};
        by_loop_.resize(static_cast<std::size_t>(candidate_.groups));
        by_loop_[static_cast<std::size_t>(group)].push_back(times_factor(term.array));
        continue;
      }
      std::vector<std::vector<std::int64_t>> own(static_cast<std::size_t>(candidate_.groups));
      std::vector<std::int64_t> others;
      for (std::size_t i = 0; i < labels->size(); ++i) {
        const auto group = (*labels)[i];
        if (group == several_groups) throw NotByGroup{tied(term.array)};
        (group == no_group ? others : own[static_cast<std::size_t>(group)]).push_back(static_cast<std::int64_t>(i));
      }
      const std::size_t width = own[0].size();
      std::vector<std::int64_t> at;
      for (const auto& positions : own) {
        if (positions.size() != width)
          throw NotByGroup{"the prior has different numbers of terms for different levels"};
        at.insert(at.end(), positions.begin(), positions.end());
      }
      const auto flat = static_cast<std::int64_t>(others.size());
      if (flat > 0) add_to(global_term_, times_factor(sum(take(term.array, std::move(others), Shape{flat}))));
      if (width > 0)
        add_to(group_term_, times_factor(sum(slicer_.slice(
                                term.array, make_positions(static_cast<std::int64_t>(width), std::move(at))))));
    }
  }

  /// Statements inside a loop over the groups: one scalar per group.
  void merge_loops() {
    if (by_loop_.empty()) return;
    const std::size_t statements = by_loop_[0].size();
    for (const auto& own : by_loop_)
      if (own.size() != statements) throw NotByGroup{"the prior has different numbers of terms for different levels"};
    for (std::size_t s = 0; s < statements; ++s) {
      std::vector<Expression> each;
      for (const auto& own : by_loop_) each.push_back(own[s]);
      add_to(group_term_, sum(slicer_.merge(each)));
    }
  }

  std::string tied(const Expression& array) const {
    for (const auto& x : topological_order({array}))
      if (x.node().op == Op::parameter && owner_[static_cast<std::size_t>(x.node().attributes.offset)] != no_group)
        return "the prior ties elements of '" + x.node().attributes.name + "' of different levels to each other";
    return "the prior ties levels to each other";
  }

  std::string name_of(std::int64_t coordinate) const {
    for (const auto& info : model_.parameters())
      if (coordinate >= info.offset && coordinate < info.offset + info.unconstrained_size) return info.name;
    return "a parameter";
  }

  GroupModel result() {
    GroupModel made;
    made.column = candidate_.column;
    made.base = candidate_.base;
    made.groups = candidate_.groups;
    made.width = slicer_.coordinates().size();
    for (std::int64_t j = 0; j < candidate_.groups; ++j)
      for (const auto& coordinates : slicer_.coordinates())
        made.local.push_back(coordinates[static_cast<std::size_t>(j)]);
    std::vector<std::int64_t> place(owner_.size(), -1);
    for (std::size_t c = 0; c < owner_.size(); ++c)
      if (owner_[c] == no_group) {
        place[c] = static_cast<std::int64_t>(made.global.size());
        made.global.push_back(static_cast<std::int64_t>(c));
      }
    if (made.global.empty()) throw NotByGroup{"no parameter is shared by the levels"};
    for (const auto& info : model_.parameters()) {
      const auto first = owner_.begin() + info.offset;
      if (std::any_of(first, first + info.unconstrained_size, [](auto group) { return group != no_group; }))
        made.local_parameters.push_back(info.name);
    }
    std::map<std::int64_t, Expression> leaves;  // one per parameter, shared by the terms
    const auto over_globals = [&](const Expression& x) {
      if (!x) return x;
      std::unordered_map<const Node*, Expression> replaced;
      for (const auto& each : topological_order({x})) {
        const Node& node = each.node();
        if (node.op != Op::parameter) continue;
        const auto first = owner_.begin() + node.attributes.offset;
        if (std::any_of(first, first + node.shape.size(), [](auto group) { return group != no_group; }))
          throw NotByGroup{"'" + node.attributes.name + "' is also used in other ways than by this column"};
        auto& leaf = leaves[node.attributes.offset];
        if (!leaf)
          leaf =
              parameter_leaf(node.attributes.name, node.shape, place[static_cast<std::size_t>(node.attributes.offset)]);
        if (leaf.shape() != node.shape) throw NotByGroup{"a parameter is read in two shapes"};
        replaced[&node] = leaf;
      }
      return with_replaced({x}, std::move(replaced)).front();
    };
    made.row_term = over_globals(row_term_);
    made.group_term = over_globals(group_term_);
    made.global_term = over_globals(global_term_);
    for (const auto& [offset, leaf] : leaves) made.global_leaves.push_back(leaf);
    std::map<std::string, Expression> local_leaves;
    for (const auto& term : {made.row_term, made.group_term}) {
      if (!term) continue;
      if (!term.per_row()) throw NotByGroup{"a term does not depend on the level"};
      for (const auto& x : topological_order({term}))
        if (x.node().op == Op::row_real) local_leaves.emplace(x.node().attributes.name, x);
    }
    for (std::size_t slot = 0; slot < made.width; ++slot) {
      const auto found = local_leaves.find(Slicer::local_name(slot));
      if (found == local_leaves.end()) throw NotByGroup{"a parameter of the levels is not used"};
      made.local_leaves.push_back(found->second);
    }
    made.group_columns = slicer_.columns();
    return made;
  }

  const Model& model_;
  Candidate candidate_;
  Slicer slicer_;
  Expression row_term_, group_term_, global_term_;
  std::vector<std::int32_t> owner_;
  std::optional<GroupLabels> labels_;
  std::vector<std::vector<Expression>> by_loop_;  // [group][statement]
};

}  // namespace

std::vector<std::uint32_t> GroupModel::split_levels() const {
  std::vector<std::uint32_t> found;
  for (const auto& split : splits) found.push_back(split.group);
  std::sort(found.begin(), found.end());
  return found;
}

GroupFinding find_groups(const Model& model) {
  GroupFinding finding;
  if (!model.row_log_likelihood() || model.rows() == 0) return finding;
  for (const auto& candidate : candidates_of(model.row_log_likelihood())) {
    try {
      finding.model = Finder(model, candidate).find();
      return finding;
    } catch (const NotByGroup& problem) {
      finding.reasons.push_back(candidate.column + ": " + problem.reason);
    }
  }
  return finding;
}

}  // namespace sgmcmc
