// Rows of the summary, and their layout as a table and as JSON.
#include "report/summary_table.hpp"

#include "base/thread_pool.hpp"
#include "diagnose/summarise.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace sgmcmc {

std::vector<SummaryRow> summary_rows(const MemoryDraws& draws, int threads) {
  const std::size_t parameters = draws.parameters();
  const auto workers = static_cast<std::size_t>(threads > 0 ? threads : hardware_threads());
  // Draws lie one after the other: taking several parameters at once reads each piece of memory once.
  const std::size_t together = std::clamp<std::size_t>(parameters / workers, 1, 16);
  const std::size_t blocks = (parameters + together - 1) / together;
  const bool weighted = !draws.equal_weights();
  std::vector<SummaryRow> rows(parameters);
  ThreadPool pool(static_cast<int>(std::clamp<std::size_t>(blocks, 1, workers)));
  std::vector<DiagnoseWorkspace> workspaces(static_cast<std::size_t>(pool.threads()));
  pool.for_each(blocks, [&](std::size_t block, int thread) {
    const std::size_t first = block * together, count = std::min(together, parameters - first);
    std::vector<QuantityDraws> quantities(count);
    for (std::size_t chain = 0; chain < draws.chains(); ++chain) {
      const std::size_t length = draws.draws(chain);
      for (QuantityDraws& quantity : quantities) {
        quantity.chains.emplace_back(length);
        if (weighted) quantity.weights.emplace_back(draws.weights(chain).begin(), draws.weights(chain).end());
      }
      for (std::size_t k = 0; k < length; ++k)
        for (std::size_t p = 0; p < count; ++p) quantities[p].chains[chain][k] = draws(chain, k, first + p);
    }
    for (std::size_t p = 0; p < count; ++p)
      rows[first + p] = {draws.names()[first + p],
                         summarise(quantities[p], workspaces[static_cast<std::size_t>(thread)])};
  });
  return rows;
}

namespace {

constexpr std::size_t columns = 9;
constexpr std::array<const char*, columns> titles = {"mean", "mcse",     "sd",       "5%",  "50%",
                                                     "95%",  "ess_bulk", "ess_tail", "rhat"};

template <class... Arguments>
std::string formatted(const char* format, Arguments... arguments) {
  char text[64];
  std::snprintf(text, sizeof text, format, arguments...);
  return text;
}

/// "-2.50e12": a plus sign and zeros in the exponent are room for nothing.
std::string scientific(double value, int decimals) {
  std::string text = formatted("%.*e", decimals, value);
  const std::size_t sign = text.find('e') + 1;
  const std::size_t digits = std::min(text.find_first_not_of('0', sign + 1), text.size() - 1);
  text.erase(sign + 1, digits - sign - 1);
  if (text[sign] == '+') text.erase(sign, 1);
  return text;
}

std::string not_finite(double value) { return std::isnan(value) ? "-" : value > 0 ? "inf" : "-inf"; }

/// The power of ten of the first digit.
int magnitude(double value) { return value == 0.0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value)))); }

