// Prepares a model to be run forwards: orders its statements, or throws with the place and what to write instead.
#pragma once

#include "stan/binding/model_file.hpp"

#include <set>
#include <string>

namespace sgmcmc::stan {

struct ForwardProgram {
  /// Throws StanError at a statement that cannot be drawn from.
  explicit ForwardProgram(const ModelText& text);

  /// A copy whose model block includes the transformed parameters, in an order in which statements can be run.
  Program program;
  std::set<std::string> drawn;    ///< parameters and data that statements draw
  std::set<std::string> varying;  ///< drawn variables, flat parameters, and all variables computed from them
};

}  // namespace sgmcmc::stan
