// Parses the names in setting `keep` and matches them with elements.
#include "service/sampling/kept_names.hpp"

#include "draws/variable_names.hpp"
#include "settings/chosen_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>

namespace sgmcmc {
namespace {

struct Range {
  std::int64_t first = 0, last = 0;
  std::int64_t length() const { return last - first + 1; }
};

/// One entry of setting `keep`: "beta", "beta[3]" or "Sigma[1:2,3]". Without ranges: the whole variable.
struct Wanted {
  std::string variable;
  std::vector<Range> ranges;

  /// Whether an element of the variable is included.
  bool holds(const std::string& name) const {
    if (ranges.empty()) return true;
    const ElementName element = parse_element_name(name);
    if (element.variable != variable || ranges.size() != element.indices.size()) return false;
    for (std::size_t axis = 0; axis < ranges.size(); ++axis)
      if (element.indices[axis] < ranges[axis].first || element.indices[axis] > ranges[axis].last) return false;
    return true;
  }
  /// The number of elements that must exist; 0: any number.
  std::int64_t elements() const {
    std::int64_t count = ranges.empty() ? 0 : 1;
    for (const auto& range : ranges) count *= range.length();
    return count;
  }
};

std::optional<Range> range_from(std::string_view text) {
  const auto number = [](std::string_view digits) -> std::optional<std::int64_t> {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 1 || value > 1'000'000'000)
      return std::nullopt;
    return value;
  };
  const auto colon = text.find(':');
  const auto first = number(text.substr(0, colon));
  const auto last = colon == std::string_view::npos ? first : number(text.substr(colon + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return Range{*first, *last};
}

/// Empty if the brackets contain anything but positive integers and ranges.
std::optional<Wanted> wanted_from(const std::string& text) {
  const auto open = text.find('[');
  if (open == std::string::npos) return Wanted{text, {}};
  if (!text.ends_with(']')) return std::nullopt;
  Wanted wanted{text.substr(0, open), {}};
  std::string_view rest = std::string_view(text).substr(open + 1, text.size() - open - 2);
  for (bool more = true; more;) {
    const auto comma = rest.find(',');
    const auto range = range_from(rest.substr(0, comma));
    if (!range) return std::nullopt;
    wanted.ranges.push_back(*range);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  return wanted;
}

/// For each name in `wanted`, calls visit(name, positions of its elements in `names`, required number of elements).
template <class Visit>
void for_each_wanted(const std::vector<std::string>& wanted, const std::vector<std::string>& names, Visit&& visit) {
  std::map<std::string, std::vector<std::size_t>> elements;  // of each variable
  for (std::size_t k = 0; k < names.size(); ++k) elements[names[k].substr(0, names[k].find('['))].push_back(k);
  for (const auto& text : wanted) {
    const auto one = wanted_from(text);
    std::vector<std::size_t> found;
    if (const auto known = elements.find(text.substr(0, text.find('['))); known != elements.end())
      for (const std::size_t k : known->second)
        if (names[k] == text || (one && one->holds(names[k]))) found.push_back(k);
    visit(text, found, one ? static_cast<std::size_t>(one->elements()) : 0);
  }
}

}  // namespace

KeptNames::KeptNames(const RunSettings& settings)
    : all_outputs_(settings.written("outputs", "all")), groups_(settings.written("groups")), all_(!settings.keep) {
  if (settings.keep)
    for (const auto& text : *settings.keep)
      for (auto& name : split_names(text)) wanted_.push_back(std::move(name));
  const bool none = std::find(wanted_.begin(), wanted_.end(), "none") != wanted_.end();
  if (none && wanted_.size() > 1) throw SettingError("keep", "none stands alone, without names");
  if (!all_ && wanted_.empty()) throw SettingError("keep", "names of variables are expected, or none");
  if (none) wanted_.clear();
}

void KeptNames::check(const std::vector<std::string>& names, const std::vector<std::string>& not_computed) const {
  for (const auto& name : wanted_)
    if (std::find(not_computed.begin(), not_computed.end(), name.substr(0, name.find('['))) != not_computed.end())
      throw SettingError("keep", "'" + name + "' is not computed at each draw; " + all_outputs_ + " computes it");
  for_each_wanted(wanted_, names, [&](const std::string& text, const auto& found, std::size_t expected) {
    if (found.empty() || found.size() < expected) throw SettingError("keep", why_unknown(text, names));
  });
}

std::vector<bool> KeptNames::among(const std::vector<std::string>& names) const {
  std::vector<bool> kept(names.size(), all_);
  for_each_wanted(wanted_, names, [&](const std::string& text, const auto& found, std::size_t) {
    if (found.empty())
      throw SettingError("keep", "'" + text + "' is not drawn: it needs groups that " + groups_ + " leaves out");
    for (const std::size_t k : found) kept[k] = true;
  });
  return kept;
}

std::function<std::vector<bool>(const std::vector<std::string>&)> KeptNames::chooser() const {
  if (all_) return {};
  return [this](const std::vector<std::string>& names) { return among(names); };
}

std::size_t KeptNames::count(const std::vector<std::string>& names) const {
  const auto kept = among(names);
  return static_cast<std::size_t>(std::count(kept.begin(), kept.end(), true));
}

}  // namespace sgmcmc
