// The rows of a summary, and their layout as a table and as JSON.
#include "report/summary_table.hpp"

#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "diagnose/summarise.hpp"
#include "report/cells.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace sgmcmc {

namespace {

/// ratio: variance of the shared error relative to that of the draws.
void add_shared_error(SummaryRow& row, double ratio) {
  QuantitySummary& s = row.summary;
  const double variance = ratio * s.standard_deviation * s.standard_deviation;
  const auto add = [](double& error, double more) { error = std::sqrt(error * error + more); };
  const auto reduce = [&](double& size) { size = 1.0 / (1.0 / size + ratio); };
  add(s.mcse_mean, variance);
  reduce(s.ess_bulk);
  reduce(s.ess_tail);
  if (!row.details) return;
  QuantityDetails& d = *row.details;
  add(d.mcse_sd, variance / 2);  // as the variance of the sd of normal draws is half that of their mean
  for (double* error : {&d.mcse_q5, &d.mcse_q50, &d.mcse_q95}) add(*error, variance);
  d.integrated_autocorrelation_time *= 1.0 + ratio * d.ess_mean;
  reduce(d.ess_mean);
  reduce(d.ess_sd);
}

}  // namespace

std::vector<SummaryRow> summary_rows(const MemoryDraws& draws, const SummaryRowsOptions& options) {
  std::vector<std::size_t> chosen(draws.parameters());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (options.parameters) chosen = *options.parameters;
  const std::size_t parameters = chosen.size();
  const auto workers = static_cast<std::size_t>(options.threads > 0 ? options.threads : hardware_threads());
  const std::size_t together = std::clamp<std::size_t>(parameters / workers, 1, 16);
  const std::size_t blocks = (parameters + together - 1) / together;
  double count = 0.0;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) count += static_cast<double>(draws.draws(chain));

  std::vector<SummaryRow> rows(parameters);
  ThreadPool pool(static_cast<int>(std::clamp<std::size_t>(blocks, 1, workers)));
  std::vector<DiagnoseWorkspace> workspaces(static_cast<std::size_t>(pool.threads()));
  pool.for_each(blocks, [&](std::size_t block, int thread) {
    const std::size_t first = block * together, length = std::min(together, parameters - first);
    const auto quantities = quantities_of(draws, std::span<const std::size_t>(chosen).subspan(first, length));
    for (std::size_t p = 0; p < length; ++p) {
      SummaryRow& row = rows[first + p];
      row.name = draws.names()[chosen[first + p]];
      if (options.details) row.details.emplace();
      row.summary =
          summarise(quantities[p], workspaces[static_cast<std::size_t>(thread)], row.details ? &*row.details : nullptr);
      if (const auto shared = options.shared_error.find(row.name); shared != options.shared_error.end())
        add_shared_error(row, shared->second);
      if (row.details)
        row.autocorrelation_time_per_computation =
            row.details->integrated_autocorrelation_time * options.seconds / count;
    }
  });
  return rows;
}

