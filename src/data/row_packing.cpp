// The loops that copy and check values; they run at the speed of memory, so finiteness is tested on the bits.
#include "data/row_packing.hpp"

#include "base/thread_pool.hpp"
#include "base/vector_loops.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

namespace sgmcmc {
namespace {

template <typename Value>
auto refusal(Value value) {
  if constexpr (std::is_same_v<Value, double>) {
    constexpr std::uint64_t exponent = 0x7FF0000000000000u;
    return static_cast<std::uint64_t>((std::bit_cast<std::uint64_t>(value) & exponent) == exponent);
  } else {
    constexpr std::uint32_t exponent = 0x7F800000u;
    return static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(value) & exponent) == exponent);
  }
}

// Refusals are gathered without a branch, so that the loop vectorises; where one is found the row is looked at again.
template <typename Source, typename Target>
bool pack(const std::byte* source, std::byte* target, std::size_t elements) {
  // The memory is typed by what lies there: doubles and floats first, each at a multiple of its size.
  const Source* from = reinterpret_cast<const Source*>(source);
  Target* to = reinterpret_cast<Target*>(target);
  if constexpr (std::is_floating_point_v<Target>) {
    decltype(refusal(Target{})) refused = 0;
    SGMCMC_INDEPENDENT_ITERATIONS(reduction(| : refused))
    for (std::size_t k = 0; k < elements; ++k) {
      const Target value = static_cast<Target>(from[k]);
      refused |= refusal(value);
      to[k] = value;
    }
    return refused == 0;
  } else if constexpr (std::is_same_v<Source, Target>) {
    std::memcpy(to, from, elements * sizeof(Target));
    return true;
  } else {
    bool refused = false;
    SGMCMC_INDEPENDENT_ITERATIONS(reduction(| : refused))
    for (std::size_t k = 0; k < elements; ++k) {
      to[k] = static_cast<Target>(from[k]);
      refused |= to[k] != from[k];
    }
    return !refused;
  }
}

template <typename Source>
bool check(const std::byte* source, std::byte*, std::size_t elements) {
  if constexpr (std::is_floating_point_v<Source>) {
    const Source* from = reinterpret_cast<const Source*>(source);
    decltype(refusal(Source{})) refused = 0;
    SGMCMC_INDEPENDENT_ITERATIONS(reduction(| : refused))
    for (std::size_t k = 0; k < elements; ++k) refused |= refusal(from[k]);
    return refused == 0;
  } else {
    return true;
  }
}

/// Some rows of a column-major array of doubles; the first of them that is refused.
template <typename Target>
std::optional<std::int64_t> move_block(const ColumnMove& move, std::int64_t first, std::int64_t last, std::byte* target,
                                       std::size_t stride) {
  const auto begin = static_cast<std::size_t>(first), count = static_cast<std::size_t>(last - first);
  decltype(refusal(Target{})) refused = 0;
  for (std::size_t element = 0; element < move.elements; ++element) {
    const double* from = reinterpret_cast<const double*>(move.source + move.slices[element]) + begin;
    std::byte* to = target + begin * stride + move.offset + element * sizeof(Target);
    for (std::size_t row = 0; row < count; ++row, to += stride) {
      const Target value = static_cast<Target>(from[row]);
      refused |= refusal(value);
      *reinterpret_cast<Target*>(to) = value;
    }
  }
  if (refused == 0) return std::nullopt;
  for (std::int64_t row = first; row < last; ++row)
    for (std::size_t element = 0; element < move.elements; ++element)
      if (refusal(static_cast<Target>(
              reinterpret_cast<const double*>(move.source + move.slices[element])[static_cast<std::size_t>(row)])) != 0)
        return row;
  return std::nullopt;
}

/// Column-major arrays: a few rows at a time, whose packed form stays in the cache while its columns are filled.
std::optional<RefusedValue> move_columns(std::span<const ColumnMove> moves, std::int64_t first, std::int64_t last,
                                         std::byte* target, std::size_t stride) {
  constexpr std::int64_t block = 64;
  for (std::int64_t begin = first; begin < last; begin += block) {
    const std::int64_t end = std::min(last, begin + block);
    std::optional<RefusedValue> refused;
    for (std::size_t column = 0; column < moves.size(); ++column) {
      if (moves[column].slices.empty()) continue;
      const bool single = moves[column].move == MoveRow(pack<double, float>);
      const auto row = single ? move_block<float>(moves[column], begin, end, target, stride)
                              : move_block<double>(moves[column], begin, end, target, stride);
      if (row && (!refused || *row < refused->row)) refused = RefusedValue{column, *row};
    }
    if (refused) return refused;
  }
  return std::nullopt;
}

std::optional<RefusedValue> move_by_row(std::span<const ColumnMove> moves, std::int64_t first, std::int64_t last,
                                        std::byte* target, std::size_t stride) {
  for (std::int64_t row = first; row < last; ++row) {
    const auto position = static_cast<std::size_t>(row);
    std::byte* packed = target + position * stride;
    for (std::size_t column = 0; column < moves.size(); ++column) {
      const ColumnMove& move = moves[column];
      if (!move.slices.empty()) continue;
      if (!move.move(move.source + position * move.source_stride, packed + move.offset, move.elements)) {
        return RefusedValue{column, row};
      }
    }
  }
  return std::nullopt;
}

