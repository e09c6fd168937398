// Operand and result types of operators, and advice for invalid operands.
#pragma once

#include "stan/syntax/tree.hpp"

#include <optional>
#include <string>

namespace sgmcmc::stan {

std::optional<Type> unary_type(Operator op, const Type& operand);
std::optional<Type> binary_type(Operator op, const Type& left, const Type& right);

/// What to write instead of an invalid operation. The texts are those of the operands; `assigns` is "=" after the
/// operator of a compound assignment.
std::string unary_help(Operator op, const Type& operand);
struct OperandText {
  Type type;
  std::string text;
};
std::string binary_help(Operator op, const OperandText& left, const OperandText& right, const std::string& assigns);

/// The type to which both promote (int and real: real); empty if there is none.
std::optional<Type> common_type(const Type& a, const Type& b);

}  // namespace sgmcmc::stan
