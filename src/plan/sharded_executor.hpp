// Executors that sum rows shard by shard: src/ranks/communicator.hpp says why.
#pragma once

#include "plan/executor.hpp"
#include "ranks/row_shards.hpp"

namespace sgmcmc {

/// An executor whose sums over rows can be made in parts. In this order: begin_sums(), sum_rows() for each part,
/// finish_sums() with the sums of all parts added.
class SummingExecutor : public Executor {
 public:
  virtual std::int64_t sums_size() const = 0;
  virtual void begin_sums() = 0;
  virtual void sum_rows(const RowBatch& rows, std::span<double> sums) = 0;
  virtual void finish_sums(std::span<const double> sums, std::span<double> outputs) = 0;
};

/// Of all rows as they are, without regard to shards: what make_executor() makes where the data have none.
std::unique_ptr<SummingExecutor> make_whole_executor(std::shared_ptr<const Program> program, Dataset data,
                                                     std::int64_t dimension, const ExecutorOptions& options);

}  // namespace sgmcmc
