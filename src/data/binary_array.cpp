// Decodes elements a buffer at a time, or reads them in place where they are what is wanted.
#include "data/binary_array.hpp"

#include "data/array_builder.hpp"
#include "data/mapped_file.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sgmcmc {

namespace {

constexpr std::size_t array_buffer_bytes = std::size_t{64} << 10;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 44;

std::size_t bytes_of(ElementType type) {
  switch (type) {
    case ElementType::int8:
    case ElementType::uint8: return 1;
    case ElementType::int16:
    case ElementType::uint16: return 2;
    case ElementType::int32:
    case ElementType::uint32:
    case ElementType::float32: return 4;
    case ElementType::int64:
    case ElementType::uint64:
    case ElementType::float64: return 8;
  }
  return 1;
}

[[noreturn]] void refuse_length(const Input& input, const Shape& shape, std::uint64_t needed,
                                const std::string& found) {
  throw DataError(input.name() + ": the header says shape " + shape.to_string() + ", " + std::to_string(needed) +
                  " bytes, but " + found + ". Write the file again");
}

std::uint64_t count_elements(const Input& input, const Shape& shape) {
  std::uint64_t count = 1;
  for (const auto dim : shape.dims()) {
    const auto size = static_cast<std::uint64_t>(dim);
    if (dim < 0 || (size != 0 && count > most_elements / size)) {
      throw DataError(input.name() + ": the header says shape " + shape.to_string() +
                      ", which is more than any memory holds");
    }
    count *= size;
  }
  return count;
}

/// Positions of successive elements in row-major order.
class Positions {
 public:
  Positions(const Shape& shape, bool first_axis_fastest)
      : dims_(shape.dims()),
        strides_(shape.rank(), 1),
        index_(shape.rank(), 0),
        is_plain_(!first_axis_fastest || shape.rank() < 2) {
    for (std::size_t axis = shape.rank(); axis-- > 1;) strides_[axis - 1] = strides_[axis] * dims_[axis];
  }
  bool is_plain() const { return is_plain_; }
  std::size_t position() const { return static_cast<std::size_t>(position_); }
  void advance() {
    for (std::size_t axis = 0; axis < dims_.size(); ++axis) {
      position_ += strides_[axis];
      if (++index_[axis] < dims_[axis]) return;
      position_ -= strides_[axis] * dims_[axis];
      index_[axis] = 0;
    }
  }

