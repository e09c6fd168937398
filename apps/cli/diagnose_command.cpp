// sgmcmc diagnose: whether the draws of a run folder are wrong, although its chains may agree.
#include "cli/commands.hpp"
#include "cli/model_input.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/words.hpp"
#include "report/bias_table.hpp"
#include "report/finite.hpp"
#include "service/diagnosis.hpp"
#include "service/record/run_json.hpp"
#include "service/saved_draws.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const CoordinateBias& c) {
  return {{"name", c.name},
          {"mean", number_or_null(c.moments.mean)},
          {"sd", number_or_null(c.moments.standard_deviation)},
          {"sd_ratio", number_or_null(c.moments.sd_ratio)},
          {"log_sd_ratio_error", number_or_null(c.moments.log_sd_ratio_error)},
          {"mean_shift", number_or_null(c.moments.mean_shift)},
          {"mean_shift_error", number_or_null(c.moments.mean_shift_error)},
          {"noise_ratio", number_or_null(c.noise_ratio)},
          {"predicted_sd_ratio", number_or_null(c.predicted_sd_ratio)},
          {"predicted_from_step", number_or_null(c.predicted_from_step)},
          {"rhat", number_or_null(c.rhat)},
          {"ess", number_or_null(c.ess)},
          {"trust", trust_words(c.trust)},
          {"advice", c.advice}};
}

Json json_of(const BiasReport& report, const std::vector<std::string>& columns) {
  Json json;
  json["verdict"] = verdict_json(report.verdict);
  json["draws"] = report.draws;
  json["points"] = report.points;
  json["dropped"] = report.dropped;
  json["gradients"] = report.full_gradients ? "full" : "cv";
  json["batch_size"] = report.batch_size;
  json["rows_touched"] = report.rows_touched;
  json["passes"] = report.passes;
  json["seconds"] = report.seconds;
  json["worst_rhat"] = number_or_null(report.worst_rhat);
  json["least_ess"] = number_or_null(report.least_ess);
  json["kernel_stein_discrepancy"] = {{"points", report.kernel.points},
                                      {"v_squared", number_or_null(report.kernel.v_squared)},
                                      {"u_squared", number_or_null(report.kernel.u_squared)},
                                      {"exact_squared", number_or_null(report.kernel.exact_squared)}};
  json["finite_set_stein_discrepancy"] = {{"squared", number_or_null(report.finite_set.squared)},
                                          {"error", number_or_null(report.finite_set.error)}};
  json["jointly"] = report.jointly;
  if (report.step_within_five_percent) json["step_factor_within_five_percent"] = *report.step_within_five_percent;
  json["coordinates"] = Json::array();
  for (std::size_t d = 0; d < report.coordinates.size(); ++d) {
    auto& coordinate = json["coordinates"].emplace_back(json_of(report.coordinates[d]));
    if (!report.halving) continue;
    const auto& half = report.halving->coordinates[d];
    coordinate["half_step"] = {{"log_sd_change", number_or_null(half.log_sd_change)},
                               {"log_sd_change_error", number_or_null(half.log_sd_change_error)},
                               {"mean_change", number_or_null(half.mean_change)},
                               {"mean_change_error", number_or_null(half.mean_change_error)}};
  }
  json["zero_variance"] = Json::array();
  for (std::size_t k = 0; k < report.zero_variance.size(); ++k) {
    const auto& estimate = report.zero_variance[k];
    json["zero_variance"].push_back({{"name", columns[k]},
                                     {"mean_zv", number_or_null(estimate.mean)},
                                     {"mcse_zv", number_or_null(estimate.mcse)},
                                     {"gain_zv", number_or_null(estimate.gain)}});
  }
  return json;
}

void print(const OptionValues& values, const BiasReport& report, const std::vector<std::string>& columns) {
  if (values.flag("json")) {
    std::cout << json_of(report, columns).dump(1) << "\n";
    return;
  }
  BiasTableOptions table;
  if (values.flag("all")) table.most_rows = 0;
  table.how_to_see_all = how_to_see_all;
  std::cout << bias_table(report, table) << "\nverdict: " << trust_words(report.verdict.trust) << "\n";
  for (const auto& sentence : report.verdict.sentences)
    std::cout << "  " << wrapped(sentence, terminal_width(), 2, 2) << "\n";
}

}  // namespace

int run_diagnose(const OptionValues& values) {
  if (values.operands.size() != 1)
    throw UsageError("name the folder of a run: sgmcmc diagnose DIR, the DIR of sgmcmc sample --out DIR");
  const std::string& folder = values.operands.front();
  const Diagnosis diagnosis(values, folder);
  ProgressDisplay display(terminal_stream(), stderr_is_terminal(), 0, 0);
  display.say("reading the draws of " + folder + " ...");
  const auto read = read_saved_draws({folder});
  display.clear();
  for (const auto& warning : read.warnings) std::cerr << "sgmcmc: warning: " << warning << "\n";
  const ModelInput input = load_model(diagnosis.call());
  display.say("comparing the draws with the posterior ...");
  const auto report = diagnosis.report(input.posterior, read.draws);
  display.clear();
  print(values, report, read.draws.names());
  return 0;
}

}  // namespace sgmcmc::cli
