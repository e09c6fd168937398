// Parses and validates the text of option values.
#include "base/text.hpp"
#include "settings/methods.hpp"
#include "settings/table.hpp"

#include <sgmcmc/dynamics.hpp>
#include <sgmcmc/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr double largest_exact_count = 9007199254740992.0;  // 2^53: doubles above it skip integers

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string complaint_about_choice(const OptionDeclaration& option, std::string_view text) {
  for (const auto& choice : option.choices)
    if (choice == text) return "";
  if (option.hidden && !option.belongs_to(Command::optimize) && takes_every_row_method(text)) {
    const std::string sampler = sampler_of(text);
    return "there is no method " + in_quotes(text) + ": " + sampler + " " + how_rows_are_taken(sampler) + ". Use " +
           sampler;
  }
  const std::string near = nearest_name(text, option.choices);
  std::string complaint = in_quotes(text) + " is not a valid value.";
  if (!near.empty()) complaint += " Did you mean " + in_quotes(near) + "?";
  if (!option.hidden) return complaint + " Expected one of " + quoted_list(option.choices);
  complaint = "there is no method " + in_quotes(text) + ".";
  if (!near.empty()) complaint += " Did you mean " + in_quotes(near) + "?";
  if (option.belongs_to(Command::optimize)) return complaint + " Expected one of " + quoted_list(option.choices);
  std::vector<std::string> suffixes, samplers, exact;
  if (std::find(option.choices.begin(), option.choices.end(), "auto") != option.choices.end())
    exact.emplace_back("auto");
  for (const auto& sampler : sampler_names()) (takes_every_row_method(sampler) ? exact : samplers).push_back(sampler);
  for (const auto& choice : option.choices)  // all samplers have the suffixes of the first one
    if (choice.starts_with(samplers.front() + "-")) suffixes.push_back(choice.substr(samplers.front().size()));
  return complaint + " A method is one of " + quoted_list(samplers) + ", alone or followed by one of " +
         quoted_list(suffixes) + ", or one of " + quoted_list(exact);
}

std::string complaint_of_samplers(const OptionDeclaration& option, std::string_view text) {
  try {
    auto options = sampler_options(option.samplers.front());
    set_option(options, option.key(), text);
    return "";
  } catch (const OptionError& error) {
    const std::string message = error.what();  // "friction of sghmc is "x"; expected a number"
    const auto expected = message.rfind("; expected ");
    if (expected == std::string::npos) return message;
    return in_quotes(text) + " is not " + message.substr(expected + 11);
  }
}

}  // namespace

std::optional<double> number_from(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<std::uint64_t> count_from(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && error == std::errc() && end == text.data() + text.size()) return value;
  const auto number = number_from(text);
  if (!number || *number < 0 || *number > largest_exact_count || *number != std::floor(*number)) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

int threads_from(std::string_view text) {
  return static_cast<int>(std::min<std::uint64_t>(count_from(text).value_or(0), 1'000'000'000));
}

std::optional<BatchSize> batch_size_from(std::string_view text) {
  const auto number = number_from(text);
  if (!number || !(*number > 0)) return std::nullopt;
  const bool written_as_fraction = text.find('.') != std::string_view::npos;
  if (*number < 1 || (*number == 1 && written_as_fraction)) return BatchSize{0, *number};
  const auto count = count_from(text);
  if (!count || *count > static_cast<std::uint64_t>(largest_exact_count)) return std::nullopt;
  return BatchSize{static_cast<std::int64_t>(*count), 0};
}

std::optional<NamedStepSizes> step_sizes_from(std::string_view text) {
  NamedStepSizes sizes;
  for (const auto part : split(text, ',')) {
    const auto equals = part.find('=');
    const auto number = number_from(equals == std::string_view::npos ? part : part.substr(equals + 1));
    if (!number || !(*number > 0) || equals == 0) return std::nullopt;
    if (equals == std::string_view::npos) {
      sizes.numbers.push_back(*number);
    } else {
      sizes.by_name.emplace_back(part.substr(0, equals), *number);
    }
  }
  if (!sizes.by_name.empty() && sizes.numbers.size() > 1) return std::nullopt;
  return sizes;
}

std::optional<Subposterior> subposterior_from(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto part =
      text.substr(0, slash) == "all" ? std::optional<std::uint64_t>(0) : count_from(text.substr(0, slash));
  const auto parts = count_from(text.substr(slash + 1));
  constexpr std::uint64_t most_parts = 1'000'000;
  if (!part || !parts || *parts < 1 || *parts > most_parts || *part > *parts) return std::nullopt;
  if (*part == 0 && text.substr(0, slash) != "all") return std::nullopt;
  return Subposterior{*part, *parts};
}

std::string complaint_about(const OptionDeclaration& option, std::string_view text) {
  switch (option.kind) {
    case ValueKind::flag: return text == "true" || text == "false" ? "" : in_quotes(text) + " is not true or false";
    case ValueKind::text: return text.empty() ? "the value is empty" : "";
    case ValueKind::count: return count_from(text) ? "" : in_quotes(text) + " is not a non-negative whole number";
    case ValueKind::count_or_auto:
      return text == "auto" || count_from(text) ? "" : in_quotes(text) + " is not a non-negative whole number or auto";
    case ValueKind::number: return number_from(text) ? "" : in_quotes(text) + " is not a number";
    case ValueKind::batch_size: return batch_size_from(text) ? "" : in_quotes(text) + " is not a count or a fraction";
    case ValueKind::step_size:
      if (text == "auto" || step_sizes_from(text)) return "";
      return in_quotes(text) +
             " is not a positive number, nor name=number pairs separated by commas, nor one number per coordinate";
    case ValueKind::part:
      return subposterior_from(text)
                 ? ""
                 : in_quotes(text) + " is not a part such as 3/20, nor all/20; parts are counted from 1";
    case ValueKind::choice: return complaint_about_choice(option, text);
    case ValueKind::sampler: return complaint_of_samplers(option, text);
  }
  return "";
}

}  // namespace sgmcmc
