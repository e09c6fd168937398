// Variables of the outline become columns or constants; one source for each CSV file, and for each other column.
#include "data/row_files/file_sources.hpp"

#include "data/data_argument.hpp"
#include "data/mapped_file.hpp"

#include <sgmcmc/error.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace sgmcmc {

namespace {

constexpr std::uint64_t rows_at_once = 1U << 14;

/// Names, sizes and times of the files.
std::string identity_of(const std::vector<std::string>& arguments) {
  std::string all;
  for (const std::string& argument : arguments) {
    const std::string file = parse_data_argument(argument).file;
    struct stat status {};
    ::stat(file.c_str(), &status);
    all += argument + "\n" + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + " " +
           std::to_string(status.st_mtim.tv_nsec) + "\n";
  }
  return all;
}

StorageType stored_type(const DataArray& array, const std::optional<Precision>& precision) {
  if (array.is_integer()) return StorageType::int32;
  if (precision) return *precision == Precision::float32 ? StorageType::float32 : StorageType::float64;
  return array.type() == StorageType::float32 ? StorageType::float32 : StorageType::float64;
}

SourceType source_type(StorageType type) {
  switch (type) {
    case StorageType::float32: return SourceType::float32;
    case StorageType::int32: return SourceType::int32;
    case StorageType::int8: return SourceType::int8;
    case StorageType::uint8: return SourceType::uint8;
    case StorageType::int16: return SourceType::int16;
    default: return SourceType::float64;
  }
}

void write_out(const SparseRows& rows, std::uint64_t first, std::uint64_t count, std::vector<double>& dense) {
  const auto width = static_cast<std::size_t>(rows.columns);
  dense.assign(static_cast<std::size_t>(count) * width, 0.0);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto row = static_cast<std::size_t>(first + i);
    for (auto e = static_cast<std::size_t>(rows.row_start[row]); e < static_cast<std::size_t>(rows.row_start[row + 1]);
         ++e)
      dense[static_cast<std::size_t>(i) * width + static_cast<std::size_t>(rows.column[e])] = rows.value[e];
  }
}

/// An array in memory, or in a mapped file whose pages are let go behind it.
void stream_array(const DataArray& array, std::uint64_t rows, std::uint64_t begin, const TakeRows& take) {
  std::vector<double> dense;
  const SourceType type = source_type(array.type());
  const std::size_t row_bytes = array.is_sparse() ? 0
                                                  : static_cast<std::size_t>(array.size()) /
                                                        static_cast<std::size_t>(rows) * storage_bytes(array.type());
  for (std::uint64_t first = begin; first < rows; first += rows_at_once) {
    const std::uint64_t count = std::min(rows_at_once, rows - first);
    if (array.is_sparse()) {
      write_out(array.sparse(), first, count, dense);
      take(first, count, {{0, SourceType::float64, reinterpret_cast<const std::byte*>(dense.data())}});
      continue;
    }
    const auto* values = static_cast<const std::byte*>(array.identity()) + static_cast<std::size_t>(first) * row_bytes;
    take(first, count, {{0, type, values}});
    if (array.file())
      array.file()->release(static_cast<std::size_t>(values - array.file()->bytes().data()),
                            static_cast<std::size_t>(count) * row_bytes);
  }
}

class FileSources {
 public:
  FileSources(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
              const DataOutline& outline, const std::set<std::string>& row_names, const PackOptions& options)
      : arguments_(arguments), wanted_(wanted), outline_(outline), row_names_(row_names), options_(options) {}

  PackInput input() {
    input_.identity = identity_of(arguments_);
    for (const auto& [name, variable] : outline_.variables.by_name)
      row_names_.contains(name) ? add_column(name, variable) : add_constant(name, variable.array);
    std::set<std::string> streamed;
    for (const auto& file : outline_.streams) {
      const bool has_rows = std::any_of(file.names.begin(), file.names.end(),
                                        [this](const std::string& name) { return row_names_.contains(name); });
      if (!has_rows) continue;
      input_.sources.push_back(stream_of(file));
      streamed.insert(file.names.begin(), file.names.end());
    }
    for (const PackInput::Column& column : input_.columns)
      if (!streamed.contains(column.name)) input_.sources.push_back(array_source(column));
    return std::move(input_);
  }

