// Factored row gradients: in regressions and similar models each row's gradient is scalars (slopes) times data of the
// row, so the slopes alone determine it.
#pragma once

#include "plan/program.hpp"

#include <sgmcmc/expression.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

/// The gradient of row i consists of parts slope_k times column_k. Each part has its own coordinates; all others are 0.
struct FactoredRows {
  struct Part {
    std::string column;      ///< a real column of the data; empty: the part is the slope alone
    std::int64_t size = 1;   ///< number of coordinates
    std::int64_t first = 0;  ///< first coordinate; the next is first + stride
    std::int64_t stride = 1;
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts;
  std::vector<Expression> slopes;          ///< one per part
  std::shared_ptr<const Program> program;  ///< outputs the slopes
};

/// Factors the gradients of leaves that begin at the coordinates `offsets`. Empty if any gradient does not factor. The
/// caller sets `program`.
std::optional<FactoredRows> factor_rows(const std::vector<Expression>& gradients,
                                        const std::vector<std::int64_t>& offsets);

/// Factors the gradient of one leaf. Unlike factor_rows(), accepts arrays without data: each element becomes a slope.
std::optional<FactoredRows> factor_gradient(const Expression& gradient, std::int64_t offset);

}  // namespace sgmcmc
