// Values written as in the language: 2, 2.5, [1, 2]' (a vector), [1, 2], [[1, 2], [3, 4]], {1, 2}, {[1]', [2]'}.
#pragma once

#include "stan/builtins/builtins.hpp"

#include <string_view>
#include <vector>

namespace sgmcmc::stan {

/// Reads one value and removes it from the front of the text. Throws std::runtime_error.
Operand read_value(std::string_view& text);
/// "f(1, 2) = 3": the name, the arguments and the value.
struct CallLine {
  std::string name;
  std::vector<Operand> arguments;
  Operand value;
};
CallLine read_call(std::string_view line);

}  // namespace sgmcmc::stan
