// Reads which variables a run kept; tolerates edited records.
#include "service/record/kept_record.hpp"

#include "report/json_text.hpp"

#include <fstream>
#include <limits>
#include <system_error>

namespace sgmcmc {

namespace {

using Json = nlohmann::ordered_json;

bool is_finished(const Json& record) { return record.is_object() && record.value("status", "") == "finished"; }

}  // namespace

Json record_in(const std::filesystem::path& folder) {
  std::ifstream file(folder / "run.json", std::ios::binary);
  return file ? json_if_valid(file) : Json();
}

Json verdict_in(const Json& record) {
  if (!is_finished(record) || !record.contains("verdict")) return {};
  const auto& verdict = record["verdict"];
  const bool whole = verdict.is_object() && verdict.contains("trust") && verdict["trust"].is_string();
  return whole ? verdict : Json();
}

double seconds_in(const Json& record) {
  const bool known = is_finished(record) && record.contains("seconds") && record["seconds"].is_number();
  return known ? record["seconds"].get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::map<std::string, double> shared_error_in(const Json& record) {
  std::map<std::string, double> errors;
  if (!is_finished(record) || !record.contains(shared_error_key) || !record[shared_error_key].is_object())
    return errors;
  for (const auto& [name, ratio] : record[shared_error_key].items())
    if (ratio.is_number()) errors[name] = ratio.get<double>();
  return errors;
}

std::optional<KeptRecord> kept_record(const Json& record, const std::filesystem::path& folder) {
  if (!record.is_object()) return std::nullopt;
  const auto found = record.find("kept");
  if (found == record.end() || !found->is_object()) return std::nullopt;
  const auto number = [&](const char* key) -> std::size_t {
    const auto value = found->find(key);
    return value != found->end() && value->is_number_unsigned() ? value->get<std::size_t>() : 0;
  };
  const auto all = found->find("all_parameters");
  const std::size_t numbers = number("numbers"), of = number("of");
  return KeptRecord{numbers, of > numbers ? of - numbers : 0, all != found->end() && *all == true,
                    folder / "summary.csv"};
}

std::string words_on_others(const KeptRecord& kept) {
  std::error_code ignored;
  const std::string what = std::to_string(kept.others) + (kept.numbers > 0 ? " other" : "") +
                           (kept.others == 1 ? " variable is" : " variables are");
  if (!std::filesystem::exists(kept.summary, ignored)) return what + " summarised when the run ends";
  return what + " summarised in " + kept.summary.string();
}

std::vector<std::string> summarised_names(const KeptRecord& kept) {
  std::ifstream file(kept.summary, std::ios::binary);
  std::vector<std::string> names;
  std::string line;
  std::getline(file, line);  // skip the column names
  while (std::getline(file, line)) {
    const bool quoted = line.starts_with('"');
    names.push_back(quoted ? line.substr(1, line.find('"', 1) - 1) : line.substr(0, line.find(',')));
  }
  return names;
}

}  // namespace sgmcmc
