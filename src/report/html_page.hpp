// One self-contained HTML file: text that is readable without scripts, numbers as JSON, and the script that draws them.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// The top of the page, shown without scripts.
struct PageHeading {
  std::string title;               ///< of the window and the page
  std::string subtitle;            ///< may be empty
  std::string trust;               ///< "trust", "do not trust", ...; empty: no verdict; "plain": nothing to judge
  std::string headline;            ///< the verdict in a few words
  std::vector<std::string> words;  ///< sentences below it
};

/// live: the page asks its server for new numbers; otherwise it has no network access.
std::string html_page(const PageHeading& heading, const nlohmann::ordered_json& data, bool live = false);

/// Escapes text for the content of an element or the value of an attribute.
std::string html_text(std::string_view text);
/// JSON that is safe inside a script element: ASCII, without <, > and &; NaN and infinities are null.
std::string json_for_script(const nlohmann::ordered_json& data);

std::string base64(std::span<const std::uint8_t> bytes);
std::vector<std::uint8_t> bytes_in(std::string_view base64);  ///< decodes the result of base64()
/// Rounds to this many significant digits, which makes the JSON short; null if non-finite.
nlohmann::ordered_json rounded(double x, int digits = 6);

}  // namespace sgmcmc
