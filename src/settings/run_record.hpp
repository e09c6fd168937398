// run.json: the record of a run, from which it can be repeated exactly.
#pragma once

#include "settings/values.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace sgmcmc {

/// The record of a call before it runs: command, version, options (given or default), model and data with sizes and
/// hashes. `status` and results are added later.
nlohmann::ordered_json make_record(const OptionValues& values, const std::string& model_path);
/// The options given in a call, without defaults: tuning may still choose the others.
nlohmann::ordered_json given_options(const OptionValues& values);
/// Replaces one option in a record by the value that the run used.
void set_used(nlohmann::ordered_json& record, const std::string& option, const std::string& text);

/// Whether JSON read from a configuration file is a run record.
bool is_run_record(const nlohmann::ordered_json& contents);
/// Whether the record is of lda with option apply, which makes no iterations.
bool applies_topics(const nlohmann::ordered_json& record);
/// The options of a record, including the model, to be read as a configuration file. Relative paths refer to the folder
/// where the run was made. Omits the output folder: a repetition names its own.
nlohmann::ordered_json options_of_record(const nlohmann::ordered_json& record);
/// Files of the record that have changed since the run, one sentence each.
std::vector<std::string> changes_since(const nlohmann::ordered_json& record);

/// XXH64 of the bytes before the rows of each row file among the data, which include the checksums of all rows. Reads
/// no rows; empty if there is no row file.
std::string row_file_hashes(const OptionValues& values);

/// The part of a record that must not change when the run is resumed, as text: version, hashes of model and data, and
/// the options that affect existing draws.
std::string identity_of(const nlohmann::ordered_json& record);
/// The differences between two such texts, one sentence each.
std::vector<std::string> differences(const std::string& before, const std::string& after);

/// Writes a file atomically. Throws FileError.
void write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace sgmcmc
