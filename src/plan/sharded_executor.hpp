// Executors that sum rows shard by shard; src/ranks/communicator.hpp explains why.
#pragma once

#include "plan/executor.hpp"
#include "ranks/row_shards.hpp"

namespace sgmcmc {

/// An executor whose sums over rows can be computed in parts. Call begin_sums(), then sum_rows() for each part, then
/// finish_sums() with the sum over all parts.
class SummingExecutor : public Executor {
 public:
  virtual std::int64_t sums_size() const = 0;
  virtual void begin_sums() = 0;
  virtual void sum_rows(const RowBatch& rows, std::span<double> sums) = 0;
  virtual void finish_sums(std::span<const double> sums, std::span<double> outputs) = 0;
};

/// An executor that ignores shards; make_executor() returns this one if the data have none.
std::unique_ptr<SummingExecutor> make_whole_executor(std::shared_ptr<const Program> program, Dataset data,
                                                     std::int64_t dimension, const ExecutorOptions& options);

}  // namespace sgmcmc
