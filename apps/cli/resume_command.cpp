// sgmcmc resume: a run goes on from its checkpoints, if nothing of what made it has changed.
#include "base/checkpoint.hpp"
#include "base/text.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/parse.hpp"
#include "cli/runs.hpp"
#include "service/run_folder.hpp"
#include "settings/config.hpp"
#include "settings/run_record.hpp"

#include <sgmcmc/error.hpp>

#include <iostream>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const RunFolder& folder, const std::vector<std::string>& changes) {
  throw UsageError("the run in '" + folder.path().string() + "' cannot go on: " + joined(changes, "; ") +
                   ". Put back what it was started with, or start a new run");
}

/// The options of the run, those of this call in their place.
OptionValues options_for(RunFolder& folder, Command command, const OptionValues& given) {
  const std::string path = (folder.path() / "run.json").string();
  OptionValues values = read_config_text(command, path, folder.record().dump());
  values.notes.clear();  // on changed files: refused already
  const auto set = [&](const char* name, const std::string& text) {
    const auto* option = find_option(command, name);
    if (!option)
      throw UsageError(given.where(name) + ": a run of " + declaration_of(command).name + " has no such option");
    values.set(*option, text, "--" + std::string(name));
  };
  set("out", folder.path().string());
  for (const char* name :
       {"iterations", "threads", "checkpoint-every", "quiet", "json", "all", "diagnose", "exit-status"})
    if (given.given(name)) set(name, given.text(name));
  if (given.given("only"))
    for (const auto& text : given.texts("only")) set("only", text);
  return values;
}

int go_on(RunFolder& folder, Command command, const OptionValues& values) {
  switch (command) {
    case Command::lda: return lda_into(folder, values);
    case Command::dpmix: return dpmix_into(folder, values);
    default: return sample_into(folder, values);
  }
}

/// A finished run with --compress, whose CSV files and checkpoints are gone.
bool is_in_netcdf_only(RunFolder& folder) {
  const Json& record = folder.record();
  return record.value("status", "") == "finished" && record.at("options").value("compress", false) &&
         !std::filesystem::exists(folder.path() / "chain-1.csv");
}

}  // namespace

int run_resume(const OptionValues& given) try {
  if (given.operands.size() != 1)
    throw UsageError("name the folder of the run, as in sgmcmc resume DIR; " + std::to_string(given.operands.size()) +
                     " names were given");
  RunFolder folder{std::filesystem::path(given.operands.front())};
  const Json& record = folder.record();
  const Command command = find_command(record["command"].get<std::string>())->command;
  const bool compressed = is_in_netcdf_only(folder);
  const bool extendible = command == Command::sample;
  const auto before = record[record.contains("asked") ? "asked" : "options"].value("iterations", std::uint64_t{0});
  const auto wanted = given.given("iterations") ? given.count("iterations") : before;
  if (wanted != before && !extendible)
    throw UsageError(given.where("iterations") + ": the run averages over the last of its " + std::to_string(before) +
                     " iterations, and can neither be extended nor cut; start another with sgmcmc " +
                     declaration_of(command).name);
  if (wanted < before)
    throw UsageError(given.where("iterations") + ": the run was asked for " + std::to_string(before) +
                     " iterations; it can be extended, not cut");
  if (record.value("status", "") == "finished" && wanted == before) {
    if (!given.flag("quiet"))
      std::cerr << "sgmcmc: the run in '" << folder.path().string() << "' is finished: "
                << (applies_topics(record) ? "the shares of the topics in all documents were found"
                                           : "all " + std::to_string(before) + " iterations were made")
                << (extendible && !compressed ? ". --iterations with a larger number extends it\n" : "\n");
    return 0;
  }
  if (compressed)
    throw UsageError("the run in '" + folder.path().string() +
                     "' cannot be extended: with --compress its draws are in draws.nc alone, and nothing was kept to "
                     "go on from. Start a new run with more iterations");
  std::vector<std::string> changes = changes_since(record);
  if (record.value("sgmcmc", "") != SGMCMC_VERSION)
    changes.push_back("it was made by version " + record.value("sgmcmc", "") + " of the program, and this is " +
                      SGMCMC_VERSION);
  if (!changes.empty()) refuse(folder, changes);
  if (const auto identity = checkpointed_identity(folder.path()))
    if (const auto edited = differences(*identity, identity_of(record)); !edited.empty()) refuse(folder, edited);
  return go_on(folder, command, options_for(folder, command, given));
} catch (const Json::exception& error) {
  throw FileError(given.operands.front() + "/run.json is damaged (" + error.what() +
                  "); put back a copy of it, or start a new run");
}

}  // namespace sgmcmc::cli
