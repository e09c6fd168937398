// Compiles outputs to a program: numbers and orders the values, fuses elementwise ops, and assigns a place to every
// value.
#include "plan/program.hpp"

#include "base/text.hpp"
#include "graph/differentiate.hpp"
#include "plan/long_arrays.hpp"
#include "plan/passes.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

namespace sgmcmc {

const std::vector<std::string>& plan_passes() {
  static const std::vector<std::string> names{"constant_folding",   "global_divisors",    "common_subexpressions",
                                              "elementwise_fusion", "gather_elimination", "memory_planning"};
  return names;
}

bool is_long_sum(const Value& value) {
  const Node& node = value.node();
  if (value.per_row || (node.op != Op::sum && node.op != Op::dot)) return false;
  const std::int64_t length = node.inputs[0].shape().size();
  return length >= long_array && (node.op == Op::dot || node.attributes.axis.length == length);
}

namespace {

constexpr std::int64_t pad_elements = 16;  // one pack of floats

std::int64_t padded(std::int64_t size) { return (size + pad_elements - 1) / pad_elements * pad_elements; }

class Compiler {
 public:
  Compiler(const std::vector<Expression>& outputs, const PlanOptions& options) : options_(options) {
    auto current = outputs;
    timed("constant_folding", [&] { current = fold_constants(current); });
    timed("global_divisors", [&] { current = invert_global_divisors(current); });
    timed("common_subexpressions", [&] { current = share_common_subexpressions(current); });
    number_values(current);
    assign_stages();
    find_products();
    schedule_all();
    timed(
        "gather_elimination", [&] { decide_loads(true); }, [&] { decide_loads(false); });
    place_values();
  }

  Program take() { return std::move(program_); }

 private:
  template <class Pass>
  void timed(const char* name, Pass pass) {
    timed(name, pass, [] {});
  }
  template <class Pass, class Otherwise>
  void timed(const char* name, Pass pass, Otherwise otherwise) {
    auto start = std::chrono::steady_clock::now();
    if (options_.enabled(name))
      pass();
    else
      otherwise();
    std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
    program_.pass_times.push_back({name, spent.count()});
  }

  void number_values(const std::vector<Expression>& outputs) {
    std::unordered_map<const Node*, int> numbers;
    for (const auto& x : topological_order(outputs)) {
      const Node& node = x.node();
      if (node.op == Op::reshape) {  // same elements in the same order
        numbers[&node] = numbers[&node.inputs[0].node()];
        continue;
      }
      Value value;
      value.expression = x;
      value.size = node.shape.size();
      value.per_row = node.per_row;
      for (const auto& input : node.inputs) value.inputs.push_back(numbers[&input.node()]);
      numbers[&node] = static_cast<int>(program_.values.size());
      program_.values.push_back(std::move(value));
    }
    for (const auto& output : outputs) program_.outputs.push_back(numbers[&output.node()]);
  }

  void assign_stages() {
    std::set<std::string> columns;
    for (auto& value : program_.values) {
      const Node& node = value.node();
      bool needs_rows = false;
      bool only_centre = node.op != Op::parameter || node.attributes.point == Point::centre;
      for (int input : value.inputs) {
        const Value& in = program_.values[static_cast<std::size_t>(input)];
        needs_rows = needs_rows || in.stage == Stage::after;
        only_centre = only_centre && (in.stage == Stage::centre);
      }
      if (is_row_sum(node.op)) {
        if (needs_rows) throw ModelError("a sum over rows inside another sum over rows needs two passes over the data");
        value.stage = Stage::after;
      } else if (node.per_row) {
        if (needs_rows) throw ModelError("a per-row value depends on a sum over all rows; that cannot be minibatched");
        value.stage = Stage::rows;
      } else {
        value.stage = needs_rows ? Stage::after : only_centre ? Stage::centre : Stage::before;
      }
      if (node.op == Op::row_real || node.op == Op::row_integer || node.op == Op::row_sparse)
        columns.insert(node.attributes.name);
    }
    program_.row_columns.assign(columns.begin(), columns.end());
    postpone_long_arrays();
  }

