// Univariate distributions in the table: entries for density, distribution functions and their old names.
#pragma once

#include "stan/builtins/operands.hpp"

#include <functional>
#include <span>
#include <string>
#include <utility>

namespace sgmcmc::stan {

using LawFunction = std::function<Expression(std::span<const Expression>)>;

/// Converts a function of several expressions to one of a list.
template <class... Arguments>
LawFunction lift(Expression (*function)(Arguments...)) {
  return [function](std::span<const Expression> x) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return function(x[I]...); }
    (std::index_sequence_for<Arguments...>{});
  };
}

/// Draws one number from a distribution; parameters in the order of the density.
using Generator = double (*)(const double* parameters, UniformSource& uniform);

/// A generator from an expression of parameters p and source u.
#define SGMCMC_DRAW(...) []([[maybe_unused]] const double* p, UniformSource& u) -> double { return __VA_ARGS__; }

/// One distribution with all its Stan functions. Argument patterns as in patterns.hpp, with the domains of data: the
/// checker warns about parameters that may leave them, and draws stay inside.
struct Law {
  std::string name;
  std::string outcome;     ///< "positive reals outcome"
  std::string parameters;  ///< "positive reals shape, positive reals rate"; may be empty
  LawFunction density;
  LawFunction cdf = {}, lcdf = {}, lccdf = {};     ///< may be empty
  void (*relation)(const BuiltinCall&) = nullptr;  ///< checks relations between data arguments
  /// The outcome of cdf, lcdf and lccdf; empty: any ints, as in Stan, or the outcome of the density.
  std::string tail_outcome = {};
  Generator draw = nullptr;
  int lower_end = -1, upper_end = -1;  ///< parameters that bound the outcome; -1: none
};

/// Adds a distribution with all its functions; a generator and the parameters that bound outcomes can be set next.
#define SGMCMC_LAW_RECORD(suffix, tail_outcome, name, outcome, parameters, ...)                           \
  add_law(table, {#name, outcome, parameters, lift(name##_##suffix), lift(name##_cdf), lift(name##_lcdf), \
                  lift(name##_lccdf), nullptr, tail_outcome, __VA_ARGS__})

/// Adds NAME_lpdf (or _lpmf for an outcome of ints), _cdf, _lcdf, _lccdf, _rng.
void add_law(Table& table, const Law& law);

/// Adds NAME_rng, vectorised, with the parameters of the density.
void add_rng(Table& table, const std::string& name, Generator generator);

/// Adds a density with its own implementation, under its name, its unnormalised name and its old name.
Builtin& add_density(Table& table, const std::string& name, const char* suffix,
                     std::initializer_list<std::string_view> signatures, std::vector<int> outcome_ranks, Apply apply);

/// The number of outcomes: the common size of the containers among these arguments; -1 if all are scalars. Throws if
/// sizes differ.
std::int64_t outcome_count(const BuiltinCall& call, std::span<const std::size_t> arguments);

/// Throws for data outside 1 to count.
void require_in_range(const BuiltinCall& call, const Operand& outcome, std::int64_t count);
/// Entry i of an argument, or the argument itself if all outcomes share it.
Expression element(const Operand& x, std::int64_t i);

}  // namespace sgmcmc::stan
