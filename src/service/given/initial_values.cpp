// Reads numbers from JSON files.
#include "service/given/initial_values.hpp"

#include "report/json_text.hpp"
#include "settings/toml.hpp"

#include <sgmcmc/error.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

Json read_json(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return parsed_json(text.str());
  } catch (const Json::parse_error& error) {
    throw DataError(json_mistake(path, text.str(), error.byte, error.what()));
  }
}

void flatten(const Json& value, const std::string& where, std::vector<double>& numbers) {
  if (value.is_array()) {
    for (const auto& element : value) flatten(element, where, numbers);
  } else if (value.is_number()) {
    numbers.push_back(value.get<double>());
  } else {
    throw DataError(where + ": expected numbers, found " + json_text(value));
  }
}

}  // namespace

std::map<std::string, std::vector<double>> read_initial(const std::string& path, const Model& model) {
  const Json contents = read_json(path);
  if (!contents.is_object()) throw DataError(path + ": expected {\"parameter\": value, ...}");
  std::map<std::string, std::vector<double>> initial;
  for (const auto& [name, value] : contents.items()) flatten(value, path + ": '" + name + "'", initial[name]);
  try {
    (void)model.unconstrain(initial);
  } catch (const DataError& error) {
    throw DataError(path + ": " + error.what());
  }
  return initial;
}

std::vector<std::vector<double>> read_points(const std::string& path, std::size_t dimension) {
  const Json contents = read_json(path);
  const std::string expected = path + ": expected {\"unconstrained\": [[...], ...]}";
  if (!contents.is_object() || !contents.contains("unconstrained") || !contents["unconstrained"].is_array())
    throw DataError(expected);
  std::vector<std::vector<double>> points;
  for (const auto& point : contents["unconstrained"]) {
    const std::string where = path + ": point " + std::to_string(points.size() + 1);
    if (!point.is_array()) throw DataError(where + " is not a list of numbers: one list per point");
    auto& numbers = points.emplace_back();
    flatten(point, where, numbers);
    if (numbers.size() != dimension)
      throw DataError(where + " has " + std::to_string(numbers.size()) + " coordinates; the model has " +
                      std::to_string(dimension) + " unconstrained parameters");
  }
  return points;
}

}  // namespace sgmcmc
