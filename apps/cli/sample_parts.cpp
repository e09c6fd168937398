// sgmcmc sample --subposterior all/20: shows how the parts are being sampled, then a line about each.
#include "cli/sample_parts.hpp"

#include "cli/interrupt.hpp"
#include "cli/model_input.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/run_warnings.hpp"
#include "cli/terminal.hpp"
#include "report/json_text.hpp"
#include "report/words.hpp"
#include "service/parts/sample_parts.hpp"
#include "service/ranks/rank_job.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>
#include <optional>
#include <string>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

void print(const OptionValues& values, const std::vector<PartLine>& lines, bool was_interrupted) {
  const std::string out = values.text("out");
  if (values.flag("json")) {
    Json parts = Json::array();
    for (const auto& line : lines) parts.push_back(to_json(line));
    std::cout << json_text({{"parts", parts}, {"interrupted", was_interrupted}}, 1) << "\n";
    return;
  }
  if (values.flag("quiet")) return;
  std::printf("%8s %10s %-12s %9s  %s\n", "part", "rows", "method", "seconds", "verdict");
  for (const auto& line : lines)
    std::printf("%8s %10llu %-12s %9s  %s%s\n", line.which.text().c_str(), static_cast<unsigned long long>(line.rows),
                line.method.c_str(), digits_text(line.seconds, 3).c_str(),
                line.verdict.empty() ? "none" : line.verdict.c_str(), line.before ? "  (sampled before)" : "");
  std::fflush(stdout);
  if (!was_interrupted) std::cout << "\nto combine them: sgmcmc combine " << out << " --out combined\n";
}

}  // namespace

std::optional<Subposterior> all_parts(const OptionValues& values) {
  if (!values.given("subposterior")) return std::nullopt;
  const auto which = subposterior_from(values.text("subposterior"));
  return which && which->part == 0 ? which : std::nullopt;
}

int sample_all_parts(const OptionValues& values, const Subposterior& all, RankJob* ranks) {
  const std::string model = model_path(values);
  if (ranks && values.flag("shard-rows"))
    throw UsageError("--shard-rows: ranks share parts with --subposterior all/" + std::to_string(all.parts) +
                     ", not rows; omit one of them");
  PartsRun parts(values, all);
  bool interrupted = false;
  if (!parts.is_finished()) {
    if (ranks) tell_model(*ranks, values, model);
    const ModelInput whole = load_model(values);
    ProgressDisplay display(terminal_stream(), stderr_is_terminal() && !values.flag("quiet"), 0, 0);
    InterruptWatch watch;
    PartsHooks hooks;
    hooks.interrupt = watch.flag();
    hooks.progress = [&](const PartsProgress& now) {
      display.say(std::to_string(now.finished) + " of " + std::to_string(now.parts) + " parts are sampled, " +
                  std::to_string(static_cast<int>(100 * now.share)) + "% of all iterations made ...");
    };
    hooks.warning = [&](const std::string& text) {
      display.clear();
      RunWarnings(values).warn(text);
    };
    interrupted = !parts.sample(whole.posterior, hooks, ranks ? ranks->leader() : nullptr);
  }
  print(values, parts.lines(), interrupted);
  if (!interrupted) return 0;
  std::cout.flush();
  std::cerr << "sgmcmc: interrupted; to continue, give the same command again"
            << (values.flag("overwrite") ? " without --overwrite, which would start all parts anew\n" : "\n");
  return interrupted_status;
}

}  // namespace sgmcmc::cli
