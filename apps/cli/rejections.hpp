// Points without a finite log density: the statements of the model that reject them.
#pragma once

#include "cli/words.hpp"
#include "stan/model_file.hpp"

#include <sgmcmc/error.hpp>

#include <string>
#include <utility>

namespace sgmcmc::cli {

/// Does what may find no point with a finite log density; then says which statements reject some.
template <class Work>
auto naming_rejections(const stan::BoundModel& bound, Work&& work) {
  try {
    return work();
  } catch (const stan::StanError&) {
    throw;
  } catch (const ModelError& error) {
    const auto rejections = bound.rejections();
    if (rejections.empty()) throw;
    throw ModelError(std::string(error.what()) + ". The model rejects some parameters:\n" + joined(rejections, "\n"));
  }
}

}  // namespace sgmcmc::cli
