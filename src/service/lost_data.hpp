// Handles data files that are truncated or become unreadable during a run.
#pragma once

namespace sgmcmc {

/// From now on, losing a data file ends the program with a message that names the file. For programs, not for libraries
/// inside other programs.
void end_when_data_are_lost();
/// The same within another program: the message is written, and the handler there was before does the rest.
void name_data_that_are_lost();

}  // namespace sgmcmc
