// Probabilities of ints: counts, and one of several outcomes.
#include "stan/builtins/draw.hpp"
#include "stan/builtins/laws.hpp"
#include "stan/builtins/numbers.hpp"

#include <sgmcmc/distributions.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc::stan {
namespace {

#define SGMCMC_COUNT_LAW(...) SGMCMC_LAW_RECORD(lpmf, {}, __VA_ARGS__)

double number_at(const Operand& x, std::size_t i) { return x.numbers[x.dims.empty() ? 0 : i]; }

/// No more successes than trials.
void at_most_trials(const BuiltinCall& call) {
  if (!call[0].is_data() || !call[1].is_data()) return;
  const auto size = static_cast<std::size_t>(std::max(call[0].size(), call[1].size()));
  for (std::size_t i = 0; i < size; ++i)
    if (number_at(call[0], i) > number_at(call[1], i))
      refuse(call, "the outcome is " + std::to_string(static_cast<std::int64_t>(number_at(call[0], i))) + " of " +
                       std::to_string(static_cast<std::int64_t>(number_at(call[1], i))) + " trials");
}

using TableFunction = Expression (*)(const Expression&, const Expression&, std::int64_t);

Apply one_of_table(TableFunction function) {
  return [function](const BuiltinCall& call) {
    if (call[0].size() == 0) return real_operand(0);
    require_in_range(call, call[0], call[1].dims[0]);
    return symbol_operand(real_type, sum(function(as_expression(call[0]), as_expression(call[1]), 1)));
  };
}

using OrderedFunction = Expression (*)(const Expression&, const Expression&, const Expression&, std::int64_t);

Apply ordered(OrderedFunction function) {
  return [function](const BuiltinCall& call) {
    const bool one_set = call[2].dims.size() == 1;
    const std::size_t first_two[] = {0, 1}, all[] = {0, 1, 2};
    const std::int64_t count = outcome_count(call, one_set ? std::span<const std::size_t>(first_two) : all);
    if (count == 0) return real_operand(0);
    require_in_range(call, call[0], call[2].dims.back() + 1);
    if (one_set)
      return symbol_operand(real_type,
                            sum(function(as_expression(call[0]), as_expression(call[1]), as_expression(call[2]), 1)));
    std::vector<Expression> terms;
    for (std::int64_t i = 0; i < count; ++i)
      terms.push_back(function(element(call[0], i), element(call[1], i), as_expression(call[2])[i], 1));
    return symbol_operand(real_type, sum(stack(terms)));
  };
}

/// Uniform on the ints from lower to upper.
Operand discrete_range(const BuiltinCall& call) {
  const std::size_t all[] = {0, 1, 2};
  if (outcome_count(call, all) == 0) return real_operand(0);
  const Expression y = as_expression(call[0]), lower = as_expression(call[1]), upper = as_expression(call[2]);
  const Expression inside = (lower <= y) * (y <= upper);
  return symbol_operand(real_type,
                        sum(select(inside, -log(upper - lower + 1.0), -std::numeric_limits<double>::infinity())));
}

/// The tail of a beta-binomial distribution to sum: up to y, or above it.
enum class Tail : std::uint8_t { lower, upper };

/// The log tail probability for each outcome, from the probabilities of single counts, which must be data.
std::vector<Expression> beta_binomial_tails(const BuiltinCall& call, Tail tail) {
  const std::size_t all[] = {0, 1, 2, 3};
  const std::int64_t count = std::max<std::int64_t>(outcome_count(call, all), call[0].dims.empty() ? 1 : 0);
  if (!call[0].is_data() || !call[1].is_data()) refuse(call, "the outcome and the number of trials must be data");
  std::vector<Expression> tails;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double y = number_at(call[0], at), trials = number_at(call[1], at);
    std::vector<double> counts;
    for (double k = tail == Tail::lower ? 0 : y + 1; k <= (tail == Tail::lower ? std::min(y, trials) : trials); ++k)
      counts.push_back(k);
    if (counts.empty()) {
      tails.push_back(-std::numeric_limits<double>::infinity());
    } else {
      tails.push_back(
          log_sum_exp(beta_binomial_lpmf(constant(counts), trials, element(call[2], i), element(call[3], i))));
    }
  }
  return tails;
}

Operand beta_binomial_tail(const BuiltinCall& call, Tail tail) {
  const auto tails = beta_binomial_tails(call, tail);
  return tails.empty() ? real_operand(0) : symbol_operand(real_type, sum(stack(tails)));
}

void add_beta_binomial_tails(Table& table) {
  const auto add = [&](const char* name, Apply apply) {
    Builtin& entry = table.add(name,
                               {"(ints outcome | count ints number of trials, positive_finite reals first shape, "
                                "positive_finite reals second shape): real"},
                               std::move(apply));
    entry.outcome_ranks = {0, 0, 0, 0};
    entry.checks_data = true;
  };
  add("beta_binomial_lcdf", [](const BuiltinCall& call) { return beta_binomial_tail(call, Tail::lower); });
  add("beta_binomial_lccdf", [](const BuiltinCall& call) { return beta_binomial_tail(call, Tail::upper); });
  add("beta_binomial_cdf", [](const BuiltinCall& call) {
    const auto tails = beta_binomial_tails(call, Tail::lower);
    return tails.empty() ? real_operand(1) : symbol_operand(real_type, exp(sum(stack(tails))));
  });
}

