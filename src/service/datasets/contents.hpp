// The numbers in the files of data sets.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// covertype: the label, and features scaled to [0, 1] by their minimum and maximum.
namespace forest_cover {
inline constexpr std::size_t columns = 55;
std::vector<std::string> names();            ///< of the columns: cover, elevation, ..., soil_40
std::size_t rows(std::string_view content);  ///< lines
/// Writes the columns one after another. Throws FileError if a line is not 55 integers.
void read(std::string_view content, std::span<double> by_column);
}  // namespace forest_cover

/// mnist: unsigned bytes in IDX format.
struct DigitBytes {
  std::size_t rows = 0;
  std::size_t columns = 0;  ///< 1 for labels
  std::string_view bytes;   ///< of the content, one row after another
};

/// Throws FileError.
DigitBytes digit_bytes(std::string_view content);

}  // namespace sgmcmc
