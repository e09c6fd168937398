// Types of the Stan language: a base type and a number of array dimensions.
#pragma once

#include <cstdint>
#include <string>

namespace sgmcmc::stan {

enum class Base : std::uint8_t { integer, real, vector, row_vector, matrix, nothing };

struct Type {
  Base base = Base::real;
  int array_rank = 0;

  bool is_scalar() const { return array_rank == 0 && (base == Base::integer || base == Base::real); }
  bool is_integer() const { return base == Base::integer; }  ///< int, or an array of them
  bool is_container() const { return !is_scalar(); }
  /// Dimensions of the base type: 0 for int and real, 1 for vectors, 2 for matrices.
  int base_rank() const {
    switch (base) {
      case Base::vector:
      case Base::row_vector: return 1;
      case Base::matrix: return 2;
      default: return 0;
    }
  }
  int rank() const { return array_rank + base_rank(); }
  std::string to_string() const;  ///< "array[,] vector", "real", "int"

  friend bool operator==(const Type&, const Type&) = default;
};

}  // namespace sgmcmc::stan
