// One self-contained HTML file: text that is readable without scripts, numbers as JSON, and the script that draws them.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// What is shown without scripts, at the top.
struct PageHeading {
  std::string title;     ///< of the window and the page
  std::string subtitle;  ///< may be empty
  std::string trust;     ///< "trust", "do not trust", ...; empty: no verdict; "plain": there is nothing to judge
  std::string headline;  ///< the verdict in a few words
  std::vector<std::string> words;  ///< sentences below it
};

/// live: the page asks the server that it came from for new numbers; otherwise it can reach nothing.
std::string html_page(const PageHeading& heading, const nlohmann::ordered_json& data, bool live = false);

/// Text as content of an element or value of an attribute.
std::string html_text(std::string_view text);
/// JSON that may stand inside a script element: ASCII, without the characters of tags, NaN and infinities as null.
std::string json_for_script(const nlohmann::ordered_json& data);

std::string base64(std::span<const std::uint8_t> bytes);
std::vector<std::uint8_t> bytes_in(std::string_view base64);  ///< what base64() wrote
/// Rounded to so many significant digits, which makes it short in JSON; null where it is not finite.
nlohmann::ordered_json rounded(double x, int digits = 6);

}  // namespace sgmcmc
