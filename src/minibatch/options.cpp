// Checks of MinibatchOptions against the number of rows.
#include "minibatch/weighted_rows.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/minibatch.hpp>

#include <cmath>
#include <cstdio>

namespace sgmcmc {
namespace {

std::string in_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace

void MinibatchOptions::validate(std::int64_t rows) const {
  const std::string of_rows = std::to_string(rows) + (rows == 1 ? " row" : " rows");
  if (batch_size < 0) {
    throw OptionError("batch_size is " + std::to_string(batch_size) + "; use 1 to " + std::to_string(rows) +
                      ", or 0 for the default");
  }
  if (batch_size > rows) {
    throw OptionError("batch_size is " + std::to_string(batch_size) + " but the data have " + of_rows +
                      "; use at most " + std::to_string(rows));
  }
  if (sampling != RowSampling::weighted) {  // preferential: the probabilities are not known yet
    if (!row_probabilities.empty()) {
      throw OptionError(
          "row_probabilities is given but sampling is not weighted; set sampling to weighted, or leave "
          "row_probabilities empty");
    }
    return;
  }
  if (prepared && prepared->probabilities.identity() == row_probabilities.identity() &&
      prepared->table.size() == static_cast<std::size_t>(rows))
    return;  // already checked
  if (row_probabilities.size() != static_cast<std::size_t>(rows)) {
    throw OptionError("row_probabilities has " + std::to_string(row_probabilities.size()) +
                      " entries but the data have " + of_rows + "; give one positive number per row");
  }
  for (std::size_t row = 0; row < row_probabilities.size(); ++row) {
    if (!(row_probabilities[row] > 0) || !std::isfinite(row_probabilities[row])) {
      throw OptionError("row_probabilities of row " + std::to_string(row) + " is " + in_text(row_probabilities[row]) +
                        "; every row needs a positive finite number, or its part of the likelihood is lost");
    }
  }
}

}  // namespace sgmcmc
