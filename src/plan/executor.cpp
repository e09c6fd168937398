// Binding and running: memory for every value, kernels on it, and the loop over chunks and tiles of rows.
//
// A batch is cut into chunks whose number depends only on the program and the batch; a chunk is summed by one thread,
// tile by tile, and chunk sums are added in order. So results depend neither on threads nor on the tile size.
#include "plan/executor.hpp"

#include "base/levels.hpp"
#include "base/memory.hpp"
#include "base/pack.hpp"
#include "data/row_pages.hpp"
#include "plan/dense.hpp"
#include "plan/elementwise.hpp"
#include "plan/row_kernels.hpp"
#include "plan/sharded_executor.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::int64_t first_level_cache_share = 28 * 1024;
constexpr std::int64_t second_level_cache_share = 128 * 1024;

/// A global op that is not elementwise.
template <class Real>
class DenseKernel final : public Kernel<Real> {
 public:
  DenseKernel(const Node& node, std::vector<const Real*> inputs, Real* out)
      : node_(&node), inputs_(std::move(inputs)), out_(out), workspace_(node) {}
  void run(const TileRows&) override { evaluate_dense(*node_, inputs_.data(), out_, workspace_); }

 private:
  const Node* node_;
  std::vector<const Real*> inputs_;
  Real* out_;
  DenseWorkspace<Real> workspace_;
};

constexpr std::uint32_t rows_of_pass = 1U << 20;  // passes over at least this many rows report progress

template <class Real>
using Kernels = std::vector<std::unique_ptr<Kernel<Real>>>;

template <class Real>
class BoundProgram final : public SummingExecutor {
 public:
  BoundProgram(std::shared_ptr<const Program> program, Dataset data, std::int64_t dimension,
               const ExecutorOptions& options)
      : program_(std::move(program)), data_(std::move(data)), dimension_(dimension), pool_(options.pool) {
    if (!program_->row_columns.empty()) {
      blocks_ = data_.store().blocks(program_->row_columns);
      pages_ = data_.store().pages();
    }
    choose_tile(options.tile_rows);
    constants_ = AlignedBuffer<Real>(program_->constants.size() + 16);
    std::copy(program_->constants.begin(), program_->constants.end(), constants_.data());
    globals_ = AlignedBuffer<Real>(static_cast<std::size_t>(program_->globals_size) + 16);
    sums_ = AlignedBuffer<Real>(static_cast<std::size_t>(program_->accumulators_size) + 16);
    for (auto& point : points_) point = AlignedBuffer<Real>(static_cast<std::size_t>(dimension) + 16);
    workers_.resize(static_cast<std::size_t>(pool_ ? pool_->threads() : 1));
    for (auto& worker : workers_) prepare(worker);
    bind(program_->centre, nullptr, centre_);
    bind(program_->before, nullptr, before_);
    bind(program_->after, nullptr, after_);
    for (int output : program_->outputs) output_size_ += value(output).size;
    for (auto& kernel : centre_) kernel->run(TileRows{});
  }

  std::int64_t output_size() const override { return output_size_; }
  int tile_rows() const override { return static_cast<int>(tile_rows_); }

