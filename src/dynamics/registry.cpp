// Samplers and their options by name, generated from the list of option structs, for command lines and bindings.
#include "base/text.hpp"
#include "dynamics/schedule.hpp"
#include "dynamics/traits.hpp"

#include <sgmcmc/dynamics.hpp>
#include <sgmcmc/error.hpp>

#include <array>
#include <charconv>
#include <optional>

namespace sgmcmc {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

template <class Number>
std::optional<Number> number_from(std::string_view text) {
  text = trimmed(text);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::vector<double>> numbers_from(std::string_view text) {
  std::vector<double> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto comma = std::min(text.find(',', begin), text.size());
    const auto value = number_from<double>(text.substr(begin, comma - begin));
    if (!value) return std::nullopt;
    values.push_back(*value);
    begin = comma + 1;
  }
  return values;
}

std::string text_of(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

// The names of the values of an enumeration, in order.
constexpr std::array<std::string_view, 2> names_of(SghmcForm) { return {"splitting", "plain"}; }
constexpr std::array<std::string_view, 2> names_of(NoiseCorrection) { return {"none", "fisher"}; }
constexpr std::array<std::string_view, 2> names_of(HamcmcPairs) { return {"moves", "stiffest"}; }
constexpr std::array<std::string_view, 2> names_of(FisherBlocks) { return {"one", "parameters"}; }
constexpr std::array<std::string_view, 3> names_of(Metric) { return {"unit", "diagonal", "dense"}; }
constexpr std::array<std::string_view, 4> names_of(Schedule::Kind) {
  return {"constant", "polynomial", "decay", "annealing"};
}

// read() returns what was expected if the text is invalid, else an empty string.
std::string read(std::string_view text, double& value) {
  if (const auto number = number_from<double>(text)) return value = *number, "";
  return "a number";
}

std::string read(std::string_view text, std::uint32_t& value) {
  if (const auto number = number_from<std::uint32_t>(text)) return value = *number, "";
  return "a whole number";
}

std::string read(std::string_view text, bool& value) {
  text = trimmed(text);
  if (text != "true" && text != "false") return "true or false";
  value = text == "true";
  return "";
}

std::string read(std::string_view text, StepSize& value) {
  auto numbers = numbers_from(text);
  if (!numbers) return "a number, or numbers separated by commas";
  value.values = std::move(*numbers);
  return "";
}

template <class Enumeration>
requires std::is_enum_v<Enumeration> std::string read(std::string_view text, Enumeration& value) {
  const auto names = names_of(value);
  std::string expected;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (trimmed(text) == names[k]) return value = static_cast<Enumeration>(k), "";
    if (k > 0) expected += " or ";
    expected += names[k];
  }
  return expected;
}

std::string read(std::string_view text, Schedule& value) {
  text = trimmed(text);
  const std::string expected = "constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t)";
  const auto open = text.find('(');
  Schedule schedule;
  if (!read(text.substr(0, open), schedule.kind).empty()) return expected;
  const bool constant = schedule.kind == Schedule::Kind::constant;
  if (constant != (open == std::string_view::npos)) return expected;
  if (!constant) {
    if (text.back() != ')') return expected;
    const auto numbers = numbers_from(text.substr(open + 1, text.size() - open - 2));
    if (!numbers || numbers->size() != 2) return expected;
    schedule.offset = (*numbers)[0];
    schedule.exponent = (*numbers)[1];
  }
  value = schedule;
  return "";
}

std::string write(double value) { return text_of(value); }
std::string write(std::uint32_t value) { return std::to_string(value); }
std::string write(bool value) { return value ? "true" : "false"; }

std::string write(const StepSize& value) {
  std::vector<std::string> texts;
  for (const double step : value.values) texts.push_back(text_of(step));
  return joined(texts, ",");
}

template <class Enumeration>
requires std::is_enum_v<Enumeration> std::string write(const Enumeration& value) {
  return std::string(names_of(value)[static_cast<std::size_t>(value)]);
}

std::string write(const Schedule& value) {
  const std::string kind = write(value.kind);
  if (value.kind == Schedule::Kind::constant) return kind;
  return kind + "(" + text_of(value.offset) + "," + text_of(value.exponent) + ")";
}

template <class Function, std::size_t... Index>
void for_each_sampler(Function&& function, std::index_sequence<Index...>) {
  (function(std::variant_alternative_t<Index, AnySamplerOptions>{}), ...);
}

/// Calls function(options at their defaults) for every sampler.
template <class Function>
void for_each_sampler(Function&& function) {
  for_each_sampler(function, std::make_index_sequence<std::variant_size_v<AnySamplerOptions>>{});
}

}  // namespace

