// Some rows of a data set, as a data set of their own.
#pragma once

#include <sgmcmc/dataset.hpp>

#include <cstdint>
#include <span>

namespace sgmcmc {

/// A copy of these rows, in the order given, packed in the precision of the data. Throws DataError for a row that is
/// not there.
Dataset select_rows(const Dataset& data, std::span<const std::uint32_t> rows);

}  // namespace sgmcmc
