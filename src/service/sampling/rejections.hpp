// Names the statements of a model that reject points, if no point has a finite log density.
#pragma once

#include "stan/binding/model_file.hpp"

#include <sgmcmc/error.hpp>

#include <string>
#include <utility>

namespace sgmcmc {

/// Runs work(). If it finds no point with a finite log density, adds to the error the statements that reject points.
template <class Work>
auto naming_rejections(const stan::BoundModel& bound, Work&& work) {
  try {
    return work();
  } catch (const stan::StanError&) {
    throw;
  } catch (const ModelError& error) {
    const auto rejections = bound.rejections();
    if (rejections.empty()) throw;
    std::string text = std::string(error.what()) + ". The model rejects some parameters:";
    for (const auto& rejection : rejections) text += "\n" + rejection;
    throw ModelError(text);
  }
}

}  // namespace sgmcmc