 private:
  std::vector<std::int64_t> dims_, strides_, index_;
  std::int64_t position_ = 0;
  bool is_plain_;
};

template <class T>
T decode(const char* bytes, bool swap) {
  std::array<char, sizeof(T)> raw;
  std::copy_n(bytes, sizeof(T), raw.begin());
  if (swap) std::ranges::reverse(raw);
  return std::bit_cast<T>(raw);
}

template <class T>
void read_elements(Input& input, const BinaryLayout& layout, std::uint64_t count, ArrayBuilder& builder) {
  const bool swap = layout.is_big_endian != (std::endian::native == std::endian::big);
  Positions positions(layout.shape, layout.first_axis_fastest);
  if (!positions.is_plain()) builder.resize(count);
  std::vector<char> buffer(array_buffer_bytes);
  for (std::uint64_t done = 0; done < count;) {
    const std::size_t asked =
        static_cast<std::size_t>(std::min<std::uint64_t>(array_buffer_bytes / sizeof(T), count - done));
    const std::size_t bytes = input.read(std::span(buffer).first(asked * sizeof(T)));
    if (bytes < asked * sizeof(T)) {
      refuse_length(input, layout.shape, count * sizeof(T),
                    "the file ends after " + std::to_string(done * sizeof(T) + bytes) + " of them");
    }
    for (std::size_t i = 0; i < asked; ++i) {
      const T element = decode<T>(buffer.data() + i * sizeof(T), swap);
      bool is_whole = false;
      if constexpr (std::integral<T>) is_whole = std::in_range<std::int32_t>(element);
      if (positions.is_plain()) {
        builder.push(static_cast<double>(element), is_whole);
      } else {
        builder.set(positions.position(), static_cast<double>(element), is_whole);
        positions.advance();
      }
    }
    done += asked;
  }
}

/// Doubles in this machine's own form go where they are to stay.
void read_in_place(Input& input, const BinaryLayout& layout, std::uint64_t count, GrowingMemory<double>& reals) {
  constexpr std::uint64_t step = std::uint64_t{1} << 20;
  for (std::uint64_t done = 0; done < count;) {
    const std::size_t asked = static_cast<std::size_t>(std::min(step, count - done));
    reals.resize(static_cast<std::size_t>(done) + asked);
    const std::span<char> target(reinterpret_cast<char*>(reals.data() + done), asked * sizeof(double));
    const std::size_t bytes = input.read(target);
    if (bytes < target.size()) {
      refuse_length(input, layout.shape, count * sizeof(double),
                    "the file ends after " + std::to_string(done * sizeof(double) + bytes) + " of them");
    }
    done += asked;
  }
}

/// The elements in their place in the file; nothing where they are not as this machine has them in memory.
template <class T>
std::optional<DataArray> lent_by_file(const std::string& path, std::uint64_t bytes, const Shape& shape) {
  const auto file = std::make_shared<const MappedFile>(path);
  if (file->bytes().size() < bytes) return std::nullopt;  // it was packed, or has been cut just now
  const std::byte* const start = file->bytes().data() + (file->bytes().size() - bytes);
  if (reinterpret_cast<std::uintptr_t>(start) % sizeof(T) != 0) return std::nullopt;
  const std::span<const T> values(reinterpret_cast<const T*>(start), static_cast<std::size_t>(bytes / sizeof(T)));
  return DataArray::in_file(values, shape, file);
}

/// Single precision stays what it is.
DataArray read_floats(Input& input, const BinaryLayout& layout, std::uint64_t count) {
  const bool swap = layout.is_big_endian != (std::endian::native == std::endian::big);
  auto floats = std::make_shared<GrowingMemory<float>>();
  Positions positions(layout.shape, layout.first_axis_fastest);
  std::vector<char> buffer(array_buffer_bytes);
  if (!positions.is_plain()) floats->resize(static_cast<std::size_t>(count));
  for (std::uint64_t done = 0; done < count;) {
    const auto asked =
        static_cast<std::size_t>(std::min<std::uint64_t>(array_buffer_bytes / sizeof(float), count - done));
    const std::size_t bytes = input.read(std::span(buffer).first(asked * sizeof(float)));
    if (bytes < asked * sizeof(float)) {
      refuse_length(input, layout.shape, count * sizeof(float),
                    "the file ends after " + std::to_string(done * sizeof(float) + bytes) + " of them");
    }
    for (std::size_t i = 0; i < asked; ++i) {
      const float element = decode<float>(buffer.data() + i * sizeof(float), swap);
      if (positions.is_plain()) {
        floats->push_back(element);
      } else {
        (*floats)[positions.position()] = element;
        positions.advance();
      }
    }
    done += asked;
  }
  floats->shrink_to_fit();
  return DataArray::lent(floats->span(), layout.shape, floats);
}

}  // namespace

bool can_stream(const BinaryLayout& layout) {
  const bool is_real = layout.type == ElementType::float32 || layout.type == ElementType::float64;
  return !is_real && layout.shape.size() > 0 && (!layout.first_axis_fastest || layout.shape.rank() < 2);
}

DataArray outline_of(const Input& input, const BinaryLayout& layout, WantedKind kind) {
  const std::uint64_t count = count_elements(input, layout.shape), needed = count * bytes_of(layout.type);
  if (const auto remaining = input.remaining(); remaining && *remaining != needed)
    refuse_length(input, layout.shape, needed, std::to_string(*remaining) + " follow");
  if (kind == WantedKind::real) {
    GrowingMemory<double> zeros;
    zeros.resize(static_cast<std::size_t>(count));
    return {std::move(zeros), layout.shape};
  }
  GrowingMemory<std::int32_t> zeros;
  zeros.resize(static_cast<std::size_t>(count));
  return {std::move(zeros), layout.shape};
}

namespace {

template <class T, class Target>
void stream_elements(Input& input, const BinaryLayout& layout,
                     const std::function<void(std::int64_t, std::int64_t, const std::byte*)>& take) {
  const bool swap = layout.is_big_endian != (std::endian::native == std::endian::big);
  const std::int64_t rows = layout.shape.rank() == 0 ? 1 : layout.shape[0];
  const auto width = static_cast<std::size_t>(layout.shape.size() / rows);
  const std::int64_t most =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(array_buffer_bytes / sizeof(T) / width));
  std::vector<char> buffer;
  std::vector<Target> numbers;
  for (std::int64_t first = 0; first < rows;) {
    const std::int64_t count = std::min(most, rows - first);
    numbers.resize(static_cast<std::size_t>(count) * width);
    buffer.resize(numbers.size() * sizeof(T));
    if (input.read(buffer) < buffer.size())
      refuse_length(input, layout.shape, static_cast<std::uint64_t>(layout.shape.size()) * sizeof(T),
                    "the file ends in row " + std::to_string(first + 1) + " or soon after");
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const T element = decode<T>(buffer.data() + i * sizeof(T), swap);
      numbers[i] = static_cast<Target>(element);
      if constexpr (std::integral<Target>)
        if (!std::in_range<Target>(element))
          throw DataError(input.name() + ": row " + std::to_string(first + static_cast<std::int64_t>(i / width) + 1) +
                          " is " + std::to_string(element) + ", but integers must fit in 32 bits");
    }
    take(first, count, reinterpret_cast<const std::byte*>(numbers.data()));
    first += count;
  }
}

