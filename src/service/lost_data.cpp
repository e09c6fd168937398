// Forwards to the data layer.
#include "service/lost_data.hpp"

#include "data/lost_file.hpp"

namespace sgmcmc {

void end_when_data_are_lost() { end_when_a_file_is_lost(); }
void name_data_that_are_lost() { name_files_that_are_lost(); }

}  // namespace sgmcmc
