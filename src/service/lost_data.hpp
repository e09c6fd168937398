// Data files that are cut, or can no longer be read, while a run uses them.
#pragma once

namespace sgmcmc {

/// From now on, such a file ends the program with a message that names it. For programs, not for libraries in others.
void end_when_data_are_lost();

}  // namespace sgmcmc
