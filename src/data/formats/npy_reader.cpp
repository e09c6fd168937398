// The header of an NPY file is a Python dictionary in text; the elements follow it.
#include "data/formats/npy_reader.hpp"

#include "data/binary_array.hpp"

#include <sgmcmc/error.hpp>

#include <charconv>
#include <string>
#include <string_view>

namespace sgmcmc {

namespace {

class NpyHeader {
 public:
  NpyHeader(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  BinaryLayout layout() const {
    BinaryLayout layout;
    read_type(value_of("descr"), layout);
    const std::string_view order = value_of("fortran_order");
    if (!order.starts_with("True") && !order.starts_with("False")) {
      refuse("the header's 'fortran_order' is neither True nor False. Write the file again with numpy.save");
    }
    layout.first_axis_fastest = order.starts_with("True");
    layout.shape = read_shape(value_of("shape"));
    return layout;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw DataError(file_ + ": " + what); }

  /// What follows the key and its colon.
  std::string_view value_of(const std::string& key) const {
    for (const char quote : {'\'', '"'}) {
      const std::size_t at = text_.find(quote + key + quote);
      if (at == text_.npos) continue;
      std::string_view rest = without_spaces(text_.substr(at + key.size() + 2));
      if (!rest.starts_with(':')) continue;
      return without_spaces(rest.substr(1));
    }
    refuse("the header has no '" + key + "'. Write the file again with numpy.save");
  }

  static std::string_view without_spaces(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    return text;
  }

  void read_type(std::string_view value, BinaryLayout& layout) const {
    const char quote = value.empty() ? ' ' : value[0];
    const std::size_t end = value.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == value.npos) {
      refuse("the elements are records with fields. Save each field as an array of its own");
    }
    const std::string_view type = value.substr(1, end - 1);
    std::string_view code = type;
    layout.is_big_endian = code.starts_with('>');
    if (!code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos) code.remove_prefix(1);
    struct Known {
      std::string_view code;
      ElementType type;
    };
    static constexpr Known known[] = {
        {"b1", ElementType::uint8},   {"i1", ElementType::int8},    {"i2", ElementType::int16},
        {"i4", ElementType::int32},   {"i8", ElementType::int64},   {"u1", ElementType::uint8},
        {"u2", ElementType::uint16},  {"u4", ElementType::uint32},  {"u8", ElementType::uint64},
        {"f4", ElementType::float32}, {"f8", ElementType::float64},
    };
    for (const Known& each : known) {
      if (each.code == code) {
        layout.type = each.type;
        return;
      }
    }
    refuse("the elements are of NumPy's type " + shown(type) +
           ". Save the array as float64, float32, an integer type or bool: numpy.save(file, x.astype('float64'))");
  }

  Shape read_shape(std::string_view value) const {
    const auto bad = [&]() {
      refuse("the header's 'shape' is not a tuple of sizes. Write the file again with numpy.save");
    };
    if (!value.starts_with('(')) bad();
    value.remove_prefix(1);
    std::vector<std::int64_t> dims;
    for (;;) {
      value = without_spaces(value);
      if (value.starts_with(')')) break;
      std::int64_t dim = -1;
      const auto [stop, problem] = std::from_chars(value.data(), value.data() + value.size(), dim);
      if (problem != std::errc() || dim < 0 || dims.size() == 32) bad();
      dims.push_back(dim);
      value = without_spaces(value.substr(static_cast<std::size_t>(stop - value.data())));
      if (value.starts_with(',')) {
        value.remove_prefix(1);
      } else if (!value.starts_with(')')) {
        bad();
      }
    }
    return Shape(std::move(dims));
  }

  const std::string& file_;
  std::string_view text_;
};

}  // namespace

BinaryLayout read_npy_header(Input& input) {
  const auto cut = [&] { throw DataError(input.name() + ": the file ends inside its NPY header. Write it again"); };
  const std::string_view start = input.peek(12);
  if (start.size() < 10) cut();
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(start[i])); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) {
    throw DataError(input.name() + ": NPY version " + std::to_string(version) + " is unknown; 1, 2 and 3 are read");
  }
  if (version > 1 && start.size() < 12) cut();
  const std::size_t header_begin = version == 1 ? 10 : 12;
  std::size_t header_bytes = byte(8) | byte(9) << 8;
  if (version > 1) header_bytes |= byte(10) << 16 | byte(11) << 24;
  if (header_bytes > (std::size_t{1} << 24)) {
    throw DataError(input.name() + ": an NPY header of " + std::to_string(header_bytes) +
                    " bytes cannot be right. Write the file again");
  }
  const std::string_view head = input.peek(header_begin + header_bytes);
  if (head.size() < header_begin + header_bytes) cut();
  BinaryLayout layout = NpyHeader(input.name(), head.substr(header_begin)).layout();
  input.skip(header_begin + header_bytes);
  return layout;
}

DataArray read_npy(Input& input, WantedKind kind, const std::string& path) {
  const BinaryLayout layout = read_npy_header(input);
  return read_binary_array(input, layout, kind, path);
}

}  // namespace sgmcmc