namespace {

enum class Kind { value, error, size, rhat, time, corrected_value, corrected_error };
/// What a row needs to have a value in a column.
enum class Needs { nothing, details, zero_variance };

/// A column: its key, its title in a table, the format of its numbers, and how to get them from a row.
struct Column {
  const char* key;
  const char* title;
  Kind kind;
  Needs needs;
  double (*of)(const SummaryRow& row);
};

constexpr std::size_t usual_columns = 9;
const Column every_column[] = {
    {"mean", "mean", Kind::value, Needs::nothing, [](const SummaryRow& r) { return r.summary.mean; }},
    {"mcse_mean", "mcse", Kind::error, Needs::nothing, [](const SummaryRow& r) { return r.summary.mcse_mean; }},
    {"sd", "sd", Kind::value, Needs::nothing, [](const SummaryRow& r) { return r.summary.standard_deviation; }},
    {"q5", "5%", Kind::value, Needs::nothing, [](const SummaryRow& r) { return r.summary.q5; }},
    {"q50", "50%", Kind::value, Needs::nothing, [](const SummaryRow& r) { return r.summary.q50; }},
    {"q95", "95%", Kind::value, Needs::nothing, [](const SummaryRow& r) { return r.summary.q95; }},
    {"ess_bulk", "ess_bulk", Kind::size, Needs::nothing, [](const SummaryRow& r) { return r.summary.ess_bulk; }},
    {"ess_tail", "ess_tail", Kind::size, Needs::nothing, [](const SummaryRow& r) { return r.summary.ess_tail; }},
    {"rhat", "rhat", Kind::rhat, Needs::nothing, [](const SummaryRow& r) { return r.summary.rhat; }},
    {"mcse_sd", "mcse_sd", Kind::error, Needs::details, [](const SummaryRow& r) { return r.details->mcse_sd; }},
    {"mcse_q5", "mcse_5%", Kind::error, Needs::details, [](const SummaryRow& r) { return r.details->mcse_q5; }},
    {"mcse_q50", "mcse_50%", Kind::error, Needs::details, [](const SummaryRow& r) { return r.details->mcse_q50; }},
    {"mcse_q95", "mcse_95%", Kind::error, Needs::details, [](const SummaryRow& r) { return r.details->mcse_q95; }},
    {"ess_mean", "ess_mean", Kind::size, Needs::details, [](const SummaryRow& r) { return r.details->ess_mean; }},
    {"ess_sd", "ess_sd", Kind::size, Needs::details, [](const SummaryRow& r) { return r.details->ess_sd; }},
    {"iat", "iat", Kind::time, Needs::details,
     [](const SummaryRow& r) { return r.details->integrated_autocorrelation_time; }},
    {"atuc", "atuc", Kind::time, Needs::details,
     [](const SummaryRow& r) { return r.autocorrelation_time_per_computation; }},
    {"mean_zv", "mean (zv)", Kind::corrected_value, Needs::zero_variance,
     [](const SummaryRow& r) { return r.zero_variance->mean; }},
    {"mcse_zv", "mcse (zv)", Kind::corrected_error, Needs::zero_variance,
     [](const SummaryRow& r) { return r.zero_variance->mcse; }},
    {"gain_zv", "gain (zv)", Kind::time, Needs::zero_variance,
     [](const SummaryRow& r) { return r.zero_variance->gain; }},
};

bool has_value(const Column& column, const SummaryRow& row) {
  return column.needs == Needs::nothing ||
         (column.needs == Needs::details ? row.details.has_value() : row.zero_variance.has_value());
}

const Column& column_named(const std::string& key) {
  for (const Column& column : every_column)
    if (key == column.key) return column;
  throw OptionError("there is no column '" + key + "'." + did_you_mean(key, summary_column_names()));
}

std::vector<Column> columns_of(const SummaryTableOptions& options) {
  if (options.columns.empty()) return {every_column, every_column + usual_columns};
  std::vector<Column> columns;
  for (const auto& key : options.columns) columns.push_back(column_named(key));
  return columns;
}

/// Rounds the mean, and columns of similar precision, to the digits that its Monte Carlo error leaves certain.
std::vector<std::string> cells_of(const SummaryRow& row, const std::vector<Column>& columns, std::size_t width) {
  const QuantitySummary& s = row.summary;
  const bool known = std::isfinite(s.mcse_mean) && s.mcse_mean > 0.0;
  const double largest = std::max(std::abs(s.mean), s.standard_deviation);
  const int decimals = known ? -magnitude(s.mcse_mean) : std::isfinite(largest) ? 3 - magnitude(largest) : 3;
  const double corrected_error = row.zero_variance ? row.zero_variance->mcse : 0.0;
  const int corrected = std::isfinite(corrected_error) && corrected_error > 0.0
                            ? std::min(-magnitude(corrected_error), decimals + 4)
                            : decimals;
  std::vector<std::string> cells;
  for (const Column& column : columns) {
    const double value = has_value(column, row) ? column.of(row) : std::numeric_limits<double>::quiet_NaN();
    switch (column.kind) {  // corrected means get a fixed width, for their extra digits
      case Kind::value: cells.push_back(number_cell(value, decimals, width)); break;
      case Kind::error: cells.push_back(number_cell(value, decimals + 1, width)); break;
      case Kind::corrected_value: cells.push_back(number_cell(value, corrected, 9)); break;
      case Kind::corrected_error: cells.push_back(number_cell(value, corrected + 1, 9)); break;
      case Kind::size: cells.push_back(size_cell(value)); break;
      case Kind::rhat: cells.push_back(rhat_cell(value)); break;
      case Kind::time: cells.push_back(short_cell(value)); break;
    }
  }
  return cells;
}

bool is_scalar(const SummaryRow& row) { return row.name.find('[') == std::string::npos; }

/// All rows in order if they are few enough; otherwise scalars in order, then the other rows by decreasing R-hat.
/// Constant rows, which have no R-hat, come last.
std::vector<const SummaryRow*> rows_to_show(const std::vector<SummaryRow>& rows, std::size_t most) {
  std::vector<const SummaryRow*> shown;
  for (const auto& row : rows) shown.push_back(&row);
  if (most == 0 || rows.size() <= most) return shown;
  const auto badness = [](const SummaryRow* row) {
    const double rhat = row->summary.rhat, ess = row->summary.ess_bulk;
    return std::pair(std::isnan(rhat) ? 0.0 : rhat, std::isnan(ess) ? 0.0 : -ess);
  };
  std::stable_sort(shown.begin(), shown.end(), [&](const SummaryRow* a, const SummaryRow* b) {
    if (is_scalar(*a) || is_scalar(*b)) return is_scalar(*a) && !is_scalar(*b);
    return badness(a) > badness(b);
  });
  shown.resize(most);
  return shown;
}

}  // namespace

std::vector<std::string> summary_column_names() {
  std::vector<std::string> names;
  for (const Column& column : every_column)
    if (column.needs != Needs::zero_variance) names.emplace_back(column.key);
  return names;
}

std::vector<std::string> usual_summary_columns() {
  auto names = summary_column_names();
  names.resize(usual_columns);
  return names;
}

