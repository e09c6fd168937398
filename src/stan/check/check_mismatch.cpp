// Explains calls that match no signature: which argument is wrong, what was expected, and the signatures.
#include "stan/check/check_mismatch.hpp"

#include "stan/builtins/signatures.hpp"
#include "stan/check/checker.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

namespace sgmcmc::stan {
namespace {

/// Types to try in place of an argument, to find what would match; the simplest first.
std::vector<Type> usual_types() {
  std::vector<Type> result;
  for (int rank = 0; rank < 3; ++rank) {
    for (const Base base : {Base::integer, Base::real, Base::vector, Base::row_vector, Base::matrix}) {
      result.push_back({base, rank});
    }
  }
  return result;
}

bool contains(const std::vector<Type>& types, const Type& type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

/// "int", "real or vector", "real, vector or matrix": omits int where real is accepted, and lists at most six.
std::string list(const std::vector<Type>& types) {
  std::vector<std::string> words;
  for (const Type& type : types) {
    if (type.base == Base::integer && contains(types, {Base::real, type.array_rank})) continue;
    words.push_back(type.to_string());
  }
  constexpr std::size_t most = 6;
  if (words.size() > most) {
    words.resize(most);
    words.emplace_back("another array");
  }
  std::string result = words[0];
  for (std::size_t k = 1; k < words.size(); ++k) result += (k + 1 < words.size() ? ", " : " or ") + words[k];
  return result;
}

/// The number of arguments in a signature line: counts separators between the outer parentheses, not those of
/// "array[,]".
std::size_t arity(const std::string& line) {
  const std::size_t open = line.find('('), close = line.find(')');
  if (open == std::string::npos || close == std::string::npos || line.find_first_not_of(' ', open + 1) == close)
    return 0;
  std::size_t count = 1;
  int brackets = 0;
  for (std::size_t k = open + 1; k < close; ++k) {
    if (line[k] == '[') ++brackets;
    if (line[k] == ']') --brackets;
    if (brackets == 0 && (line[k] == ',' || line[k] == '|')) ++count;
  }
  return count;
}

/// Words in signatures that mean several types.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> meanings_of_patterns = {{
    {"reals", "real, vector, row_vector or array[] real"},
    {"ints", "int or array[] int"},
    {"vectors", "vector, row_vector or an array of them"},
    {"any", "every type"},
    {"T", "a number or a container, all of one type"},
    {"I", "an int or a container of ints, all of one type"},
    {"L", "a number, vector, row_vector or matrix"},
    {"E", "one type throughout"},
}};

/// Whether a text contains a word as a whole word.
bool mentions(std::string_view text, std::string_view word) {
  const auto inside = [&](std::size_t k) {
    return k < text.size() && (std::isalnum(static_cast<unsigned char>(text[k])) != 0 || text[k] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !inside(at - 1)) && !inside(at + word.size())) return true;
  }
  return false;
}

std::string count_text(std::size_t count) {
  return count == 0 ? "no arguments" : std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

std::string joined(const std::string& sentence, const std::string& lines) {
  return sentence.empty() ? "signatures:" + lines : sentence + "; signatures:" + lines;
}

}  // namespace

std::string signature_lines(const std::vector<std::string>& lines) {
  constexpr std::size_t most = 8;
  std::string result;
  for (std::size_t k = 0; k < std::min(lines.size(), most); ++k) result += "\n  " + lines[k];
  if (lines.size() > most) result += "\n  and " + std::to_string(lines.size() - most) + " more";
  std::string shown;
  for (std::size_t k = 0; k < std::min(lines.size(), most); ++k) shown += lines[k] + '\n';
  for (const auto& [word, meaning] : meanings_of_patterns) {
    if (mentions(shown, word)) result += "\n  where " + std::string(word) + " is " + std::string(meaning);
  }
  return result;
}

std::string signature_text(const Function& function) {
  std::string result = function.name + '(';
  const bool bar = ends_with(function.name, "_lpdf") || ends_with(function.name, "_lpmf") ||
                   ends_with(function.name, "_lcdf") || ends_with(function.name, "_lccdf");
  for (std::size_t k = 0; k < function.arguments.size(); ++k) {
    if (k > 0) result += k == 1 && bar ? " | " : ", ";
    if (function.arguments[k].data) result += "data ";
    result += function.arguments[k].type.to_string();
  }
  return result + "): " + function.result.to_string();
}

