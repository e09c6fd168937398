// Densities of whole series, by their recursions: hidden Markov models and linear Gaussian state spaces.
#include "stan/builtins/laws.hpp"

#include <sgmcmc/distributions.hpp>

#include <cmath>
#include <limits>
#include <numbers>

namespace sgmcmc::stan {
namespace {

/// (log densities [states, times], transitions [states, states], first [states]): the forward recursion.
Operand hidden_markov(const BuiltinCall& call) {
  const std::int64_t states = call[0].dims[0], times = call[0].dims[1];
  if (call[1].dims != Dimensions{states, states} || call[2].dims[0] != states)
    refuse(call, "the sizes differ: log densities " + shape_text(call[0]) + ", transitions " + shape_text(call[1]) +
                     ", first probabilities " + shape_text(call[2]));
  if (times == 0) return real_operand(0);
  const auto log_of = [](const Expression& p) {
    const Expression positive = p > 0.0;
    return select(positive, log(select(positive, p, 1.0)), -std::numeric_limits<double>::infinity());
  };
  const Expression densities = as_expression(call[0]), transitions = log_of(as_expression(call[1]));
  Expression forward = log_of(as_expression(call[2])) + column(densities, 0);
  for (std::int64_t t = 1; t < times; ++t)
    forward = log_sum_exp(transitions + reshape(forward, Shape{states, 1}), 0) + column(densities, t);
  return symbol_operand(real_type, log_sum_exp(forward));
}

/// (outcomes [series, times] | design F, transition G, noise V, state noise W, first mean, first covariance): the
/// Kalman filter.
Operand state_space(const BuiltinCall& call) {
  const std::int64_t series = call[0].dims[0], times = call[0].dims[1], states = call[1].dims[0];
  const Dimensions square{states, states};
  if (call[1].dims[1] != series || call[2].dims != square || call[3].dims[0] != series ||
      call[3].dims.back() != series || call[4].dims != square || call[5].dims[0] != states || call[6].dims != square)
    refuse(call,
           "the sizes differ: " + std::to_string(series) + " series and " + std::to_string(states) +
               " states need F [states, series], G, W and C0 [states, states], V [series, series] and m0 [states]");
  const Expression y = as_expression(call[0]), design = as_expression(call[1]), transition = as_expression(call[2]);
  const Expression given_noise = as_expression(call[3]), state_noise = as_expression(call[4]);
  const Expression noise = call[3].dims.size() == 1 ? diagonal_matrix(given_noise) : given_noise;
  Expression mean = as_expression(call[5]), covariance = as_expression(call[6]);
  Expression total = constant({-0.5 * static_cast<double>(series * times) * std::log(2 * std::numbers::pi)}, Shape{});
  for (std::int64_t t = 0; t < times; ++t) {
    mean = matmul(transition, mean);
    covariance = matmul(matmul(transition, covariance), transpose(transition)) + state_noise;
    const Expression error = column(y, t) - matmul(transpose(design), mean);
    const Expression spread = matmul(covariance, design);  // [states, series]
    const Expression forecast = matmul(transpose(design), spread) + noise;
    const Expression gain = transpose(solve_spd(forecast, transpose(spread)));
    total = total - 0.5 * (log_determinant_spd(forecast) + dot(error, solve_spd(forecast, error)));
    mean = mean + matmul(gain, error);
    covariance = covariance - matmul(gain, transpose(spread));
  }
  return symbol_operand(real_type, total);
}

}  // namespace

void add_series(Table& table) {
  table.add("hmm_marginal", {"(matrix log densities, matrix transitions, vector first probabilities): real"},
            hidden_markov);
  add_density(table, "gaussian_dlm_obs", "lpdf",
              {"(matrix outcome | matrix design, matrix transition, matrix noise, matrix state noise, "
               "finite vector first mean, positive_definite matrix first covariance): real",
               "(matrix outcome | matrix design, matrix transition, vector noise, matrix state noise, "
               "finite vector first mean, positive_definite matrix first covariance): real"},
              {2, 2, 2, 2, 2, 1, 2}, state_space);
}

}  // namespace sgmcmc::stan
