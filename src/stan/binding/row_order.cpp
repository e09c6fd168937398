// Compares the log density of some of the rows, in two orders.
#include "stan/binding/row_order.hpp"

#include "base/text.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace sgmcmc::stan {
namespace {

constexpr std::int64_t most_compared_rows = 1000;
constexpr std::uint64_t most_points = 5;
constexpr double relative_tolerance = 1e-7;  // above the rounding of sums, and of variables that were standardised

/// The rows of row files, and some of them.
struct PackedData {
  std::int64_t rows = 0;  ///< those of the longest arrays
  std::int64_t some = 0;
  std::vector<std::string> names;      ///< of arrays with these rows
  std::vector<std::string> others;     ///< of arrays with as many rows that are not from a row file
  std::set<std::string> sizes;         ///< names of the number of rows
  const DataArray* groups = nullptr;   ///< if equal numbers in this array are together
  std::vector<std::int64_t> in_order;  ///< some rows
  std::vector<std::int64_t> mixed;     ///< the same rows
};

bool runs_over(const DataArray& array, std::int64_t rows) {
  return array.shape().rank() > 0 && array.shape()[0] == rows;
}

std::uint32_t random_number(std::uint32_t stream, std::uint64_t of) {
  std::uint32_t number = 0;
  fill_below({1, stream, of, Purpose::data}, ~std::uint32_t{0}, std::span(&number, 1));
  return number;
}

/// Another order of rows; rows of a group stay together.
std::vector<std::int64_t> mixed_rows(const PackedData& packed) {
  std::vector<std::pair<std::pair<std::uint64_t, std::uint32_t>, std::int64_t>> keyed;
  for (const std::int64_t row : packed.in_order) {
    std::uint64_t group = 0;
    if (packed.groups) {
      const auto label = static_cast<std::uint32_t>(static_cast<std::int32_t>((*packed.groups)[row]));
      group = std::uint64_t{random_number(0, label)} << 32 | label;
    }
    keyed.push_back({{group, random_number(1, static_cast<std::uint64_t>(row))}, row});
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::int64_t> rows;
  for (const auto& [key, row] : keyed) rows.push_back(row);
  return rows;
}

std::optional<PackedData> packed_data(const Program& program, const DataVariables& data) {
  PackedData packed;
  for (const auto& [name, variable] : data.by_name)
    if (variable.array.is_packed() && variable.array.shape().rank() > 0)
      packed.rows = std::max(packed.rows, variable.array.shape()[0]);
  if (packed.rows < 2) return std::nullopt;
  for (const auto& statement : program.data.statements) {
    const auto* declaration = std::get_if<Declaration>(&statement->form);
    const DataVariable* const variable = declaration ? data.find(declaration->name) : nullptr;
    if (!variable || declaration->sizes.empty() || !runs_over(variable->array, packed.rows)) continue;
    (variable->array.is_packed() ? packed.names : packed.others).push_back(declaration->name);
    if (!variable->array.is_packed()) continue;
    if (const auto* size = std::get_if<Name>(&declaration->sizes[0]->form)) packed.sizes.insert(size->name);
    if (variable->array.order() == RowOrder::groups) packed.groups = &variable->array;
  }
  if (packed.names.empty()) return std::nullopt;
  packed.some = std::min(packed.rows, most_compared_rows);
  packed.in_order.resize(static_cast<std::size_t>(packed.some));
  std::iota(packed.in_order.begin(), packed.in_order.end(), 0);
  packed.mixed = mixed_rows(packed);
  return packed;
}

template <class Number>
DataArray copy_rows(const DataArray& array, const std::vector<std::int64_t>& rows, Shape shape) {
  const std::int64_t width = array.size() / array.shape()[0];
  std::vector<Number> numbers;
  for (const std::int64_t row : rows)
    for (std::int64_t k = 0; k < width; ++k) numbers.push_back(static_cast<Number>(array[row * width + k]));
  return DataArray::copy_of(std::span<const Number>(numbers), std::move(shape));
}

DataArray rows_of(const DataArray& array, const std::vector<std::int64_t>& rows) {
  std::vector<std::int64_t> dims;
  for (std::size_t axis = 0; axis < array.shape().rank(); ++axis) dims.push_back(array.shape()[axis]);
  dims[0] = static_cast<std::int64_t>(rows.size());
  return array.is_integer() ? copy_rows<std::int32_t>(array, rows, Shape(dims))
                            : copy_rows<double>(array, rows, Shape(dims));
}

/// The data with some of the rows, those of row files in this order. by_value: every number and every array that may
/// count the rows does, not only those that the model declares so.
DataVariables with_rows(const DataVariables& data, const PackedData& packed, const std::vector<std::int64_t>& order,
                        bool by_value) {
  DataVariables made;
  made.unused = data.unused;
  for (const auto& [name, variable] : data.by_name) {
    const DataArray& array = variable.array;
    const bool is_row_array = runs_over(array, packed.rows) && !array.is_sparse();
    const bool is_number =
        array.is_integer() && array.shape().rank() == 0 && array[0] == static_cast<double>(packed.rows);
    DataVariable own = variable;
    if (is_row_array && array.is_packed())
      own.array = rows_of(array, order);
    else if (is_row_array && by_value)
      own.array = rows_of(array, packed.in_order);
    else if (is_number && (by_value || packed.sizes.contains(name)))
      own.array = DataArray::scalar(static_cast<std::int32_t>(packed.some));
    made.by_name.emplace(name, std::move(own));
  }
  return made;
}

/// Log densities at some points; empty if the model cannot be bound to the data, or draws some of them.
std::vector<double> log_densities(const ModelText& text, const DataVariables& data, std::int64_t rows,
                                  const std::atomic<bool>* interrupt) {
  try {
    BindOptions options;
    options.interrupt = interrupt;
    const BoundModel bound(text.source, text.program, data, options);
    if (bound.has_random_data()) return {};  // which go to other rows in another order
    const LogPosterior posterior(bound.model());
    const auto executor = posterior.executor(ProgramKind::value_and_gradient, {});
    const auto dimension = static_cast<std::size_t>(posterior.dimension());
    std::vector<double> point(dimension), out(dimension + 1), found;
    for (std::uint64_t k = 0; k < most_points; ++k) {
      fill_uniform({2, 0, k, Purpose::initial}, point);
      for (double& each : point) each -= 0.5;
      // Parameters of single rows would have to be put in another order, too: they are all equal.
      for (const ParameterInfo& info : bound.model().parameters())
        if (info.shape.rank() > 0 && info.shape[0] == rows && info.unconstrained_size > 0)
          std::fill_n(point.begin() + info.offset, info.unconstrained_size,
                      point[static_cast<std::size_t>(info.offset)]);
      executor->set_point(Point::current, point);
      executor->run(posterior.all_rows(), out);
      found.push_back(out[0]);
    }
    return found;
  } catch (const InterruptedError&) {
    throw;
  } catch (const Error&) {
    return {};
  }
}

/// Two log densities of the same rows at the same point, if they differ; nothing if it is not known.
struct Comparison {
  bool is_known = false;
  std::optional<std::pair<double, double>> different;
};

Comparison compare(const ModelText& text, const DataVariables& data, const PackedData& packed, bool by_value,
                   const std::atomic<bool>* interrupt) {
  const auto with = [&](const std::vector<std::int64_t>& order) {
    return log_densities(text, with_rows(data, packed, order, by_value), packed.some, interrupt);
  };
  Comparison made;
  const std::vector<double> first = with(packed.in_order);
  if (first.empty()) return made;
  const std::vector<double> second = with(packed.mixed);
  for (std::size_t k = 0; k < std::min(first.size(), second.size()); ++k) {
    if (!std::isfinite(first[k]) || !std::isfinite(second[k])) continue;
    made.is_known = true;
    if (std::abs(first[k] - second[k]) > relative_tolerance * (1 + std::abs(first[k])))
      made.different = std::pair(first[k], second[k]);
    return made;
  }
  return made;
}

}  // namespace

void refuse_order_of_rows(const ModelText& text, const DataVariables& data, const std::atomic<bool>* interrupt) {
  const auto packed = packed_data(*text.program, data);
  if (!packed) return;
  Comparison found = compare(text, data, *packed, false, interrupt);
  if (!found.is_known && packed->some < packed->rows) found = compare(text, data, *packed, true, interrupt);
  if (!found.different) return;
  const std::string rows = "the " + std::string(packed->some < packed->rows ? "first " : "") +
                           std::to_string(packed->some) + " rows of '" + packed->names.front() + "'";
  throw DataError(
      "the posterior depends on the order of rows, but a row file has its rows in random order: in two orders of " +
      rows + ", the log density at the same point is " + formatted("%.8g", found.different->first) + " and " +
      formatted("%.8g", found.different->second) +
      ". Add what the model takes from other rows, or from the number of a row, as a column of the data" +
      (packed->others.empty()
           ? ""
           : ", and pack '" + packed->others.front() + "' with the other columns if it has their rows"));
}

}  // namespace sgmcmc::stan
