// Signatures as text, "(reals | finite reals location, positive reals scale): real", and type matching.
//
// Words for types: int, real, vector, row_vector, matrix, each with array[], array[,] before it; and patterns:
//   reals    real, vector, row_vector or array[] real         ints  int or array[] int
//   vectors  vector, row_vector, or an array of either        any   every type
//   T        every type; all T of a call are one container type or scalars; elements become real
//   I        as T, elements are integers                      L     as T, but no arrays
//   E        every type, the same at each E of a call; array[] E is an array of it
// As a result type, reals and ints are a scalar, or an array if any argument was a container; vectors likewise.
// int promotes to real, arrays of int to arrays of real. Words before the type give the domain of data; words after it
// name the argument in messages.
#pragma once

#include "stan/builtins/type.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc::stan {

/// The domain of an argument.
enum class Domain : std::uint8_t {
  any,
  finite,
  positive,
  positive_finite,
  nonnegative,
  probability,
  open_probability,
  binary,
  count,
  natural,
  simplex,
  ordered,
  symmetric,
  positive_definite,
  factor,
};

struct Pattern {
  enum class Kind : std::uint8_t { fixed, reals, ints, vectors, any, elements, integer_elements, linear, generic };
  Kind kind = Kind::fixed;
  Type type;           ///< fixed
  int array_rank = 0;  ///< generic: array dimensions before E
  Domain domain = Domain::any;
  std::string name;  ///< for messages; may be empty
};

struct Signature {
  std::vector<Pattern> arguments;
  Pattern result;
  std::string text;  ///< without values and names: "(reals | reals, reals): real"
};

/// Parses a signature. Throws std::logic_error for errors in it, which are bugs in the library.
Signature parse_signature(std::string_view text);

/// The result type and the number of promoted arguments; empty if the arguments do not match.
struct Match {
  Type result;
  int promotions = 0;
};
std::optional<Match> match(const Signature& signature, std::span<const Type> arguments);

}  // namespace sgmcmc::stan
