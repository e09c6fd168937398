// Arguments for any signature of the table of built-in functions: values in the domains it names.
#pragma once

#include "stan/builtins/operands.hpp"
#include "stan/builtins/table.hpp"

#include <string>
#include <vector>

namespace sgmcmc::stan {

/// Concrete types that a signature takes: scalars only, containers only, and mixed.
std::vector<std::vector<Type>> argument_types(const Signature& signature);

/// Data of these types, three of everything, in the domains of the signature.
std::vector<Operand> argument_values(const std::string& function, const Signature& signature,
                                     const std::vector<Type>& types);

}  // namespace sgmcmc::stan
