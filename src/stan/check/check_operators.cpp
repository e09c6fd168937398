// One rule per operator, as in linear algebra; arrays have no arithmetic.
#include "stan/check/check_operators.hpp"

#include "stan/check/check.hpp"

namespace sgmcmc::stan {
namespace {

constexpr Type one_integer{Base::integer, 0};
constexpr Type real_type{Base::real, 0};

bool is(const Type& type, Base base) { return type.array_rank == 0 && type.base == base; }
bool is_int(const Type& type) { return is(type, Base::integer); }
/// A vector, row vector or matrix.
bool is_linear(const Type& type) { return type.array_rank == 0 && type.base_rank() > 0; }
bool is_array(const Type& type) { return type.array_rank > 0; }

Type scalar_result(const Type& left, const Type& right) {
  return is_int(left) && is_int(right) ? one_integer : real_type;
}

/// Scalars, a scalar with a vector or matrix, or two of one kind.
std::optional<Type> elementwise_type(const Type& left, const Type& right) {
  if (left.is_scalar() && right.is_scalar()) return scalar_result(left, right);
  if (left.is_scalar() && is_linear(right)) return right;
  if (is_linear(left) && (right.is_scalar() || left == right)) return left;
  return std::nullopt;
}

std::optional<Type> product_type(const Type& left, const Type& right) {
  if (left.is_scalar() || right.is_scalar()) return elementwise_type(left, right);
  if (is_array(left) || is_array(right)) return std::nullopt;
  switch (left.base) {
    case Base::row_vector:
      if (right.base == Base::vector) return real_type;
      if (right.base == Base::matrix) return left;
      return std::nullopt;
    case Base::vector: return right.base == Base::row_vector ? std::optional<Type>({Base::matrix, 0}) : std::nullopt;
    case Base::matrix: return right.base == Base::row_vector ? std::nullopt : std::optional<Type>(right);
    default: return std::nullopt;
  }
}

std::optional<Type> quotient_type(const Type& left, const Type& right) {
  if (right.is_scalar()) return elementwise_type(left, right);
  const bool divides_matrix = is(right, Base::matrix) && (is(left, Base::matrix) || is(left, Base::row_vector));
  return divides_matrix ? std::optional<Type>(left) : std::nullopt;
}

/// Powers also work on arrays, and are never ints.
std::optional<Type> power_type(const Type& left, const Type& right) {
  const auto real = [](Type type) {
    if (type.base == Base::integer) type.base = Base::real;
    return type;
  };
  const Type base = real(left), exponent = real(right);
  if (base == exponent || right.is_scalar()) return base;
  return left.is_scalar() ? std::optional<Type>(exponent) : std::nullopt;
}

std::string array_help(const Type& array) {
  if (array.array_rank == 1 && array.base_rank() == 0) {
    return "arrays have no arithmetic: declare it as a vector, or write to_vector(...) around the array";
  }
  return "arrays have no arithmetic: loop over the elements, or declare it as a vector or matrix";
}

}  // namespace

std::optional<Type> common_type(const Type& a, const Type& b) {
  if (promotes(a, b)) return b;
  if (promotes(b, a)) return a;
  return std::nullopt;
}

std::optional<Type> unary_type(Operator op, const Type& operand) {
  if (is_array(operand)) return std::nullopt;
  switch (op) {
    case Operator::negate:
    case Operator::plus: return operand;
    case Operator::logical_not: return operand.is_scalar() ? std::optional<Type>(one_integer) : std::nullopt;
    case Operator::transpose:
      if (operand.base == Base::vector) return Type{Base::row_vector, 0};
      if (operand.base == Base::row_vector) return Type{Base::vector, 0};
      return operand.base == Base::matrix ? std::optional<Type>(operand) : std::nullopt;
    default: return std::nullopt;
  }
}

std::optional<Type> binary_type(Operator op, const Type& left, const Type& right) {
  const bool scalars = left.is_scalar() && right.is_scalar();
  switch (op) {
    case Operator::add:
    case Operator::subtract: return elementwise_type(left, right);
    case Operator::multiply: return product_type(left, right);
    case Operator::divide: return quotient_type(left, right);
    case Operator::integer_divide:
    case Operator::modulo: return is_int(left) && is_int(right) ? std::optional<Type>(one_integer) : std::nullopt;
    case Operator::left_divide:
      return is(left, Base::matrix) && (is(right, Base::vector) || is(right, Base::matrix)) ? std::optional<Type>(right)
                                                                                            : std::nullopt;
    case Operator::power:
    case Operator::elementwise_power: return power_type(left, right);
    case Operator::elementwise_multiply:
    case Operator::elementwise_divide: return elementwise_type(left, right);
    case Operator::equal:
    case Operator::not_equal:
    case Operator::less:
    case Operator::less_equal:
    case Operator::greater:
    case Operator::greater_equal:
    case Operator::logical_and:
    case Operator::logical_or: return scalars ? std::optional<Type>(one_integer) : std::nullopt;
    default: return std::nullopt;
  }
}

std::string unary_help(Operator op, const Type& operand) {
  if (op == Operator::transpose) return "only vectors, row vectors and matrices can be transposed";
  if (is_array(operand)) return array_help(operand);
  return "'!' takes an int or a real";
}

std::string binary_help(Operator op, const OperandText& left, const OperandText& right, const std::string& assigns) {
  const auto with = [&](const std::string& other) { return left.text + ' ' + other + assigns + ' ' + right.text; };
  const std::string as_written = operator_text(op);
  switch (op) {
    case Operator::equal:
    case Operator::not_equal:
    case Operator::less:
    case Operator::less_equal:
    case Operator::greater:
    case Operator::greater_equal: return "only numbers can be compared: compare the elements in a loop";
    case Operator::logical_and:
    case Operator::logical_or: return "both sides must be int or real";
    case Operator::modulo: return "'%' takes ints; for reals write fmod(" + left.text + ", " + right.text + ")";
    case Operator::integer_divide: return "'%/%' takes ints; for other types write " + with("/");
    default: break;
  }
  if (is_array(left.type)) return array_help(left.type);
  if (is_array(right.type)) return array_help(right.type);
  const Base a = left.type.base, b = right.type.base;
  const bool crossed = (a == Base::vector && b == Base::row_vector) || (a == Base::row_vector && b == Base::vector);
  switch (op) {
    case Operator::multiply:
      if (left.type == right.type) {
        return "write " + with(".*") + " for the elementwise product, or dot_product(" + left.text + ", " + right.text +
               ") for the sum of products";
      }
      if (a == Base::vector) return "transpose the vector: " + left.text + "' * " + right.text;
      return "transpose the row vector: " + with("*") + "'";
    case Operator::divide: return "write " + with("./") + " for elementwise division";
    case Operator::left_divide: return "'\\' takes a matrix on the left and a vector or matrix on the right";
    default:
      if (crossed) return "transpose one of them: " + with(as_written) + "'";
      return "'" + as_written + "' takes two of the same kind, or a number and one of them";
  }
}

}  // namespace sgmcmc::stan
