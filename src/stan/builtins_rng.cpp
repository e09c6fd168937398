// Random numbers of univariate distributions, vectorised over their parameters.
#include "stan/draw.hpp"
#include "stan/operands.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace sgmcmc::stan {
namespace {

/// One number of a law with these parameters.
using Generator = double (*)(const double* parameters, UniformSource& uniform);

constexpr double largest_count = 2147483647.0;

Operand draw_all(const BuiltinCall& call, UniformSource& uniform, Generator generator, bool integers) {
  std::int64_t count = -1;
  for (const auto& argument : call.arguments) {
    if (argument.dims.empty()) continue;
    if (count >= 0 && argument.dims[0] != count)
      refuse(call,
             "the sizes differ: " + std::to_string(count) + " and " + std::to_string(argument.dims[0]) + " elements");
    count = argument.dims[0];
  }
  const Base base = integers ? Base::integer : Base::real;
  Operand result = count < 0
                       ? numbers_operand({base, 0}, {}, {0.0})
                       : numbers_operand({base, 1}, {count}, std::vector<double>(static_cast<std::size_t>(count)));
  std::vector<double> parameters(call.size());
  for (std::size_t i = 0; i < result.numbers.size(); ++i) {
    for (std::size_t k = 0; k < call.size(); ++k) parameters[k] = call[k].numbers[call[k].dims.empty() ? 0 : i];
    result.numbers[i] = generator(parameters.data(), uniform);
    if (integers && !(std::fabs(result.numbers[i]) <= largest_count))
      refuse(call, "the random number does not fit into an int, which has 32 bits");
  }
  return result;
}

/// NAME_rng takes what NAME_lpdf takes after the bar, or its own signature.
void add_rng(Table& table, const std::string& name, Generator generator, std::string_view own = {}) {
  const Builtin* density = table.find(name + "_lpdf");
  if (density == nullptr) density = table.find(name + "_lpmf");
  Signature signature;
  bool integers = true;
  if (density == nullptr) {
    signature = parse_signature(own);
    integers = signature.result.kind == Pattern::Kind::ints;
  } else {
    signature = density->signatures.front();
    integers = signature.arguments[0].kind == Pattern::Kind::ints;
    signature.arguments.erase(signature.arguments.begin());
    const std::size_t bar = signature.text.find(" | "), close = signature.text.rfind("): ");
    const std::string inside =
        bar == std::string::npos ? std::string() : signature.text.substr(bar + 3, close - bar - 3);
    signature.text = "(" + inside + (integers ? "): ints" : "): reals");
    signature.result.kind = integers ? Pattern::Kind::ints : Pattern::Kind::reals;
  }
  Builtin& entry = table.add(name + "_rng", std::vector<Signature>{std::move(signature)}, Apply());
  entry.draw = [generator, integers](const BuiltinCall& call, UniformSource& uniform) {
    return draw_all(call, uniform, generator, integers);
  };
}

double logistic(double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }

double negative_binomial(UniformSource& u, double shape, double mean) {
  return draw::poisson(u, draw::gamma(u, shape) * mean / shape);
}

/// Balls drawn one by one from an urn.
double hypergeometric(const double* p, UniformSource& u) {
  double left = p[1] + p[2], good = p[1], found = 0;
  for (double k = 0; k < p[0]; ++k, --left) {
    if (u.next() * left >= good) continue;
    --good;
    ++found;
  }
  return found;
}

double skew_normal(const double* p, UniformSource& u) {
  const double delta = p[2] / std::sqrt(1 + p[2] * p[2]);
  const double first = std::fabs(draw::normal(u)), second = draw::normal(u);
  return p[0] + p[1] * (delta * first + std::sqrt(1 - delta * delta) * second);
}

/// By inversion of its distribution function, branch by branch.
double skew_double_exponential(const double* p, UniformSource& u) {
  const double at = u.next(), skew = p[2];
  if (at < skew) return p[0] + 0.5 * p[1] * std::log(at / skew) / (1 - skew);
  return p[0] - 0.5 * p[1] * std::log((1 - at) / (1 - skew)) / skew;
}

double double_exponential(const double* p, UniformSource& u) {
  const double at = u.next() - 0.5;
  return p[0] - p[1] * std::copysign(std::log1p(-2 * std::fabs(at)), at);
}

}  // namespace

