// sgmcmc data: downloads the data sets of the examples once, and verifies their checksums.
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "report/json_text.hpp"
#include "service/datasets/data_set_files.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace sgmcmc::cli {
namespace {

std::vector<std::string> texts_of(const std::vector<std::filesystem::path>& paths) {
  return {paths.begin(), paths.end()};
}

int list_data(const OptionValues& values) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& one : known_data(values)) {
    all.push_back({{"name", one.name}, {"summary", one.summary}, {"there", one.there}});
    if (!values.flag("json"))
      std::cout << one.name << std::string(12 - one.name.size(), ' ') << one.summary
                << (one.there ? "; on this machine" : "") << "\n";
  }
  if (values.flag("json")) std::cout << json_text(all, 1) << "\n";
  return 0;
}

}  // namespace

int run_data(const OptionValues& values) {
  if (values.operands.empty()) return list_data(values);
  if (values.operands.size() > 1) throw UsageError("name one data set: sgmcmc data covertype");
  InterruptWatch interrupts;
  ProgressDisplay display(terminal_stream(), stderr_is_terminal(), 0, 0);
  const FetchedData data = fetch_data(values, interrupts.flag(), [&](const std::string& text) { display.say(text); });
  display.clear();
  if (values.flag("json")) {
    std::cout << json_text({{"name", data.name}, {"files", texts_of(data.files)}, {"written", texts_of(data.written)}},
                           1)
              << "\n";
    return 0;
  }
  for (const auto& path : data.written.empty() ? data.files : data.written) std::cout << path.string() << "\n";
  return 0;
}

}  // namespace sgmcmc::cli
