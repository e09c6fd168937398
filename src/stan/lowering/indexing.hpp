// One place between the brackets of x[...], evaluated.
#pragma once

#include "stan/lowering/interpreter.hpp"

namespace sgmcmc::stan {

struct Interpreter::Place {
  enum class Kind : std::uint8_t { single, many, range, all };
  Kind kind = Kind::all;
  Value index;            ///< single, many: integers from 1
  std::int64_t from = 1;  ///< range
  std::int64_t to = 0;    ///< range, inclusive
  bool to_end = false;    ///< range without an upper end
  Span span;

  bool vanishes() const { return kind == Kind::single; }
};

}  // namespace sgmcmc::stan
