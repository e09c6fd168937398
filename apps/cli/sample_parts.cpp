// sgmcmc sample --subposterior all/20: every part in a folder of its own; parts that are finished are not sampled
// again.
#include "cli/sample_parts.hpp"

#include "cli/model_input.hpp"
#include "cli/progress.hpp"
#include "cli/runs.hpp"
#include "cli/terminal.hpp"
#include "report/json_text.hpp"
#include "report/words.hpp"
#include "service/part_runs.hpp"
#include "service/record/kept_record.hpp"
#include "service/resume.hpp"
#include "settings/run_record.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

OptionValues values_of_part(const OptionValues& values, const Subposterior& which, const fs::path& folder) {
  OptionValues own = values;
  const auto set = [&](const char* name, const std::string& text) {
    own.set(*find_option(Command::sample, name), text, values.where(name));
  };
  set("subposterior", which.text());
  set("out", folder.string());
  set("quiet", "true");
  set("json", "false");
  return own;
}

/// Throws UsageError where a part was sampled with other options than those given now, or from other files.
void check_same(const OptionValues& values, const Json& record, const fs::path& folder) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError("'" + folder.string() + "' holds a part of a previous run: " + why +
                     ". Name another folder, or add " + values.written("overwrite") + " to sample all parts anew");
  };
  if (const auto changes = changes_since(record); !changes.empty()) refuse(changes.front());
  Json given = given_options(values);
  const Json before = record.value("options", Json::object());
  // What is recorded of others is what the run made of them: steps by coordinate, batches as counts.
  for (const char* key : {"data", "rows", "precision", "method", "iterations", "chains", "seed"}) {
    if (!given.contains(key) || given[key] == "auto") continue;
    if (given[key] != before.value(key, Json()))
      refuse(key + (" was " + json_text(before.value(key, Json()))) + " and is " + json_text(given[key]));
  }
  const auto model = record.find("model");
  if (model != record.end() && model->is_object() && model->value("file", "") != values.operands.front())
    refuse("its model is '" + model->value("file", "") + "'");
}

struct PartLine {
  Subposterior which;
  std::string folder, method, verdict;
  std::uint64_t rows = 0;
  double seconds = 0;
  bool before = false;  ///< sampled by a previous call
};

PartLine line_of(const Subposterior& which, const fs::path& folder, bool before) {
  const Json record = record_in(folder);
  PartLine line{which, folder.string(), "", "", 0, 0, before};
  if (!is_run_record(record)) return line;
  const auto text = [](const Json& json, const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
  };
  line.method = text(record["options"], "method");
  line.verdict = text(verdict_in(record), "trust");
  if (const auto bound = record.find("bound"); bound != record.end() && bound->is_object())
    line.rows = bound->value("rows", std::uint64_t{0});
  if (const auto seconds = record.find("seconds"); seconds != record.end() && seconds->is_number())
    line.seconds = seconds->get<double>();
  return line;
}

void print(const OptionValues& values, const std::vector<PartLine>& lines, bool interrupted) {
  const std::string out = values.text("out");
  if (values.flag("json")) {
    Json parts = Json::array();
    for (const auto& line : lines)
      parts.push_back({{"subposterior", line.which.text()},
                       {"folder", line.folder},
                       {"method", line.method},
                       {"rows", line.rows},
                       {"seconds", line.seconds},
                       {"verdict", line.verdict},
                       {"sampled_before", line.before}});
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
  const fs::path out = values.text("out");
  if (out.empty())
    throw UsageError(values.where("subposterior") + ": each part is sampled into a folder of its own; add --out DIR");
  const std::string model = model_path(values);
  const bool overwrite = values.flag("overwrite");
  std::optional<ModelInput> whole;  // read once, if any part is to be sampled
  std::vector<PartLine> lines;
  ProgressDisplay display(terminal_stream(), stderr_is_terminal() && !values.flag("quiet"), 0, 0);
  for (std::uint64_t part = 1; part <= all.parts; ++part) {
    const Subposterior which{part, all.parts};
    const fs::path folder = out / part_folder_name(which);
    const OptionValues own = values_of_part(values, which, folder);
    const Json before = record_in(folder);
    const bool known = is_run_record(before) && !overwrite;
    if (known) check_same(own, before, folder);
    if (known && before.value("status", "") == "finished") {
      lines.push_back(line_of(which, folder, true));
      continue;
    }
    if (!whole) whole = load_model(values);
    display.say("part " + which.text() + " ...");
    int status = 0;
    if (known && before.value("status", "") != RunFolder::tuning) {
      RunFolder resumed{folder};
      OptionValues nothing(Command::resume);
      nothing.writer = values.writer;
      OptionValues call = resume_run(resumed, nothing).values;
      call.set(*find_option(Command::sample, "quiet"), "true", "quiet");
      status = sample_into(resumed, call, nullptr, &*whole);
    } else {
      OptionValues fresh = own;
      if (known) fresh.set(*find_option(Command::sample, "overwrite"), "true", "overwrite");  // it was still tuning
      RunFolder made(fresh, model);
      status = sample_into(made, fresh, nullptr, &*whole);
    }
    display.clear();
    lines.push_back(line_of(which, folder, false));
    if (status != interrupted_status) continue;
    print(values, lines, true);
    std::cout.flush();
    std::cerr << "sgmcmc: interrupted in part " << which.text() << ". To go on, give the same command again\n";
    return interrupted_status;
  }
  print(values, lines, false);
  return 0;
}

}  // namespace sgmcmc::cli