/// With this many decimals, fewer where the cell is too narrow, and with powers of ten where zeros would fill it.
std::string number(double value, int decimals, std::size_t width) {
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

/// Digits of the mean, and of what is as uncertain as it, end where its Monte Carlo error begins.
std::array<std::string, columns> cells_of(const QuantitySummary& s, std::size_t width) {
  const bool known = std::isfinite(s.mcse_mean) && s.mcse_mean > 0.0;
  const double largest = std::max(std::abs(s.mean), s.standard_deviation);
  const int decimals = known ? -magnitude(s.mcse_mean) : std::isfinite(largest) ? 3 - magnitude(largest) : 3;
  return {number(s.mean, decimals, width),
          number(s.mcse_mean, decimals + 1, width),
          number(s.standard_deviation, decimals, width),
          number(s.q5, decimals, width),
          number(s.q50, decimals, width),
          number(s.q95, decimals, width),
          size_cell(s.ess_bulk),
          size_cell(s.ess_tail),
          rhat_cell(s.rhat)};
}

/// What a terminal shows, not bytes: a name may have letters beyond ASCII.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string summary_table(const std::vector<SummaryRow>& rows, const SummaryTableOptions& options) {
  const std::size_t shown = options.most_rows == 0 ? rows.size() : std::min(rows.size(), options.most_rows);
  std::size_t name_width = 4;
  for (std::size_t k = 0; k < shown; ++k) name_width = std::max(name_width, width_of(rows[k].name));

  std::vector<std::array<std::string, columns>> cells(shown);
  std::array<std::size_t, columns> widths{};
  for (std::size_t widest = 9; widest >= 6; --widest) {  // fewer digits until lines fit, or names alone are too long
    for (std::size_t c = 0; c < columns; ++c) widths[c] = std::string_view(titles[c]).size();
    std::size_t width = name_width + columns;
    for (std::size_t k = 0; k < shown; ++k) {
      cells[k] = cells_of(rows[k].summary, widest);
      for (std::size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], cells[k][c].size());
    }
    for (const std::size_t w : widths) width += w;
    if (width <= options.width) break;
  }

  std::string table = "name" + std::string(name_width - 4, ' ');
  const auto add_cell = [&](std::string_view text, std::size_t width) {
    table.append(1 + width - text.size(), ' ').append(text);
  };
  for (std::size_t c = 0; c < columns; ++c) add_cell(titles[c], widths[c]);
  table += '\n';
  for (std::size_t k = 0; k < shown; ++k) {
    table += rows[k].name + std::string(name_width - width_of(rows[k].name), ' ');
    for (std::size_t c = 0; c < columns; ++c) add_cell(cells[k][c], widths[c]);
    table += '\n';
  }
  if (shown < rows.size())
    table += "... and " + std::to_string(rows.size() - shown) + " more (" + std::to_string(rows.size()) + " in all)\n";
  return table;
}

namespace {

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

void append_number(std::string& json, double value) {
  if (!std::isfinite(value)) {
    json += "null";
    return;
  }
  char text[32];
  json.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

void append_json_number(std::string& json, const char* name, double value) {
  json += std::string(", \"") + name + "\": ";
  append_number(json, value);
}

}  // namespace

std::string summary_json(const std::vector<SummaryRow>& rows, const SamplerReport& sampler) {
  std::string json = "{\"parameters\": [";
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const QuantitySummary& s = rows[k].summary;
    json += k == 0 ? "\n  {\"name\": " : ",\n  {\"name\": ";
    append_json_string(json, rows[k].name);
    append_json_number(json, "mean", s.mean);
    append_json_number(json, "sd", s.standard_deviation);
    append_json_number(json, "mcse_mean", s.mcse_mean);
    append_json_number(json, "q5", s.q5);
    append_json_number(json, "q50", s.q50);
    append_json_number(json, "q95", s.q95);
    append_json_number(json, "ess_bulk", s.ess_bulk);
    append_json_number(json, "ess_tail", s.ess_tail);
    append_json_number(json, "rhat", s.rhat);
    json += '}';
  }
  json += rows.empty() ? "]" : "\n]";
  if (sampler.has_statistics) {
    json += ",\n\"sampler\": {\"draws\": " + std::to_string(sampler.draws) +
            ", \"divergences\": " + std::to_string(sampler.divergences) +
            ", \"at_max_tree_depth\": " + std::to_string(sampler.at_max_depth) + ", \"ebfmi\": [";
    for (std::size_t k = 0; k < sampler.energy_fractions.size(); ++k) {
      if (k > 0) json += ", ";
      append_number(json, sampler.energy_fractions[k]);
    }
    json += "]}";
  }
  return json + "}\n";
}

}  // namespace sgmcmc
