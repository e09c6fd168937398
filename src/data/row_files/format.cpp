// The dictionary as bytes, and the checksum.
#include "data/row_files/format.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <set>

namespace sgmcmc {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t fixed_bytes = 32;  // opening, size and checksum of the dictionary
constexpr std::uint64_t most_dictionary_bytes = std::uint64_t{1} << 30;

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + row_file_alignment - 1) / row_file_alignment * row_file_alignment;
}

class Writer {
 public:
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(const std::string& value) {
    number(value.size());
    bytes_ += value;
  }
  void shape(const Shape& value) {
    number(value.rank());
    for (const std::int64_t dim : value.dims()) number(static_cast<std::uint64_t>(dim));
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& file) : rest_(bytes), file_(file) {}

  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) damaged();
    const auto taken = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(static_cast<std::size_t>(count));
    return taken;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number())); }
  Shape shape() {
    const std::uint64_t rank = number();
    if (rank > 32) damaged();
    std::vector<std::int64_t> dims;
    std::uint64_t size = 1;
    for (std::uint64_t axis = 0; axis < rank; ++axis) {
      const std::uint64_t dim = number();
      if (dim > (std::uint64_t{1} << 40) || (dim > 0 && size > (std::uint64_t{1} << 40) / dim)) damaged();
      size *= dim;
      dims.push_back(static_cast<std::int64_t>(dim));
    }
    return Shape(std::move(dims));
  }
  bool is_done() const { return rest_.empty(); }
  [[noreturn]] void damaged() const {
    throw DataError(file_ + ": the dictionary of the row file is not what was written. Pack the data again");
  }

 private:
  std::string_view rest_;
  const std::string& file_;
};

void write_constant(const RowFileConstant& constant, Writer& writer) {
  const DataArray& array = constant.array;
  writer.text(constant.name);
  writer.number(array.is_integer() ? 1 : 0);
  writer.shape(array.shape());
  for (std::int64_t i = 0; i < array.size(); ++i) writer.number(std::bit_cast<std::uint64_t>(array[i]));
}

RowFileConstant read_constant(Reader& reader) {
  RowFileConstant constant;
  constant.name = reader.text();
  const bool is_integer = reader.number() != 0;
  Shape shape = reader.shape();
  const std::string_view bytes = reader.take(8 * static_cast<std::uint64_t>(shape.size()));
  std::vector<double> values(static_cast<std::size_t>(shape.size()));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  if (is_integer) {
    std::vector<std::int32_t> whole;
    for (const double value : values) {
      if (!(value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max()))
        reader.damaged();
      whole.push_back(static_cast<std::int32_t>(value));
    }
    constant.array = DataArray::copy_of(std::span<const std::int32_t>(whole), std::move(shape));
  } else {
    constant.array = DataArray::copy_of(std::span<const double>(values), std::move(shape));
  }
  return constant;
}

}  // namespace

std::string RowFileLayout::head() const {
  Writer writer;
  writer.number(rows);
  writer.number(block_rows);
  writer.number(key);
  if (!group_by.empty()) writer.text(group_by);
  writer.number(columns.size());
  for (const RowFileColumn& column : columns) {
    writer.text(column.name);
    writer.number(static_cast<std::uint64_t>(column.type));
    writer.shape(column.row_shape);
    writer.number(column.offset);
  }
  writer.number(constants.size());
  for (const RowFileConstant& constant : constants) write_constant(constant, writer);
  const std::string dictionary = writer.take();
  Writer whole;
  whole.number(dictionary.size());
  whole.number(row_checksum(std::as_bytes(std::span(dictionary))));
  const bool narrow = std::any_of(columns.begin(), columns.end(), [](const RowFileColumn& column) {
    return is_integer(column.type) && column.type != StorageType::int32;
  });
  const auto opening = !group_by.empty() ? grouped_row_file_opening
                       : narrow          ? narrow_row_file_opening
                                         : row_file_opening;
  return std::string(opening) + whole.take() + dictionary;
}

void RowFileLayout::place() {
  // Offsets are numbers of eight bytes, whatever they are: the head's size does not depend on them.
  checksums_offset = aligned(head().size());
  std::uint64_t offset = aligned(checksums_offset + checksums_bytes());
  for (RowFileColumn& column : columns) {
    column.offset = offset;
    offset = aligned(offset + rows * column.row_bytes());
  }
  file_bytes = offset;
}

