// Running a part of a model forwards: only its priors, or only the law of the data given the parameters.
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

/// Statements that were not written as `~` but may be left out when parameters are drawn: the likelihood's.
using LikelihoodSpans = std::vector<Span>;

std::set<std::string> names_declared(const ProgramBlock& block);
bool share_any(const std::set<std::string>& a, const std::set<std::string>& b);

/// Takes what does not belong to the part out of the model block, in which increments have been written as `~` where
/// they can be. Throws StanError at a statement that belongs to the part and does not say how to draw.
void keep_part(Program& program, const Source& source, ForwardPart part, const LikelihoodSpans& likelihood);

/// Takes out parameters that have no proper prior, or depend on one that has none. Returns their names.
std::set<std::string> remove_improper(Program& program);

/// Takes out statements that draw nothing and compute nothing that drawing needs.
void remove_unneeded(std::vector<StatementPointer>& statements);

}  // namespace sgmcmc::stan
