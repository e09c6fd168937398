// Converts a run to the panels of a figure.
#include "service/reports/run_plot.hpp"

#include "base/text.hpp"
#include "report/quantity_view.hpp"
#include "service/page/parameters_json.hpp"
#include "service/page/reported_run.hpp"
#include "settings/chosen_names.hpp"

#include <sgmcmc/bias.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/figure.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;
using figure::Panel;
using figure::Scale;

constexpr std::size_t most_panels = 12, columns_of_figure = 3;

std::string chain_name(std::size_t chain) { return "chain " + std::to_string(chain + 1); }

/// Plots the mean of each bin.
Panel trace_panel(const std::string& name, const QuantityDraws& draws) {
  constexpr std::size_t bins = 400;
  Panel panel(name, {"draw"}, {""});
  for (std::size_t c = 0; c < draws.chains.size(); ++c) {
    const auto& chain = draws.chains[c];
    const std::size_t step = std::max<std::size_t>(1, (chain.size() + bins - 1) / bins);
    std::vector<figure::Point> line;
    for (std::size_t first = 0; first < chain.size(); first += step) {
      const std::size_t last = std::min(first + step, chain.size());
      double sum = 0;
      for (std::size_t k = first; k < last; ++k) sum += chain[k];
      line.push_back({static_cast<double>(first + last + 1) / 2, sum / static_cast<double>(last - first)});
    }
    panel.line(chain_name(c), std::move(line));
  }
  return panel;
}

Panel density_panel(const std::string& name, const QuantityDraws& draws, const QuantityView& view) {
  Panel panel(name, {""}, {view.whole_numbers ? "probability" : "density, largest = 1"});
  const std::size_t points = view.density_points;
  for (std::size_t curve = 0; points > 0 && curve * points < view.density.size(); ++curve) {
    std::vector<figure::Point> line;
    for (std::size_t k = 0; k < points; ++k)
      line.push_back({view.density_low + (view.density_high - view.density_low) * static_cast<double>(k) /
                                             static_cast<double>(std::max<std::size_t>(1, points - 1)),
                      view.density[curve * points + k] / 255.0});
    if (curve > 0 && draws.chains.size() > 1)
      panel.line(chain_name(curve - 1), std::move(line));
    else if (curve == 0 && draws.chains.size() == 1)
      panel.line("all draws", std::move(line));
  }
  return panel;
}

Panel ranks_panel(const std::string& name, const QuantityDraws& draws, const QuantityView& view) {
  Panel panel(name, {"rank among all draws, %"}, {"draws / expected"});
  const std::size_t chains = draws.chains.size(), bins = chains > 0 ? view.ranks.size() / chains : 0;
  for (std::size_t c = 0; c < chains; ++c) {
    std::vector<figure::Point> line;
    for (std::size_t bin = 0; bin < bins; ++bin) {  // one step per bin
      const double height = view.ranks[c * bins + bin] / 64.0, width = 100.0 / static_cast<double>(bins);
      line.push_back({static_cast<double>(bin) * width, height});
      line.push_back({static_cast<double>(bin + 1) * width, height});
    }
    panel.line(chain_name(c), std::move(line));
  }
  panel.reference("chains that agree", 1);
  return panel;
}

std::vector<Panel> parameter_panels(const OptionValues& values, const ReportedRun& run) {
  const MemoryDraws& draws = run.read.draws;
  if (draws.chains() == 0 || draws.parameters() == 0) throw UsageError("'" + run.label + "' has no draws to plot");
  std::vector<std::size_t> chosen = chosen_names(values, draws.names(), {});
  if (!values.given("only")) {
    PictureBudget none;
    none.fine = none.coarse_bytes = 0;
    chosen = parameters_json(run, values.threads(), none).worst;
  }
  if (chosen.size() > most_panels) chosen.resize(most_panels);
  const std::string what = values.text("what");
  std::vector<Panel> panels;
  DiagnoseWorkspace workspace;
  for (const std::size_t column : chosen) {
    const QuantityDraws quantity(draws, column);
    const std::string& name = draws.names()[column];
    ViewResolution resolution;
    resolution.trace = 1;  // other parts of the view need a trace
    resolution.sizes = false;
    if (what == "trace") {
      panels.push_back(trace_panel(name, quantity));
      continue;
    }
    const QuantityView view = view_of(quantity, summarise(quantity), resolution, workspace);
    if (view.density.empty()) continue;  // constant
    panels.push_back(what == "density" ? density_panel(name, quantity, view) : ranks_panel(name, quantity, view));
  }
  if (panels.empty())
    throw UsageError("'" + run.label + "': the variables asked for are constant, or have too few draws");
  return panels;
}

