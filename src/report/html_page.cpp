// Escapes text, and assembles the parts of a page.
#include "report/html_page.hpp"

#include "report/json_text.hpp"
#include "report/page_assets.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace sgmcmc {
namespace {

constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::vector<std::uint8_t> bytes_of(std::string_view hexadecimal) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t k = 0; k + 1 < hexadecimal.size(); k += 2)
    bytes.push_back(
        static_cast<std::uint8_t>(std::strtoul(std::string(hexadecimal.substr(k, 2)).c_str(), nullptr, 16)));
  return bytes;
}

/// Allows only our own script to run, whatever names contain, and nothing to be fetched except, if live, from the
/// server.
std::string security_policy(bool live) {
  return "default-src 'none'; script-src 'sha256-" + base64(bytes_of(page_script_hash())) +
         "'; style-src 'unsafe-inline'; img-src data:" + (live ? "; connect-src 'self'" : "") +
         "; base-uri 'none'; form-action 'none'";
}

/// Replaces invalid UTF-8 by U+FFFD, and control characters by spaces.
std::string clean_text(std::string_view text) {
  std::string checked = parsed_json(json_text(text)).get<std::string>();
  for (char& c : checked)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') c = ' ';
  return checked;
}

/// A symbol beside the verdict, for readers who cannot see its colour; empty if there is nothing to judge.
std::string mark_of(std::string_view trust) {
  if (trust == "plain") return "";
  if (trust == "trust") return "\u2713";
  if (trust == "do not trust") return "\u2715";
  return trust == "caution" ? "!" : "?";
}

std::string class_of(std::string_view trust) {
  if (trust == "trust" || trust == "caution" || trust == "plain") return std::string(trust);
  return trust == "do not trust" ? "wrong" : "open";
}

/// Formats names in backquotes as code.
std::string sentence_html(std::string_view text) {
  const std::string escaped = html_text(text);
  std::string html;
  for (std::size_t begin = 0; begin < escaped.size();) {
    const auto open = escaped.find('`', begin), close = escaped.find('`', open + 1);
    if (open == std::string::npos || close == std::string::npos) return html + escaped.substr(begin);
    html += escaped.substr(begin, open - begin) + "<code>" + escaped.substr(open + 1, close - open - 1) + "</code>";
    begin = close + 1;
  }
  return html;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char c : clean_text(text)) switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  return escaped;
}

std::string json_for_script(const nlohmann::ordered_json& data) {
  const std::string plain = ascii_json_text(data);
  std::string text;
  text.reserve(plain.size());
  for (const char c : plain) switch (c) {  // these occur only inside strings
      case '<': text += "\\u003c"; break;
      case '>': text += "\\u003e"; break;
      case '&': text += "\\u0026"; break;
      default: text += c;
    }
  return text;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t left = bytes.size() - k;
    const std::uint32_t group = static_cast<std::uint32_t>(bytes[k]) << 16 |
                                (left > 1 ? static_cast<std::uint32_t>(bytes[k + 1]) << 8 : 0U) |
                                (left > 2 ? static_cast<std::uint32_t>(bytes[k + 2]) : 0U);
    text += letters[group >> 18];
    text += letters[group >> 12 & 63];
    text += left > 1 ? letters[group >> 6 & 63] : '=';
    text += left > 2 ? letters[group & 63] : '=';
  }
  return text;
}

std::vector<std::uint8_t> bytes_in(std::string_view base64) {
  std::vector<std::uint8_t> bytes;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : base64) {
    const auto value = letters.find(c);
    if (value == std::string_view::npos) break;  // padding with =
    group = group << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<std::uint8_t>(group >> bits & 255));
  }
  return bytes;
}

nlohmann::ordered_json rounded(double x, int digits) {
  if (!std::isfinite(x)) return nullptr;
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, x);
  const double short_number = std::strtod(text, nullptr);
  if (!std::isfinite(short_number)) return x;  // the largest numbers would round to infinity
  constexpr double most_exact = 1e15;
  if (short_number == std::floor(short_number) && std::abs(short_number) < most_exact)
    return static_cast<std::int64_t>(short_number);
  return short_number;
}

std::string html_page(const PageHeading& heading, const nlohmann::ordered_json& data, bool live) {
  std::string page = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"sgmcmc " +
          std::string(SGMCMC_VERSION) + "\">\n";
  page += "<meta http-equiv=\"Content-Security-Policy\" content=\"" + security_policy(live) + "\">\n";
  page += "<title>" + html_text(heading.title) + "</title>\n<style>\n" + std::string(page_style()) + "</style>\n";
  page += "</head>\n<body>\n<header>\n<h1>" + html_text(heading.title) + "</h1>\n";
  if (!heading.subtitle.empty()) page += "<p class=\"subtitle\">" + html_text(heading.subtitle) + "</p>\n";
  page += "</header>\n<main id=\"main\">\n";
  page += "<section id=\"verdict\" class=\"card verdict " + class_of(heading.trust) +
          "\" aria-labelledby=\"verdict-title\">\n<h2 id=\"verdict-title\">";
  if (const std::string mark = mark_of(heading.trust); !mark.empty())
    page += "<span class=\"mark\" aria-hidden=\"true\">" + mark + "</span> ";
  page += html_text(heading.headline) + "</h2>\n";
  for (std::size_t k = 0; k < heading.words.size(); ++k)
    page += std::string(k == 0 ? "<p class=\"lead\">" : "<p>") + sentence_html(heading.words[k]) + "</p>\n";
  page +=
      "</section>\n<noscript><p class=\"card\">Tables and pictures need JavaScript. They are drawn in this window; "
      "nothing is sent or fetched.</p></noscript>\n</main>\n";
  page += "<script type=\"application/json\" id=\"data\">" + json_for_script(data) + "</script>\n";
  page += "<script>" + std::string(page_script()) + "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace sgmcmc
