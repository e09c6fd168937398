// Distinguishes interruptions and errors in Stan programs from other errors.
#include "service/errors.hpp"

#include "base/interrupt.hpp"
#include "stan/lowering/limits.hpp"

namespace sgmcmc {

bool is_interruption(const Error& error) {
  return dynamic_cast<const InterruptedError*>(&error) != nullptr ||
         dynamic_cast<const stan::InterruptedError*>(&error) != nullptr;
}

bool begins_with_place(const Error& error) { return dynamic_cast<const stan::StanError*>(&error) != nullptr; }

}  // namespace sgmcmc
