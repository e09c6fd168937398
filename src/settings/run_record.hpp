// run.json: what made a run, enough to repeat it exactly.
#pragma once

#include "settings/values.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace sgmcmc {

/// A record of a call about to run: command, version, options (given or default), model and data with sizes and hashes.
/// What it lacks is `status` and results.
nlohmann::ordered_json make_record(const OptionValues& values, const std::string& model_path);
/// The options of a call without the defaults of others: what is not given may still be found out.
nlohmann::ordered_json given_options(const OptionValues& values);
/// Replaces one option in a record by the value that was used in its place.
void set_used(nlohmann::ordered_json& record, const std::string& option, const std::string& text);

/// Whether JSON read from a configuration file is such a record.
bool is_run_record(const nlohmann::ordered_json& contents);
/// Whether it is of lda with option apply, which makes no iterations.
bool applies_topics(const nlohmann::ordered_json& record);
/// The options of a record, model included, ready to be read as a configuration file: relative files are those of the
/// folder where the run was made. The folder it wrote to is left out: a repetition names its own.
nlohmann::ordered_json options_of_record(const nlohmann::ordered_json& record);
/// Files of the record that are no longer what they were, one sentence each.
std::vector<std::string> changes_since(const nlohmann::ordered_json& record);

/// What must not change when the run of a record is resumed, as a text: version, hashes of model and data, options but
/// for those that leave the draws alone or may be extended.
std::string identity_of(const nlohmann::ordered_json& record);
/// One sentence each on what is different in two such texts.
std::vector<std::string> differences(const std::string& before, const std::string& after);

/// Writes a file whole or not at all. Throws FileError.
void write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace sgmcmc
