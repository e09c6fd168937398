// A model made ready to be run forwards: its statements in order, or a refusal with the place and what to write
// instead.
#pragma once

#include "stan/binding/model_file.hpp"

#include <set>
#include <string>

namespace sgmcmc::stan {

struct ForwardProgram {
  /// Throws StanError at what cannot be drawn.
  explicit ForwardProgram(const ModelText& text);

  /// A copy whose model block holds the transformed parameters too, all in the order in which they can be run.
  Program program;
  std::set<std::string> drawn;    ///< parameters and data that statements draw
  std::set<std::string> varying;  ///< these, flat parameters, and all variables computed from them
};

}  // namespace sgmcmc::stan
