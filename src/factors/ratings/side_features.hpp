// Side features as the reader collects them, and the numbers of the rows of a chain: centred, in units of their spread.
#pragma once

#include "data/text/byte_source.hpp"
#include "factors/ratings/id_table.hpp"

#include <sgmcmc/ratings.hpp>
#include <sgmcmc/side_features.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

struct SideFeatures::Parts {
  IdTable ids;
  std::vector<std::string> names;
  std::vector<double> numbers;  // row after row
};

inline constexpr std::size_t most_features = 1000;

/// Throws DataError.
SideFeatures read_side_features(Input& input);

/// How features become numbers of mean 0 and standard deviation 1 over the rows of a chain.
struct FeatureScale {
  std::vector<std::string> names;
  std::vector<double> centre, unit;        ///< unit: infinite where a column does not vary
  std::vector<std::string> constant = {};  ///< names of columns that do not vary

  std::size_t columns() const { return names.size(); }
  double scaled(std::size_t column, double value) const {
    return std::isinf(unit[column]) ? 0.0 : (value - centre[column]) / unit[column];
  }
};

/// The scaled numbers of each row of a side, row after row; empty: no side features.
struct FeatureRows {
  std::size_t columns = 0;
  std::vector<double> numbers;

  const double* row(std::size_t i) const { return numbers.data() + i * columns; }
};

/// Throws DataError if a user, or an item, with ratings in `rated` has no features.
void need_features(const SideFeatures& features, const Ratings& ids, std::span<const Rating> rated, bool of_users);

/// Users, or items, of these ids. Rows without features have zeros, the mean of the others. Throws as need_features().
FeatureRows feature_rows(const SideFeatures& features, const Ratings& ids, std::span<const Rating> rated, bool of_users,
                         FeatureScale& scale);

}  // namespace sgmcmc
