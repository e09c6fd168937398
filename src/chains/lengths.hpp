// Checks the options for the length of a run: iterations, thinning, chains, threads.
#pragma once

#include <sgmcmc/error.hpp>

#include <string>

namespace sgmcmc {

/// For SampleOptions or CycleOptions. Throws OptionError naming the option.
template <class Options>
void check_lengths(const Options& options) {
  if (options.iterations < 1) throw OptionError("iterations is 0; ask for at least 1");
  if (options.thin < 1) throw OptionError("thin is 0; 1 keeps every iteration");
  if (options.thin > options.iterations)
    throw OptionError("thin is " + std::to_string(options.thin) + " but iterations is " +
                      std::to_string(options.iterations) + "; no draw would be kept");
  if (options.chains < 1) throw OptionError("chains is 0; ask for at least 1");
  if (options.threads < 0)
    throw OptionError("threads is " + std::to_string(options.threads) + "; 0 means all there are");
}

}  // namespace sgmcmc
