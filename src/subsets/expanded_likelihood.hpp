// A likelihood as a sum of second-order expansions of its rows, which add up to one quadratic form, and of what each
// row's expansion leaves out.
//
//   log p_i(s) = q_i(s) + r_i(s),  q_i(s) = l_i + g_i . (s - c) + (s - c)' H_i (s - c) / 2
//
// s(theta) is what rows see of the parameters: coefficients, not the scales that a prior multiplies them with. There
// the likelihood of many rows is close to a quadratic form, however the prior is shaped. The sum over i of q_i costs
// nothing that grows with the rows, and r_i is so small that a few rows tell its sum.
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
/// Throws ModelError where the model has no likelihood by rows.
SeenByRows seen_by_rows(const Model& model);

/// The likelihood of all rows around a point, as the parts of s one after another.
struct SumOfExpansions {
  std::vector<double> centre;
  double value = 0;               ///< there
  std::vector<double> gradient;   ///< there
  std::vector<double> curvature;  ///< minus the Hessian there: size x size
};

/// The same parameters; the prior with the quadratic form added, and rows that are what the expansions leave out.
Model expanded(const Model& model, const SeenByRows& seen, const SumOfExpansions& sum);

}  // namespace sgmcmc