  /// Long arrays that no row reads, and what is made of them, are computed after the rows: there, the group that adds
  /// the prior to a sum over rows computes them on the way, without writing them to memory.
  void postpone_long_arrays() {
    auto& values = program_.values;
    std::vector<bool> read_by_rows(values.size(), false);
    bool any_sums = false;
    for (std::size_t id = values.size(); id-- > 0;) {
      any_sums = any_sums || is_row_sum(values[id].op());
      if (!read_by_rows[id] && values[id].stage != Stage::rows && !is_row_sum(values[id].op())) continue;
      for (int input : values[id].inputs) read_by_rows[static_cast<std::size_t>(input)] = true;
    }
    if (!any_sums) return;
    for (std::size_t id = 0; id < values.size(); ++id) {
      Value& value = values[id];
      if (value.stage != Stage::before || is_leaf_in_place(value.op()) || read_by_rows[id]) continue;
      const bool waits = std::any_of(value.inputs.begin(), value.inputs.end(), [&](int input) {
        return values[static_cast<std::size_t>(input)].stage == Stage::after;
      });
      if (waits || value.size >= long_array) value.stage = Stage::after;
    }
  }

  void find_products() {
    for (const auto& value : program_.values) {
      if (value.op() == Op::matvec && value.per_row && !input(value, 0).per_row &&
          input(value, 0).size > matrix_product_threshold)
        program_.has_products = true;
      if (value.op() == Op::row_sum_outer && input(value, 0).size > 1 && value.size > matrix_product_threshold)
        program_.has_products = true;
    }
    program_.row_block = program_.has_products ? static_cast<int>(product_block_rows) : 16;
  }

  const Value& input(const Value& value, std::size_t which) const {
    return program_.values[static_cast<std::size_t>(value.inputs[which])];
  }

  static bool is_leaf_in_place(Op op) { return op == Op::constant || op == Op::parameter; }
  static bool is_row_leaf(Op op) { return op == Op::row_real || op == Op::row_integer || op == Op::row_sparse; }

  void schedule_all() {
    bool fuse = options_.enabled("elementwise_fusion");
    auto start = std::chrono::steady_clock::now();
    program_.centre = schedule(fuse, [](const Value& v) { return v.stage == Stage::centre; });
    program_.before = schedule(fuse, [](const Value& v) { return v.stage == Stage::before; });
    program_.rows = schedule(fuse, [](const Value& v) { return v.stage == Stage::rows || is_row_sum(v.op()); });
    program_.after = schedule(fuse, [](const Value& v) { return v.stage == Stage::after && !is_row_sum(v.op()); });
    std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
    program_.pass_times.push_back({"elementwise_fusion", spent.count()});
  }

