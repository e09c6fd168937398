// The transforms of Constraint, a pair of functions per family: forward on expressions, inverse on numbers.
#pragma once

#include "constraint/layout.hpp"

#include "data/text/number_text.hpp"

#include <sgmcmc/constraint.hpp>

#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

// Forward: `u` is the vector of coordinates of all blocks.
Transformed simplex_transform(const Expression& u, const Blocks& blocks);
Transformed ordered_transform(const Expression& u, const Blocks& blocks, bool positive);
Transformed unit_vector_transform(const Expression& u, const Blocks& blocks);
Transformed cholesky_correlation_transform(const Expression& u, const Blocks& blocks);
Transformed correlation_transform(const Expression& u, const Blocks& blocks);
Transformed cholesky_covariance_transform(const Expression& u, const Blocks& blocks);
Transformed covariance_transform(const Expression& u, const Blocks& blocks);

/// Throws DataError naming the element and value that violate a constraint.
[[noreturn]] void refuse(const std::string& constraint, const Blocks& blocks, std::int64_t flat_position, double value,
                         const std::string& rule);

// Inverse: append the coordinates of block `group` of `values` to `u`.
void simplex_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group, std::vector<double>& u);
void ordered_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group, bool positive,
                     std::vector<double>& u);
void unit_vector_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group,
                         std::vector<double>& u);
void cholesky_correlation_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group,
                                  std::vector<double>& u);
void correlation_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group,
                         std::vector<double>& u);
void cholesky_covariance_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group,
                                 std::vector<double>& u);
void covariance_inverse(std::span<const double> values, const Blocks& blocks, std::int64_t group,
                        std::vector<double>& u);

}  // namespace sgmcmc
