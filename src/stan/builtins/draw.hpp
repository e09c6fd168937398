// Basic random number generators, from uniform numbers.
#pragma once

#include "stan/builtins/builtins.hpp"

#include <span>
#include <vector>

namespace sgmcmc::stan::draw {

double normal(UniformSource& uniform);
double exponential(UniformSource& uniform);
double log_gamma(UniformSource& uniform, double shape);  ///< the logarithm of Gamma(shape, 1)
double gamma(UniformSource& uniform, double shape);
double beta(UniformSource& uniform, double a, double b);
double student_t(UniformSource& uniform, double degrees);
double binomial(UniformSource& uniform, double trials, double probability);
double poisson(UniformSource& uniform, double mean);
double von_mises(UniformSource& uniform, double concentration);  ///< in (-pi, pi], around 0
/// An index from 0; weights need not sum to 1.
std::size_t category(UniformSource& uniform, std::span<const double> weights);

}  // namespace sgmcmc::stan::draw