  /// Operands first; among ops that are ready, single ops come before elementwise groups, and a group takes every ready
  /// elementwise op of its size, and the sums of its long arrays.
  template <class Wanted>
  std::vector<Instruction> schedule(bool fuse, Wanted wanted) {
    auto& values = program_.values;
    std::vector<int> waiting(values.size(), -1);
    std::vector<std::vector<int>> users(values.size());
    std::set<int> ready_single;
    std::map<std::pair<bool, std::int64_t>, std::set<int>> ready_elementwise;
    auto make_ready = [&](int id) {
      const Value& v = values[static_cast<std::size_t>(id)];
      if (fuse && is_elementwise(v.op()))
        ready_elementwise[{v.per_row, v.size}].insert(id);
      else if (fuse && is_long_sum(v))
        ready_elementwise[{false, input(v, 0).size}].insert(id);
      else
        ready_single.insert(id);
    };
    for (std::size_t id = 0; id < values.size(); ++id) {
      const Value& v = values[id];
      if (!wanted(v) || is_leaf_in_place(v.op())) continue;
      std::set<int> operands(v.inputs.begin(), v.inputs.end());
      waiting[id] = 0;
      for (int operand : operands) {
        const Value& in = values[static_cast<std::size_t>(operand)];
        if (!wanted(in) || is_leaf_in_place(in.op())) continue;
        users[static_cast<std::size_t>(operand)].push_back(static_cast<int>(id));
        ++waiting[id];
      }
    }
    for (std::size_t id = 0; id < values.size(); ++id)
      if (waiting[id] == 0) make_ready(static_cast<int>(id));

    std::vector<Instruction> order;
    auto finish = [&](int id) {
      for (int user : users[static_cast<std::size_t>(id)])
        if (--waiting[static_cast<std::size_t>(user)] == 0) make_ready(user);
    };
    while (true) {
      if (!ready_single.empty()) {
        int id = *ready_single.begin();
        ready_single.erase(ready_single.begin());
        order.push_back({{id}});
        finish(id);
        continue;
      }
      // The group that starts with the earliest value.
      std::set<int>* best = nullptr;
      for (auto& [extent, ready] : ready_elementwise)
        if (!ready.empty() && (!best || *ready.begin() < *best->begin())) best = &ready;
      if (!best) break;
      Instruction group;
      std::vector<int> sums;  // complete only when the whole group has run
      while (!best->empty()) {
        int id = *best->begin();
        best->erase(best->begin());
        group.values.push_back(id);
        if (is_long_sum(values[static_cast<std::size_t>(id)]))
          sums.push_back(id);
        else
          finish(id);
      }
      for (int id : sums) finish(id);
      order.push_back(std::move(group));
    }
    return order;
  }

  /// Whether the op reads this operand directly from rows of the data set, so that no tile copy is needed.
  bool reads_in_place(const Value& user, std::size_t which) const {
    const Value& in = input(user, which);
    switch (user.op()) {
      case Op::sparse_dot:
      case Op::sparse_matvec:
      case Op::sparse_scale:
      case Op::sparse_outer:
      case Op::row_sum_sparse_scale:
      case Op::row_sum_sparse_outer: return in.op() == Op::row_sparse;
      case Op::gather:
      case Op::scatter_rows:
      case Op::row_sum_scatter: return which == 1 && in.op() == Op::row_integer;
      case Op::dot: return in.op() == Op::row_real && !input(user, 1 - which).per_row;
      case Op::matvec: return which == 1 && in.op() == Op::row_real && is_tile_product(user);
      case Op::row_sum_outer:
        return which == 1 && in.op() == Op::row_real &&
               (input(user, 0).size == 1 || user.size > matrix_product_threshold);
      default: return false;
    }
  }

  bool is_tile_product(const Value& value) const {
    return value.op() == Op::matvec && !input(value, 0).per_row && input(value, 0).size > matrix_product_threshold;
  }

  void decide_loads(bool in_place) {
    for (auto& value : program_.values) {
      for (std::size_t i = 0; i < value.inputs.size(); ++i) {
        Value& in = program_.values[static_cast<std::size_t>(value.inputs[i])];
        if (!is_row_leaf(in.op())) continue;
        bool must = in.op() == Op::row_sparse;
        if (must || (in_place && reads_in_place(value, i))) continue;
        in.loaded = true;
      }
    }
    for (int output : program_.outputs) {
      Value& value = program_.values[static_cast<std::size_t>(output)];
      if (is_row_leaf(value.op()) && value.op() != Op::row_sparse) value.loaded = true;
    }
  }

  void place_values() {
    for (auto& value : program_.values) {
      if (value.op() == Op::constant) {
        value.place = Place::constant;
        value.offset = static_cast<std::int64_t>(program_.constants.size());
        const auto& from = *value.node().attributes.values;
        program_.constants.insert(program_.constants.end(), from.begin(), from.end());
        program_.constants.resize(
            static_cast<std::size_t>(padded(static_cast<std::int64_t>(program_.constants.size()))));
      } else if (value.op() == Op::parameter) {
        value.place = Place::parameter;
        value.offset = value.node().attributes.offset;
      } else if (is_row_sum(value.op())) {
        value.place = Place::accumulator;
        value.offset = program_.accumulators_size;
        program_.accumulators_size += padded(value.size);
      } else if (!value.per_row) {
        value.place = Place::global;
      } else if (is_row_leaf(value.op()) && !value.loaded) {
        value.place = Place::row_data;
      } else {
        value.place = Place::tile;
      }
    }
    auto start = std::chrono::steady_clock::now();
    const bool reuse = options_.enabled("memory_planning");
    for (auto* instructions : {&program_.centre, &program_.before, &program_.rows, &program_.after})
      if (reuse) find_scratch(*instructions);
    place_globals();
    place_tile_values(reuse);
    std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
    program_.pass_times.push_back({"memory_planning", spent.count()});
  }

