// Finding the places of grouped rows, scattering sources, then ordering blocks, with a state saved on the way.
#include "data/row_files/writer.hpp"

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "data/row_files/group_places.hpp"
#include "data/row_files/pack_state.hpp"
#include "data/row_files/row_converter.hpp"
#include "data/row_files/scatter.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

namespace sgmcmc {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t scatter_bytes = std::size_t{32} << 20;   // buffers of all columns that are scattered at a time
constexpr std::size_t ordering_bytes = std::size_t{96} << 20;  // of blocks that are put in order at a time
constexpr std::uint64_t most_blocks = 1024, fewest_block_rows = 4096;

class OpenFile {
 public:
  OpenFile(std::string path, int flags) : path_(std::move(path)), descriptor_(::open(path_.c_str(), flags, 0666)) {
    if (descriptor_ < 0)
      throw FileError("cannot write '" + path_ + "': " + std::strerror(errno) + "; name another file");
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(descriptor_); }

  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }
  NumbersOnDisk numbers() const { return {descriptor_, path_}; }
  void resize(std::uint64_t bytes) const {
    if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) refuse_writing(path_, errno);
  }
  void sync() const {
    if (::fdatasync(descriptor_) != 0) refuse_writing(path_, errno);
  }

 private:
  std::string path_;
  int descriptor_;
};

/// On the disk; 0 if there is no such file.
std::uint64_t bytes_of_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_blocks) * 512 : 0;
}

constexpr const char* place_column = "(place)";

std::string places_path_of(const PackOptions& options) { return options.path + ".places"; }

/// With the places of grouped rows as one more column: scattered with their rows, they tell the order within blocks.
PackInput with_places(const PackInput& input, const PackOptions& options) {
  PackInput all = input;
  if (options.group_by.empty()) return all;
  if (const std::string why = why_not_grouped(input, options.group_by); !why.empty()) throw DataError(why);
  const std::string path = places_path_of(options);
  all.columns.push_back({place_column, StorageType::int32, Shape{}, path});
  all.sources.push_back(
      {path, {place_column}, [path, rows = input.rows](std::uint64_t first, const TakeRows& take) {
         const OpenFile file(path, O_RDONLY | O_CLOEXEC);
         std::vector<std::uint32_t> places;
         for (; first < rows; first += places.size()) {
           places.resize(static_cast<std::size_t>(std::min<std::uint64_t>(1U << 16U, rows - first)));
           file.numbers().read(first, places);
           take(first, places.size(), {{0, SourceType::int32, reinterpret_cast<const std::byte*>(places.data())}});
         }
       }});
  return all;
}

RowFileLayout layout_of(const PackInput& input, const PackOptions& options) {
  RowFileLayout layout;
  layout.key = options.key;
  layout.group_by = options.group_by;
  layout.rows = input.rows;
  for (const PackInput::Column& column : input.columns)
    layout.columns.push_back({column.name, column.type, column.row_shape, 0});
  layout.constants = input.constants;
  if (layout.columns.empty() || layout.rows == 0) throw DataError("the data have no rows to pack");
  if (layout.rows >= (std::uint64_t{1} << 32))
    throw DataError(std::to_string(layout.rows) + " rows; a row file holds fewer than 4294967296");
  layout.block_rows = options.block_rows > 0
                          ? options.block_rows
                          : std::max(fewest_block_rows, (layout.rows + most_blocks - 1) / most_blocks);
  layout.place();
  return layout;
}

std::uint64_t identity_of(const RowFileLayout& layout, const PackInput& input) {
  const std::string all = layout.head() + input.identity;
  return row_checksum(std::as_bytes(std::span(all)));
}

/// Numbers in the order of their rows; integers in another width where the types differ.
void reorder(const std::byte* from, std::byte* to, std::span<const std::uint32_t> order, const RowFileColumn& source,
             StorageType target) {
  const std::size_t row = source.row_bytes();
  if (source.type == target) {
    for (const std::uint32_t i : order) {
      std::memcpy(to, from + i * row, row);
      to += row;
    }
    return;
  }
  const auto width = static_cast<std::size_t>(source.row_shape.size());
  visit_integer_type(target, [&](auto zero) {
    auto* narrow = reinterpret_cast<decltype(zero)*>(to);
    for (const std::uint32_t i : order) {
      const auto* wide = reinterpret_cast<const std::int32_t*>(from + i * row);
      for (std::size_t k = 0; k < width; ++k) *narrow++ = static_cast<decltype(zero)>(wide[k]);
    }
  });
}

