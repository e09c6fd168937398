// Special functions, element by element.
#include "stan/builtins/elementwise.hpp"

#include <sgmcmc/expression.hpp>

#include <cmath>

namespace sgmcmc::stan {
namespace {

/// The other arguments have fixed types: Bessel functions take an int and a value.
constexpr std::string_view order_and_value = "(I order, T value): T";

Operand lmgamma_of(const BuiltinCall& call) {
  const std::int64_t dimension = integer_argument(call, 0, "dimension");
  if (dimension < 1) refuse(call, "the dimension is " + std::to_string(dimension) + ", must be 1 or more");
  return {with_real_elements(call[1].type), call[1].dims, {}, lmgamma(dimension, as_expression(call[1]))};
}

}  // namespace

#define SGMCMC_SPECIAL(name)                \
  add_one(table, #name, [](const auto& x) { \
    using namespace numbers;                \
    return name(x);                         \
  })

void add_special(Table& table) {
  SGMCMC_SPECIAL(lgamma);
  SGMCMC_SPECIAL(digamma);
  SGMCMC_SPECIAL(trigamma);
  SGMCMC_SPECIAL(tgamma);
  SGMCMC_SPECIAL(erf);
  SGMCMC_SPECIAL(erfc);
  SGMCMC_SPECIAL(Phi);
  SGMCMC_SPECIAL(Phi_approx);
  SGMCMC_SPECIAL(inv_Phi);
  SGMCMC_SPECIAL(lambert_w0);
  table.alias("std_normal_qf", "inv_Phi");
  add_one(table, "std_normal_log_qf", [](const auto& x) {
    using namespace numbers;
    return inv_Phi(exp(x));
  });
  add_one(table, "inv_erfc", [](const auto& x) {
    using namespace numbers;
    return -0.70710678118654752440 * inv_Phi(0.5 * x);
  });

  add_symbolic(table, "lbeta", lbeta);
  add_symbolic(table, "lchoose", lchoose);
  table.alias("binomial_coefficient_log", "lchoose", true);
  add_symbolic(table, "beta", [](const Expression& a, const Expression& b) { return exp(lbeta(a, b)); });
  add_symbolic(table, "falling_factorial", falling_factorial);
  add_symbolic(table, "rising_factorial", rising_factorial);
  add_symbolic(table, "log_falling_factorial", log_falling_factorial);
  add_symbolic(table, "log_rising_factorial", log_rising_factorial);
  add_symbolic(table, "gamma_p", gamma_p);
  add_symbolic(table, "gamma_q", gamma_q);
  add_symbolic(table, "owens_t", owens_t);
  add_symbolic(table, "inc_beta", inc_beta);
  add_symbolic(table, "bessel_first_kind", bessel_first_kind, {order_and_value});
  add_symbolic(table, "bessel_second_kind", bessel_second_kind, {order_and_value});
  add_symbolic(table, "modified_bessel_first_kind", modified_bessel_first_kind, {order_and_value});
  add_symbolic(table, "modified_bessel_second_kind", modified_bessel_second_kind, {order_and_value});
  table.add("lmgamma", {"(int dimension, T value): T"}, lmgamma_of);
  add_two(table, "ldexp",
          [](const auto& x, const auto& power) {
            using namespace numbers;
            return x * exp2(power);
          },
          {"(T value, I power): T"});
  add_symbolic(table, "binary_log_loss",
               [](const Expression& y, const Expression& probability) {
                 return -select(y, log(probability), log1m(probability));
               },
               {"(I, T): T"});
}

}  // namespace sgmcmc::stan
