// Layout of the coordinates of a constrained array: groups of vectors or matrices, and the position of each entry.
#include "constraint/layout.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>

namespace sgmcmc {

namespace {

Blocks blocks_of(const Shape& shape, std::size_t axes, const std::string& constraint, const char* what) {
  if (shape.rank() < axes) {
    throw ShapeError("constraint " + constraint + ": a parameter of shape " + shape.to_string() + " is not " + what +
                     "; give it " + (axes == 1 ? "at least one axis" : "at least two axes"));
  }
  Blocks blocks;
  blocks.shape = shape;
  for (std::size_t axis = 0; axis + axes < shape.rank(); ++axis) blocks.groups *= shape[axis];
  blocks.columns = shape[shape.rank() - 1];
  if (axes == 2) blocks.rows = shape[shape.rank() - 2];
  if (blocks.columns < 1 || blocks.rows < 1) {
    throw ShapeError("constraint " + constraint + ": a parameter of shape " + shape.to_string() +
                     " has no elements to constrain");
  }
  return blocks;
}

}  // namespace

Blocks vector_blocks(const Shape& shape, const std::string& constraint) {
  return blocks_of(shape, 1, constraint, "a vector");
}

Blocks matrix_blocks(const Shape& shape, const std::string& constraint) {
  return blocks_of(shape, 2, constraint, "a matrix");
}

void require_square(const Blocks& blocks, const std::string& constraint) {
  if (blocks.rows == blocks.columns) return;
  throw ShapeError("constraint " + constraint + ": the last two axes of " + blocks.shape.to_string() +
                   " must be equal, for a square matrix");
}

std::vector<TriangleEntry> triangle_by_rows(std::int64_t rows, std::int64_t columns, bool with_diagonal) {
  std::vector<TriangleEntry> entries;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t end = std::min(columns, with_diagonal ? i + 1 : i);
    for (std::int64_t j = 0; j < end; ++j) entries.push_back({i, j});
  }
  return entries;
}

std::vector<TriangleEntry> triangle_by_columns(std::int64_t dimension) {
  std::vector<TriangleEntry> entries;
  for (std::int64_t j = 0; j < dimension; ++j) {
    for (std::int64_t i = j + 1; i < dimension; ++i) entries.push_back({i, j});
  }
  return entries;
}

}  // namespace sgmcmc