  /// Values that only their own fused group reads live in strips of scratch memory.
  void find_scratch(const std::vector<Instruction>& instructions) {
    auto& values = program_.values;
    std::vector<int> group_of(values.size(), -1);
    for (std::size_t at = 0; at < instructions.size(); ++at)
      for (int id : instructions[at].values)
        if (instructions[at].values.size() > 1) group_of[static_cast<std::size_t>(id)] = static_cast<int>(at);
    std::vector<bool> leaves(values.size(), false);
    for (int output : program_.outputs) leaves[static_cast<std::size_t>(output)] = true;
    for (std::size_t user = 0; user < values.size(); ++user)
      for (int in : values[user].inputs)
        if (group_of[user] < 0 || group_of[user] != group_of[static_cast<std::size_t>(in)])
          leaves[static_cast<std::size_t>(in)] = true;
    for (std::size_t id = 0; id < values.size(); ++id)
      if (group_of[id] >= 0 && !leaves[id]) values[id].place = Place::scratch;
  }

  void place_globals() {
    for (auto& value : program_.values) {
      if (value.place != Place::global) continue;
      value.offset = program_.globals_size;
      program_.globals_size += padded(value.size);
    }
  }

  /// Gives tile values component slots, reusing those of values no longer needed.
  void place_tile_values(bool reuse) {
    auto& values = program_.values;
    const std::size_t forever = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> last_use(values.size(), 0);
    for (std::size_t at = 0; at < program_.rows.size(); ++at)
      for (int id : program_.rows[at].values)
        for (int in : values[static_cast<std::size_t>(id)].inputs)
          last_use[static_cast<std::size_t>(in)] = std::max(last_use[static_cast<std::size_t>(in)], at);
    for (int output : program_.outputs) last_use[static_cast<std::size_t>(output)] = forever;
    std::multimap<std::int64_t, std::int64_t> free_slots;  // components -> first component
    std::vector<std::vector<int>> ending(program_.rows.size());
    for (std::size_t at = 0; at < program_.rows.size(); ++at) {
      for (int id : program_.rows[at].values) {
        Value& value = values[static_cast<std::size_t>(id)];
        if (value.place != Place::tile) continue;
        auto slot = reuse ? free_slots.lower_bound(value.size) : free_slots.end();
        if (slot != free_slots.end()) {
          value.offset = slot->second;
          if (slot->first > value.size) free_slots.emplace(slot->first - value.size, slot->second + value.size);
          free_slots.erase(slot);
        } else {
          value.offset = program_.tile_components;
          program_.tile_components += value.size;
        }
        auto end = std::max(last_use[static_cast<std::size_t>(id)], at);
        if (end != forever) ending[end].push_back(id);
      }
      for (int id : ending[at]) {
        const Value& value = values[static_cast<std::size_t>(id)];
        free_slots.emplace(value.size, value.offset);
      }
    }
  }

  PlanOptions options_;
  Program program_;
};

}  // namespace

Program compile_program(const std::vector<Expression>& outputs, const PlanOptions& options) {
  for (const auto& name : options.disabled_passes) {
    if (std::count(plan_passes().begin(), plan_passes().end(), name) > 0) continue;
    throw OptionError("disabled_passes: there is no pass '" + name + "'." + did_you_mean(name, plan_passes()));
  }
  return Compiler(outputs, options).take();
}

}  // namespace sgmcmc