template <class T>
void stream_as(Input& input, const BinaryLayout& layout, WantedKind kind,
               const std::function<void(std::int64_t, std::int64_t, const std::byte*)>& take) {
  kind == WantedKind::real ? stream_elements<T, double>(input, layout, take)
                           : stream_elements<T, std::int32_t>(input, layout, take);
}

}  // namespace

void stream_binary_rows(Input& input, const BinaryLayout& layout, WantedKind kind,
                        const std::function<void(std::int64_t, std::int64_t, const std::byte*)>& take) {
  switch (layout.type) {
    case ElementType::int8: return stream_as<std::int8_t>(input, layout, kind, take);
    case ElementType::int16: return stream_as<std::int16_t>(input, layout, kind, take);
    case ElementType::int32: return stream_as<std::int32_t>(input, layout, kind, take);
    case ElementType::int64: return stream_as<std::int64_t>(input, layout, kind, take);
    case ElementType::uint8: return stream_as<std::uint8_t>(input, layout, kind, take);
    case ElementType::uint16: return stream_as<std::uint16_t>(input, layout, kind, take);
    case ElementType::uint32: return stream_as<std::uint32_t>(input, layout, kind, take);
    default: return stream_as<std::uint64_t>(input, layout, kind, take);
  }
}

DataArray read_binary_array(Input& input, const BinaryLayout& layout, WantedKind kind, const std::string& path) {
  const std::uint64_t count = count_elements(input, layout.shape);
  const std::uint64_t needed = count * bytes_of(layout.type);
  const auto remaining = input.remaining();
  if (remaining && *remaining != needed) {
    refuse_length(input, layout.shape, needed, std::to_string(*remaining) + " follow");
  }
  const bool is_real = layout.type == ElementType::float32 || layout.type == ElementType::float64;
  const bool is_plain = !layout.first_axis_fastest || layout.shape.rank() < 2;
  const bool is_native = layout.is_big_endian == (std::endian::native == std::endian::big);
  if (is_real && kind != WantedKind::integer && needed >= large_array_bytes) {
    if (remaining && !path.empty() && is_plain && is_native) {
      auto lent = layout.type == ElementType::float32 ? lent_by_file<float>(path, needed, layout.shape)
                                                      : lent_by_file<double>(path, needed, layout.shape);
      if (lent) return *lent;
    }
    if (layout.type == ElementType::float32) {
      DataArray floats = read_floats(input, layout, count);
      if (!input.peek(1).empty()) refuse_length(input, layout.shape, needed, "more follow");
      return floats;
    }
  }
  ArrayBuilder builder(is_real ? WantedKind::real : kind);
  if (remaining) {  // the size is true: take the room at once
    builder.is_integer() ? builder.integers().reserve(count) : builder.reals().reserve(count);
  }
  if (count == 0) return builder.finish(layout.shape);
  switch (layout.type) {
    case ElementType::int8: read_elements<std::int8_t>(input, layout, count, builder); break;
    case ElementType::int16: read_elements<std::int16_t>(input, layout, count, builder); break;
    case ElementType::int32: read_elements<std::int32_t>(input, layout, count, builder); break;
    case ElementType::int64: read_elements<std::int64_t>(input, layout, count, builder); break;
    case ElementType::uint8: read_elements<std::uint8_t>(input, layout, count, builder); break;
    case ElementType::uint16: read_elements<std::uint16_t>(input, layout, count, builder); break;
    case ElementType::uint32: read_elements<std::uint32_t>(input, layout, count, builder); break;
    case ElementType::uint64: read_elements<std::uint64_t>(input, layout, count, builder); break;
    case ElementType::float32: read_elements<float>(input, layout, count, builder); break;
    case ElementType::float64:
      if (is_plain && is_native) {
        read_in_place(input, layout, count, builder.reals());
      } else {
        read_elements<double>(input, layout, count, builder);
      }
      break;
  }
  if (!input.peek(1).empty()) refuse_length(input, layout.shape, needed, "more follow");
  return builder.finish(layout.shape);
}

}  // namespace sgmcmc
