// Models whose rows' gradients are numbers times data of the row, such as regressions: the numbers alone tell all.
#pragma once

#include "plan/program.hpp"

#include <sgmcmc/expression.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

/// g_i = (slope_1 column_1, slope_2 column_2, ...) for every row i.
struct FactoredRows {
  struct Part {
    std::string column;     ///< real data of the row; empty: the slope alone
    std::int64_t size = 1;  ///< coordinates
  };
  std::vector<Part> parts;                 ///< in the order of the coordinates
  std::vector<Expression> slopes;          ///< one per part
  std::shared_ptr<const Program> program;  ///< whose outputs are the slopes
};

/// Nothing where some gradient is of another kind. `program` is left to the caller.
std::optional<FactoredRows> factor_rows(const std::vector<Expression>& gradients);

}  // namespace sgmcmc