double negative_binomial(UniformSource& u, double shape, double mean) {
  return draw::poisson(u, draw::gamma(u, shape) * mean / shape);
}

double beta_neg_binomial(const double* p, UniformSource& u) {
  const double success = draw::beta(u, p[1], p[2]);
  return draw::poisson(u, draw::gamma(u, p[0]) * (1 - success) / success);
}

/// Draws from an urn one by one.
double draw_hypergeometric(const double* p, UniformSource& u) {
  double left = p[1] + p[2], good = p[1], found = 0;
  for (double k = 0; k < p[0]; ++k, --left) {
    if (u.next() * left >= good) continue;
    --good;
    ++found;
  }
  return found;
}

}  // namespace

void add_discrete(Table& table) {
  SGMCMC_COUNT_LAW(bernoulli, "binary ints outcome", "probability reals probability",
                   SGMCMC_DRAW(u.next() < p[0] ? 1 : 0));
  add_law(table, {"bernoulli_logit",
                  "binary ints outcome",
                  "reals logit",
                  lift(bernoulli_logit_lpmf),
                  {},
                  {},
                  {},
                  nullptr,
                  {},
                  SGMCMC_DRAW(u.next() < numbers::logistic(p[0]) ? 1 : 0)});
  const std::string counts = "count ints outcome";
  add_law(table, {"binomial",
                  counts,
                  "count ints number of trials, probability reals probability",
                  lift(binomial_lpmf),
                  lift(binomial_cdf),
                  lift(binomial_lcdf),
                  lift(binomial_lccdf),
                  at_most_trials,
                  {},
                  SGMCMC_DRAW(draw::binomial(u, p[0], p[1]))});
  add_law(table, {"binomial_logit",
                  counts,
                  "count ints number of trials, finite reals logit",
                  lift(binomial_logit_lpmf),
                  {},
                  {},
                  {},
                  at_most_trials,
                  {},
                  SGMCMC_DRAW(draw::binomial(u, p[0], numbers::logistic(p[1])))});
  add_law(table, {"beta_binomial",
                  counts,
                  "count ints number of trials, positive_finite reals first shape, positive_finite reals second shape",
                  lift(beta_binomial_lpmf),
                  {},
                  {},
                  {},
                  at_most_trials,
                  {},
                  SGMCMC_DRAW(draw::binomial(u, p[0], draw::beta(u, p[1], p[2])))});
  add_beta_binomial_tails(table);
  add_law(table, {"beta_neg_binomial",
                  counts,
                  "positive_finite reals number of successes, positive_finite reals first shape, "
                  "positive_finite reals second shape",
                  lift(beta_neg_binomial_lpmf),
                  {},
                  {},
                  {},
                  nullptr,
                  {},
                  beta_neg_binomial});
  add_law(table, {"hypergeometric",
                  counts,
                  "count ints number of draws, count ints number of successes, count ints number of failures",
                  lift(hypergeometric_lpmf),
                  {},
                  {},
                  {},
                  at_most_trials,
                  {},
                  draw_hypergeometric});
  SGMCMC_COUNT_LAW(poisson, counts, "nonnegative reals rate", SGMCMC_DRAW(draw::poisson(u, p[0])));
  add_law(table, {"poisson_log",
                  counts,
                  "reals log rate",
                  lift(poisson_log_lpmf),
                  {},
                  {},
                  {},
                  nullptr,
                  {},
                  SGMCMC_DRAW(draw::poisson(u, std::exp(p[0])))});
  SGMCMC_COUNT_LAW(neg_binomial, counts, "positive_finite reals shape, positive_finite reals inverse scale",
                   SGMCMC_DRAW(negative_binomial(u, p[0], p[0] / p[1])));
  SGMCMC_COUNT_LAW(neg_binomial_2, counts, "positive_finite reals mean, positive_finite reals dispersion",
                   SGMCMC_DRAW(negative_binomial(u, p[1], p[0])));
  add_law(table, {"neg_binomial_2_log",
                  counts,
                  "finite reals log mean, positive_finite reals dispersion",
                  lift(neg_binomial_2_log_lpmf),
                  {},
                  {},
                  {},
                  nullptr,
                  {},
                  SGMCMC_DRAW(negative_binomial(u, p[1], std::exp(p[0])))});

  add_density(table, "categorical", "lpmf", {"(natural ints outcome | simplex vector vector of probabilities): real"},
              {0, 1}, one_of_table(categorical_lpmf));
  add_density(table, "categorical_logit", "lpmf", {"(natural ints outcome | finite vector vector of logits): real"},
              {0, 1}, one_of_table(categorical_logit_lpmf));
  const std::initializer_list<std::string_view> cut{
      "(natural ints outcome | finite reals location, ordered vector vector of cutpoints): real",
      "(natural ints outcome | finite reals location, ordered array[] vector vector of cutpoints): real"};
  add_density(table, "ordered_logistic", "lpmf", cut, {0, 0, 1}, ordered(ordered_logistic_lpmf));
  add_density(table, "ordered_probit", "lpmf", cut, {0, 0, 1}, ordered(ordered_probit_lpmf));
  add_density(table, "discrete_range", "lpmf", {"(ints outcome | ints lower end, ints upper end): real"}, {0, 0, 0},
              discrete_range);
  add_rng(table, "discrete_range", SGMCMC_DRAW(p[0] + std::floor((p[1] - p[0] + 1) * u.next())));
}

}  // namespace sgmcmc::stan
