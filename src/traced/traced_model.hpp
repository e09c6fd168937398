// A model from a traced graph: its densities lowered to one row, bound to the data.
#pragma once

#include "traced/graph.hpp"

#include <sgmcmc/model.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc::traced {

struct TracedParameter {
  std::string name;
  Shape shape;
};

/// Values of all rows, which must stay valid until the model is built.
struct TracedColumn {
  std::string name;
  std::span<const double> values;
  Shape row_shape;
  bool by_column = false;  ///< column-major, as in R; else row-major
};

struct TracedModel {
  Model model;
  std::vector<std::string> warnings;
};

/// likelihood: a node that is a sum over the rows of a minibatch. prior: a node that depends on no data; none: flat.
/// Throws ModelError, with the user's call, if there is no density of one row, and DataError.
TracedModel traced_model(const TracedGraph& graph, const std::vector<TracedParameter>& parameters,
                         const std::vector<TracedColumn>& columns, std::size_t likelihood,
                         std::optional<std::size_t> prior);
/// The same for a minibatch of all rows: the data are constants, and a density may depend on all rows at once.
TracedModel whole_traced_model(const TracedGraph& graph, const std::vector<TracedParameter>& parameters,
                               const std::vector<TracedColumn>& columns, std::size_t likelihood,
                               std::optional<std::size_t> prior);

}  // namespace sgmcmc::traced
