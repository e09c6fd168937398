// sgmcmc calibrate: fits of simulated data, and whether the true parameters rank uniformly among the draws.
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_input.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/words.hpp"
#include "report/calibration_table.hpp"
#include "service/chosen_names.hpp"
#include "service/option_settings.hpp"
#include "stan/forward/simulate.hpp"

#include <sgmcmc/calibrate.hpp>
#include <sgmcmc/error.hpp>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

CalibrateOptions calibrate_options(const OptionValues& values) {
  CalibrateOptions options;
  const auto count = [&](const char* name, std::uint64_t most) {
    const auto number = values.count(name);
    if (number == 0 || number > most)
      throw UsageError(values.where(name) + ": a number from 1 to " + std::to_string(most) + " is expected");
    return number;
  };
  options.replications = count("replications", 10'000'000);
  options.draws = static_cast<std::uint32_t>(count("draws", 100'000));
  options.longest = static_cast<std::uint32_t>(count("longest", 1'000'000));
  options.level = values.number("level");
  if (!(options.level > 0 && options.level < 1))
    throw UsageError(values.where("level") + ": a number between 0 and 1 is expected");
  options.threads = values.threads();
  return options;
}

stan::Simulator simulator_for(const OptionValues& values, const stan::ModelText& model) {
  if (!values.given("simulate")) return {model, read_model_data(values, {model})};
  const stan::ModelText simulator = stan::read_model(values.text("simulate"), values.texts("include"));
  return {model, simulator, read_model_data(values, {simulator, model})};
}

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
    // The band of one quantity, at the level that leaves the whole report its own.
    const auto band = ecdf_band(found.replications, found.draws, found.threshold());
    report["ecdf_band"] = {{"thresholds", band.thresholds}, {"lower", band.lower}, {"upper", band.upper}};
  }
  report["verdict"] = calibration_verdict(found);
  return report;
}

}  // namespace

int run_calibrate(const OptionValues& values) {
  CalibrateOptions how = calibrate_options(values);
  ModelInput input;
  input.path = model_path(values);
  input.text = stan::read_model(input.path, values.texts("include"));
  const stan::Simulator simulator = simulator_for(values, input.text);
  const stan::BindOptions bind = bind_options(values);
  const auto bind_to = [&](const DataVariables& data) {
    return std::make_unique<stan::BoundModel>(input.text.source, input.text.program, data, bind);
  };
  const std::uint64_t seed = values.count("seed");
  const auto first = bind_to(simulator.draw(seed, 0).data);
  input.bound = first.get();
  const Model& model = input.bound->model();
  if (model.dimension() == 0)
    throw ModelError(input.path + ": the model has no parameters, so there is nothing to calibrate");
  const std::string method = method_for(values, *input.bound);
  const SampleOptions options = sample_options(values, method, *input.bound);
  options.validate(model);
  auto names = model.constrained_names();
  names.push_back("lp__");
  chosen_names(values, names);  // a name that does not exist is told before the fits, not after them
  show_warnings(values, input);
  const Simulation simulate = [&](std::uint64_t replication) {
    auto drawn = simulator.draw(seed, replication);
    const std::shared_ptr<const stan::BoundModel> bound = bind_to(drawn.data);
    return SimulatedModel{std::shared_ptr<const Model>(bound, &bound->model()), std::move(drawn.parameters)};
  };
  InterruptWatch watch;
  how.interrupt = watch.flag();
  const bool terminal = stderr_is_terminal() && !values.flag("quiet");
  Calibration found;
  {
    ProgressDisplay display(terminal_stream(), terminal, 0, 0);
    if (terminal) {
      display.say("fitting " + std::to_string(how.replications) + " simulated data sets ...");
      how.progress = [&](std::uint64_t finished) {
        display.say(std::to_string(finished) + " of " + std::to_string(how.replications) +
                    " simulated data sets fitted");
      };
    }
    found = calibrate(simulate, options, how);
  }
  std::vector<bool> shown(found.names.size());
  for (const std::size_t i : chosen_names(values, found.names)) shown[i] = true;
  if (values.flag("json")) {
    std::cout << json_of(found, shown).dump(2) << "\n";
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
  std::cerr << "sgmcmc: interrupted; " << found.replications << " of " << how.replications << " fits were finished\n";
  return interrupted_status;
}

}  // namespace sgmcmc::cli
