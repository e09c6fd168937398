// The gradient cases, by topic.
#pragma once

#include "reference/cases.hpp"

#include <vector>

namespace sgmcmc::reference {

std::vector<GradientCase> unary_cases();
std::vector<GradientCase> binary_cases();
std::vector<GradientCase> special_cases();
std::vector<GradientCase> reduction_cases();
std::vector<GradientCase> linear_algebra_cases();
std::vector<GradientCase> matrix_function_cases();
std::vector<GradientCase> arranging_cases();
std::vector<GradientCase> mixed_cases();
std::vector<GradientCase> model_cases();
std::vector<GradientCase> all_gradient_cases();

}  // namespace sgmcmc::reference
