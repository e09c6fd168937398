// Log likelihoods that functions of Python compute, with their gradients.
#pragma once

#include <sgmcmc/model.hpp>

#include <nanobind/nanobind.h>

#include <memory>

namespace sgmcmc::python {

/// sum(values, rows) returns the log likelihood of some rows and its gradient by the values; each(values, rows) those
/// of every row, or None where the function does not tell rows apart.
std::shared_ptr<const GivenLikelihood> given_likelihood(nanobind::object sum, nanobind::object each);

}  // namespace sgmcmc::python