// Parameters p stand in the order of the density's, and u is the source.
#define SGMCMC_RNG(name, expression) \
  add_rng(table, name, [](const double* p, UniformSource& u) -> double { return expression; })

void add_generators(Table& table) {
  add_rng(table, "std_normal", [](const double*, UniformSource& u) { return draw::normal(u); });
  SGMCMC_RNG("normal", p[0] + p[1] * draw::normal(u));
  SGMCMC_RNG("student_t", p[1] + p[2] * draw::student_t(u, p[0]));
  add_rng(table, "double_exponential", double_exponential);
  SGMCMC_RNG("cauchy", p[0] + p[1] * std::tan(std::numbers::pi * (u.next() - 0.5)));
  SGMCMC_RNG("logistic", p[0] - p[1] * std::log(1 / u.next() - 1));
  add_rng(table, "skew_normal", skew_normal);
  SGMCMC_RNG("exp_mod_normal", p[0] + p[1] * draw::normal(u) + draw::exponential(u) / p[2]);
  SGMCMC_RNG("gumbel", p[0] - p[1] * std::log(draw::exponential(u)));
  SGMCMC_RNG("von_mises", p[0] + draw::von_mises(u, p[1]));
  SGMCMC_RNG("lognormal", std::exp(p[0] + p[1] * draw::normal(u)));
  SGMCMC_RNG("chi_square", 2 * draw::gamma(u, 0.5 * p[0]));
  SGMCMC_RNG("inv_chi_square", 0.5 / draw::gamma(u, 0.5 * p[0]));
  SGMCMC_RNG("scaled_inv_chi_square", 0.5 * p[0] * p[1] * p[1] / draw::gamma(u, 0.5 * p[0]));
  SGMCMC_RNG("exponential", draw::exponential(u) / p[0]);
  SGMCMC_RNG("gamma", draw::gamma(u, p[0]) / p[1]);
  SGMCMC_RNG("inv_gamma", p[1] / draw::gamma(u, p[0]));
  SGMCMC_RNG("weibull", p[1] * std::pow(draw::exponential(u), 1 / p[0]));
  SGMCMC_RNG("frechet", p[1] * std::pow(draw::exponential(u), -1 / p[0]));
  SGMCMC_RNG("rayleigh", p[0] * std::sqrt(2 * draw::exponential(u)));
  SGMCMC_RNG("pareto", p[0] * std::pow(u.next(), -1 / p[1]));
  SGMCMC_RNG("pareto_type_2", p[0] + p[1] * (std::pow(u.next(), -1 / p[2]) - 1));
  SGMCMC_RNG("beta", draw::beta(u, p[0], p[1]));
  SGMCMC_RNG("beta_proportion", draw::beta(u, p[0] * p[1], (1 - p[0]) * p[1]));
  SGMCMC_RNG("loglogistic", p[0] * std::pow(1 / u.next() - 1, -1 / p[1]));
  add_rng(table, "skew_double_exponential", skew_double_exponential);
  SGMCMC_RNG("uniform", p[0] + (p[1] - p[0]) * u.next());

  SGMCMC_RNG("bernoulli", u.next() < p[0] ? 1 : 0);
  SGMCMC_RNG("bernoulli_logit", u.next() < logistic(p[0]) ? 1 : 0);
  SGMCMC_RNG("binomial", draw::binomial(u, p[0], p[1]));
  SGMCMC_RNG("binomial_logit", draw::binomial(u, p[0], logistic(p[1])));
  SGMCMC_RNG("beta_binomial", draw::binomial(u, p[0], draw::beta(u, p[1], p[2])));
  add_rng(table, "hypergeometric", hypergeometric);
  SGMCMC_RNG("poisson", draw::poisson(u, p[0]));
  SGMCMC_RNG("poisson_log", draw::poisson(u, std::exp(p[0])));
  SGMCMC_RNG("neg_binomial", negative_binomial(u, p[0], p[0] / p[1]));
  SGMCMC_RNG("neg_binomial_2", negative_binomial(u, p[1], p[0]));
  SGMCMC_RNG("neg_binomial_2_log", negative_binomial(u, p[1], std::exp(p[0])));
  SGMCMC_RNG("discrete_range", p[0] + std::floor((p[1] - p[0] + 1) * u.next()));
}

}  // namespace sgmcmc::stan
