// Properties of an error that front ends need besides its message.
#pragma once

#include <sgmcmc/error.hpp>

namespace sgmcmc {

/// True if the user interrupted the operation.
bool is_interruption(const Error& error);
/// True for a mistake in the text of a model: the message begins with file, line and column, like those of compilers.
bool begins_with_place(const Error& error);

}  // namespace sgmcmc
