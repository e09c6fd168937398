// Global arrays of very many elements, and sums of them.
#pragma once

#include "plan/program.hpp"

#include <cstdint>

namespace sgmcmc {

/// Global arrays of at least this many elements are shared among threads, and read and written as rarely as possible.
inline constexpr std::int64_t long_array = 16384;

/// Whether a value is the sum of a long array, or of the products of two. Such sums are taken by the group that
/// computes the arrays, stretch by stretch.
bool is_long_sum(const Value& value);

}  // namespace sgmcmc
