// Values written as in the language.
#include "stan/read_value.hpp"

#include <cstdlib>
#include <stdexcept>

namespace sgmcmc::stan {
namespace {

void skip(std::string_view& text, std::string_view expected) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (!text.starts_with(expected))
    throw std::runtime_error("expected " + std::string(expected) + " at " + std::string(text));
  text.remove_prefix(expected.size());
}

bool skip_if(std::string_view& text, std::string_view expected) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

std::vector<Operand> read_list(std::string_view& text, std::string_view close) {
  std::vector<Operand> elements;
  if (skip_if(text, close)) return elements;
  do elements.push_back(read_value(text));
  while (skip_if(text, ","));
  skip(text, close);
  return elements;
}

/// Elements of one type, one after the other, under a type of one dimension more.
Operand gathered(const std::vector<Operand>& elements, Type type) {
  Operand result{type, {static_cast<std::int64_t>(elements.size())}, {}, {}};
  if (!elements.empty()) result.dims.insert(result.dims.end(), elements[0].dims.begin(), elements[0].dims.end());
  for (const auto& element : elements)
    result.numbers.insert(result.numbers.end(), element.numbers.begin(), element.numbers.end());
  return result;
}

Operand read_number(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of(",)]} "), text.size());
  const std::string word(text.substr(0, end));
  text.remove_prefix(end);
  char* rest = nullptr;
  const double value = std::strtod(word.c_str(), &rest);
  if (word.empty() || *rest != '\0') throw std::runtime_error("not a number: " + word);
  const bool integer = word.find_first_of(".en") == std::string::npos;
  return integer ? integer_operand(static_cast<std::int64_t>(value)) : real_operand(value);
}

}  // namespace

Operand read_value(std::string_view& text) {
  if (skip_if(text, "{")) {
    const auto elements = read_list(text, "}");
    Type type = elements.empty() ? Type{Base::integer, 0} : elements[0].type;
    for (const auto& element : elements)
      if (element.type.base == Base::real) type.base = Base::real;
    ++type.array_rank;
    return gathered(elements, type);
  }
  if (skip_if(text, "[")) {
    const auto elements = read_list(text, "]");
    if (!elements.empty() && elements[0].type.base == Base::row_vector) return gathered(elements, {Base::matrix, 0});
    return gathered(elements, {skip_if(text, "'") ? Base::vector : Base::row_vector, 0});
  }
  return read_number(text);
}

CallLine read_call(std::string_view line) {
  CallLine call;
  const std::size_t open = line.find('(');
  call.name = line.substr(0, open);
  line.remove_prefix(open + 1);
  call.arguments = read_list(line, ")");
  skip(line, "=");
  call.value = read_value(line);
  return call;
}

}  // namespace sgmcmc::stan
