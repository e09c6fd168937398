// A model made ready to be run forwards: its statements in order, or a refusal with the place and what to write
// instead.
#pragma once

#include "stan/binding/model_file.hpp"
#include "stan/forward/forward_part.hpp"

#include <set>
#include <string>

namespace sgmcmc::stan {

struct ForwardProgram {
  /// Throws StanError at what cannot be drawn. likelihood: statements of it, for the part `parameters`.
  explicit ForwardProgram(const ModelText& text, ForwardPart part = ForwardPart::everything,
                          const LikelihoodSpans& likelihood = {});

  /// A copy whose model block holds the transformed parameters too, all in the order in which they can be run.
  Program program;
  std::set<std::string> drawn;    ///< parameters and data that statements draw
  std::set<std::string> varying;  ///< these, flat parameters, and all variables computed from them
  /// Part `parameters`: what has no proper prior, or depends on something that has none, and is not drawn.
  std::set<std::string> improper;
};

}  // namespace sgmcmc::stan
