// Writes and reads the record of a run.
#include "settings/run_record.hpp"

#include "base/atomic_file.hpp"
#include "data/data_argument.hpp"
#include "data/mapped_file.hpp"
#include "data/row_files/format.hpp"
#include "report/json_text.hpp"
#include "stan/syntax/include_files.hpp"

#include <sgmcmc/error.hpp>

#include <nlohmann/json.hpp>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <system_error>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// The file itself, or all files in the folder, sorted.
std::vector<fs::path> files_of(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path, ignored))
    if (entry.is_regular_file(ignored) && !entry.path().filename().string().starts_with('.'))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// The size of a row file's head and checksums, which identify its rows; null for other files.
std::optional<std::uintmax_t> bytes_before_rows(const fs::path& path) {
  std::string opening(row_file_opening.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(opening.data(), static_cast<std::streamsize>(opening.size())) || !opens_row_file(opening)) return {};
  try {
    const MappedFile mapped(path.string());
    const RowFileLayout layout = read_row_file_head(mapped.bytes(), mapped.path());
    return layout.checksums_offset + layout.checksums_bytes();
  } catch (const DataError&) {
    return {};
  }
}

/// XXH64 of a file's bytes, as `xxh64sum` prints it, or of the names and bytes of all files in a folder. Of a row file,
/// hashes only the bytes before its rows, so that the rows need not be read. Empty if a file cannot be read.
std::string read_and_hash(const fs::path& path) {
  const std::unique_ptr<XXH64_state_t, decltype(&XXH64_freeState)> state(XXH64_createState(), XXH64_freeState);
  XXH64_reset(state.get(), 0);
  std::vector<char> buffer(std::size_t{1} << 20);
  for (const auto& name : files_of(path)) {
    std::ifstream file(name, std::ios::binary);
    if (!file) return "";
    if (name != path) {
      const std::string own = name.filename().string();
      XXH64_update(state.get(), own.c_str(), own.size() + 1);
    }
    for (auto left = bytes_before_rows(name).value_or(std::numeric_limits<std::uintmax_t>::max()); file && left > 0;) {
      file.read(buffer.data(), static_cast<std::streamsize>(std::min<std::uintmax_t>(left, buffer.size())));
      const auto count = static_cast<std::size_t>(file.gcount());
      XXH64_update(state.get(), buffer.data(), count);
      left -= count;
    }
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(XXH64_digest(state.get())));
  return text;
}

/// What changes whenever the contents of a file do, and when it last did, in nanoseconds.
struct FileState {
  std::vector<std::uintmax_t> facts;
  std::int64_t changed = 0;

  bool operator==(const FileState&) const = default;
};

/// Empty for folders, and files that cannot be read.
std::optional<FileState> state_of(const fs::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  const auto nanoseconds = [](const timespec& time) {
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
  };
  const auto modified = nanoseconds(found.st_mtim), changed = nanoseconds(found.st_ctim);
  return FileState{{found.st_dev, found.st_ino, static_cast<std::uintmax_t>(found.st_size),
                    static_cast<std::uintmax_t>(modified), static_cast<std::uintmax_t>(changed)},
                   std::max(modified, changed)};
}

/// The hash of a file, which is read once in the life of the process unless it changes: the records of all parts of a
/// posterior name the same data. Files that changed a moment ago are read every time, because a further change might
/// carry the same time.
std::string hash_of(const fs::path& path) {
  constexpr std::int64_t moment = 2'000'000'000;  // nanoseconds; some file systems count in two seconds
  static std::mutex mutex;
  static std::map<std::string, std::pair<FileState, std::string>> known;
  const auto state = state_of(path);
  if (!state) return read_and_hash(path);
  std::error_code ignored;
  const std::string key = fs::absolute(path, ignored).string();
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end() && found->second.first == *state)
      return found->second.second;
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::string hash = read_and_hash(path);
  if (state->changed + moment < std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() &&
      state_of(path) == state) {
    const std::lock_guard lock(mutex);
    known[key] = {*state, hash};
  }
  return hash;
}

Json file_entry(const std::string& path) {
  std::error_code ignored;
  const auto bytes = fs::file_size(path, ignored);
  return {{"file", path}, {"bytes", ignored ? Json() : Json(bytes)}, {"xxh64", hash_of(path)}};
}

/// The files of the data arguments, each once.
std::vector<std::string> data_files(const OptionValues& values) {
  std::vector<std::string> files;
  for (const auto& argument : values.texts("data")) {
    std::string file = parse_data_argument(argument).file;
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(std::move(file));
  }
  return files;
}

