// Formats numbers for cells of a given width, and for JSON.
#include "report/cells.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace sgmcmc {
namespace {

/// "-2.50e12": omits the plus sign and leading zeros of the exponent, which take space.
std::string scientific(double value, int decimals) {
  std::string text = formatted("%.*e", decimals, value);
  const std::size_t sign = text.find('e') + 1;
  const std::size_t digits = std::min(text.find_first_not_of('0', sign + 1), text.size() - 1);
  text.erase(sign + 1, digits - sign - 1);
  if (text[sign] == '+') text.erase(sign, 1);
  return text;
}

std::string not_finite(double value) { return std::isnan(value) ? "-" : value > 0 ? "inf" : "-inf"; }

}  // namespace

int magnitude(double value) { return value == 0.0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value)))); }

std::string number_cell(double value, int decimals, std::size_t width) {
  if (!std::isfinite(value)) return not_finite(value);
  const int size = magnitude(value);
  if (value == 0.0 || size >= -3) {
    std::string text;
    int shown = std::clamp(decimals, 0, 9);
    do text = formatted("%.*f", shown, value);
    while (text.size() > width && shown-- > 0);
    if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);  // no "-0.00"
    if (text.size() <= width) return text;
  }
  std::string text;
  int shown = std::clamp(size + decimals, 1, 9);
  do text = scientific(value, shown);
  while (text.size() > width && shown-- > 1);
  return text;
}

std::string size_cell(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  return value < 1e8 ? formatted("%.0f", value) : scientific(value, 2);
}

std::string rhat_cell(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  return value < 10.0 ? formatted("%.3f", value) : value < 1000.0 ? formatted("%.1f", value) : scientific(value, 0);
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string short_cell(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  return number_cell(value, std::max(0, 2 - magnitude(value)), 9);
}

std::string hint_line(const std::string& how_to_see_all) {
  return (how_to_see_all.empty() ? "" : "; " + how_to_see_all) + "\n";
}

void append_json_string(std::string& json, const std::string& text) {
  json += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      json += formatted("\\u%04x", static_cast<unsigned>(c));
    else
      json += c;
  }
  json += '"';
}

void append_json_number(std::string& json, const char* name, double value) {
  json += std::string(", \"") + name + "\": ";
  append_json_number(json, value);
}

void append_json_number(std::string& json, double value) {
  if (!std::isfinite(value)) {
    json += "null";
    return;
  }
  char text[32];
  json.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

}  // namespace sgmcmc
