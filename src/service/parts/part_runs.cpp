// Reads the records and draws of parts.
#include "service/parts/part_runs.hpp"

#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "judge/draw_positions.hpp"
#include "report/json_text.hpp"
#include "service/record/kept_record.hpp"
#include "service/record/saved_draws.hpp"
#include "settings/command_line.hpp"
#include "settings/config.hpp"
#include "settings/run_record.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <map>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string text_under(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Adds the folder itself, or the run folders in it.
void add_folders(const fs::path& path, std::vector<fs::path>& folders) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) throw FileError("'" + path.string() + "' is no folder of a run");
  if (fs::exists(path / "run.json", ignored)) {
    folders.push_back(path);
    return;
  }
  std::vector<fs::path> inside;
  for (const auto& entry : fs::directory_iterator(path, ignored))
    if (fs::exists(entry.path() / "run.json", ignored) && text_under(record_in(entry.path()), "command") != "combine")
      inside.push_back(entry.path());
  if (inside.empty())
    throw FileError("'" + path.string() + "' holds no run, nor folders of runs: there is no run.json");
  std::sort(inside.begin(), inside.end());
  folders.insert(folders.end(), inside.begin(), inside.end());
}

Subposterior part_in(const OptionValues& values, const Json& record, const fs::path& folder) {
  const std::string where = "'" + folder.string() + "' ";
  if (!is_run_record(record)) throw FileError(where + "holds no run: its run.json cannot be read");
  const std::string command = text_under(record, "command");
  if (command == "factorize" || command == "lda" || command == "dpmix")
    throw UsageError(
        where + "holds a run of sgmcmc " + command +
        ": factors, topics and clusters have no coordinates that mean the same in all parts, so that parts "
        "cannot be combined");
  if (command != "sample") throw UsageError(where + "holds a run of sgmcmc " + command + ", not of sample");
  const auto which = subposterior_from(text_under(record["options"], "subposterior"));
  if (!which || which->part == 0)
    throw UsageError(where + "holds draws of the posterior given all rows, not of a part: parts are sampled with " +
                     values.written("subposterior", "1/20"));
  if (const std::string status = text_under(record, "status"); status != "finished")
    throw FileError(where + "holds part " + which->text() + ", which is " + (status.empty() ? "not finished" : status) +
                    ": continue it with sgmcmc resume " + shell_word(folder.string()));
  if (const auto kept = kept_record(record, folder); kept && !kept->all_parameters)
    throw FileError(where + "does not hold the draws of all parameters, which a combination needs; sample it without " +
                    values.written("keep"));
  if (const auto changes = changes_since(record); !changes.empty())
    throw DataError((folder / "run.json").string() + ": " + changes.front() +
                    ": the combination cannot be judged by what it says now. Sample the parts again, or put it back");
  return *which;
}

/// What all parts of one posterior must share, each with its name in messages.
std::vector<std::pair<std::string, std::string>> shared_by_parts(const Json& record) {
  const auto hashes = [](const Json& list) {
    std::string text;
    if (list.is_array())
      for (const auto& entry : list) text += text_under(entry, "xxh64") + " ";
    return text;
  };
  const Json& options = record["options"];
  return {{"models", text_under(record.value("model", Json()), "xxh64") + hashes(record.value("included", Json()))},
          {"data", hashes(record.value("data", Json()))},
          {"rows", text_under(options, "rows")},
          {"precisions", text_under(options, "precision")}};
}

std::string list_of(const std::vector<std::uint64_t>& numbers) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(most, numbers.size()); ++k)
    text += (k > 0 ? ", " : "") + std::to_string(numbers[k]);
  return text + (numbers.size() > most ? ", ..." : "");
}

/// Resamples the draws of one chain in proportion to their weights, so that the result is equally weighted.
std::vector<std::size_t> evenly_weighted(std::span<const double> weights, bool equal) {
  std::vector<std::size_t> chosen;
  double total = 0, passed = 0;
  for (const double weight : weights) total += weight;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    passed += equal ? 1 : weights[k] * static_cast<double>(weights.size()) / total;
    while (static_cast<double>(chosen.size()) + 0.5 < passed) chosen.push_back(k);
  }
  return chosen;
}

/// Throws FileError if files of draws were truncated or removed after the run.
void require_all_draws(const Json& record, const MemoryDraws& draws, const fs::path& folder) {
  const auto recorded = record.find("draws");
  if (recorded == record.end() || !recorded->is_array()) return;
  std::vector<std::uint64_t> made, found;
  for (const auto& count : *recorded) made.push_back(count.is_number_unsigned() ? count.get<std::uint64_t>() : 0);
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) found.push_back(draws.draws(chain));
  if (found == made) return;
  throw FileError("'" + folder.string() + "' is not complete: its chains made " + list_of(made) +
                  " draws, and its files hold " + list_of(found) + ". Sample this part again, or put its files back");
}

bool is_plain(const Model& model) {
  return std::all_of(model.parameters().begin(), model.parameters().end(), [](const ParameterInfo& info) {
    return info.constraint.is_unconstrained() && info.order == MatrixOrder::by_row;
  });
}

}  // namespace