SamplerOptions::SamplerOptions() = default;
SamplerOptions::SamplerOptions(const SamplerOptions& other) = default;
SamplerOptions::SamplerOptions(SamplerOptions&& other) noexcept = default;
SamplerOptions& SamplerOptions::operator=(const SamplerOptions& other) = default;
SamplerOptions& SamplerOptions::operator=(SamplerOptions&& other) noexcept = default;
SamplerOptions::~SamplerOptions() = default;

std::vector<std::string> sampler_names() {
  std::vector<std::string> names;
  for_each_sampler([&](const auto& options) { names.emplace_back(options.name); });
  return names;
}

SamplerOptions sampler_options(std::string_view name) {
  std::optional<SamplerOptions> found;
  for_each_sampler([&](const auto& options) {
    if (options.name == name) found = options;
  });
  if (!found)
    throw OptionError("there is no sampler \"" + std::string(name) + "\"; the samplers are " +
                      joined(sampler_names(), ", "));
  return *found;
}

std::string_view sampler_name(const SamplerOptions& options) {
  return std::visit([](const auto& chosen) { return chosen.name; }, options);
}

SamplerTraits traits_of(const SamplerOptions& options) {
  return std::visit([](const auto& chosen) { return chosen.traits(); }, options);
}

std::string samplers_with(bool (*wanted)(const SamplerTraits& traits)) {
  std::vector<std::string> names;
  for_each_sampler([&](const auto& options) {
    if (wanted(options.traits())) names.emplace_back(options.name);
  });
  if (names.size() < 2) return joined(names, "");
  const std::string last = names.back();
  names.pop_back();
  return joined(names, ", ") + " or " + last;
}

bool is_exact(const SamplerOptions& options) { return traits_of(options).exact; }

RowUse row_use(const SamplerOptions& options) { return traits_of(options).rows; }

bool is_marginal(const SamplerOptions& options) { return traits_of(options).marginal; }

bool takes_every_row(const SamplerOptions& options) { return row_use(options) != RowUse::minibatches; }

const StepSize* step_size_of(const SamplerOptions& options) {
  return std::visit(
      [](const auto& chosen) -> const StepSize* {
        if constexpr (requires { chosen.step_size; })
          return &chosen.step_size;
        else
          return nullptr;
      },
      options);
}

std::vector<std::string> statistic_names(const SamplerOptions& options) {
  const std::span<const std::string_view> names = traits_of(options).statistics;
  return {names.begin(), names.end()};
}

std::vector<OptionDescription> describe_options(const SamplerOptions& options) {
  std::vector<OptionDescription> descriptions;
  std::visit(
      [&](const auto& chosen) {
        chosen.visit_options(chosen, [&](std::string_view name, const auto& value, std::string_view help) {
          descriptions.push_back({std::string(name), write(value), std::string(help)});
        });
      },
      options);
  return descriptions;
}

void set_option(SamplerOptions& options, std::string_view option, std::string_view text) {
  bool found = false;
  std::vector<std::string> names;
  std::visit(
      [&](auto& chosen) {
        chosen.visit_options(chosen, [&](std::string_view name, auto& value, std::string_view) {
          names.emplace_back(name);
          if (name != option) return;
          found = true;
          const std::string expected = read(text, value);
          if (!expected.empty())
            throw OptionError(std::string(option) + " of " + std::string(chosen.name) + " is \"" + std::string(text) +
                              "\"; expected " + expected);
        });
      },
      options);
  if (!found)
    throw OptionError(std::string(sampler_name(options)) + " has no option \"" + std::string(option) +
                      "\"; its options are " + joined(names, ", "));
}

void validate(const SamplerOptions& options, std::size_t dimension) {
  std::visit([&](const auto& chosen) { chosen.validate(dimension); }, options);
}

}  // namespace sgmcmc
