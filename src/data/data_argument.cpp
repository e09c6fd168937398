// Finds the end of the name and the start of the columns, although file names may also contain '=' and ':'.
#include "data/data_argument.hpp"

#include <sgmcmc/error.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cctype>

namespace sgmcmc {

namespace {

constexpr const char* forms = "Write FILE, NAME=FILE or NAME=FILE:COLUMNS";

bool is_name(const std::string& text) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) && std::ranges::all_of(text, fits);
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

}  // namespace

DataArgument parse_data_argument(const std::string& text) {
  DataArgument argument;
  argument.text = text;
  argument.file = text;
  if (const std::size_t equals = text.find('='); equals != text.npos && is_name(text.substr(0, equals))) {
    argument.name = text.substr(0, equals);
    argument.file = text.substr(equals + 1);
  } else if (equals != text.npos && text.find('/') > equals && !exists(text)) {
    throw OptionError("data " + text + ": '" + text.substr(0, equals) +
                      "' cannot be the name of a variable: names are letters, digits and '_', a letter first");
  }
  const std::size_t colon = argument.file.rfind(':');
  if (colon != argument.file.npos && !exists(argument.file)) {
    argument.columns = argument.file.substr(colon + 1);
    argument.file.resize(colon);
    if (argument.name.empty()) {
      throw OptionError("data " + text + ": columns without the variable they make. Write NAME=" + text);
    }
    if (argument.columns.empty()) {
      throw OptionError("data " + text + ": no columns behind ':'. Name them, as in x1,x2 or x1..x9 or 1..9");
    }
  }
  if (argument.file.empty()) throw OptionError("data " + text + ": there is no file. " + forms);
  return argument;
}

}  // namespace sgmcmc
