// sgmcmc sample --subposterior all/20: samples every part into its own folder, and skips parts that are finished.
#include "cli/sample_parts.hpp"

#include "cli/model_input.hpp"
#include "cli/progress.hpp"
#include "cli/runs.hpp"
#include "cli/terminal.hpp"
#include "report/json_text.hpp"
#include "report/words.hpp"
#include "service/parts/sampled_part.hpp"
#include "service/resume.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>
#include <optional>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

void print(const OptionValues& values, const std::vector<PartLine>& lines, bool interrupted) {
  const std::string out = values.text("out");
  if (values.flag("json")) {
    Json parts = Json::array();
    for (const auto& line : lines) parts.push_back(to_json(line));
    std::cout << json_text({{"parts", parts}, {"interrupted", interrupted}}, 1) << "\n";
    return;
  }
  if (values.flag("quiet")) return;
  std::printf("%8s %10s %-12s %9s  %s\n", "part", "rows", "method", "seconds", "verdict");
  for (const auto& line : lines)
    std::printf("%8s %10llu %-12s %9s  %s%s\n", line.which.text().c_str(), static_cast<unsigned long long>(line.rows),
                line.method.c_str(), digits_text(line.seconds, 3).c_str(),
                line.verdict.empty() ? "none" : line.verdict.c_str(), line.before ? "  (sampled before)" : "");
  std::fflush(stdout);
  if (!interrupted) std::cout << "\nto combine them: sgmcmc combine " << out << " --out combined\n";
}

}  // namespace

std::optional<Subposterior> all_parts(const OptionValues& values) {
  if (!values.given("subposterior")) return std::nullopt;
  const auto which = subposterior_from(values.text("subposterior"));
  return which && which->part == 0 ? which : std::nullopt;
}

int sample_all_parts(const OptionValues& values, const Subposterior& all) {
  if (values.text("out").empty())
    throw UsageError(values.where("subposterior") + ": each part is sampled into a folder of its own; add --out DIR");
  const std::string model = model_path(values);
  std::optional<ModelInput> whole;  // read once, if any part is to be sampled
  std::vector<PartLine> lines;
  ProgressDisplay display(terminal_stream(), stderr_is_terminal() && !values.flag("quiet"), 0, 0);
  for (std::uint64_t number = 1; number <= all.parts; ++number) {
    const Subposterior which{number, all.parts};
    const SampledPart part(values, which);
    if (part.is_finished()) {
      lines.push_back(line_of_part(which, part.folder(), true));
      continue;
    }
    if (!whole) whole = load_model(values);
    display.say("part " + which.text() + " ...");
    int status = 0;
    if (part.can_resume()) {
      RunFolder resumed{part.folder()};
      OptionValues nothing(Command::resume);
      nothing.writer = values.writer;
      OptionValues call = resume_run(resumed, nothing).values;
      call.set(*find_option(Command::sample, "quiet"), "true", "quiet");
      status = sample_into(resumed, call, nullptr, &*whole);
    } else {
      RunFolder made(part.values(), model);
      status = sample_into(made, part.values(), nullptr, &*whole);
    }
    display.clear();
    lines.push_back(line_of_part(which, part.folder(), false));
    if (status != interrupted_status) continue;
    print(values, lines, true);
    std::cout.flush();
    std::cerr << "sgmcmc: interrupted in part " << which.text() << ". To continue, give the same command again\n";
    return interrupted_status;
  }
  print(values, lines, false);
  return 0;
}

}  // namespace sgmcmc::cli
