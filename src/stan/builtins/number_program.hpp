// Evaluates functions of expressions on numbers: a graph once, or a traced function many times.
#pragma once

#include <sgmcmc/expression.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace sgmcmc::stan {

/// An elementwise function of several arguments, traced on first use. Thread-safe.
class NumberProgram {
 public:
  using Function = std::function<Expression(std::span<const Expression>)>;
  NumberProgram(Function function, std::size_t arguments) : function_(std::move(function)), arguments_(arguments) {}

  /// out[i] = f(a[i], b[i], ...); arguments of one number are broadcast.
  void evaluate(std::span<const std::span<const double>> arguments, std::span<double> out) const;

 private:
  struct Step {
    void (*run)(const double*, const double*, const double*, double*, std::size_t) = nullptr;
    std::size_t operands[3] = {0, 0, 0};
    std::size_t operand_count = 0;
    std::size_t out = 0;
  };
  void trace() const;

  Function function_;
  std::size_t arguments_;
  // Made once, under once_.
  mutable std::once_flag once_;
  mutable std::vector<Step> steps_;
  mutable std::vector<std::pair<std::size_t, double>> constants_;  ///< slot and value
  mutable std::size_t slots_ = 0;
  mutable std::size_t result_ = 0;
};

}  // namespace sgmcmc::stan
