// Evaluates ops on constants with the strip functions and dense ops that plans use.
#include "plan/evaluate.hpp"

#include "base/pack.hpp"
#include "plan/dense.hpp"
#include "plan/elementwise.hpp"

namespace sgmcmc {

std::vector<double> evaluate_on_constants(const Node& node) {
  const auto size = static_cast<std::size_t>(node.shape.size());
  const std::size_t packs = (size + pack_width<double> - 1) / pack_width<double>;
  const std::size_t width = packs * pack_width<double>;
  std::vector<std::vector<double>> operands;
  std::vector<const double*> pointers;
  for (const auto& input : node.inputs) {
    auto values = *input.node().attributes.values;
    if (is_elementwise(node.op)) values.resize(width, input.shape().is_scalar() && !values.empty() ? values[0] : 0.0);
    operands.push_back(std::move(values));
  }
  for (const auto& values : operands) pointers.push_back(values.data());
  pointers.resize(std::max<std::size_t>(pointers.size(), 3), nullptr);
  std::vector<double> result(width);
  if (is_elementwise(node.op)) {
    strip_function<double>(node.op, StripForm::arrays)(pointers[0], pointers[1], pointers[2], result.data(), packs);
  } else {
    DenseWorkspace<double> workspace(node);
    evaluate_dense(node, pointers.data(), result.data(), workspace);
  }
  result.resize(size);
  return result;
}

}  // namespace sgmcmc
