// sgmcmc pack: writes the data of a model to a row file.
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_input.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "report/json_text.hpp"
#include "report/words.hpp"
#include "service/pack_run.hpp"

#include <sgmcmc/error.hpp>

#include <nlohmann/json.hpp>

#include <iostream>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const PackRun& run) {
  Json columns = Json::array();
  for (const auto& column : run.columns)
    columns.push_back({{"name", column.name}, {"type", column.type}, {"row_shape", column.row_shape}});
  Json json = {{"file", run.path},           {"rows", run.rows},      {"blocks", run.blocks},
               {"bytes", run.bytes},         {"columns", columns},    {"constants", run.constants},
               {"continued", run.continued}, {"seconds", run.seconds}};
  if (!run.group_by.empty()) json["group_by"] = run.group_by;
  return json;
}

std::string size_text(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  return size < 1e9 ? digits_text(size / 1e6, 3) + " MB" : digits_text(size / 1e9, 3) + " GB";
}

void print(const PackRun& run) {
  std::vector<std::string> columns;
  for (const auto& column : run.columns) columns.push_back(column.name + " (" + column.type + ")");
  std::string text = run.path + ": " + std::to_string(run.rows) + " rows of " + list_text(columns);
  if (!run.constants.empty()) text += ", with " + list_text(run.constants);
  if (!run.group_by.empty()) text += ", grouped by '" + run.group_by + "'";
  text += "; " + size_text(run.bytes) + ", " + digits_text(run.seconds, 3) + " s";
  if (run.continued) text += "; continued from where packing had stopped";
  std::cout << wrapped(text, terminal_width(), 0) << "\n";
}

}  // namespace

int run_pack(const OptionValues& values) {
  const std::string model = model_path(values);
  ProgressDisplay display(terminal_stream(), stderr_is_terminal() && !values.flag("quiet"), 0, 0);
  display.say("reading " + model + " and the outlines of its data ...");
  const InterruptWatch watch;
  PackHooks hooks;
  hooks.interrupt = watch.flag();
  int shown = -1;
  hooks.progress = [&](double share) {
    const int percent = static_cast<int>(100 * share);
    if (percent == shown) return;
    shown = percent;
    display.say("packing, " + std::to_string(percent) + " % done ...");
  };
  try {
    const PackRun run = sgmcmc::run_pack(values, model, hooks);
    display.clear();
    if (values.flag("json"))
      std::cout << json_text(json_of(run), 2) << "\n";
    else if (!values.flag("quiet"))
      print(run);
    return 0;
  } catch (const Error&) {
    if (!watch.flag()->load()) throw;
    display.clear();
    std::cerr << "sgmcmc: interrupted; the same command continues packing\n";
    return interrupted_status;
  }
}

}  // namespace sgmcmc::cli