  void set_point(Point point, std::span<const double> values) override {
    Real* const to = points_[static_cast<std::size_t>(point)].data();
    in_stretches(values.size(), [&](std::size_t begin, std::size_t end) {
      std::copy(values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end),
                to + begin);
    });
    if (point == Point::centre)
      for (auto& kernel : centre_) kernel->run(TileRows{});
  }

  void run(const RowBatch& batch, std::span<double> outputs) override {
    begin_sums();
    if (program_->accumulators_size > 0) sum_over_rows(batch);
    write_outputs(outputs);
  }

  std::int64_t sums_size() const override { return program_->accumulators_size; }
  void begin_sums() override {
    for (auto& kernel : before_) kernel->run(TileRows{});
  }
  void sum_rows(const RowBatch& rows, std::span<double> sums) override {
    sum_over_rows(rows);
    std::copy_n(sums_.data(), sums.size(), sums.data());
  }
  void finish_sums(std::span<const double> sums, std::span<double> outputs) override {
    for (std::size_t i = 0; i < sums.size(); ++i) sums_.data()[i] = static_cast<Real>(sums[i]);
    write_outputs(outputs);
  }

  void run_rows(const RowBatch& batch, RowConsumer& consumer) override {
    for (auto& kernel : before_) kernel->run(TileRows{});
    Worker& worker = workers_[0];
    if (row_values_.size() == 0)
      row_values_ = AlignedBuffer<double>(static_cast<std::size_t>(output_size_ * tile_rows_));
    start_prefetching(worker, batch, 0, batch.count, consumed_rows_);
    visit_tiles(worker, batch, 0, batch.count, consumed_rows_, [&](const TileRows& tile) {
      double* to = row_values_.data();
      for (int output : program_->outputs) {
        const auto from = operand(output, &worker);
        for (std::int64_t c = 0; c < from.size; ++c, to += tile_rows_) {
          const Real* lanes = from.data + c * from.component_stride;
          for (std::uint32_t i = 0; i < tile.count; ++i) to[i] = from.per_row ? lanes[i] : *lanes;
        }
      }
      consumer.consume(tile.position, tile.count, row_values_.data(), tile_rows_);
    });
  }

 private:
  void write_outputs(std::span<double> outputs) {
    for (auto& kernel : after_) kernel->run(TileRows{});
    double* to = outputs.data();
    for (int output : program_->outputs) {
      const Value& v = value(output);
      const Real* from = operand(output, nullptr).data;
      in_stretches(static_cast<std::size_t>(v.size),
                   [&](std::size_t begin, std::size_t end) { std::copy(from + begin, from + end, to + begin); });
      to += v.size;
    }
  }

  struct Worker {
    AlignedBuffer<Real> tile;
    Kernels<Real> kernels;
    std::map<const ColumnView*, std::shared_ptr<ColumnTile<Real>>> column_tiles;
    Prefetcher prefetcher;
  };

  const Value& value(int id) const { return program_->values[static_cast<std::size_t>(id)]; }

  /// Calls work(begin, end) for parts of [0, size): on all threads if there are many parameters.
  template <class Work>
  void in_stretches(std::size_t size, Work work) {
    constexpr std::size_t stretch = 8192;
    if (!pool_ || size < 4 * stretch) return work(std::size_t{0}, size);
    pool_->for_each((size + stretch - 1) / stretch,
                    [&](std::size_t number, int) { work(number * stretch, std::min(size, (number + 1) * stretch)); });
  }

  /// Bytes that a row takes in the data set.
  std::size_t row_bytes() const {
    std::size_t bytes = 0;
    for (const auto& block : blocks_) bytes += block.used_bytes;
    return bytes;
  }

  /// Bytes of a row of the column in the precision of the program, not as stored, because results may depend on it.
  static std::int64_t bytes_of_row(const ColumnView& column) {
    if (column.kind == ColumnKind::sparse) return 2 * sizeof(std::int64_t);
    const auto element = column.kind == ColumnKind::real ? sizeof(Real) : sizeof(std::int32_t);
    return column.row_shape.size() * static_cast<std::int64_t>(element);
  }

  /// The same for all columns of a row.
  std::int64_t program_bytes_of_row() const {
    std::int64_t bytes = 0;
    for (const std::string& name : program_->row_columns) bytes += bytes_of_row(data_.store().column(name));
    return bytes;
  }

  /// Rows per tile, for a tile that may fill this many bytes of cache.
  std::int64_t rows_per_tile(int wanted, std::int64_t cache_bytes) const {
    const std::int64_t block = program_->row_block;
    std::int64_t rows = wanted;
    if (rows <= 0) {
      if (program_->has_products) {
        rows = product_block_rows;
      } else {
        const std::int64_t bytes =
            program_->tile_components * static_cast<std::int64_t>(sizeof(Real)) + program_bytes_of_row();
        rows = std::clamp<std::int64_t>(cache_bytes / std::max<std::int64_t>(bytes, 1), 16, 512);
        rows = (rows + block / 2) / block * block;
      }
    }
    return std::max<std::int64_t>(1, (rows + block - 1) / block) * block;
  }

  void choose_tile(int wanted) {
    constexpr std::int64_t half = first_level_cache_share / 2;
    near_rows_ = rows_per_tile(wanted, first_level_cache_share);
    // If listed rows of the next tile are prefetched into the first-level cache, they share it with this tile.
    listed_rows_ = !Prefetcher::asks_for_listed(static_cast<std::size_t>(program_bytes_of_row()))
                       ? rows_per_tile(wanted, second_level_cache_share)
                   : Prefetcher::cache_level == 1 ? rows_per_tile(wanted, half)
                                                  : near_rows_;
    consumed_rows_ = rows_per_tile(wanted, half);  // the same on every machine, because sums of consumers may depend on
                                                   // it
    tile_rows_ = std::max({near_rows_, listed_rows_, consumed_rows_});
  }

  void prepare(Worker& worker) {
    if (program_->rows.empty()) return;
    worker.tile = AlignedBuffer<Real>(static_cast<std::size_t>(program_->tile_components * tile_rows_) + 16);
    bind(program_->rows, &worker, worker.kernels);
    worker.prefetcher.share_among(static_cast<std::uint32_t>(
        std::count_if(worker.kernels.begin(), worker.kernels.end(), [](auto& k) { return k->visits_rows(); })));
  }

  /// The place of a value in memory: per-row values are in the worker's tile, accumulators in its sums until complete.
  Operand<Real> operand(int id, Worker* worker) {
    const Value& v = value(id);
    Operand<Real> result;
    result.size = v.size;
    result.per_row = v.per_row;
    switch (v.place) {
      case Place::constant: result.data = constants_.data() + v.offset; break;
      case Place::parameter:
        result.data = points_[static_cast<std::size_t>(v.node().attributes.point)].data() + v.offset;
        break;
      case Place::global: result.data = globals_.data() + v.offset; break;
      case Place::accumulator: result.data = sums_.data() + v.offset; break;
      case Place::tile:
        result.data = worker->tile.data() + v.offset * tile_rows_;
        result.component_stride = tile_rows_;
        break;
      case Place::row_data: result.in_place = true; break;
      case Place::scratch: break;
    }
    if (v.op() == Op::row_real || v.op() == Op::row_integer || v.op() == Op::row_sparse)
      result.column = &data_.store().column(v.node().attributes.name);
    return result;
  }

  void bind(const std::vector<Instruction>& instructions, Worker* worker, Kernels<Real>& kernels) {
    for (const auto& instruction : instructions) {
      const Value& first = value(instruction.values[0]);
      if (is_elementwise(first.op())) {
        kernels.push_back(bind_group(instruction, worker));
        continue;
      }
      if (first.place == Place::row_data) continue;
      if (!first.per_row && !is_row_sum(first.op())) {
        std::vector<const Real*> inputs;
        for (int input : first.inputs) inputs.push_back(operand(input, worker).data);
        kernels.push_back(std::make_unique<DenseKernel<Real>>(first.node(), std::move(inputs),
                                                              operand(instruction.values[0], worker).data));
        continue;
      }
      KernelSpec<Real> spec;
      spec.value = &first;
      for (int input : first.inputs) spec.inputs.push_back(operand(input, worker));
      spec.out = operand(instruction.values[0], worker);
      spec.tile_rows = tile_rows_;
      spec.column_tile = [this, worker](const ColumnView& column) {
        auto& tile = worker->column_tiles[&column];
        if (!tile) tile = std::make_shared<ColumnTile<Real>>(column, static_cast<int>(tile_rows_));
        return tile;
      };
      if (is_row_sum(first.op())) {
        kernels.push_back(make_row_sum_kernel(spec));
      } else {
        kernels.push_back(make_row_kernel(spec));
      }
    }
  }

  /// The values of a group in order; two functions of the same operand that are cheaper together form one entry.
  std::vector<std::vector<int>> paired_values(const Instruction& group) const {
    std::vector<std::vector<int>> steps;
    for (int id : group.values) {
      const Value& v = value(id);
      auto partner = std::find_if(steps.begin(), steps.end(), [&](const std::vector<int>& step) {
        const Value& other = value(step[0]);
        return step.size() == 1 && other.inputs == v.inputs &&
               (pair_function<Real>(other.op(), v.op()) || pair_function<Real>(v.op(), other.op()));
      });
      if (partner == steps.end())
        steps.push_back({id});
      else if (pair_function<Real>(value((*partner)[0]).op(), v.op()))
        partner->push_back(id);
      else
        partner->insert(partner->begin(), id);
    }
    return steps;
  }

  std::unique_ptr<Kernel<Real>> bind_group(const Instruction& group, Worker* worker) {
    using Group = ElementwiseGroup<Real>;
    const Value& first = value(group.values[0]);
    const auto paired = paired_values(group);
    std::vector<typename Group::Step> steps;
    std::map<int, int> scratch;           // value -> strip buffer
    std::map<int, std::size_t> last_use;  // value -> last step that reads it
    for (std::size_t s = 0; s < paired.size(); ++s)
      for (int input : value(paired[s][0]).inputs) last_use[input] = s;
    std::vector<int> free_buffers;
    int buffers = 0;
    const auto target = [&](int id) {
      typename Group::Target to;
      if (value(id).place == Place::scratch) {
        if (free_buffers.empty()) free_buffers.push_back(buffers++);
        scratch[id] = to.scratch = free_buffers.back();
        free_buffers.pop_back();
      } else {
        const auto out = operand(id, worker);
        to.data = out.data;
        to.component_stride = value(id).per_row ? out.component_stride : 0;
      }
      return to;
    };
    for (std::size_t s = 0; s < paired.size(); ++s) {
      const Value& v = value(paired[s][0]);
      typename Group::Step step;
      step.op = v.op();
      step.operand_count = static_cast<int>(v.inputs.size());
      for (std::size_t i = 0; i < v.inputs.size(); ++i) {
        auto& source = step.operands[i];
        const Value& in = value(v.inputs[i]);
        if (in.place == Place::scratch) {
          source.scratch = scratch[v.inputs[i]];
          source.array = true;
          continue;
        }
        const auto from = operand(v.inputs[i], worker);
        source.data = from.data;
        // In a per-row group, arrays are lanes, and a global operand is one number per component. In a global group,
        // arrays are elements.
        source.array = v.per_row ? from.per_row : from.size == v.size && !in.node().shape.is_scalar();
        if (!v.per_row && v.size == 1) source.array = true;
        if (v.per_row) source.component_stride = from.size == 1 ? 0 : from.component_stride;
      }
      step.out = target(paired[s][0]);
      if (paired[s].size() == 2) {
        step.pair = pair_function<Real>(v.op(), value(paired[s][1]).op());
        step.second = target(paired[s][1]);
      }
      // Frees the buffers of values that are read for the last time here: each once, in numerical order.
      std::vector<int> read = v.inputs;
      std::sort(read.begin(), read.end());
      read.erase(std::unique(read.begin(), read.end()), read.end());
      for (int used : read)
        if (last_use[used] == s && scratch.count(used)) free_buffers.push_back(scratch[used]);
      steps.push_back(step);
    }
    return std::make_unique<Group>(std::move(steps), first.per_row ? first.size : 1, first.per_row, first.size, buffers,
                                   worker ? nullptr : pool_);
  }

  /// Visits the rows [from, to) of the batch tile by tile with all row kernels.
  template <class After>
  void visit_tiles(Worker& worker, const RowBatch& batch, std::uint32_t from, std::uint32_t to, std::int64_t tile_rows,
                   After after) {
    const auto rows = static_cast<std::uint32_t>(tile_rows);
    TileRows tile;
    tile.batch = &batch;
    tile.prefetcher = &worker.prefetcher;
    std::uint32_t told = from;
    if (pages_) want_first_rows(batch, from, to);
    for (std::uint32_t start = from; start < to; start += rows) {
      if (pages_ && start - told >= RowPages::stretch_rows) told = tell_pages(batch, told, start, to);
      tile.position = start;
      tile.count = std::min(rows, to - start);
      tile.lanes = (tile.count + 15) / 16 * 16;
      for (auto& [column, copy] : worker.column_tiles) copy->forget();
      worker.prefetcher.begin_tile(start + tile.count);
      for (auto& kernel : worker.kernels) kernel->run(tile);
      worker.prefetcher.end_tile();
      after(tile);
    }
    if (pages_) tell_pages(batch, told, to, to);
  }

  /// Requests the first rows of [from, to). A slice was requested during the previous one; then requests the next
  /// slice, to be read while this one is visited.
  void want_first_rows(const RowBatch& batch, std::uint32_t from, std::uint32_t to) {
    if (batch.next_count == 0) {
      want_rows(batch, from, std::min(to - from, 2 * RowPages::stretch_rows));
    } else if (from == 0 && !batch.next_indices) {
      pages_->want_slice(batch.next_first, batch.next_count);
    }
  }
  void want_rows(const RowBatch& batch, std::uint32_t position, std::uint32_t count) {
    if (!batch.indices && count > 0) pages_->want(batch.first + position, count);
  }
  /// Reports that rows [told, position) of the batch were visited, and requests the stretch after the next.
  std::uint32_t tell_pages(const RowBatch& batch, std::uint32_t told, std::uint32_t position, std::uint32_t to) {
    batch.indices ? pages_->visited_anywhere(position - told) : pages_->visited(position - told);
    const std::uint32_t ahead = std::min(to - position, RowPages::stretch_rows);
    if (batch.next_count == 0)
      want_rows(batch, position + ahead, std::min(to - position - ahead, RowPages::stretch_rows));
    return position;
  }

  void start_prefetching(Worker& worker, const RowBatch& batch, std::uint32_t from, std::uint32_t to,
                         std::int64_t tile_rows) {
    constexpr std::size_t most = first_level_cache_share * (Prefetcher::cache_level == 1 ? 1 : 8);
    const bool pays = !batch.indices || Prefetcher::asks_for_listed(row_bytes());
    // If tiles are too large, rows prefetched one tile ahead would be evicted before they are used.
    if (pays && row_bytes() * static_cast<std::size_t>(tile_rows) <= most)
      worker.prefetcher.start(batch, blocks_.data(), blocks_.size(), static_cast<std::uint32_t>(tile_rows), from, to);
    else
      worker.prefetcher.stop();
  }

  std::int64_t rows_at_a_time(const RowBatch& batch) const { return batch.indices ? listed_rows_ : near_rows_; }

  void sum_chunk(Worker& worker, const RowBatch& batch, std::uint32_t from, std::uint32_t to, Real* sums) {
    for (auto& kernel : worker.kernels) kernel->begin(sums);
    visit_tiles(worker, batch, from, to, rows_at_a_time(batch), [](const TileRows&) {});
    for (auto& kernel : worker.kernels) kernel->end();
  }

  /// Rows per chunk: a function of the program and the batch only.
  std::uint32_t chunk_rows(std::uint32_t count) const {
    const std::int64_t least = product_block_rows;
    const std::int64_t most_chunks = std::clamp<std::int64_t>(4'000'000 / program_->accumulators_size, 4, 64);
    const std::int64_t rows = std::max<std::int64_t>(least, (count + most_chunks - 1) / most_chunks);
    return static_cast<std::uint32_t>((rows + least - 1) / least * least);
  }

  void sum_over_rows(const RowBatch& batch) {
    const auto length = static_cast<std::size_t>(program_->accumulators_size);
    const std::uint32_t rows = chunk_rows(batch.count);
    const std::uint32_t chunks = (batch.count + rows - 1) / rows;
    if (pages_ && batch.next_count == 0 && batch.count >= rows_of_pass) pages_->begin_pass(batch.count);
    if (chunks <= 1) {
      start_prefetching(workers_[0], batch, 0, batch.count, rows_at_a_time(batch));
      sum_chunk(workers_[0], batch, 0, batch.count, sums_.data());
      return;
    }
    if (chunk_sums_.size() < length * chunks) chunk_sums_ = AlignedBuffer<Real>(length * chunks);
    const bool parallel = pool_ && pool_->threads() > 1;
    if (!parallel) start_prefetching(workers_[0], batch, 0, batch.count, rows_at_a_time(batch));
    auto one = [&](std::size_t chunk, int w) {
      Worker& worker = workers_[static_cast<std::size_t>(w)];
      const auto from = static_cast<std::uint32_t>(chunk) * rows;
      const auto to = std::min(from + rows, batch.count);
      if (parallel) start_prefetching(worker, batch, from, to, rows_at_a_time(batch));
      sum_chunk(worker, batch, from, to, chunk_sums_.data() + chunk * length);
    };
    if (parallel)
      pool_->for_each(chunks, one);
    else
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) one(chunk, 0);
    add_chunks(chunks, length);
  }

  /// Adds the sums of chunks in order, in blocks that stay in cache; in double if there are many chunks.
  void add_chunks(std::size_t chunks, std::size_t length) {
    if (chunks <= 4) {
      const Real* from = chunk_sums_.data();
      Real* to = sums_.data();
      in_stretches(length, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) to[i] = from[i] + from[length + i];
        for (std::size_t chunk = 2; chunk < chunks; ++chunk)
          for (std::size_t i = begin; i < end; ++i) to[i] += from[chunk * length + i];
      });
      return;
    }
    constexpr std::size_t block = 512;
    double total[block];
    for (std::size_t start = 0; start < length; start += block) {
      const std::size_t count = std::min(block, length - start);
      std::fill_n(total, count, 0.0);
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        const Real* from = chunk_sums_.data() + chunk * length + start;
        for (std::size_t i = 0; i < count; ++i) total[i] += static_cast<double>(from[i]);
      }
      for (std::size_t i = 0; i < count; ++i) sums_.data()[start + i] = static_cast<Real>(total[i]);
    }
  }

  std::shared_ptr<const Program> program_;
  Dataset data_;
  std::int64_t dimension_;
  ThreadPool* pool_;
  std::int64_t tile_rows_ = 0;      ///< capacity of a tile
  std::int64_t near_rows_ = 0;      ///< rows per tile for sums over consecutive rows
  std::int64_t listed_rows_ = 0;    ///< the same for listed rows
  std::int64_t consumed_rows_ = 0;  ///< rows per tile for consumers
  std::int64_t output_size_ = 0;
  AlignedBuffer<Real> constants_, globals_, sums_;
  AlignedBuffer<Real> points_[3];
  AlignedBuffer<Real> chunk_sums_;
  AlignedBuffer<double> row_values_;
  std::vector<RowBlock> blocks_;
  RowPages* pages_ = nullptr;  ///< if rows are in mapped files whose pages are released; else null
  std::vector<Worker> workers_;
  Kernels<Real> centre_, before_, after_;
};

std::unique_ptr<SummingExecutor> make_whole_executor_here(std::shared_ptr<const Program> program, Dataset data,
                                                          std::int64_t dimension, const ExecutorOptions& options) {
  if (options.precision == Precision::float32)
    return std::make_unique<BoundProgram<float>>(std::move(program), std::move(data), dimension, options);
  return std::make_unique<BoundProgram<double>>(std::move(program), std::move(data), dimension, options);
}

}  // namespace

SGMCMC_DISPATCHED(std::unique_ptr<SummingExecutor>, make_whole_executor,
                  (std::shared_ptr<const Program> program, Dataset data, std::int64_t dimension,
                   const ExecutorOptions& options),
                  (std::move(program), std::move(data), dimension, options))

}  // namespace sgmcmc
