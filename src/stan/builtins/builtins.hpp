// The built-in functions on numbers and expressions: one implementation for data, parameters and rows.
#pragma once

#include "stan/builtins/type.hpp"

#include <sgmcmc/expression.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc::stan {

/// An argument or result: numbers (data), or an expression (depends on parameters or on the row). Elements are
/// row-major, array dimensions first, matrices row by row; integers are stored as doubles. `symbol` has shape `dims`.
struct Operand {
  Type type;
  std::vector<std::int64_t> dims;
  std::vector<double> numbers;  ///< used when symbol is empty
  Expression symbol;

  bool is_data() const { return !symbol; }
  std::int64_t size() const;
};

/// A scalar or an array of numbers of a type.
Operand real_operand(double value);
Operand integer_operand(std::int64_t value);
Operand symbol_operand(Type type, Expression symbol);
/// The operand as an expression: a constant if it is data.
Expression as_expression(const Operand& operand);
/// The value of an expression without parameters and rows.
std::vector<double> evaluate_constant(const Expression& expression);

/// Applies a function by name; the argument types must match one of its signatures (signatures.hpp). If all arguments
/// are data, so is the result. Densities ("normal_lpdf") return the sum over their vectorised arguments, a scalar.
/// Operators go by the names of Stan's functions: "add", "multiply" (linear algebra), "elt_multiply", "divide",
/// "transpose", ... Throws ArgumentError for invalid values (sizes, domains of data).
Operand apply_builtin(std::string_view function, std::span<const Operand> arguments);

/// Whether the function works element by element on one argument or on several of equal shape or scalars (exp, add,
/// pow): then it may be applied to one row of a longer container.
bool is_elementwise(std::string_view function);

/// Which arguments of a density are vectors or matrices for ONE outcome: "multi_normal_lpdf" {1, 1, 2} (rank of each
/// argument for one outcome, arrays of them are vectorised over); univariate ones are all 0.
std::vector<int> outcome_ranks(std::string_view density);

/// Throws ArgumentError if data are outside the domain of this argument of a density (a negative scale, a count of -1).
/// apply_builtin does this for arguments that are data; this is for the columns behind per-row expressions.
void check_data(std::string_view function, std::size_t argument, const Operand& data);

/// What to write instead of an unsupported Stan function; empty for other names.
std::string unsupported_hint(std::string_view function);

/// An error about arguments; the interpreter adds the place.
struct ArgumentError {
  std::string message;
  std::string help;
};

/// Draws from a distribution ("normal_rng") with data arguments, vectorised as in Stan. `uniform` supplies numbers in
/// (0, 1).
class UniformSource {
 public:
  virtual ~UniformSource() = default;
  virtual double next() = 0;
};
Operand apply_rng(std::string_view function, std::span<const Operand> arguments, UniformSource& uniform);

}  // namespace sgmcmc::stan
