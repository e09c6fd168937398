// The slopes of gradients, differentiated once more and factored in their turn.
#include "model/factored_curvature.hpp"

#include "graph/build.hpp"
#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"

#include <map>

namespace sgmcmc {
namespace {

constexpr std::size_t most_parts = 6;

/// One leaf per parameter, in order: those that the slopes reach, and others in place of those they do not.
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
  if (leaves.size() != rows->parts.size()) return std::nullopt;
  DifferentiateOptions by_row;
  by_row.per_row = true;
  std::vector<Expression> values;
  for (const auto& slope : rows->slopes) {
    if (!slope.per_row()) return std::nullopt;
    const auto derivatives = differentiate(slope.shape().is_scalar() ? slope : sum(slope), leaves, by_row);
    for (std::size_t l = 0; l < derivatives.size(); ++l) {
      if (build::is_constant(derivatives[l], 0.0)) {
        values.emplace_back(0.0);
        continue;
      }
      const auto factored = factor_rows({derivatives[l]});
      if (!factored || factored->parts[0].column != rows->parts[l].column) return std::nullopt;
      values.push_back(-factored->slopes[0]);
    }
  }
  return FactoredCurvature{rows->parts, std::make_shared<const Program>(compile_program(values, {}))};
}

}  // namespace sgmcmc
