// Checks checksums on several threads, and lends columns.
#include "data/row_files/row_file.hpp"

#include "base/interrupt.hpp"
#include "base/thread_pool.hpp"
#include "data/mapped_file.hpp"
#include "data/pass_meter.hpp"
#include "ranks/row_shards.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

namespace sgmcmc {

namespace {

class Checker {
 public:
  Checker(const MappedFile& file, const RowFileLayout& layout) : file_(file), layout_(layout) {}

  void check(ThreadPool* pool, const std::atomic<bool>* interrupt, const RowShare* share, PassMeter* meter) {
    check_table();
    check_gaps();
    const auto rows = static_cast<std::int64_t>(layout_.rows);
    const auto first_row = static_cast<std::uint64_t>(share ? share->first_row(rows) : 0);
    const auto end_row = static_cast<std::uint64_t>(share ? share->end_row(rows) : rows);
    const std::uint64_t first_block = first_row / layout_.block_rows;
    const std::uint64_t end_block = (end_row + layout_.block_rows - 1) / layout_.block_rows;
    const std::uint64_t blocks = end_block - first_block, parts = blocks * layout_.columns.size();
    std::atomic<std::uint64_t> first_bad{std::numeric_limits<std::uint64_t>::max()};
    if (meter) {
      const std::uint64_t first = first_block * layout_.block_rows;
      const std::uint64_t end = std::min(end_block * layout_.block_rows, layout_.rows);
      meter->begin((end - first) * layout_.row_bytes());
    }
    const auto check_part = [&](std::size_t part, int) {
      if (meter) meter->add(bytes_of(part / blocks, first_block + part % blocks));
      if (part > first_bad.load() || (interrupt && interrupt->load())) return;
      if (is_right(part / blocks, first_block + part % blocks)) return;
      std::uint64_t known = first_bad.load();
      while (part < known && !first_bad.compare_exchange_weak(known, part)) continue;
    };
    if (pool)
      pool->for_each(static_cast<std::size_t>(parts), check_part);
    else
      for (std::size_t part = 0; part < parts; ++part) check_part(part, 0);
    throw_if_interrupted(interrupt);
    if (first_bad.load() < parts) refuse(first_bad.load() / blocks, first_block + first_bad.load() % blocks);
  }

 private:
  std::uint64_t number_at(std::uint64_t offset) const {
    std::uint64_t value = 0;
    std::memcpy(&value, file_.bytes().data() + offset, sizeof value);
    return value;
  }
  void check_table() const {
    const auto bytes = static_cast<std::size_t>(layout_.checksums_bytes() - 8);
    const auto table = file_.bytes().subspan(static_cast<std::size_t>(layout_.checksums_offset), bytes);
    if (row_checksum(table) != number_at(layout_.checksums_offset + bytes))
      throw DataError(file_.path() + ": the list of checksums is not what was written. " + advice);
  }
  /// What lies between the parts is zero.
  void check_gaps() const {
    std::uint64_t end = layout_.head().size();
    const auto next = [&](std::uint64_t begin, std::uint64_t size) {
      const auto gap = file_.bytes().subspan(static_cast<std::size_t>(end), static_cast<std::size_t>(begin - end));
      if (std::any_of(gap.begin(), gap.end(), [](std::byte b) { return b != std::byte{0}; }))
        throw DataError(file_.path() + ": bytes " + std::to_string(end) + " to " + std::to_string(begin) +
                        ", which are empty, are not what was written. " + advice);
      end = begin + size;
    };
    next(layout_.checksums_offset, layout_.checksums_bytes());
    for (const RowFileColumn& column : layout_.columns) next(column.offset, layout_.rows * column.row_bytes());
    next(layout_.file_bytes, 0);
  }
  std::uint64_t bytes_of(std::uint64_t column, std::uint64_t block) const {
    return layout_.rows_of_block(block) * layout_.columns[static_cast<std::size_t>(column)].row_bytes();
  }
  bool is_right(std::uint64_t column, std::uint64_t block) const {
    const RowFileColumn& of = layout_.columns[static_cast<std::size_t>(column)];
    const auto begin = static_cast<std::size_t>(of.offset + block * layout_.block_rows * of.row_bytes());
    const auto size = static_cast<std::size_t>(bytes_of(column, block));
    const bool right = row_checksum(file_.bytes().subspan(begin, size)) ==
                       number_at(layout_.checksum_offset(static_cast<std::size_t>(column), block));
    file_.release(begin, size);
    return right;
  }
  [[noreturn]] void refuse(std::uint64_t column, std::uint64_t block) const {
    const std::uint64_t first = block * layout_.block_rows;
    throw DataError(file_.path() + ": block " + std::to_string(block + 1) + " of column '" +
                    layout_.columns[static_cast<std::size_t>(column)].name + "' (rows " + std::to_string(first + 1) +
                    " to " + std::to_string(first + layout_.rows_of_block(block)) + ") is not what was written. " +
                    advice);
  }

  static constexpr const char* advice = "Pack the data again, or take a copy of the file that is whole";
  const MappedFile& file_;
  const RowFileLayout& layout_;
};

template <class Value>
DataArray column_in(const std::shared_ptr<const MappedFile>& file, const RowFileLayout& layout,
                    const RowFileColumn& column) {
  const auto* first = reinterpret_cast<const Value*>(file->bytes().data() + column.offset);
  std::vector<std::int64_t> dims = {static_cast<std::int64_t>(layout.rows)};
  dims.insert(dims.end(), column.row_shape.dims().begin(), column.row_shape.dims().end());
  const auto count = static_cast<std::size_t>(layout.rows) * static_cast<std::size_t>(column.row_shape.size());
  const RowOrder order = layout.group_by.empty()          ? RowOrder::random
                         : column.name == layout.group_by ? RowOrder::groups
                                                          : RowOrder::by_group;
  return DataArray::in_file(std::span<const Value>(first, count), Shape(std::move(dims)), file, order);
}

DataArray integers_in(const std::shared_ptr<const MappedFile>& file, const RowFileLayout& layout,
                      const RowFileColumn& column) {
  return visit_integer_type(column.type, [&](auto zero) { return column_in<decltype(zero)>(file, layout, column); });
}

}  // namespace

std::map<std::string, DataVariable> read_row_file(const std::string& path, ThreadPool* pool,
                                                  const std::atomic<bool>* interrupt, const RowShare* share,
                                                  PassMeter* meter) {
  const auto file = std::make_shared<const MappedFile>(path);
  const RowFileLayout layout = read_row_file_head(file->bytes(), path);
  Checker(*file, layout).check(pool, interrupt, share, meter);
  std::map<std::string, DataVariable> variables;
  for (const RowFileColumn& column : layout.columns) {
    DataArray array = column.type == StorageType::float64   ? column_in<double>(file, layout, column)
                      : column.type == StorageType::float32 ? column_in<float>(file, layout, column)
                                                            : integers_in(file, layout, column);
    variables[column.name] = {std::move(array), path + ": column '" + column.name + "'"};
  }
  for (const RowFileConstant& constant : layout.constants)
    variables[constant.name] = {constant.array, path + ": '" + constant.name + "'"};
  return variables;
}

}  // namespace sgmcmc
