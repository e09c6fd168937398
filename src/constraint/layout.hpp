// Layout of the coordinates of a constrained array: groups of vectors or matrices, and the position of each entry.
#pragma once

#include <sgmcmc/shape.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc {

/// A shape as `groups` blocks of `rows` x `columns` (vectors: one row).
struct Blocks {
  std::int64_t groups = 1;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  Shape shape;

  std::int64_t block_size() const { return rows * columns; }
};

/// Throw ShapeError naming the constraint if the shape has too few axes or an empty one.
Blocks vector_blocks(const Shape& shape, const std::string& constraint);
Blocks matrix_blocks(const Shape& shape, const std::string& constraint);
void require_square(const Blocks& blocks, const std::string& constraint);

/// The coordinates of a lower triangle: entry (row, column) for each, in their order.
struct TriangleEntry {
  std::int64_t row = 0;
  std::int64_t column = 0;
};
/// Row by row, below the diagonal or, if `with_diagonal`, including it; columns from 0 to `columns` - 1.
std::vector<TriangleEntry> triangle_by_rows(std::int64_t rows, std::int64_t columns, bool with_diagonal);
/// Column by column, below the diagonal.
std::vector<TriangleEntry> triangle_by_columns(std::int64_t dimension);

}  // namespace sgmcmc
