// Runs a program on a data set. Higher layers access rows only through executors.
#pragma once

#include "base/thread_pool.hpp"
#include "minibatch/row_batch.hpp"
#include "plan/program.hpp"

#include <sgmcmc/dataset.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace sgmcmc {

/// Receives per-row outputs, tile after tile, in the order of the batch.
class RowConsumer {
 public:
  virtual ~RowConsumer() = default;
  /// Component c of output k for the i-th row of the tile is at components[k] + c * stride + i (as doubles, or floats
  /// widened to double). `position` is the position of the tile's first row in the batch.
  virtual void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) = 0;
};

struct ExecutorOptions {
  Precision precision = Precision::float64;
  int tile_rows = 0;           ///< 0: chosen from the plan's footprint
  ThreadPool* pool = nullptr;  ///< null: everything on the calling thread
};

/// A program bound to data, with all the memory it needs. Not thread-safe: use one per chain.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Sets a parameter vector: current before every run, centre and direction when they change.
  virtual void set_point(Point point, std::span<const double> values) = 0;
  /// Runs over a batch and writes the global outputs one after another.
  virtual void run(const RowBatch& batch, std::span<double> outputs) = 0;
  /// Runs over a batch and passes the per-row outputs to the consumer, their components one output after another. All
  /// outputs of the program must be per-row or global; global ones are repeated for every row.
  virtual void run_rows(const RowBatch& batch, RowConsumer& consumer) = 0;

  virtual std::int64_t output_size() const = 0;  ///< elements of all outputs together
  virtual int tile_rows() const = 0;
};

/// `dimension`: length of the parameter vectors.
std::unique_ptr<Executor> make_executor(std::shared_ptr<const Program> program, Dataset data, std::int64_t dimension,
                                        const ExecutorOptions& options = {});

}  // namespace sgmcmc
