// Refuses models whose posterior depends on the order of rows that are in random order.
#pragma once

#include "data/variables.hpp"
#include "stan/binding/model_file.hpp"

#include <atomic>

namespace sgmcmc::stan {

/// Throws DataError if the log density changes when the rows of a row file are put in another order. Binds the model to
/// some of the rows, in two orders, for this. A model that cannot be bound to fewer rows is not judged.
void refuse_order_of_rows(const ModelText& text, const DataVariables& data, const std::atomic<bool>* interrupt);

}  // namespace sgmcmc::stan
