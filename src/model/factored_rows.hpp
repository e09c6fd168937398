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

/// The gradient of row i is made of parts, slope_k times column_k, each for coordinates of its own; the others are 0.
struct FactoredRows {
  struct Part {
    std::string column;      ///< real data of the row; empty: the slope alone
    std::int64_t size = 1;   ///< coordinates
    std::int64_t first = 0;  ///< of the coordinates; first + stride is the next
    std::int64_t stride = 1;
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts;
  std::vector<Expression> slopes;          ///< one per part
  std::shared_ptr<const Program> program;  ///< whose outputs are the slopes
};

/// Gradients of leaves that begin at these coordinates. Nothing where some gradient is of another kind. `program` is
/// left to the caller.
std::optional<FactoredRows> factor_rows(const std::vector<Expression>& gradients,
                                        const std::vector<std::int64_t>& offsets);

/// The gradient of one leaf, where arrays that are not times data may be slopes too, one for each element.
std::optional<FactoredRows> factor_gradient(const Expression& gradient, std::int64_t offset);

}  // namespace sgmcmc
