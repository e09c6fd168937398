// sgmcmc calibrate: fits simulated data and tests whether the true parameters rank uniformly among the draws.
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_input.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/words.hpp"
#include "report/calibration_table.hpp"
#include "report/json_text.hpp"
#include "service/calibration_run.hpp"
#include "settings/chosen_names.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Calibration& found, const std::vector<bool>& shown) {
  Json quantities = Json::array();
  for (std::size_t i = 0; i < found.names.size(); ++i) {
    if (!shown[i]) continue;
    const RankTest& test = found.tests[i];
    quantities.push_back({{"name", found.names[i]},
                          {"uniform", found.is_uniform(i)},
                          {"chi_square_p", test.chi_square_p_value},
                          {"ecdf_p", test.ecdf_p_value},
                          {"moments_p", test.moments_p_value},
                          {"ecdf_inside_band", test.ecdf_p_value > found.threshold()},
                          {"shift", test.shift},
                          {"spread", test.spread},
                          {"histogram", test.histogram},
                          {"ranks", found.ranks[i]}});
  }
  Json report = {{"calibrated", found.calibrated()},
                 {"level", found.level},
                 {"threshold", found.threshold()},
                 {"replications", found.replications},
                 {"draws", found.draws},
                 {"failed", found.failed},
                 {"extended", found.extended},
                 {"dependent", found.dependent},
                 {"interrupted", found.interrupted},
                 {"smallest_effective_size", found.smallest_effective_size},
                 {"iterations_per_draw", found.iterations_per_draw},
                 {"quantities", quantities}};
  if (found.failed > 0) report["first_failure"] = found.first_failure;
  if (found.replications > 0 && !found.tests.empty()) {
    // The band of one quantity, at a level corrected for the number of tests.
    const auto band = ecdf_band(found.replications, found.draws, found.threshold());
    report["ecdf_band"] = {{"thresholds", band.thresholds}, {"lower", band.lower}, {"upper", band.upper}};
  }
  report["verdict"] = calibration_verdict(found);
  return report;
}

}  // namespace

int run_calibrate(const OptionValues& values) {
  const CalibrationRun run(values, model_path(values));
  show_warnings(values, run.warnings());
  const std::string replications = std::to_string(run.replications());
  const InterruptWatch watch;
  Calibration found;
  {
    ProgressDisplay display(terminal_stream(), stderr_is_terminal() && !values.flag("quiet"), 0, 0);
    display.say("fitting " + replications + " simulated data sets ...");
    found = run.run(watch.flag(), [&](std::uint64_t finished) {
      display.say(std::to_string(finished) + " of " + replications + " simulated data sets fitted");
    });
  }
  std::vector<bool> shown(found.names.size());
  for (const std::size_t i : chosen_names(values, found.names)) shown[i] = true;
  if (values.flag("json")) {
    std::cout << json_text(json_of(found, shown), 2) << "\n";
  } else if (!values.flag("quiet")) {
    CalibrationTableOptions table;
    table.shown = shown;
    if (values.flag("all")) table.most_rows = 0;
    table.how_to_see_all = how_to_see_all;
    if (!found.tests.empty()) std::cout << calibration_table(found, table) << "\n";
    for (const auto& line : calibration_verdict(found)) std::cout << wrapped(line, terminal_width(), 0) << "\n";
  }
  if (!found.interrupted) return 0;
  std::cout.flush();
  std::cerr << "sgmcmc: interrupted; " << found.replications << " of " << replications << " fits finished\n";
  return interrupted_status;
}

}  // namespace sgmcmc::cli
