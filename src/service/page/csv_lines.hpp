// Parses lines of the CSV files that runs write next to their draws.
#pragma once

#include <string>
#include <vector>

namespace sgmcmc {

/// The fields of a line; quoted fields may contain commas.
std::vector<std::string> csv_fields(const std::string& line);

}  // namespace sgmcmc
