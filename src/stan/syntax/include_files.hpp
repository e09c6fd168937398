// Replaces the #include lines of a model by the files they name.
#pragma once

#include "stan/syntax/source.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sgmcmc::stan {

/// The text with all files included, and their paths. Searches for a file next to the including file, then in the
/// folders in order. Throws StanError at the line of a file that is not found, or that includes itself.
struct IncludedText {
  std::shared_ptr<const Source> source;
  std::vector<std::string> files;  ///< unique paths, in order of first inclusion
};
IncludedText include_files(std::string name, const std::string& text, const std::vector<std::string>& folders);

}  // namespace sgmcmc::stan