std::string part_folder_name(const Subposterior& which) {
  const std::string number = std::to_string(which.part);
  return "part-" + std::string(std::to_string(which.parts).size() - number.size(), '0') + number;
}

OptionValues call_on_all_rows(Json record, const fs::path& folder) {
  if (record.contains("sample")) {  // record of a combination
    record["options"] = record["sample"];
    record["command"] = "sample";
  }
  record["options"].erase("subposterior");
  return read_config_text(Command::sample, (folder / "run.json").string(), json_text(record));
}

PartRuns::PartRuns(const OptionValues& values) : call_(Command::sample) {
  std::vector<fs::path> given;
  for (const auto& operand : values.operands) add_folders(operand, given);
  std::map<std::uint64_t, std::pair<fs::path, Json>> found;
  std::uint64_t parts = 0;
  for (const auto& folder : given) {
    Json record = record_in(folder);
    const Subposterior which = part_in(values, record, folder);
    if (parts == 0) parts = which.parts;
    if (which.parts != parts)
      throw UsageError("'" + folder.string() + "' is part " + which.text() + ", but '" + given.front().string() +
                       "' is one of " + std::to_string(parts) + " parts: combine parts of one division");
    const std::string verdict = text_under(verdict_in(record), "trust");
    if (verdict != "trust")
      warnings_.push_back("part " + which.text() + " in '" + folder.string() + "' " +
                          (verdict.empty() ? "was not judged" : "has the verdict \"" + verdict + "\""));
    const auto [place, fresh] = found.emplace(which.part, std::pair(folder, std::move(record)));
    if (!fresh)
      throw UsageError("part " + which.text() + " is given twice, in '" + place->second.first.string() + "' and in '" +
                       folder.string() + "'");
  }
  std::vector<std::uint64_t> missing;
  for (std::uint64_t part = 1; part <= parts; ++part)
    if (!found.contains(part)) missing.push_back(part);
  if (!missing.empty())
    throw UsageError((missing.size() == 1 ? "part " : "parts ") + list_of(missing) + " of " + std::to_string(parts) +
                     (missing.size() == 1 ? " is" : " are") + " missing; sample with " +
                     values.written("subposterior", std::to_string(missing.front()) + "/" + std::to_string(parts)) +
                     (missing.size() == 1 ? "" : " and so on"));
  for (auto& [part, run] : found) {
    folders_.push_back(run.first);
    records_.push_back(std::move(run.second));
  }
  check_out(values);
  check_together();
  call_ = call_on_all_rows(records_.front(), folders_.front());
  if (call_.operands.empty()) throw FileError((folders_.front() / "run.json").string() + " names no model");
  call_.writer = values.writer;
}

/// The combination must not replace what it is made from.
void PartRuns::check_out(const OptionValues& values) const {
  if (!values.given("out")) return;
  const auto refuse_if_out = [&](const fs::path& path, const char* holds) {
    std::error_code ignored;
    if (fs::equivalent(values.text("out"), path, ignored))
      throw UsageError(values.where("out") + ": '" + values.text("out") + "' holds " + holds + "; name another folder");
  };
  for (const auto& folder : folders_) refuse_if_out(folder, "one of the parts");
  for (const auto& operand : values.operands) refuse_if_out(operand, "the parts");
}

void PartRuns::check_together() const {
  const auto first = shared_by_parts(records_.front());
  for (std::size_t part = 1; part < records_.size(); ++part) {
    const auto own = shared_by_parts(records_[part]);
    for (std::size_t k = 0; k < own.size(); ++k)
      if (own[k].second != first[k].second)
        throw DataError("'" + folders_.front().string() + "' and '" + folders_[part].string() + "' have different " +
                        own[k].first + ": they are not parts of one posterior");
  }
}

std::vector<PartDraws> PartRuns::read(const StanPosterior& posterior, int threads) const {
  const Model& model = posterior.model();
  const auto dimension = static_cast<std::size_t>(model.dimension());
  const bool plain = is_plain(model);
  std::vector<PartDraws> parts(count());
  ThreadPool pool(threads);
  for (std::size_t part = 0; part < count(); ++part) {
    const SavedDraws saved = read_saved_draws({folders_[part]});
    const MemoryDraws& draws = saved.draws;
    require_all_draws(records_[part], draws, folders_[part]);
    const DrawPositions positions(model, draws);
    parts[part].chains.resize(draws.chains());
    pool.for_each(draws.chains(), [&](std::size_t chain, int) {
      auto& values = parts[part].chains[chain];
      for (const std::size_t draw : evenly_weighted(draws.weights(chain), draws.equal_weights())) {
        if (plain) {
          for (const std::size_t column : positions.columns()) values.push_back(draws(chain, draw, column));
        } else if (const auto theta = positions.position(chain, draw)) {
          values.insert(values.end(), theta->begin(), theta->end());
        }
      }
    });
    std::size_t made = 0;
    for (const auto& chain : parts[part].chains) made += chain.size() / dimension;
    if (made == 0) throw DataError("'" + folders_[part].string() + "' has no draws that can be used");
  }
  return parts;
}

}  // namespace sgmcmc
