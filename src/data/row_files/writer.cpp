// Scattering sources, then ordering blocks, with a state saved on the way.
#include "data/row_files/writer.hpp"

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "data/data_argument.hpp"
#include "data/mapped_file.hpp"
#include "data/row_files/pack_state.hpp"
#include "data/row_files/scatter.hpp"
#include "data/text/number_text.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace sgmcmc {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t rows_at_once = 1U << 14;
constexpr std::size_t scatter_bytes = std::size_t{64} << 20;  // buffers of all columns that are scattered at a time
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
  void resize(std::uint64_t bytes) const {
    if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) refuse_writing(path_, errno);
  }
  void sync() const {
    if (::fdatasync(descriptor_) != 0) refuse_writing(path_, errno);
  }
  std::uint64_t bytes_on_disk() const {
    struct stat status {};
    return ::fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_blocks) * 512 : 0;
  }

 private:
  std::string path_;
  int descriptor_;
};

/// Rows of one variable, converted to what the file stores.
class RowConverter {
 public:
  RowConverter(const RowFileColumn& column, std::string source) : column_(&column), source_(std::move(source)) {}

  template <class Source>
  const std::byte* convert(const Source* values, std::uint64_t first, std::uint64_t count) {
    const std::size_t numbers = static_cast<std::size_t>(count) * static_cast<std::size_t>(column_->row_shape.size());
    if constexpr (std::is_floating_point_v<Source>) require_finite(values, values, first, numbers);
    switch (column_->type) {
      case StorageType::float64: return as<double>(values, first, numbers);
      case StorageType::float32: return as<float>(values, first, numbers);
      default: return as<std::int32_t>(values, first, numbers);
    }
  }

 private:
  template <class Target, class Source>
  const std::byte* as(const Source* values, std::uint64_t first, std::size_t numbers) {
    if constexpr (std::is_same_v<Target, Source>) {
      return reinterpret_cast<const std::byte*>(values);
    } else {
      converted_.resize(numbers * sizeof(Target));
      auto* to = reinterpret_cast<Target*>(converted_.data());
      for (std::size_t k = 0; k < numbers; ++k) to[k] = static_cast<Target>(values[k]);
      if constexpr (std::is_same_v<Target, float>) require_finite(to, values, first, numbers);
      return converted_.data();
    }
  }
  /// values: in which refused elements are shown.
  template <class Number, class Source>
  void require_finite(const Number* numbers, const Source* values, std::uint64_t first, std::size_t count) const {
    using Bits = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
    constexpr auto exponent = std::bit_cast<Bits>(std::numeric_limits<Number>::infinity());
    Bits any = 0;  // without a branch for each: a loop over vectors
    for (std::size_t k = 0; k < count; ++k) any |= (std::bit_cast<Bits>(numbers[k]) & exponent) == exponent;
    if (any == 0) return;
    for (std::size_t k = 0; k < count; ++k)
      if (!std::isfinite(numbers[k])) refuse(first, k, static_cast<double>(values[k]));
  }
  [[noreturn]] void refuse(std::uint64_t first, std::size_t at, double value) const {
    const auto width = static_cast<std::size_t>(column_->row_shape.size());
    throw DataError(source_ + ": row " + std::to_string(first + at / width + 1) +
                    (width > 1 ? ", element " + std::to_string(at % width + 1) : "") + " is " + number_text(value) +
                    (std::isfinite(value) ? ", too large for single precision: store the column in double"
                                          : "; a row file holds finite numbers: remove the row or replace the value"));
  }

  const RowFileColumn* column_;
  std::string source_;
  std::vector<std::byte> converted_;
};

std::uint64_t identity_of(const RowFileLayout& layout, const std::vector<std::string>& arguments) {
  std::string all = layout.head();
  for (const std::string& argument : arguments) {
    const std::string file = parse_data_argument(argument).file;
    struct stat status {};
    ::stat(file.c_str(), &status);
    all += argument + "\n" + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + " " +
           std::to_string(status.st_mtim.tv_nsec) + "\n";
  }
  return row_checksum(std::as_bytes(std::span(all)));
}

StorageType stored_type(const DataArray& array, const std::optional<Precision>& precision) {
  if (array.is_integer()) return StorageType::int32;
  if (precision) return *precision == Precision::float32 ? StorageType::float32 : StorageType::float64;
  return array.is_real() && !array.floats().empty() ? StorageType::float32 : StorageType::float64;
}

