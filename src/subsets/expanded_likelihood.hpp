// Writes a likelihood as the second-order expansions of its rows, which sum to one quadratic form, plus the remainder
// of each row.
//
//   log p_i(s) = q_i(s) + r_i(s),  q_i(s) = l_i + g_i . (s - c) + (s - c)' H_i (s - c) / 2
//
// s(theta) are the quantities through which rows depend on the parameters: coefficients, for example, but not the
// scales of their prior. In s, the likelihood of many rows is close to quadratic, for any prior. The cost of the sum of
// q_i does not depend on the number of rows, and r_i is so small that a few rows suffice to estimate its sum.
#pragma once

#include <sgmcmc/model.hpp>

#include <cstdint>
#include <vector>

namespace sgmcmc {

/// The global expressions through which parameters reach the rows.
struct SeenByRows {
  std::vector<Expression> parts;
  std::int64_t size = 0;  ///< numbers in all of them
  Model likelihood;       ///< of the same rows, without a prior, with the parts as its parameters, in order
};
/// Throws ModelError if the model has no likelihood of rows.
SeenByRows seen_by_rows(const Model& model);

/// The second-order expansion of the likelihood of all rows at a point, in the concatenated parts of s.
struct SumOfExpansions {
  std::vector<double> centre;
  double value = 0;               ///< there
  std::vector<double> gradient;   ///< there
  std::vector<double> curvature;  ///< minus the Hessian there: size x size
};

/// The same parameters, with the quadratic form added to the prior, and the remainders as the likelihood of rows.
Model expanded(const Model& model, const SeenByRows& seen, const SumOfExpansions& sum);

}  // namespace sgmcmc
