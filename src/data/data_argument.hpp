// The parts of an argument that names data.
#pragma once

#include <string>

namespace sgmcmc {

struct DataArgument {
  std::string text;  ///< as given
  std::string name;  ///< empty: the file's own names
  std::string file;
  std::string columns;  ///< empty: the whole file
};

/// FILE, NAME=FILE or NAME=FILE:COLUMNS. Throws OptionError.
DataArgument parse_data_argument(const std::string& text);

}  // namespace sgmcmc
