// Conversions of arrays from and to Python.
#pragma once

#include <sgmcmc/shape.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc::python {

namespace nb = nanobind;

using RealArray = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using FloatArray = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using IntegerArray = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;
using StartArray = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;

template <class Array>
using Named = std::vector<std::pair<std::string, Array>>;

/// Smaller arrays are copied, so that all data of a row are contiguous.
template <class Array>
bool worth_lending(const Array& array) {
  return array.nbytes() >= std::size_t{64} << 20;
}

/// Keeps an array alive for threads that do not hold the interpreter lock.
template <class Array>
std::shared_ptr<const void> owner_of(const Array& array) {
  return std::shared_ptr<const Array>(new Array(array), [](const Array* held) {
    if (!nb::is_alive()) return;
    const nb::gil_scoped_acquire interpreter;
    delete held;
  });
}

template <class Array>
auto values_of(const Array& array) {
  return std::span(array.data(), array.size());
}

/// A sparse matrix in compressed-row form.
struct SparseMatrix {
  std::string name;
  std::int64_t columns = 0;
  StartArray row_start;
  IntegerArray column;
  RealArray values;
};

template <class Array>
Shape shape_of(const Array& array, std::size_t first_axis = 0) {
  std::vector<std::int64_t> dims;
  for (std::size_t axis = first_axis; axis < array.ndim(); ++axis)
    dims.push_back(static_cast<std::int64_t>(array.shape(axis)));
  return Shape(dims);
}

/// A NumPy array that owns these numbers.
inline nb::object numpy_array(std::vector<double> numbers, const std::vector<std::size_t>& shape) {
  auto* owned = new std::vector<double>(std::move(numbers));
  nb::capsule owner(owned, [](void* held) noexcept { delete static_cast<std::vector<double>*>(held); });
  return nb::ndarray<nb::numpy, double>(owned->data(), shape.size(), shape.data(), owner).cast();
}

inline nb::object numpy_vector(std::vector<double> numbers) {
  const std::size_t size = numbers.size();
  return numpy_array(std::move(numbers), {size});
}

}  // namespace sgmcmc::python
