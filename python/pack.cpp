// Row files written from batches of arrays that Python hands on, such as those of Parquet files.
#include "arrays.hpp"
#include "base/thread_pool.hpp"
#include "interruptible.hpp"
#include "module.hpp"
#include "service/pack_batches.hpp"

#include <sgmcmc/error.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>

namespace sgmcmc::python {
namespace {

using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

SourceType type_of(const AnyArray& array) {
  const nb::dlpack::dtype type = array.dtype();
  if (type == nb::dtype<double>()) return SourceType::float64;
  if (type == nb::dtype<float>()) return SourceType::float32;
  if (type == nb::dtype<std::int32_t>()) return SourceType::int32;
  if (type == nb::dtype<std::int64_t>()) return SourceType::int64;
  if (type == nb::dtype<std::int8_t>()) return SourceType::int8;
  if (type == nb::dtype<std::uint8_t>()) return SourceType::uint8;
  if (type == nb::dtype<std::int16_t>()) return SourceType::int16;
  throw DataError("rows are arrays of float64, float32, int8, uint8, int16, int32 or int64");
}

StorageType stored_as(const std::string& type) {
  if (type == "float64") return StorageType::float64;
  if (type == "float32") return StorageType::float32;
  return StorageType::int32;
}

/// Hands on what an iterator of Python gives: lists of arrays, one for each column, all with the same number of rows.
/// Called on a thread that does not hold the interpreter.
void stream_batches(const nb::callable& batches, const std::vector<PackInput::Column>& columns, std::uint64_t first,
                    const TakeRows& take) {
  const nb::gil_scoped_acquire interpreter;
  std::uint64_t row = first;
  for (const nb::handle batch : nb::iter(batches(first))) {
    const auto arrays = nb::cast<std::vector<AnyArray>>(batch);
    if (arrays.size() != columns.size()) throw DataError("a batch has one array for each column");
    std::vector<RowsOfColumn> rows;
    std::uint64_t count = 0;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      const auto width = static_cast<std::size_t>(columns[k].row_shape.size());
      const std::uint64_t here = arrays[k].size() / width;
      if (arrays[k].size() % width != 0 || (k > 0 && here != count))
        throw DataError(columns[k].words + ": batches must have whole rows, as many in each column");
      count = here;
      rows.push_back({k, type_of(arrays[k]), static_cast<const std::byte*>(arrays[k].data())});
    }
    {
      const nb::gil_scoped_release release;
      if (count > 0) take(row, count, rows);
    }
    row += count;
  }
}

/// Type and row shape of each column: "float64", "float32" or "int32".
using Columns = std::vector<std::tuple<std::string, std::string, std::vector<std::int64_t>>>;

nb::dict pack(const std::string& path, std::uint64_t rows, const Columns& columns, const Named<RealArray>& reals,
              const Named<IntegerArray>& integers, const nb::callable& batches, const std::string& words,
              const std::string& identity, std::uint64_t seed, const std::string& group_by, bool overwrite,
              const std::optional<nb::callable>& progress) {
  PackInput input;
  input.rows = rows;
  input.identity = identity;
  RowSource source{words, {}, {}};
  for (const auto& [name, type, shape] : columns) {
    input.columns.push_back({name, stored_as(type), Shape(shape), words + ": '" + name + "'"});
    source.names.push_back(name);
  }
  for (const auto& [name, array] : reals)
    input.constants.push_back({name, DataArray::copy_of(values_of(array), shape_of(array))});
  for (const auto& [name, array] : integers)
    input.constants.push_back({name, DataArray::copy_of(values_of(array), shape_of(array))});
  source.stream = [&](std::uint64_t first, const TakeRows& take) {
    stream_batches(batches, input.columns, first, take);
  };
  input.sources.push_back(std::move(source));
  PackOptions options;
  options.path = path;
  options.key = seed;
  options.group_by = group_by;
  options.overwrite = overwrite;
  if (progress)
    options.progress = [&](double share) {
      const nb::gil_scoped_acquire interpreter;
      (*progress)(share);
    };
  const PackRun run = interruptible_or_raise([&](const std::atomic<bool>* interrupt) {
    ThreadPool pool(0);
    options.pool = &pool;
    options.interrupt = interrupt;
    return pack_batches(input, options);
  });
  nb::dict types;
  for (const auto& column : run.columns) types[column.name.c_str()] = column.type;
  nb::dict result;
  result["rows"] = run.rows;
  result["bytes"] = run.bytes;
  result["columns"] = types;
  result["continued"] = run.continued;
  return result;
}

}  // namespace

void add_pack(nb::module_& m) {
  m.def("pack_batches", &pack, nb::arg("path"), nb::arg("rows"), nb::arg("columns"), nb::arg("reals"),
        nb::arg("integers"), nb::arg("batches"), nb::arg("words"), nb::arg("identity"), nb::arg("seed"),
        nb::arg("group_by"), nb::arg("overwrite"), nb::arg("progress").none());
  m.def("declared_data", [](const std::string& path, const std::string& code, const std::vector<std::string>& include) {
    std::vector<std::tuple<std::string, bool, std::string>> all;
    for (const DeclaredData& one : declared_data(path, code, include))
      all.emplace_back(one.name, one.is_integer, one.first_size);
    return all;
  });
}

}  // namespace sgmcmc::python
