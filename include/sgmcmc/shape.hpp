// The shape of one value: its dimensions, which never include rows. A scalar has none.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc {

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dims) : dims_(dims) {}
  explicit Shape(std::vector<std::int64_t> dims) : dims_(std::move(dims)) {}

  std::size_t rank() const { return dims_.size(); }
  bool is_scalar() const { return dims_.empty(); }
  std::int64_t operator[](std::size_t axis) const { return dims_[axis]; }
  const std::vector<std::int64_t>& dims() const { return dims_; }

  /// Number of elements; 1 for a scalar. Elements are stored row-major (last axis fastest).
  std::int64_t size() const {
    std::int64_t count = 1;
    for (auto dim : dims_) count *= dim;
    return count;
  }

  /// "scalar", "[54]", "[3, 4]".
  std::string to_string() const {
    if (dims_.empty()) return "scalar";
    std::string text = "[";
    for (std::size_t axis = 0; axis < dims_.size(); ++axis) {
      if (axis > 0) text += ", ";
      text += std::to_string(dims_[axis]);
    }
    return text + "]";
  }

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::vector<std::int64_t> dims_;
};

}  // namespace sgmcmc
