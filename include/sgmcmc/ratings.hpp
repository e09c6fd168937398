// Ratings: which user gave which item which value, read from files or given by a program.
//
//   const Ratings ratings = Ratings::read("ratings.dat");    // user::item::rating, tabs, CSV, MatrixMarket, libFM
//   ratings.users();                                         // ids become 0, 1, ... in the order of the file
//   ratings.user_name(0);                                    // the id as the file writes it
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

struct Rating {
  std::uint32_t user = 0, item = 0;  ///< from 0
  float value = 0;
};

enum class RatingsFormat : std::uint8_t {
  automatic,      ///< detected from the first lines
  delimited,      ///< user, item, rating and possibly other fields on each line, separated by :: tab , ; | or spaces
  matrix_market,  ///< coordinate matrix: rows are users and columns items
  libsvm          ///< as libFM writes it: rating user:1 item:1
};

struct RatingsOptions {
  RatingsFormat format = RatingsFormat::automatic;
  /// For delimited files: the columns of user, item and rating, as numbers from 1 or names in the header line,
  /// separated by commas. Empty: the first three.
  std::string columns;
  /// Whether lines have a rating; pairs to predict need none.
  bool with_values = true;
};

/// Immutable; copies share the ratings.
class Ratings {
 public:
  /// Reads a file, which may be compressed by gzip, zstd or xz. Throws DataError with file and line for missing or
  /// non-numeric fields, ids of 2^63 or more, and pairs rated twice.
  static Ratings read(const std::string& path, const RatingsOptions& options = {});
  /// Reads a file with the ids of other ratings; new ids are appended. Pairs may occur in both.
  static Ratings read(const std::string& path, const RatingsOptions& options, const Ratings& known);

  class Builder;

  std::span<const Rating> entries() const;  ///< in the order of the file
  std::uint64_t size() const { return entries().size(); }
  std::uint32_t users() const;
  std::uint32_t items() const;

  std::string user_name(std::uint32_t user) const;
  std::string item_name(std::uint32_t item) const;
  std::optional<std::uint32_t> find_user(std::string_view name) const;
  std::optional<std::uint32_t> find_item(std::string_view name) const;

  struct Parts;
  explicit Ratings(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  const Parts& parts() const { return *parts_; }

 private:
  std::shared_ptr<const Parts> parts_;
};

/// Builds ratings in a program: users and items are numbers below those given here, and may have no ratings.
class Ratings::Builder {
 public:
  Builder(std::uint32_t users, std::uint32_t items);
  ~Builder();
  /// Throws DataError if a number is out of range or the value is not finite.
  Builder& add(std::uint32_t user, std::uint32_t item, double value);
  /// Throws DataError if a pair is rated twice.
  Ratings build();

 private:
  std::unique_ptr<Parts> made_;
};

}  // namespace sgmcmc
