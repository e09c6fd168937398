// Reads model.json and trace.csv of a matrix factorisation.
#include "service/page/factors_json.hpp"

#include "report/html_page.hpp"
#include "report/json_text.hpp"
#include "service/page/documents_json.hpp"

#include <sgmcmc/error.hpp>

#include <fstream>

namespace sgmcmc {

nlohmann::ordered_json factors_json(const ReportedRun& run, const std::filesystem::path& folder) {
  using Json = nlohmann::ordered_json;
  std::ifstream file(folder / "model.json", std::ios::binary);
  const Json model = file ? json_if_valid(file) : Json();
  Json course = course_json(folder / "trace.csv");
  if (!model.is_object() && course.is_null())
    throw FileError("'" + folder.string() + "' has no factors yet: there is neither model.json nor trace.csv");
  Json json;
  for (const char* key : {"users", "items", "factors", "draws", "interval"})
    json[key] = part_of(model, key).is_number() ? part_of(model, key) : Json();
  for (const char* key : {"rmse", "log_predictive", "coverage"}) {
    const Json& value = part_of(run.record, key);
    json[key] = value.is_number() ? rounded(value.get<double>(), 5) : Json();
  }
  json["course"] = std::move(course);
  return json;
}

}  // namespace sgmcmc
