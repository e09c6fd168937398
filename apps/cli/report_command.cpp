// sgmcmc report: writes the HTML report of a run.
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "report/json_text.hpp"
#include "report/words.hpp"
#include "service/reports/live_report.hpp"
#include "service/reports/run_report.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace sgmcmc::cli {
namespace {

int watch(const OptionValues& values) {
  if (values.operands.size() != 1) throw UsageError("--watch: give the folder of one run: sgmcmc report DIR --watch");
  if (values.given("out")) throw UsageError("--watch serves the page instead of writing it; omit --out");
  if (values.count("port") > 65535) throw UsageError("--port: at most 65535");
  InterruptWatch interrupts;
  WatchOptions options;
  options.port = static_cast<std::uint16_t>(values.count("port"));
  options.interrupt = interrupts.flag();
  watch_run(values.operands.front(), options, [](const std::string& address) {
    std::cout << "open " << address << " in a browser on this machine; Ctrl-C ends the watch, not the run\n"
              << std::flush;
  });
  return 0;
}

}  // namespace

int run_report(const OptionValues& values) {
  if (values.operands.empty())
    throw UsageError("name the folder of a run: sgmcmc report DIR, the DIR of sgmcmc sample --out DIR");
  if (values.flag("watch")) return watch(values);
  RunReportOptions options;
  options.threads = values.threads();
  options.diagnose = options.simulate = values.text("judge") != "none";
  ProgressDisplay display(terminal_stream(), stderr_is_terminal(), 0, 0);
  display.say("reading " + values.operands.front() + " ...");
  const RunReport report = report_on_run({values.operands.begin(), values.operands.end()}, options);
  const auto path = report_path(values);
  write_report(path, report);
  display.clear();
  for (const auto& warning : report.warnings) std::cerr << "sgmcmc: warning: " << warning << "\n";
  if (values.flag("json"))
    std::cout << json_text({{"file", path.string()}, {"bytes", report.html.size()}, {"seconds", report.seconds}}, 1)
              << "\n";
  else
    std::cout << path.string() << ": " << digits_text(static_cast<double>(report.html.size()) / 1e3, 3)
              << " kB; open it in a browser\n";
  return 0;
}

}  // namespace sgmcmc::cli
