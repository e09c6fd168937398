// Points without a finite log density: names the statements of the model that reject them.
#pragma once

#include "stan/binding/model_file.hpp"

#include <sgmcmc/error.hpp>

#include <string>
#include <utility>

namespace sgmcmc {

/// Runs work(); where it finds no point with a finite log density, the error also names the statements that reject
/// some.
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
