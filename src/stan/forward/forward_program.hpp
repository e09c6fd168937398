// Prepares a model to be run forwards: orders its statements, or throws with the place and what to write instead.
#pragma once

#include "stan/binding/model_file.hpp"
#include "stan/forward/forward_part.hpp"

#include <set>
#include <string>

namespace sgmcmc::stan {

struct ForwardProgram {
  /// Throws StanError at a statement that cannot be drawn from. `likelihood`: its statements, for the part
  /// `parameters`.
  explicit ForwardProgram(const ModelText& text, ForwardPart part = ForwardPart::everything,
                          const LikelihoodSpans& likelihood = {});

  /// A copy whose model block includes the transformed parameters, in an order in which statements can be run.
  Program program;
  std::set<std::string> drawn;    ///< parameters and data that statements draw
  std::set<std::string> varying;  ///< drawn variables, flat parameters, and all variables computed from them
  /// Part `parameters`: variables without a proper prior, and those that depend on them; these are not drawn.
  std::set<std::string> improper;
};

}  // namespace sgmcmc::stan
