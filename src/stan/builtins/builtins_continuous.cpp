// Densities of real outcomes.
#include "stan/builtins/draw.hpp"
#include "stan/builtins/laws.hpp"
#include "stan/builtins/rare_laws.hpp"

#include <sgmcmc/distributions.hpp>

#include <cmath>
#include <numbers>

namespace sgmcmc::stan {
namespace {

double draw_skew_normal(const double* p, UniformSource& u) {
  const double delta = p[2] / std::sqrt(1 + p[2] * p[2]);
  const double first = std::fabs(draw::normal(u)), second = draw::normal(u);
  return p[0] + p[1] * (delta * first + std::sqrt(1 - delta * delta) * second);
}

/// By inversion of its distribution function, branch by branch.
double draw_skew_double_exponential(const double* p, UniformSource& u) {
  const double at = u.next(), skew = p[2];
  if (at < skew) return p[0] + 0.5 * p[1] * std::log(at / skew) / (1 - skew);
  return p[0] - 0.5 * p[1] * std::log((1 - at) / (1 - skew)) / skew;
}

double draw_double_exponential(const double* p, UniformSource& u) {
  const double at = u.next() - 0.5;
  return p[0] - p[1] * std::copysign(std::log1p(-2 * std::fabs(at)), at);
}

#define SGMCMC_LAW(...) SGMCMC_LAW_RECORD(lpdf, {}, __VA_ARGS__)

/// Densities that are 0 below 0, with distribution functions that Stan does not define there.
#define SGMCMC_LAW_ABOVE_0(name, ...) \
  SGMCMC_LAW_RECORD(lpdf, "nonnegative reals outcome", name, "reals outcome", __VA_ARGS__)

}  // namespace

void add_continuous(Table& table) {
  SGMCMC_LAW(std_normal, "reals outcome", "", SGMCMC_DRAW(draw::normal(u)));
  SGMCMC_LAW(normal, "reals outcome", "finite reals location, positive reals scale",
             SGMCMC_DRAW(p[0] + p[1] * draw::normal(u)));
  SGMCMC_LAW(student_t, "reals outcome",
             "positive reals number of degrees of freedom, finite reals location, positive_finite reals scale",
             SGMCMC_DRAW(p[1] + p[2] * draw::student_t(u, p[0])));
  SGMCMC_LAW(double_exponential, "reals outcome", "finite reals location, positive_finite reals scale",
             draw_double_exponential);
  SGMCMC_LAW(cauchy, "reals outcome", "finite reals location, positive_finite reals scale",
             SGMCMC_DRAW(p[0] + p[1] * std::tan(std::numbers::pi * (u.next() - 0.5))));
  SGMCMC_LAW(logistic, "reals outcome", "finite reals location, positive_finite reals scale",
             SGMCMC_DRAW(p[0] - p[1] * std::log(1 / u.next() - 1)));
  SGMCMC_LAW(skew_normal, "reals outcome", "finite reals location, positive reals scale, finite reals shape",
             draw_skew_normal);
  SGMCMC_LAW(exp_mod_normal, "reals outcome", "finite reals location, positive reals scale, positive_finite reals rate",
             SGMCMC_DRAW(p[0] + p[1] * draw::normal(u) + draw::exponential(u) / p[2]));
  SGMCMC_LAW(gumbel, "reals outcome", "finite reals location, positive reals scale",
             SGMCMC_DRAW(p[0] - p[1] * std::log(draw::exponential(u))));
  SGMCMC_LAW(skew_double_exponential, "reals outcome",
             "finite reals location, positive_finite reals scale, open_probability reals skew",
             draw_skew_double_exponential);
  add_law(table, {"von_mises",
                  "finite reals outcome",
                  "finite reals location, positive_finite reals concentration",
                  lift(von_mises_lpdf),
                  {},
                  {},
                  {},
                  nullptr,
                  {},
                  SGMCMC_DRAW(p[0] + draw::von_mises(u, p[1]))});

  SGMCMC_LAW(lognormal, "nonnegative reals outcome", "finite reals location, positive_finite reals scale",
             SGMCMC_DRAW(std::exp(p[0] + p[1] * draw::normal(u))));
  SGMCMC_LAW(chi_square, "nonnegative reals outcome", "positive_finite reals number of degrees of freedom",
             SGMCMC_DRAW(2 * draw::gamma(u, 0.5 * p[0])));
  SGMCMC_LAW_ABOVE_0(inv_chi_square, "positive_finite reals number of degrees of freedom",
                     SGMCMC_DRAW(0.5 / draw::gamma(u, 0.5 * p[0])));
  SGMCMC_LAW_ABOVE_0(scaled_inv_chi_square,
                     "positive_finite reals number of degrees of freedom, positive_finite reals scale",
                     SGMCMC_DRAW(0.5 * p[0] * p[1] * p[1] / draw::gamma(u, 0.5 * p[0])));
  SGMCMC_LAW(exponential, "nonnegative reals outcome", "positive_finite reals rate",
             SGMCMC_DRAW(draw::exponential(u) / p[0]));
  SGMCMC_LAW(gamma, "nonnegative reals outcome", "positive_finite reals shape, positive_finite reals rate",
             SGMCMC_DRAW(draw::gamma(u, p[0]) / p[1]));
  SGMCMC_LAW_ABOVE_0(inv_gamma, "positive_finite reals shape, positive_finite reals scale",
                     SGMCMC_DRAW(p[1] / draw::gamma(u, p[0])));
  SGMCMC_LAW(weibull, "nonnegative reals outcome", "positive_finite reals shape, positive_finite reals scale",
             SGMCMC_DRAW(p[1] * std::pow(draw::exponential(u), 1 / p[0])));
  SGMCMC_LAW(frechet, "positive reals outcome", "positive_finite reals shape, positive_finite reals scale",
             SGMCMC_DRAW(p[1] * std::pow(draw::exponential(u), -1 / p[0])));
  SGMCMC_LAW(rayleigh, "nonnegative reals outcome", "positive reals scale",
             SGMCMC_DRAW(p[0] * std::sqrt(2 * draw::exponential(u))));
  SGMCMC_LAW_ABOVE_0(pareto, "positive_finite reals minimum, positive_finite reals shape",
                     SGMCMC_DRAW(p[0] * std::pow(u.next(), -1 / p[1])), 0);
  SGMCMC_LAW(pareto_type_2, "reals outcome",
             "finite reals location, positive_finite reals scale, positive_finite reals shape",
             SGMCMC_DRAW(p[0] + p[1] * (std::pow(u.next(), -1 / p[2]) - 1)), 0);

  SGMCMC_LAW(loglogistic, "nonnegative reals outcome", "positive_finite reals scale, positive_finite reals shape",
             SGMCMC_DRAW(p[0] * std::pow(1 / u.next() - 1, -1 / p[1])));
  add_law(table, {"wiener",
                  "positive reals outcome",
                  "positive_finite reals boundary separation, positive_finite reals delay, "
                  "probability reals initial bias, finite reals drift",
                  lift(wiener_lpdf),
                  {},
                  {},
                  {}});

  SGMCMC_LAW(beta, "probability reals outcome", "positive_finite reals first shape, positive_finite reals second shape",
             SGMCMC_DRAW(draw::beta(u, p[0], p[1])));
  SGMCMC_LAW(beta_proportion, "open_probability reals outcome",
             "open_probability reals mean, positive_finite reals precision",
             SGMCMC_DRAW(draw::beta(u, p[0] * p[1], (1 - p[0]) * p[1])));
  SGMCMC_LAW(uniform, "reals outcome", "finite reals lower end, finite reals upper end",
             SGMCMC_DRAW(p[0] + (p[1] - p[0]) * u.next()), 0, 1);
}

}  // namespace sgmcmc::stan
