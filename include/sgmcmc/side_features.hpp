// Side features: numbers known of each user or each item, such as age or genre, from which factors are predicted.
//
//   const SideFeatures features = SideFeatures::read("users.csv");   // an id and numbers on each line
//   features.find("17");                                             // the numbers of user 17
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// Immutable; copies share the numbers.
class SideFeatures {
 public:
  /// Reads delimited lines, separated by :: tab , ; | or spaces: an id, then numbers. A first line with a field that is
  /// not a number names the columns. The file may be compressed by gzip, zstd or xz. Throws DataError with file and
  /// line.
  static SideFeatures read(const std::string& path);
  /// A row of `columns` numbers for each of the ids 0, 1, ... Throws DataError if one is not finite.
  static SideFeatures from_rows(std::vector<double> numbers, std::size_t columns);

  std::uint32_t rows() const;
  std::size_t columns() const { return names().size(); }
  const std::vector<std::string>& names() const;  ///< of columns; "1", "2", ... where the file has no names
  std::string id(std::uint32_t row) const;
  std::optional<std::span<const double>> find(std::string_view id) const;

  struct Parts;
  explicit SideFeatures(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

 private:
  std::shared_ptr<const Parts> parts_;
};

}  // namespace sgmcmc
