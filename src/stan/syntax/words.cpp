// Tables of words: types, reserved words, blocks, and the names that densities had once.
#include "stan/syntax/words.hpp"

#include "base/text.hpp"
#include "stan/builtins/signatures.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace sgmcmc::stan {
namespace {

using Kind = ConstraintTree::Kind;
using namespace std::string_view_literals;

constexpr TypeWord type_words[] = {
    {"int", Base::integer, Kind::none},
    {"real", Base::real, Kind::none},
    {"vector", Base::vector, Kind::none},
    {"row_vector", Base::row_vector, Kind::none},
    {"matrix", Base::matrix, Kind::none},
    {"simplex", Base::vector, Kind::simplex},
    {"ordered", Base::vector, Kind::ordered},
    {"positive_ordered", Base::vector, Kind::positive_ordered},
    {"unit_vector", Base::vector, Kind::unit_vector},
    {"cholesky_factor_corr", Base::matrix, Kind::cholesky_factor_corr},
    {"cholesky_factor_cov", Base::matrix, Kind::cholesky_factor_cov},
    {"corr_matrix", Base::matrix, Kind::corr_matrix},
    {"cov_matrix", Base::matrix, Kind::cov_matrix},
};

struct Unsupported {
  std::string_view word;
  const char* instead;
};
constexpr const char* instead_of_complex = "use separate variables for the real and the imaginary part";
constexpr const char* instead_of_stochastic = "declare an array of simplexes, as in 'array[N] simplex[K] x;'";
constexpr Unsupported unsupported_types[] = {
    {"complex", instead_of_complex},
    {"complex_vector", instead_of_complex},
    {"complex_row_vector", instead_of_complex},
    {"complex_matrix", instead_of_complex},
    {"tuple", "declare one variable for each part of the tuple"},
    {"sum_to_zero_vector",
     "declare 'vector[K - 1] x_raw;' and, in transformed parameters, "
     "'vector[K] x = append_row(x_raw, -sum(x_raw));'"},
    {"sum_to_zero_matrix", "declare all rows and columns but the last and compute these from their sums"},
    {"row_stochastic_matrix", instead_of_stochastic},
    {"column_stochastic_matrix", instead_of_stochastic},
};

constexpr std::array reserved_words = {
    "for"sv,        "in"sv,         "while"sv,       "repeat"sv,    "until"sv,  "if"sv,        "then"sv,  "else"sv,
    "true"sv,       "false"sv,      "target"sv,      "void"sv,      "array"sv,  "functions"sv, "model"sv, "data"sv,
    "parameters"sv, "quantities"sv, "transformed"sv, "generated"sv, "return"sv, "break"sv,     "print"sv, "reject"sv,
    "profile"sv,    "continue"sv,   "fatal_error"sv, "var"sv,       "fvar"sv,
};

constexpr std::array statement_words = {"for"sv,   "while"sv,  "if"sv,      "else"sv,     "return"sv, "break"sv,
                                        "print"sv, "reject"sv, "profile"sv, "continue"sv, "target"sv};

constexpr std::array<std::string_view, 7> blocks = {
    "functions", "data", "transformed data", "parameters", "transformed parameters", "model", "generated quantities"};

std::vector<std::string_view> all_type_words() {
  std::vector<std::string_view> result{"array"};
  for (const TypeWord& type : type_words) result.push_back(type.word);
  return result;
}

/// Short words resemble too many others.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  return word.size() < 2 ? "" : nearest_name(word, candidates);
}

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

}  // namespace

const TypeWord* find_type_word(std::string_view word) {
  for (const TypeWord& type : type_words) {
    if (type.word == word) return &type;
  }
  return nullptr;
}

const char* instead_of_type(std::string_view word) {
  for (const Unsupported& type : unsupported_types) {
    if (type.word == word) return type.instead;
  }
  return nullptr;
}

bool is_reserved(std::string_view word) {
  return contains(reserved_words, word) || find_type_word(word) || instead_of_type(word);
}

bool is_block_word(std::string_view word) {
  return word == "functions" || word == "data" || word == "transformed" || word == "parameters" || word == "model" ||
         word == "generated";
}

std::string nearest_type_word(std::string_view word) { return nearest(word, all_type_words()); }

std::string nearest_statement_word(std::string_view word) {
  if (word == "elif" || word == "elsif" || word == "elseif") return "else if";
  return nearest(word, {statement_words.begin(), statement_words.end()});
}

std::span<const std::string_view> block_names() { return blocks; }

std::string new_density_name(std::string_view name) {
  const auto stem_before = [&](std::string_view suffix) -> std::string {
    if (!name.ends_with(suffix)) return {};
    const std::string stem(name.substr(0, name.size() - suffix.size()));
    return is_distribution(stem) ? stem : std::string();
  };
  if (const std::string stem = stem_before("_ccdf_log"); !stem.empty()) return stem + "_lccdf";
  if (const std::string stem = stem_before("_cdf_log"); !stem.empty()) return stem + "_lcdf";
  if (const std::string stem = stem_before("_log"); !stem.empty()) {
    return stem + std::string(density_suffix(stem));
  }
  return {};
}

std::string distribution_of_density(std::string_view name) {
  for (const std::string_view suffix : {"_lpdf"sv, "_lpmf"sv, "_lupdf"sv, "_lupmf"sv}) {
    if (name.ends_with(suffix)) return std::string(name.substr(0, name.size() - suffix.size()));
  }
  if (!name.ends_with("_log") || is_distribution(name)) return {};
  const std::string_view stem = name.substr(0, name.size() - 4);
  return is_distribution(stem) ? std::string(stem) : std::string();
}

bool must_have_bar(std::string_view name) {
  constexpr std::array suffixes = {"_lpdf"sv, "_lpmf"sv, "_lupdf"sv, "_lupmf"sv, "_lcdf"sv, "_lccdf"sv};
  return std::any_of(suffixes.begin(), suffixes.end(), [&](std::string_view suffix) { return name.ends_with(suffix); });
}

// Both normal_cdf(y, mu, sigma) and normal_cdf(y | mu, sigma) have been valid Stan.
bool may_have_bar(std::string_view name) { return must_have_bar(name) || name.ends_with("_cdf"); }

}  // namespace sgmcmc::stan
