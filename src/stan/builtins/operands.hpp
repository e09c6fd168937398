// Shared by the built-in functions: making operands, reading sizes, rearranging elements, and errors.
#pragma once

#include "stan/builtins/table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc::stan {

using Dimensions = std::vector<std::int64_t>;
using Positions = std::vector<std::int64_t>;

inline constexpr Type integer_type{Base::integer, 0};
inline constexpr Type real_type{Base::real, 0};
inline constexpr Type vector_type{Base::vector, 0};
inline constexpr Type row_vector_type{Base::row_vector, 0};
inline constexpr Type matrix_type{Base::matrix, 0};
inline constexpr Type integer_array{Base::integer, 1};
inline constexpr Type real_array{Base::real, 1};

[[noreturn]] void refuse(const BuiltinCall& call, const std::string& message, std::string help = {});

Operand numbers_operand(Type type, Dimensions dims, std::vector<double> numbers);
Operand symbol_operand(Type type, Dimensions dims, const Expression& symbol);  ///< reshapes where needed
Operand vector_operand(std::vector<double> numbers);

inline Type with_real_elements(Type type) {
  if (type.base == Base::integer) type.base = Base::real;
  return type;
}
std::string shape_text(const Operand& operand);  ///< "a vector of 3 elements", "a 2 x 3 matrix"

bool all_data(std::span<const Operand> operands);
/// A size or an index: an int that is data.
std::int64_t integer_argument(const BuiltinCall& call, std::size_t i, const char* what);
std::int64_t size_argument(const BuiltinCall& call, std::size_t i, const char* what = "size");  ///< not negative
/// The number, if it fits into Stan's 32-bit int; else throws.
double checked_integer(const BuiltinCall& call, double value);

/// Elements at flat positions, as a new value; data stays data.
Operand pick(const Operand& x, Type type, Dimensions dims, Positions positions);
/// The same elements in the same order, under another type.
Operand retyped(const Operand& x, Type type, Dimensions dims);
/// The elements of both, concatenated into one array.
Operand joined(const Operand& a, const Operand& b);

/// All elements in one axis, or a scalar.
Expression flat(const Operand& operand);
/// Checks that a value has the shape of another, or is a scalar.
void require_same_dims(const BuiltinCall& call, const Operand& a, const Operand& b);

/// Checks that data arguments are in the domains of their signature.
void check_domains(const Builtin& builtin, const BuiltinCall& call);

}  // namespace sgmcmc::stan
