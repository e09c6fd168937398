// Runs a part of a model forwards: only its priors, or only the distribution of the data given the parameters.
#pragma once

#include "stan/syntax/tree.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc::stan {

enum class ForwardPart : std::uint8_t {
  everything,  ///< parameters from their priors, then data
  parameters,  ///< from their priors
  data,        ///< given parameters
};

/// Statements of the likelihood that are not written as `~`, and may be omitted when parameters are drawn.
using LikelihoodSpans = std::vector<Span>;

std::set<std::string> names_declared(const ProgramBlock& block);
bool share_any(const std::set<std::string>& a, const std::set<std::string>& b);

/// Removes statements of the other part from the model block, in which increments have been rewritten as `~` if
/// possible. Throws StanError at a statement of this part that cannot be drawn from.
void keep_part(Program& program, const Source& source, ForwardPart part, const LikelihoodSpans& likelihood);

/// Removes parameters that have no proper prior, or depend on such a parameter. Returns their names.
std::set<std::string> remove_improper(Program& program);

/// Removes statements that draw nothing and compute nothing that is needed for drawing.
void remove_unneeded(std::vector<StatementPointer>& statements);

}  // namespace sgmcmc::stan
