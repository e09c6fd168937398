// Densities of real outcomes.
#include "stan/laws.hpp"
#include "stan/rare_laws.hpp"

#include <sgmcmc/distributions.hpp>

namespace sgmcmc::stan {
/// Everything a law has, by its name.
#define SGMCMC_LAW(name, outcome, parameters) \
  add_law(table,                              \
          {#name, outcome, parameters, lift(name##_lpdf), lift(name##_cdf), lift(name##_lcdf), lift(name##_lccdf)})

/// Densities that are 0 below 0, with distribution functions that Stan does not define there.
#define SGMCMC_LAW_ABOVE_0(name, parameters)                                                                  \
  add_law(table, {#name, "reals outcome", parameters, lift(name##_lpdf), lift(name##_cdf), lift(name##_lcdf), \
                  lift(name##_lccdf), nullptr, "nonnegative reals outcome"})

void add_continuous(Table& table) {
  SGMCMC_LAW(std_normal, "reals outcome", "");
  SGMCMC_LAW(normal, "reals outcome", "finite reals location, positive reals scale");
  SGMCMC_LAW(student_t, "reals outcome",
             "positive reals number of degrees of freedom, finite reals location, positive_finite reals scale");
  SGMCMC_LAW(double_exponential, "reals outcome", "finite reals location, positive_finite reals scale");
  SGMCMC_LAW(cauchy, "reals outcome", "finite reals location, positive_finite reals scale");
  SGMCMC_LAW(logistic, "reals outcome", "finite reals location, positive_finite reals scale");
  SGMCMC_LAW(skew_normal, "reals outcome", "finite reals location, positive reals scale, finite reals shape");
  SGMCMC_LAW(exp_mod_normal, "reals outcome",
             "finite reals location, positive reals scale, positive_finite reals rate");
  SGMCMC_LAW(gumbel, "reals outcome", "finite reals location, positive reals scale");
  SGMCMC_LAW(skew_double_exponential, "reals outcome",
             "finite reals location, positive_finite reals scale, open_probability reals skew");
  add_law(table, {"von_mises",
                  "finite reals outcome",
                  "finite reals location, positive_finite reals concentration",
                  lift(von_mises_lpdf),
                  {},
                  {},
                  {}});

  SGMCMC_LAW(lognormal, "nonnegative reals outcome", "finite reals location, positive_finite reals scale");
  SGMCMC_LAW(chi_square, "nonnegative reals outcome", "positive_finite reals number of degrees of freedom");
  SGMCMC_LAW_ABOVE_0(inv_chi_square, "positive_finite reals number of degrees of freedom");
  SGMCMC_LAW_ABOVE_0(scaled_inv_chi_square,
                     "positive_finite reals number of degrees of freedom, positive_finite reals scale");
  SGMCMC_LAW(exponential, "nonnegative reals outcome", "positive_finite reals rate");
  SGMCMC_LAW(gamma, "nonnegative reals outcome", "positive_finite reals shape, positive_finite reals rate");
  SGMCMC_LAW_ABOVE_0(inv_gamma, "positive_finite reals shape, positive_finite reals scale");
  SGMCMC_LAW(weibull, "nonnegative reals outcome", "positive_finite reals shape, positive_finite reals scale");
  SGMCMC_LAW(frechet, "positive reals outcome", "positive_finite reals shape, positive_finite reals scale");
  SGMCMC_LAW(rayleigh, "nonnegative reals outcome", "positive reals scale");
  SGMCMC_LAW_ABOVE_0(pareto, "positive_finite reals minimum, positive_finite reals shape");
  SGMCMC_LAW(pareto_type_2, "reals outcome",
             "finite reals location, positive_finite reals scale, positive_finite reals shape");

  SGMCMC_LAW(loglogistic, "nonnegative reals outcome", "positive_finite reals scale, positive_finite reals shape");
  add_law(table, {"wiener",
                  "positive reals outcome",
                  "positive_finite reals boundary separation, positive_finite reals delay, "
                  "probability reals initial bias, finite reals drift",
                  lift(wiener_lpdf),
                  {},
                  {},
                  {}});

  SGMCMC_LAW(beta, "probability reals outcome",
             "positive_finite reals first shape, positive_finite reals second shape");
  SGMCMC_LAW(beta_proportion, "open_probability reals outcome",
             "open_probability reals mean, positive_finite reals precision");
  SGMCMC_LAW(uniform, "reals outcome", "finite reals lower end, finite reals upper end");
}

}  // namespace sgmcmc::stan
