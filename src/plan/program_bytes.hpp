// A program as bytes, for another process that runs the same one.
#pragma once

#include "plan/program.hpp"

#include <string>
#include <string_view>

namespace sgmcmc {

std::string bytes_of_program(const Program& program);
/// Throws RankError if the bytes are not a program.
Program program_of_bytes(std::string_view bytes);

}  // namespace sgmcmc
