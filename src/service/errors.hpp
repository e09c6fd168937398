// What a front end must know of an error beside its message.
#pragma once

#include <sgmcmc/error.hpp>

namespace sgmcmc {

/// The user interrupted what was going on.
bool is_interruption(const Error& error);
/// A mistake in the text of a model: the message begins with file, line and column, as those of compilers do.
bool begins_with_place(const Error& error);

}  // namespace sgmcmc