bool summary_column_needs_details(const std::string& column) { return column_named(column).needs == Needs::details; }

std::vector<std::string> zero_variance_columns() {
  std::vector<std::string> names;
  for (const Column& column : every_column)
    if (column.needs == Needs::zero_variance) names.emplace_back(column.key);
  return names;
}

std::vector<SummaryRow> merged_summary_rows(const MemoryDraws& draws, const std::vector<std::string>& names,
                                            const std::vector<SummaryRow>& summarised,
                                            const std::vector<std::size_t>& chosen, SummaryRowsOptions how) {
  if (names.empty()) {
    how.parameters = chosen;
    return summary_rows(draws, how);
  }
  std::map<std::string, std::size_t> columns;
  for (std::size_t k = 0; k < draws.names().size(); ++k) columns.emplace(draws.names()[k], k);
  std::map<std::string, const SummaryRow*> without_draws;
  for (const auto& row : summarised) without_draws.emplace(row.name, &row);
  how.parameters.emplace();
  for (const std::size_t k : chosen)
    if (const auto column = columns.find(names[k]); column != columns.end()) how.parameters->push_back(column->second);
  auto of_draws = summary_rows(draws, how);
  std::vector<SummaryRow> rows;
  std::size_t next = 0;
  for (const std::size_t k : chosen) {
    const auto found = without_draws.find(names[k]);
    rows.push_back(found != without_draws.end() ? *found->second : std::move(of_draws[next++]));
  }
  return rows;
}

std::string summary_table(const std::vector<SummaryRow>& rows, const SummaryTableOptions& options) {
  const auto columns = columns_of(options);
  const auto chosen = rows_to_show(rows, options.most_rows);
  const std::size_t shown = chosen.size();
  std::size_t name_width = 4;
  for (const SummaryRow* row : chosen) name_width = std::max(name_width, width_of(row->name));

  std::vector<std::vector<std::string>> cells(shown);
  std::vector<std::size_t> widths(columns.size());
  for (std::size_t widest = 9; widest >= 6; --widest) {  // reduce digits until lines fit
    for (std::size_t c = 0; c < columns.size(); ++c) widths[c] = std::string_view(columns[c].title).size();
    std::size_t width = name_width + columns.size();
    for (std::size_t k = 0; k < shown; ++k) {
      cells[k] = cells_of(*chosen[k], columns, widest);
      for (std::size_t c = 0; c < columns.size(); ++c) widths[c] = std::max(widths[c], cells[k][c].size());
    }
    for (const std::size_t w : widths) width += w;
    if (width <= options.width) break;
  }

  std::string table = "name" + std::string(name_width - 4, ' ');
  const auto add_cell = [&](std::string_view text, std::size_t width) {
    table.append(1 + width - text.size(), ' ').append(text);
  };
  for (std::size_t c = 0; c < columns.size(); ++c) add_cell(columns[c].title, widths[c]);
  table += '\n';
  for (std::size_t k = 0; k < shown; ++k) {
    table += chosen[k]->name + std::string(name_width - width_of(chosen[k]->name), ' ');
    for (std::size_t c = 0; c < columns.size(); ++c) add_cell(cells[k][c], widths[c]);
    table += '\n';
  }
  if (shown < rows.size())
    table += "... and " + std::to_string(rows.size() - shown) + " more of " + std::to_string(rows.size()) +
             (is_scalar(*chosen.back()) ? "" : ", none with a larger rhat") + hint_line(options.how_to_see_all);
  return table;
}

std::string summary_json(const std::vector<SummaryRow>& rows, const SamplerReport& sampler) {
  std::string json = "{\"parameters\": [";
  for (std::size_t k = 0; k < rows.size(); ++k) {
    json += k == 0 ? "\n  {\"name\": " : ",\n  {\"name\": ";
    append_json_string(json, rows[k].name);
    // In JSON, sd comes right after mean.
    for (const std::size_t c : {0, 2, 1}) append_json_number(json, every_column[c].key, every_column[c].of(rows[k]));
    for (const Column& column : std::span(every_column).subspan(3))
      if (has_value(column, rows[k])) append_json_number(json, column.key, column.of(rows[k]));
    json += '}';
  }
  json += rows.empty() ? "]" : "\n]";
  if (sampler.has_statistics) {
    json += ",\n\"sampler\": {\"draws\": " + std::to_string(sampler.draws) +
            ", \"divergences\": " + std::to_string(sampler.divergences) +
            ", \"at_max_tree_depth\": " + std::to_string(sampler.at_max_depth) + ", \"ebfmi\": [";
    for (std::size_t k = 0; k < sampler.energy_fractions.size(); ++k) {
      if (k > 0) json += ", ";
      append_json_number(json, sampler.energy_fractions[k]);
    }
    json += "]";
    if (std::isfinite(sampler.subset_error)) {
      append_json_number(json, "subset_variance", sampler.subset_variance);
      append_json_number(json, "subset_error", sampler.subset_error);
    }
    json += "}";
  }
  return json + "}\n";
}

}  // namespace sgmcmc
