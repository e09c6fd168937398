// #include lines of a model replaced by the files they name.
#pragma once

#include "stan/syntax/source.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sgmcmc::stan {

/// The text with all files in it, and which they are. A file is looked for beside the one that includes it, then in
/// the folders, in their order. Throws StanError at the line of a file that is not found, or that includes itself.
struct IncludedText {
  std::shared_ptr<const Source> source;
  std::vector<std::string> files;  ///< paths, each once, in the order in which they are met
};
IncludedText include_files(std::string name, const std::string& text, const std::vector<std::string>& folders);

}  // namespace sgmcmc::stan
