// Instantiates the parser and the writer of the JSON library.
#include "report/json_text.hpp"

namespace sgmcmc {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string ascii_json_text(const Json& value) { return value.dump(-1, ' ', true, Json::error_handler_t::replace); }

Json parsed_json(const std::string& text) { return Json::parse(text); }
Json json_if_valid(const std::string& text) { return Json::parse(text, nullptr, false); }
Json json_if_valid(std::istream& file) { return Json::parse(file, nullptr, false); }

}  // namespace sgmcmc