RowFileLayout read_row_file_head(std::span<const std::byte> file, const std::string& name) {
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  const auto cut = [&](std::uint64_t expected) {
    throw DataError(name + ": the row file is cut: it has " + std::to_string(file.size()) + " of " +
                    std::to_string(expected) + " bytes. Pack the data again, or copy the file again");
  };
  if (bytes.size() < fixed_bytes) cut(fixed_bytes);
  if (!opens_row_file(bytes))
    throw DataError(name + ": the row file was written by another version of the program. Pack the data again");
  std::uint64_t size = 0, checksum = 0;
  std::memcpy(&size, bytes.data() + 16, 8);
  std::memcpy(&checksum, bytes.data() + 24, 8);
  if (size > most_dictionary_bytes) Reader({}, name).damaged();
  if (size > bytes.size() - fixed_bytes) cut(fixed_bytes + size);
  const std::string_view dictionary = bytes.substr(fixed_bytes, static_cast<std::size_t>(size));
  Reader reader(dictionary, name);
  if (checksum != row_checksum(std::as_bytes(std::span(dictionary)))) reader.damaged();
  RowFileLayout layout;
  layout.rows = reader.number();
  layout.block_rows = reader.number();
  layout.key = reader.number();
  const bool is_grouped = bytes.starts_with(grouped_row_file_opening);
  if (is_grouped) layout.group_by = reader.text();
  if (layout.rows == 0 || layout.rows >= (std::uint64_t{1} << 32) || layout.block_rows == 0) reader.damaged();
  std::set<std::string> names;
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t count = reader.number(); count > 0; --count) {
    RowFileColumn column;
    column.name = reader.text();
    const std::uint64_t type = reader.number();
    if (type > static_cast<std::uint64_t>(StorageType::int16) ||
        type == static_cast<std::uint64_t>(StorageType::sparse))
      reader.damaged();
    column.type = static_cast<StorageType>(type);
    column.row_shape = reader.shape();
    offsets.push_back(reader.number());
    if (column.row_shape.size() == 0 || !names.insert(column.name).second) reader.damaged();
    layout.columns.push_back(std::move(column));
  }
  for (std::uint64_t count = reader.number(); count > 0; --count) {
    layout.constants.push_back(read_constant(reader));
    if (!names.insert(layout.constants.back().name).second) reader.damaged();
  }
  if (!reader.is_done()) reader.damaged();
  if (is_grouped && std::ranges::none_of(layout.columns, [&](const RowFileColumn& column) {
        return column.name == layout.group_by && is_integer(column.type) && column.row_shape.is_scalar();
      }))
    reader.damaged();
  layout.place();
  for (std::size_t k = 0; k < offsets.size(); ++k)
    if (layout.columns[k].offset != offsets[k]) reader.damaged();
  if (layout.file_bytes != file.size()) {
    if (file.size() < layout.file_bytes) cut(layout.file_bytes);
    throw DataError(name + ": the row file is longer than what was written: " + std::to_string(file.size()) +
                    " bytes instead of " + std::to_string(layout.file_bytes) + ". Pack the data again");
  }
  return layout;
}

// Four chains of words, each a bijection of its state for every word: a change of one word always shows.
std::uint64_t row_checksum(std::span<const std::byte> bytes) {
  constexpr std::uint64_t factor = 0x9FB21C651E98DF25u;
  std::array<std::uint64_t, 4> chain = {bytes.size(), 0x6A09E667F3BCC909u, 0xBB67AE8584CAA73Bu, 0x3C6EF372FE94F82Bu};
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  const auto step = [](std::uint64_t state, std::uint64_t word) {
    state = (state ^ word) * factor;
    return state ^ (state >> 32);
  };
  for (; left >= 32; left -= 32, at += 32) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), at, 32);
    for (std::size_t k = 0; k < 4; ++k) chain[k] = step(chain[k], words[k]);
  }
  for (; left > 0; --left, ++at) chain[0] = step(chain[0], static_cast<std::uint64_t>(*at) + 1);
  std::uint64_t total = chain[0];
  for (std::size_t k = 1; k < 4; ++k) total = step(total, chain[k]);
  return total;
}

}  // namespace sgmcmc
