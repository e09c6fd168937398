// Formats numbers and lists for messages.
#include "report/words.hpp"

#include "base/text.hpp"

namespace sgmcmc {

std::string fixed_text(double number, int decimals, int width) { return formatted("%*.*f", width, decimals, number); }

std::string digits_text(double number, int digits, int width) { return formatted("%*.*g", width, digits, number); }

std::string list_text(const std::vector<std::string>& words, std::string_view separator) {
  return joined(words, separator);
}

std::string quoted_list_text(const std::vector<std::string>& names) { return quoted_list(names); }

std::string nearest_known(std::string_view name, const std::vector<std::string>& known) {
  return nearest_name(name, known);
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  return did_you_mean(name, known);
}

}  // namespace sgmcmc
