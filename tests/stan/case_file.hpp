// Files of programs with their expected messages: a line "=== NAME", the program, a line "---", the messages.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace sgmcmc::stan::testing {

struct FileCase {
  std::string name, program, message;
};

inline std::vector<FileCase> read_case_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<FileCase> cases;
  bool in_message = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({line.substr(4), {}, {}});
      in_message = false;
    } else if (line == "---") {
      in_message = true;
    } else if (!cases.empty()) {
      (in_message ? cases.back().message : cases.back().program) += line + '\n';
    }
  }
  return cases;
}

}  // namespace sgmcmc::stan::testing
