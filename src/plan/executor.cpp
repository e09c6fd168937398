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
#include "plan/long_arrays.hpp"
#include "plan/row_kernels.hpp"
#include "plan/sharded_executor.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <map>
#include <set>
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

/// A column in a mapped file, as the kernels of one worker see it: consecutive rows in a buffer, into which they are
/// read shortly before, because mapping their pages would take longer; listed rows in the file.
struct ColumnOnDisk {
  ColumnView view;
  std::size_t number = 0;  ///< among the columns of the file
  const std::byte* mapped = nullptr;
  AlignedBuffer<std::byte> rows;
};

constexpr std::size_t read_bytes = std::size_t{256} << 10;  // at a time: fits into the second-level cache

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
    choose_rows_per_read();
    constants_ = AlignedBuffer<Real>(program_->constants.size() + 16);
    std::copy(program_->constants.begin(), program_->constants.end(), constants_.data());
    globals_ = AlignedBuffer<Real>(static_cast<std::size_t>(program_->globals_size) + 16);
    sums_ = AlignedBuffer<Real>(static_cast<std::size_t>(program_->accumulators_size) + 16);
    for (auto& point : points_) point = AlignedBuffer<Real>(static_cast<std::size_t>(dimension) + 16);
    workers_.resize(static_cast<std::size_t>(pool_ ? pool_->threads() : 1));
    for (auto& worker : workers_) prepare(worker);
    written_by_group_.resize(program_->outputs.size());
    bind(program_->centre, nullptr, centre_);
    bind(program_->before, nullptr, before_);
    bind(program_->after, nullptr, after_);
    find_sums_to_add();
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
    add_chunks(false);
    write_outputs(outputs);
  }

  std::int64_t sums_size() const override { return program_->accumulators_size; }
  void begin_sums() override {
    for (auto& kernel : before_) kernel->run(TileRows{});
  }
  void sum_rows(const RowBatch& rows, std::span<double> sums) override {
    sum_over_rows(rows);
    add_chunks(true);
    std::copy_n(sums_.data(), sums.size(), sums.data());
  }
  void finish_sums(std::span<const double> sums, std::span<double> outputs) override {
    for (std::size_t i = 0; i < sums.size(); ++i) sums_.data()[i] = static_cast<Real>(sums[i]);
    chunk_sums_.chunks = 0;
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
    outputs_ = outputs.data();
    for (auto& kernel : after_) kernel->run(TileRows{});
    double* to = outputs.data();
    for (std::size_t number = 0; number < program_->outputs.size(); ++number) {
      const Value& v = value(program_->outputs[number]);
      if (!written_by_group_[number]) {
        const Real* from = operand(program_->outputs[number], nullptr).data;
        in_stretches(static_cast<std::size_t>(v.size),
                     [&](std::size_t begin, std::size_t end) { std::copy(from + begin, from + end, to + begin); });
      }
      to += v.size;
    }
  }

  struct Worker {
    AlignedBuffer<Real> tile;
    Kernels<Real> kernels;
    std::vector<std::unique_ptr<ColumnOnDisk>> on_disk;
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

  void choose_rows_per_read() {
    if (!pages_ || pages_->keeps_some()) return;  // rows that are kept are read in place
    std::size_t bytes = 0;
    for (const std::string& name : program_->row_columns)
      if (const RowPages::Column* source = pages_->column_at(data_.store().column(name).base)) bytes += source->stride;
    if (bytes > 0) rows_per_read_ = std::max(tile_rows_, static_cast<std::int64_t>(read_bytes / bytes));
  }

  void prepare(Worker& worker) {
    if (program_->rows.empty()) return;
    if (rows_per_read_ > 0)
      for (const std::string& name : program_->row_columns) {
        const ColumnView& view = data_.store().column(name);
        const RowPages::Column* const source = pages_->column_at(view.base);
        if (!source) continue;
        AlignedBuffer<std::byte> rows(static_cast<std::size_t>(rows_per_read_) * source->stride);
        const auto number = static_cast<std::size_t>(source - pages_->columns().data());
        worker.on_disk.push_back(
            std::make_unique<ColumnOnDisk>(ColumnOnDisk{view, number, view.base, std::move(rows)}));
      }
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
      result.column = &column(v.node().attributes.name, worker);
    return result;
  }

  const ColumnView& column(const std::string& name, const Worker* worker) const {
    if (worker)
      for (const auto& on_disk : worker->on_disk)
        if (on_disk->view.name == name) return on_disk->view;
    return data_.store().column(name);
  }

  void bind(const std::vector<Instruction>& instructions, Worker* worker, Kernels<Real>& kernels) {
    for (const auto& instruction : instructions) {
      const Value& first = value(instruction.values[0]);
      if (is_elementwise(first.op()) || is_long_sum(first)) {
        kernels.push_back(bind_group(instruction, worker));
        continue;
      }
      if (first.place == Place::row_data) continue;
      for (int input : first.inputs)
        if (value(input).place == Place::accumulator)
          read_by_others_.insert(static_cast<std::size_t>(value(input).offset));
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
    std::map<std::vector<int>, std::vector<std::size_t>> of_inputs;  // steps with these operands
    for (int id : group.values) {
      const Value& v = value(id);
      auto& candidates = of_inputs[v.inputs];
      const auto partner = std::find_if(candidates.begin(), candidates.end(), [&](std::size_t step) {
        const Value& other = value(steps[step][0]);
        return steps[step].size() == 1 &&
               (pair_function<Real>(other.op(), v.op()) || pair_function<Real>(v.op(), other.op()));
      });
      if (partner == candidates.end()) {
        candidates.push_back(steps.size());
        steps.push_back({id});
        continue;
      }
      auto& pair = steps[*partner];
      pair.insert(pair_function<Real>(value(pair[0]).op(), v.op()) ? pair.end() : pair.begin(), id);
    }
    return steps;
  }

  std::unique_ptr<Kernel<Real>> bind_group(const Instruction& group, Worker* worker) {
    using Group = ElementwiseGroup<Real>;
    const Value& first = value(group.values[0]);
    const std::int64_t elements = is_long_sum(first) ? value(first.inputs[0]).size : first.size;
    typename Group::LongArray ends;
    if (first.stage == Stage::after && elements >= long_array) ends = ends_of(group, elements);
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
        source.array = v.per_row ? from.per_row : from.size == elements && !in.node().shape.is_scalar();
        if (!v.per_row && elements == 1) source.array = true;
        if (v.per_row) source.component_stride = from.size == 1 ? 0 : from.component_stride;
      }
      if (is_long_sum(v)) {
        step.sum = static_cast<int>(ends.sums.size());
        ends.sums.push_back(operand(paired[s][0], worker).data);
      } else {
        step.out = target(paired[s][0]);
      }
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
    return std::make_unique<Group>(std::move(steps), first.per_row ? first.size : 1, first.per_row, elements, buffers,
                                   std::move(ends), worker ? nullptr : pool_);
  }

  /// What a group over a long array reads and writes besides its operands.
  typename ElementwiseGroup<Real>::LongArray ends_of(const Instruction& group, std::int64_t elements) {
    typename ElementwiseGroup<Real>::LongArray ends;
    ends.chunk_sums = &chunk_sums_;
    ends.outputs = &outputs_;
    for (int id : group.values) {
      const Value& v = value(id);
      for (int input : v.inputs) {
        const Value& in = value(input);
        const auto at = static_cast<std::size_t>(in.offset);
        if (in.place != Place::accumulator || in.size != elements) continue;
        if (added_by_group_.count(at) || read_by_others_.count(at)) continue;
        added_by_group_[at] = at + static_cast<std::size_t>(elements);
        ends.arrivals.push_back(at);
      }
      std::size_t position = 0;
      for (std::size_t number = 0; number < program_->outputs.size(); ++number) {
        const int output = program_->outputs[number];
        if (output == id && v.size == elements) {
          ends.departures.push_back({operand(id, nullptr).data, position});
          written_by_group_[number] = true;
        }
        position += static_cast<std::size_t>(value(output).size);
      }
    }
    return ends;
  }

  /// Visits the rows [from, to) of the batch tile by tile with all row kernels.
  template <class After>
  void visit_tiles(Worker& worker, const RowBatch& batch, std::uint32_t from, std::uint32_t to, std::int64_t tile_rows,
                   After after) {
    const auto rows = static_cast<std::uint32_t>(tile_rows);
    TileRows tile;
    tile.batch = &batch;
    tile.prefetcher = &worker.prefetcher;
    // Listed rows are reported after every tile: each may have brought many pages into memory.
    const std::uint32_t stretch = batch.indices ? rows : RowPages::stretch_rows;
    std::uint32_t told = from;
    std::uint32_t read = from;  // rows before this one are in the buffers
    const bool read_ahead = batch.read && !batch.indices && rows_per_read_ > 0 && batch.read->pages == pages_;
    if (read_ahead) {
      for (auto& column : worker.on_disk) column->view.base = batch.read->columns[column->number];
      read = told = to;  // nothing is mapped
    } else {
      if (pages_) want_first_rows(batch, from, to);
      if (batch.indices)
        for (auto& column : worker.on_disk) column->view.base = column->mapped;
    }
    for (std::uint64_t next = from; next < to; next += rows) {  // 64 bits: the end may lie beyond 32
      const auto start = static_cast<std::uint32_t>(next);
      if (pages_ && !read_ahead && start - told >= stretch) told = tell_pages(batch, told, start, to);
      if (start == read && !batch.indices && rows_per_read_ > 0) {
        read = start + std::min(static_cast<std::uint32_t>(rows_per_read_) / rows * rows, to - start);
        read_rows(worker, batch.first + start, read - start);
      }
      tile.position = start;
      tile.count = std::min(rows, to - start);
      tile.lanes = (tile.count + 15) / 16 * 16;
      for (auto& [column, copy] : worker.column_tiles) copy->forget();
      worker.prefetcher.begin_tile(start + tile.count);
      for (auto& kernel : worker.kernels) kernel->run(tile);
      worker.prefetcher.end_tile();
      after(tile);
    }
    if (pages_ && !read_ahead) tell_pages(batch, told, to, to);
  }

  /// Reads rows into the buffers of a worker, and points its columns to them.
  void read_rows(Worker& worker, std::uint32_t first, std::uint32_t count) {
    for (auto& column : worker.on_disk) {
      pages_->read(pages_->columns()[column->number], first, count, column->rows.data());
      // Row `first` is at the beginning of the buffer; row 0, which would be far before it, is never accessed.
      column->view.base = reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(column->rows.data()) -
                                                             std::size_t{first} * column->view.stride_bytes);
    }
  }

  /// Requests the first rows of [from, to). A slice was requested during the previous one; then requests the next
  /// slice, to be read while this one is visited.
  void want_first_rows(const RowBatch& batch, std::uint32_t from, std::uint32_t to) {
    if (batch.next_count == 0) {
      want_rows(batch, from, std::min(to - from, 2 * RowPages::stretch_rows));
    } else if (from == 0 && !batch.next_indices) {
      pages_->want(batch.next_first, batch.next_count);
    }
  }
  void want_rows(const RowBatch& batch, std::uint32_t position, std::uint32_t count) {
    if (!batch.indices && count > 0) pages_->want(batch.first + position, count);
  }
  /// Reports that rows [told, position) of the batch were visited, and requests the stretch after the next.
  std::uint32_t tell_pages(const RowBatch& batch, std::uint32_t told, std::uint32_t position, std::uint32_t to) {
    const std::uint32_t count = position - told;
    if (batch.indices)
      pages_->visited_anywhere(count, pages_->count_not_kept({batch.indices + told, count}));
    else
      pages_->visited(count, pages_->count_not_kept(batch.first + told, count));
    const std::uint32_t ahead = std::min(to - position, RowPages::stretch_rows);
    if (batch.next_count == 0)
      want_rows(batch, position + ahead, std::min(to - position - ahead, RowPages::stretch_rows));
    return position;
  }

  void start_prefetching(Worker& worker, const RowBatch& batch, std::uint32_t from, std::uint32_t to,
                         std::int64_t tile_rows) {
    constexpr std::size_t most = first_level_cache_share * (Prefetcher::cache_level == 1 ? 1 : 8);
    const bool pays = batch.indices ? Prefetcher::asks_for_listed(row_bytes()) : rows_per_read_ == 0;
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
    const auto chunks = static_cast<std::uint32_t>((std::uint64_t{batch.count} + rows - 1) / rows);
    if (pages_ && batch.next_count == 0 && batch.count >= rows_of_pass) pages_->begin_pass(batch.count);
    chunk_sums_.chunks = 0;
    if (chunks <= 1) {
      start_prefetching(workers_[0], batch, 0, batch.count, rows_at_a_time(batch));
      sum_chunk(workers_[0], batch, 0, batch.count, sums_.data());
      return;
    }
    if (parts_.size() < length * chunks) parts_ = AlignedBuffer<Real>(length * chunks);
    const bool parallel = pool_ && pool_->threads() > 1;
    if (!parallel) start_prefetching(workers_[0], batch, 0, batch.count, rows_at_a_time(batch));
    auto one = [&](std::size_t chunk, int w) {
      Worker& worker = workers_[static_cast<std::size_t>(w)];
      const auto from = static_cast<std::uint32_t>(chunk) * rows;
      const auto to = from + std::min(rows, batch.count - from);
      if (parallel) start_prefetching(worker, batch, from, to, rows_at_a_time(batch));
      sum_chunk(worker, batch, from, to, parts_.data() + chunk * length);
    };
    if (parallel)
      pool_->for_each(chunks, one);
    else
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) one(chunk, 0);
    chunk_sums_ = {parts_.data(), chunks, length, sums_.data()};
  }

  /// Sums over rows that no group completes on its way, as stretches [first, second).
  void find_sums_to_add() {
    std::size_t from = 0;
    for (const auto& [begin, end] : added_by_group_) {
      if (begin > from) sums_to_add_.emplace_back(from, begin);
      from = end;
    }
    const auto length = static_cast<std::size_t>(program_->accumulators_size);
    if (from < length) sums_to_add_.emplace_back(from, length);
  }

  void add_chunks(bool all) {
    if (chunk_sums_.chunks == 0) return;
    const auto add = [&](std::size_t first, std::size_t last) {
      in_stretches(last - first,
                   [&](std::size_t begin, std::size_t end) { chunk_sums_.add(first + begin, first + end); });
    };
    if (all) return add(0, chunk_sums_.length);
    for (const auto& [begin, end] : sums_to_add_) add(begin, end);
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
  AlignedBuffer<Real> parts_;  ///< sums over the rows of each chunk
  ChunkSums<Real> chunk_sums_;
  std::map<std::size_t, std::size_t> added_by_group_;  ///< sums over rows that groups complete: begin to end
  std::set<std::size_t> read_by_others_;               ///< sums over rows that other kernels read before
  std::vector<std::pair<std::size_t, std::size_t>> sums_to_add_;
  std::vector<bool> written_by_group_;  ///< outputs that groups write
  double* outputs_ = nullptr;           ///< of the run in progress
  AlignedBuffer<double> row_values_;
  std::vector<RowBlock> blocks_;
  std::int64_t rows_per_read_ = 0;  ///< 0: no rows are read into buffers
  RowPages* pages_ = nullptr;       ///< if rows are in mapped files whose pages are released; else null
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
