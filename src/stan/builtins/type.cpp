// How types are written in messages.
#include "stan/builtins/type.hpp"

namespace sgmcmc::stan {
namespace {

const char* base_text(Base base) {
  switch (base) {
    case Base::integer: return "int";
    case Base::real: return "real";
    case Base::vector: return "vector";
    case Base::row_vector: return "row_vector";
    case Base::matrix: return "matrix";
    case Base::nothing: return "void";
  }
  return "";
}

}  // namespace

std::string Type::to_string() const {
  if (array_rank == 0) return base_text(base);
  return "array[" + std::string(static_cast<std::size_t>(array_rank - 1), ',') + "] " + base_text(base);
}

}  // namespace sgmcmc::stan