std::optional<RefusedValue> move_stretch(std::span<const ColumnMove> moves, std::int64_t first, std::int64_t last,
                                         std::byte* target, std::size_t stride) {
  auto refused = move_by_row(moves, first, last, target, stride);
  const bool by_column = std::any_of(moves.begin(), moves.end(), [](const auto& one) { return !one.slices.empty(); });
  if (!by_column) return refused;
  const auto other = move_columns(moves, first, last, target, stride);
  const auto comes_first = [](const RefusedValue& a, const RefusedValue& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  };
  return other && (!refused || comes_first(*other, *refused)) ? other : refused;
}

}  // namespace

std::vector<std::size_t> column_slices(const Shape& row_shape, std::size_t slice_bytes) {
  std::vector<std::size_t> slices(static_cast<std::size_t>(row_shape.size()));
  for (std::size_t element = 0; element < slices.size(); ++element) {
    std::size_t rest = element, at = 0;
    for (std::size_t axis = row_shape.rank();
         axis-- > 0;) {  // the last index runs fastest in a row, slowest in the array
      const auto size = static_cast<std::size_t>(row_shape[axis]);
      std::size_t before = 1;
      for (std::size_t other = 0; other < axis; ++other) before *= static_cast<std::size_t>(row_shape[other]);
      at += rest % size * before;
      rest /= size;
    }
    slices[element] = at * slice_bytes;
  }
  return slices;
}

namespace {

template <class Source>
MoveRow packing_integers(StorageType type) {
  return visit_integer_type(type, [](auto zero) -> MoveRow { return pack<Source, decltype(zero)>; });
}

}  // namespace

MoveRow packing_move(SourceType source, StorageType type) {
  switch (source) {
    case SourceType::float64: return type == StorageType::float64 ? pack<double, double> : pack<double, float>;
    case SourceType::float32: return type == StorageType::float64 ? pack<float, double> : pack<float, float>;
    case SourceType::int32: return packing_integers<std::int32_t>(type);
    case SourceType::int64: return packing_integers<std::int64_t>(type);
    case SourceType::int8: return packing_integers<std::int8_t>(type);
    case SourceType::uint8: return packing_integers<std::uint8_t>(type);
    case SourceType::int16: return packing_integers<std::int16_t>(type);
  }
  return nullptr;
}

MoveRow checking_move(SourceType source) {
  switch (source) {
    case SourceType::float64: return check<double>;
    case SourceType::float32: return check<float>;
    case SourceType::int32: return check<std::int32_t>;
    default: return check<std::int64_t>;  // any integer is valid
  }
  return nullptr;
}

std::size_t source_bytes(SourceType source) {
  switch (source) {
    case SourceType::float64:
    case SourceType::int64: return 8;
    case SourceType::int16: return 2;
    case SourceType::int8:
    case SourceType::uint8: return 1;
    default: return 4;
  }
}

std::size_t packed_stride(std::size_t used) {
  if (used <= 32) return std::bit_ceil(used);
  return (used + 63) / 64 * 64;
}

std::optional<RefusedValue> move_rows(std::span<const ColumnMove> moves, std::int64_t rows, std::byte* target,
                                      std::size_t stride,
                                      const std::function<void(std::int64_t, std::int64_t)>& moved) {
  std::size_t row_bytes = stride;
  for (const ColumnMove& move : moves)
    row_bytes += move.slices.empty() ? move.source_stride : move.elements * move.source_stride;
  // A thread costs tens of microseconds to start; a few megabytes are moved in that time. Eight fill most memory buses.
  constexpr std::size_t bytes_per_thread = std::size_t{4} << 20;
  const std::size_t wanted = static_cast<std::size_t>(rows) * row_bytes / bytes_per_thread;
  const auto parts = std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 1, std::min(hardware_threads(), 8));

  std::vector<std::optional<RefusedValue>> refused(static_cast<std::size_t>(parts));
  ThreadPool pool(static_cast<int>(parts));
  pool.for_each(refused.size(), [&](std::size_t index, int) {
    const auto part = static_cast<std::int64_t>(index);
    const std::int64_t end = rows * (part + 1) / parts;
    // In stretches of a few megabytes, so that what is given back behind them is never much.
    const std::int64_t stretch =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes_per_thread / std::max<std::size_t>(row_bytes, 1)));
    for (std::int64_t first = rows * part / parts; first < end && !refused[index]; first += stretch) {
      const std::int64_t last = std::min(end, first + stretch);
      refused[index] = move_stretch(moves, first, last, target, stride);
      if (moved && !refused[index]) moved(first, last - first);
    }
  });
  for (const auto& value : refused) {
    if (value) return value;
  }
  return std::nullopt;
}

}  // namespace sgmcmc
