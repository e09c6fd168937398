// Finds what a previous call left of a part, and checks that it belongs to the same run.
#include "service/parts/sampled_part.hpp"

#include "report/json_text.hpp"
#include "service/parts/part_runs.hpp"
#include "service/record/kept_record.hpp"
#include "service/record/run_folder.hpp"
#include "settings/run_record.hpp"

#include <algorithm>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

OptionValues values_of_part(const OptionValues& call, const Subposterior& which, const std::filesystem::path& folder) {
  OptionValues own = call;
  const auto set = [&](const char* name, const std::string& text) {
    own.set(*find_option(Command::sample, name), text, call.where(name));
  };
  set("subposterior", which.text());
  set("out", folder.string());
  set("quiet", "true");
  set("json", "false");
  return own;
}

std::string text_in_part(const Json& json, const char* key) {
  return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

}  // namespace

SampledPart::SampledPart(const OptionValues& call, const Subposterior& which)
    : which_(which),
      folder_(std::filesystem::path(call.text("out")) / part_folder_name(which)),
      values_(values_of_part(call, which, folder_)),
      record_(record_in(folder_)),
      known_(is_run_record(record_) && !call.flag("overwrite")) {
  if (!known_) return;
  check_same();
  if (!is_finished() && !can_resume()) values_.set(*find_option(Command::sample, "overwrite"), "true", "overwrite");
}

bool SampledPart::can_resume() const { return known_ && !is_finished() && status() != RunFolder::tuning; }

void SampledPart::check_same() const {
  const auto refuse = [&](const std::string& why) {
    throw UsageError("'" + folder_.string() + "' holds a part of a previous run: " + why +
                     ". Name another folder, or add " + values_.written("overwrite") + " to sample all parts anew");
  };
  if (const auto changes = changes_since(record_); !changes.empty()) refuse(changes.front());
  const Json given = given_options(values_), before = record_.value("options", Json::object());
  // Other options are recorded as the run resolved them (steps by coordinate, batches as counts), so they cannot be
  // compared.
  for (const char* key : {"subposterior", "data", "rows", "precision", "method", "iterations", "chains", "seed"}) {
    if (!given.contains(key) || given[key] == "auto") continue;
    if (given[key] != before.value(key, Json()))
      refuse(key + (" was " + json_text(before.value(key, Json()))) + " and is " + json_text(given[key]));
  }
  const auto model = record_.find("model");
  if (model != record_.end() && model->is_object() && model->value("file", "") != values_.operands.front())
    refuse("its model is '" + model->value("file", "") + "'");
}

std::vector<FoundPart> parts_of_other_divisions(const std::filesystem::path& folder, std::uint64_t parts) {
  std::vector<FoundPart> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (!entry.path().filename().string().starts_with("part-")) continue;
    const Json record = record_in(entry.path());
    if (!is_run_record(record)) continue;
    const auto which = subposterior_from(text_in_part(record["options"], "subposterior"));
    if (which && which->parts != parts) found.push_back({*which, entry.path()});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.folder < b.folder; });
  return found;
}

PartLine line_of_part(const Subposterior& which, const std::filesystem::path& folder, bool before) {
  const Json record = record_in(folder);
  PartLine line{which, folder.string(), "", "", 0, 0, before};
  if (!is_run_record(record)) return line;
  line.method = text_in_part(record["options"], "method");
  line.verdict = text_in_part(verdict_in(record), "trust");
  if (const auto bound = record.find("bound"); bound != record.end() && bound->is_object())
    line.rows = bound->value("rows", std::uint64_t{0});
  if (const auto seconds = record.find("seconds"); seconds != record.end() && seconds->is_number())
    line.seconds = seconds->get<double>();
  return line;
}

Json to_json(const PartLine& line) {
  return {{"subposterior", line.which.text()},
          {"folder", line.folder},
          {"method", line.method},
          {"rows", line.rows},
          {"seconds", line.seconds},
          {"verdict", line.verdict},
          {"sampled_before", line.before}};
}

}  // namespace sgmcmc