RowFileLayout layout_of(const DataOutline& outline, const std::set<std::string>& row_names,
                        const PackOptions& options) {
  RowFileLayout layout;
  layout.key = options.key;
  for (const auto& [name, variable] : outline.variables.by_name) {
    const DataArray& array = variable.array;
    if (!row_names.contains(name)) {
      layout.constants.push_back({name, array.is_sparse() ? array.to_real() : array});
      continue;
    }
    const auto& dims = array.shape().dims();
    const auto rows = static_cast<std::uint64_t>(dims.empty() ? 0 : dims[0]);
    if (layout.columns.empty()) layout.rows = rows;
    if (rows != layout.rows)
      throw DataError(variable.source + " has " + std::to_string(rows) + " rows, but '" + layout.columns[0].name +
                      "' has " + std::to_string(layout.rows));
    const Shape row(std::vector<std::int64_t>(dims.begin() + (dims.empty() ? 0 : 1), dims.end()));
    if (row.size() == 0) throw DataError(variable.source + ": its rows are empty");
    layout.columns.push_back({name, stored_type(array, options.precision), row, 0});
  }
  if (layout.columns.empty() || layout.rows == 0) throw DataError("the data have no rows to pack");
  if (layout.rows >= (std::uint64_t{1} << 32))
    throw DataError(std::to_string(layout.rows) + " rows; a row file holds fewer than 4294967296");
  layout.block_rows = options.block_rows > 0
                          ? options.block_rows
                          : std::max(fewest_block_rows, (layout.rows + most_blocks - 1) / most_blocks);
  layout.place();
  return layout;
}

class Packer {
 public:
  Packer(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
         const DataOutline& outline, RowFileLayout layout, const PackOptions& options)
      : arguments_(arguments), wanted_(wanted), outline_(outline), layout_(std::move(layout)), options_(options) {
    state_.identity = identity_of(layout_, arguments_);
    find_sources();
  }

  bool pack() {
    const bool continued = begin();
    const OpenFile scattered(scattered_path(), O_RDWR | O_CREAT | O_CLOEXEC);
    const OpenFile partial(partial_path(), O_RDWR | O_CREAT | O_CLOEXEC);
    require_room(scattered.bytes_on_disk() + partial.bytes_on_disk());
    scattered.resize(layout_.file_bytes);
    partial.resize(layout_.file_bytes);
    if (state_.source < sources_.size()) {
      for (; state_.source < sources_.size(); ++state_.source, state_.rows = 0) scatter(scattered);
      state_.save(state_path());
    }
    order_blocks(scattered, partial);
    finish(partial);
    return continued;
  }

 private:
  /// One after another; of a CSV file all variables together.
  struct Source {
    std::string csv_file;              ///< empty: an array
    std::vector<std::size_t> columns;  ///< of the layout, in the order in which they are read
  };

  std::string state_path() const { return options_.path + ".state"; }
  std::string scattered_path() const { return options_.path + ".scattered"; }
  std::string partial_path() const { return options_.path + ".partial"; }

  std::size_t column_named(const std::string& name) const {
    for (std::size_t k = 0; k < layout_.columns.size(); ++k)
      if (layout_.columns[k].name == name) return k;
    return layout_.columns.size();  // a constant
  }
  void find_sources() {
    std::set<std::size_t> known;
    for (const auto& file : outline_.csv_files) {
      Source source{file.file, {}};
      for (const std::string& name : file.names) {
        source.columns.push_back(column_named(name));
        known.insert(source.columns.back());
      }
      sources_.push_back(std::move(source));
    }
    for (std::size_t column = 0; column < layout_.columns.size(); ++column)
      if (!known.contains(column)) sources_.push_back({"", {column}});
  }

  /// Takes over what an earlier call has done.
  bool begin() {
    std::error_code ignored;
    if (fs::exists(options_.path, ignored) && !options_.overwrite)
      throw FileError("'" + options_.path + "' is there already; name another file, or ask for it to be replaced");
    const auto saved = saved_pack_state(state_path());
    if (!options_.overwrite && saved && saved->identity == state_.identity && saved->source <= sources_.size() &&
        fs::exists(scattered_path(), ignored) && fs::exists(partial_path(), ignored)) {
      state_ = *saved;
      return true;
    }
    for (const auto& path : {state_path(), scattered_path(), partial_path()}) fs::remove(path, ignored);
    return false;
  }

