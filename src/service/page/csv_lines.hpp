// Lines of the CSV files that runs write beside their draws.
#pragma once

#include <string>
#include <vector>

namespace sgmcmc {

/// The fields of a line; those in quotes may contain commas.
std::vector<std::string> csv_fields(const std::string& line);

}  // namespace sgmcmc
