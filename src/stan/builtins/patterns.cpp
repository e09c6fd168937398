// Parses signatures and matches types against them.
#include "stan/builtins/patterns.hpp"

#include <array>
#include <stdexcept>
#include <utility>

namespace sgmcmc::stan {
namespace {

constexpr std::array<std::pair<std::string_view, Domain>, 14> domain_words{{
    {"finite", Domain::finite},
    {"positive", Domain::positive},
    {"positive_finite", Domain::positive_finite},
    {"nonnegative", Domain::nonnegative},
    {"probability", Domain::probability},
    {"open_probability", Domain::open_probability},
    {"binary", Domain::binary},
    {"count", Domain::count},
    {"natural", Domain::natural},
    {"simplex", Domain::simplex},
    {"ordered", Domain::ordered},
    {"symmetric", Domain::symmetric},
    {"positive_definite", Domain::positive_definite},
    {"factor", Domain::factor},
}};

constexpr std::array<std::pair<std::string_view, Base>, 6> base_words{{
    {"int", Base::integer},
    {"real", Base::real},
    {"vector", Base::vector},
    {"row_vector", Base::row_vector},
    {"matrix", Base::matrix},
    {"void", Base::nothing},
}};

constexpr std::array<std::pair<std::string_view, Pattern::Kind>, 8> pattern_words{{
    {"reals", Pattern::Kind::reals},
    {"ints", Pattern::Kind::ints},
    {"vectors", Pattern::Kind::vectors},
    {"any", Pattern::Kind::any},
    {"T", Pattern::Kind::elements},
    {"I", Pattern::Kind::integer_elements},
    {"L", Pattern::Kind::linear},
    {"E", Pattern::Kind::generic},
}};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// "positive reals scale" as a pattern; `shown` gets the words of the type.
Pattern parse_pattern(std::string_view text, std::string& shown) {
  Pattern pattern;
  const auto words = words_of(text);
  std::size_t i = 0;
  for (bool found = true; found && i < words.size();) {
    found = false;
    for (const auto& [word, domain] : domain_words) {
      if (words[i] != word) continue;
      pattern.domain = domain;
      found = true;
    }
    i += found;
  }
  int rank = 0;
  if (i < words.size() && words[i].starts_with("array[")) {
    rank = static_cast<int>(words[i].size()) - 6;
    shown += std::string(words[i]) + " ";
    ++i;
  }
  if (i == words.size()) throw std::logic_error("no type in the pattern '" + std::string(text) + "'");
  bool known = false;
  for (const auto& [word, base] : base_words) {
    if (words[i] != word) continue;
    pattern.type = {base, rank};
    known = true;
  }
  for (const auto& [word, kind] : pattern_words) {
    if (words[i] != word) continue;
    pattern.kind = kind;
    pattern.array_rank = rank;
    known = true;
  }
  if (!known) throw std::logic_error("unknown type in the pattern '" + std::string(text) + "'");
  shown += words[i];
  for (++i; i < words.size(); ++i) pattern.name += (pattern.name.empty() ? "" : " ") + std::string(words[i]);
  return pattern;
}

Type promoted(Type type) {
  if (type.base == Base::integer) type.base = Base::real;
  return type;
}

/// The types bound to the variables of a signature in one call.
struct Bindings {
  std::optional<Type> container;  ///< of T, I, L
  std::optional<Type> generic;    ///< of E
  bool vectorised = false;        ///< a container among reals and ints, an array among vectors
};

std::optional<int> match_elements(const Type& type, Bindings& bindings) {
  const Type real = promoted(type);
  if (real.is_container()) {
    if (bindings.container && *bindings.container != real) return std::nullopt;
    bindings.container = real;
  }
  return type.is_integer() ? 1 : 0;
}

std::optional<int> match_generic(const Pattern& pattern, const Type& type, Bindings& bindings) {
  if (type.array_rank < pattern.array_rank) return std::nullopt;
  const Type element{type.base, type.array_rank - pattern.array_rank};
  if (!bindings.generic) {
    bindings.generic = element;
    return 0;
  }
  if (*bindings.generic == element) return 0;
  if (promoted(*bindings.generic) != promoted(element)) return std::nullopt;
  bindings.generic = promoted(element);
  return 1;
}

std::optional<int> match_argument(const Pattern& pattern, const Type& type, Bindings& bindings) {
  const bool number = type.base == Base::integer || type.base == Base::real;
  switch (pattern.kind) {
    case Pattern::Kind::fixed:
      if (type == pattern.type) return 0;
      if (promoted(type) == pattern.type) return 1;
      return std::nullopt;
    case Pattern::Kind::reals:
      if (number ? type.array_rank > 1 : type.array_rank > 0 || type.base == Base::matrix) return std::nullopt;
      bindings.vectorised |= type.is_container();
      return type.is_integer() ? 1 : 0;
    case Pattern::Kind::ints:
      if (!type.is_integer() || type.array_rank > 1) return std::nullopt;
      bindings.vectorised |= type.is_container();
      return 0;
    case Pattern::Kind::vectors:
      if (type.base_rank() != 1 || type.array_rank > 1) return std::nullopt;
      bindings.vectorised |= type.array_rank > 0;
      return 0;
    case Pattern::Kind::any: return 0;
    case Pattern::Kind::elements: return match_elements(type, bindings);
    case Pattern::Kind::integer_elements:
      if (!type.is_integer() || !match_elements(type, bindings)) return std::nullopt;
      return 0;
    case Pattern::Kind::linear:
      if (type.array_rank > 0) return std::nullopt;
      return match_elements(type, bindings);
    case Pattern::Kind::generic: return match_generic(pattern, type, bindings);
  }
  return std::nullopt;
}

Type result_of(const Pattern& pattern, const Bindings& bindings) {
  const int array_rank = bindings.vectorised ? 1 : 0;
  switch (pattern.kind) {
    case Pattern::Kind::reals: return {Base::real, array_rank};
    case Pattern::Kind::ints: return {Base::integer, array_rank};
    case Pattern::Kind::vectors: return {Base::vector, array_rank};
    case Pattern::Kind::elements:
    case Pattern::Kind::linear: return bindings.container.value_or(Type{Base::real, 0});
    case Pattern::Kind::integer_elements: return {Base::integer, bindings.container.value_or(Type{}).array_rank};
    case Pattern::Kind::generic: {
      Type type = bindings.generic.value_or(Type{});
      type.array_rank += pattern.array_rank;
      return type;
    }
    default: return pattern.type;
  }
}

}  // namespace

Signature parse_signature(std::string_view text) {
  const std::size_t close = text.rfind("): ");
  if (!text.starts_with("(") || close == std::string_view::npos)
    throw std::logic_error("a signature is '(...): type', not '" + std::string(text) + "'");
  Signature signature;
  signature.text = "(";
  const std::string_view inside = text.substr(1, close - 1);
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= inside.size() && !inside.empty(); ++i) {
    const char c = i < inside.size() ? inside[i] : ',';
    depth += (c == '[') - (c == ']');
    if (depth > 0 || (c != ',' && c != '|')) continue;
    signature.arguments.push_back(parse_pattern(inside.substr(begin, i - begin), signature.text));
    if (i < inside.size()) signature.text += c == '|' ? " | " : ", ";
    begin = i + 1;
  }
  signature.text += "): ";
  signature.result = parse_pattern(text.substr(close + 3), signature.text);
  return signature;
}

std::optional<Match> match(const Signature& signature, std::span<const Type> arguments) {
  if (arguments.size() != signature.arguments.size()) return std::nullopt;
  Bindings bindings;
  Match result;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto cost = match_argument(signature.arguments[i], arguments[i], bindings);
    if (!cost) return std::nullopt;
    result.promotions += *cost;
  }
  result.result = result_of(signature.result, bindings);
  return result;
}

}  // namespace sgmcmc::stan
