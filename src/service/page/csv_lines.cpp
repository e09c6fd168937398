// Splits lines into fields.
#include "service/page/csv_lines.hpp"

namespace sgmcmc {

std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] == '"' && quoted && k + 1 < line.size() && line[k + 1] == '"')
      fields.back() += line[++k];
    else if (line[k] == '"')
      quoted = !quoted;
    else if (line[k] == ',' && !quoted)
      fields.emplace_back();
    else if (line[k] != '\r')
      fields.back() += line[k];
  }
  return fields;
}

}  // namespace sgmcmc