class Packer {
 public:
  Packer(const PackInput& input, const PackOptions& options)
      : input_(with_places(input, options)), layout_(layout_of(input_, options)), options_(options) {
    state_.identity = identity_of(layout_, input_);
    state_.ranges.resize(layout_.columns.size());
  }

  PackedRows pack() {
    PackedRows packed;
    packed.continued = begin();
    const OpenFile scattered(scattered_path(), O_RDWR | O_CREAT | O_CLOEXEC);
    const OpenFile partial(partial_path(), O_RDWR | O_CREAT | O_CLOEXEC);
    std::uint64_t there = 0;
    for (const auto& path : {scattered_path(), partial_path(), labels_path(), places_path()})
      there += bytes_of_file(path);
    require_room(there);
    scattered.resize(layout_.file_bytes);
    if (is_grouped() && state_.source == 0) find_places();
    if (state_.source < all_steps()) {
      for (; state_.source < all_steps(); ++state_.source, state_.rows = 0) scatter(scattered);
      state_.save(state_path());
    }
    packed.layout = narrow_layout();
    partial.resize(packed.layout.file_bytes);
    order_blocks(scattered, partial, packed.layout);
    finish(partial, packed.layout);
    return packed;
  }

 private:
  std::string state_path() const { return options_.path + ".state"; }
  std::string scattered_path() const { return options_.path + ".scattered"; }
  std::string partial_path() const { return options_.path + ".partial"; }
  std::string labels_path() const { return options_.path + ".groups"; }
  std::string places_path() const { return places_path_of(options_); }

  bool is_grouped() const { return !options_.group_by.empty(); }
  /// The first step of grouped rows is to find their places; then every source is a step.
  std::uint64_t all_steps() const { return input_.sources.size() + (is_grouped() ? 1 : 0); }
  std::size_t source_of_step() const { return static_cast<std::size_t>(state_.source - (is_grouped() ? 1 : 0)); }

  /// With integers in the width that their range asks for.
  RowFileLayout narrow_layout() const {
    RowFileLayout layout = layout_;
    if (is_grouped()) layout.columns.pop_back();  // places
    for (std::size_t k = 0; k < layout.columns.size(); ++k)
      if (is_integer(layout.columns[k].type)) layout.columns[k].type = state_.ranges[k].narrowest();
    layout.place();
    return layout;
  }

  /// Takes over what an earlier call has done.
  bool begin() {
    std::error_code ignored;
    if (fs::exists(options_.path, ignored) && !options_.overwrite)
      throw FileError("'" + options_.path + "' is there already; name another file, or ask for it to be replaced");
    const auto saved = saved_pack_state(state_path());
    if (!options_.overwrite && saved && saved->identity == state_.identity && saved->source <= all_steps() &&
        saved->ranges.size() == state_.ranges.size() && fs::exists(scattered_path(), ignored) &&
        fs::exists(partial_path(), ignored) &&
        (!is_grouped() || fs::exists(saved->source == 0 ? labels_path() : places_path(), ignored))) {
      state_ = *saved;
      return true;
    }
    remove_scaffolding();
    fs::remove(partial_path(), ignored);
    return false;
  }
  void remove_scaffolding() const {
    std::error_code ignored;
    for (const auto& path : {state_path(), scattered_path(), labels_path(), places_path()}) fs::remove(path, ignored);
  }

