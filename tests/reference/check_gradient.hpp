// The derivative checker: the graph's gradient against forward-mode duals and against finite differences.
//
// The function may be global (one value) or per-row (one value, hence one gradient, for every row). Both the evaluation
// and the construction of the gradient graph can be replaced, to check the executor and to plant errors.
#pragma once

#include "graph/differentiate.hpp"
#include "reference/compare.hpp"
#include "reference/row_table.hpp"

#include <sgmcmc/expression.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sgmcmc::reference {

/// Values of the outputs, each flat; a per-row output has its rows one after another.
using Backend = std::function<std::vector<std::vector<double>>(const std::vector<Expression>& outputs, const RowTable&,
                                                               const ParameterVectors<double>&)>;
using Differentiator = std::function<std::vector<Expression>(const Expression&, const std::vector<Expression>&)>;

std::vector<std::vector<double>> evaluate_naively(const std::vector<Expression>& outputs, const RowTable& data,
                                                  const ParameterVectors<double>& point);

struct CheckOptions {
  double dual_tolerance = 1e-10;
  double difference_tolerance = 1e-6;
  Backend backend = evaluate_naively;
  Differentiator differentiator = [](const Expression& f, const std::vector<Expression>& leaves) {
    return differentiate(f, leaves, {.per_row = f.per_row(), .redirect = {}});
  };
};

struct GradientReport {
  Disagreement dual;        ///< of the graph's gradient with forward mode
  Disagreement difference;  ///< of the graph's gradient with finite differences
  bool dual_agrees = false;
  bool difference_agrees = false;
  std::string failure;  ///< empty when both agree

  bool agrees() const { return dual_agrees && difference_agrees; }
};

/// Every node that the expressions are made of, each once.
std::vector<Expression> nodes_of(const std::vector<Expression>& roots);

/// The leaves of f that read theta.
std::vector<Expression> parameter_leaves(const Expression& f);

/// Gradients with respect to leaves, put together to gradients with respect to theta: [outputs][theta], flat.
std::vector<double> assemble(const std::vector<Expression>& leaves, const std::vector<Expression>& gradients,
                             const std::vector<std::vector<double>>& values, std::size_t outputs,
                             std::size_t theta_size);

/// Forward-mode gradient [outputs][theta]: one pass of the evaluator for every parameter.
std::vector<double> dual_gradient(const Expression& f, const RowTable& data, const ParameterVectors<double>& point);

/// Holds a gradient [outputs][theta] against both oracles.
GradientReport compare_gradient(const Expression& f, const RowTable& data, const ParameterVectors<double>& point,
                                const std::vector<double>& gradient, const CheckOptions& options = {});

/// Differentiates f with respect to every parameter leaf in it and holds the result against both oracles.
GradientReport check_gradient(const Expression& f, const RowTable& data, const ParameterVectors<double>& point,
                              const CheckOptions& options = {});

/// The graph's Hessian-vector product, made by differentiating twice, with v read from Point::direction.
std::vector<Expression> hessian_vector_graph(const Expression& f, const std::vector<Expression>& leaves,
                                             const CheckOptions& options);

/// H(theta) v of a global f: the twice differentiated graph against duals of duals through f (reported as `dual`) and
/// against duals through the gradient graph (reported as `difference`, held to the same tolerance as `dual`).
GradientReport check_hessian_vector(const Expression& f, const RowTable& data, const ParameterVectors<double>& point,
                                    const CheckOptions& options = {});

}  // namespace sgmcmc::reference
