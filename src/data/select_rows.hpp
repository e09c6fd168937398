// Copies some rows of a data set to a new data set.
#pragma once

#include <sgmcmc/dataset.hpp>

#include <cstdint>
#include <span>

namespace sgmcmc {

/// A copy of these rows, in the order given, packed in the precision of the data. Throws DataError for a row that does
/// not exist.
Dataset select_rows(const Dataset& data, std::span<const std::uint32_t> rows);

}  // namespace sgmcmc
