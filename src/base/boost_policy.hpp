// Policy for Boost's functions: double precision, NaN or infinity instead of exceptions, no errno.
#pragma once

#include <boost/math/policies/policy.hpp>

namespace sgmcmc::special {

namespace policies = boost::math::policies;
using QuietPolicy =
    policies::policy<policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::underflow_error<policies::ignore_error>, policies::denorm_error<policies::ignore_error>,
                     policies::rounding_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>,
                     policies::indeterminate_result_error<policies::ignore_error>, policies::promote_double<false>>;

}  // namespace sgmcmc::special
