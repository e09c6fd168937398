// Compares the inputs of a run with the present ones.
#include "service/record/resume.hpp"

#include "base/checkpoint.hpp"
#include "base/text.hpp"
#include "report/json_text.hpp"
#include "settings/config.hpp"
#include "settings/run_record.hpp"

#include <sgmcmc/error.hpp>

#include <filesystem>
#include <vector>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const RunFolder& folder, const std::vector<std::string>& changes) {
  throw UsageError("the run in '" + folder.path().string() + "' cannot be continued: " + joined(changes, "; ") +
                   ". Put back what it was started with, or start a new run");
}

/// The options of the run, overridden by those of this call.
OptionValues options_for(RunFolder& folder, Command command, const OptionValues& given) {
  const std::string path = (folder.path() / "run.json").string();
  OptionValues values = read_config_text(command, path, json_text(folder.record()));
  values.writer = given.writer;
  values.notes.clear();  // changed files were already refused
  const auto set = [&](const std::string& name, const std::string& text) {
    const auto* option = find_option(command, name);
    if (!option)
      throw UsageError(given.where(name) + ": a run of " + std::string(command_name(command)) + " has no such option");
    values.set(*option, text, given.where(name));
  };
  set("out", folder.path().string());
  for (const auto* option : options_of(Command::resume))
    for (const auto& text : given.texts(option->name)) set(option->name, text);
  return values;
}

/// A finished run with compressed draws: its CSV files and checkpoints were removed.
bool is_in_netcdf_only(RunFolder& folder) {
  const Json& record = folder.record();
  return record.value("status", "") == "finished" && record.at("options").value("compress", false) &&
         !std::filesystem::exists(folder.path() / "chain-1.csv");
}

void refuse_what_has_changed(RunFolder& folder) {
  const Json& record = folder.record();
  std::vector<std::string> changes = changes_since(record);
  if (record.value("sgmcmc", "") != SGMCMC_VERSION)
    changes.push_back("it was made by version " + record.value("sgmcmc", "") + " of the program, and this is " +
                      SGMCMC_VERSION);
  if (!changes.empty()) refuse(folder, changes);
  if (const auto identity = checkpointed_identity(folder.path()))
    if (const auto edited = differences(*identity, identity_of(record)); !edited.empty()) refuse(folder, edited);
}

/// Of the run as it was asked for; 0: the default of its method, or none if it applies topics or factors.
std::uint64_t iterations_of(const Json& record) {
  const Json& options = record[record.contains("asked") ? "asked" : "options"];
  const auto found = options.find("iterations");
  return found == options.end() || found->is_null() ? 0 : found->get<std::uint64_t>();
}

Resumption checked(RunFolder& folder, const OptionValues& given) {
  const Json& record = folder.record();
  const Command command = command_by_name(record["command"].get<std::string>()).value();
  const bool compressed = is_in_netcdf_only(folder);
  const bool extendible = command == Command::sample;
  const auto before = iterations_of(record);
  const auto wanted = given.given("iterations") ? given.count("iterations") : before;
  if (wanted != before && !extendible)
    throw UsageError(given.where("iterations") + ": the run averages over the last of its " +
                     (before > 0 ? std::to_string(before) + " " : "") +
                     "iterations, and can neither be extended nor cut; start another with sgmcmc " +
                     std::string(command_name(command)));
  if (wanted < before)
    throw UsageError(given.where("iterations") + ": the run was asked for " + std::to_string(before) +
                     " iterations; it can be extended, not cut");
  if (record.value("status", "") == "finished" && wanted == before)
    return {
        OptionValues(command), true,
        (applies_topics(record) ? command == Command::factorize ? "all pairs were predicted"
                                                                : "the shares of the topics in all documents were found"
                                : "all " + (before > 0 ? std::to_string(before) + " " : "") + "iterations were made") +
            (extendible && !compressed ? ". " + given.written("iterations") + " with a larger number extends it"
                                       : std::string())};
  if (compressed)
    throw UsageError("the run in '" + folder.path().string() +
                     "' cannot be extended: its draws were compressed and are only in draws.nc, and there are no "
                     "checkpoints. Start a new run with more iterations");
  refuse_what_has_changed(folder);
  return {options_for(folder, command, given), false, ""};
}

}  // namespace

Resumption resume_run(RunFolder& folder, const OptionValues& given) {
  try {
    return checked(folder, given);
  } catch (const Json::exception& error) {
    throw FileError(folder.path().string() + "/run.json is damaged (" + error.what() +
                    "); put back a copy of it, or start a new run");
  }
}

}  // namespace sgmcmc