  void require_room(std::uint64_t there) const {
    struct statvfs status {};
    if (::statvfs(partial_path().c_str(), &status) != 0) return;
    const double room = static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize);
    const double row_bytes = !is_grouped() ? 0 : state_.source == 0 ? 8 : 4;  // groups and places, or places only
    const double needed = 2.0 * static_cast<double>(layout_.file_bytes) +
                          row_bytes * static_cast<double>(layout_.rows) - static_cast<double>(there);
    if (needed <= room) return;
    throw FileError("packing needs " + formatted("%.2f", needed / 1e9) + " GB of disk beside '" + options_.path +
                    "', about half of it for the file itself, and " + formatted("%.2f", room / 1e9) +
                    " GB are free. Make room, or name a file on another disk");
  }

  std::size_t column_named(const std::string& name) const {
    for (std::size_t k = 0; k < layout_.columns.size(); ++k)
      if (layout_.columns[k].name == name) return k;
    return layout_.columns.size();  // a constant
  }
  std::uint64_t row_bytes_of(const RowSource& source) const {
    std::uint64_t bytes = 0;
    for (const std::string& name : source.names)
      if (const std::size_t column = column_named(name); column < layout_.columns.size())
        bytes += layout_.columns[column].row_bytes();
    return bytes;
  }
  std::uint64_t all_bytes() const {
    std::uint64_t bytes = 0;
    for (const RowSource& source : input_.sources) bytes += layout_.rows * row_bytes_of(source);
    return std::max<std::uint64_t>(1, bytes);
  }
  /// Bytes that are read before the first source, for the groups of rows.
  std::uint64_t bytes_of_groups() const { return is_grouped() ? layout_.rows * row_bytes_of(source_of_groups()) : 0; }
  /// Finding the places of rows counts as much.
  std::uint64_t bytes_before() const { return 2 * bytes_of_groups(); }
  void tell(double done) const {
    const auto before = static_cast<double>(bytes_before());
    const bool is_before = is_grouped() && state_.source == 0;
    if (options_.progress)
      options_.progress(
          std::min(1.0, (done + (is_before ? 0.0 : before)) / (before + 2.0 * static_cast<double>(all_bytes()))));
  }

  const RowSource& source_of_groups() const {
    return *std::ranges::find_if(input_.sources, [&](const RowSource& source) {
      return std::ranges::find(source.names, options_.group_by) != source.names.end();
    });
  }

  /// Writes the groups of all rows to a file, and then their places.
  void find_places() {
    const OpenFile labels(labels_path(), O_RDWR | O_CREAT | O_CLOEXEC);
    const OpenFile places(places_path(), O_RDWR | O_CREAT | O_CLOEXEC);
    const RowSource& source = source_of_groups();
    const auto at = static_cast<std::size_t>(std::ranges::find(source.names, options_.group_by) - source.names.begin());
    RowConverter converter(StorageType::int32, 1, input_.columns[column_named(options_.group_by)].words);
    const auto write = [&](std::uint64_t first, std::uint64_t count, std::uint64_t skipped, const auto& rows) {
      for (const RowsOfColumn& of : rows) {
        if (of.column != at) continue;
        const std::byte* from = of.values + static_cast<std::size_t>(skipped) * source_bytes(of.type);
        const std::byte* numbers = converter.convert(of.type, from, first, count);
        labels.numbers().write(first,
                               {reinterpret_cast<const std::uint32_t*>(numbers), static_cast<std::size_t>(count)});
      }
    };
    stream(source, 0, write, [&] { labels.sync(); });
    places.resize(sizeof(std::uint32_t) * layout_.rows);
    const auto of_groups = static_cast<double>(bytes_of_groups());
    find_places_by_group(labels.numbers(), layout_.rows, layout_.key, places.numbers(), most_groups_at_once,
                         {options_.interrupt, [&](double share) { tell(of_groups * (1 + share)); }});
    places.sync();
    state_.source = 1;
    state_.rows = 0;
    state_.save(state_path());
    std::error_code ignored;
    fs::remove(labels_path(), ignored);
  }

  /// A column on its way to the scattered file; a constant has none.
  struct Scattered {
    std::size_t column;
    RowConverter converter;
    ColumnScatter scatter;
  };

  void scatter(const OpenFile& file) {
    const RowSource& source = input_.sources[source_of_step()];
    const std::uint64_t row_bytes = row_bytes_of(source);
    std::uint64_t before = 0;
    for (std::size_t k = 0; k < source_of_step(); ++k) before += layout_.rows * row_bytes_of(input_.sources[k]);
    std::vector<std::unique_ptr<Scattered>> columns;
    for (const std::string& name : source.names) {
      columns.push_back(nullptr);
      const std::size_t at = column_named(name);
      if (at == layout_.columns.size()) continue;
      const RowFileColumn& column = layout_.columns[at];
      columns.back() = std::make_unique<Scattered>(
          Scattered{at,
                    {column.type, static_cast<std::size_t>(column.row_shape.size()), input_.columns[at].words},
                    {file.descriptor(), file.path(), layout_, column,
                     static_cast<std::size_t>(scatter_bytes * column.row_bytes() / row_bytes)}});
    }
    std::optional<OpenFile> places;
    if (is_grouped()) places.emplace(places_path(), O_RDONLY | O_CLOEXEC);
    const NumbersOnDisk numbers = places ? places->numbers() : NumbersOnDisk{};
    const BlockOrder order(layout_, places ? &numbers : nullptr);
    skip_rows(order, columns);
    std::vector<std::uint32_t> blocks;
    const auto add = [&](std::uint64_t first, std::uint64_t count, std::uint64_t skipped, const auto& rows) {
      blocks.resize(static_cast<std::size_t>(count));
      order.fill(first, blocks);
      for (const RowsOfColumn& of : rows)
        if (columns[of.column]) add_rows(*columns[of.column], of, skipped, first, blocks);
    };
    stream(source, before, add, [&] {
      for (const auto& column : columns)
        if (column) column->scatter.flush();
      file.sync();
    });
  }

  /// Hands on the rows of a source that were not yet handed on, and saves the state from time to time. before: bytes of
  /// earlier sources. flush: writes all that was handed on to the disk.
  template <class Take, class Flush>
  void stream(const RowSource& source, std::uint64_t before, Take&& hand_on, Flush&& flush) {
    const std::uint64_t row_bytes = row_bytes_of(source);
    const auto save = [&] {
      flush();
      state_.save(state_path());
    };
    std::uint64_t since = 0;
    if (state_.rows == layout_.rows) return;  // all of them, before packing was stopped
    source.stream(state_.rows, [&](std::uint64_t first, std::uint64_t count, const std::vector<RowsOfColumn>& rows) {
      if (first > state_.rows || first + count > layout_.rows) changed(source);
      const std::uint64_t known = std::min(count, state_.rows - first);
      first += known;
      count -= known;
      if (count == 0) return;
      hand_on(first, count, known, rows);
      state_.rows = first + count;
      since += count * row_bytes;
      tell(static_cast<double>(before + state_.rows * row_bytes));
      const bool stops = is_interrupted(options_.interrupt);
      if (since >= options_.save_every || stops) {
        save();
        since = 0;
      }
      if (stops) throw_if_interrupted(options_.interrupt);
    });
    if (state_.rows != layout_.rows) changed(source);
    save();
  }
  [[noreturn]] static void changed(const RowSource& source) {
    throw DataError(source.words + ": the file has changed while it was packed. Give the command again");
  }

  void skip_rows(const BlockOrder& order, const std::vector<std::unique_ptr<Scattered>>& columns) const {
    std::vector<std::uint32_t> blocks;
    for (std::uint64_t first = 0; first < state_.rows; first += blocks.size()) {
      blocks.resize(static_cast<std::size_t>(std::min<std::uint64_t>(state_.rows - first, 1U << 16U)));
      order.fill(first, blocks);
      for (const auto& column : columns)
        if (column) column->scatter.skip(blocks);
    }
  }

  /// skipped: rows that were scattered before.
  void add_rows(Scattered& column, const RowsOfColumn& rows, std::uint64_t skipped, std::uint64_t first,
                std::span<const std::uint32_t> blocks) {
    const RowFileColumn& of = layout_.columns[column.column];
    const auto width = static_cast<std::size_t>(of.row_shape.size());
    const std::byte* from = rows.values + static_cast<std::size_t>(skipped) * width * source_bytes(rows.type);
    const std::byte* converted = column.converter.convert(rows.type, from, first, blocks.size());
    column.scatter.add(converted, blocks);
    if (is_integer(of.type))
      state_.ranges[column.column].add(
          std::span(reinterpret_cast<const std::int32_t*>(converted), blocks.size() * width));
  }

  /// What a thread needs to put blocks in order.
  struct Workspace {
    std::vector<std::byte> before, after;
    std::vector<std::uint32_t> order;
  };

  /// The rows of a block in the order of their places.
  void order_by_places(std::uint64_t block, const OpenFile& scattered, std::span<std::uint32_t> order) const {
    std::vector<std::uint32_t> places(order.size());
    const NumbersOnDisk numbers = scattered.numbers();
    const auto first = static_cast<std::uint32_t>(block * layout_.block_rows);
    numbers.read(layout_.columns.back().offset / sizeof(std::uint32_t) + first, places);
    for (std::uint32_t row = 0; row < places.size(); ++row) order[places[row] - first] = row;
  }

  /// Every block in a random order of its own, or that of the places of its rows: the same for all columns.
  void order_block(std::uint64_t block, const OpenFile& scattered, const OpenFile& partial, const RowFileLayout& layout,
                   Workspace& work) const {
    const std::uint64_t rows = layout_.rows_of_block(block);
    work.order.resize(static_cast<std::size_t>(rows));
    if (is_grouped())
      order_by_places(block, scattered, work.order);
    else
      order_within_block(layout_, block).fill(0, work.order);
    for (std::size_t k = 0; k < layout.columns.size(); ++k) {
      const RowFileColumn &wide = layout_.columns[k], &column = layout.columns[k];
      work.before.resize(static_cast<std::size_t>(rows) * wide.row_bytes());
      work.after.resize(static_cast<std::size_t>(rows) * column.row_bytes());
      read_at(scattered.descriptor(), scattered.path(), work.before.data(), work.before.size(),
              wide.offset + block * layout_.block_rows * wide.row_bytes());
      reorder(work.before.data(), work.after.data(), work.order, wide, column.type);
      const std::uint64_t checksum = row_checksum(work.after);
      write_at(partial.descriptor(), partial.path(), work.after.data(), work.after.size(),
               column.offset + block * layout_.block_rows * column.row_bytes());
      write_at(partial.descriptor(), partial.path(), &checksum, sizeof checksum, layout.checksum_offset(k, block));
    }
  }

  void order_blocks(const OpenFile& scattered, const OpenFile& partial, const RowFileLayout& layout) {
    std::uint64_t row_bytes = 0, widest = 1;
    for (const RowFileColumn& column : layout_.columns) {
      row_bytes += column.row_bytes();
      widest = std::max<std::uint64_t>(widest, column.row_bytes());
    }
    const std::uint64_t room = ordering_bytes / (layout_.block_rows * (2 * widest + sizeof(std::uint32_t)));
    const auto workers =
        std::clamp<std::uint64_t>(room, 1, options_.pool ? static_cast<std::uint64_t>(options_.pool->threads()) : 1);
    std::vector<Workspace> work(static_cast<std::size_t>(workers));
    std::uint64_t since = 0;
    const auto all = static_cast<double>(all_bytes());
    while (state_.blocks < layout_.blocks()) {
      const auto count = static_cast<std::size_t>(std::min(workers, layout_.blocks() - state_.blocks));
      const auto one = [&](std::size_t k, int) { order_block(state_.blocks + k, scattered, partial, layout, work[k]); };
      if (options_.pool)
        options_.pool->for_each(count, one);
      else
        one(0, 0);
      state_.blocks += count;
      since += count * layout_.block_rows * row_bytes;
      tell(all + all * static_cast<double>(state_.blocks) / static_cast<double>(layout_.blocks()));
      const bool stops = is_interrupted(options_.interrupt);
      if (since < options_.save_every && !stops) continue;
      partial.sync();
      state_.save(state_path());
      since = 0;
      if (stops) throw_if_interrupted(options_.interrupt);
    }
  }

  void finish(const OpenFile& partial, const RowFileLayout& layout) const {
    std::vector<std::byte> table(static_cast<std::size_t>(layout.checksums_bytes() - 8));
    read_at(partial.descriptor(), partial.path(), table.data(), table.size(), layout.checksums_offset);
    const std::uint64_t checksum = row_checksum(table);
    write_at(partial.descriptor(), partial.path(), &checksum, sizeof checksum, layout.checksums_offset + table.size());
    const std::string head = layout.head();
    write_at(partial.descriptor(), partial.path(), head.data(), head.size(), 0);
    partial.sync();
    if (::rename(partial_path().c_str(), options_.path.c_str()) != 0) refuse_writing(options_.path, errno);
    remove_scaffolding();
  }

  const PackInput input_;
  RowFileLayout layout_;  // of the scattered file: integers of 32 bits
  const PackOptions& options_;
  PackState state_;
};

}  // namespace

std::string why_not_grouped(const PackInput& input, const std::string& variable) {
  const auto named = [&](const auto& one) { return one.name == variable; };
  const std::string use = "; rows are grouped by an integer variable with one number for each row";
  if (std::ranges::any_of(input.constants, named)) return "'" + variable + "' is not over the rows" + use;
  const auto column = std::ranges::find_if(input.columns, named);
  if (column == input.columns.end()) return "the data have no '" + variable + "'" + use;
  if (!column->row_shape.is_scalar())
    return "'" + variable + "' has " + std::to_string(column->row_shape.size()) + " numbers for each row" + use;
  return is_integer(column->type) ? "" : "'" + variable + "' is real" + use;
}

PackedRows pack_rows(const PackInput& input, const PackOptions& options) { return Packer(input, options).pack(); }

}  // namespace sgmcmc
