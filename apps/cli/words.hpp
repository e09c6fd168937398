// Words put together.
#pragma once

#include <string>
#include <string_view>

namespace sgmcmc::cli {

/// "a, b, c".
template <class Words>
std::string joined(const Words& words, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const auto& word : words) {
    if (!first) text += separator;
    first = false;
    text += word;
  }
  return text;
}

/// Said where a table leaves something out.
inline constexpr const char* how_to_see_all = "--all shows them";

}  // namespace sgmcmc::cli