  void require_room(std::uint64_t there) const {
    struct statvfs status {};
    if (::statvfs(partial_path().c_str(), &status) != 0) return;
    const double room = static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize);
    const double needed = 2.0 * static_cast<double>(layout_.file_bytes) - static_cast<double>(there);
    if (needed <= room) return;
    throw FileError("packing needs " + formatted("%.2f", needed / 1e9) + " GB of disk beside '" + options_.path +
                    "', half of it for the file itself, and " + formatted("%.2f", room / 1e9) +
                    " GB are free. Make room, or name a file on another disk");
  }

  std::uint64_t bytes_of(const Source& source) const {
    std::uint64_t bytes = 0;
    for (const std::size_t column : source.columns)
      if (column < layout_.columns.size()) bytes += layout_.rows * layout_.columns[column].row_bytes();
    return bytes;
  }
  void tell(double done) const {
    if (options_.progress) options_.progress(std::min(1.0, done / (2.0 * static_cast<double>(all_bytes()))));
  }
  std::uint64_t all_bytes() const {
    std::uint64_t bytes = 0;
    for (const Source& source : sources_) bytes += bytes_of(source);
    return std::max<std::uint64_t>(1, bytes);
  }

  void scatter(const OpenFile& file) {
    const Source& source = sources_[static_cast<std::size_t>(state_.source)];
    std::uint64_t before = 0;
    for (std::size_t k = 0; k < state_.source; ++k) before += bytes_of(sources_[k]);
    std::vector<std::unique_ptr<ColumnScatter>> scatters;
    std::vector<RowConverter> converters;
    std::size_t row_bytes = 0;
    for (const std::size_t column : source.columns) {
      scatters.push_back(nullptr);
      static const RowFileColumn none;
      converters.emplace_back(none, "");
      if (column >= layout_.columns.size()) continue;
      const RowFileColumn& of = layout_.columns[column];
      scatters.back() = std::make_unique<ColumnScatter>(file.descriptor(), file.path(), layout_, of,
                                                        scatter_bytes / source.columns.size());
      scatters.back()->skip(state_.rows);
      converters.back() = RowConverter(of, outline_.variables.find(of.name)->source);
      row_bytes += of.row_bytes();
    }
    const auto save = [&] {
      for (const auto& one : scatters)
        if (one) one->flush();
      file.sync();
      state_.save(state_path());
    };
    std::uint64_t since = 0;
    // Rows [first, first + count) were converted and sent on; called once for all columns.
    const auto done = [&](std::uint64_t first, std::uint64_t count) {
      state_.rows = first + count;
      since += count * row_bytes;
      tell(static_cast<double>(before + state_.rows * row_bytes));
      const bool stops = is_interrupted(options_.interrupt);
      if (since >= options_.save_every || stops) {
        save();
        since = 0;
      }
      if (stops) throw_if_interrupted(options_.interrupt);
    };
    if (source.csv_file.empty()) {
      const DataArray& array = outline_.variables.find(layout_.columns[source.columns[0]].name)->array;
      scatter_array(array, converters[0], *scatters[0], done);
    } else {
      scatter_csv(source, converters, scatters, done);
    }
    state_.rows = layout_.rows;
    save();
  }

  template <class Done>
  void scatter_array(const DataArray& array, RowConverter& converter, ColumnScatter& scatter, const Done& done) {
    const auto width = static_cast<std::uint64_t>(array.size()) / layout_.rows;
    std::vector<double> dense;
    for (std::uint64_t first = state_.rows; first < layout_.rows;) {
      const std::uint64_t count = std::min(rows_at_once, layout_.rows - first);
      const std::uint64_t at = first * width;
      const std::byte* rows = nullptr;
      if (array.is_sparse()) {
        write_out(array.sparse(), first, count, dense);
        rows = converter.convert(dense.data(), first, count);
      } else if (array.is_integer()) {
        rows = converter.convert(array.integers().data() + at, first, count);
      } else if (!array.floats().empty()) {
        rows = converter.convert(array.floats().data() + at, first, count);
      } else {
        rows = converter.convert(array.reals().data() + at, first, count);
      }
      scatter.add(rows, count);
      if (array.file()) release(array, at, count * width);
      first += count;
      done(first - count, count);
    }
  }
  static void write_out(const SparseRows& rows, std::uint64_t first, std::uint64_t count, std::vector<double>& dense) {
    const auto width = static_cast<std::size_t>(rows.columns);
    dense.assign(static_cast<std::size_t>(count) * width, 0.0);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto row = static_cast<std::size_t>(first + i);
      for (auto e = static_cast<std::size_t>(rows.row_start[row]);
           e < static_cast<std::size_t>(rows.row_start[row + 1]); ++e)
        dense[static_cast<std::size_t>(i) * width + static_cast<std::size_t>(rows.column[e])] = rows.value[e];
    }
  }
  /// Pages of the data file that are done with.
  static void release(const DataArray& array, std::uint64_t at, std::uint64_t count) {
    const std::size_t element = array.is_integer() || !array.floats().empty() ? 4 : 8;
    const auto offset =
        static_cast<std::size_t>(static_cast<const std::byte*>(array.identity()) - array.file()->bytes().data());
    array.file()->release(offset + static_cast<std::size_t>(at) * element, static_cast<std::size_t>(count) * element);
  }

  template <class Done>
  void scatter_csv(const Source& source, std::vector<RowConverter>& converters,
                   std::vector<std::unique_ptr<ColumnScatter>>& scatters, const Done& done) {
    const std::uint64_t known = state_.rows;
    std::uint64_t seen = 0;
    stream_csv(
        arguments_, wanted_, source.csv_file, options_.pool, options_.interrupt,
        [&](std::int64_t first_row, std::int64_t row_count, const std::vector<CsvRows>& rows) {
          auto first = static_cast<std::uint64_t>(first_row);
          auto count = static_cast<std::uint64_t>(row_count);
          seen = first + count;
          if (seen > layout_.rows) changed(source.csv_file);
          const std::uint64_t skipped = first < known ? std::min(count, known - first) : 0;
          first += skipped;
          count -= skipped;
          if (count == 0) return;
          for (const CsvRows& of : rows) {
            if (!scatters[of.array]) continue;
            const auto width = static_cast<std::uint64_t>(layout_.columns[source.columns[of.array]].row_shape.size());
            const std::uint64_t at = skipped * width;
            const std::byte* converted =
                of.is_integer
                    ? converters[of.array].convert(reinterpret_cast<const std::int32_t*>(of.values) + at, first, count)
                    : converters[of.array].convert(reinterpret_cast<const double*>(of.values) + at, first, count);
            scatters[of.array]->add(converted, count);
          }
          done(first, count);
        });
    if (seen != layout_.rows) changed(source.csv_file);
  }
  [[noreturn]] static void changed(const std::string& file) {
    throw DataError(file + ": the file has changed while it was packed. Give the command again");
  }

  /// Every block in a random order of its own, the same for all columns.
  void order_blocks(const OpenFile& scattered, const OpenFile& partial) {
    std::vector<std::byte> before, after;
    std::vector<std::uint32_t> order;
    std::uint64_t since = 0;
    const auto all = static_cast<double>(all_bytes());
    for (; state_.blocks < layout_.blocks(); ++state_.blocks) {
      const std::uint64_t block = state_.blocks, rows = layout_.rows_of_block(block);
      order.resize(static_cast<std::size_t>(rows));
      order_within_block(layout_, block).fill(0, order);
      for (std::size_t k = 0; k < layout_.columns.size(); ++k) {
        const RowFileColumn& column = layout_.columns[k];
        const std::size_t row = column.row_bytes(), bytes = static_cast<std::size_t>(rows) * row;
        const std::uint64_t offset = column.offset + block * layout_.block_rows * row;
        before.resize(bytes);
        after.resize(bytes);
        read_at(scattered.descriptor(), scattered.path(), before.data(), bytes, offset);
        for (std::size_t i = 0; i < rows; ++i) std::memcpy(after.data() + i * row, before.data() + order[i] * row, row);
        const std::uint64_t checksum = row_checksum(after);
        write_at(partial.descriptor(), partial.path(), after.data(), bytes, offset);
        write_at(partial.descriptor(), partial.path(), &checksum, sizeof checksum, layout_.checksum_offset(k, block));
        since += bytes;
      }
      tell(all + all * static_cast<double>(block + 1) / static_cast<double>(layout_.blocks()));
      const bool stops = is_interrupted(options_.interrupt);
      if (since < options_.save_every && !stops) continue;
      partial.sync();
      PackState written = state_;
      ++written.blocks;
      written.save(state_path());
      since = 0;
      if (stops) throw_if_interrupted(options_.interrupt);
    }
  }

  void finish(const OpenFile& partial) {
    std::vector<std::byte> table(static_cast<std::size_t>(layout_.checksums_bytes() - 8));
    read_at(partial.descriptor(), partial.path(), table.data(), table.size(), layout_.checksums_offset);
    const std::uint64_t checksum = row_checksum(table);
    write_at(partial.descriptor(), partial.path(), &checksum, sizeof checksum, layout_.checksums_offset + table.size());
    const std::string head = layout_.head();
    write_at(partial.descriptor(), partial.path(), head.data(), head.size(), 0);
    partial.sync();
    if (::rename(partial_path().c_str(), options_.path.c_str()) != 0) refuse_writing(options_.path, errno);
    std::error_code ignored;
    for (const auto& path : {scattered_path(), state_path()}) fs::remove(path, ignored);
  }

  const std::vector<std::string>& arguments_;
  const std::vector<WantedVariable>& wanted_;
  const DataOutline& outline_;
  RowFileLayout layout_;
  const PackOptions& options_;
  std::vector<Source> sources_;
  PackState state_;
};

}  // namespace

PackedRows pack_rows(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
                     const DataOutline& outline, const std::set<std::string>& row_names, const PackOptions& options) {
  PackedRows packed;
  packed.layout = layout_of(outline, row_names, options);
  packed.continued = Packer(arguments, wanted, outline, packed.layout, options).pack();
  return packed;
}

}  // namespace sgmcmc