std::string conversion_help(const Type& found, const Type& expected, const std::string& text) {
  const Type vector{Base::vector, 0}, row{Base::row_vector, 0}, matrix{Base::matrix, 0};
  const bool numbers = found.array_rank == 1 && found.base_rank() == 0;
  if (found.is_scalar() && expected.is_scalar() && found != expected) {
    return "an int is converted to real, but not the reverse: declare the int as real, or write to_int(...) of data";
  }
  if ((found == vector && expected == row) || (found == row && expected == vector)) {
    return "transpose it: " + text + "'";
  }
  if (numbers && expected == vector) return "write to_vector(" + text + ")";
  if (numbers && expected == row) return "write to_row_vector(" + text + ")";
  if ((found == vector || found == row) && expected == Type{Base::real, 1}) return "write to_array_1d(" + text + ")";
  if (found == Type{Base::vector, 1} && expected == matrix)
    return "copy it into the rows in a loop, each vector transposed";
  if (found.is_container() && expected.is_scalar()) return "index it, or reduce it with sum(...), mean(...), ...";
  if (found.is_scalar() && expected.array_rank == 0 && expected.base_rank() == 1) {
    return std::string("write ") + (expected == vector ? "rep_vector(" : "rep_row_vector(") + text + ", size)";
  }
  if (found.is_scalar() && expected.base_rank() == 0) return "write rep_array(" + text + ", size)";
  if (found.is_scalar() && expected == matrix) return "write rep_matrix(" + text + ", rows, columns)";
  return {};
}

void Checker::no_signature(const Mismatch& mismatch) {
  std::vector<std::string> lines;
  for (const Function& function : program_.functions) {
    if (function.name == mismatch.function && (function.body || lines.empty()))
      lines.push_back(signature_text(function));
  }
  for (std::string& line : signatures(mismatch.function)) lines.push_back(std::move(line));
  std::vector<Type> types;
  for (const Tree* argument : mismatch.arguments) types.push_back(argument->type);

  const std::string quoted = "'" + mismatch.shown + "'";
  const std::size_t uncounted = mismatch.sampling ? 1 : 0;  // the left side of ~ is not counted
  std::vector<std::size_t> arities;
  for (const std::string& line : lines) arities.push_back(arity(line));
  if (!arities.empty() && std::find(arities.begin(), arities.end(), types.size()) == arities.end()) {
    std::sort(arities.begin(), arities.end());
    arities.erase(std::unique(arities.begin(), arities.end()), arities.end());
    std::string takes;
    for (std::size_t k = 0; k < arities.size(); ++k) {
      const std::size_t count = arities[k] - std::min(arities[k], uncounted);
      if (k + 1 == arities.size()) {
        takes += count_text(count);
      } else {
        takes += std::to_string(count) + (k + 2 == arities.size() ? " or " : ", ");
      }
    }
    fail(mismatch.span, quoted + " takes " + takes + "; found " + std::to_string(types.size() - uncounted),
         "signatures:" + signature_lines(lines));
  }

  // An argument is wrong if changing it alone makes the call match.
  const auto fits = [&](const std::vector<Type>& tried) {
    return find_function(program_, mismatch.function, tried) || result_type(mismatch.function, tried);
  };
  std::optional<std::size_t> wrong;
  std::vector<Type> expected;
  bool unique = true;
  for (std::size_t k = 0; k < types.size(); ++k) {
    std::vector<Type> tried = types, fitting;
    for (const Type& type : usual_types()) {
      tried[k] = type;
      if (fits(tried)) fitting.push_back(type);
    }
    if (fitting.empty()) continue;
    unique = !wrong.has_value();
    if (!unique) break;
    wrong = k;
    expected = std::move(fitting);
  }
  if (wrong && unique) {
    const Tree& argument = *mismatch.arguments[*wrong];
    std::string what = "argument " + std::to_string(*wrong + 1 - uncounted) + " of " + quoted;
    if (mismatch.sampling && *wrong == 0) what = "the left side of '~ " + mismatch.shown + "'";
    std::string sentence;
    const bool only_ints =
        std::all_of(expected.begin(), expected.end(), [](const Type& type) { return type.is_integer(); });
    if (only_ints && !argument.type.is_integer()) {
      sentence = argument.type.is_scalar() ? "declare it as int" : "declare it as an array of int";
    } else if (!contains(expected, {Base::real, 0}) || expected.size() < 3) {
      sentence = conversion_help(argument.type, expected.front(), text_of(argument, "..."));
    }
    fail(argument.span, what + " cannot be " + argument.type.to_string() + "; expected " + list(expected),
         joined(sentence, signature_lines(lines)));
  }
  std::string found;
  for (std::size_t k = uncounted; k < types.size(); ++k) found += (k > uncounted ? ", " : "") + types[k].to_string();
  std::string message = quoted + " does not take (" + found + ")";
  if (mismatch.sampling) message += " with " + types[0].to_string() + " left of '~'";
  fail(mismatch.span, message, "signatures:" + signature_lines(lines));
}

}  // namespace sgmcmc::stan
