// Parses the files of data sets, after their checksums have been verified.
#include "service/datasets/contents.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <charconv>

namespace sgmcmc {

namespace forest_cover {

std::vector<std::string> names() {
  std::vector<std::string> all = {"cover",
                                  "elevation",
                                  "aspect",
                                  "slope",
                                  "distance_to_water",
                                  "height_above_water",
                                  "distance_to_roads",
                                  "shade_9am",
                                  "shade_noon",
                                  "shade_3pm",
                                  "distance_to_fires"};
  for (int k = 1; k <= 4; ++k) all.push_back("area_" + std::to_string(k));
  for (int k = 1; k <= 40; ++k) all.push_back("soil_" + std::to_string(k));
  return all;
}

std::size_t rows(std::string_view content) {
  return static_cast<std::size_t>(std::count(content.begin(), content.end(), '\n'));
}

void read(std::string_view content, std::span<double> by_column) {
  const std::size_t count = by_column.size() / columns;
  const char* at = content.data();
  const char* const end = at + content.size();
  for (std::size_t row = 0; row < count; ++row)
    for (std::size_t column = 0; column < columns; ++column) {
      int value = 0;
      const auto [after, code] = std::from_chars(at, end, value);
      if (code != std::errc() || after == end || *after != (column + 1 < columns ? ',' : '\n'))
        throw FileError("covertype: line " + std::to_string(row + 1) + " is not 55 whole numbers");
      by_column[column * count + row] = value;
      at = after + 1;
    }
  for (std::size_t column = 1; column < columns; ++column) {
    const auto values = by_column.subspan(column * count, count);
    const auto [least, largest] = std::minmax_element(values.begin(), values.end());
    const double low = *least, range = *largest - low;
    if (range > 0)
      for (double& value : values) value = (value - low) / range;
  }
}

}  // namespace forest_cover

DigitBytes digit_bytes(std::string_view content) {
  const auto number = [&](std::size_t place) {
    std::size_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<unsigned char>(content[4 * place + k]);
    return value;
  };
  const std::size_t axes = content.size() >= 8 ? number(0) & 0xff : 0;
  const std::size_t head = 4 + 4 * axes;
  if ((axes != 1 && axes != 3) || content.size() < head) throw FileError("mnist: this is no IDX file of bytes");
  DigitBytes digits{number(1), 1, content.substr(head)};
  if (axes == 3) digits.columns = number(2) * number(3);
  if (digits.bytes.size() != digits.rows * digits.columns) throw FileError("mnist: the IDX file is incomplete");
  return digits;
}

}  // namespace sgmcmc
