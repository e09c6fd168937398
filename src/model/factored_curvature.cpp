// Differentiates the slopes of the factored row gradients and factors the resulting second derivatives.
#include "model/factored_curvature.hpp"

#include "graph/build.hpp"
#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"

#include <algorithm>
#include <map>

namespace sgmcmc {
namespace {

constexpr std::size_t most_leaves = 6, most_parts = 64;

/// One leaf per parameter, in order. Parameters that the slopes do not depend on get a new leaf.
std::vector<Expression> leaves_of(const Model& model, const std::vector<Expression>& slopes) {
  std::map<std::int64_t, Expression> reached;
  for (const auto& x : topological_order(slopes))
    if (x.node().op == Op::parameter && x.node().attributes.point == Point::current)
      reached[x.node().attributes.offset] = x;
  std::vector<Expression> leaves;
  for (const auto& info : model.parameters()) {
    if (info.unconstrained_size == 0) continue;
    const auto found = reached.find(info.offset);
    leaves.push_back(found != reached.end() ? found->second
                                            : parameter_leaf(info.name, Shape{info.unconstrained_size}, info.offset));
  }
  return leaves;
}

}  // namespace

std::optional<FactoredCurvature> factor_curvature(const LogPosterior& posterior) {
  if (!posterior.model().row_log_likelihood()) return std::nullopt;
  const auto rows = posterior.factored_rows(ProgramKind::row_gradients);
  if (!rows || rows->parts.size() > most_parts) return std::nullopt;
  const auto leaves = leaves_of(posterior.model(), rows->slopes);
  if (leaves.size() > most_leaves) return std::nullopt;
  DifferentiateOptions by_row;
  by_row.per_row = true;
  std::vector<Expression> values;
  for (std::size_t k = 0; k < rows->slopes.size(); ++k) {
    const auto& slope = rows->slopes[k];
    if (!slope.per_row()) return std::nullopt;
    std::vector<Expression> of_slope(rows->parts.size(), Expression(0.0));
    const auto derivatives = differentiate(slope.shape().is_scalar() ? slope : sum(slope), leaves, by_row);
    for (std::size_t l = 0; l < derivatives.size(); ++l) {
      if (build::is_constant(derivatives[l], 0.0)) continue;
      const auto factored = factor_gradient(derivatives[l], leaves[l].node().attributes.offset);
      if (!factored) return std::nullopt;
      for (std::size_t part = 0; part < factored->parts.size(); ++part) {
        const auto found = std::find(rows->parts.begin(), rows->parts.end(), factored->parts[part]);
        if (found == rows->parts.end()) return std::nullopt;
        of_slope[static_cast<std::size_t>(found - rows->parts.begin())] = -factored->slopes[part];
      }
    }
    values.insert(values.end(), of_slope.begin(), of_slope.begin() + static_cast<std::ptrdiff_t>(k) + 1);
  }
  return FactoredCurvature{rows->parts, std::make_shared<const Program>(compile_program(values, {}))};
}

}  // namespace sgmcmc