 private:
  void add_column(const std::string& name, const DataVariable& variable) {
    const auto& dims = variable.array.shape().dims();
    const auto rows = static_cast<std::uint64_t>(dims.empty() ? 0 : dims[0]);
    if (input_.columns.empty()) input_.rows = rows;
    if (rows != input_.rows)
      throw DataError(variable.source + " has " + std::to_string(rows) + " rows, but '" + input_.columns[0].name +
                      "' has " + std::to_string(input_.rows));
    const Shape row(std::vector<std::int64_t>(dims.begin() + (dims.empty() ? 0 : 1), dims.end()));
    if (row.size() == 0) throw DataError(variable.source + ": its rows are empty");
    input_.columns.push_back({name, stored_type(variable.array, options_.precision), row, variable.source});
  }

  /// Of streamed files the outline has zeros only: the values of constants are read now.
  void add_constant(const std::string& name, const DataArray& array) {
    const bool is_outline = std::any_of(outline_.streams.begin(), outline_.streams.end(), [&](const auto& file) {
      return std::find(file.names.begin(), file.names.end(), name) != file.names.end();
    });
    const DataArray values = is_outline ? read_whole(name) : array;
    input_.constants.push_back({name, values.is_sparse() ? values.to_real() : values});
  }
  DataArray read_whole(const std::string& name) const {
    std::vector<WantedVariable> only;
    std::copy_if(wanted_.begin(), wanted_.end(), std::back_inserter(only),
                 [&](const WantedVariable& variable) { return variable.name == name; });
    std::vector<std::string> named;
    for (const std::string& text : arguments_) {
      const DataArgument argument = parse_data_argument(text);
      const bool has_it = std::any_of(outline_.streams.begin(), outline_.streams.end(), [&](const auto& file) {
        return file.file == argument.file && std::find(file.names.begin(), file.names.end(), name) != file.names.end();
      });
      if (has_it && (argument.name.empty() || argument.name == name)) named.push_back(text);
    }
    return read_data(named, only, options_.pool, options_.interrupt).by_name.at(name).array;
  }

  RowSource stream_of(const DataOutline::Stream& file) const {
    RowSource source{file.file, file.names, {}};
    source.stream = [this_arguments = arguments_, wanted = wanted_, name = file.file, options = &options_](
                        std::uint64_t, const TakeRows& take) {
      stream_file(
          this_arguments, wanted, name, options->pool, options->interrupt,
          [&](std::int64_t first, std::int64_t count, const std::vector<CsvRows>& rows) {
            std::vector<RowsOfColumn> columns;
            for (const CsvRows& one : rows)
              columns.push_back({one.array, one.is_integer ? SourceType::int32 : SourceType::float64, one.values});
            take(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count), columns);
          });
    };
    return source;
  }
  RowSource array_source(const PackInput::Column& column) const {
    RowSource source{column.words, {column.name}, {}};
    source.stream = [array = outline_.variables.find(column.name)->array, rows = input_.rows](
                        std::uint64_t first, const TakeRows& take) { stream_array(array, rows, first, take); };
    return source;
  }

  const std::vector<std::string>& arguments_;
  const std::vector<WantedVariable>& wanted_;
  const DataOutline& outline_;
  const std::set<std::string>& row_names_;
  const PackOptions& options_;
  PackInput input_;
};

}  // namespace

PackInput input_from_files(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
                           const DataOutline& outline, const std::set<std::string>& row_names,
                           const PackOptions& options) {
  return FileSources(arguments, wanted, outline, row_names, options).input();
}

PackedRows pack_rows(const std::vector<std::string>& arguments, const std::vector<WantedVariable>& wanted,
                     const DataOutline& outline, const std::set<std::string>& row_names, const PackOptions& options) {
  return pack_rows(input_from_files(arguments, wanted, outline, row_names, options), options);
}

}  // namespace sgmcmc