/// Files that a model includes; empty if they cannot be found: reading the model reports that.
std::vector<std::string> included_files(const OptionValues& values, const std::string& model_path) {
  if (values.command() != Command::sample && values.command() != Command::optimize) return {};
  std::ifstream file(model_path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return stan::include_files(model_path, text.str(), values.texts("include")).files;
  } catch (const Error&) {
    return {};
  }
}

Json typed(const OptionDeclaration& option, const std::string& text) {
  switch (option.kind) {
    case ValueKind::flag: return text == "true";
    case ValueKind::count: return count_from(text).value_or(0);
    case ValueKind::count_or_auto:
      if (const auto count = count_from(text)) return *count;
      return text;
    case ValueKind::number: return number_from(text).value_or(0);
    case ValueKind::batch_size:
      if (const auto size = batch_size_from(text); size && size->count > 0) return size->count;
      return number_from(text).value_or(0);
    case ValueKind::step_size:
      if (const auto number = number_from(text)) return *number;
      return text;
    case ValueKind::sampler:
      if (const auto number = number_from(text); number && text.find_first_of(".eE") != std::string::npos)
        return *number;
      if (const auto count = count_from(text)) return *count;
      return text;
    default: return text;
  }
}

/// The value as written in a file; null: not given and no default.
Json value_of(const OptionDeclaration& option, const OptionValues& values) {
  if (option.repeatable) return values.texts(option.name);
  const std::string text = values.text(option.name);
  return text.empty() ? Json() : typed(option, text);
}

/// The options that a record lists.
std::vector<const OptionDeclaration*> recorded_options(Command command) {
  std::vector<const OptionDeclaration*> options;
  for (const auto* option : options_of(command))
    if (option->name != "config" && option->name != "help") options.push_back(option);
  return options;
}

/// The same data specification, relative to another folder.
std::string data_from_folder(const std::string& text, const fs::path& folder) {
  const auto argument = parse_data_argument(text);
  if (fs::path(argument.file).is_absolute()) return text;
  std::string result = argument.name.empty() ? "" : argument.name + "=";
  result += (folder / argument.file).string();
  return result + (argument.columns.empty() ? "" : ":" + argument.columns);
}

}  // namespace

std::string row_file_hashes(const OptionValues& values) {
  std::string hashes;
  for (const auto& file : data_files(values))
    if (bytes_before_rows(file)) hashes += (hashes.empty() ? "" : " ") + hash_of(file);
  return hashes;
}

Json make_record(const OptionValues& values, const std::string& model_path) {
  Json record;
  record["sgmcmc"] = SGMCMC_VERSION;
  record["command"] = command_name(values.command());
  record["status"] = "running";
  std::error_code ignored;
  record["folder"] = fs::current_path(ignored).string();
  record["model"] = file_entry(model_path);
  if (const auto files = included_files(values, model_path); !files.empty()) {
    record["included"] = Json::array();
    for (const auto& file : files) record["included"].push_back(file_entry(file));
  }
  record["data"] = Json::array();
  for (const auto& file : data_files(values)) record["data"].push_back(file_entry(file));
  std::error_code none;
  // stop-words may also be a word
  for (const char* option : {"vocabulary", "stop-words", "test", "predict", "user-features", "item-features"})
    if (values.given(option) && fs::is_regular_file(values.text(option), none))
      record["data"].push_back(file_entry(values.text(option)));
  if (values.given("initial")) record["initial"] = file_entry(values.text("initial"));
  Json options = Json::object();
  for (const auto* option : recorded_options(values.command())) options[option->key()] = value_of(*option, values);
  record["options"] = options;
  return record;
}

Json given_options(const OptionValues& values) {
  Json options = Json::object();
  for (const auto* option : recorded_options(values.command()))
    if (values.given(option->name)) options[option->key()] = value_of(*option, values);
  return options;
}

void set_used(Json& record, const std::string& option, const std::string& text) {
  const auto command = command_by_name(record.at("command").get<std::string>());
  const auto* declaration = find_option(command.value(), option);
  record["options"][declaration->key()] = text.empty() ? Json() : typed(*declaration, text);
}

bool is_run_record(const Json& contents) {
  return contents.is_object() && contents.contains("sgmcmc") && contents.contains("options") &&
         contents["options"].is_object();
}

bool applies_topics(const Json& record) {
  const auto from = record["options"].find("apply");
  return from != record["options"].end() && from->is_string() && !from->get_ref<const std::string&>().empty();
}

