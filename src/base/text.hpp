// Text for messages: similar names for a mistyped one, and lists of names.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// Edit distance: insertions, deletions, replacements and swaps of neighbours.
inline std::size_t edit_distance(std::string_view from, std::string_view to) {
  // Three rows of the usual table, because a swap looks two rows back.
  std::vector<std::size_t> before(to.size() + 1), previous(to.size() + 1), row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    before.swap(previous);
    previous.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[to.size()];
}

/// The candidate nearest to word (ignoring case; the first of equals), or an empty string if all are farther than one
/// edit in three letters.
template <class Candidates>
std::string nearest_name(std::string_view word, const Candidates& candidates) {
  const auto lowered = [](std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
  };
  const std::string wanted = lowered(word);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, (word.size() + 2) / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, lowered(candidate));
    if (distance < best_distance && distance < std::max<std::size_t>(1, std::string_view(candidate).size())) {
      best_distance = distance;
      best = std::string(candidate);
    }
  }
  return best;
}

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

/// Formats like printf, truncated at 159 characters.
template <class... Arguments>
std::string formatted(const char* format, Arguments... arguments) {
  char text[160];
  std::snprintf(text, sizeof text, format, arguments...);
  return text;
}

/// Three digits, for messages.
inline std::string short_number(double x) { return formatted("%.3g", x); }

/// "'a', 'b', 'c'".
template <class Names>
std::string quoted_list(const Names& names) {
  std::string result;
  for (const auto& name : names) {
    if (!result.empty()) result += ", ";
    result += '\'' + std::string(name) + '\'';
  }
  return result;
}

/// " Did you mean 'x'?" to append to a message, or, if no name is similar, the list of names.
template <class Candidates>
std::string did_you_mean(std::string_view word, const Candidates& candidates) {
  const std::string nearest = nearest_name(word, candidates);
  if (!nearest.empty()) return " Did you mean '" + nearest + "'?";
  const std::string known = quoted_list(candidates);
  return known.empty() ? "" : " There are: " + known + ".";
}

}  // namespace sgmcmc
