// Collects the numbers of one array: as integers until the first real number, or in the declared type.
#pragma once

#include "data/array.hpp"
#include "data/growing_memory.hpp"
#include "data/variables.hpp"

#include <cstdint>
#include <utility>

namespace sgmcmc {

class ArrayBuilder {
 public:
  explicit ArrayBuilder(WantedKind kind) : is_integer_(kind != WantedKind::real) {}

  bool is_integer() const { return is_integer_; }
  std::size_t size() const { return is_integer_ ? integers_.size() : reals_.size(); }

  /// is_whole: the value is a whole number within 32 bits.
  void push(double value, bool is_whole) {
    if (is_integer_) {
      if (is_whole) return integers_.push_back(static_cast<std::int32_t>(value));
      become_real();
    }
    reals_.push_back(value);
  }

  /// Reserves `count` values in all, which may be set in any order; values not set are zero.
  void resize(std::size_t count) { is_integer_ ? integers_.resize(count) : reals_.resize(count); }
  void set(std::size_t position, double value, bool is_whole) {
    if (is_integer_) {
      if (is_whole) {
        integers_[position] = static_cast<std::int32_t>(value);
        return;
      }
      become_real();
    }
    reals_[position] = value;
  }

  GrowingMemory<double>& reals() { return reals_; }              ///< while real
  GrowingMemory<std::int32_t>& integers() { return integers_; }  ///< while integer

  DataArray finish(Shape shape) {
    if (is_integer_) return {std::move(integers_), std::move(shape)};
    return {std::move(reals_), std::move(shape)};
  }

 private:
  void become_real() {
    reals_ = widen(std::move(integers_));
    is_integer_ = false;
  }

  bool is_integer_;
  GrowingMemory<std::int32_t> integers_;
  GrowingMemory<double> reals_;
};

}  // namespace sgmcmc