Json options_of_record(const Json& record) {
  Json options = record[record.contains("asked") ? "asked" : "options"];  // tuning had not finished
  for (const char* key : {"out", "overwrite", "quiet", "json"}) options.erase(key);
  if (record.contains("model") && record["model"].is_object() && record["model"].contains("file"))
    options["model"] = record["model"]["file"];
  std::error_code ignored;
  const fs::path folder =
      record.contains("folder") && record["folder"].is_string() ? record["folder"].get<std::string>() : "";
  if (folder.empty() || folder == fs::current_path(ignored) || !fs::is_directory(folder, ignored)) return options;
  for (const char* key :
       {"model", "initial", "vocabulary", "apply", "test", "predict", "user_features", "item_features"})
    if (options.contains(key) && options[key].is_string())
      options[key] = (folder / options[key].get<std::string>()).string();
  if (options.contains("stop_words") && options["stop_words"].is_string())  // a word or a file
    if (const fs::path file = folder / options["stop_words"].get<std::string>(); fs::is_regular_file(file, ignored))
      options["stop_words"] = file.string();
  if (options.contains("include") && options["include"].is_array())
    for (auto& argument : options["include"])
      if (argument.is_string()) argument = (folder / argument.get<std::string>()).string();
  if (options.contains("data") && options["data"].is_array())
    for (auto& argument : options["data"])
      if (argument.is_string()) argument = data_from_folder(argument.get<std::string>(), folder);
  return options;
}

std::vector<std::string> changes_since(const Json& record) {
  std::vector<Json> files;
  if (record.contains("model")) files.push_back(record["model"]);
  if (record.contains("initial")) files.push_back(record["initial"]);
  for (const char* part : {"included", "data"})
    if (record.contains(part) && record[part].is_array())
      for (const auto& entry : record[part]) files.push_back(entry);
  std::error_code ignored;
  const fs::path folder =
      record.contains("folder") && record["folder"].is_string() ? record["folder"].get<std::string>() : "";
  std::vector<std::string> changes;
  for (const auto& entry : files) {
    if (!entry.is_object() || !entry.contains("file") || !entry["file"].is_string() || !entry.contains("xxh64"))
      continue;
    const auto name = entry["file"].get<std::string>();
    const std::string now = hash_of(fs::is_directory(folder, ignored) ? folder / name : fs::path(name));
    if (!now.empty() && entry["xxh64"] != now) changes.push_back("'" + name + "' has changed since that run");
  }
  return changes;
}

std::string identity_of(const Json& record) {
  Json identity = {{"sgmcmc", record.value("sgmcmc", "")}};
  for (const char* part : {"model", "initial"})
    if (record.contains(part)) identity[part] = record[part].value("xxh64", "");
  if (record.contains("included"))
    for (const auto& entry : record["included"]) identity["included"].push_back(entry.value("xxh64", ""));
  identity["data"] = Json::array();
  if (record.contains("data"))
    for (const auto& entry : record["data"]) identity["data"].push_back(entry.value("xxh64", ""));
  identity["options"] = record.at("options");
  if (const auto command = command_by_name(record.value("command", "")))
    for (const auto* option : options_of(*command))
      if (option->may_change) identity["options"].erase(option->key());
  return json_text(identity);
}

std::vector<std::string> differences(const std::string& before, const std::string& after) {
  const Json old = json_if_valid(before), now = json_if_valid(after);
  if (!old.is_object() || !now.is_object()) return {"the record of what the run was started with is not readable"};
  std::vector<std::string> found;
  if (old.value("sgmcmc", "") != now.value("sgmcmc", ""))
    found.push_back("the run was made by version " + old.value("sgmcmc", "") + " of the program; this is version " +
                    now.value("sgmcmc", ""));
  for (const char* part : {"model", "data", "initial"})
    if (old.value(part, Json()) != now.value(part, Json()))
      found.push_back("the " + std::string(part == std::string("initial") ? "file of initial values" : part) +
                      " has changed");
  const Json then = old.value("options", Json::object()), here = now.value("options", Json::object());
  Json keys = then;
  keys.update(here);
  for (const auto& [key, ignored] : keys.items())
    if (then.value(key, Json()) != here.value(key, Json()))
      found.push_back(key + " was " + json_text(then.value(key, Json())) + " and is " +
                      json_text(here.value(key, Json())));
  return found;
}

void write_whole(const fs::path& path, const std::string& text) { replace_file(path, text); }

}  // namespace sgmcmc
