// The arguments of a distribution by outcome, and draws from it.
#pragma once

#include "stan/builtins/builtins.hpp"
#include "stan/lowering/value.hpp"
#include "stan/syntax/tree.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sgmcmc::stan {

/// Arguments of `count` outcomes of `stretch` numbers each. An argument is shared by all outcomes or has a part for
/// each.
struct OutcomeArguments {
  std::string law;  ///< for a GLM, the distribution of its outcomes, with the linear predictor as argument
  std::vector<Operand> operands;
  std::vector<int> ranks;  ///< of each argument for one outcome
  int outcome_rank = 0;
  std::size_t count = 0;
  std::size_t stretch = 1;

  /// Fills in the rest from law and operands; throws ArgumentError if sizes do not match.
  void complete(const Dims& outcome_dims, const Type& outcome_type);
  bool takes_total() const;  ///< multinomial: the number of trials is the sum of the outcome
  void add_totals(std::vector<double> totals);
  bool has_generator() const;

  bool shared(std::size_t argument) const { return operands[argument].type.rank() == ranks[argument]; }
  bool all_shared() const;
  bool knows(std::size_t outcome) const;                           ///< none of its arguments is NaN
  double number(std::size_t argument, std::size_t outcome) const;  ///< of a scalar argument
  Operand part(std::size_t argument, std::size_t outcome) const;
};

using Generate = std::function<std::vector<double>(const std::string& function, const std::vector<Operand>& arguments)>;

/// One number for each of these outcomes.
std::vector<double> draw_scalars(const OutcomeArguments& arguments, const std::vector<std::size_t>& outcomes,
                                 const Generate& generate);
/// The numbers of one outcome, row by row.
std::vector<double> draw_jointly(const OutcomeArguments& arguments, std::size_t outcome, const Generate& generate);

/// A uniform draw of a simplex, unit vector or correlation matrix; empty for other kinds.
std::vector<double> draw_uniformly(ConstraintTree::Kind kind, std::size_t numbers, std::int64_t columns,
                                   UniformSource& uniform);

/// Positions of the elements of a matrix in column-major instead of row-major order.
std::vector<std::int64_t> by_columns(const std::vector<std::int64_t>& places, const Dims& dims);
bool has_unknown(const Value& value);

}  // namespace sgmcmc::stan
