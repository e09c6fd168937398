// The types of operators: what each takes and gives, and what to write where it does not.
#pragma once

#include "stan/syntax/tree.hpp"

#include <optional>
#include <string>

namespace sgmcmc::stan {

std::optional<Type> unary_type(Operator op, const Type& operand);
std::optional<Type> binary_type(Operator op, const Type& left, const Type& right);

/// What to write instead of an operation that has no type. The texts are those of the operands; `assigns` is "=" after
/// the operator of a compound assignment.
std::string unary_help(Operator op, const Type& operand);
struct OperandText {
  Type type;
  std::string text;
};
std::string binary_help(Operator op, const OperandText& left, const OperandText& right, const std::string& assigns);

/// The type that both promote to, or nothing: int and real are real.
std::optional<Type> common_type(const Type& a, const Type& b);

}  // namespace sgmcmc::stan
