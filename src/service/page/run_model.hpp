// The model and data of a run, read again from their files.
#pragma once

#include "data/variables.hpp"
#include "stan/binding/model_file.hpp"
#include "stan/forward/forward_part.hpp"

#include <string>

namespace sgmcmc {

struct RunModel {
  stan::ModelText text;
  DataVariables data;
  std::string rows;                  ///< the size that counts rows; empty: none
  stan::LikelihoodSpans likelihood;  ///< statements by rows
};

}  // namespace sgmcmc