double number_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : std::nan("");
}

std::vector<Panel> tuning_panels(const ReportedRun& run) {
  const bool tuned = run.record.is_object() && run.record.contains("tuning") &&
                     run.record["tuning"].contains("candidates") && run.record["tuning"]["candidates"].is_array() &&
                     !run.record["tuning"]["candidates"].empty();
  if (!tuned) throw UsageError("'" + run.label + "': the run tried no candidates, so there is no tuning to plot");
  Panel panel("what tuning tried", {"step size", Scale::logarithmic}, {"expected error, in sds", Scale::logarithmic});
  std::vector<std::pair<std::string, std::vector<figure::Point>>> series;
  std::vector<figure::Point> chosen;
  for (const auto& candidate : run.record["tuning"]["candidates"]) {
    const std::string method = text_at(candidate, "method");
    auto found = std::find_if(series.begin(), series.end(), [&](const auto& one) { return one.first == method; });
    if (found == series.end()) found = series.insert(series.end(), {method, {}});
    const figure::Point point{number_in(candidate, "step_size"), number_in(candidate, "error")};
    found->second.push_back(point);
    if (candidate.contains("chosen") && candidate["chosen"] == true) chosen.push_back(point);
  }
  for (auto& [method, points] : series) panel.points(method, std::move(points));
  if (!chosen.empty() && std::isfinite(chosen[0].y)) panel.reference("chosen", chosen[0].y);
  return {panel};
}

std::vector<Panel> verdict_panels(const ReportedRun& run) {
  if (!run.diagnosis.is_object() || !run.diagnosis.contains("coordinates"))
    throw UsageError("'" + run.label + "' has no verdict by gradients, so there is nothing to plot");
  const BiasOptions limits;
  Panel sds("sds of the draws", {"coordinate"}, {"sd ratio"});
  Panel means("means of the draws", {"coordinate"}, {"mean shift, in sds"});
  for (const std::string trust : {"trust", "cannot tell", "caution", "do not trust"}) {
    std::vector<figure::Point> ratios, shifts;
    double index = 0;
    for (const auto& coordinate : run.diagnosis["coordinates"]) {
      ++index;
      if (text_at(coordinate, "trust") != trust) continue;
      ratios.push_back({index, number_in(coordinate, "sd_ratio")});
      shifts.push_back({index, number_in(coordinate, "mean_shift")});
    }
    if (ratios.empty()) continue;
    sds.points(trust, std::move(ratios));
    means.points(trust, std::move(shifts));
  }
  for (const double sign : {-1.0, 1.0}) {
    sds.reference("tolerated", 1 + sign * limits.sd_tolerance);
    means.reference("tolerated", sign * limits.mean_tolerance);
  }
  return {sds, means};
}

}  // namespace

RunPlot plot_run(const OptionValues& values) {
  const std::string what = values.text("what");
  const ReportedRun run = read_reported_run({values.operands.begin(), values.operands.end()});
  const auto panels = what == "tuning"    ? tuning_panels(run)
                      : what == "verdict" ? verdict_panels(run)
                                          : parameter_panels(values, run);
  const std::filesystem::path file = values.given("out") ? values.text("out") : what + ".svg";
  figure::write_svg(file, panels, std::min(columns_of_figure, panels.size()));
  return {file, run.warnings};
}

}  // namespace sgmcmc
