// A program: the graph after the passes, in the order in which it is executed, with a place for every value.
//
// Values are computed in three stages: global ones before the rows, per-row ones tile by tile, and global ones that
// depend on sums over rows after them. Nothing here depends on precision or on the data themselves: see executor.hpp.
#pragma once

#include "graph/node.hpp"
#include "plan/options.hpp"

#include <sgmcmc/expression.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc {

enum class Stage : std::uint8_t {
  centre,  ///< global, depends on nothing but constants and the centre: computed when the centre is set
  before,  ///< global, computed once per run
  rows,    ///< per tile of rows
  after,   ///< global, from sums over rows
};

enum class Place : std::uint8_t {
  constant,     ///< at `offset` of the constants
  parameter,    ///< at `offset` of the vector of `point`
  global,       ///< at `offset` of the globals
  tile,         ///< `size` components of tile_rows lanes each, component slot `offset`
  accumulator,  ///< result of a sum over rows, at `offset` of the accumulators
  row_data,     ///< read in place from the data set
  scratch,      ///< lives only inside a fused group
};

struct Value {
  Expression expression;
  std::vector<int> inputs;  ///< value numbers; reshapes already looked through
  std::int64_t size = 1;
  bool per_row = false;
  Stage stage = Stage::before;
  Place place = Place::global;
  std::int64_t offset = 0;
  bool loaded = false;  ///< row data: a tile copy is wanted (component-major lanes), at `offset` of the tile
  const Node& node() const { return expression.node(); }
  Op op() const { return expression.node().op; }
};

/// One unit of execution: a single op, or a group of elementwise ops run strip by strip.
struct Instruction {
  std::vector<int> values;
};

struct PassTime {
  std::string name;
  double microseconds = 0;
};

struct Program {
  std::vector<Value> values;
  std::vector<double> constants;
  std::vector<Instruction> centre, before, rows, after;
  std::vector<int> outputs;              ///< value numbers, in the order asked for
  std::int64_t globals_size = 0;         ///< elements
  std::int64_t accumulators_size = 0;    ///< elements
  std::int64_t tile_components = 0;      ///< lanes arrays needed per tile
  bool has_products = false;             ///< matrix products over a tile
  int row_block = 16;                    ///< tiles are multiples of this many rows; sums over rows depend on it only
  std::vector<std::string> row_columns;  ///< data columns read
  std::vector<PassTime> pass_times;
};

/// Above this many multiplications per row a product over a tile is done as a matrix product.
inline constexpr std::int64_t matrix_product_threshold = 64;
/// Such products take this many rows at a time, whatever the tile.
inline constexpr std::uint32_t product_block_rows = 256;

/// Runs the passes and lays out the program. Throws ModelError if a row value would depend on a sum over rows.
Program compile_program(const std::vector<Expression>& outputs, const PlanOptions& options);

}  // namespace sgmcmc
