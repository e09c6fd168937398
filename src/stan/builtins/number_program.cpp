// Evaluates functions of expressions on numbers.
#include "stan/builtins/number_program.hpp"

#include "base/pack.hpp"
#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"
#include "plan/dense.hpp"
#include "plan/elementwise.hpp"
#include "stan/builtins/builtins.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace sgmcmc::stan {
namespace {

constexpr std::size_t lanes = pack_width<double>;
constexpr std::size_t strip_elements = 256;

std::size_t padded(std::size_t size) { return (size + lanes - 1) / lanes * lanes; }

}  // namespace

void NumberProgram::trace() const {
  std::vector<Expression> leaves;
  for (std::size_t k = 0; k < arguments_; ++k)
    leaves.push_back(parameter_leaf("argument", Shape{}, static_cast<std::int64_t>(k)));
  const Expression value = function_(leaves);
  std::unordered_map<const Node*, std::size_t> slots;
  for (std::size_t k = 0; k < arguments_; ++k) slots.emplace(leaves[k].pointer().get(), k);
  slots_ = arguments_;
  for (const auto& step : topological_order({value})) {
    const Node& node = step.node();
    if (node.op == Op::parameter) continue;
    slots.emplace(&node, slots_);
    if (node.op == Op::constant) {
      constants_.emplace_back(slots_++, node.attributes.values->front());
      continue;
    }
    if (!is_elementwise(node.op) || !node.shape.is_scalar())
      throw std::logic_error("not an elementwise function: " + step.describe());
    Step made;
    made.run = strip_function<double>(node.op, StripForm::arrays);
    for (const auto& input : node.inputs) made.operands[made.operand_count++] = slots.at(input.pointer().get());
    made.out = slots_++;
    steps_.push_back(made);
  }
  result_ = slots.at(value.pointer().get());
}

void NumberProgram::evaluate(std::span<const std::span<const double>> arguments, std::span<double> out) const {
  std::call_once(once_, [this] { trace(); });
  if (out.empty()) return;
  const std::size_t width = padded(std::min(out.size(), strip_elements));
  std::vector<double> memory(slots_ * width);
  const auto slot = [&](std::size_t k) { return memory.data() + k * width; };
  std::vector<char> single(slots_, 0);  // the same number in all lanes
  for (const auto& [at, value] : constants_) {
    std::fill_n(slot(at), width, value);
    single[at] = 1;
  }
  for (std::size_t k = 0; k < arguments_; ++k) {
    if (arguments[k].size() != 1) continue;
    std::fill_n(slot(k), width, arguments[k][0]);
    single[k] = 1;
  }
  for (const auto& step : steps_) {  // compute steps without arrays once
    bool all = true;
    for (std::size_t k = 0; k < step.operand_count; ++k) all = all && single[step.operands[k]];
    if (!all) continue;
    single[step.out] = 1;
    step.run(slot(step.operands[0]), slot(step.operands[1]), slot(step.operands[2]), slot(step.out), 1);
    if (width > lanes) std::fill_n(slot(step.out), width, *slot(step.out));
  }
  for (std::size_t begin = 0; begin < out.size(); begin += width) {
    const std::size_t count = std::min(width, out.size() - begin), packs = padded(count) / lanes;
    for (std::size_t k = 0; k < arguments_; ++k) {
      if (single[k]) continue;
      std::copy_n(arguments[k].begin() + static_cast<std::ptrdiff_t>(begin), count, slot(k));
      std::fill_n(slot(k) + count, padded(count) - count, arguments[k][begin]);
    }
    for (const auto& step : steps_) {
      if (single[step.out]) continue;
      step.run(slot(step.operands[0]), slot(step.operands[1]), slot(step.operands[2]), slot(step.out), packs);
    }
    std::copy_n(slot(result_), count, out.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

std::vector<double> evaluate_constant(const Expression& expression) {
  if (expression.node().op == Op::constant) return *expression.node().attributes.values;
  const auto order = topological_order({expression});
  std::unordered_map<const Node*, std::size_t> places;
  std::vector<std::vector<double>> values(order.size());
  std::vector<const double*> operands;
  std::vector<double> repeated[3];
  for (std::size_t at = 0; at < order.size(); ++at) {
    const Node& node = order[at].node();
    places.emplace(&node, at);
    const auto size = static_cast<std::size_t>(node.shape.size());
    if (node.op == Op::constant) {
      values[at] = *node.attributes.values;
      values[at].resize(padded(size));
      continue;
    }
    if (node.inputs.empty()) throw std::logic_error("not a constant: " + order[at].describe());
    values[at].resize(padded(size));
    operands.clear();
    const bool elementwise = is_elementwise(node.op);
    for (const auto& input : node.inputs) {
      const auto& value = values[places.at(input.pointer().get())];
      operands.push_back(value.data());
      if (!elementwise || input.shape().size() == node.shape.size()) continue;
      auto& full = repeated[operands.size() - 1];  // one number for all elements
      full.assign(padded(size), value[0]);
      operands.back() = full.data();
    }
    operands.resize(std::max<std::size_t>(operands.size(), 3), nullptr);
    if (elementwise) {
      strip_function<double>(node.op, StripForm::arrays)(operands[0], operands[1], operands[2], values[at].data(),
                                                         padded(size) / lanes);
    } else {
      DenseWorkspace<double> workspace(node);
      evaluate_dense(node, operands.data(), values[at].data(), workspace);
    }
  }
  values.back().resize(static_cast<std::size_t>(expression.shape().size()));
  return std::move(values.back());
}

}  // namespace sgmcmc::stan
