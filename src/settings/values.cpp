// Stores and looks up the values of options.
#include "settings/values.hpp"

#include <algorithm>

namespace sgmcmc {

void OptionValues::set(const OptionDeclaration& option, std::string text, const std::string& where) {
  const std::string complaint = complaint_about(option, text);
  if (!complaint.empty()) throw UsageError(where + ": " + complaint);
  auto& given = values_[option.name];
  if (!option.repeatable) given.texts.clear();
  given.texts.push_back(std::move(text));
  given.where = where;
}

void OptionValues::fill_from(const OptionValues& other) {
  values_.insert(other.values_.begin(), other.values_.end());
  if (operands.empty()) operands = other.operands;
  notes.insert(notes.end(), other.notes.begin(), other.notes.end());
}

std::string OptionValues::text(std::string_view name) const {
  const auto found = values_.find(name);
  if (found != values_.end()) return found->second.texts.back();
  const auto* option = find_option(command_, name);
  return option ? option->default_text : "";
}

std::vector<std::string> OptionValues::texts(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second.texts;
}

std::uint64_t OptionValues::count(std::string_view name) const { return count_from(text(name)).value_or(0); }
double OptionValues::number(std::string_view name) const { return number_from(text(name)).value_or(0.0); }

int OptionValues::threads() const { return threads_from(text("threads")); }

std::string OptionValues::where(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? written(name) : found->second.where;
}

std::string OptionValues::written(std::string_view name, std::string_view value) const {
  if (writer) return writer(name) + (value.empty() ? "" : " " + std::string(value));
  std::string key(name);
  std::replace(key.begin(), key.end(), '-', '_');
  return key + (value.empty() ? "" : " = " + std::string(value));
}

bool OptionValues::asked(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->second.where == written(name);
}

}  // namespace sgmcmc
