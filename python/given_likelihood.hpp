// Log likelihoods and gradients computed by Python functions.
#pragma once

#include <sgmcmc/model.hpp>

#include <nanobind/nanobind.h>

#include <memory>

namespace sgmcmc::python {

/// sum(values, rows) returns the log likelihood of some rows and its gradient with respect to the values; each(values,
/// rows) returns those of every row, or None if the function returns sums only.
std::shared_ptr<const GivenLikelihood> given_likelihood(nanobind::object sum, nanobind::object each);

}  // namespace sgmcmc::python
